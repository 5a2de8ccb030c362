//! Token counts against a sample of what Python's tiktoken says (`tests/conformance/tokens` compares far more), and laws
//! of the counts.

use crate::docs::markdown::top;
use promptc::text::tokens::{ALL, Tally, Tokenizer, Vocabulary};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, prop_assert_ne, proptest};
use serde::Deserialize;
use std::fs;

#[derive(Deserialize)]
struct Line {
    text: String,
    times: usize,
    o200k: Said,
    cl100k: Said,
}

#[derive(Deserialize)]
struct Said {
    count: usize,
    ends: Option<Vec<usize>>,
    /// Where the pre-tokens end.
    pieces: Option<Vec<usize>>,
}

#[test]
fn counts_and_ends_are_those_of_tiktoken() {
    let sample = fs::read_to_string(top().join("tests/conformance/tokens/sample.jsonl")).unwrap();
    let lines: Vec<Line> = sample
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let with_ends = lines.iter().filter(|l| l.o200k.ends.is_some()).count();
    assert!(
        lines.len() >= 500 && with_ends >= 300,
        "a sample of some size"
    );
    for line in lines {
        let text = line.text.repeat(line.times);
        for (tokenizer, said) in [
            (Tokenizer::O200K, line.o200k),
            (Tokenizer::CL100K, line.cl100k),
        ] {
            let named = || format!("{}: {:?} × {}", tokenizer.name, line.text, line.times);
            assert_eq!(tokenizer.count(&text), said.count, "{}", named());
            let ends = tokenizer.vocabulary.tokens(&text).map(|t| t.end);
            if let Some(said) = said.ends {
                assert_eq!(ends.collect::<Vec<_>>(), said, "{}", named());
            }
            let pieces = tokenizer.vocabulary.pieces(&text).map(|p| p.end);
            if let Some(said) = said.pieces {
                assert_eq!(pieces.collect::<Vec<_>>(), said, "{}", named());
            }
        }
    }
}

#[test]
fn names_of_special_tokens_are_text() {
    for tokenizer in [Tokenizer::O200K, Tokenizer::CL100K] {
        assert_eq!(tokenizer.count("<|endoftext|>"), 7, "{}", tokenizer.name);
    }
}

#[test]
fn every_tokenizer_is_found_by_its_name_and_described() {
    let page = fs::read_to_string(top().join("docs/tokens.md")).unwrap();
    for tokenizer in ALL {
        assert_eq!(Tokenizer::parse(tokenizer.name), Some(*tokenizer));
        let kind = match tokenizer.percent {
            None => "exact".to_owned(),
            Some(percent) => format!("~ {percent} % of `o200k`"),
        };
        let row = format!("| `{}` | {} | {kind} |", tokenizer.name, tokenizer.about);
        assert!(page.contains(&row), "docs/tokens.md lacks the row {row}");
    }
    assert_eq!(Tokenizer::parse("O200K"), None);
}

#[test]
fn estimates_are_rounded_up() {
    let claude = Tokenizer::parse("claude").unwrap();
    assert!(!claude.is_exact() && Tokenizer::O200K.is_exact());
    for (text, count) in [("", 0), ("a", 2), ("a b c", 5), ("a b c d e", 7)] {
        assert_eq!(claude.count(text), count, "{text:?}");
    }
}

#[test]
fn a_token_belongs_to_the_part_with_its_first_byte() {
    // " world" is one token, which the cut after its space splits.
    let parts = |ends: &[usize]| Tokenizer::O200K.count_parts("hello world", ends);
    assert_eq!(parts(&[5, 11]), [1, 1]);
    assert_eq!(parts(&[6, 11]), [2, 0]);
    assert_eq!(parts(&[0, 0, 11, 11]), [0, 0, 2, 0]);
    assert_eq!(Tokenizer::O200K.count_parts("", &[0, 0]), [0, 0]);
}

#[test]
fn common_tokens_are_those_of_the_whole_texts() {
    let common = |a, b| Tokenizer::O200K.count_common(a, b);
    assert_eq!(common("hello world", "hello world"), 2);
    // " wor" is common, but both words are one token each.
    assert_eq!(common("hello world", "hello wording"), 1);
    assert_eq!(common("", "hello"), 0);
}

#[test]
fn a_ruler_finds_cuts() {
    let text = "one two three";
    let ruler = Tokenizer::O200K.ruler(text);
    assert_eq!(ruler.boundaries().collect::<Vec<_>>(), [0, 3, 7, 13]);
    assert_eq!(ruler.total(), 3);
    assert_eq!([0, 1, 2, 3, 9].map(|n| ruler.forward(n)), [0, 3, 7, 13, 13]);
    assert_eq!([0, 1, 2, 3, 9].map(|n| ruler.back(n)), [13, 7, 3, 0, 0]);
    assert_eq!([0, 2, 3, 4, 13].map(|at| ruler.before(at)), [0, 0, 1, 1, 3]);
    assert_eq!([0, 2, 3, 4, 13].map(|at| ruler.floor(at)), [0, 0, 3, 3, 13]);
    assert_eq!(
        [0, 1, 3, 4].map(|at| ruler.step_back(at)),
        [None, Some(0), Some(0), Some(3)]
    );
}

#[test]
fn long_pieces_take_their_time_in_proportion() {
    // In quadratic time none of these would end in a reasonable time.
    for unit in ["a", " ", "=", "ab", "中", "\n", "0"] {
        let text = unit.repeat(60_000);
        assert!(Tokenizer::O200K.count(&text) > 400, "{unit:?}");
    }
}

/// Texts in which every alternative of the pre-tokenizers has its place.
const TEXTS: &str = "([a-cA-C]{1,4}|[ \n\r\t]{1,3}|[0-9]{1,4}|'[sSrReElLvV]{0,2}|[é\u{301}中ǅſ🚀ª/!=]{1,3}|[a-z]{60,200}){0,12}";

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tokens_and_pieces_tile_the_text(text in TEXTS) {
        for vocabulary in [Vocabulary::O200k, Vocabulary::Cl100k] {
            let ends: Vec<usize> = vocabulary.tokens(&text).map(|t| t.end).collect();
            prop_assert!(ends.iter().zip(ends.iter().skip(1)).all(|(a, b)| a < b));
            prop_assert_eq!(ends.last().copied().unwrap_or(0), text.len());
            let (mut at, mut tokens) = (0, 0);
            for piece in vocabulary.pieces(&text) {
                prop_assert!(text.is_char_boundary(piece.end) && piece.end > at);
                tokens += piece.tokens;
                prop_assert_eq!(piece.end, ends[tokens - 1]);
                at = piece.end;
            }
            prop_assert_eq!((at, tokens), (text.len(), ends.len()));
        }
    }

    #[test]
    fn after_a_boundary_the_text_counts_as_if_alone(text in TEXTS, n in 0_usize..40) {
        for tokenizer in ALL {
            let ruler = tokenizer.ruler(&text);
            prop_assert_eq!(ruler.total(), tokenizer.count(&text));
            let at = ruler.back(n);
            prop_assert!(tokenizer.count(&text[at..]) <= n);
            if let Some(before) = ruler.step_back(at) {
                prop_assert!(tokenizer.count(&text[before..]) > n);
            }
            let at = ruler.forward(n);
            prop_assert!(ruler.before(at) <= n);
        }
    }

    #[test]
    fn parts_add_up_to_the_whole(text in TEXTS, cuts in proptest::collection::vec(0_usize..400, 0..6)) {
        let mut ends: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).collect();
        ends.push(text.len());
        ends.sort_unstable();
        for tokenizer in ALL {
            let parts = tokenizer.count_parts(&text, &ends);
            prop_assert_eq!(parts.len(), ends.len());
            prop_assert_eq!(parts.iter().sum::<usize>(), tokenizer.count(&text));
        }
    }

    #[test]
    fn common_tokens_cover_no_more_than_the_common_text(start in TEXTS, a in TEXTS, b in TEXTS) {
        let (a, b) = (format!("{start}{a}"), format!("{start}{b}"));
        let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        let common = Tokenizer::O200K.count_common(&a, &b);
        let ends = |text: &str| -> Vec<usize> { Vocabulary::O200k.tokens(text).map(|t| t.end).collect() };
        let (ends_a, ends_b) = (ends(&a), ends(&b));
        prop_assert_eq!(&ends_a[..common], &ends_b[..common]);
        let at = if common == 0 { 0 } else { ends_a[common - 1] };
        prop_assert!(at <= same);
        if let (Some(end_a), Some(end_b)) = (ends_a.get(common), ends_b.get(common)) {
            prop_assert_ne!(&a.as_bytes()[at..*end_a], &b.as_bytes()[at..*end_b]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Paragraphs, and what could join them: symbols, slashes, blanks and line ends of all kinds.
    #[test]
    fn a_tally_counts_what_its_tokenizer_counts(
        texts in proptest::collection::vec("(?s)([a-c'#/. ]|\n\n|\n\n/|\n\n[a#/ é́9]|\r\n|\t){0,40}", 1..6),
        tokenizer in 0..ALL.len(),
    ) {
        let tokenizer = ALL[tokenizer];
        let mut tally = Tally::new(tokenizer);
        for (at, text) in texts.iter().enumerate() {
            prop_assert_eq!(tally.count(text), tokenizer.count(text));
            for other in &texts[..at] {
                for b in [other.clone(), format!("{text}{other}"), text.clone()] {
                    prop_assert_eq!(tally.count_common(text, &b), tokenizer.count_common(text, &b));
                }
            }
        }
    }
}
