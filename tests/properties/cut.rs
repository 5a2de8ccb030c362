//! Cuts of any text in every unit: never above the maximum, between characters, clusters whole, and as the marker says.

use super::input::Input;
use promptc::text::cut::{Boundary, Cut, Rule, Sizes, cut};
use promptc::text::measure::{Unit, size};
use promptc::text::{SpanKind, Text, TextBuf};
use std::convert::Infallible;
use unicode_segmentation::UnicodeSegmentation as _;

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let units: Vec<Unit> = Unit::all().collect();
    let rule = Rule {
        unit: input.of(&units),
        max: usize::from(input.byte()) * usize::from(input.of(&[1_u8, 1, 16])),
        head: fraction(input.byte()),
        tail: fraction(input.byte()),
        at: input.of(&[
            Boundary::Char,
            Boundary::Grapheme,
            Boundary::Line,
            Boundary::Paragraph,
        ]),
        step: usize::from(input.of(&[0_u8, 1, 2, 7, 100])),
        marker_outside: input.byte() % 4 == 1,
    };
    let also: Vec<(Unit, usize)> = match input.byte() {
        n if n < 128 => Vec::new(),
        n => vec![(input.of(&Unit::PLAIN), usize::from(n))],
    };
    let shape = input.byte();
    let marker = input.text().into_owned();
    let text = input.text().into_owned();
    let written = |sizes: Sizes| text_of(&mark(&marker, shape, sizes), SpanKind::Template);
    let made = cut(&text_of(&text, SpanKind::Document), &rule, &also, &mut |sizes| {
        Ok::<_, Infallible>(written(sizes))
    });
    let Ok(made) = made;
    match made {
        Cut::Whole => assert!(size(&text, rule.unit) <= rule.max),
        Cut::Nothing => assert!(size(&text, rule.unit) > rule.max),
        Cut::Cut { text: left, sizes, kept: [head, tail] } => {
            let (left, mark) = (left.as_str(), written(sizes));
            let (front, back) = (&text[head.clone()], &text[tail.clone()]);
            assert_eq!(left, [front, mark.as_str(), back].concat());
            assert!(head.start == 0 && head.end <= tail.start && tail.end == text.len());
            let counted = if rule.marker_outside { size(&[front, back].concat(), rule.unit) } else { size(left, rule.unit) };
            assert!(counted <= rule.max, "{counted} of {}", rule.max);
            for (unit, max) in &also {
                assert!(size(left, *unit) <= *max);
            }
            assert_eq!(sizes.total, size(&text, rule.unit));
            assert_eq!(sizes.kept_head, size(front, rule.unit));
            assert_eq!(sizes.kept_tail, size(back, rule.unit));
            let kept = sizes.kept_head + sizes.kept_tail;
            assert_eq!(sizes.omitted, sizes.total.saturating_sub(kept));
            for place in [head.end, tail.start] {
                falls(&text, place, rule.at);
            }
        }
    }
}

/// Whether a cut may fall there.
fn falls(text: &str, place: usize, at: Boundary) {
    if place == 0 || place == text.len() {
        return;
    }
    let front = &text[..place];
    let right = match at {
        Boundary::Char => true,
        Boundary::Grapheme => text.grapheme_indices(true).any(|(at, _)| at == place),
        Boundary::Line => front.ends_with('\n'),
        Boundary::Paragraph => {
            let line = front.strip_suffix('\n').map(|f| f.rsplit('\n').next().unwrap_or(""));
            line.is_some_and(|l| l.trim_matches([' ', '\t', '\r']).is_empty())
        }
    };
    assert!(right, "{at:?} at {place} of {text:?}");
}

fn fraction(byte: u8) -> Option<f64> {
    match byte {
        0..=49 => None,
        n => Some(f64::from(n - 50) / 100.0),
    }
}

/// A marker whose length depends on what it says.
fn mark(text: &str, shape: u8, sizes: Sizes) -> String {
    match shape % 4 {
        0 => text.to_owned(),
        1 => format!("{text}{}", sizes.omitted),
        2 => text.repeat(sizes.kept_head.min(20)),
        _ => text.repeat(sizes.omitted.min(20)),
    }
}

fn text_of(text: &str, kind: SpanKind) -> Text {
    let mut out = TextBuf::default();
    out.push_str(text, kind, Some(0), 0);
    out.finish()
}
