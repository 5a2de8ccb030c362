//! Many builds.

use crate::call::{Work, failed};
use crate::prompt::NativePrompt;
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// A batch: facts in, prompts out in their order.
#[napi]
pub struct NativeBatch {
    built: Arc<Mutex<promptc::Batch>>,
    door: Option<Sender<Vec<u8>>>,
}

/// The result for one set of facts: a prompt, or an error in the form of the package.
#[napi]
pub struct NativeOutcome {
    prompt: Option<NativePrompt>,
    error: Option<String>,
}

impl NativeBatch {
    pub(crate) fn new(built: promptc::Batch, door: Sender<Vec<u8>>) -> Self {
        Self {
            built: Arc::new(Mutex::new(built)),
            door: Some(door),
        }
    }
}

#[napi]
impl NativeBatch {
    /// Hands facts over: a JSON object.
    #[napi(catch_unwind)]
    pub fn push(&self, facts: String) {
        if let Some(door) = &self.door {
            // No one waits for the results after the end.
            let _ = door.send(facts.into_bytes());
        }
    }

    /// There are no more facts.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.door = None;
    }

    /// The result for the next facts.
    #[napi(catch_unwind)]
    pub fn next(&self) -> AsyncTask<Work<NativeOutcome>> {
        let built = self.built.clone();
        Work::start(move || {
            let next = built.lock().unwrap_or_else(PoisonError::into_inner).next();
            Ok(match next {
                None => NativeOutcome {
                    prompt: None,
                    error: None,
                },
                Some(Ok(answer)) => NativeOutcome {
                    prompt: Some(NativePrompt::of(answer)),
                    error: None,
                },
                Some(Err(error)) => NativeOutcome {
                    prompt: None,
                    error: Some(failed(&error).reason.to_string()),
                },
            })
        })
    }
}

#[napi]
impl NativeOutcome {
    /// The prompt, once.
    #[napi(catch_unwind)]
    pub fn prompt(&mut self) -> Option<NativePrompt> {
        self.prompt.take()
    }

    #[napi(catch_unwind)]
    pub fn error(&self) -> Option<String> {
        self.error.clone()
    }
}
