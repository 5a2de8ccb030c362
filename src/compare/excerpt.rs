//! The old and the new text at a difference, short enough for a line.

use super::side::Side;
use crate::prompt::{Ingredient, Span};
use crate::text::difference::{self, Room};
use crate::text::{Json, prefix};

/// The first difference of what one ingredient gave to two layers.
#[derive(Debug, Default)]
pub(super) struct FirstDifference {
    /// The line in the ingredient, in B if it has it there, else in A.
    pub(super) line: Option<usize>,
    /// The line as it was, around the difference.
    pub(super) old: Option<String>,
    /// The line as it is; never the same.
    pub(super) new: Option<String>,
}

impl FirstDifference {
    /// A difference in a line, with the texts there.
    pub(super) fn new(line: Option<usize>, texts: [Option<&str>; 2]) -> Self {
        let [old, new] = both(texts);
        Self { line, old, new }
    }
}

/// Compares the bytes that the ingredients picked by `of_it` own on both sides.
pub(super) fn first(
    a: &Side<'_>,
    b: &Side<'_>,
    of_it: impl Fn(&Ingredient) -> bool,
) -> FirstDifference {
    let (x, y) = (Own::of(a, &of_it), Own::of(b, &of_it));
    fn alone<'p>(own: &Own<'p>) -> Own<'p> {
        own.stretches().into_iter().next().unwrap_or_default()
    }
    // Of a text that one side alone has, and perhaps twice, the first place.
    match (x.text.is_empty(), y.text.is_empty()) {
        (true, false) => between(&x, &alone(&y)),
        (false, true) => between(&alone(&x), &y),
        _ => between(&x, &y),
    }
}

/// Compares two runs of lines, each with the line that it begins at; one that a side does not have has no text. `is_shown` is whether a
/// line of a side may be seen.
pub(super) fn of_runs(
    a: Option<(&str, usize)>,
    b: Option<(&str, usize)>,
    is_shown: &dyn Fn(usize, &str) -> bool,
) -> FirstDifference {
    let [x, y] = [a, b].map(|run| run.map_or("", |(text, _)| text));
    let at = prefix::common(x, y);
    let line = |run: Option<(&str, usize)>| {
        let (text, line) = run.filter(|(text, _)| at < text.len())?;
        Some(line + text[..at].matches('\n').count())
    };
    let line = line(b).or_else(|| line(a));
    let texts = [line_at(x, at), line_at(y, at)];
    let mut sides = texts.iter().enumerate();
    let is_shown = sides.all(|(side, text)| text.is_none_or(|text| is_shown(side, text)));
    FirstDifference::new(line, if is_shown { texts } else { [None; 2] })
}

/// Compares the bytes that one ingredient owns on both sides.
pub(super) fn between(x: &Own<'_>, y: &Own<'_>) -> FirstDifference {
    let at = prefix::common(&x.text, &y.text);
    if at == x.text.len() && at == y.text.len() {
        return FirstDifference::default();
    }
    // Where one ends with a line and the other goes on, the change is in the next line.
    let behind = |text: &str, other: &str| {
        at + usize::from(at == other.len() && text[at..].starts_with('\n'))
    };
    let (of_x, of_y) = (behind(&x.text, &y.text), behind(&y.text, &x.text));
    let line = y.line(of_y).or_else(|| x.line(of_x));
    FirstDifference::new(line, [line_at(&x.text, of_x), line_at(&y.text, of_y)])
}

/// The excerpt of an unchanged text that moved.
pub(super) fn moved(x: &Own<'_>, y: &Own<'_>) -> FirstDifference {
    FirstDifference {
        line: y.line(0).or_else(|| x.line(0)),
        ..FirstDifference::default()
    }
}

/// Compares the bytes that an entry owns on both sides; `of` picks it on each side.
pub(super) fn entry(
    [a, b]: [&Side<'_>; 2],
    of: [&dyn Fn(&Ingredient) -> bool; 2],
    item: &str,
    is_moved: bool,
) -> FirstDifference {
    let (x, y) = (Own::of(a, of[0]), Own::of(b, of[1]));
    if is_moved {
        moved(&x, &y)
    } else {
        of_entry(&x, &y, item)
    }
}

/// Compares the texts of an entry called `item` run by run: its name and its description are separate in its file.
pub(super) fn of_entry(x: &Own<'_>, y: &Own<'_>, item: &str) -> FirstDifference {
    let (before, after) = (x.stretches(), y.stretches());
    let one_sided = |stretches: &[Own<'_>]| {
        let texts = stretches.iter().map(|s| s.text.as_str());
        let more: Vec<&str> = texts.filter(|text| *text != item).collect();
        (!more.is_empty()).then(|| more.join(" "))
    };
    match (before.first(), after.first()) {
        (None, None) => FirstDifference::default(),
        (Some(_), None) | (None, Some(_)) => {
            let line = y.line(0).or_else(|| x.line(0));
            let texts = [one_sided(&before), one_sided(&after)];
            FirstDifference::new(line, texts.each_ref().map(Option::as_deref))
        }
        (Some(_), Some(_)) => {
            let mut pairs = before.iter().zip(&after);
            let same = pairs.position(|(x, y)| x.text != y.text);
            let at = same.unwrap_or(before.len().min(after.len()));
            let nothing = Own::default();
            between(
                before.get(at).unwrap_or(&nothing),
                after.get(at).unwrap_or(&nothing),
            )
        }
    }
}

/// What is shown of the texts of both sides: where they differ, and none of two that are equal.
pub(super) fn both(texts: [Option<&str>; 2]) -> [Option<String>; 2] {
    match texts {
        [Some(old), Some(new)] if old == new => [None, None],
        [Some(old), Some(new)] => difference::pair(old, new, Room::VALUE).map(Some),
        texts => texts.map(|text| text.map(short)),
    }
}

/// The characters that are no white space.
pub(super) fn blankless(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace())
}

/// The exact bytes that some ingredients own in a layer, concatenated.
#[derive(Default)]
pub(super) struct Own<'p> {
    text: String,
    spans: Vec<&'p Span>,
}

impl<'p> Own<'p> {
    fn of(side: &Side<'p>, of_it: impl Fn(&Ingredient) -> bool) -> Self {
        let spans: Vec<&Span> = side
            .spans()
            .iter()
            .filter(|s| s.offset.is_some() && side.ingredient(s.ingredient).is_some_and(&of_it))
            .collect();
        Self::of_spans(side, spans)
    }

    /// The excerpt of the spans that are copied from one ingredient.
    pub(super) fn of_spans(side: &Side<'_>, spans: Vec<&'p Span>) -> Self {
        Self {
            text: spans.iter().map(|s| side.bytes(s)).collect(),
            spans,
        }
    }

    /// The excerpt in pieces, each of which is contiguous in its ingredient.
    fn stretches(&self) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        let mut start = 0;
        for span in &self.spans {
            let end = start + (span.end - span.start);
            let text = &self.text[start..end];
            start = end;
            let last = out.last_mut().filter(|last| {
                let before = last.spans.last();
                before.and_then(|b| Some(b.offset? + (b.end - b.start))) == span.offset
            });
            match last {
                Some(last) => {
                    last.text.push_str(text);
                    last.spans.push(span);
                }
                None => out.push(Self {
                    text: text.to_owned(),
                    spans: vec![span],
                }),
            }
        }
        out
    }

    /// The line of a byte; of the end, that of the last byte.
    fn line(&self, at: usize) -> Option<usize> {
        let mut start = 0;
        for (index, span) in self.spans.iter().enumerate() {
            let end = start + (span.end - span.start);
            if at < end || index + 1 == self.spans.len() {
                let before = &self.text.as_bytes()[start..at.min(self.text.len())];
                let breaks = before.iter().filter(|b| **b == b'\n').count();
                return Some(span.line? + breaks);
            }
            start = end;
        }
        None
    }
}

/// The line around a byte; none at the end of the text, and of an empty line.
fn line_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..).filter(|r| !r.is_empty())?;
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = at + rest.find('\n').unwrap_or(rest.len());
    let line = &text[start..end];
    (!line.is_empty()).then_some(line)
}

/// A text of one line that is not too long.
pub(super) fn short(text: &str) -> String {
    difference::alone(text, Room::VALUE)
}

/// The values of a fact or of an item of it; of a text its quotes too, where the other is another kind of value.
pub(super) fn values(values: [Option<&Json>; 2]) -> [Option<String>; 2] {
    let bare = |value: &Json| match value.as_text() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    let texts = values.map(|value| value.map(bare));
    let texts = if texts[0] == texts[1] {
        values.map(|value| value.map(Json::to_string))
    } else {
        texts
    };
    both(texts.each_ref().map(Option::as_deref))
}
