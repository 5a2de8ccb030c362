//! The reader of a stretch.

use super::part::{BodyPart, Places};
use std::ops::Range;

/// Reads a stretch in those dumps that have it; all its places are by their order.
pub(super) struct Reader<'t> {
    pub(super) texts: &'t [&'t str],
    pub(super) who: Vec<usize>,
    pub(super) out: Vec<BodyPart>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(texts: &'t [&'t str], who: Vec<usize>) -> Self {
        Self {
            texts,
            who,
            out: Vec::new(),
        }
    }

    pub(super) fn text(&self, nth: usize, range: &Range<usize>) -> &'t str {
        &self.texts[self.who[nth]][range.clone()]
    }

    pub(super) fn values(&self, at: &[Range<usize>]) -> Vec<&'t str> {
        let both = at.iter().enumerate();
        both.map(|(nth, range)| self.text(nth, range)).collect()
    }

    /// Places by dump.
    pub(super) fn of_all(&self, at: &[Range<usize>]) -> Places {
        let mut out = vec![None; self.texts.len()];
        for (dump, range) in self.who.iter().zip(at) {
            out[*dump] = Some(range.clone());
        }
        out
    }

    /// Adds a place; if it is the same everywhere, as text.
    pub(super) fn add(&mut self, at: &[Range<usize>]) {
        let values = self.values(at);
        if values.iter().any(|v| *v != values[0]) {
            let at = self.of_all(at);
            self.push(BodyPart::Slot(at));
        } else {
            self.add_text(values[0]);
        }
    }

    pub(super) fn add_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.push(BodyPart::Text(text.to_owned()));
        }
    }

    /// Adds a piece; it joins the one before if both are text, or two places without anything between.
    pub(super) fn push(&mut self, piece: BodyPart) {
        match (self.out.last_mut(), piece) {
            (Some(BodyPart::Text(before)), BodyPart::Text(text)) => before.push_str(&text),
            (Some(BodyPart::Slot(before)), BodyPart::Slot(at)) => {
                for (before, at) in before.iter_mut().zip(at) {
                    if let (Some(before), Some(at)) = (before, at) {
                        before.end = at.end;
                    }
                }
            }
            (_, piece) => self.out.push(piece),
        }
    }
}
