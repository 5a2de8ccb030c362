//! Integration tests in one binary, in a folder for each area. The cases, which are files, are run by `tests/cases`.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    missing_docs,
    reason = "tests may fail by panicking, look at the disk themselves, and say what they skip"
)]

#[path = "../harness/mod.rs"]
mod harness;

mod language;
mod build;
mod scan;
mod check;
mod compare;
mod session;
mod request;
#[cfg(unix)]
mod recorder;
mod agent;
mod adopt;
mod report;
mod cli;
mod laws;
mod attack;
mod docs;
mod code;
mod through;

use harness::{case, run};
