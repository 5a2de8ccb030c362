//! The files that are scanned.

use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, Reported};
use crate::manifest;
use crate::span::{FileId, Files};
use crate::text::normalise;
use crate::world::{Kind, World};
use std::io::{self, ErrorKind};
use std::path::Path;

/// The largest file, in bytes: that of a document.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Reads one file as text; positions count in it as it is, behind a byte order mark.
///
/// # Errors
/// When it is not there, cannot be read, is too large or not UTF-8.
pub(super) fn file(
    world: &dyn World,
    path: &Path,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<FileId, Reported> {
    let stdin = path == Path::new("-");
    let name = match stdin {
        true => "<stdin>".to_owned(),
        false => match manifest::shown(world, path) {
            empty if empty.is_empty() => ".".to_owned(),
            name => name,
        },
    };
    let read = match stdin {
        true => world.stdin(LARGEST),
        false => bytes(world, path),
    };
    let fault = match read {
        Ok(bytes) if bytes.len() as u64 > LARGEST => Diagnostic::error(
            codes::DOCUMENT_TOO_LARGE,
            format!("`{name}` is larger than 64 MiB"),
        )
        .help("split it, or scan a part of it: head -c 64M FILE | promptc scan -"),
        Ok(bytes) => match normalise::decode(bytes) {
            Ok(text) => return Ok(files.add(name, normalise::bom(&text))),
            Err(at) => Diagnostic::error(
                codes::INVALID_UTF8,
                format!("`{name}` is not UTF-8: byte {at} begins no character"),
            )
            .help("only text is scanned; save it as UTF-8"),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Diagnostic::error(codes::MISSING_FILE, format!("there is no file `{name}`"))
        }
        Err(error) if error.kind() == ErrorKind::IsADirectory => {
            Diagnostic::error(codes::MISSING_FILE, format!("`{name}` is a folder")).help(
                "name its files, such as with find FOLDER -name '*.md' -exec promptc scan {} +",
            )
        }
        Err(error) => Diagnostic::error(
            codes::UNREADABLE_FILE,
            format!("`{name}` cannot be read: {error}"),
        ),
    };
    Err(diags.push(fault))
}

fn bytes(world: &dyn World, path: &Path) -> io::Result<Vec<u8>> {
    match world.kind(path)? {
        Kind::File => world.read(path, LARGEST),
        Kind::Folder => Err(ErrorKind::IsADirectory.into()),
        Kind::Other => world.stream(path, LARGEST),
        Kind::Link => Err(io::Error::other("it is not a regular file")),
    }
}
