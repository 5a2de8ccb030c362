//! Running the program: in a folder of its own, and as a case file says.

pub(crate) mod run;
pub(crate) mod case;
pub(crate) mod again;

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder, in order of path.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let entries = match fs::read_dir(folder) {
        // A case may lay out a folder that may not be read.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return out,
        entries => entries.unwrap(),
    };
    for entry in entries {
        let path = entry.unwrap().path();
        match path.is_dir() && !path.is_symlink() {
            true => out.extend(files_below(&path)),
            // A case may lay out a FIFO, which nobody writes.
            false if path.is_file() => out.push(path),
            false => {}
        }
    }
    out.sort();
    out
}
