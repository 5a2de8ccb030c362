//! Random texts, edited at random: what is adopted builds them.

use promptc::adopt::{Adoption, Dump, Style, adopt};
use promptc::compile::{GivenInputs, compile};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::Deliver;
use promptc::world::MapWorld;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_oneof, proptest};
use proptest::sample::select;

/// Pieces that prompts are made of, and that are hard to keep.
const PIECES: &[&str] = &[
    "# Title",
    "## Part",
    "### Deep",
    "Setext",
    "====",
    "----",
    "**Bold**",
    "RULES",
    "Note:",
    "# ",
    "#no",
    "```",
    "```py",
    "~~~~",
    "<env>",
    "</env>",
    "<env a=\"b\">",
    "<rules>",
    "</rules>",
    "<br/>",
    "- one",
    "- two",
    "1. first",
    "Today is 2026-03-30.",
    "Time: 09:15 UTC",
    "cwd=/srv/app",
    "You are A.",
    "word",
    "word word",
    "{{ x }}",
    "{% if %}",
    "{#",
    "{",
    "}}",
    "{{'",
    "\"quoted\" \\ back",
    "'\"\"\"'",
    "\u{feff}",
    "\u{2028}",
    "é",
    "概要",
    "🙇",
    "\u{200e}",
    "\u{0}",
    "---",
    "name: x",
    "    indented",
    "\ttab",
];

const SPACES: &[&str] = &[
    "\n", "\n", "\n\n", "\n\n", "\n\n", "\n\n\n", "\r\n", "\r\n\r\n", "\r", " ", "  \n", "\n  \n",
    "\n\t", "\u{a0}\n", "\u{3000}", "\u{1c}", "\u{85}", "",
];

/// A change of one place.
#[derive(Debug, Clone)]
enum Edit {
    Replace(usize, &'static str),
    Insert(usize, Vec<&'static str>),
    Remove(usize, usize),
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop_oneof![3 => select(PIECES), 2 => select(SPACES)]
}

fn text() -> impl Strategy<Value = Vec<&'static str>> {
    let tidy = vec(select(PIECES), 1..30).prop_flat_map(|words| {
        let space = select(&["\n\n", "\n", "\r\n\r\n", "\n\n\n"][..]);
        let joined = |words: &[&'static str], space: &'static str| {
            words.iter().flat_map(|w| [*w, space]).collect::<Vec<_>>()
        };
        space.prop_map(move |space| joined(&words, space))
    });
    prop_oneof![vec(piece(), 1..60), tidy]
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        (0..60_usize, piece()).prop_map(|(at, with)| Edit::Replace(at, with)),
        (0..60_usize, vec(piece(), 1..8)).prop_map(|(at, what)| Edit::Insert(at, what)),
        (0..60_usize, 1..6_usize).prop_map(|(at, count)| Edit::Remove(at, count)),
    ];
    vec(edit, 0..4)
}

fn edited(text: &[&'static str], edits: &[Edit]) -> Vec<&'static str> {
    let mut out = text.to_vec();
    for edit in edits {
        let at = |n: usize| n % (out.len() + 1);
        match edit {
            Edit::Replace(n, with) => {
                let at = at(*n);
                if let Some(piece) = out.get_mut(at) {
                    *piece = with;
                }
            }
            Edit::Insert(n, what) => {
                let at = at(*n);
                out.splice(at..at, what.iter().copied());
            }
            Edit::Remove(n, count) => {
                let at = at(*n);
                let end = out.len().min(at + count);
                out.drain(at..end);
            }
        }
    }
    out
}

/// One to three dumps, each an edit of the one before.
fn dumps() -> impl Strategy<Value = Vec<String>> {
    let more = prop_oneof![Just(0_usize), Just(1), Just(2)];
    (text(), more).prop_flat_map(|(first, more)| {
        vec(edits(), more).prop_map(move |all| {
            let mut texts = vec![first.clone()];
            for edits in &all {
                let last = texts.last().cloned().unwrap_or_default();
                texts.push(edited(&last, edits));
            }
            texts.iter().map(|t| t.concat()).collect()
        })
    })
}

fn build(adoption: &Adoption, scenario: &str) -> String {
    let mut world = MapWorld::new();
    for file in &adoption.files {
        world = world.file(format!("/there/{}", file.path), file.text.as_bytes());
    }
    let given = GivenInputs {
        scenario: Some(scenario.to_owned()),
        ..GivenInputs::default()
    };
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let manifest = manifest::open(&world, Some("/there/promptc.kdl"), &mut files, &mut diags);
    let built = manifest.and_then(|m| compile(&m, &given, &world, &mut files, &mut diags));
    built.unwrap().text(Deliver::System).to_owned()
}

/// White space by the language's definition, as an independent implementation.
fn is_blank(text: &str) -> bool {
    let space = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
    text.chars().all(space)
}

fn check(texts: &[String]) {
    let dumps: Vec<Dump> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| Dump {
            name: format!("{n}.txt"),
            text: text.clone(),
        })
        .collect();
    let adoption = adopt(&dumps);
    // A blank dump is the only reason to refuse.
    let blank = texts.iter().any(|t| is_blank(t));
    assert_eq!(adoption.is_none(), blank, "{texts:?}");
    let Some(adoption) = adoption else { return };
    assert_ne!(adoption.report.style, Style::Whole, "{texts:?}");
    for (dump, text) in adoption.report.dumps.iter().zip(texts) {
        assert_eq!(build(&adoption, &dump.scenario), *text, "{texts:?}");
    }
    let sum: usize = adoption.report.layers.iter().map(|l| l.bytes).sum();
    assert!(sum > 0 && adoption.report.layers.len() <= 200);
}

/// 300 cases, unless `PROPTEST_CASES` says otherwise.
fn config() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: asked.and_then(|n| n.parse().ok()).unwrap_or(300),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#[test]
fn texts_too_large_for_a_manifest_are_one_file_per_dump() {
    // 60 values in each of 32 dumps, written with escapes, are more than a manifest may have.
    let value = |dump: u32, line: usize| {
        let mark = char::from_u32(if dump == 5 { 1 } else { 0x80 + dump }).unwrap();
        mark.to_string().repeat(68 + line)
    };
    let text = |dump: u32| -> String {
        let lines = (0..60).map(|line| format!("Key {line}: {} end\n\n", value(dump, line)));
        lines.collect()
    };
    let dumps: Vec<Dump> = (0..32)
        .map(|dump| Dump {
            name: format!("{dump}.txt"),
            text: text(dump),
        })
        .collect();
    let adoption = adopt(&dumps).unwrap();
    assert_eq!(adoption.report.style, Style::Whole);
    assert_eq!(adoption.files.len(), 33);
    for (dump, told) in dumps.iter().zip(&adoption.report.dumps) {
        assert_eq!(build(&adoption, &told.scenario), dump.text);
    }
    // Two of them are divided.
    assert_ne!(adopt(&dumps[..2]).unwrap().report.style, Style::Whole);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_adopted_manifest_builds_the_dumps(texts in dumps()) {
        check(&texts);
    }
}
