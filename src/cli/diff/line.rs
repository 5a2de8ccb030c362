//! A line of the answer for people.

use crate::cli::ui::words::plain;

/// A line with the word that says what it is about.
pub(crate) struct Line {
    pub(crate) word: &'static str,
    pub(crate) text: String,
}

impl Line {
    /// Names come from outside: none of their characters works in a terminal.
    pub(crate) fn new(word: &'static str, text: String) -> Self {
        Self {
            word,
            text: plain(&text),
        }
    }
}
