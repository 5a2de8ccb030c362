//! A line in a number of columns.

use crate::prompt::Changes;
use crate::report::change::Signs;
use crate::report::escape::plain;
use crate::report::fit::{fit, width};
use crate::report::text::{Part, Style};

/// The end of every style.
const RESET: &str = "\u{1b}[0m";

/// The escape sequences of a style.
fn start(style: Style) -> &'static str {
    match style {
        Style::Code => "",
        Style::Name => "\u{1b}[1m",
        Style::Faint | Style::Class(Changes::Never) => "\u{1b}[2m",
        Style::Error => "\u{1b}[1m\u{1b}[91m",
        Style::Warning => "\u{1b}[1m\u{1b}[33m",
        Style::Class(Changes::Deploy) => "\u{1b}[34m",
        Style::Class(Changes::Session) => "\u{1b}[32m",
        Style::Class(Changes::Day) => "\u{1b}[33m",
        Style::Class(Changes::Turn) => "\u{1b}[31m",
    }
}

/// A text in a style.
pub(super) fn paint(style: Style, text: &str) -> String {
    match start(style) {
        "" => text.to_owned(),
        start => format!("{start}{text}{RESET}"),
    }
}

/// The line; with `room`, in at most that number of columns: values are shortened first, then its end.
pub(super) fn draw(parts: &[Part], signs: &Signs, room: Option<usize>) -> String {
    let words = |each| -> Vec<String> {
        let parts = parts.iter().map(|part| plain(&part.flat(signs, each)));
        parts.collect()
    };
    let whole = words(None);
    let Some(room) = room.filter(|room| columns(&whole) > *room) else {
        return painted(parts, &whole);
    };
    let left = room.saturating_sub(fixed(parts, signs));
    let shorter = match each(parts, left) {
        None => whole,
        each => words(each),
    };
    painted(parts, &cut(shorter, room, signs.ascii))
}

/// The most columns of a value with which all of them take `left`; none if there are no values.
fn each(parts: &[Part], mut left: usize) -> Option<usize> {
    let values = parts.iter().flat_map(Part::values);
    let mut widths: Vec<usize> = values.map(|value| width(&plain(value))).collect();
    widths.sort_unstable();
    for (at, value) in widths.iter().enumerate() {
        let each = left / (widths.len() - at);
        if *value > each {
            return Some(each);
        }
        left -= value;
    }
    widths.last().copied()
}

fn columns(words: &[String]) -> usize {
    words.iter().map(|words| width(words)).sum()
}

/// The columns of all but the values.
fn fixed(parts: &[Part], signs: &Signs) -> usize {
    let bare = parts.iter().map(|part| match part {
        Part::Change([old, new]) => {
            let none = [old, new].map(|value| value.as_ref().map(|_| String::new()));
            width(&Part::Change(none).flat(signs, None))
        }
        Part::Side(..) => 2,
        part => width(&plain(&part.flat(signs, None))),
    });
    bare.sum()
}

/// The beginning of the words that fits.
fn cut(words: Vec<String>, room: usize, ascii: bool) -> Vec<String> {
    if columns(&words) <= room {
        return words;
    }
    let mut left = room;
    let mut out = Vec::new();
    let last = words.len().saturating_sub(1);
    for (at, part) in words.into_iter().enumerate() {
        // Text after it needs room for the ellipsis.
        let spare = if at < last { 3 } else { 0 };
        if width(&part) + spare > left {
            // Wider than the room, so that it ends with the ellipsis.
            out.push(fit(&(part + &" ".repeat(left + 1)), left, ascii));
            break;
        }
        left -= width(&part);
        out.push(part);
    }
    out
}

fn painted(parts: &[Part], words: &[String]) -> String {
    let painted = parts.iter().zip(words).map(|(part, words)| match part {
        _ if words.is_empty() => String::new(),
        Part::Styled(style, _) => paint(*style, words),
        Part::Class(changes) => paint(Style::Class(*changes), words),
        _ => words.clone(),
    });
    painted.collect()
}

/// The drawn text without its styles. Nothing else in it begins with the escape character: texts from outside are
/// escaped.
pub(super) fn bare(drawn: &str) -> String {
    let mut parts = drawn.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('m').map_or(part, |(_, text)| text));
    }
    out
}
