//! The nodes of a document, and the errors of a broken one.

use super::*;
use crate::diagnostic::span::Files;
use crate::syntax::Nodes;
use std::ops::Range;

fn checked(src: &str) -> Result<Tree, Vec<Diagnostic>> {
    let mut files = Files::default();
    let file = files.add("promptc.kdl", src);
    read(file, &files.get(file).text)
}

/// The nodes, in few characters.
fn shown(nodes: Nodes<'_>) -> String {
    let node = |node: crate::syntax::Node<'_>| {
        let entries = node.entries().map(|entry| {
            let name = entry.name().map(|name| format!("{}=", name.value()));
            let ty = entry.ty().map(|ty| format!("({})", ty.value()));
            [name, ty].into_iter().flatten().collect::<String>() + entry.written()
        });
        let mut parts = vec![node.name().value().to_owned()];
        parts.extend(entries);
        parts.extend(node.children().map(|below| format!("{{{}}}", shown(below))));
        parts.join(" ")
    };
    nodes.into_iter().map(node).collect::<Vec<_>>().join(";")
}

fn codes(src: &str) -> Vec<(&'static str, Range<usize>)> {
    checked(src)
        .expect_err("faults")
        .iter()
        .map(|f| (f.code.name, f.span.expect("a place").range()))
        .collect()
}

#[test]
fn commented_out_nodes_are_left_out() {
    let same =
        |src: &str, wanted: &str| assert_eq!(shown(checked(src).expect(src).nodes()), wanted);
    same("a /*b*/ c", "a c");
    same("/- a b { c }\nd", "d");
    same("/- a b; c", "c");
    same("a /-b c", "a c");
    same("a /-b=1 c=2", "a c=2");
    same("a /-b=(y)1 c", "a c");
    same("a /-{ b; c } { d }", "a {d}");
    same("a { d } /-{ b }", "a {d}");
    same("a {\n/- b\n}", "a {}");
    same("/-\n a { /- b; }", "");
    same("/- kdl-version 2\na", "a");
    same("// c\n/- kdl-version 2\na", "a");
    same("/- kdl-version 1 2\na", "a");
    same("a\n/- kdl-version 1", "a");
    same("a { b { c; d e=1 2 }; f }; g", "a {b {c;d e=1 2};f};g");
    same("a b /-{ x } /-{ y } { c } /-{ z }; d", "a b {c};d");
}

#[test]
fn braces_and_properties_are_whole() {
    assert_eq!(codes("a {\n b\n"), [("kdl-syntax", 2..3)]);
    assert_eq!(codes("a\n}\n"), [("kdl-syntax", 2..3)]);
    assert_eq!(codes("a { } b"), [("kdl-syntax", 6..7)]);
    assert_eq!(codes("a=1"), [("kdl-syntax", 0..3)]);
    assert_eq!(codes("n a=\nb"), [("kdl-syntax", 3..4)]);
    assert_eq!(codes("n a=1=2"), [("kdl-syntax", 5..6)]);
    assert_eq!(
        codes("n a= { b=1 }"),
        [("kdl-syntax", 3..4), ("kdl-syntax", 7..10)]
    );
    assert_eq!(
        codes("n \"a }\nb=1\n}"),
        [("kdl-syntax", 2..3), ("kdl-syntax", 7..10)]
    );
    assert_eq!(codes("/- kdl-version 1\na"), [("kdl-version-1", 0..16)]);
    assert_eq!(
        codes("\u{feff}\n/-kdl-version 1"),
        [("kdl-version-1", 4..19)]
    );
    assert_eq!(codes("n \"a\"b"), [("kdl-syntax", 5..6)]);
    assert_eq!(codes("n (fact"), [("kdl-syntax", 2..3)]);
    assert_eq!(
        codes("n a=true null\nx false"),
        [
            ("kdl-version-1", 4..8),
            ("kdl-version-1", 9..13),
            ("kdl-version-1", 16..21)
        ]
    );
}

#[test]
fn words_are_names_numbers_or_keywords() {
    assert!(checked("a -b 1 -2.5 0x1f 1_000 1e5 #true #-inf .b x=+1").is_ok());
    for word in [
        "1x",
        "#yes",
        "-1a",
        ".5",
        "0xg",
        "inf",
        "99999999999999999999999999999999999999999",
    ] {
        assert_eq!(
            codes(&format!("a b={word} c")),
            [("kdl-syntax", 4..4 + word.len())]
        );
    }
    assert_eq!(codes("1 a"), [("kdl-syntax", 0..1)]);
    assert_eq!(codes("a true=1"), [("kdl-syntax", 2..6)]);
}

#[test]
fn nesting_is_bounded() {
    let levels = |n: usize| format!("{}{}", "a {".repeat(n), "}".repeat(n));
    assert!(checked(&levels(200)).is_ok());
    assert_eq!(codes(&levels(201)), [("nesting-too-deep", 602..603)]);
    let dashed = "a /-{ ".repeat(100_000);
    assert_eq!(codes(&dashed), [("nesting-too-deep", 1204..1205)]);
}
