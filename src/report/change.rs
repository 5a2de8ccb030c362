//! A value that was and one that is, in a number of columns.

use super::escape::plain;
use super::fit::{fit, width};
use unicode_width::UnicodeWidthChar as _;

/// The fewest columns that a value is shortened to.
const LEAST: usize = 8;

/// The signs that values are written with.
#[derive(Debug)]
pub(super) struct Signs {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) to: &'static str,
    pub(super) ellipsis: &'static str,
    pub(super) gap: &'static str,
    pub(super) ascii: bool,
}

/// All signs.
pub(super) static UNICODE: Signs = Signs {
    open: "“",
    close: "”",
    to: "→",
    ellipsis: "…",
    gap: "⋮",
    ascii: false,
};

/// The signs in ASCII.
pub(super) static ASCII: Signs = Signs {
    open: "\"",
    close: "\"",
    to: "->",
    ellipsis: "...",
    gap: "...",
    ascii: true,
};

/// Both values, each in at most `room` columns besides its quotes.
pub(super) fn drawn(
    old: Option<&str>,
    new: Option<&str>,
    signs: &Signs,
    room: Option<usize>,
) -> String {
    match (old, new) {
        (Some(old), Some(new)) => {
            let skip = match room {
                Some(room) if width(old).max(width(new)) > room => skipped(old, new, room / 3),
                _ => 0,
            };
            let [old, new] = [old, new].map(|text| quoted(&from(text, skip), signs, room));
            format!("{old} {} {new}", signs.to)
        }
        (Some(old), None) => format!("{} {} nothing", quoted(old, signs, room), signs.to),
        (None, Some(new)) => quoted(new, signs, room),
        (None, None) => String::new(),
    }
}

fn quoted(text: &str, signs: &Signs, room: Option<usize>) -> String {
    let mut text = plain(text);
    if signs.ascii {
        text = text.replace('…', "...").replace('⏎', "\\n");
    }
    if let Some(room) = room {
        text = fit(&text, room.max(LEAST), signs.ascii);
    }
    format!("{}{text}{}", signs.open, signs.close)
}

/// The number of characters of two texts that can go, so that `columns` of their common beginning are left.
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
