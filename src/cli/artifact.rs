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

/// The first thing that is read of an artifact: whether the rest can be.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

/// The artifact at `path`; `-` is standard input.
pub(super) fn read(
    world: &dyn World,
    path: &Path,
    diags: &mut Diagnostics,
) -> Result<Prompt, Reported> {
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
    let prompt = match bytes {
        Ok(bytes) if bytes.len() as u64 <= MAX => parse(&name, &bytes),
        Ok(_) => {
            let message = format!("artifact `{name}` is larger than 256 MiB");
            Err(invalid(message, "a prompt of that size is none"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(invalid(format!("there is no artifact `{name}`"), HOW))
        }
        Err(error) => {
            let message = format!("artifact `{name}` cannot be read: {error}");
            Err(Box::new(Diagnostic::error(
                diagnostic::UNREADABLE_PROGRAM,
                message,
            )))
        }
    };
    prompt.map_err(|problem| diags.push(*problem))
}

/// The way to an artifact.
const HOW: &str = "`promptc build --format json -o FILE` writes one";

fn parse(name: &str, bytes: &[u8]) -> Result<Prompt, Box<Diagnostic>> {
    match serde_json::from_slice::<Version>(bytes) {
        Ok(Version { schema }) if schema == SCHEMA => {}
        Ok(Version { schema }) => {
            let message = format!("`{name}` is an artifact of schema {schema}");
            let help = format!(
                "this release reads schema {SCHEMA}; use the release that made it, or a later one"
            );
            return Err(invalid(message, &help));
        }
        Err(error) => return Err(not_one(name, &error)),
    }
    serde_json::from_slice(bytes).map_err(|error| not_one(name, &error))
}

fn not_one(name: &str, error: &serde_json::Error) -> Box<Diagnostic> {
    let (line, column) = (error.line(), error.column());
    let message = if error.is_data() {
        format!("`{name}` is JSON, but no artifact: line {line}, column {column}")
    } else if error.is_eof() {
        format!("`{name}` is no artifact: its JSON ends too early, in line {line}")
    } else {
        format!("`{name}` is no artifact: not JSON at line {line}, column {column}")
    };
    invalid(message, HOW)
}

fn invalid(message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(diagnostic::INVALID_ARTIFACT, message).help(help))
}
