//! The copy of a text that patterns are matched against, with a mapping to the original.

use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};

/// A text as patterns see it.
pub(super) struct Copied<'t> {
    pub(super) text: Cow<'t, str>,
    /// Where stretches of the copy begin: in the copy and in the original, and whether the two have the same bytes from
    /// there on. Empty if all bytes are the same.
    stretches: Vec<CopyRange>,
    /// The end of the original.
    end: usize,
}

struct CopyRange {
    copy: usize,
    original: usize,
    same: bool,
}

impl<'t> Copied<'t> {
    /// The text itself.
    pub(super) fn same(text: &'t str) -> Self {
        Self {
            text: Cow::Borrowed(text),
            stretches: Vec::new(),
            end: text.len(),
        }
    }

    /// The bytes of the original for bytes of the copy; where the two differ, the whole source of a segment.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let start = self.place(range.start).0;
        // The last byte of a match belongs to it whole.
        let end = if range.is_empty() {
            start
        } else {
            self.place(range.end - 1).1
        };
        start..end.max(start)
    }

    /// The bytes of the original that became the one at `at`.
    fn place(&self, at: usize) -> (usize, usize) {
        let after = self.stretches.partition_point(|s| s.copy <= at);
        let Some(stretch) = after.checked_sub(1).and_then(|i| self.stretches.get(i)) else {
            return (at, at + 1);
        };
        if stretch.same {
            let at = stretch.original + (at - stretch.copy);
            return (at, at + 1);
        }
        let next = self.stretches.get(after);
        (stretch.original, next.map_or(self.end, |n| n.original))
    }
}

/// A text in the form NFKC.
pub(super) fn nfkc(text: &str) -> Copied<'_> {
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        return Copied::same(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut stretches: Vec<CopyRange> = Vec::new();
    let mut start = 0;
    for end in pieces(text) {
        let piece = &text[start..end];
        let from = out.len();
        if piece.is_ascii() || is_nfkc_quick(piece.chars()) == IsNormalized::Yes {
            out.push_str(piece)
        } else {
            out.extend(piece.nfkc())
        }
        let same = out[from..] == *piece;
        // Equal segments are merged; others are separate, so that each can be distinguished from the next.
        if !same || stretches.last().is_none_or(|last| !last.same) {
            stretches.push(CopyRange {
                copy: from,
                original: start,
                same,
            });
        }
        start = end;
    }
    Copied {
        text: Cow::Owned(out),
        stretches,
        end: text.len(),
    }
}

/// The ends of pieces whose concatenated forms are the form of the whole.
fn pieces(text: &str) -> impl Iterator<Item = usize> {
    let starts = text.char_indices().skip(1);
    let inner = starts.filter_map(|(at, c)| starts_segment(c).then_some(at));
    inner.chain((!text.is_empty()).then_some(text.len()))
}

/// Whether no text before a character can change its form, nor it that of the text before.
fn starts_segment(c: char) -> bool {
    if c.is_ascii() {
        return true;
    }
    let mut first = None;
    decompose_compatible(c, |part| first = first.or(Some(part)));
    first.is_some_and(|first| {
        canonical_combining_class(first) == 0
            && is_nfc_quick(std::iter::once(first)) != IsNormalized::Maybe
    })
}
