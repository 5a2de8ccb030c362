//! The files whose text agents print in what they send, each below its path.

use super::compare::{Cause, Confidence, SourcePlace};
use super::effective::Request;
use super::part::Part;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use std::ops::Range;

/// How an agent prints files.
struct Style {
    /// The line above a file begins so, and goes on with its path.
    above: &'static str,
    /// How that line ends; before that, in round brackets, may stand what the file is.
    end: &'static str,
    /// What the printed path lacks.
    name: &'static str,
    /// The lines between that line and the text.
    lead: usize,
    /// How a line begins that is after the text.
    below: &'static [&'static str],
}

/// How agents print files.
///
/// Claude Code: recorded requests of 2.1.268 to 2.1.332; Gemini CLI: `memoryDiscovery.ts`; opencode: `session/instruction.ts`; Codex:
/// `user_instructions.rs`.
const STYLES: &[Style] = &[
    Style {
        above: "Contents of ",
        end: ":",
        name: "",
        lead: 1,
        below: &["# currentDate", "# userEmail", "</system-reminder>"],
    },
    Style {
        above: "Base directory for this skill: ",
        end: "",
        name: "/SKILL.md",
        lead: 1,
        below: &[],
    },
    Style {
        above: "--- Context from: ",
        end: " ---",
        name: "",
        lead: 0,
        below: &["--- End of Context from: "],
    },
    Style {
        above: "Instructions from: ",
        end: "",
        name: "",
        lead: 0,
        below: &[],
    },
    Style {
        above: "# AGENTS.md instructions for ",
        end: "",
        name: "/AGENTS.md",
        lead: 2,
        below: &["</INSTRUCTIONS>"],
    },
];

/// A file that is printed in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedFile {
    /// Its path, as it is printed.
    pub path: String,
    /// The line of its path, from 0; where none is printed its first one.
    pub start: usize,
    /// Its lines in the text, from 0.
    pub lines: Range<usize>,
}

impl LoadedFile {
    /// The name of its content, in a text of these lines that prints it: the same for the same lines, whatever stands at their ends.
    #[must_use]
    pub fn version(&self, lines: &[&str]) -> String {
        let [start, end] = [self.lines.start, self.lines.end].map(|at| at.min(lines.len()));
        version(lines[start..end].iter().copied())
    }
}

/// The name of a content by its lines, whatever stands at their ends, and without empty ones before and after them: twelve digits of SHA-256.
pub fn version<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let lines: Vec<&str> = lines.map(str::trim_end).collect();
    let text = lines.join("\n");
    let mut name = HEXLOWER.encode(&Sha256::digest(text.trim_matches('\n')));
    name.truncate(12);
    name
}

/// The files that are printed in a text, in order. One ends where the next begins.
#[must_use]
pub fn loaded_files(text: &str) -> Vec<LoadedFile> {
    let mut files: Vec<LoadedFile> = Vec::new();
    // The style of the newest, until it ends.
    let mut open: Option<&Style> = None;
    let may_be = |line: &&str| STYLES.iter().any(|style| line.starts_with(style.above));
    if !text.lines().any(|line| may_be(&line)) {
        return files;
    }
    for (at, line) in text.lines().enumerate() {
        let above = STYLES
            .iter()
            .find_map(|style| Some((style, path(style, line)?)));
        let is_below = |style: &Style| style.below.iter().any(|begin| line.starts_with(begin));
        if let Some((style, path)) = above {
            let start = at + 1 + style.lead;
            let lines = start..start;
            files.push(LoadedFile {
                path,
                start: at,
                lines,
            });
            open = Some(style);
        } else if open.is_some_and(is_below) {
            open = None;
        } else if let (Some(_), Some(file)) = (open, files.last_mut()) {
            file.lines.end = file.lines.start.max(at + 1);
        }
    }
    files
}

/// The path of the file whose text follows a line.
fn path(style: &Style, line: &str) -> Option<String> {
    let rest = line.strip_prefix(style.above)?.trim_end();
    let rest = rest.strip_suffix(style.end)?;
    let cut = rest.strip_suffix(')').and_then(|rest| rest.rfind(" ("));
    let cut = cut.filter(|_| style.end == ":");
    let path = &rest[..cut.unwrap_or(rest.len())];
    // Words after `Contents of` are no path.
    let is_name = !path.contains(' ') && path.contains('.');
    let is_path = path.contains(['/', '\\']) || is_name;
    (is_path && !path.is_empty()).then(|| format!("{}{}", path.trim_end_matches('/'), style.name))
}

/// The line of the file that is printed around the change of a cause: as it is now, else as it was.
#[must_use]
pub fn loaded_place(cause: &Cause, before: &Request, now: &Request) -> Option<SourcePlace> {
    loaded_change(cause, before, now).map(|(place, ..)| place)
}

/// [`loaded_place`], with the file and the text that prints it.
#[must_use]
pub fn loaded_change(
    cause: &Cause,
    before: &Request,
    now: &Request,
) -> Option<(SourcePlace, LoadedFile, String)> {
    let at = cause.line?.checked_sub(1)?;
    let sides = [(&cause.new, now), (&cause.old, before)];
    sides.into_iter().find_map(|(line, request)| {
        let line = line.as_deref()?;
        let text = changed_text(cause, request)?;
        if text.lines().nth(at)? != line {
            return None;
        }
        let mut files = loaded_files(&text).into_iter();
        let file = files.find(|file| (file.start..file.lines.end).contains(&at))?;
        // The line of its path is there for it too.
        let inside = at.saturating_sub(file.lines.start);
        let place = SourcePlace {
            path: file.path.clone(),
            line: inside + 1,
            confidence: Confidence::Marker,
        };
        Some((place, file, text))
    })
}

/// The text of the part that a cause is about.
#[must_use]
pub fn changed_text(cause: &Cause, request: &Request) -> Option<String> {
    let (kind, rest) = cause.at.split_once('/')?;
    let index: usize = rest.parse().ok()?;
    let part = match kind {
        "system" => request.system.get(index),
        "messages" => {
            let message = request.messages.get(index)?;
            message.blocks.get(cause.block.unwrap_or_default())
        }
        _ => None,
    };
    part.map(Part::text)
}
