//! What is compared: a file, or a build now.

use super::Args;
use crate::cli::Context;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, Reported};
use crate::manifest::shown;
use crate::prompt::{Prompt, SCHEMA};
use crate::world::{DiskWorld, Kind, World};
use serde::Deserialize;
use std::io::ErrorKind;
use std::path::Path;

/// The largest file that is compared, in bytes.
const MAX_SIZE: u64 = 256 * 1024 * 1024;

/// An operand as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operand<'a> {
    /// `.`
    Here,
    /// A file.
    File(&'a str),
}

/// One side of a comparison, with its name.
pub(super) enum Side {
    /// A prompt with its map.
    Artifact(String, Prompt),
    /// Only a text.
    Text(String, String),
}

impl<'a> Operand<'a> {
    pub(super) fn parse(written: &'a str) -> Self {
        match written {
            "." => Self::Here,
            file => Self::File(file),
        }
    }

    pub(super) fn read(&self, args: &Args, context: &mut Context) -> Result<Side, Reported> {
        match self {
            Self::Here => {
                let prompt = args.given.build(context)?.prompt;
                Ok(Side::Artifact("a build now".to_owned(), prompt))
            }
            Self::File(path) => file(&DiskWorld, path, &mut context.diags),
        }
    }
}

fn file(world: &dyn World, path: &str, diags: &mut Diagnostics) -> Result<Side, Reported> {
    let stdin = path == "-";
    let name = match stdin {
        true => "<stdin>".to_owned(),
        false => shown(world, Path::new(path)),
    };
    let bytes = match (stdin, world.kind(Path::new(path))) {
        (true, _) => world.stdin(MAX_SIZE),
        (false, Ok(Kind::Folder)) => Err(std::io::Error::other("it is a folder")),
        (false, Ok(_)) => world.read(Path::new(path), MAX_SIZE),
        (false, Err(error)) => Err(error),
    };
    let bytes = bytes.map_err(|error| diags.push(unreadable(path, &name, &error)))?;
    if bytes.len() as u64 > MAX_SIZE {
        let message = format!("`{name}` is larger than 256 MiB");
        return Err(diags.push(Diagnostic::error(codes::DOCUMENT_TOO_LARGE, message)));
    }
    match decode(&name, bytes) {
        Ok(side) => Ok(side),
        Err(diagnostic) => Err(diags.push(*diagnostic)),
    }
}

fn unreadable(path: &str, name: &str, error: &std::io::Error) -> Diagnostic {
    if error.kind() == ErrorKind::NotFound {
        return Diagnostic::error(
            codes::OPERAND_NOT_FOUND,
            format!("there is no file `{path}`"),
        )
        .help("an operand is a FILE, record:NAME, git:REV, or `.` for a build now");
    }
    let message = format!("`{name}` cannot be read: {error}");
    Diagnostic::error(codes::UNREADABLE_PROGRAM, message)
}

/// An artifact if it is one, else a text.
pub(super) fn decode(name: &str, bytes: Vec<u8>) -> Result<Side, Box<Diagnostic>> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("`{name}` is no text: byte {at} begins no character of UTF-8");
        Diagnostic::error(codes::INVALID_UTF8, message)
            .help("diff takes texts, and artifacts of `promptc build --format json`")
    })?;
    // No text that a model is given begins like this, and no artifact otherwise.
    let head = text.trim_start();
    let near = head
        .char_indices()
        .nth(400)
        .map_or(head, |(at, _)| &head[..at]);
    if !head.starts_with('{') || !near.contains("\"promptc\"") || !near.contains("\"schema\"") {
        return Ok(Side::Text(name.to_owned(), text));
    }
    artifact(name, &text).map(|prompt| Side::Artifact(name.to_owned(), prompt))
}

/// What every artifact says, whatever its shape.
#[derive(Deserialize)]
struct Shape {
    schema: u32,
    promptc: String,
}

fn artifact(name: &str, text: &str) -> Result<Prompt, Box<Diagnostic>> {
    let broken = |error: &serde_json::Error| {
        let message = format!("the artifact `{name}` cannot be read: {error}");
        let help = match error.is_eof() {
            true => {
                "the file ends too early; build it again with `promptc build --format json -o FILE`"
            }
            false => "build it again with `promptc build --format json -o FILE`",
        };
        Box::new(Diagnostic::error(codes::ARTIFACT_SYNTAX, message).help(help))
    };
    let shape: Shape = serde_json::from_str(text).map_err(|e| broken(&e))?;
    if shape.schema > SCHEMA {
        let message = format!(
            "the artifact `{name}` has schema {}, made by promptc {}; this is promptc {} and reads schema {SCHEMA}",
            shape.schema,
            shape.promptc,
            env!("CARGO_PKG_VERSION")
        );
        let found = Diagnostic::error(codes::ARTIFACT_TOO_NEW, message);
        return Err(Box::new(found.help(
            "use the release that made it, or build it again with this one",
        )));
    }
    let prompt: Prompt = serde_json::from_str(text).map_err(|e| broken(&e))?;
    match prompt.fault() {
        None => Ok(prompt),
        Some(fault) => {
            let message = format!("the artifact `{name}` contradicts itself: {fault}");
            Err(Box::new(
                Diagnostic::error(codes::ARTIFACT_SYNTAX, message)
                    .help("it was edited by hand; build it again with `promptc build --format json -o FILE`"),
            ))
        }
    }
}
