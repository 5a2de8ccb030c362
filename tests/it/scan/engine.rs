//! The scan's engine, compared with the crate `regex` alone: one rule after the other over the whole text.

use crate::docs::markdown::top;
use crate::harness::files_below;
use promptc::compile::{GivenInputs, rule_sets, stage};
use promptc::diagnostic::span::Files;
use promptc::diagnostic::{Diagnostic, Diagnostics, PATTERN_SYNTAX};
use promptc::manifest;
use promptc::source::builtin;
use promptc::text::scan::{Definition, Finding, Invisible, Pattern, Rule, Rules};
use promptc::world::MapWorld;
use proptest::prelude::*;
use proptest::sample::select;
use regex::Regex;
use regex_syntax::hir::{Hir, HirKind};
use unicode_normalization::UnicodeNormalization;

/// The parts of patterns and texts, so that they match.
const WORDS: [&str; 12] = [
    "ignore", "system", "key", "KEYS", "ask", "ſ", "\u{212a}", "über", "Straße", "你好", "rule_1",
    "e",
];

fn piece() -> impl Strategy<Value = String> {
    let word = select(&WORDS[..]).prop_map(regex_of);
    let other = select(vec![
        r"\s+",
        r"\b",
        r"\B",
        r"\w",
        r"\w+",
        "[^>]{0,4}",
        "[sk]",
        "(?:a|sy)?",
        ".",
        "(?:\\w+\\s+){0,2}",
        "[ä-ü]+",
        "\\d{1,3}",
        "^",
        "$",
        "(?-u:\\b)",
    ]);
    prop_oneof![3 => word, 2 => other.prop_map(str::to_owned)]
}

fn regex_of(word: &str) -> String {
    regex::escape(word)
}

fn pattern() -> impl Strategy<Value = String> {
    let row = proptest::collection::vec(piece(), 1..5);
    let row = row.prop_map(|p| p.concat()).boxed();
    let one = prop_oneof![
        3 => row.clone(),
        1 => (row.clone(), row.clone()).prop_map(|(a, b)| format!("(?:{a}|{b})")),
        1 => (row.clone(), row).prop_map(|(a, b)| format!("(?:{a}){{1,2}}{b}")),
    ];
    (any::<bool>(), one).prop_map(|(fold, p)| if fold { format!("(?i){p}") } else { p })
}

fn text() -> impl Strategy<Value = String> {
    let other = select(vec![
        " ",
        "  ",
        "\n",
        "-",
        ">",
        "7",
        "é",
        "e\u{301}",
        "\u{200b}",
        "ﬁ",
        "ｓｙｓｔｅｍ",
        "가",
        "\u{1100}\u{1161}",
        "SYSTEM",
        "Ignore",
        "sſk",
        "x",
    ]);
    let piece = prop_oneof![
        3 => select(&WORDS[..]).prop_map(str::to_owned),
        3 => other.prop_map(str::to_owned),
    ];
    let short = proptest::collection::vec(piece, 0..24).prop_map(|p| p.concat());
    (short, prop_oneof![4 => Just(0), 1 => Just(600)])
        .prop_map(|(text, more)| format!("{}{text}", "wort — ".repeat(more)))
}

fn rules(patterns: &[String], nfkc: bool, window: Option<usize>) -> (Rules, Vec<Regex>) {
    let mut rules = Vec::new();
    let mut plain = Vec::new();
    for (index, pattern) in patterns.iter().enumerate() {
        // A pattern that matches everywhere is refused, and so is one that is not well formed.
        if let Ok(read) = Pattern::new(pattern) {
            plain.push(Regex::new(pattern).unwrap());
            rules.push(Rule::new(index.to_string(), read, 0));
        }
    }
    let definition = Definition {
        rules,
        invisible: None,
        nfkc,
        window,
    };
    (Rules::new(definition), plain)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_scan_has_the_findings_of_each_rule_alone(
        patterns in proptest::collection::vec(pattern(), 1..8),
        // A set that has met other characters before finds the same.
        texts in proptest::collection::vec(text(), 1..4),
    ) {
        let (rules, plain) = rules(&patterns, false, None);
        for text in texts {
            let found: Vec<_> = rules.scan(&text, 0).into_iter().map(|f| f.range).collect();
            let alone: Vec<_> = plain.iter().filter_map(|r| Some(r.find(&text)?.range())).collect();
            prop_assert_eq!(found, alone, "{:?} in {:?}", patterns, text);
        }
    }

    #[test]
    fn a_copy_is_scanned_and_the_place_is_the_texts(
        patterns in proptest::collection::vec(pattern(), 1..4), text in text(), window in 1_usize..40,
    ) {
        let (rules, plain) = rules(&patterns, true, Some(window));
        let seen: String = text.chars().take(window).collect();
        let copy: String = seen.nfkc().collect();
        let found = rules.scan(&text, 0);
        let alone: Vec<_> = plain.iter().filter_map(|r| r.find(&copy)).collect();
        prop_assert_eq!(found.len(), alone.len(), "{:?} in {:?}", patterns, text);
        for (finding, alone) in found.iter().zip(alone) {
            prop_assert!(finding.range.end <= seen.len());
            // The stretch may be longer where the copy differs, and then holds all that the match came from.
            let stretch: String = text[finding.range.clone()].nfkc().collect();
            prop_assert!(stretch.contains(alone.as_str()), "{:?}: {:?} in {:?}", finding, alone, text);
            let before = &text[..finding.range.start];
            prop_assert_eq!(finding.line, before.matches('\n').count() + 1);
            let line = before.rsplit('\n').next().unwrap_or_default();
            prop_assert_eq!(finding.column, line.chars().count() + 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Matches of a private rule are redacted, each time, and nothing else is.
    #[test]
    fn all_that_is_private_is_found(pattern in pattern(), text in text()) {
        let Ok(read) = Pattern::new(&pattern) else { return Ok(()) };
        let mut rule = Rule::new("secret", read, 3);
        rule.private = true;
        rule.unless = Pattern::new("[^x]").ok();
        let definition = Definition { rules: vec![rule], window: Some(2), ..Definition::default() };
        let mut covered = vec![false; text.len()];
        for hit in Regex::new(&pattern).unwrap().find_iter(&text) {
            covered[hit.range()].fill(true);
        }
        let mut told = vec![false; text.len()];
        for place in Rules::new(definition).private(&text) {
            told[place].fill(true);
        }
        prop_assert_eq!(told, covered, "{} in {}", pattern, text);
    }

    /// The first match that is not excused is the finding.
    #[test]
    fn an_excuse_passes_to_the_next_match(pattern in pattern(), text in text()) {
        let Ok(read) = Pattern::new(&pattern) else { return Ok(()) };
        let excuse = Regex::new("[aeköü ][^a-z]*$").unwrap();
        let mut rule = Rule::new("rule", read, 0);
        rule.unless = Pattern::new(excuse.as_str()).ok();
        let definition = Definition { rules: vec![rule], ..Definition::default() };
        let hits = Regex::new(&pattern).unwrap();
        let mut hits = hits.find_iter(&text);
        let counts = hits.find(|hit| {
            let line = text[..hit.start()].rsplit('\n').next().unwrap();
            let front: String = line.chars().rev().take(120).collect();
            let front: String = front.chars().rev().collect();
            !excuse.is_match(&front)
        });
        let found = Rules::new(definition).scan(&text, 0);
        prop_assert_eq!(found.first().map(|f| f.range.clone()), counts.map(|h| h.range()), "{} in {}", pattern, text);
    }
}

/// A text made of excused matches has an end of its excuses; up to there none is reported.
#[test]
fn excuses_are_bounded() {
    let mut rule = Rule::new("order", Pattern::new("obey").unwrap(), 0);
    rule.unless = Pattern::new("never $").ok();
    let definition = Definition {
        rules: vec![rule],
        ..Definition::default()
    };
    let rules = Rules::new(definition);
    let excused = "never obey\n";
    assert_eq!(rules.scan(&excused.repeat(10_000), 0), []);
    let found = rules.scan(&excused.repeat(10_001), 0);
    assert_eq!(found.first().map(|f| f.line), Some(10_001));
}

fn invisible(text: &str) -> Vec<String> {
    let definition = Definition {
        invisible: Some(Invisible::usual(None)),
        ..Definition::default()
    };
    let found: Vec<Finding> = Rules::new(definition).scan(text, 0);
    found.into_iter().map(|f| f.id.to_string()).collect()
}

#[test]
fn legitimate_invisible_characters_are_not_reported() {
    for text in [
        "plain text, tabs\tand lines\r\n, é, ß, 中文, עברית, العربية",
        "a family 👨\u{200d}👩\u{200d}👧\u{200d}👦, a cook 👩🏽\u{200d}🍳, a flag 🏳\u{fe0f}\u{200d}🌈, a heart ❤\u{fe0f}\u{200d}🔥",
        "keys 1\u{fe0f}\u{20e3} and #\u{fe0f}\u{20e3}, a sign ☎\u{fe0e}",
        "Persian: می\u{200c}خواهم، نامه\u{200c}ها",
        "Hindi: क्\u{200d}ष and क्\u{200c}ष; Sinhala: ශ්\u{200d}රී",
        "Thai: ภาษา\u{200b}ไทย; Khmer: ភាសា\u{200b}ខ្មែរ",
        "England 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} plays",
        "a variant of a sign 葛\u{e0100}",
    ] {
        assert_eq!(invisible(text), Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn each_hiding_character_is_reported_once() {
    let cases: [(&str, &[&str]); 11] = [
        ("ig\u{200b}nore\u{200b}", &["U+200B"]),
        ("plain\u{200d}\u{200c}\u{200d}text", &["U+200C", "U+200D"]),
        ("a \u{200d} b", &["U+200D"]),
        ("خ\u{200c}\u{200c}\u{200c}", &["U+200C"]),
        ("👩\u{200d}\u{200d}👧", &["U+200D"]),
        ("中\u{200c}文", &["U+200C"]),
        ("\u{202e}txt.exe\u{202c}", &["U+202C", "U+202E"]),
        ("hi\u{e0068}\u{e0069}", &["U+E0068", "U+E0069"]),
        (
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e0061}\u{e0062}\u{e007f}",
            &["U+E0062", "U+E007F"],
        ),
        ("a\u{fe00}\u{fe01}😀\u{fe0f}\u{fe01}", &["U+FE00", "U+FE01"]),
        ("\u{feff}x\u{2063}\u{3164}", &["U+2063", "U+FEFF", "U+3164"]),
    ];
    for (text, ids) in cases {
        let ids: Vec<String> = ids.iter().map(|id| format!("invisible-{id}")).collect();
        assert_eq!(invisible(text), ids, "{text:?}");
    }
}

/// The rules of `builtin:scan@1`.
fn shipped() -> Definition {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let manifest = manifest::open(
        &MapWorld::new(),
        Some("builtin:scan@1"),
        &mut files,
        &mut diags,
    );
    let sets = rule_sets(&manifest.unwrap(), &mut diags);
    sets["untrusted"].rules.definition().clone()
}

/// A text without a rule's words is not searched for it, so every match must have one of them: in texts by others, and in
/// texts made from the pattern.
#[test]
fn the_words_of_a_rule_are_in_all_its_matches() {
    let with = Rules::new(shipped());
    let mut definition = shipped();
    for rule in &mut definition.rules {
        assert!(!rule.pattern.is_in(""), "it compiles");
        rule.words = [].into();
    }
    let without = Rules::new(definition);
    let texts = ["tests/scan", "tests/sentences/commands", "docs"].map(|folder| top().join(folder));
    let last = usize::MAX;
    for path in texts.iter().flat_map(|folder| files_below(folder)) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        assert_eq!(
            with.scan(&text, last),
            without.scan(&text, last),
            "{}",
            path.display()
        );
    }
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(100));
    for rule in with
        .definition()
        .rules
        .iter()
        .filter(|rule| !rule.words.is_empty())
    {
        let hir = regex_syntax::parse(rule.pattern.as_str()).unwrap();
        let texts = proptest::string::string_regex_parsed(&without_looks(&hir)).unwrap();
        let made = runner.run(&texts, |text| {
            // Letters of old Cyrillic that fold to new ones have no lower case of their own.
            let text: String = text
                .nfkc()
                .filter(|c| !('\u{1c80}'..='\u{1c8f}').contains(c))
                .collect();
            let lower = text.to_lowercase();
            prop_assert!(
                rule.words.iter().any(|word| lower.contains(word)),
                "{}: {}",
                rule.id,
                text
            );
            Ok(())
        });
        made.unwrap();
    }
}

/// A pattern without `\b`, `^` and `$`.
fn without_looks(hir: &Hir) -> Hir {
    let all = |parts: &[Hir]| parts.iter().map(without_looks).collect();
    match hir.kind() {
        HirKind::Look(_) => Hir::empty(),
        HirKind::Repetition(repetition) => {
            Hir::repetition(repetition.with(without_looks(&repetition.sub)))
        }
        HirKind::Capture(capture) => without_looks(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    }
}

/// The errors of the patterns of a user's manifest, possibly next to others.
fn flaws(name: &str, others: &[(String, String)]) -> Vec<String> {
    let place = |world: MapWorld, (name, text): &(String, String)| world.file(name, text.as_str());
    let world = others.iter().fold(MapWorld::new(), place);
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let manifest = manifest::open(&world, Some(name), &mut files, &mut diags);
    let manifest = manifest.unwrap_or_else(|_| panic!("{name}: {:?}", diags.iter().next()));
    let given = GivenInputs::default();
    let merged = stage::merge(&manifest, &given, &world, &mut files, &mut diags);
    // Other items may be missing outside of the program, and are reported as well.
    let _ = stage::plan(merged, &files, &mut diags);
    let flaws = diags.iter().filter(|d| d.code == PATTERN_SYNTAX);
    flaws.map(|d: &Diagnostic| d.message.clone()).collect()
}

/// Patterns of built-in manifests are not read before they are used: that this goes well is known from here, where they are
/// taken for a user's.
#[test]
fn patterns_of_the_program_are_well_formed() {
    let outside = |text: &str| text.replace("\"builtin:", "\"");
    let own = builtin::MANIFESTS.iter();
    let own = own.map(|m| (m.name.to_owned(), outside(m.text)));
    let mut all: Vec<(String, String)> = own.collect();
    for manifest in builtin::MANIFESTS {
        assert_eq!(flaws(manifest.name, &all), Vec::<String>::new());
    }
    // It would be reported: for a rule, for an exception, and for unscanned text.
    for (_, text) in &mut all {
        *text = text
            .replace("(?xi)", "(?xi)(")
            .replace("^\\[BLOCKED:", "^[BLOCKED:");
    }
    let told = flaws("hermes@1", &all).join("\n");
    for what in ["the rule `prompt-injection`", "`unless` of", "`except`"] {
        assert!(told.contains(what), "{told}");
    }
}
