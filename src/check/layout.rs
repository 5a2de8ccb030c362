//! Nodes as lines of a file: what belongs to one, and how lines move or go without a trace.

use crate::diagnostic::span::FileId;
use crate::syntax::lex::{Kind, Token, lex};
use std::ops::Range;

/// The lines of a node that share none with another: the comments directly above it, itself, and the end of its last line.
/// Its tokens, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block(Range<usize>);

/// A file whose nodes may be moved or removed.
#[derive(Debug)]
pub(super) struct Page<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> Page<'t> {
    pub(super) fn new(file: FileId, text: &'t str) -> Self {
        let tokens = lex(file, text).tokens;
        Self { text, tokens }
    }

    /// The lines of the node at `place`; none if something else is on them.
    pub(super) fn block(&self, place: Range<usize>) -> Option<Block> {
        let start = self.spaces_before(self.token_at(place.start));
        let mut end = self.spaces_after(self.token_at(place.end));
        if self.kind(end) == Some(Kind::LineComment) {
            end += 1;
        }
        let alone = self.starts_line(start) && self.ends_line(end);
        let top = || self.comments_above(start);
        alone.then(|| Block(top()..self.next_line(end)))
    }

    /// The edits that put `block` directly before or after `anchor`: what is removed, and what is inserted where.
    pub(super) fn moved(
        &self,
        Block(block): &Block,
        Block(anchor): &Block,
        before: bool,
    ) -> [(Range<usize>, String); 2] {
        let feed = self.feed();
        let apart = self.blank_above(block.start) || self.blank_above(anchor.start);
        let gap = if apart { feed } else { "" };
        let end = |lines: &Range<usize>| {
            if self.starts_line(lines.end) {
                ""
            } else {
                feed
            }
        };
        let lines = format!("{}{}", &self.text[self.place(block.clone())], end(block));
        let place = self.place(anchor.clone());
        let (at, inserted) = if before {
            (place.start, format!("{lines}{gap}"))
        } else {
            (place.end, format!("{}{gap}{lines}", end(anchor)))
        };
        let gone = self.place(self.without_gap(block.clone()));
        [(gone, String::new()), (at..at, inserted)]
    }

    /// The edits that put `block` after `anchor` between `head` and a closing brace.
    pub(super) fn moved_in(
        &self,
        block: &Block,
        anchor: &Block,
        head: &str,
    ) -> [(Range<usize>, String); 2] {
        let feed = self.feed();
        let lines = &self.text[self.place(block.0.clone())];
        let lines = lines.trim_end_matches(['\n', '\r']);
        let end = if self.starts_line(anchor.0.end) {
            ""
        } else {
            feed
        };
        let at = self.place(anchor.0.clone()).end;
        let gone = self.place(self.without_gap(block.0.clone()));
        let inserted = format!("{end}{feed}{head}{feed}{lines}{feed}}}{feed}");
        [(gone, String::new()), (at..at, inserted)]
    }

    /// Its line end.
    fn feed(&self) -> &'static str {
        if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// The range to remove with a node: the `;` after it, and its line if nothing else is on it.
    pub(super) fn removed(&self, place: Range<usize>) -> Range<usize> {
        let first = self.token_at(place.start);
        let mut end = self.token_at(place.end);
        let semicolon = self.spaces_after(end);
        if self.kind(semicolon) == Some(Kind::Semicolon) {
            end = self.spaces_after(semicolon + 1);
        }
        let (start, last) = (self.spaces_before(first), self.spaces_after(end));
        self.place(match self.starts_line(start) {
            true if self.ends_line(last) => self.without_gap(start..self.next_line(last)),
            // What is after it takes its place.
            true => first..last,
            false => first..end,
        })
    }

    /// Lines that go, with one of the two blank lines that would then be side by side.
    fn without_gap(&self, lines: Range<usize>) -> Range<usize> {
        let Range { start, end } = lines;
        let next = self.spaces_after(end);
        match self.blank_above(start) {
            true if end == self.tokens.len() => self.spaces_before(start - 1)..end,
            true if self.ends_line(next) => start..self.next_line(next),
            _ => start..end,
        }
    }

    /// Where the comments begin that are directly above the line at `start`, each on lines of its own.
    fn comments_above(&self, start: usize) -> usize {
        let mut top = start;
        while top > 0 {
            let end = self.spaces_before(top - 1);
            let comment = end.checked_sub(1).and_then(|at| self.kind(at));
            if !matches!(comment, Some(Kind::LineComment | Kind::BlockComment)) {
                break;
            }
            let above = self.spaces_before(end - 1);
            if !self.starts_line(above) {
                break;
            }
            top = above;
        }
        top
    }

    /// Whether the line above the one at `start` is blank. Above the first there is none.
    fn blank_above(&self, start: usize) -> bool {
        start > 0 && self.starts_line(self.spaces_before(start - 1))
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// The first token from byte `at` on.
    fn token_at(&self, at: usize) -> usize {
        self.tokens.partition_point(|token| token.start < at)
    }

    /// The bytes of tokens.
    fn place(&self, tokens: Range<usize>) -> Range<usize> {
        let start = |at: usize| self.tokens.get(at).map_or(self.text.len(), |t| t.start);
        start(tokens.start)..start(tokens.end)
    }

    fn spaces_before(&self, mut at: usize) -> usize {
        while at > 0 && self.kind(at - 1) == Some(Kind::Space) {
            at -= 1;
        }
        at
    }

    fn spaces_after(&self, mut at: usize) -> usize {
        while self.kind(at) == Some(Kind::Space) {
            at += 1;
        }
        at
    }

    fn starts_line(&self, at: usize) -> bool {
        at == 0 || self.kind(at - 1) == Some(Kind::Newline)
    }

    fn ends_line(&self, at: usize) -> bool {
        matches!(self.kind(at), None | Some(Kind::Newline))
    }

    /// The start of the line after the one that ends at `at`.
    fn next_line(&self, at: usize) -> usize {
        self.tokens.len().min(at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Page;
    use crate::diagnostic::span::Files;

    fn place(text: &str, node: &str) -> std::ops::Range<usize> {
        let at = text.find(node).unwrap();
        at..at + node.len()
    }

    fn apply(text: &str, edits: [(std::ops::Range<usize>, String); 2]) -> String {
        let mut edits = edits.to_vec();
        edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let mut out = text.to_owned();
        for (range, inserted) in edits {
            out.replace_range(range, &inserted);
        }
        out
    }

    fn page(text: &str) -> Page<'_> {
        Page::new(Files::default().add("x", text), text)
    }

    fn lines<'t>(text: &'t str, node: &str) -> Option<&'t str> {
        let page = page(text);
        let block = page.block(place(text, node))?;
        Some(&text[page.place(block.0)])
    }

    fn moving(text: &str, node: &str, anchor: &str, before: bool) -> String {
        let page = page(text);
        let [node, anchor] = [node, anchor].map(|n| page.block(place(text, n)).unwrap());
        apply(text, page.moved(&node, &anchor, before))
    }

    #[test]
    fn comments_directly_above_go_along() {
        let text = "x\n// far\n\n// A\na {\n} // end\n\n/* B\n // still */\nb {\n}\n";
        let swapped = "x\n// far\n\n/* B\n // still */\nb {\n}\n\n// A\na {\n} // end\n";
        assert_eq!(moving(text, "b {\n}", "a {\n}", true), swapped);
        assert_eq!(moving(text, "a {\n}", "b {\n}", false), swapped);
    }

    #[test]
    fn text_that_only_looks_like_a_comment_stays() {
        // A block comment does not end in a line comment, and one that begins after other text does not belong to the node.
        let text = "x\n/* c */ a {}\n// d */\nb {}\n";
        assert_eq!(lines(text, "b {}"), Some("// d */\nb {}\n"));
        let text = "a {} /* of a\n */\nb {}\n";
        assert_eq!(lines(text, "b {}"), Some("b {}\n"));
    }

    #[test]
    fn lines_without_gaps_stay_so_and_a_last_line_is_ended() {
        assert_eq!(
            moving("x\na {}\nb {}", "b {}", "a {}", true),
            "x\nb {}\na {}\n"
        );
        assert_eq!(
            moving("x\na {}\nb {}", "a {}", "b {}", false),
            "x\nb {}\na {}\n"
        );
        let text = "x\r\n\r\na {}\r\n\r\nb {}\r\n";
        assert_eq!(
            moving(text, "b {}", "a {}", true),
            "x\r\n\r\nb {}\r\n\r\na {}\r\n"
        );
    }

    #[test]
    fn shared_lines_do_not_move() {
        for text in [
            "a {}; b {}\n",
            "a { }\nb { }; c\n",
            "/* c */ b {}\n",
            "b {} /* c */\n",
            "\u{feff}b {}\n",
            "a \\\nb {}\n",
        ] {
            let node = if text.contains("b { }") {
                "b { }"
            } else {
                "b {}"
            };
            assert_eq!(lines(text, node), None, "{text}");
        }
    }

    #[test]
    fn a_removed_node_leaves_no_trace_and_no_comment_goes() {
        let gone = |text: &str| {
            let mut out = text.to_owned();
            out.replace_range(page(text).removed(place(text, "w x=1")), "");
            out
        };
        assert_eq!(gone("a\n  w x=1\nb\n"), "a\nb\n");
        assert_eq!(gone("a\n\nw x=1\n\nb\n"), "a\n\nb\n");
        assert_eq!(gone("a\n\nw x=1"), "a\n");
        assert_eq!(gone("t { w x=1; b }\n"), "t { b }\n");
        assert_eq!(gone("t { b; w x=1 }\n"), "t { b;  }\n");
        assert_eq!(gone("  w x=1 // why\n"), "  // why\n");
        assert_eq!(gone("// why\nw x=1;\nb\n"), "// why\nb\n");
    }
}
