//! Where front matter ends, which readers disagree about.

use crate::text::normalise::is_space;
use std::ops::Range;

/// The end of a document's front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Close {
    /// The next line that starts with `---`; the whole line goes, and so does the whole line that opens it.
    #[default]
    Line,
    /// The next line that holds `---` and white space alone and has an end; blank lines below go with it.
    Alone,
    /// The next `---` at the start of a line: the three dashes go, and line breaks that follow them at once.
    Dashes,
}

/// The position of a document's front matter (bytes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Front {
    /// The text between the two marks.
    pub yaml: Range<usize>,
    /// The text after the second mark, unchanged.
    pub body: Range<usize>,
}

/// Finds the front matter: from a leading `---` to what closes it.
///
/// With [`Close::Line`] it begins on the line below the leading `---`, else right after the three dashes. There is none
/// if the text starts otherwise or if it is not closed.
#[must_use]
pub fn split(text: &str, close: Close) -> Option<Front> {
    if !text.starts_with("---") {
        return None;
    }
    let (yaml, body) = match close {
        Close::Line => line(text)?,
        Close::Alone => alone(text)?,
        Close::Dashes => dashes(text)?,
    };
    let body = body..text.len();
    Some(Front { yaml, body })
}

fn line(text: &str) -> Option<(Range<usize>, usize)> {
    let yaml = text.find('\n')? + 1;
    let close = if text[yaml..].starts_with("---") {
        yaml
    } else {
        yaml + text[yaml..].find("\n---")? + 1
    };
    let body = text[close..].find('\n');
    Some((yaml..close, body.map_or(text.len(), |at| close + at + 1)))
}

fn alone(text: &str) -> Option<(Range<usize>, usize)> {
    text.match_indices("\n---").find_map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let blank = rest.len() - rest.trim_start_matches(is_space).len();
        let end = rest[..blank].rfind('\n')?;
        Some((3..at, at + mark.len() + end + 1))
    })
}

fn dashes(text: &str) -> Option<(Range<usize>, usize)> {
    let at = text.find("\n---")?;
    let body = text[at + 4..].trim_start_matches('\n');
    Some((3..at, text.len() - body.len()))
}
