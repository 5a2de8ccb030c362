//! Bytes as the parts that a property needs. Sections end at a byte 0xFF, which stands in no UTF-8.

use std::borrow::Cow;

/// What is left of an input. At its end there are zeros and empty sections.
pub(super) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// One of these.
    pub(super) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }

    /// The bytes up to the next 0xFF.
    pub(super) fn section(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|b| *b == 0xFF);
        let (section, rest) = match end {
            Some(end) => (&self.0[..end], &self.0[end + 1..]),
            None => (self.0, &[][..]),
        };
        self.0 = rest;
        section
    }

    /// The same as text.
    pub(super) fn text(&mut self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.section())
    }
}
