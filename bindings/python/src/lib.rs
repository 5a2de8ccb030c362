//! The native part of the package `promptc_cli`: the library of promptc with plain values in and out. The package has
//! the types.
//!
//! Each call releases the interpreter's lock while it works. A panic in it becomes an exception that says it is a bug
//! in promptc.

#![forbid(unsafe_code)]

mod batch;
mod call;
mod project;
mod prompt;

use call::{Document, document, work};
use promptc::requests::{self, UsageOptions};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Sums what was billed in logs: the document of `promptc usage --format json`, and what was found.
#[pyfunction]
fn usage(
    py: Python<'_>,
    logs: Vec<PathBuf>,
    by: Vec<String>,
    since: Option<String>,
    model: Option<String>,
) -> PyResult<Document> {
    let options = UsageOptions { by, since, model };
    let usage = work(py, || requests::usage(logs, &options))?;
    Ok(document(usage.value.to_json(), &usage.findings))
}

/// Shows what a fault in promptc becomes.
#[cfg(debug_assertions)]
#[pyfunction]
fn fault(py: Python<'_>) -> PyResult<()> {
    call::guarded(py, || panic!("shown"))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<project::Project>()?;
    module.add_class::<prompt::Prompt>()?;
    module.add_function(wrap_pyfunction!(prompt::read, module)?)?;
    module.add_function(wrap_pyfunction!(usage, module)?)?;
    #[cfg(debug_assertions)]
    module.add_function(wrap_pyfunction!(fault, module)?)?;
    Ok(())
}
