//! A project.

use crate::batch::Batch;
use crate::call::{Document, Explain, Inputs, document, work};
use crate::prompt::Prompt;
use promptc::{
    CheckOptions, CompareOptions, DiskWorld, Engine, SessionOptions, StoreOptions, World,
};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::available_parallelism;

/// A manifest that stays open.
#[pyclass(frozen, module = "promptc_cli._native")]
pub(crate) struct Project {
    engine: Engine,
}

#[pymethods]
impl Project {
    #[new]
    fn new(py: Python<'_>, manifest: Option<String>, overlay: Option<String>) -> PyResult<Self> {
        let world = || -> Arc<dyn World + Send + Sync> { Arc::new(DiskWorld) };
        let project = match overlay {
            None => work(py, || promptc::Project::open_with(manifest, world()))?,
            Some(text) => work(py, || promptc::Project::overlaid(manifest, &text, world()))?,
        };
        Ok(Self {
            engine: Engine::new(project),
        })
    }

    fn build(&self, py: Python<'_>, inputs: Inputs, keep_inputs: bool) -> PyResult<Prompt> {
        let mut inputs = inputs.read()?;
        if keep_inputs {
            inputs = inputs.keep_inputs();
        }
        let built = work(py, || self.engine.build(&inputs))?;
        Ok(Prompt::shared(built))
    }

    fn check(
        &self,
        py: Python<'_>,
        inputs: Inputs,
        sources: bool,
        usage: Vec<PathBuf>,
        min_prefix: Option<usize>,
        base: Option<String>,
    ) -> PyResult<Document> {
        let inputs = inputs.read()?;
        let options = CheckOptions {
            sources,
            usage,
            min_prefix,
            base,
        };
        let found = work(py, || self.engine.project().check_json(&inputs, &options))?;
        Ok(document(found.value, &found.findings))
    }

    fn explain(&self, py: Python<'_>, inputs: Inputs, asked: Explain) -> PyResult<Document> {
        let inputs = inputs.read()?;
        let options = asked.read()?;
        let found = work(py, || self.engine.project().explain(&inputs, &options))?;
        Ok(document(found.value, &found.findings))
    }

    fn diff(
        &self,
        py: Python<'_>,
        a: Option<String>,
        b: Option<String>,
        inputs: Inputs,
        store: Option<PathBuf>,
        recorded: bool,
    ) -> PyResult<Document> {
        let inputs = inputs.read()?;
        let options = CompareOptions {
            store: StoreOptions {
                location: store,
                ..StoreOptions::default()
            },
            recorded,
            ..CompareOptions::default()
        };
        let operands = [a.as_deref(), b.as_deref()];
        let project = self.engine.project();
        let found = work(py, || project.compare_json(operands, &inputs, &options))?;
        Ok(document(found.value, &found.findings))
    }

    fn session(
        &self,
        py: Python<'_>,
        id: &str,
        inputs: Inputs,
        event: Option<String>,
        refresh: bool,
        store: Option<PathBuf>,
    ) -> PyResult<Prompt> {
        let inputs = inputs.read()?;
        let options = SessionOptions {
            store: StoreOptions {
                location: store,
                ..StoreOptions::default()
            },
            event,
            refresh,
        };
        let kept = work(py, || {
            let kept = self.engine.session(id, &inputs, &options)?;
            Ok(promptc::Answer {
                // A call of the library asks for the whole.
                value: kept.value.prompt.unwrap_or_else(|| unreachable!()),
                findings: kept.findings,
            })
        })?;
        Ok(Prompt::of(kept))
    }

    fn batch(
        &self,
        py: Python<'_>,
        inputs: Inputs,
        rows: Py<PyAny>,
        jobs: Option<usize>,
    ) -> PyResult<Batch> {
        let inputs = inputs.read()?;
        let jobs = jobs.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
        let (door, waiting) = channel();
        let rows = rows.call_method0(py, "__iter__")?;
        let project = self.engine.project();
        let built = work(py, || {
            project.batch(&inputs, waiting.into_iter(), Some(jobs))
        })?;
        Ok(Batch::new(built.value, rows, door, jobs))
    }
}
