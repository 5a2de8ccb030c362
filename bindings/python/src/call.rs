//! The common parts of all calls: the inputs, the work without the interpreter's lock, and its result.

use promptc::text::tokens::Tokenizer;
use promptc::{BuildInputs, Error, ExplainOptions, Findings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// A JSON document, and what was found on the way as a JSON list.
pub(crate) type Document = (String, String);

/// A document with what was found.
pub(crate) fn document(text: String, findings: &Findings) -> Document {
    (text, findings.to_json())
}

/// The inputs of a build, as the package passes them: a tuple.
#[derive(FromPyObject)]
pub(crate) struct Inputs(
    /// Facts as a JSON object.
    Option<String>,
    /// Facts by name, as texts.
    Vec<(String, String)>,
    /// Folders of roots.
    Vec<(String, PathBuf)>,
    /// The scenario.
    Option<String>,
    /// The current time.
    Option<String>,
    /// The tokenizer's name.
    Option<String>,
    /// Whether nothing may come from the environment.
    bool,
);

/// How errors call facts.
const FACTS: &str = "<facts>";

impl Inputs {
    pub(crate) fn read(self) -> PyResult<BuildInputs> {
        let Self(facts, sets, roots, scenario, now, tokenizer, hermetic) = self;
        let mut inputs = BuildInputs::new();
        if let Some(facts) = facts {
            inputs = inputs.facts_object(FACTS, facts.into_bytes());
        }
        for (name, value) in sets {
            inputs = inputs.set(name, value);
        }
        for (name, folder) in roots {
            inputs = inputs.root(name, folder);
        }
        if let Some(scenario) = scenario {
            inputs = inputs.scenario(scenario);
        }
        if let Some(now) = now {
            inputs = inputs.now(now);
        }
        if let Some(tokenizer) = named(tokenizer.as_deref())? {
            inputs = inputs.tokenizer(tokenizer);
        }
        Ok(match hermetic {
            true => inputs.hermetic(),
            false => inputs,
        })
    }
}

/// The query about a prompt's layers, as the package passes it: a tuple.
#[derive(FromPyObject)]
pub(crate) struct Explain(
    /// Only this layer.
    Option<String>,
    /// Only the arithmetic of budgets.
    bool,
    /// A model, whose breakpoints are shown instead.
    Option<String>,
    /// The tokenizer's name.
    Option<String>,
    /// The current time.
    Option<String>,
);

impl Explain {
    pub(crate) fn read(self) -> PyResult<ExplainOptions> {
        let Self(layer, budget, model, tokenizer, now) = self;
        Ok(ExplainOptions {
            layer,
            budget,
            model,
            no_messages: false,
            tables: Vec::new(),
            tokenizer: named(tokenizer.as_deref())?,
            now,
        })
    }
}

/// A tokenizer by its name.
pub(crate) fn named(tokenizer: Option<&str>) -> PyResult<Option<Tokenizer>> {
    let Some(name) = tokenizer else {
        return Ok(None);
    };
    let unknown = || PyValueError::new_err(format!("there is no tokenizer {name:?}"));
    Tokenizer::parse(name).map(Some).ok_or_else(unknown)
}

/// Does it without the interpreter's lock. Errors of promptc become an exception with its diagnostics.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    guarded(py, work)?.map_err(|error| failed(py, &error))
}

/// Does it without the interpreter's lock, and lets no panic through.
pub(crate) fn guarded<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.map_err(|fall| exception(py, "InternalError", (said(fall.as_ref()),)))
}

fn said(fall: &(dyn Any + Send)) -> &str {
    let text = fall.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| fall.downcast_ref().copied())
        .unwrap_or("no more is known")
}

/// The exception of a call that failed.
pub(crate) fn failed(py: Python<'_>, error: &Error) -> PyErr {
    let findings = error.findings();
    exception(py, "Error", (findings.to_string(), findings.to_json()))
}

/// An exception of the package.
fn exception<'py>(py: Python<'py>, class: &str, args: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
    let made = py
        .import("promptc_cli._errors")
        .and_then(|errors| errors.getattr(class)?.call_method1("_of", args));
    made.map_or_else(|error| error, PyErr::from_value)
}
