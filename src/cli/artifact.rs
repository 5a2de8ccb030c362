//! Reading an artifact that an earlier build wrote.

use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use crate::manifest;
use crate::prompt::{Prompt, SCHEMA};
use crate::world::{Kind, World};
use serde::Deserialize;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The largest artifact, in bytes.
const MAX: u64 = 256 * 1024 * 1024;

/// The way to an artifact.
const HOW: &str = "`promptc build --format json -o FILE` writes an artifact, whole or not at all";

/// What every artifact says, whatever its shape.
#[derive(Deserialize)]
struct Shape {
    schema: u32,
    promptc: String,
}

/// The artifact at `path`; `-` is standard input.
pub(super) fn read(
    world: &dyn World,
    path: &Path,
    diags: &mut Diagnostics,
) -> Result<Prompt, Reported> {
    let read = bytes(world, path).and_then(|(name, bytes)| parse(&name, &bytes));
    read.map_err(|problem| diags.push(*problem))
}

/// What messages call the file at `path`, and its bytes.
pub(super) fn bytes(world: &dyn World, path: &Path) -> Result<(String, Vec<u8>), Box<Diagnostic>> {
    let (name, bytes) = if path == Path::new("-") {
        ("<stdin>".to_owned(), world.stdin(MAX))
    } else {
        let bytes = match world.kind(path) {
            Ok(Kind::Folder) => Err(io::Error::other("it is a folder")),
            Ok(_) => world.read(path, MAX),
            Err(error) => Err(error),
        };
        (manifest::shown(world, path), bytes)
    };
    Err(Box::new(match bytes {
        Err(_) if path == Path::new("") => {
            Diagnostic::error(diagnostic::OPERAND_NOT_FOUND, "the name of a file is empty")
                .help(manifest::EMPTY_NAME)
        }
        Ok(bytes) if bytes.len() as u64 <= MAX => return Ok((name, bytes)),
        Ok(_) => {
            let message = format!("`{name}` is larger than 256 MiB");
            Diagnostic::error(diagnostic::DOCUMENT_TOO_LARGE, message)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let message = format!("there is no file `{name}`");
            Diagnostic::error(diagnostic::OPERAND_NOT_FOUND, message).help(HOW)
        }
        Err(error) => {
            let message = format!("`{name}` cannot be read: {error}");
            Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message)
        }
    }))
}

/// Reads an artifact.
pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Prompt, Box<Diagnostic>> {
    // A list would be taken for the fields of an object, one after the other.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(syntax(format!(
            "`{name}` is a list, and an artifact is an object"
        )));
    }
    let shape: Shape = serde_json::from_slice(bytes).map_err(|e| broken(name, &e))?;
    if shape.schema > SCHEMA {
        let message = format!(
            "the artifact `{name}` has schema {}, made by promptc {}; this is promptc {} and reads schema {SCHEMA}",
            shape.schema,
            shape.promptc,
            env!("CARGO_PKG_VERSION")
        );
        let found = Diagnostic::error(diagnostic::ARTIFACT_TOO_NEW, message);
        return Err(Box::new(found.help(
            "use the release that made it, or build it again with this one",
        )));
    }
    let prompt: Prompt = serde_json::from_slice(bytes).map_err(|e| broken(name, &e))?;
    match prompt.fault() {
        None => Ok(prompt),
        Some(fault) => Err(syntax(format!(
            "the artifact `{name}` contradicts itself: {fault}"
        ))),
    }
}

fn broken(name: &str, error: &serde_json::Error) -> Box<Diagnostic> {
    syntax(if error.is_syntax() {
        format!("`{name}` is no artifact: {error}")
    } else {
        format!("the artifact `{name}` cannot be read: {error}")
    })
}

fn syntax(message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(diagnostic::ARTIFACT_SYNTAX, message).help(HOW))
}
