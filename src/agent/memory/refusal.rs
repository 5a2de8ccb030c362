//! Why a memory does not do what it is asked to.

use super::code::Code;
use super::usage::Usage;
use super::{Notes, measure};
use crate::compile::MemoryTarget;
use std::sync::Arc;

/// A call that was refused; nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// The number of the operation at fault in a list, from 1.
    pub operation: Option<usize>,
    /// Whether it is one of those that a model can repeat without end: they are counted.
    pub counts: bool,
}

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It is no call: what is wrong with it.
    InvalidCall(String),
    /// It names no memory, and there are several, of these names.
    MissingTarget(Vec<Arc<str>>),
    /// There is no memory of that name; there are those.
    UnknownTarget(Vec<Arc<str>>),
    /// It says nothing that can be done.
    UnknownAction,
    /// There is nothing to write.
    MissingContent,
    /// It does not say which entry is meant.
    MissingOldText,
    /// A scan found something in the new text: the names of what.
    Found(Vec<Arc<str>>),
    /// An entry would be read as something else than what was written.
    NotStorable,
    /// The file was changed by something else.
    Drifted,
    /// The file has several lines and no delimiter, and so many of the lines would be lost without being named.
    Undivided(usize),
    /// No entry has the text.
    NoMatch,
    /// Several entries have it: these. An operation before may have made them.
    Ambiguous(Vec<String>),
    /// The memory would be so large, in Unicode scalar values.
    OverCapacity(usize),
    /// The memory would be larger than files can be read.
    TooLarge,
}

impl Refusal {
    pub(super) fn new(reason: Reason) -> Self {
        Self {
            reason,
            operation: None,
            counts: false,
        }
    }

    /// A call that is none: what is wrong with it.
    #[must_use]
    pub fn no_call(why: String) -> Self {
        Self::new(Reason::InvalidCall(why))
    }

    /// A call that names none of several memories.
    #[must_use]
    pub fn no_target(names: Vec<Arc<str>>) -> Self {
        Self::new(Reason::MissingTarget(names))
    }

    /// A call that names a missing memory.
    #[must_use]
    pub fn unknown_target(names: Vec<Arc<str>>) -> Self {
        Self::new(Reason::UnknownTarget(names))
    }
}

impl Reason {
    /// The code of the answer.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::InvalidCall(_) => Code::InvalidCall,
            Self::MissingTarget(_) => Code::MissingTarget,
            Self::UnknownTarget(_) => Code::UnknownTarget,
            Self::UnknownAction => Code::UnknownAction,
            Self::MissingContent => Code::MissingContent,
            Self::MissingOldText => Code::MissingOldText,
            Self::Found(_) => Code::ScanFound,
            Self::NotStorable => Code::NotStorable,
            Self::Drifted | Self::Undivided(_) => Code::Drifted,
            Self::NoMatch => Code::NoMatch,
            Self::Ambiguous(_) => Code::Ambiguous,
            Self::OverCapacity(_) => Code::OverCapacity,
            Self::TooLarge => Code::TooLarge,
        }
    }

    /// The problem and the fix, for a model. It does not quote the text that should be written.
    pub(super) fn message(&self, usage: Option<&Usage>, room: Room, divide: &str) -> String {
        let names = |names: &[Arc<str>]| names.join(", ");
        match self {
            Self::InvalidCall(why) => format!("This is not a call of the memory tool: {why}."),
            Self::MissingTarget(all) => {
                format!("Say with `target` which memory is meant: {}.", names(all))
            }
            Self::UnknownTarget(all) => {
                format!(
                    "There is no memory of that name. `target` is one of: {}.",
                    names(all)
                )
            }
            Self::UnknownAction => "`action` is one of: add, replace, remove.".to_owned(),
            Self::MissingContent => {
                "`content` is needed: the text of the entry. To take an entry away, use remove."
                    .to_owned()
            }
            Self::MissingOldText => {
                "`old_text` is needed: a part of the entry that is meant, found \
                                     in no other of these."
                    .to_owned()
            }
            Self::Found(ids) => format!(
                "The text reads like an attack on its later readers, so it is not kept: {}.",
                names(ids)
            ),
            Self::NotStorable => "An entry begins or ends like the line between two entries, so \
                                  together they would be read as others. Write it in other words."
                .to_owned(),
            Self::Drifted => "The file was changed by something else than this tool, and what it \
                              has would be lost. It stays as it is, and a person must put it in \
                              order. Do not try again."
                .to_owned(),
            Self::Undivided(lines) => format!(
                "The file has no line between two entries, so all of it is one entry, and {} would be lost that `old_text` \
                 does not name. It stays as it is. If all of it is meant, give its whole text as `old_text`; if it is \
                 several entries, a person must {divide}.",
                counted(*lines)
            ),
            Self::NoMatch => {
                "No entry has the text of `old_text`. These are the entries; take a part \
                              of one as it is written."
                    .to_owned()
            }
            Self::Ambiguous(_) => {
                "Several entries have the text of `old_text`, and begin like this. \
                                   Take a longer part of the one that is meant."
                    .to_owned()
            }
            Self::OverCapacity(chars) => {
                let wide = wide(*chars, usage);
                match room {
                    Room::Entries => format!(
                        "There is no room{wide}. Merge, shorten or remove some of these entries and add the new one in a \
                         single call with `operations`, of which only the final size counts."
                    ),
                    Room::Nothing => format!("There is no room{wide}. Write it shorter."),
                    Room::Drifted => format!("There is no room{wide}. {LOCKED} Do not try again."),
                }
            }
            Self::TooLarge => {
                "The memory would be larger than any that can be read: 10,000 entries, 64 MiB."
                    .to_owned()
            }
        }
    }
}

/// Why nothing can be taken away.
const LOCKED: &str = "The file was changed by something else than this tool, so no entry can be taken away until a person has \
                      put it in order.";

/// " of 2,200 characters: the memory would have 2,345".
fn wide(chars: usize, usage: Option<&Usage>) -> String {
    let count = |n: usize| measure::thousands(&n.to_string());
    let s = |n: usize| if n == 1 { "" } else { "s" };
    let most = usage
        .and_then(|u| u.capacity)
        .map_or(String::new(), |most| {
            format!(" of {} character{}", count(most), s(most))
        });
    format!("{most}: the memory would have {}", count(chars))
}

/// "1 line", "1,200 lines".
pub(super) fn counted(lines: usize) -> String {
    let s = if lines == 1 { "" } else { "s" };
    format!("{} line{s}", measure::thousands(&lines.to_string()))
}

/// How to divide the file of a memory: "write `§` on a line of its own between them".
pub(super) fn divide(target: &MemoryTarget) -> String {
    let delimiter = &*target.terms.delimiter;
    let line = delimiter
        .strip_prefix('\n')
        .and_then(|d| d.strip_suffix('\n'));
    match line.filter(|line| !line.is_empty() && !line.contains('\n')) {
        Some(line) => format!("write `{line}` on a line of its own between them"),
        None => format!("write {delimiter:?} between them"),
    }
}

/// The ways to make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Entries that can be taken away.
    Entries,
    /// No entries.
    Nothing,
    /// Entries of a file that something else has changed.
    Drifted,
}

impl Room {
    pub(super) fn of(notes: &Notes) -> Self {
        match (notes.is_drifted(), notes.entries().is_empty()) {
            (true, _) => Self::Drifted,
            (false, true) => Self::Nothing,
            (false, false) => Self::Entries,
        }
    }
}

impl Reason {
    /// The text for a person who wrote the change as arguments, where that differs.
    pub(super) fn message_for_people(
        &self,
        usage: Option<&Usage>,
        room: Room,
        target: Option<&MemoryTarget>,
    ) -> Option<String> {
        Some(match self {
            Self::Undivided(lines) => {
                let target = target?;
                let path = &target.path;
                format!(
                    "`{path}` has no delimiter, so all of it is one entry, and {} would be lost that you did not name\n\
                     if it is several entries, {}; to change all of it, name its whole text: -- \"$(cat {path})\"",
                    counted(*lines),
                    divide(target)
                )
            }
            Self::MissingContent => {
                "the text of the entry is empty; `promptc agent memory remove` removes an entry"
                    .to_owned()
            }
            Self::MissingOldText => {
                "the text that selects an entry is empty; these are the entries".to_owned()
            }
            Self::NoMatch => "no entry has that text; these are the entries".to_owned(),
            Self::Ambiguous(_) => {
                "several entries have that text, and begin like this; take a longer part of one"
                    .to_owned()
            }
            Self::OverCapacity(chars) => {
                let wide = wide(*chars, usage);
                let way = match room {
                    Room::Entries => "shorten or remove some of these entries first",
                    Room::Nothing => "write it shorter",
                    Room::Drifted => {
                        "another program changed the file, so no entry can be removed until you repair it"
                    }
                };
                format!("there is no room{wide}; {way}")
            }
            _ => return None,
        })
    }
}
