//! Whether two texts say the same: everything in them that is not layout.

use super::trivia::tidy;
use crate::diagnostic::span::FileId;
use crate::syntax::lex::{Kind, Token, newline};
use crate::syntax::{self, Tree, string};

/// Whether `new` has the nodes, values, spellings and comments of `old`, the latter `tree` when read.
///
/// Both are well formed, so that their tokens decide what their nodes are.
pub(super) fn same(file: FileId, tree: &Tree, old: &str, new: &str) -> bool {
    syntax::read(file, &new.into())
        .is_ok_and(|read| ink(old, tree.tokens()) == ink(new, read.tokens()))
}

/// All that is written and no layout: words as they are spelt, strings of several lines as what they say, where nodes
/// end, what is left out, and comments.
#[derive(Debug, PartialEq, Eq)]
struct Ink {
    tokens: Vec<(Kind, String)>,
    comments: Vec<String>,
}

fn ink(src: &str, tokens: &[Token]) -> Ink {
    let mut ink = Ink {
        tokens: Vec::new(),
        comments: Vec::new(),
    };
    let mut parts = false;
    for token in tokens {
        let written = &src[token.range()];
        match token.kind {
            Kind::LineComment | Kind::BlockComment => ink.comments.push(tidy(written)),
            kind if kind.is_trivia() => {}
            Kind::Newline | Kind::Semicolon => parts = true,
            kind => {
                let before = ink.tokens.last().map(|(kind, _)| *kind);
                let within = kind != Kind::Close
                    && !matches!(before, None | Some(Kind::Open | Kind::Slashdash));
                if std::mem::take(&mut parts) && within {
                    ink.tokens.push((Kind::Newline, String::new()));
                }
                let said =
                    (kind == Kind::Text && has_line_end(written)).then(|| string::text(written));
                ink.tokens
                    .push((kind, said.flatten().unwrap_or_else(|| written.to_owned())));
            }
        }
    }
    ink
}

fn has_line_end(text: &str) -> bool {
    let mut chars = text.char_indices();
    chars.any(|(at, _)| newline(&text[at..]) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::span::Files;

    fn says_the_same(old: &str, new: &str) -> bool {
        let mut files = Files::default();
        let file = files.add("promptc.kdl", old);
        let tree = syntax::read(file, &old.into()).expect("KDL");
        same(file, &tree, old, new)
    }

    #[test]
    fn layout_is_no_difference() {
        for (old, new) in [
            ("a   1;b\r\n", "a 1\n\n\nb\n"),
            ("a{b;}", "a {\n    b\n}"),
            ("a \\ // c\n b = 1", "a b=1 // c"),
            ("a \"\"\"\r\n  x\r\n\r\n  \"\"\"", "a \"\"\"\n x\n\n \"\"\""),
            ("/-a  b  // c  \nd", "/- a b // c\nd"),
            ("a \"\"\"\u{2028} x\u{85} \"\"\"", "a \"\"\"\nx\n\"\"\""),
        ] {
            assert!(says_the_same(old, new), "{old:?} {new:?}");
        }
    }

    #[test]
    fn other_spans_are_one_token() {
        for (old, new) in [
            ("a 1.0", "a 1.00"),
            ("a 0x1F", "a 0x1f"),
            ("a #nan", "a #null"),
            ("a b", "a \"b\""),
            ("a; b", "a b"),
            ("a b=1", "a b 1"),
            ("a (x)b", "a b"),
            ("a { }", "a"),
            ("a { b }", "a; b"),
            ("a /-b c", "a b c"),
            ("/-a { b; c }", "/-a { b c }"),
            ("/-a 1", "/-a 2"),
            ("/- \"\"\"\n x\n \"\"\"", "/- \"\"\"\n  x\n \"\"\""),
            ("a \"\"\"\n x\n \"\"\"", "a \"\"\"\n  x\n \"\"\""),
            ("a // b", "a"),
            ("a // b", "a // c"),
            ("a /* b */ // c", "a // c\n/* b */"),
            ("a /* b\n   c */", "a /* b\n c */"),
            ("a", "a {"),
        ] {
            assert!(!says_the_same(old, new), "{old:?} {new:?}");
        }
    }
}
