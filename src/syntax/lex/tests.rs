use super::*;
use crate::diagnostic::span::Files;
use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

fn lexed(src: &str) -> Lexed {
    let mut files = Files::default();
    lex(files.add("promptc.kdl", src), src)
}

/// The text of each token that is no trivia, the line ends left out.
fn words(src: &str) -> Vec<&str> {
    let out = lexed(src);
    assert!(out.faults.is_empty(), "{src:?}: {:?}", out.faults);
    out.tokens
        .iter()
        .filter(|t| t.kind != Kind::Newline && !t.kind.is_trivia())
        .map(|t| &src[t.range()])
        .collect()
}

#[test]
fn braces_in_strings_and_comments_are_text() {
    assert_eq!(
        words("a \"{\\\"{\" #\"{\"{\"# b"),
        ["a", "\"{\\\"{\"", "#\"{\"{\"#", "b"]
    );
    assert_eq!(words("a /* { /* { */ } */ b // { }"), ["a", "b"]);
    assert_eq!(words("a \"\"\"\n { \"{\" \\\"\"\" \n \"\"\" b").len(), 3);
    assert_eq!(words("a ##\"\"\"\n { \"\"\"# {\n\"\"\"## b").len(), 3);
    assert_eq!(words("a ###\"x\"## y\"### b").len(), 3);
    assert_eq!(words("a \"x \\\n  y\" b").len(), 3);
    assert_eq!(words("a \\ // go on\n b /-c"), ["a", "b", "/-", "c"]);
    assert_eq!(
        words("a b=#true c=(fact)d"),
        ["a", "b", "=", "#true", "c", "=", "(", "fact", ")", "d"]
    );
}

#[test]
fn errors_have_their_position() {
    let at = |src: &str| {
        let out = lexed(src);
        let fault = out.faults.first().expect("a fault");
        (fault.code.name, fault.span.expect("a place").range())
    };
    assert_eq!(at("a \"b\nc"), ("kdl-syntax", 2..3));
    assert_eq!(at("a /* /* */"), ("kdl-syntax", 2..4));
    assert_eq!(at("a b=~/.x c"), ("kdl-syntax", 4..8));
    assert_eq!(at("a r\"b\""), ("kdl-version-1", 2..6));
    assert_eq!(at("a r##\"b\"##"), ("kdl-version-1", 2..10));
    assert_eq!(at("a \u{1}"), ("kdl-syntax", 2..3));
    let deep = "/*".repeat(201);
    assert_eq!(at(&deep), ("nesting-too-deep", 400..402));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tokens_tile_any_text(src in "([a-c ]|[\"#\\\\/*{}()=;\\-\\[r.]|\n|\r\n|\"\"\"|\\PC|\\pC){0,24}") {
        let mut end = 0;
        for token in lexed(&src).tokens {
            prop_assert_eq!(token.start, end);
            prop_assert_eq!(token.end > end, true);
            end = token.end;
        }
        prop_assert_eq!(end, src.len());
    }
}
