//! The answer to a call, for a model and for the program around it.

use super::Notes;
use super::apply::{Change, Done};
use super::code::Code;
use super::refusal::{Reason, Refusal, Room, counted, divide};
use super::usage::Usage;
use crate::compile::{MemoryTarget, MemoryTerms};
use schemars::JsonSchema;
use serde::Serialize;

/// The failed calls of a turn after which the model must stop trying.
pub const MOST_FAILED: u32 = 3;

/// The most Unicode scalar values of an entry that a preview shows.
const PREVIEW: usize = 80;

/// The largest memory whose entries are shown whole, in Unicode scalar values: they become part of a conversation.
const MOST_SHOWN: usize = 10_000;

/// The most previews that are shown.
const MOST_PREVIEWS: usize = 100;

/// The answer that `memory add`, `replace`, `remove` and `apply` write with `--format json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Answer {
    /// Whether the memory is now as the call wants it.
    pub success: bool,
    /// The outcome of the call.
    pub code: Code,
    /// The outcome in words, for a model.
    pub message: String,
    /// The memory; null if the call names none that there is.
    pub target: Option<String>,
    /// Its fill level now; null if there is no such memory.
    pub usage: Option<Usage>,
    /// The number of its entries now; null if there is no such memory.
    pub count: Option<usize>,
    /// The number of calls of this turn that failed so far in a row: the value for `--failed` of the next call.
    pub failed: u32,
    /// The number of the operation at fault, from 1, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<usize>,
    /// The findings of a scan in the new text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// The beginnings of the entries that contain `old_text`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// The entries, where the next call needs them: whole, or of a large memory only their beginnings. An entry
    /// with scan findings is replaced by their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<String>,
    /// The number of entries that are not among `entries` or `matches`, since there are too many.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// The name of a copy of the file, next to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
    /// The number of lines that are gone though the call does not name them, where `backup` was made first.
    #[serde(skip_serializing_if = "is_zero")]
    pub unnamed: usize,
    /// The message for a person who wrote the change as arguments, where that is another.
    #[serde(skip)]
    pub by_hand: Option<String>,
}

impl Answer {
    /// The answer to a call that found a memory. `failed` calls of this turn had failed before.
    #[must_use]
    pub fn of(
        target: &MemoryTarget,
        notes: &Notes,
        outcome: &Result<Change, Refusal>,
        failed: u32,
    ) -> Self {
        let entries = outcome.as_ref().map_or(notes.entries(), |c| &c.entries);
        let about = Self {
            target: Some(target.layer.to_string()),
            usage: Some(Usage::of(entries, &target.terms)),
            count: Some(entries.len()),
            ..Self::empty(failed)
        };
        match outcome {
            Ok(change) => Self {
                success: true,
                code: change.done.code(),
                message: change.done.message(),
                failed: 0,
                ..about
            },
            Err(refusal) if refusal.counts && failed >= MOST_FAILED => Self {
                code: Code::TooManyFailures,
                message: STOP.to_owned(),
                failed: failed.saturating_add(1),
                ..about
            },
            Err(refusal) => about
                .refused(refusal, Room::of(notes), Some(target))
                .with_entries(refusal, notes, &target.terms),
        }
    }

    /// The answer to a call for which no memory was found.
    #[must_use]
    pub fn without_target(refusal: &Refusal, failed: u32) -> Self {
        Self::empty(failed).refused(refusal, Room::Entries, None)
    }

    fn empty(failed: u32) -> Self {
        Self {
            success: false,
            code: Code::InvalidCall,
            message: String::new(),
            target: None,
            usage: None,
            count: None,
            failed,
            operation: None,
            findings: Vec::new(),
            matches: Vec::new(),
            entries: Vec::new(),
            omitted: 0,
            backup: None,
            unnamed: 0,
            by_hand: None,
        }
    }

    /// With the copy of the file that was made before the change, since lines went that the call does not name.
    #[must_use]
    pub fn with_copy(self, backup: String, unnamed: usize) -> Self {
        let message = format!(
            "{} It also took {} that `old_text` does not name; a copy of the file from before is next to it.",
            self.message,
            counted(unnamed)
        );
        Self {
            message,
            backup: Some(backup),
            unnamed,
            ..self
        }
    }

    fn refused(self, refusal: &Refusal, room: Room, target: Option<&MemoryTarget>) -> Self {
        let usage = self.usage.as_ref();
        let divide = target.map(divide).unwrap_or_default();
        let mut message = refusal.reason.message(usage, room, &divide);
        if let Some(operation) = refusal.operation {
            message = format!("Operation {operation}: {message} None of the operations was done.");
        }
        Self {
            code: refusal.reason.code(),
            message,
            failed: self.failed.saturating_add(refusal.counts.into()),
            operation: refusal.operation,
            by_hand: refusal.reason.message_for_people(usage, room, target),
            findings: match &refusal.reason {
                Reason::Found(ids) => ids.iter().map(ToString::to_string).collect(),
                _ => Vec::new(),
            },
            ..self
        }
    }

    /// With the entries that the next call must know.
    fn with_entries(self, refusal: &Refusal, notes: &Notes, terms: &MemoryTerms) -> Self {
        let shown = |entry: &String| shown(entry, terms);
        let previews = |entries: &[String]| {
            let first = entries.iter().take(MOST_PREVIEWS);
            first.map(|entry| preview(&shown(entry))).collect()
        };
        let beyond = |entries: &[String]| entries.len().saturating_sub(MOST_PREVIEWS);
        match &refusal.reason {
            Reason::Ambiguous(found) => Self {
                matches: previews(found),
                omitted: beyond(found),
                ..self
            },
            Reason::NoMatch
            | Reason::OverCapacity(_)
            | Reason::MissingOldText
            | Reason::Undivided(_) => {
                let all = notes.entries();
                if notes.usage(terms).chars > MOST_SHOWN {
                    Self {
                        entries: previews(all),
                        omitted: beyond(all),
                        ..self
                    }
                } else {
                    Self {
                        entries: all.iter().map(shown).collect(),
                        ..self
                    }
                }
            }
            _ => self,
        }
    }
}

/// The instruction to a model to go on without the memory.
const STOP: &str = "Several calls of this turn have failed, and the memory stays as it is. Stop calling this tool now and \
                    answer the user; another turn can keep this.";

impl Done {
    fn code(self) -> Code {
        match self {
            Self::Added(_) => Code::Added,
            Self::Duplicate => Code::Duplicate,
            Self::Replaced(_) => Code::Replaced,
            Self::Removed => Code::Removed,
            Self::Applied(_) => Code::Applied,
        }
    }

    fn message(self) -> String {
        let done = match self {
            Self::Added(1) => "The entry is kept.".to_owned(),
            Self::Added(n) => {
                format!("The text is kept as {n} entries, since it has the line between two.")
            }
            Self::Duplicate => "There is such an entry already.".to_owned(),
            Self::Replaced(1) => "The entry is replaced.".to_owned(),
            Self::Replaced(n) => {
                format!("The entry is replaced by {n}, since the text has the line between two.")
            }
            Self::Removed => "The entry is removed.".to_owned(),
            Self::Applied(1) => "The operation is done.".to_owned(),
            Self::Applied(n) => format!("All {n} operations are done."),
        };
        format!("{done} Nothing more is needed for this.")
    }
}

/// An entry as a model may see it: an entry with scan findings is never part of a prompt or an answer.
fn shown(entry: &str, terms: &MemoryTerms) -> String {
    let found = terms.scan.as_ref().map(|scan| scan.in_old(entry));
    match found.filter(|ids| !ids.is_empty()) {
        None => entry.to_owned(),
        Some(ids) => format!("[left out: {}]", ids.join(", ")),
    }
}

fn preview(text: &str) -> String {
    match text.char_indices().nth(PREVIEW) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}
