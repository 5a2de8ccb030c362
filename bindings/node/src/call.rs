//! The common parts of all calls: the inputs, the work in another thread, and its result.

use napi::bindgen_prelude::{AsyncTask, ToNapiValue, TypeName};
use napi::{Env, Status, Task};
use napi_derive::napi;
use promptc::text::tokens::Tokenizer;
use promptc::{BuildInputs, Error, ExplainOptions, Findings};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A JSON document, and what was found on the way as a JSON list.
#[napi(object)]
pub struct Document {
    pub text: String,
    pub diagnostics: String,
}

pub(crate) fn document(text: String, findings: &Findings) -> Document {
    Document {
        text,
        diagnostics: findings.to_json(),
    }
}

/// The inputs of a build.
#[napi(object)]
pub struct Inputs {
    /// A JSON object.
    pub facts: Option<String>,
    /// Names and texts.
    pub sets: Vec<Vec<String>>,
    /// Names and folders.
    pub roots: Vec<Vec<String>>,
    pub scenario: Option<String>,
    pub now: Option<String>,
    pub tokenizer: Option<String>,
    pub hermetic: bool,
}

/// How errors call facts.
const FACTS: &str = "<facts>";

impl Inputs {
    pub(crate) fn read(self) -> napi::Result<BuildInputs> {
        let mut inputs = BuildInputs::new();
        if let Some(facts) = self.facts {
            inputs = inputs.facts_object(FACTS, facts.into_bytes());
        }
        for pair in self.sets {
            let (name, value) = both(pair)?;
            inputs = inputs.set(name, value);
        }
        for pair in self.roots {
            let (name, folder) = both(pair)?;
            inputs = inputs.root(name, folder);
        }
        if let Some(scenario) = self.scenario {
            inputs = inputs.scenario(scenario);
        }
        if let Some(now) = self.now {
            inputs = inputs.now(now);
        }
        if let Some(tokenizer) = named(self.tokenizer.as_deref())? {
            inputs = inputs.tokenizer(tokenizer);
        }
        Ok(match self.hermetic {
            true => inputs.hermetic(),
            false => inputs,
        })
    }
}

fn both(pair: Vec<String>) -> napi::Result<(String, String)> {
    <[String; 2]>::try_from(pair)
        .map(Into::into)
        .map_err(|_| wrong("a pair has two texts"))
}

/// The error of an argument that is none.
pub(crate) fn wrong(what: impl Into<String>) -> napi::Error {
    napi::Error::new(Status::InvalidArg, what.into())
}

/// The query about a prompt's layers.
#[napi(object)]
pub struct Explain {
    pub layer: Option<String>,
    pub budget: bool,
    pub model: Option<String>,
    pub tokenizer: Option<String>,
    pub now: Option<String>,
}

impl Explain {
    pub(crate) fn read(self) -> napi::Result<ExplainOptions> {
        Ok(ExplainOptions {
            tokenizer: named(self.tokenizer.as_deref())?,
            layer: self.layer,
            budget: self.budget,
            model: self.model,
            no_messages: false,
            tables: Vec::new(),
            now: self.now,
        })
    }
}

/// A tokenizer by its name.
pub(crate) fn named(tokenizer: Option<&str>) -> napi::Result<Option<Tokenizer>> {
    let Some(name) = tokenizer else {
        return Ok(None);
    };
    let unknown = || wrong(format!("there is no tokenizer {name:?}"));
    Tokenizer::parse(name).map(Some).ok_or_else(unknown)
}

/// Work that is done in another thread, once.
pub struct Work<T>(Option<Box<dyn FnOnce() -> Result<T, Error> + Send>>);

impl<T: ToNapiValue + TypeName + Send + 'static> Work<T> {
    /// A promise of what comes of it.
    pub(crate) fn start(
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> AsyncTask<Self> {
        AsyncTask::new(Self(Some(Box::new(work))))
    }
}

impl<T: ToNapiValue + TypeName + Send + 'static> Task for Work<T> {
    type Output = T;
    type JsValue = T;

    fn compute(&mut self) -> napi::Result<T> {
        let work = self.0.take().ok_or_else(|| wrong("it was done"))?;
        guarded(work)?.map_err(|error| failed(&error))
    }

    fn resolve(&mut self, _: Env, output: T) -> napi::Result<T> {
        Ok(output)
    }
}

/// Does it, and lets no panic through.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> napi::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|fall| reason("fault", said(fall.as_ref()), "[]"))
}

fn said(fall: &(dyn Any + Send)) -> &str {
    let text = fall.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| fall.downcast_ref().copied())
        .unwrap_or("no more is known")
}

/// The error of a call that failed.
pub(crate) fn failed(error: &Error) -> napi::Error {
    let findings = error.findings();
    reason("error", &findings.to_string(), &findings.to_json())
}

/// An error as the package reads it: JSON, since an error of Node has one text.
fn reason(kind: &str, message: &str, diagnostics: &str) -> napi::Error {
    let reason =
        serde_json::json!({ "promptc": kind, "message": message, "diagnostics": diagnostics });
    napi::Error::from_reason(reason.to_string())
}
