//! Patterns of globs against hand-written answers.

use super::*;
use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

fn matches(pattern: &str, name: &str) -> bool {
    Name::parse(pattern).unwrap().matches(name)
}

#[test]
fn paths() {
    let fits = |pattern: &str, path: &str| Pattern::parse(pattern).unwrap().matches(path);
    for (pattern, path) in [
        ("*.md", "a.md"),
        ("a.md", "a.md"),
        ("docs/**/*.md", "docs/a.md"),
        ("docs/**/*.md", "docs/b/c/a.md"),
        ("**", "b/a.md"),
        (".cursor/rules/*.mdc", ".cursor/rules/a.mdc"),
    ] {
        assert!(fits(pattern, path), "{pattern} {path}");
    }
    for (pattern, path) in [
        ("*.md", "b/a.md"),
        ("*.md", ".a.md"),
        ("**/*.md", ".git/a.md"),
        ("docs/*.md", "docs"),
        ("docs", "docs/a.md"),
    ] {
        assert!(!fits(pattern, path), "{pattern} {path}");
    }
}

#[test]
fn names() {
    for (pattern, yes, no) in [
        (
            "*.md",
            vec!["a.md", ".md", "ü.md"],
            vec!["a.mdx", "a.MD", "md"],
        ),
        (
            "?.md",
            vec!["a.md", "é.md", "\u{1F680}.md"],
            vec![".md", "ab.md"],
        ),
        ("[a-cé]*", vec!["a", "bx", "é"], vec!["d", "", "è"]),
        ("[!a-c]", vec!["d", "é"], vec!["a", "dd"]),
        ("[^]]", vec!["["], vec!["]"]),
        ("[]-]x", vec!["]x", "-x"], vec!["x"]),
        ("[{,}]", vec!["{", ",", "}"], vec!["{,}"]),
        (
            "{a,b{c,},}x",
            vec!["ax", "bcx", "bx", "x"],
            vec!["cx", "{x"],
        ),
        ("a,b*c*d", vec!["a,bcd", "a,bccxdd"], vec!["a,bc", "a"]),
        ("[*]", vec!["*"], vec!["x"]),
    ] {
        for name in yes {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for name in no {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}

#[test]
fn hidden_names_must_be_written() {
    let visible = |pattern, name| Name::parse(pattern).unwrap().matches_visible(name);
    assert!(visible(".*", ".a") && visible("{.a,b}", ".a") && visible(".a", ".a"));
    assert!(!visible("*", ".a") && !visible("?a", ".a") && !visible("[.]a", ".a"));
}

#[test]
fn malformed_patterns() {
    for pattern in [
        "{a", "a}", "{a/b}", "[a", "[a/b]", "[z-a]", "a**", "**a", "***", "", "a\nb", "[]", "{[}",
    ] {
        let error = Pattern::parse(pattern).unwrap_err();
        assert!(
            matches!(error, Obstacle::Pattern { .. }),
            "{pattern:?} {error}"
        );
    }
    for pattern in ["/a", "../a", "a/..", "a//b", "a/", "./a", "a\\b", "C:/a"] {
        let error = Pattern::parse(pattern).unwrap_err();
        assert!(
            matches!(error, Obstacle::Leaves { .. }),
            "{pattern:?} {error}"
        );
    }
    assert!(Pattern::parse(&"{a,b}".repeat(7)).is_ok());
    assert!(Pattern::parse(&"{a,b}".repeat(60)).is_err());
    assert!(Pattern::parse(&"{".repeat(100_000)).is_err());
}

#[test]
fn spiteful_patterns_end() {
    let pattern = Name::parse(&"*a".repeat(500)).unwrap();
    assert!(!pattern.matches(&"a".repeat(499)));
    assert!(!pattern.matches(&format!("{}b", "a".repeat(5000))));
}

/// A match by the obvious recursion.
fn slow(pieces: &[GlobToken], name: &[char]) -> bool {
    match (pieces, name) {
        ([], []) => true,
        ([GlobToken::Many, rest @ ..], _) => (0..=name.len()).any(|n| slow(rest, &name[n..])),
        ([piece, rest @ ..], [c, name @ ..]) => piece.takes(*c) && slow(rest, name),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fits_as_the_obvious_does(pattern in "[ab?*]{1,8}", name in "[abé]{0,8}") {
        if let Ok(pattern) = Name::parse(&pattern) {
            let chars: Vec<char> = name.chars().collect();
            let expected = pattern.alternatives.iter().any(|p| slow(p, &chars));
            prop_assert_eq!(pattern.matches(&name), expected);
        }
    }

    #[test]
    fn parsing_never_panics(pattern in "[ab{},\\[\\]!^*?/.é-]{0,20}", name in "[ab.]{0,5}") {
        if let Ok(pattern) = Name::parse(&pattern) {
            let _ = pattern.matches(&name);
        }
        let again = || Pattern::parse(&pattern);
        prop_assert_eq!(again(), again());
    }
}
