//! A project.

use crate::batch::NativeBatch;
use crate::call::{Document, Explain, Inputs, Work, document};
use crate::prompt::NativePrompt;
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use promptc::{
    Answer, CheckOptions, CompareOptions, DiskWorld, Engine, Project, SessionOptions, StoreOptions,
    World,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;

/// A manifest that stays open.
#[napi]
pub struct NativeProject {
    engine: Arc<Engine>,
}

/// How a manifest is checked.
#[napi(object)]
pub struct Check {
    pub sources: bool,
    pub usage: Vec<String>,
    pub min_prefix: Option<u32>,
    pub base: Option<String>,
}

/// Opens a manifest, with an overlay on it if one is given.
#[napi(catch_unwind)]
pub fn open(manifest: Option<String>, overlay: Option<String>) -> AsyncTask<Work<NativeProject>> {
    Work::start(move || {
        let world: Arc<dyn World + Send + Sync> = Arc::new(DiskWorld);
        let project = match overlay {
            None => Project::open_with(manifest, world)?,
            Some(text) => Project::overlaid(manifest, &text, world)?,
        };
        Ok(NativeProject {
            engine: Arc::new(Engine::new(project)),
        })
    })
}

fn at(store: Option<String>) -> StoreOptions {
    StoreOptions {
        location: store.map(PathBuf::from),
        ..StoreOptions::default()
    }
}

#[napi]
impl NativeProject {
    #[napi(catch_unwind)]
    pub fn build(
        &self,
        inputs: Inputs,
        keep_inputs: bool,
    ) -> napi::Result<AsyncTask<Work<NativePrompt>>> {
        let (engine, mut inputs) = (self.engine.clone(), inputs.read()?);
        if keep_inputs {
            inputs = inputs.keep_inputs();
        }
        Ok(Work::start(move || {
            Ok(NativePrompt::shared(engine.build(&inputs)?))
        }))
    }

    #[napi(catch_unwind)]
    pub fn check(&self, inputs: Inputs, check: Check) -> napi::Result<AsyncTask<Work<Document>>> {
        let (engine, inputs) = (self.engine.clone(), inputs.read()?);
        let options = CheckOptions {
            sources: check.sources,
            usage: check.usage.into_iter().map(PathBuf::from).collect(),
            min_prefix: check.min_prefix.map(|tokens| tokens as usize),
            base: check.base,
        };
        Ok(Work::start(move || {
            let found = engine.project().check_json(&inputs, &options)?;
            Ok(document(found.value, &found.findings))
        }))
    }

    #[napi(catch_unwind)]
    pub fn explain(
        &self,
        inputs: Inputs,
        asked: Explain,
    ) -> napi::Result<AsyncTask<Work<Document>>> {
        let (engine, inputs, asked) = (self.engine.clone(), inputs.read()?, asked.read()?);
        Ok(Work::start(move || {
            let found = engine.project().explain(&inputs, &asked)?;
            Ok(document(found.value, &found.findings))
        }))
    }

    #[napi(catch_unwind)]
    pub fn diff(
        &self,
        a: Option<String>,
        b: Option<String>,
        inputs: Inputs,
        store: Option<String>,
        recorded: bool,
    ) -> napi::Result<AsyncTask<Work<Document>>> {
        let (engine, inputs) = (self.engine.clone(), inputs.read()?);
        let options = CompareOptions {
            store: at(store),
            recorded,
            ..CompareOptions::default()
        };
        Ok(Work::start(move || {
            let operands = [a.as_deref(), b.as_deref()];
            let found = engine.project().compare_json(operands, &inputs, &options)?;
            Ok(document(found.value, &found.findings))
        }))
    }

    #[napi(catch_unwind)]
    pub fn session(
        &self,
        id: String,
        inputs: Inputs,
        event: Option<String>,
        refresh: bool,
        store: Option<String>,
    ) -> napi::Result<AsyncTask<Work<NativePrompt>>> {
        let (engine, inputs) = (self.engine.clone(), inputs.read()?);
        let options = SessionOptions {
            store: at(store),
            event,
            refresh,
        };
        Ok(Work::start(move || {
            let kept = engine.session(&id, &inputs, &options)?;
            Ok(NativePrompt::of(Answer {
                // A call of the library asks for the whole.
                value: kept.value.prompt.unwrap_or_else(|| unreachable!()),
                findings: kept.findings,
            }))
        }))
    }

    #[napi(catch_unwind)]
    pub fn batch(
        &self,
        inputs: Inputs,
        jobs: Option<u32>,
    ) -> napi::Result<AsyncTask<Work<NativeBatch>>> {
        let (engine, inputs) = (self.engine.clone(), inputs.read()?);
        Ok(Work::start(move || {
            let (door, waiting) = channel();
            let jobs = jobs.map(|jobs| jobs as usize);
            let built = engine.project().batch(&inputs, waiting.into_iter(), jobs)?;
            Ok(NativeBatch::new(built.value, door))
        }))
    }
}
