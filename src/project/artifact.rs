//! Reading an artifact that an earlier build wrote.

use super::input::{self, Input, NAME_A_FILE, Takes, What};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::prompt::{LANGUAGE, Prompt, RecordedInputs, SCHEMA};
use crate::world::World;
use serde::Deserialize;
use std::path::Path;

/// The way to an artifact.
const HOW: &str = "`promptc build --format json -o FILE` writes an artifact, whole or not at all";

/// The fields that every artifact has, whatever its schema.
#[derive(Deserialize)]
struct Shape {
    schema: u32,
    promptc: String,
}

/// The wording of errors about an artifact.
const ARTIFACT: What = What { help: HOW, ..FILE };

/// The wording of errors about a file that is an artifact, a text or another program's file.
pub(crate) const FILE: What = What {
    noun: "",
    missing: diagnostic::OPERAND_NOT_FOUND,
    help: "name a file that exists",
    folder: NAME_A_FILE,
    unreadable: diagnostic::UNREADABLE_PROGRAM,
    limit: 256 * 1024 * 1024,
    large: "more is not read; name another file",
    takes: Takes::Stdin,
};

/// The artifact at `path`; `-` is standard input.
pub(crate) fn read(
    world: &dyn World,
    path: &Path,
    diags: &mut Diagnostics,
) -> Result<Prompt, ErrorReported> {
    let read = input::read(world, path, &ARTIFACT);
    let read = read.and_then(|Input { name, bytes }| parse(&name, &bytes));
    read.map_err(|problem| diags.push(*problem))
}

/// JSON without a leading byte order mark, which some editors and shells write.
pub(crate) fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The error of what is JSON, and neither an artifact nor a text that a model is given.
pub(crate) fn other(name: &str, what: &str) -> Diagnostic {
    let message = format!("`{name}` is {what} of JSON, and no artifact");
    let help = format!(
        "{HOW}; `promptc capture import` makes a log of recorded requests; a text that looks like JSON is read as text if its file is named .txt"
    );
    Diagnostic::error(diagnostic::ARTIFACT_SYNTAX, message).help(help)
}

/// Reads an artifact.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Prompt, Box<Diagnostic>> {
    let bytes = unmarked(bytes);
    // A list would be taken for the fields of an object, one after the other.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(syntax(format!(
            "`{name}` is a list, and an artifact is an object"
        )));
    }
    let text = str::from_utf8(bytes)
        .map_err(|error| syntax(format!("`{name}` is not an artifact: {error}")))?;
    let prompt: Prompt = match serde_json::from_str(text) {
        Ok(prompt) => prompt,
        Err(error) => {
            // That the shape is another release's says more than what does not fit into this one's.
            let shape: Shape = serde_json::from_str(text).map_err(|e| broken(name, &e))?;
            of_schema(name, shape.schema, &shape.promptc)?;
            return Err(broken(name, &error));
        }
    };
    of_schema(name, prompt.schema, &prompt.promptc)?;
    let inputs = prompt.inputs.as_deref();
    if let Some(inputs) = inputs {
        of_release(name, inputs)?;
    }
    match prompt.fault().or_else(|| inputs?.fault()) {
        None => Ok(prompt),
        Some(fault) => Err(syntax(format!(
            "the artifact `{name}` contradicts itself: {fault}"
        ))),
    }
}

/// Refuses the shape of another release, which `promptc` made.
fn of_schema(name: &str, schema: u32, promptc: &str) -> Result<(), Box<Diagnostic>> {
    if schema == SCHEMA {
        return Ok(());
    }
    let message = format!(
        "the artifact `{name}` has schema {schema}, made by promptc {promptc}; this is promptc {} and reads schema {SCHEMA}",
        env!("CARGO_PKG_VERSION")
    );
    let (code, help) = if schema > SCHEMA {
        (
            diagnostic::ARTIFACT_TOO_NEW,
            "use the release that made it, or build it again with this one",
        )
    } else {
        (
            diagnostic::ARTIFACT_TOO_OLD,
            "make it again: `promptc build --format json -o FILE`",
        )
    };
    Err(Box::new(Diagnostic::error(code, message).help(help)))
}

/// Refuses inputs that only a later release can build from.
fn of_release(name: &str, inputs: &RecordedInputs) -> Result<(), Box<Diagnostic>> {
    if inputs.is_readable() {
        return Ok(());
    }
    let own = env!("CARGO_PKG_VERSION");
    let message = format!(
        "the inputs of the artifact `{name}` are of promptc {:?} and language {}; this is promptc {own} and reads language {LANGUAGE}",
        inputs.promptc, inputs.language
    );
    let found = Diagnostic::error(diagnostic::ARTIFACT_TOO_NEW, message);
    Err(Box::new(found.help(
        "use the release that made it, or build it again with this one",
    )))
}

fn broken(name: &str, error: &serde_json::Error) -> Box<Diagnostic> {
    syntax(if error.is_syntax() {
        format!("`{name}` is not an artifact: {error}")
    } else {
        format!("the artifact `{name}` cannot be read: {error}")
    })
}

fn syntax(message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(diagnostic::ARTIFACT_SYNTAX, message).help(HOW))
}
