//! Pieces that are one value or one edit.

use super::part::{BodyPart, Places};
use super::reader::Reader;
use crate::adopt::label;
use std::ops::Range;

/// This many words between two values do not separate them, if one value may be missing.
const WORDS_BETWEEN: usize = 2;

impl Reader<'_> {
    /// The pieces, where several that are one value or one edit are one:
    ///
    /// - lines of which each dump has some and none are in all: each dump has another text there;
    /// - a value that some dumps lack, and one close before it: a sentence with more in it;
    /// - the end of a line that differs, and lines after it that continue it.
    pub(super) fn whole(self) -> Vec<BodyPart> {
        let mut out: Vec<BodyPart> = Vec::new();
        let mut rest = self.out.iter().peekable();
        while let Some(piece) = rest.next() {
            match (out.last_mut(), piece) {
                (Some(BodyPart::Text(before)), BodyPart::Text(text)) => before.push_str(text),
                _ => out.push(piece.clone()),
            }
            // A run of lines is compared as a whole.
            if matches!(rest.peek(), Some(BodyPart::Lines(..)))
                && matches!(piece, BodyPart::Lines(..))
            {
                continue;
            }
            while let Some((from, at, end)) = self.one_value(&out) {
                out.truncate(from);
                out.push(BodyPart::Slot(at));
                out.extend(end.map(BodyPart::Text));
            }
        }
        out
    }

    /// The place that the last of the pieces make together, where it begins among them, and what ends it.
    fn one_value(&self, out: &[BodyPart]) -> Option<(usize, Places, Option<String>)> {
        use BodyPart::{Lines, Slot, Text};
        let value = |dump: usize, at: &Option<Range<usize>>| self.texts[dump].get(at.clone()?);
        let lacks = |at: &Places| {
            self.who
                .iter()
                .any(|dump| value(*dump, &at[*dump]).is_some_and(|v| v.trim().is_empty()))
        };
        match out {
            [.., Slot(first), Text(between), Slot(last)] if lacks(last) || lacks(first) => {
                let few = between.split_whitespace().count() <= WORDS_BETWEEN
                    && !between.contains([':', '|', '<', '"']);
                few.then(|| (out.len() - 3, from_to(first, last), None))
            }
            [.., Slot(first), Text(end), Lines(more, inner)] if label::is_line_end(end) => {
                let goes_on = |dump: &usize| {
                    value(*dump, &more[*dump]).is_some_and(|v| v.starts_with(char::is_lowercase))
                };
                let there = self.who.iter().filter(|dump| more[**dump].is_some());
                let goes_on =
                    there.clone().count() > 0 && there.clone().all(goes_on) && !inner.is_empty();
                goes_on.then(|| (out.len() - 3, from_to(first, more), Some(end.clone())))
            }
            [.., Lines(..)] => {
                let run = out
                    .iter()
                    .rev()
                    .take_while(|piece| matches!(piece, Lines(..)))
                    .count();
                let from = out.len() - run;
                let mut at = vec![None; self.texts.len()];
                let is_list = |at: &[Option<Range<usize>>]| {
                    self.who
                        .iter()
                        .any(|dump| value(*dump, &at[*dump]).is_some_and(|v| v.contains('\n')))
                };
                // A list continues after a blank line.
                let start = match &out[..from] {
                    [.., Slot(first), Text(between)]
                        if between.trim().is_empty() && is_list(first) =>
                    {
                        let more = between.len() - 1;
                        at = first
                            .iter()
                            .map(|at| at.clone().map(|at| at.start..at.end + more))
                            .collect();
                        from - 2
                    }
                    _ if run < 2 => return None,
                    _ => from,
                };
                for piece in &out[from..] {
                    let Lines(own, inner) = piece else {
                        return None;
                    };
                    match inner.last() {
                        Some(Text(end)) if !end.ends_with("\r\n") => at = from_to(&at, own),
                        _ => return None,
                    }
                }
                // Lines that are called something stay apart.
                let is_called = |piece: &BodyPart| match piece {
                    Lines(own, _) => self.who.iter().any(|dump| {
                        value(*dump, &own[*dump]).is_some_and(|v| {
                            label::of_line(v.lines().next().unwrap_or_default()).is_some()
                        })
                    }),
                    Slot(_) | Text(_) => false,
                };
                if out[from..].iter().all(is_called) {
                    return None;
                }
                let all = self.who.iter().all(|dump| at[*dump].is_some());
                all.then(|| (start, at, Some("\n".to_owned())))
            }
            _ => None,
        }
    }
}

/// The bytes of both and of the text between them, in those dumps that have any.
fn from_to(first: &[Option<Range<usize>>], last: &[Option<Range<usize>>]) -> Places {
    let both = first.iter().zip(last);
    both.map(|both| match both {
        (Some(first), Some(last)) => Some(first.start..last.end),
        (first, last) => first.clone().or(last.clone()),
    })
    .collect()
}
