//! The character classes of the pre-tokenizers, in the Unicode version of tiktoken's regular expressions.

use super::layout::{BLOCK, BLOCKS};

/// The pages, after the number of each block's page.
static CLASSES: &[u8] = include_bytes!("data/classes.bin");

/// The class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// In none of the others.
    Other,
    /// A letter in upper or title case.
    Upper,
    /// A letter in lower case.
    Lower,
    /// A letter without case.
    Uncased,
    /// A mark, which is no letter.
    Mark,
    /// A number.
    Number,
    /// White space.
    Space,
}

impl Class {
    pub(super) fn of(c: char) -> Self {
        let at = c as usize;
        let page = usize::from(CLASSES[at / BLOCK]);
        match CLASSES[BLOCKS + page * BLOCK + at % BLOCK] {
            1 => Self::Upper,
            2 => Self::Lower,
            3 => Self::Uncased,
            4 => Self::Mark,
            5 => Self::Number,
            6 => Self::Space,
            _ => Self::Other,
        }
    }

    pub(super) fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Uncased)
    }
}
