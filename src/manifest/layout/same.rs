//! Whether two texts mean the same: their nodes, and everything in them that is not layout.

use super::trivia::{Piece, pieces, tidy};
use crate::span::FileId;
use crate::syntax::lex::{Kind, lex, newline};
use crate::syntax::{self, string};
use crate::syntax::{Entry, Node, Nodes, Scalar, Tree};

/// Whether `new` has the nodes, values, spellings and comments of `old`, the latter `tree` when read.
pub(super) fn same(file: FileId, tree: &Tree, old: &str, new: &str) -> bool {
    let Ok(read) = syntax::read(file, &new.into()) else {
        return false;
    };
    same_nodes(tree.nodes(), read.nodes()) && ink(file, old) == ink(file, new)
}

fn same_nodes(old: Nodes<'_>, new: Nodes<'_>) -> bool {
    let entries = |a: Node<'_>, b: Node<'_>| {
        a.entries().count() == b.entries().count()
            && a.entries().zip(b.entries()).all(|(a, b)| same_entry(a, b))
    };
    let node = |a: Node<'_>, b: Node<'_>| {
        let below = match (a.children(), b.children()) {
            (Some(a), Some(b)) => same_nodes(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        a.name().value() == b.name().value()
            && a.ty().map(|t| t.value()) == b.ty().map(|t| t.value())
            && entries(a, b)
            && below
    };
    old.iter().count() == new.iter().count() && old.iter().zip(new).all(|(a, b)| node(a, b))
}

fn same_entry(a: Entry<'_>, b: Entry<'_>) -> bool {
    let value = match (a.value(), b.value()) {
        (Scalar::Text(a), Scalar::Text(b)) => a == b,
        // A number that is not equal to itself has a spelling, too.
        (of, with) => {
            std::mem::discriminant(&of) == std::mem::discriminant(&with)
                && a.written() == b.written()
        }
    };
    value
        && a.name().map(|n| n.value()) == b.name().map(|n| n.value())
        && a.ty().map(|t| t.value()) == b.ty().map(|t| t.value())
}

/// All that is written and no layout: words as they are spelt, strings of several lines as what they say, where nodes
/// end, what is left out, and comments.
#[derive(Debug, PartialEq, Eq)]
struct Ink {
    tokens: Vec<(Kind, String)>,
    comments: Vec<String>,
}

fn ink(file: FileId, src: &str) -> Ink {
    let lexed = lex(file, src);
    let mut ink = Ink {
        tokens: Vec::new(),
        comments: Vec::new(),
    };
    let mut end = 0;
    let mut parts = false;
    for token in &lexed.tokens {
        ink.comments_of(src, end..token.start, &lexed.comments);
        end = token.end;
        let written = &src[token.start..token.end];
        match token.kind {
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
    ink.comments_of(src, end..src.len(), &lexed.comments);
    ink
}

fn has_line_end(text: &str) -> bool {
    let mut chars = text.char_indices();
    chars.any(|(at, _)| newline(&text[at..]) > 0)
}

impl Ink {
    fn comments_of(
        &mut self,
        src: &str,
        gap: std::ops::Range<usize>,
        insides: &[std::ops::Range<usize>],
    ) {
        for piece in pieces(src, gap, insides) {
            if let Piece::Line(at) | Piece::Block(at) | Piece::Break(Some(at)) = piece {
                self.comments.push(tidy(&src[at]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Files;

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
    fn everything_else_is_one() {
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
