//! A value that was and one that is, in a number of columns.

use super::escape::plain;
use crate::text::difference::{self, Room};

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
            let [old, new] = [old, new].map(|text| signed(text, signs));
            let both = difference::pair(&old, &new, place(signs, room));
            let [old, new] = both.map(|text| quoted(&text, signs));
            format!("{old} {} {new}", signs.to)
        }
        (Some(old), None) => format!("{} {} nothing", one(old, signs, room), signs.to),
        (None, Some(new)) => one(new, signs, room),
        (None, None) => String::new(),
    }
}

/// One of two lines that took each other's place, after its sign.
pub(super) fn side(
    side: usize,
    both: &[Option<String>; 2],
    signs: &Signs,
    room: Option<usize>,
) -> String {
    let sign = ["- ", "+ "][side];
    let place = place(signs, room);
    let shown = match both {
        [Some(old), Some(new)] => Some(&difference::pair(old, new, place)[side]).cloned(),
        both => (both[side].as_deref()).map(|line| difference::alone(line, place)),
    };
    format!("{sign}{}", shown.unwrap_or_default())
}

/// One value alone.
fn one(text: &str, signs: &Signs, room: Option<usize>) -> String {
    quoted(
        &difference::alone(&signed(text, signs), place(signs, room)),
        signs,
    )
}

/// The text with the sign of this medium for what is left out of it.
fn signed(text: &str, signs: &Signs) -> String {
    if signs.ascii {
        text.replace('…', signs.ellipsis)
    } else {
        text.to_owned()
    }
}

fn place(signs: &Signs, room: Option<usize>) -> Room {
    Room {
        columns: room.map_or(usize::MAX, |room| room.max(LEAST)),
        gap: signs.ellipsis,
    }
}

fn quoted(text: &str, signs: &Signs) -> String {
    format!("{}{}{}", signs.open, plain(text), signs.close)
}
