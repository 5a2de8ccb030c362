//! What a diagnostic suggests is done, and the command is run again: the problem is gone. A help that proposes an edit
//! in words is no suggestion, and [`IN_WORDS`] says why.

use crate::harness::case::{Case, Line};
use crate::harness::files_below;
use crate::harness::run::Place;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The codes whose help proposes an edit of a file that the program does not spell out, and why.
const IN_WORDS: &[(&str, &str)] = &[
    (
        "conflicting-settings",
        "one of two must go, and only the author knows which",
    ),
    (
        "datetime-for-date",
        "defaults, scenarios and `changes=` change with the type",
    ),
    (
        "frontmatter-syntax",
        "the edit is one of a document, or one of several settings",
    ),
    (
        "json-key-order",
        "what reads the file may need settings that `json` has not",
    ),
    (
        "missing-source",
        "a fact gives the name, and its value may come from anywhere",
    ),
    ("mixed-units", "the number changes with the unit"),
    (
        "no-workspace-root",
        "a root is declared, or another one is named",
    ),
    ("not-on-base", "the base is not named anywhere"),
    ("partial-frontmatter", "the edit is one of a document"),
    ("path-leaves-root", "`\\` may be part of a name"),
    (
        "private-in-manifest",
        "how the value is given is the caller's to choose",
    ),
    (
        "template-syntax",
        "where a block ends is the author's to say",
    ),
    (
        "understated-layer",
        "several facts differ, and which of them is meant is not known",
    ),
    (
        "unsorted-listing",
        "maps are sorted by an attribute, and the order may mean something",
    ),
    ("untyped-clock", "the type is the author's to choose"),
    ("unknown-time-zone", "no zone is near the name"),
    ("wrong-type", "one of several values"),
];

/// A text in place of some bytes of a file.
struct Edit<'a> {
    path: &'a str,
    start: usize,
    end: usize,
    text: &'a str,
}

impl<'a> Edit<'a> {
    fn of(found: &'a Value) -> Option<Self> {
        let edit = &found["suggestion"];
        let byte = |key| usize::try_from(edit[key].as_u64()?).ok();
        Some(Self {
            path: found["path"].as_str()?,
            start: byte("start")?,
            end: byte("end")?,
            text: edit["text"].as_str()?,
        })
    }

    fn make(&self, place: &Place) -> Result<(), String> {
        let path = place.path().join(self.path);
        let mut text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", self.path))?;
        text.replace_range(self.start..self.end, self.text);
        fs::write(&path, text).map_err(|e| e.to_string())
    }

    /// Where bytes of the old text are in the new one.
    fn moved(&self, start: usize, end: usize) -> (usize, usize) {
        let moved = |at: usize| {
            if at >= self.end {
                at + self.text.len() + self.start - self.end
            } else {
                at.min(self.start)
            }
        };
        (moved(start), moved(end).max(moved(start)))
    }
}

fn bytes(found: &Value) -> Option<(usize, usize)> {
    let byte = |key| usize::try_from(found[key].as_u64()?).ok();
    Some((byte("start")?, byte("end")?))
}

/// Does what each of `all` suggests, each in a folder of its own. `list` runs the command again, and gives what is found
/// then.
pub(crate) fn all_help(
    case: &Case,
    line: &Line,
    all: &[Value],
    list: impl Fn(&Line, &Place) -> Result<Vec<Value>, String>,
) -> Result<(), String> {
    for found in all {
        let place = Place::new();
        let _held = case.lay_out(&place);
        let again = if let Some(edit) = Edit::of(found) {
            edit.make(&place)?;
            let again = list(line, &place)?;
            again
                .into_iter()
                .find(|other| is_there(found, other, &edit))
        } else if let Some(line) = corrected(line, found) {
            let again = list(&line, &place)?;
            again
                .into_iter()
                .find(|other| other["message"] == found["message"])
        } else {
            continue;
        };
        if let Some(again) = again {
            return Err(format!(
                "it is not gone after what it suggests: {found}\nthen: {again}"
            ));
        }
    }
    Ok(())
}

/// Whether the problem `other` is that of `found` at its place, or an error of what the edit wrote.
fn is_there(found: &Value, other: &Value, edit: &Edit<'_>) -> bool {
    let (Some(own), Some((start, end))) = (bytes(found), bytes(other)) else {
        return false;
    };
    if other["path"] != found["path"] {
        return false;
    }
    let (from, to) = edit.moved(own.0, own.1);
    let same = other["code"] == found["code"] && start <= to && from <= end;
    let written = edit.start..edit.start + edit.text.len();
    let within = start < written.end && written.start < end && start >= written.start;
    same || (within && other["severity"] == "error")
}

/// The command with the name that is meant, where one of its arguments has a name that is unknown.
fn corrected(line: &Line, found: &Value) -> Option<Line> {
    let help = found["help"].as_str().filter(|_| found["path"].is_null())?;
    let meant = proposals(help).next()?;
    let unknown = found["message"].as_str()?.split('`').nth(1)?;
    let mut line = line.clone();
    let named = |arg: &&mut String| {
        let words = arg.rsplit(['=', ':']).next();
        words == Some(unknown) || **arg == unknown
    };
    let arg = line.args.iter_mut().find(named)?;
    *arg = arg.replace(unknown, meant);
    Some(line)
}

/// The texts that a help proposes to write: what is spelled out, without a word in capitals that stands for a value.
fn proposals(help: &str) -> impl Iterator<Item = &str> {
    let intro = ["did you mean `", "write `", "declare `", "add `"];
    let there = |at: usize| {
        help[at..]
            .starts_with("there is a ")
            .then(|| help[at..].find('`').map(|n| at + n + 1))
            .flatten()
    };
    let starts = help.char_indices().filter_map(move |(at, _)| {
        let after = intro.iter().find(|intro| help[at..].starts_with(**intro));
        after.map(|intro| at + intro.len()).or_else(|| there(at))
    });
    let texts = starts.filter_map(|at| help[at..].split('`').next());
    texts.filter(|text| {
        let stands_for =
            |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase());
        let words = text.split(|c: char| !c.is_alphanumeric());
        !text.contains('…') && !text.ends_with('=') && !words.into_iter().any(stands_for)
    })
}

/// The table has each code that proposes an edit of a file in words, and no other. A help without a suggestion is in the
/// snapshots behind `= help:`.
pub(crate) fn table() -> Result<(), Failed> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let (mut met, mut unlisted) = (BTreeSet::new(), Vec::new());
    for path in ["diagnostics", "checks"]
        .iter()
        .flat_map(|name| files_below(&top.join(name)))
    {
        let text = fs::read_to_string(&path)?;
        let mut code = None;
        let mut placed = false;
        for line in text.lines() {
            let level = ["error[", "warning[", "note["]
                .iter()
                .find_map(|l| line.strip_prefix(l));
            if let Some(rest) = level {
                code = rest.split(']').next();
                placed = false;
            }
            placed |= line.trim_start().starts_with("--> ");
            let Some(help) = line.trim_start().strip_prefix("= help: ") else {
                continue;
            };
            let Some(code) = code.filter(|_| placed) else {
                continue;
            };
            if proposals(help).next().is_none() {
                continue;
            }
            if !IN_WORDS.iter().any(|(known, _)| *known == code) {
                unlisted.push(format!("{code}: {help}"));
            }
            met.insert(code.to_owned());
        }
    }
    if !unlisted.is_empty() {
        return Err(format!("these are no suggestions:\n{}", unlisted.join("\n")).into());
    }
    match IN_WORDS.iter().find(|(code, _)| !met.contains(*code)) {
        Some((code, _)) => Err(format!("{code} proposes nothing in words").into()),
        None => Ok(()),
    }
}
