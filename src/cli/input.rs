//! A file that an argument names, or standard input, read whole.

use crate::diagnostic::{self, Code, Diagnostic, Diagnostics, Reported};
use crate::manifest;
use crate::world::{Kind, World};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What came out of streams, by their names: they can be read once.
pub(crate) type Streams = Mutex<BTreeMap<PathBuf, Vec<u8>>>;

/// What is read, and how its errors are told.
pub(crate) struct What {
    /// What it is called, in front of its name; may be empty.
    pub(crate) noun: &'static str,
    /// The error if it is not there.
    pub(crate) missing: Code,
    /// What may be passed in its place.
    pub(crate) help: &'static str,
    /// The error if it cannot be read.
    pub(crate) unreadable: Code,
}

/// What was read.
pub(crate) struct Input {
    /// Its name in messages.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Reads what stands at `path`, or with `-` standard input: no more than `limit` bytes.
pub(crate) fn read_input(
    world: &dyn World,
    path: &Path,
    (what, limit): (&What, u64),
    streams: &Streams,
    diags: &mut Diagnostics,
) -> Result<Input, Reported> {
    let stdin = path == Path::new("-");
    let name = match stdin {
        true => "<stdin>".to_owned(),
        false => manifest::shown(world, path),
    };
    let bytes = match stdin {
        true => once(streams, path, || world.stdin(limit)),
        false => read_file(world, path, limit, streams),
    };
    let shown = match what.noun {
        "" => format!("`{name}`"),
        noun => format!("{noun} `{name}`"),
    };
    let found = match bytes {
        Ok(bytes) if bytes.len() as u64 <= limit => return Ok(Input { name, bytes }),
        Ok(_) => {
            let message = format!("{shown} is larger than {} MiB", limit >> 20);
            Diagnostic::error(diagnostic::DOCUMENT_TOO_LARGE, message)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let noun = if what.noun.is_empty() { "file " } else { "" };
            let message = format!("there is no {noun}{shown}");
            Diagnostic::error(what.missing, message).help(what.help)
        }
        Err(error) => {
            let message = format!("{shown} cannot be read: {error}");
            Diagnostic::error(what.unreadable, message)
        }
    };
    Err(diags.push(found))
}

fn read_file(world: &dyn World, path: &Path, limit: u64, streams: &Streams) -> io::Result<Vec<u8>> {
    match world.kind(path)? {
        Kind::File => world.read(path, limit),
        Kind::Folder => Err(io::Error::other("it is a folder")),
        // Such as what a shell puts in place of <(COMMAND).
        Kind::Other => once(streams, path, || world.stream(path, limit)),
        Kind::Link => Err(io::Error::other("it is not a regular file")),
    }
}

/// What comes out of a stream, also if it was read before: it comes once.
fn once(
    streams: &Streams,
    path: &Path,
    read: impl FnOnce() -> io::Result<Vec<u8>>,
) -> io::Result<Vec<u8>> {
    // What was read is whole when it is noted.
    let mut streams = streams.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = streams.get(path) {
        return Ok(bytes.clone());
    }
    let bytes = read()?;
    streams.insert(path.to_owned(), bytes.clone());
    Ok(bytes)
}
