//! Other judgements of KDL 2: the official cases, which the package of the crate `kdl` has, and that crate itself on
//! documents of any kind.

use super::{Nodes, Scalar, read};
use crate::diagnostic::span::Files;
use kdl::{KdlDocument, KdlValue};
use proptest::prelude::*;
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A value in one spelling.
pub(super) fn said(value: Scalar<'_>) -> String {
    match value {
        Scalar::Text(text) => format!("{text:?}"),
        Scalar::Integer(number) => number.to_string(),
        Scalar::Float(number) => format!("{number:?}"),
        Scalar::Bool(is) => format!("#{is}"),
        Scalar::Null => "#null".to_owned(),
    }
}

/// A document as the official cases write it: arguments in order, then properties by name, the last of a name.
fn shape(nodes: Nodes<'_>) -> Vec<Shape> {
    let node = |node: super::Node<'_>| {
        let mut entries = Vec::new();
        for entry in node.entries() {
            let value = said(entry.value());
            let ty = entry.ty().map(|ty| ty.value().to_owned());
            entries.push((entry.name().map(|n| n.value().to_owned()), ty, value));
        }
        Shape::new(
            node.ty().map(|ty| ty.value().to_owned()),
            node.name().value().to_owned(),
            entries,
            node.children().map(shape).unwrap_or_default(),
        )
    };
    nodes.iter().map(node).collect()
}

/// The result of kdl, in the form of [`shape`].
pub(super) fn kdl_shape(document: &KdlDocument) -> Vec<Shape> {
    let node = |node: &kdl::KdlNode| {
        let mut entries = Vec::new();
        for entry in node.entries() {
            let value = said(match entry.value() {
                KdlValue::String(text) => Scalar::Text(text),
                KdlValue::Integer(number) => Scalar::Integer(*number),
                KdlValue::Float(number) => Scalar::Float(*number),
                KdlValue::Bool(is) => Scalar::Bool(*is),
                KdlValue::Null => Scalar::Null,
            });
            let ty = entry.ty().map(|ty| ty.value().to_owned());
            entries.push((entry.name().map(|n| n.value().to_owned()), ty, value));
        }
        Shape::new(
            node.ty().map(|ty| ty.value().to_owned()),
            node.name().value().to_owned(),
            entries,
            node.children().map(kdl_shape).unwrap_or_default(),
        )
    };
    document.nodes().iter().map(node).collect()
}

/// Name, annotation and value of an argument or property.
type Part = (Option<String>, Option<String>, String);

#[derive(Debug, PartialEq)]
pub(super) struct Shape {
    ty: Option<String>,
    name: String,
    entries: Vec<Part>,
    below: Vec<Shape>,
}

impl Shape {
    fn new(ty: Option<String>, name: String, mut entries: Vec<Part>, below: Vec<Shape>) -> Self {
        entries.reverse();
        let mut met = Vec::new();
        entries.retain(|(name, ..)| {
            let first = name.is_none() || !met.contains(name);
            met.push(name.clone());
            first
        });
        entries.reverse();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Self {
            ty,
            name,
            entries,
            below,
        }
    }
}

/// Our result; none if the text is refused.
pub(super) fn own(text: &str) -> Option<Vec<Shape>> {
    let mut files = Files::default();
    let file = files.add("promptc.kdl", text);
    let tree = read(file, &files.get(file).text).ok()?;
    Some(shape(tree.nodes()))
}

/// The official cases whose answer the final text of the specification contradicts.
const CONTRADICTED: &[(&str, &str)] = &[
    ("hex", "hex := sign? '0x' hex-digit (hex-digit | '_')*"),
    (
        "zero_space_before_slashdash_arg_fail",
        "(node-space* (node-space | slashdash) node-prop-or-arg)*",
    ),
];

/// The folder of the crate `kdl`.
fn package() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let ask = |args: &[&str]| {
        let mut command = Command::new(&cargo);
        command.args(args).current_dir(env!("CARGO_MANIFEST_DIR"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let host = ask(&["-vV"]);
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    // Characters that other platforms need may be missing here.
    let metadata = [
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform",
        host,
    ];
    // Offline it fails where a crate of another package of the workspace was never needed here.
    let ways = [&["--offline"][..], &[]];
    let mut answers = ways.iter().map(|way| ask(&[&metadata, *way].concat()));
    let reported = answers.find(|answer| !answer.is_empty()).unwrap();
    let reported: serde_json::Value = serde_json::from_str(&reported).unwrap();
    let packages = reported["packages"].as_array().unwrap();
    let kdl = packages
        .iter()
        .find(|package| package["name"] == "kdl")
        .unwrap();
    let manifest = PathBuf::from(kdl["manifest_path"].as_str().unwrap());
    manifest.parent().unwrap().to_owned()
}

#[test]
fn the_official_cases_are_read() {
    let cases = package().join("tests/test_cases");
    let mut wrong = Vec::new();
    let (mut taken, mut refused) = (0, 0);
    for input in fs::read_dir(cases.join("input")).unwrap() {
        let input = input.unwrap().path();
        let name = input.file_stem().unwrap().to_str().unwrap().to_owned();
        let Ok(text) = fs::read_to_string(&input) else {
            continue;
        };
        let expected =
            fs::read_to_string(cases.join("expected_kdl").join(format!("{name}.kdl"))).ok();
        let read = own(&text);
        let right = match &expected {
            Some(expected) => read.is_some() && read == own(expected),
            None => read.is_none(),
        };
        match right {
            true if expected.is_some() => taken += 1,
            true => refused += 1,
            false if CONTRADICTED.iter().any(|(case, _)| *case == name) => {}
            false => wrong.push(name),
        }
    }
    wrong.sort();
    assert!(wrong.is_empty(), "{taken} {refused} {wrong:#?}");
    assert!(taken > 200 && refused > 80, "{taken} {refused}");
}

/// Pieces of documents, so that most documents are nearly well formed.
pub(super) fn document() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => prop::sample::select(vec![" ", "\n", ";", " {", "}", "{", "\t", " \\\n", "\r\n", "\u{2028}"]),
        4 => prop::sample::select(vec!["a", "b c", "node", " x=1", " y=\"z\"", " -1.5", " 0x1f", " #true", " #null", " (t)v"]),
        2 => prop::sample::select(vec!["/-", "// c", "/* c */", "/*", "*/", "=", "(", ")", "\"", "\\", "#", "[", "]", ","]),
        2 => prop::sample::select(vec![
            "\"a\\n\\u{e9} \\  b\"", "#\"raw\"#", "##\"a\"#b\"##", "\"\"\"\n  x\n   y\n  \"\"\"", "#\"\"\"\n x\n \"\"\"#",
            "\"\"\"\n\n\"\"\"", "\"\\u{110000}\"", "\"\\q\"", "\"\"\"x\"\"\"", "\"a\nb\"",
        ]),
        2 => prop::sample::select(vec![
            "1e5", "1_000", "+.5", "1x", "0b102", "true", "inf", "-inf", "#inf", "#-inf", "#nan", "#x", "--1", "+-", ".", "-.", "1.",
            "1.e3", "0x", "0o7", "é", "\u{1}", "\u{feff}", "\u{a0}", "\u{200e}", "99999999999999999999999999999999999999999",
        ]),
    ];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

/// Official inputs and our own manifests.
fn seeds() -> Vec<String> {
    let folders = [
        package().join("tests/test_cases/input"),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("layers"),
    ];
    let files = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut texts: Vec<String> = files
        .filter_map(|file| fs::read_to_string(file.unwrap().path()).ok())
        .collect();
    texts.sort();
    texts
}

/// Seeds with a few changes: the start to keep, the length to remove, and the text to insert.
pub(super) fn mutated() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "", "", "", " ", "\n", ";", "{", "}", "\"", "\\", "/-", "/*", "*/", "//", "=", "(", ")",
        "#", "_", "0", "-", ".", "e", "x", "\r", "\u{85}", "\u{feff}", "\u{a0}", "\"\"\"", "a",
        "\u{7f}",
    ]);
    let change = (any::<prop::sample::Index>(), 0..3usize, piece);
    let changes = proptest::collection::vec(change, 1..4);
    (prop::sample::select(seeds()), changes).prop_map(|(mut text, changes)| {
        for (at, out, put) in changes {
            let ends: Vec<usize> = text
                .char_indices()
                .map(|(at, _)| at)
                .chain([text.len()])
                .collect();
            let at = at.index(ends.len());
            let end = (at + out).min(ends.len() - 1);
            text.replace_range(ends[at]..ends[end], put);
        }
        text
    })
}

/// A document that kdl reads in another way, and the sentence of the specification (KDL 2.0.0) that decides.
const DIFFERENCES: &[(&str, &str)] = &[
    (
        "-inf",
        "disallowed-keyword-identifiers := 'true' | 'false' | 'null' | 'inf' | '-inf' | 'nan'",
    ),
    (
        r"\S/-",
        "(node-space* (node-space | slashdash) node-prop-or-arg)*",
    ),
    (
        "#\"\"\"[^\\r\\n\\x0B\\x0C\\x{85}\\x{2028}\\x{2029}]",
        "'\"' (single-line-raw-string-char - '\"') single-line-raw-string-char*?",
    ),
    (
        r"/-[^;]*;",
        "base-node := slashdash? type? node-space* string …; node := base-node node-terminator",
    ),
    (
        // The ends of a node that is left out.
        r"(?m)(^|[;{}])\s*/-",
        "node := base-node node-terminator",
    ),
    (r"[0-9_]{38}", "integer := digit (digit | '_')*"),
    (
        r"/-\s*(//.*\s*|/\*(?s:.*?)\*/\s*)*/-",
        "a slashdash may be followed by any amount of whitespace, including newlines and comments (other than other slashdashes)",
    ),
    (
        r"^\s*/-\s*kdl-version\s+1",
        "parsers MAY use that as a hint as to which version to parse the document as",
    ),
    (
        r"/-\s*\\",
        "slashdash := '/-' line-space*; line-space := node-space | newline | single-line-comment",
    ),
    (
        "0[XOB]",
        "hex := sign? '0x' hex-digit (hex-digit | '_')*, and so octal and binary",
    ),
    (
        r"\x7F",
        "U+007F (the Delete control character) is a disallowed literal code point",
    ),
];

/// Why an answer that differs from that of kdl is right; none if it is not known to be.
pub(super) fn reason(text: &str) -> Option<&'static str> {
    let found = DIFFERENCES
        .iter()
        .find(|(pattern, _)| Regex::new(pattern).unwrap().is_match(text));
    found.map(|(_, sentence)| *sentence)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn documents_are_read_as_the_kdl_crate_reads_them(text in prop_oneof![document(), mutated()]) {
        let kdl_shape = KdlDocument::parse_v2(&text).ok().map(|document| kdl_shape(&document));
        let own = own(&text);
        if own != kdl_shape && reason(&text).is_none() {
            prop_assert!(false, "{text:?}\nown  {own:?}\nkdl  {kdl_shape:?}");
        }
    }
}

/// `PROPTEST_CASES` makes them more.
pub(super) fn cases() -> u32 {
    let cases = std::env::var("PROPTEST_CASES").ok();
    cases.and_then(|cases| cases.parse().ok()).unwrap_or(2000)
}
