//! Standard output: written, and named by `-`.

use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::output::not_written;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to stdout. A reader that went away is no error.
pub(crate) fn to_stdout(bytes: &[u8], diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    to_reader(bytes, diags).map(|_| ())
}

/// Writes `bytes` to stdout; returns whether the reader stayed to the end.
pub(crate) fn to_reader(bytes: &[u8], diags: &mut Diagnostics) -> Result<bool, ErrorReported> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(diags.push(not_written(None, &error))),
    }
}

/// The file that an option names; `-` is standard output.
pub(crate) fn named(option: Option<&PathBuf>) -> Option<&Path> {
    option.map(PathBuf::as_path).filter(|path| !is_stdout(path))
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// The file that an option names, of a command that has its report on standard output.
pub(crate) fn file_alone(path: PathBuf) -> Result<PathBuf, &'static str> {
    if is_stdout(&path) {
        Err("standard output has the report; name a file, or write ./- for a file called `-`")
    } else {
        Ok(path)
    }
}
