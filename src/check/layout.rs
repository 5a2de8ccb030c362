//! Nodes as lines of a file: what belongs to one, and how lines move or go without a trace.

use crate::manifest::block_comments;
use crate::span::FileId;
use std::ops::Range;

/// The lines of a node that share none with another: the comments directly above it, itself, and the end of its last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block(Range<usize>);

/// A file whose nodes may move.
#[derive(Debug)]
pub(super) struct Page<'t> {
    text: &'t str,
    /// The insides of its block comments.
    comments: Vec<Range<usize>>,
    /// Whether it has line ends that only KDL knows; they would take part in what is moved.
    odd: bool,
}

impl<'t> Page<'t> {
    pub(super) fn new(file: FileId, text: &'t str) -> Self {
        let odd = |(at, c): (usize, char)| match c {
            '\r' => !text[at..].starts_with("\r\n"),
            c => matches!(c, '\u{85}' | '\u{b}' | '\u{c}' | '\u{2028}' | '\u{2029}'),
        };
        Self {
            text,
            comments: block_comments(file, text),
            odd: text.char_indices().any(odd),
        }
    }

    /// The lines of the node at `place`; none if something else stands on them.
    pub(super) fn block(&self, place: Range<usize>) -> Option<Block> {
        let text = self.text;
        let start = line_start(text, place.start);
        let end = line_end(text, place.end);
        let behind = text.get(place.end..end)?.trim();
        let alone = is_blank(text.get(start..place.start)?)
            && (behind.is_empty() || behind.starts_with("//"));
        let top = comments_above(text, &self.comments, start);
        (alone && !self.odd).then_some(Block(top..end))
    }

    /// The edits that put `block` directly in front of or behind `anchor`.
    pub(super) fn moved(
        &self,
        block: &Block,
        anchor: &Block,
        before: bool,
    ) -> [(Range<usize>, String); 2] {
        moved(self.text, block, anchor, before)
    }
}

/// Where the comments begin that stand directly above the line at `start`.
fn comments_above(text: &str, comments: &[Range<usize>], start: usize) -> usize {
    let mut top = start;
    while top > 0 {
        let above = line_start(text, top - 1);
        let line = &text[above..top];
        let end = above + line.trim_end().len();
        let ends_here = |inside: &&Range<usize>| inside.end + "*/".len() == end;
        if let Some(inside) = comments.iter().find(ends_here) {
            let begin = inside.start - "/*".len();
            let first = line_start(text, begin);
            if !is_blank(&text[first..begin]) {
                break;
            }
            top = first;
        } else if line.trim_start().starts_with("//") {
            top = above;
        } else {
            break;
        }
    }
    top
}

/// The edits that put `block` directly in front of or behind `anchor`: what is removed, and what is inserted where.
fn moved(text: &str, block: &Block, anchor: &Block, before: bool) -> [(Range<usize>, String); 2] {
    let (Block(block), Block(anchor)) = (block, anchor);
    let feed = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let apart = blank_above(text, block.start) || blank_above(text, anchor.start);
    let gap = if apart { feed } else { "" };
    let mut lines = text[block.clone()].to_owned();
    if !lines.ends_with('\n') {
        lines.push_str(feed);
    }
    let (at, inserted) = match before {
        true => (anchor.start, format!("{lines}{gap}")),
        false => {
            let ended = text[..anchor.end].ends_with('\n');
            let end = if ended { "" } else { feed };
            (anchor.end, format!("{end}{gap}{lines}"))
        }
    };
    [
        (without_gap(text, block), String::new()),
        (at..at, inserted),
    ]
}

/// Lines that go, with one of the two blank lines that would then stand side by side.
fn without_gap(text: &str, lines: &Range<usize>) -> Range<usize> {
    let next = line_end(text, lines.end);
    let behind = &text[lines.end..next];
    if !blank_above(text, lines.start) {
        return lines.clone();
    }
    if lines.end == text.len() {
        return line_start(text, lines.start - 1)..lines.end;
    }
    match is_blank(behind) {
        true => lines.start..next,
        false => lines.clone(),
    }
}

/// What goes with a node that is removed: the `;` behind it, and its line if nothing else stands on it.
pub(super) fn removed(text: &str, place: Range<usize>) -> Range<usize> {
    let blanks = |s: &str| s.len() - s.trim_start_matches([' ', '\t']).len();
    let mut end = place.end;
    let spaces = blanks(&text[end..]);
    if text[end + spaces..].starts_with(';') {
        end += spaces + 1;
        end += blanks(&text[end..]);
    }
    let (first, last) = (line_start(text, place.start), line_end(text, end));
    let alone = is_blank(&text[first..place.start]);
    match alone && is_blank(&text[end..last]) {
        true => without_gap(text, &(first..last)),
        // What stands behind it takes its place.
        false if alone => place.start..end + blanks(&text[end..]),
        false => place.start..end,
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Whether the line above the one at `start` is blank. Above the first there is none.
fn blank_above(text: &str, start: usize) -> bool {
    start > 0 && is_blank(&text[line_start(text, start - 1)..start])
}

/// The first byte of the line that holds byte `at`, its line end included.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |feed| feed + 1)
}

/// One past the line end of the line that holds byte `at`.
fn line_end(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |feed| at + feed + 1)
}

#[cfg(test)]
mod tests {
    use super::{Block, Page, moved, removed};
    use crate::span::Files;

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

    fn lines(text: &str, node: &str) -> Option<Block> {
        let file = Files::default().add("x", text);
        Page::new(file, text).block(place(text, node))
    }

    fn moving(text: &str, node: &str, anchor: &str, before: bool) -> String {
        let [node, anchor] = [node, anchor].map(|n| lines(text, n).unwrap());
        apply(text, moved(text, &node, &anchor, before))
    }

    #[test]
    fn comments_directly_above_go_along() {
        let text = "x\n// far\n\n// A\na {\n} // end\n\n/* B\n // still */\nb {\n}\n";
        let swapped = "x\n// far\n\n/* B\n // still */\nb {\n}\n\n// A\na {\n} // end\n";
        assert_eq!(moving(text, "b {\n}", "a {\n}", true), swapped);
        assert_eq!(moving(text, "a {\n}", "b {\n}", false), swapped);
    }

    #[test]
    fn what_only_looks_like_a_comment_stays() {
        // The end of a line comment ends no block, and a block that begins behind something else is not the node's.
        let text = "x\n/* c */ a {}\n// d */\nb {}\n";
        assert_eq!(lines(text, "b {}").unwrap(), Block(15..28));
        let text = "a {} /* of a\n */\nb {}\n";
        assert_eq!(lines(text, "b {}").unwrap(), Block(17..22));
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
        ] {
            let node = if text.contains("b { }") {
                "b { }"
            } else {
                "b {}"
            };
            assert_eq!(lines(text, node), None, "{text}");
        }
        assert_eq!(lines("b \"\u{85}\"\n", "b"), None);
    }

    #[test]
    fn a_removed_node_leaves_no_trace_and_no_comment_goes() {
        let gone = |text: &str| {
            let mut out = text.to_owned();
            out.replace_range(removed(text, place(text, "w x=1")), "");
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
