//! The native part of the npm package `promptc-cli`: the library of promptc with plain values in and out. The package
//! has the types.
//!
//! Slow calls, and those that read files, run in a thread of Node's pool. A panic becomes an error that says it is a
//! bug in promptc.

// The macros of napi write such code, and say that it is allowed.
#![deny(unsafe_code)]

mod batch;
mod call;
mod project;
mod prompt;

use call::{Document, Work, document};
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use promptc::requests::{self, UsageOptions};

/// The release.
#[napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Sums what was billed in logs.
#[napi(catch_unwind)]
pub fn usage(
    logs: Vec<String>,
    by: Vec<String>,
    since: Option<String>,
    model: Option<String>,
) -> AsyncTask<Work<Document>> {
    Work::start(move || {
        let options = UsageOptions { by, since, model };
        let usage = requests::usage(logs, &options)?;
        Ok(document(usage.value.to_json(), &usage.findings))
    })
}

/// Shows what a fault in promptc becomes; only in builds with debug assertions.
#[napi(catch_unwind)]
pub fn fault() -> AsyncTask<Work<Document>> {
    Work::start(|| {
        if cfg!(debug_assertions) {
            panic!("shown");
        }
        Ok(document("{}".to_owned(), &promptc::Findings::default()))
    })
}
