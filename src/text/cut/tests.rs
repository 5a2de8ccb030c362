//! Cuts in all units, by hand and as a property.

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
fn a_fitting_text_is_whole() {
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
fn marker_reports_the_kept_part() {
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
    let mut within = |max| match cut(&document(text), &lines, &[(Unit::Bytes, max)], &mut marker) {
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
    // Always one more than there is room for, while any text remains.
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
    let tokens = Unit::Tokens(crate::text::tokens::Tokenizer::O200K);
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
                before.ends_with('\n') && before.lines().last().is_some_and(|l| l.trim().is_empty())
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
    prop_assert!(on_boundary(text, head.end, rule.at) && on_boundary(text, tail.start, rule.at));
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
        prop_assert!(head.end == text.len() || size(first, rule.unit).is_multiple_of(rule.step));
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
