//! The manifest language: KDL in, [`Manifest`] out.

pub mod model;
mod open;

pub use model::*;
pub use open::{FILE_NAME, MAX_PROGRAM, notice, open, read_program, shown};

// PLACEHOLDER: the parser replaces it.
use crate::diagnostic::{Diagnostics, Reported};
use crate::span::{FileId, Files};

/// Stands for the parser until it lands.
///
/// # Errors
/// Never.
pub fn parse(
    file: FileId,
    _files: &Files,
    origin: Origin,
    _diags: &mut Diagnostics,
) -> Result<Manifest, Reported> {
    Ok(Manifest {
        file,
        origin,
        name: None,
        join: None,
        roots: Vec::new(),
        facts: Vec::new(),
        lets: Vec::new(),
        tiers: Vec::new(),
        scenarios: Vec::new(),
        waivers: Vec::new(),
    })
}
