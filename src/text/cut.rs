//! Budgets on texts: what is kept at both ends, and how documents share a total.

use super::measure::{Unit, back, forward, size, size_of_joined};
use super::{Text, TextBuf};
use std::ops::Range;
use unicode_segmentation::GraphemeCursor;

/// Where a cut may fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Boundary {
    /// Between any two Unicode scalar values.
    Char,
    /// Between grapheme clusters.
    Grapheme,
    /// Behind a line feed.
    Line,
    /// Behind a blank line.
    Paragraph,
}

/// One maximum and how a longer text is cut to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The largest size.
    pub max: usize,
    /// In which unit.
    pub unit: Unit,
    /// Fraction of the maximum to keep from the start; all of it if neither is given.
    pub head: Option<f64>,
    /// Fraction of the maximum to keep from the end.
    pub tail: Option<f64>,
    /// Where a cut may fall.
    pub at: Boundary,
    /// What is left out begins and ends at multiples of this, counted from the start in `unit`; 0 and 1 ask for nothing.
    pub step: usize,
    /// Whether the marker comes on top of the maximum instead of out of it.
    pub marker_outside: bool,
}

impl Rule {
    /// The units to keep at the start and at the end, before the marker takes its room.
    ///
    /// Together they are never more than the maximum, whatever the fractions: the tail gives way.
    fn shares(&self) -> (usize, usize) {
        let (head, tail) = match (self.head, self.tail) {
            (None, None) => (1.0, 0.0),
            (head, tail) => (head.unwrap_or(0.0), tail.unwrap_or(0.0)),
        };
        let head = share(self.max, head);
        (head, share(self.max, tail).min(self.max - head))
    }

    /// The last place at or in front of `place` where a head may end.
    fn head_end(&self, text: &str, place: usize) -> usize {
        round_down(text, self.step_down(text, place), self.at)
    }

    /// The first place at or behind `place` where a tail may begin.
    fn tail_start(&self, text: &str, place: usize) -> usize {
        round_up(text, self.step_up(text, place), self.at)
    }

    fn step_down(&self, text: &str, place: usize) -> usize {
        if self.step < 2 || place == text.len() {
            return place;
        }
        let units = whole_units(&text[..place], self.unit);
        let kept = units - units % self.step;
        forward_within(text, kept, self.unit).min(place)
    }

    fn step_up(&self, text: &str, place: usize) -> usize {
        if self.step < 2 || place == 0 {
            return place;
        }
        let front = &text[..place];
        let begun = self.unit == Unit::Lines && !front.ends_with('\n');
        let units = whole_units(front, self.unit) + usize::from(begun);
        let omitted = units.checked_next_multiple_of(self.step);
        omitted.map_or(text.len(), |n| forward(text, 0, n, self.unit).max(place))
    }
}

/// How many units of `text` are complete: a line that does not end is not.
fn whole_units(text: &str, unit: Unit) -> usize {
    match unit {
        Unit::Lines if !text.ends_with('\n') => size(text, unit).saturating_sub(1),
        _ => size(text, unit),
    }
}

/// `fraction` of `max`, computed in double and rounded down.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the language says that it is computed so; the cast back saturates"
)]
fn share(max: usize, fraction: f64) -> usize {
    ((max as f64 * fraction).floor() as usize).min(max)
}

/// What a cut did, in the unit of its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Kept at the start.
    pub kept_head: usize,
    /// Kept at the end.
    pub kept_tail: usize,
    /// The text before the cut.
    pub total: usize,
    /// Left out.
    pub omitted: usize,
}

/// What became of a text.
#[expect(clippy::enum_variant_names, reason = "a cut that cuts is one")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// It fits as it is.
    Whole,
    /// It was cut.
    Cut {
        /// What is left, marker included.
        text: Text,
        /// What the marker in it says.
        sizes: Sizes,
        /// The bytes of the input kept at the start and at the end; either may be empty.
        kept: [Range<usize>; 2],
    },
    /// Not even the marker fits.
    Nothing,
}

/// Rounds in which exactly the excess is taken; a marker that still grows against the cut loses to doubling steps.
const PATIENCE: u32 = 16;

/// Cuts `text` to what `rule` allows.
///
/// Head and tail are taken, the marker is rendered for them, what is too much is taken from the tail and then from the
/// head, and the marker is rendered again, until it fits. A round takes at least one unit, and from the 17th on at least
/// twice as much as the round before, so that there are never more than about eighty of them however the marker's length
/// depends on the sizes.
///
/// `also` are maxima that the result must keep besides, marker included: those of budgets that were applied before, which
/// a marker could break again.
///
/// # Errors
/// Those of `marker`.
pub fn cut<E>(
    text: &Text,
    rule: &Rule,
    also: &[(Unit, usize)],
    marker: &mut dyn FnMut(Sizes) -> Result<Text, E>,
) -> Result<Cut, E> {
    let s = text.as_str();
    let total = size(s, rule.unit);
    if total <= rule.max {
        return Ok(Cut::Whole);
    }
    let (head, tail) = rule.shares();
    let mut head = rule.head_end(s, forward_within(s, head, rule.unit));
    let mut tail = rule.tail_start(s, back_within(s, tail, rule.unit));
    for round in 0_u32.. {
        let sizes = sizes(s, head, tail, total, rule.unit);
        let mark = marker(sizes)?;
        let parts = [&s[..head], mark.as_str(), &s[tail..]];
        let counted = if rule.marker_outside {
            size_of_joined(&[parts[0], parts[2]], rule.unit)
        } else {
            size_of_joined(&parts, rule.unit)
        };
        let others = also
            .iter()
            .map(|(unit, max)| (*unit, size_of_joined(&parts, *unit), *max));
        let over: Vec<(Unit, usize)> = std::iter::once((rule.unit, counted, rule.max))
            .chain(others)
            .filter(|(_, size, max)| size > max)
            .map(|(unit, size, max)| (unit, size - max))
            .collect();
        if over.is_empty() {
            return Ok(join(text, head, tail, &mark, sizes));
        }
        if head == 0 && tail == s.len() {
            break;
        }
        let step = 1_usize
            .checked_shl(round.saturating_sub(PATIENCE))
            .unwrap_or(usize::MAX);
        (head, tail) = shrunk(s, head, tail, &over, step, rule);
    }
    Ok(Cut::Nothing)
}

/// Takes what is `over`, at least `step` of each unit, from the tail and then from the head.
fn shrunk(
    text: &str,
    head: usize,
    tail: usize,
    over: &[(Unit, usize)],
    step: usize,
    rule: &Rule,
) -> (usize, usize) {
    let (mut less_head, mut less_tail) = (head, tail);
    for (unit, excess) in over {
        let excess = (*excess).max(step);
        let from_head = excess.saturating_sub(size(&text[tail..], *unit));
        less_tail = less_tail.max(forward(text, tail, excess, *unit));
        less_head = less_head.min(back(text, head, from_head, *unit));
    }
    (
        rule.head_end(text, less_head),
        rule.tail_start(text, less_tail),
    )
}

fn sizes(text: &str, head: usize, tail: usize, total: usize, unit: Unit) -> Sizes {
    let kept_head = size(&text[..head], unit);
    let kept_tail = size(&text[tail..], unit);
    Sizes {
        kept_head,
        kept_tail,
        total,
        // Tokens that reach over a cut count on both sides of it.
        omitted: total.saturating_sub(kept_head + kept_tail),
    }
}

/// The result; a text without a byte is none.
fn join(text: &Text, head: usize, tail: usize, marker: &Text, sizes: Sizes) -> Cut {
    let len = text.as_str().len();
    let mut out = TextBuf::default();
    out.push_part(text, 0..head);
    out.push(marker);
    out.push_part(text, tail..len);
    if out.is_empty() {
        return Cut::Nothing;
    }
    Cut::Cut {
        text: out.finish(),
        sizes,
        kept: [0..head, tail..len],
    }
}

/// The end of the first `n` units, never more than they are.
fn forward_within(text: &str, n: usize, unit: Unit) -> usize {
    match unit {
        Unit::Bytes => text.floor_char_boundary(n),
        Unit::Chars | Unit::Lines => forward(text, 0, n, unit),
        Unit::Tokens(tokenizer) => tokenizer.ruler(text).forward(n),
    }
}

/// The start of the last `n` units, never more than they are.
fn back_within(text: &str, n: usize, unit: Unit) -> usize {
    match unit {
        Unit::Bytes => text.ceil_char_boundary(text.len().saturating_sub(n)),
        Unit::Chars | Unit::Lines => back(text, text.len(), n, unit),
        Unit::Tokens(tokenizer) => tokenizer.ruler(text).back(n),
    }
}

/// The last boundary at or in front of `place`, which must be between two code points.
fn round_down(text: &str, place: usize, at: Boundary) -> usize {
    match at {
        _ if place == 0 || place == text.len() => place,
        Boundary::Char => place,
        Boundary::Grapheme => {
            let mut cursor = GraphemeCursor::new(place, text.len(), true);
            match cursor.is_boundary(text, 0) {
                Ok(true) => place,
                _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
            }
        }
        Boundary::Line => text[..place].rfind('\n').map_or(0, |feed| feed + 1),
        Boundary::Paragraph => {
            let mut ends = text[..place].rmatch_indices('\n').map(|(at, _)| at + 1);
            ends.find(|end| behind_blank_line(text, *end)).unwrap_or(0)
        }
    }
}

/// The first boundary at or behind `place`, which must be between two code points.
fn round_up(text: &str, place: usize, at: Boundary) -> usize {
    match at {
        _ if place == 0 || place == text.len() => place,
        Boundary::Char => place,
        Boundary::Grapheme => {
            let mut cursor = GraphemeCursor::new(place, text.len(), true);
            match cursor.is_boundary(text, 0) {
                Ok(true) => place,
                _ => (cursor.next_boundary(text, 0).ok().flatten()).unwrap_or(text.len()),
            }
        }
        Boundary::Line => line_ends(text, place).next().unwrap_or(text.len()),
        Boundary::Paragraph => line_ends(text, place)
            .find(|end| behind_blank_line(text, *end))
            .unwrap_or(text.len()),
    }
}

/// The places behind a line feed at or behind `place`, which must not be 0.
fn line_ends(text: &str, place: usize) -> impl Iterator<Item = usize> {
    let from = text.floor_char_boundary(place - 1);
    text[from..]
        .match_indices('\n')
        .map(move |(at, _)| from + at + 1)
}

/// Whether the line that ends in front of `end` (behind a line feed) holds only spaces and tabs.
fn behind_blank_line(text: &str, end: usize) -> bool {
    let line = text[..end - 1].trim_end_matches([' ', '\t', '\r']);
    line.is_empty() || line.ends_with('\n')
}

/// What a document may take of a shared budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowance {
    /// All that it has.
    Whole,
    /// So much, after a cut.
    CutTo(usize),
    /// Nothing.
    Drop {
        /// The floor, if more is left than nothing but less than it.
        floor: Option<usize>,
    },
}

/// `budget each=M total=N floor=K` over documents in order.
///
/// For each document ask [`Spread::next`], then tell with [`Spread::spent`] what it came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    each: Option<usize>,
    left: Option<usize>,
    floor: usize,
}

impl Spread {
    /// A budget of which nothing is spent.
    #[must_use]
    pub fn new(each: Option<usize>, total: Option<usize>, floor: Option<usize>) -> Self {
        Self {
            each,
            left: total,
            floor: floor.unwrap_or(0),
        }
    }

    /// What the next document may take, if it has `size`.
    ///
    /// The floor is held against what is left of the total: a small `each` alone drops nothing.
    #[must_use]
    pub fn next(&self, size: usize) -> Allowance {
        let left = self.left.unwrap_or(usize::MAX);
        let max = self.each.unwrap_or(usize::MAX).min(left);
        if size <= max {
            Allowance::Whole
        } else if max == 0 {
            Allowance::Drop { floor: None }
        } else if left < self.floor {
            Allowance::Drop {
                floor: Some(self.floor),
            }
        } else {
            Allowance::CutTo(max)
        }
    }

    /// Takes what a document came to after its cut (a marker that stands outside not counted) off the total.
    pub fn spent(&mut self, size: usize) {
        self.left = self.left.map(|left| left.saturating_sub(size));
    }

    /// What is left of the total, if there is one.
    #[must_use]
    pub fn left(&self) -> Option<usize> {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SpanKind;
    use proptest::prelude::{
        Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest,
    };
    use proptest::test_runner::TestCaseError;
    use std::convert::Infallible;
    use unicode_segmentation::UnicodeSegmentation;

    fn rule(max: usize) -> Rule {
        Rule {
            max,
            unit: Unit::Chars,
            head: None,
            tail: None,
            at: Boundary::Grapheme,
            step: 0,
            marker_outside: false,
        }
    }

    fn document(text: &str) -> Text {
        Text::new(text, SpanKind::Document, Some(1), 7)
    }

    fn run(text: &str, rule: &Rule, marker: &dyn Fn(Sizes) -> String) -> Cut {
        let mut render = |sizes| {
            let text = marker(sizes);
            Ok::<_, Infallible>(Text::new(text, SpanKind::Template, Some(0), 0))
        };
        match cut(&document(text), rule, &[], &mut render) {
            Ok(cut) => cut,
            Err(never) => match never {},
        }
    }

    fn text_of(cut: &Cut) -> &str {
        match cut {
            Cut::Cut { text, .. } => text.as_str(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_fits_is_whole() {
        let marker = |_| unreachable!();
        assert_eq!(run("abc", &rule(3), &marker), Cut::Whole);
        assert_eq!(run("", &rule(0), &marker), Cut::Whole);
    }

    #[test]
    fn marker_takes_its_room_from_the_tail_first() {
        let rule = Rule {
            head: Some(0.7),
            tail: Some(0.3),
            ..rule(10)
        };
        let cut = run("abcdefghijklmnop", &rule, &|_| "..".to_owned());
        assert_eq!(text_of(&cut), "abcdefg..p");
        let cut = run("abcdefghijklmnop", &rule, &|_| ".....".to_owned());
        assert_eq!(text_of(&cut), "abcde.....");
        let cut = run("abcdefghijklmnop", &rule, &|_| "0123456789".to_owned());
        assert_eq!(text_of(&cut), "0123456789");
        let cut = run("abcdefghijklmnop", &rule, &|_| "0123456789A".to_owned());
        assert_eq!(cut, Cut::Nothing);
    }

    #[test]
    fn marker_tells_what_was_kept() {
        let text = "x".repeat(1000);
        let cut = run(&text, &rule(100), &|s| {
            format!(
                "[{} {} {} {}]",
                s.kept_head, s.kept_tail, s.omitted, s.total
            )
        });
        // The first marker, `[100 0 900 1000]`, is one longer than the last; what it took is not given back.
        let kept = "x".repeat(84);
        assert_eq!(text_of(&cut), format!("{kept}[84 0 916 1000]"));
    }

    #[test]
    fn fractions_above_one_do_not_overlap() {
        let rule = Rule {
            head: Some(0.8),
            tail: Some(0.9),
            marker_outside: true,
            ..rule(10)
        };
        let cut = run("abcdefghijk", &rule, &|_| "-".to_owned());
        assert_eq!(text_of(&cut), "abcdefgh-jk");
    }

    #[test]
    fn one_fraction_makes_the_other_nothing() {
        let tail = Rule {
            tail: Some(0.5),
            ..rule(4)
        };
        assert_eq!(text_of(&run("abcdefgh", &tail, &|_| "-".into())), "-gh");
        let floor = Rule {
            head: Some(0.29),
            ..rule(100)
        };
        // 0.29 * 100 is 28.999999999999996 in double.
        let cut = run(&"x".repeat(101), &floor, &|_| "-".into());
        assert_eq!(text_of(&cut).len(), 29);
    }

    #[test]
    fn clusters_stay_together() {
        let flag = "\u{1F1E8}\u{1F1ED}";
        let text = flag.repeat(4);
        let cut = run(&text, &rule(5), &|_| String::new());
        assert_eq!(text_of(&cut), flag.repeat(2));
        let char = Rule {
            at: Boundary::Char,
            ..rule(5)
        };
        let cut = run(&text, &char, &|_| String::new());
        assert_eq!(text_of(&cut).chars().count(), 5);
    }

    #[test]
    fn lines_and_paragraphs() {
        let text = "one\ntwo\n\nthree\nfour\n\nfive\n";
        let at = |at, head, tail| Rule {
            at,
            head: Some(head),
            tail: Some(tail),
            ..rule(21)
        };
        let dots = |_| String::from("..\n");
        let cut = run(text, &at(Boundary::Line, 0.5, 0.4), &dots);
        assert_eq!(text_of(&cut), "one\ntwo\n\n..\n\nfive\n");
        let cut = run(text, &at(Boundary::Paragraph, 0.8, 0.4), &dots);
        assert_eq!(text_of(&cut), "one\ntwo\n\n..\nfive\n");
        let lines = Rule {
            unit: Unit::Lines,
            ..rule(3)
        };
        let cut = run(text, &lines, &|s| format!("{} lines", s.omitted));
        assert_eq!(text_of(&cut), "one\ntwo\n5 lines");
    }

    #[test]
    fn a_step_holds_the_cut_while_the_text_grows() {
        let rule = Rule {
            head: Some(0.45),
            tail: Some(0.5),
            step: 10,
            ..rule(50)
        };
        let line: String = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
        let text = line.repeat(3);
        let starts = |rule: &Rule| -> Vec<usize> {
            let cuts = (60..90).map(|n| run(&text[..n], rule, &|_| "…".to_owned()));
            let starts = cuts.map(|cut| match cut {
                Cut::Cut { kept, .. } => {
                    assert_eq!(kept[0].end, rule.head.map_or(0, |_| 20));
                    kept[1].start
                }
                other => panic!("{other:?}"),
            });
            starts.collect()
        };
        // 25 from the end, and on to the next multiple of ten.
        assert_eq!(
            starts(&rule),
            (60..90)
                .map(|n: usize| (n - 25).next_multiple_of(10))
                .collect::<Vec<_>>()
        );
        // 49 from the end, since the marker counts.
        let tail = Rule {
            head: None,
            tail: Some(1.0),
            ..rule
        };
        assert_eq!(
            starts(&tail),
            (60..90)
                .map(|n: usize| (n - 49).next_multiple_of(10))
                .collect::<Vec<_>>()
        );
        let cut = run(
            "abcdefghij",
            &Rule {
                head: Some(1.0),
                ..tail
            },
            &|_| "…".into(),
        );
        assert_eq!(cut, Cut::Whole);
        let head = Rule {
            step: 4,
            ..self::rule(7)
        };
        assert_eq!(text_of(&run("abcdefghij", &head, &|_| "…".into())), "abcd…");
        let lines = Rule {
            unit: Unit::Lines,
            step: 2,
            tail: Some(1.0),
            ..self::rule(3)
        };
        assert_eq!(
            text_of(&run("1\n2\n3\n4\n5", &lines, &|_| String::new())),
            "3\n4\n5"
        );
        assert_eq!(
            text_of(&run("1\n2\n3\n4\n5\n6", &lines, &|_| String::new())),
            "5\n6"
        );
    }

    #[test]
    fn nothing_left_is_nothing() {
        assert_eq!(run("abc", &rule(0), &|_| String::new()), Cut::Nothing);
        let outside = Rule {
            marker_outside: true,
            ..rule(0)
        };
        assert_eq!(text_of(&run("abc", &outside, &|_| "-".into())), "-");
    }

    #[test]
    fn a_marker_keeps_the_other_maxima_too() {
        let text = "one\ntwo\nthree\nfour\n";
        let lines = Rule {
            unit: Unit::Lines,
            ..rule(3)
        };
        let mut marker =
            |_| Ok::<_, Infallible>(Text::new("[marker]\n", SpanKind::Template, Some(0), 0));
        let mut within =
            |max| match cut(&document(text), &lines, &[(Unit::Bytes, max)], &mut marker) {
                Ok(cut) => cut,
                Err(never) => match never {},
            };
        assert_eq!(text_of(&within(19)), "one\ntwo\n[marker]\n");
        assert_eq!(text_of(&within(16)), "one\ntwo[marker]\n");
        assert_eq!(text_of(&within(12)), "one[marker]\n");
        assert_eq!(text_of(&within(11)), "on[marker]\n");
        assert_eq!(text_of(&within(9)), "[marker]\n");
        assert_eq!(within(8), Cut::Nothing);
    }

    #[test]
    fn a_spiteful_marker_ends() {
        let text = "x".repeat(100_000);
        let rounds = std::cell::Cell::new(0);
        // Always one more than there is room for, while anything is kept.
        let cut = run(&text, &rule(90_000), &|s| {
            rounds.set(rounds.get() + 1);
            "m".repeat(90_001 - s.kept_head)
        });
        assert_eq!(cut, Cut::Nothing);
        assert!(rounds.get() < 80, "{}", rounds.get());
    }

    #[test]
    fn long_texts_take_linear_time() {
        // A text that is one grapheme cluster, one of flags only, one without a line end.
        for unit in ["\u{301}", "\u{1F1E8}", "\u{200D}\u{1F469}", "x"] {
            let text = format!("a{}", unit.repeat(300_000));
            for at in [Boundary::Grapheme, Boundary::Line, Boundary::Paragraph] {
                let rule = Rule {
                    head: Some(0.5),
                    tail: Some(0.5),
                    at,
                    ..rule(200_000)
                };
                run(&text, &rule, &|s| format!("{}", s.omitted));
            }
        }
    }

    #[test]
    fn spread_gives_later_ones_their_turn() {
        let mut spread = Spread::new(Some(40), Some(100), Some(20));
        assert_eq!(spread.next(50), Allowance::CutTo(40));
        spread.spent(40);
        assert_eq!(spread.next(30), Allowance::Whole);
        spread.spent(30);
        spread.spent(15);
        assert_eq!(spread.left(), Some(15));
        assert_eq!(spread.next(30), Allowance::Drop { floor: Some(20) });
        assert_eq!(spread.next(15), Allowance::Whole);
        spread.spent(15);
        assert_eq!(spread.next(1), Allowance::Drop { floor: None });
        assert_eq!(spread.next(0), Allowance::Whole);
    }

    #[test]
    fn spread_without_a_total_drops_nothing() {
        let spread = Spread::new(Some(10), None, Some(20));
        assert_eq!(spread.next(11), Allowance::CutTo(10));
        assert_eq!(
            Spread::new(None, Some(5), None).next(6),
            Allowance::CutTo(5)
        );
        assert_eq!(
            Spread::new(Some(0), None, None).next(6),
            Allowance::Drop { floor: None }
        );
    }

    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("a"),
            Just("bc"),
            Just("\n"),
            Just("\n\n"),
            Just(" \n"),
            Just("é"),
            Just("e\u{301}"),
            Just("\u{1F469}\u{200D}\u{1F680}"),
            Just("\u{1F1E8}\u{1F1ED}"),
            Just("\u{1F1E8}"),
            Just("\r\n"),
            Just("日")
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    fn fraction() -> impl Strategy<Value = Option<f64>> {
        proptest::option::of(0.0..=1.0)
    }

    fn rules() -> impl Strategy<Value = Rule> {
        let tokens = Unit::Tokens(crate::tokens::Tokenizer::O200K);
        let unit = prop_oneof![
            Just(Unit::Chars),
            Just(Unit::Bytes),
            Just(Unit::Lines),
            Just(tokens)
        ];
        let at = prop_oneof![
            Just(Boundary::Char),
            Just(Boundary::Grapheme),
            Just(Boundary::Line),
            Just(Boundary::Paragraph)
        ];
        let step = prop_oneof![Just(0), 1..20_usize];
        (
            (0..60_usize, unit),
            (fraction(), fraction()),
            (at, step),
            any::<bool>(),
        )
            .prop_map(
                |((max, unit), (head, tail), (at, step), marker_outside)| Rule {
                    max,
                    unit,
                    head,
                    tail,
                    at,
                    step,
                    marker_outside,
                },
            )
    }

    /// Markers of fixed, growing and shrinking length, with and without line ends.
    fn markers(kind: u8, s: Sizes) -> String {
        match kind {
            0 => String::new(),
            1 => format!("\n\n[{} of {}]\n\n", s.omitted, s.total),
            2 => "m".repeat(s.kept_head),
            3 => "m\n".repeat(s.omitted % 7),
            _ => "é".repeat(40 % (s.kept_head + s.kept_tail + 1)),
        }
    }

    fn on_boundary(text: &str, place: usize, at: Boundary) -> bool {
        let (before, behind) = text.split_at(place);
        before.is_empty()
            || behind.is_empty()
            || match at {
                Boundary::Char => true,
                Boundary::Grapheme => text.grapheme_indices(true).any(|(i, _)| i == place),
                Boundary::Line => before.ends_with('\n'),
                Boundary::Paragraph => {
                    before.ends_with('\n')
                        && before.lines().last().is_some_and(|l| l.trim().is_empty())
                }
            }
    }

    fn check(text: &str, rule: &Rule, kind: u8) -> Result<(), TestCaseError> {
        let result = run(text, rule, &|s| markers(kind, s));
        let total = size(text, rule.unit);
        prop_assert_eq!(matches!(result, Cut::Whole), total <= rule.max);
        let Cut::Cut {
            text: out,
            sizes,
            kept: [head, tail],
        } = &result
        else {
            return Ok(());
        };
        let (first, last) = (&text[head.clone()], &text[tail.clone()]);
        let marker = markers(kind, *sizes);
        prop_assert_eq!(out.as_str(), format!("{first}{marker}{last}"));
        prop_assert!(head.start == 0 && tail.end == text.len() && head.end <= tail.start);
        prop_assert!(
            on_boundary(text, head.end, rule.at) && on_boundary(text, tail.start, rule.at)
        );
        prop_assert_eq!(sizes.kept_head, size(first, rule.unit));
        prop_assert_eq!(sizes.kept_tail, size(last, rule.unit));
        prop_assert_eq!(sizes.total, total);
        prop_assert_eq!(sizes.omitted + sizes.kept_head + sizes.kept_tail, total);
        let counted = if rule.marker_outside {
            size(&format!("{first}{last}"), rule.unit)
        } else {
            size(out.as_str(), rule.unit)
        };
        prop_assert!(counted <= rule.max);
        if rule.step > 1 && matches!(rule.unit, Unit::Chars) && rule.at == Boundary::Char {
            prop_assert!(
                head.end == text.len() || size(first, rule.unit).is_multiple_of(rule.step)
            );
            let front = size(&text[..tail.start], rule.unit);
            prop_assert!(tail.start == text.len() || front.is_multiple_of(rule.step));
        }
        let runs: usize = out.runs().iter().map(|r| r.len).sum();
        prop_assert_eq!(runs, out.as_str().len());
        for run in out.runs().iter().filter(|r| r.kind == SpanKind::Document) {
            let offset = run.offset - 7;
            prop_assert!(offset == 0 || offset == tail.start);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn cuts_hold(text in texts(), rule in rules(), kind in 0_u8..5) {
            check(&text, &rule, kind)?;
            let again = |kind| run(&text, &rule, &move |s| markers(kind, s));
            prop_assert_eq!(again(kind), again(kind));
        }

        #[test]
        fn spreads_hold(sizes in proptest::collection::vec(0_usize..50, 0..20), each in 0_usize..40, total in 0_usize..200) {
            let mut spread = Spread::new(Some(each), Some(total), Some(8));
            let mut sum = 0;
            for size in sizes {
                let after = match spread.next(size) {
                    Allowance::Whole => size,
                    Allowance::CutTo(max) => max,
                    Allowance::Drop { .. } => 0,
                };
                prop_assert!(after <= each);
                spread.spent(after);
                sum += after;
            }
            prop_assert!(sum <= total);
        }
    }
}
