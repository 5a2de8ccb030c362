//! The files that are scanned.

use crate::diagnostic::span::{FileId, Files};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported};
use crate::project::input::{self, Input, Takes, What};
use crate::text::normalise;
use crate::world::World;
use std::path::Path;

/// The wording for a file in messages.
const SCANNED: What = What {
    noun: "",
    missing: codes::MISSING_FILE,
    help: "name the files to scan, or `-` for standard input",
    folder: "name its files, such as with find FOLDER -name '*.md' -exec promptc scan {} +",
    unreadable: codes::UNREADABLE_FILE,
    // That of a document.
    limit: 64 * 1024 * 1024,
    large: "split it, or scan a part of it: head -c 64M FILE | promptc scan -",
    takes: Takes::Streams,
};

/// Reads one file as text. Positions count in the file, after a byte order mark.
///
/// # Errors
/// If it does not exist, cannot be read, is too large or not UTF-8.
pub(super) fn file(
    world: &dyn World,
    path: &Path,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<FileId, ErrorReported> {
    let read = input::read(world, path, &SCANNED);
    let Input { name, bytes } = read.map_err(|problem| diags.push(*problem))?;
    match normalise::decode(bytes) {
        Ok(text) => Ok(files.add(name, normalise::bom(&text))),
        Err(at) => {
            let message = format!("`{name}` is not UTF-8: byte {at} is not valid");
            let found = Diagnostic::error(codes::INVALID_UTF8, message);
            Err(diags.push(found.help("only text is scanned; save it as UTF-8")))
        }
    }
}
