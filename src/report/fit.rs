//! Texts within a number of terminal columns.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text if it fits into `columns`, else its beginning and an ellipsis.
pub(super) fn fit(text: &str, columns: usize, ascii: bool) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let ellipsis = if ascii { "..." } else { "…" };
    let room = columns.saturating_sub(width(ellipsis));
    let mut out = String::new();
    let mut taken = 0;
    for c in text.chars() {
        taken += c.width().unwrap_or(0);
        if taken > room {
            break;
        }
        out.push(c);
    }
    out.push_str(ellipsis);
    out
}

/// A line of spaces with `mark` under the columns of `range` (bytes of `text`).
pub(super) fn underline(text: &str, marks: &[std::ops::Range<usize>], mark: char) -> String {
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        let marked = marks.iter().any(|range| range.contains(&at));
        let columns = c.width().unwrap_or(0);
        out.extend(std::iter::repeat_n(
            if marked { mark } else { ' ' },
            columns,
        ));
    }
    out.trim_end().to_owned()
}
