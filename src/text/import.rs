//! `@path` in a text: which of them name a file to import.

use super::markdown::{self, TooLarge};
use std::ops::Range;

/// An `@path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its position, the `@` included (bytes).
    pub range: Range<usize>,
    /// The path, as it is meant: a blank that was written `\ ` is a blank.
    pub path: String,
    /// Whether it can only be a path, as it has a `/` or a `.`; a bare word may be a person's name.
    pub is_path: bool,
}

/// Characters that end a path, besides white space.
const ENDS: &[char] = &[
    '"', '\'', '`', '(', ')', '<', '>', '[', ']', '{', '}', '|', '*', ',', ';', ':', '!', '?', '\\',
];

/// The references of a Markdown text, in order: each at the start of a line or after white space, outside of code, HTML
/// tags and comments. Full stops at the end belong to the sentence.
///
/// # Errors
/// When there may be some and the text is too large to know.
pub fn references(text: &str) -> Result<Vec<Reference>, TooLarge> {
    let mut out: Vec<Reference> = Vec::new();
    let mut marks = None;
    for (at, _) in text.match_indices('@') {
        let before = text[..at].chars().next_back();
        // White space with a backslash is inside of a path.
        let is_inside = |last: &Reference| at < last.range.end;
        if before.is_some_and(|c| !c.is_whitespace()) || out.last().is_some_and(is_inside) {
            continue;
        }
        let Some(reference) = reference(text, at) else {
            continue;
        };
        let marks = match &mut marks {
            Some(marks) => marks,
            None => marks.insert(apart(text)?),
        };
        let next = marks.partition_point(|range| range.end <= at);
        if marks.get(next).is_none_or(|range| at < range.start) {
            out.push(reference);
        }
    }
    Ok(out)
}

/// The stretches in which nothing is a reference, in order.
fn apart(text: &str) -> Result<Vec<Range<usize>>, TooLarge> {
    let mut marks = markdown::marks(text)?;
    marks.raw.append(&mut marks.comments);
    marks.raw.sort_by_key(|range| range.start);
    Ok(marks.raw)
}

/// The reference whose `@` is at `start`.
fn reference(text: &str, start: usize) -> Option<Reference> {
    let from = start + 1;
    let mut path = String::new();
    let mut at = from;
    while let Some(c) = text[at..].chars().next() {
        if text[at..].starts_with("\\ ") {
            path.push(' ');
            at += 2;
        } else if c.is_whitespace() || c.is_control() || ENDS.contains(&c) {
            break;
        } else {
            path.push(c);
            at += c.len_utf8();
        }
    }
    let whole = path.len();
    path.truncate(path.trim_end_matches('.').len());
    let end = at - (whole - path.len());
    (!path.is_empty()).then(|| Reference {
        range: start..end,
        is_path: path.contains(['/', '.']),
        path,
    })
}

/// The path inside the root that `path` leads to from the folder `dir`; none if it leads out of the root or nowhere.
#[must_use]
pub fn resolve(dir: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) {
        return None;
    }
    let mut out: Vec<&str> = dir.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => _ = out.pop()?,
            name => out.push(name),
        }
    }
    (!out.is_empty()).then(|| out.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

    fn found(text: &str) -> Vec<(&str, String, bool)> {
        let all = references(text).unwrap().into_iter();
        all.map(|r| (&text[r.range], r.path, r.is_path)).collect()
    }

    fn paths(text: &str) -> Vec<String> {
        references(text)
            .unwrap()
            .into_iter()
            .map(|r| r.path)
            .collect()
    }

    #[test]
    fn references_are_at_the_start_or_after_white_space() {
        assert_eq!(
            found("@a.md and @b/c, @README.\n@../d.md\u{3000}@./é"),
            [
                ("@a.md", "a.md".into(), true),
                ("@b/c", "b/c".into(), true),
                ("@README", "README".into(), false),
                ("@../d.md", "../d.md".into(), true),
                ("@./é", "./é".into(), true),
            ]
        );
        assert!(paths("me@a.md (@b.md) [@c.md](x) **@d.md** \\@e.md @ @. @: @").is_empty());
    }

    #[test]
    fn sentences_end_paths() {
        assert_eq!(
            paths(
                "See @a.md. Or @b.md: or @c.md; @d.md! @e.md? @f.md) @g.md' @h.md...\n- @i.md\n> @j.md\n# @k.md"
            ),
            [
                "a.md", "b.md", "c.md", "d.md", "e.md", "f.md", "g.md", "h.md", "i.md", "j.md",
                "k.md"
            ]
        );
        assert_eq!(
            found("@my\\ notes.md x"),
            [("@my\\ notes.md", "my notes.md".into(), true)]
        );
        assert_eq!(paths("@a.b\\ @c.d"), ["a.b @c.d"]);
    }

    #[test]
    fn code_and_comments_hold_none() {
        let text = "`x @a.md` ``@b.md ` ``\n\n```\n@c.md\n```\n\n    @d.md\n\n<!-- @e.md -->\n\n<a href=\"\n@f.md\">\n\n\
                    <pre>\n@g.md\n</pre>\n\n<rules>\n@yes.md\n</rules>\n\nx <!-- @h.md --> `\n@too.md";
        assert_eq!(paths(text), ["yes.md", "too.md"]);
    }

    #[test]
    fn paths_are_resolved_by_their_form() {
        for (dir, path, whole) in [
            ("", "a.md", Some("a.md")),
            ("x/y", "a.md", Some("x/y/a.md")),
            ("x/y", "../a.md", Some("x/a.md")),
            ("x/y", "../../a", Some("a")),
            ("x/y", "../../../a", None),
            ("", "../a", None),
            ("x", "././/a/.", Some("x/a")),
            ("x", "..", None),
            ("x", "/etc/passwd", None),
            ("x", "~/a", None),
            ("x", "~", None),
        ] {
            assert_eq!(resolve(dir, path).as_deref(), whole, "{dir} {path}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn references_equal_their_text(text in "([a @./\n`<>*\\\\é~-]|@a\\.b|<!--|-->|    |```){0,24}") {
            let mut end = 0;
            for reference in references(&text).unwrap() {
                prop_assert!(reference.range.start >= end);
                end = reference.range.end;
                let written = &text[reference.range];
                prop_assert_eq!(written.replace("\\ ", " "), format!("@{}", reference.path));
            }
        }

        #[test]
        fn nothing_resolved_leaves(dir in "([ab]/){0,3}", path in "([ab.~/ ]){0,12}") {
            if let Some(whole) = resolve(&dir, &path) {
                prop_assert!(whole.split('/').all(|name| !matches!(name, "" | "." | "..")), "{}", whole);
            }
        }
    }
}
