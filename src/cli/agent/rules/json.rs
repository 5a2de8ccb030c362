//! Directory rules for programs.

use crate::agent::directory_rules::{Folder, NewRules};
use crate::cli::ui::{Page, answer};
use crate::compile::DirectoryRulesReader;
use crate::prompt::{Deliver, Ingredient, Notice, Prompt};
use crate::session::store::SessionId;
use schemars::JsonSchema;
use serde::Serialize;

/// The output of `agent rules --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report<'a> {
    /// The session that gets the directory rules.
    session: &'a str,
    /// The root that the folders lie in.
    root: &'a str,
    /// The text that `--format text` writes: the directory rules of all folders that are new to the session.
    text: &'a str,
    /// The folders that the paths lead to, path by path, each once.
    folders: Vec<Of<'a>>,
    /// The paths that do not lie in the root, as given.
    outside: Vec<String>,
    /// The paths whose own folder does not exist, as given; the folders above it count.
    missing: Vec<String>,
}

/// A folder.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Folder")]
struct Of<'a> {
    /// Its path inside the root.
    path: &'a str,
    /// Whether the session got the directory rules of this folder before; its other fields are empty then.
    already: bool,
    /// The rules of the folder; null if there are none.
    text: Option<&'a str>,
    /// The files that were read for it.
    documents: Vec<&'a Ingredient>,
    /// Cuts, drops, replacements and other notices.
    notices: &'a [Notice],
}

/// The whole report.
pub(super) fn write(
    session: &SessionId,
    directory_rules: &DirectoryRulesReader,
    told: &NewRules,
    text: &str,
) -> Page {
    let report = Report {
        session: session.as_str(),
        root: directory_rules.root(),
        text,
        folders: told.folders.iter().map(folder).collect(),
        outside: told
            .outside
            .iter()
            .map(|p| p.display().to_string())
            .collect(),
        missing: (told.missing.iter())
            .map(|(path, _)| path.display().to_string())
            .collect(),
    };
    answer::page(&report)
}

fn folder(folder: &Folder) -> Of<'_> {
    let folder_rules = folder.folder_rules.as_ref().filter(|_| !folder.already);
    Of {
        path: &folder.path,
        already: folder.already,
        text: Some(folder.text()).filter(|text| !text.is_empty()),
        documents: folder_rules.map(documents).unwrap_or_default(),
        notices: folder_rules.map_or(&[], |folder_rules| &folder_rules.notices),
    }
}

/// The documents of directory rules, also of one that came to nothing.
fn documents(folder_rules: &Prompt) -> Vec<&Ingredient> {
    let present = folder_rules.channel(Deliver::System).into_iter();
    let present = present.flat_map(|c| c.layers.iter().flat_map(|l| &l.ingredients));
    let absent = folder_rules.absent.iter().flat_map(|a| &a.ingredients);
    let is_document = |i: &&Ingredient| matches!(i, Ingredient::Document { .. });
    present.chain(absent).filter(is_document).collect()
}
