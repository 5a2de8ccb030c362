//! Causes in words.

use super::fit::{fit, width};
use crate::cli::ui::words::plain;
use crate::compare::{Cause, CauseKind};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar as _;

/// The marks that a cause is written with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) to: &'static str,
}

impl Marks {
    /// Those for a terminal, or ASCII.
    pub(crate) fn new(ascii: bool) -> Self {
        match ascii {
            true => Self {
                open: "\"",
                close: "\"",
                to: "->",
            },
            false => Self {
                open: "“",
                close: "”",
                to: "→",
            },
        }
    }

    fn is_ascii(self) -> bool {
        self.open == "\""
    }

    /// In quotes, in at most `room` columns besides them.
    fn quoted(self, text: &str, room: Option<usize>) -> String {
        let mut text = plain(text);
        if self.is_ascii() {
            text = text.replace('…', "...").replace('⏎', "\\n");
        }
        if let Some(room) = room {
            text = fit(&text, room.max(8), self.is_ascii());
        }
        format!("{}{text}{}", self.open, self.close)
    }
}

/// Where it is and what happened: `AGENTS.md:12 changed`.
pub(super) fn what(cause: &Cause) -> String {
    let place = place(cause);
    let fact = cause.fact.as_deref().unwrap_or_default();
    match cause.kind {
        CauseKind::LanguageChanged => "the language of the manifest changed".to_owned(),
        CauseKind::LayerAdded => match &cause.item {
            Some(layer) => format!("the layer `{layer}` is there now"),
            None => format!("{place} layer added"),
        },
        CauseKind::LayerRemoved => match &cause.item {
            Some(layer) => format!("the layer `{layer}` is not there now"),
            // An overlay says so on a line of its own.
            None if cause.new.is_some() => format!("{place} layer removed"),
            None => format!("{} layer removed", cause.path.as_deref().unwrap_or_default()),
        },
        CauseKind::LayerMoved => format!("{place} layer moved"),
        CauseKind::LayerEdited => format!("{place} edited"),
        CauseKind::TemplateChanged => format!("{place} template changed"),
        CauseKind::ConditionFlipped => condition(cause),
        CauseKind::FactChanged => match &cause.item {
            Some(item) => format!("fact `{fact}`: {}", item_change(cause, item)),
            None => format!("fact `{fact}` changed"),
        },
        CauseKind::DocumentChanged => format!("{place} changed"),
        CauseKind::DocumentAppeared => format!("{place} appeared"),
        CauseKind::DocumentVanished => format!("{} vanished", path(cause)),
        CauseKind::ItemAdded => format!("{place} {} added", entry(cause)),
        CauseKind::ItemRemoved => format!("{} {} removed", path(cause), entry(cause)),
        CauseKind::ItemChanged => format!("{place} {} changed", entry(cause)),
        CauseKind::ItemReordered => format!("{place} {} moved", entry(cause)),
        CauseKind::DocumentReplaced => match &cause.new {
            Some(_) => format!("{place} replaced by a scan"),
            None => format!("{} no longer replaced by a scan", path(cause)),
        },
        CauseKind::CutMoved => format!("{place} is cut elsewhere"),
        CauseKind::WhitespaceOnly => format!("{place} changed in white space only"),
        CauseKind::Unexplained => {
            "nothing that the layer is made from changed; this is a fault of promptc, please report it"
                .to_owned()
        }
    }
}

/// An entry of an index or memory.
fn entry(cause: &Cause) -> String {
    let item = cause.item.as_deref().unwrap_or_default();
    format!("entry `{}`", plain(item))
}

fn item_change(cause: &Cause, item: &str) -> String {
    let item = plain(item);
    match (&cause.old, &cause.new) {
        (None, Some(_)) => format!("item `{item}` added"),
        (Some(_), None) => format!("item `{item}` removed"),
        _ => format!("item `{item}` changed"),
    }
}

/// The same with what it was and what it is, and what it follows from. With `room`, in at most that many columns: what it
/// was and is gives way first, so that the file and line stay.
pub(crate) fn whole(cause: &Cause, marks: Marks, room: Option<usize>) -> String {
    let text = match cause.kind {
        CauseKind::ConditionFlipped => flipped(cause, marks, room),
        _ => {
            let mut text = with_values(cause, marks, room);
            if let Some(first) = cause.because.first() {
                let more = match cause.because.len() {
                    1 => String::new(),
                    n => format!(" (and {} more)", n - 1),
                };
                let _ = write!(text, ", because {}{more}", what(first));
            }
            text
        }
    };
    match room {
        Some(room) => fit(&text, room, marks.is_ascii()),
        None => text,
    }
}

/// What happened, and the values.
fn with_values(cause: &Cause, marks: Marks, room: Option<usize>) -> String {
    let text = what(cause);
    let is_item = cause.kind == CauseKind::FactChanged && cause.item.is_some();
    let one_sided = cause.old.is_none() || cause.new.is_none();
    if cause.kind == CauseKind::Unexplained || (is_item && one_sided) {
        return text;
    }
    let left = room.map(|room| room.saturating_sub(width(&text) + 2));
    let values = match (&cause.old, &cause.new) {
        (Some(old), Some(new)) => {
            // Two pairs of quotes and an arrow between blanks.
            let arrow = width(marks.to) + 2;
            let each = left.map(|left| left.saturating_sub(arrow + 4) / 2);
            let skip = match each {
                Some(each) if width(old).max(width(new)) > each => skipped(old, new, each / 3),
                _ => 0,
            };
            let [old, new] = [old, new].map(|text| marks.quoted(&from(text, skip), each));
            format!("{old} {} {new}", marks.to)
        }
        (None, Some(new)) => marks.quoted(new, left.map(|l| l.saturating_sub(2))),
        (Some(old), None) if cause.kind == CauseKind::ItemRemoved => {
            marks.quoted(old, left.map(|l| l.saturating_sub(2)))
        }
        (Some(old), None) if cause.kind != CauseKind::DocumentVanished => {
            let nothing = format!(" {} nothing", marks.to);
            let each = left.map(|left| left.saturating_sub(width(&nothing) + 2));
            format!("{}{nothing}", marks.quoted(old, each))
        }
        _ => return text,
    };
    format!("{text}: {values}")
}

/// How many characters of two texts can go, so that of what they have in common at their start `columns` are left.
fn skipped(a: &str, b: &str, columns: usize) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y);
    let same: Vec<char> = same.map(|(x, _)| x).collect();
    let mut left = 0;
    let kept = same.iter().rev().take_while(|c| {
        left += c.width().unwrap_or(0);
        left <= columns
    });
    same.len() - kept.count()
}

/// The text without its first characters, if that makes it shorter.
fn from(text: &str, skip: usize) -> String {
    match skip {
        0 | 1 => text.to_owned(),
        skip => std::iter::once('…')
            .chain(text.chars().skip(skip))
            .collect(),
    }
}

/// What flipped a condition stands in front of it.
fn flipped(cause: &Cause, marks: Marks, room: Option<usize>) -> String {
    let condition = condition(cause);
    match cause.because.first() {
        None => condition,
        Some(first) => {
            let room = room.map(|room| room / 2);
            format!("{}, so {condition}", with_values(first, marks, room))
        }
    }
}

fn condition(cause: &Cause) -> String {
    if let (Some(_), Some(new)) = (&cause.path, &cause.new) {
        return format!("{} is {new} now", entry(cause));
    }
    let expression = plain(cause.item.as_deref().unwrap_or_default());
    match (cause.old.as_deref(), cause.new.as_deref()) {
        (Some("true"), Some("false")) => format!("`{expression}` holds no more"),
        (Some("false"), Some("true")) => format!("`{expression}` holds now"),
        _ => format!("`{expression}` holds for others"),
    }
}

fn path(cause: &Cause) -> String {
    plain(cause.path.as_deref().unwrap_or("a text"))
}

/// `path:line`.
pub(super) fn place(cause: &Cause) -> String {
    match cause.line {
        Some(line) => format!("{}:{line}", path(cause)),
        None => path(cause),
    }
}
