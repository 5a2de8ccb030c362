//! Many builds.

use crate::call::{failed, guarded};
use crate::prompt::Prompt;
use pyo3::prelude::*;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};

/// How many facts are read ahead for each thread.
const AHEAD: usize = 4;

/// The prompts of a batch: for each facts a prompt, or the error in its place. The facts are read in the thread that asks.
#[pyclass(module = "promptc_cli._native")]
pub(crate) struct Batch {
    /// Only one thread at a time may ask; the lock is what says so to the compiler.
    built: Mutex<promptc::Batch>,
    /// JSON objects; None after the last.
    rows: Option<(Py<PyAny>, Sender<Vec<u8>>)>,
    /// Why there are no more, if not since there are none.
    broken: Option<PyErr>,
    /// How many were handed over and not given back.
    under_way: usize,
    most: usize,
}

impl Batch {
    pub(crate) fn new(
        built: promptc::Batch,
        rows: Py<PyAny>,
        door: Sender<Vec<u8>>,
        jobs: usize,
    ) -> Self {
        Self {
            built: Mutex::new(built),
            rows: Some((rows, door)),
            broken: None,
            under_way: 0,
            most: jobs * AHEAD,
        }
    }

    /// Hands the next facts over.
    fn read(&mut self, py: Python<'_>) {
        while self.under_way < self.most
            && let Some((rows, door)) = &self.rows
        {
            let row = rows.call_method0(py, "__next__");
            match row.and_then(|row| row.extract::<String>(py)) {
                Ok(row) => match door.send(row.into_bytes()) {
                    Ok(()) => self.under_way += 1,
                    Err(_) => self.rows = None,
                },
                Err(error) => {
                    self.rows = None;
                    let is_end = error.is_instance_of::<pyo3::exceptions::PyStopIteration>(py);
                    self.broken = (!is_end).then_some(error);
                }
            }
        }
    }
}

#[pymethods]
impl Batch {
    fn __iter__(batch: PyRef<'_, Self>) -> PyRef<'_, Self> {
        batch
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.read(py);
        if self.under_way == 0 {
            return self.broken.take().map_or(Ok(None), Err);
        }
        let built = self.built.get_mut().unwrap_or_else(PoisonError::into_inner);
        let next = guarded(py, || built.next())?;
        self.under_way -= 1;
        match next {
            None => Ok(None),
            Some(Ok(answer)) => Ok(Some(Py::new(py, Prompt::of(answer))?.into_any())),
            Some(Err(error)) => Ok(Some(failed(py, &error).into_value(py).into_any())),
        }
    }
}
