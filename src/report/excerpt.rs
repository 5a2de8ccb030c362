//! A line of a text, and what its parts are.

use super::escape::plain;
use super::fit::width;
use super::text::Text;
use std::ops::Range;

/// The most columns of a line that are shown.
const WIDTH: usize = 64;

/// The most of it that may come before the first mark.
const FRONT: usize = 24;

/// A line of a text, and what its parts are.
#[derive(Debug, Clone)]
pub struct Excerpt {
    /// The number of the line.
    pub number: usize,
    /// The line, without its end.
    pub line: String,
    /// Where of the line something is to be seen at least.
    pub at: usize,
    /// Whether something follows the line: its end has a column of its own.
    pub ended: bool,
    /// Its parts.
    pub marks: Vec<Mark>,
    /// Further remarks.
    pub below: Vec<Text>,
}

/// A part of a line.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Its bytes in the line; it may reach beyond.
    pub range: Range<usize>,
    /// Its kind.
    pub text: Text,
    /// Where it is, for what cannot be seen of the line.
    pub elsewhere: String,
}

/// The visible part of it.
pub(super) struct Shown {
    /// The line, as far as it is shown.
    pub(super) text: String,
    /// For each part the blanks and carets below it; all are of one width.
    pub(super) marks: Vec<String>,
    /// The parts that cannot be seen.
    pub(super) unseen: Vec<bool>,
}

impl Excerpt {
    /// The visible part of it in a number of columns.
    pub(super) fn shown(&self, columns: Option<usize>) -> Shown {
        let most = columns.map_or(WIDTH, |all| all.saturating_sub(FRONT).clamp(FRONT, WIDTH));
        let window = self.window(most);
        let cut_front = window.start > 0;
        let ellipsis = |cut: bool| if cut { "…" } else { "" };
        let text = format!(
            "{}{}{}",
            ellipsis(cut_front),
            plain(&self.line[window.clone()]),
            ellipsis(window.end < self.line.len())
        );
        let margin = usize::from(cut_front);
        let places = self
            .marks
            .iter()
            .map(|mark| self.columns(&mark.range, &window, margin));
        let places: Vec<Option<Range<usize>>> = places.collect();
        let marked = places
            .iter()
            .flatten()
            .map(|place| place.end)
            .max()
            .unwrap_or(0);
        let carets = |place: &Option<Range<usize>>| {
            let place = place.clone().unwrap_or(0..0);
            let (front, carets) = (" ".repeat(place.start), "^".repeat(place.len()));
            format!("{:marked$}", front + &carets)
        };
        Shown {
            text,
            marks: places.iter().map(carets).collect(),
            unseen: places.iter().map(Option::is_none).collect(),
        }
    }

    /// The columns of a part, as far as it is visible. A line's end has the column after the line.
    fn columns(
        &self,
        part: &Range<usize>,
        window: &Range<usize>,
        margin: usize,
    ) -> Option<Range<usize>> {
        let Range { start, end } = *window;
        let first = part.start.max(start);
        let is_end = end == self.line.len() && self.ended;
        if first > end || (first == end && !is_end) {
            return None;
        }
        let last = part.end.clamp(first, end);
        // A map from outside may point into the middle of a character.
        let text = |from, to| self.line.get(from..to).unwrap_or_default();
        let column = margin + wide(text(start, first));
        Some(column..column + wide(text(first, last)).max(1))
    }

    /// The part of the line around its place that fits.
    fn window(&self, most: usize) -> Range<usize> {
        let line = &self.line;
        if wide(line) <= most {
            return 0..line.len();
        }
        let at = self.at.min(line.len());
        let room = |chars: &mut dyn Iterator<Item = (usize, char)>, most: usize| {
            let mut used = 0;
            chars
                .take_while(|(_, c)| {
                    used += wide(c.encode_utf8(&mut [0; 4]));
                    used <= most
                })
                .last()
        };
        let front = room(&mut line[..at].char_indices().rev(), FRONT.min(most / 2));
        let start = front.map_or(at, |(first, _)| first);
        let end = room(&mut line[start..].char_indices(), most);
        let end = end.map_or(0, |(last, c)| last + c.len_utf8());
        start..start + end
    }
}

/// The width of a text on a terminal.
fn wide(text: &str) -> usize {
    width(&plain(text))
}
