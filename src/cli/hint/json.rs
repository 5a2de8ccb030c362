//! Hints for programs.

use crate::agent::hint::{Folder, Told};
use crate::compile::Hints;
use crate::prompt::{Deliver, Finding, Ingredient, Notice, Prompt};
use crate::store::SessionId;
use schemars::JsonSchema;
use serde::Serialize;

/// What `hint --format json` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report<'a> {
    /// The session that is told.
    session: &'a str,
    /// The root that the folders lie in.
    root: &'a str,
    /// What `--format text` writes: the texts of all folders that are new to the session.
    text: &'a str,
    /// The folders that the paths lead to, path by path, each once.
    folders: Vec<Of<'a>>,
    /// The paths that do not lie in the root, as given.
    outside: Vec<String>,
}

/// A folder.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Folder")]
struct Of<'a> {
    /// Its path inside the root.
    path: &'a str,
    /// Whether the session was told of it before; nothing else is said of it then.
    already: bool,
    /// What the session is told of it; null if there is nothing to tell.
    text: Option<&'a str>,
    /// The files that were read for it.
    documents: Vec<Document<'a>>,
    /// What was cut, dropped or replaced, and what else is worth knowing.
    notices: &'a [Notice],
}

/// A file that was read.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Document<'a> {
    /// The root's name.
    root: &'a str,
    /// Its path inside the root.
    path: &'a str,
    /// Hash of the file's bytes.
    sha256: &'a str,
    /// Length of the file in bytes.
    bytes: usize,
    /// Length of its text in Unicode scalar values.
    chars: usize,
    /// Unicode scalar values of it that stand in the text.
    kept: usize,
    /// Unicode scalar values that budgets took away.
    dropped: usize,
    /// What a scan found in it.
    findings: &'a [Finding],
}

/// The whole report.
pub(super) fn write(session: &SessionId, hints: &Hints, told: &Told, text: &str) -> String {
    let report = Report {
        session: session.as_str(),
        root: hints.root(),
        text,
        folders: told.folders.iter().map(folder).collect(),
        outside: told
            .outside
            .iter()
            .map(|p| p.display().to_string())
            .collect(),
    };
    // Nothing in it can fail to be written.
    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
    format!("{text}\n")
}

fn folder(folder: &Folder) -> Of<'_> {
    let hint = folder.hint.as_ref().filter(|_| !folder.already);
    Of {
        path: &folder.path,
        already: folder.already,
        text: Some(folder.text()).filter(|text| !text.is_empty()),
        documents: hint.map(documents).unwrap_or_default(),
        notices: hint.map_or(&[], |hint| &hint.notices),
    }
}

/// The documents of a hint, also of one that came to nothing.
fn documents(hint: &Prompt) -> Vec<Document<'_>> {
    let present = hint.channel(Deliver::System).into_iter();
    let present = present.flat_map(|c| c.layers.iter().flat_map(|l| &l.ingredients));
    let absent = hint.absent.iter().flat_map(|a| &a.ingredients);
    present.chain(absent).filter_map(document).collect()
}

fn document(ingredient: &Ingredient) -> Option<Document<'_>> {
    let Ingredient::Document {
        root,
        path,
        sha256,
        bytes,
        chars,
        kept,
        dropped,
        findings,
        ..
    } = ingredient
    else {
        return None;
    };
    Some(Document {
        root,
        path,
        sha256,
        bytes: *bytes,
        chars: *chars,
        kept: *kept,
        dropped: *dropped,
        findings,
    })
}
