//! The parts of a Markdown text that are not plain text: code, HTML and its comments, by the rules of CommonMark.

use pulldown_cmark::{Event, Options, Parser, Tag};
use std::ops::Range;

/// Stretches of a text (bytes), in order and apart from each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// HTML comments, from `<!--` to `-->`.
    pub comments: Vec<Range<usize>>,
    /// Code blocks and spans, HTML tags, and HTML blocks whose content is not Markdown, such as `<pre>` and `<script>`.
    pub raw: Vec<Range<usize>>,
}

/// The largest text that is taken apart, in bytes: it takes up to 70 times the memory.
pub const LARGEST: usize = 4 * 1024 * 1024;

/// A text is larger than [`LARGEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// The comments of a text, as [`marks`] has them.
///
/// # Errors
/// When it may hold some and is larger than 4 MiB.
pub fn comments(text: &str) -> Result<Vec<Range<usize>>, TooLarge> {
    if text.contains("<!--") {
        Ok(marks(text)?.comments)
    } else {
        Ok(Vec::new())
    }
}

/// The marks of a text.
///
/// A comment that is not closed before its HTML block ends is none; that block is raw from there on.
///
/// # Errors
/// When it may hold some and is larger than 4 MiB.
pub fn marks(text: &str) -> Result<Marks, TooLarge> {
    let mut out = Marks::default();
    if !text.contains(['`', '<', '~']) && !text.contains("    ") && !text.contains('\t') {
        return Ok(out);
    }
    if text.len() > LARGEST {
        return Err(TooLarge);
    }
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => out.raw.push(range),
            Event::Start(Tag::HtmlBlock) => block(text, range, &mut out),
            Event::InlineHtml(_) if text[range.clone()].starts_with("<!--") => {
                out.comments.push(range);
            }
            Event::InlineHtml(_) => out.raw.push(range),
            _ => {}
        }
    }
    Ok(out)
}

/// Code blocks and spans, in order: what is written in a text to be looked at.
///
/// # Errors
/// When it may hold some and is larger than 4 MiB.
pub fn code(text: &str) -> Result<Vec<Range<usize>>, TooLarge> {
    if !text.contains(['`', '~', '\t']) && !text.contains("    ") {
        return Ok(Vec::new());
    }
    if text.len() > LARGEST {
        return Err(TooLarge);
    }
    let events = Parser::new_ext(text, Options::empty()).into_offset_iter();
    let code = events
        .filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))));
    Ok(code.map(|(_, range)| range).collect())
}

/// An HTML block: its comments and tags, unless it is of a kind in which there are none.
fn block(text: &str, range: Range<usize>, out: &mut Marks) {
    let own = &text[range.clone()];
    let first = own.trim_start();
    let verbatim = first.starts_with("<?")
        || ["<pre", "<script", "<style", "<textarea"]
            .into_iter()
            .any(|tag| opens(first, tag));
    let declares = first.starts_with("<!") && !first.starts_with("<!--");
    if declares || verbatim {
        out.raw.push(range);
        return;
    }
    let mut at = range.start;
    while let Some(found) = text[at..range.end].find("<!--") {
        let start = at + found;
        tags(text, at..start, &mut out.raw);
        let Some(length) = comment(&text[start..range.end]) else {
            out.raw.push(start..range.end);
            return;
        };
        at = start + length;
        out.comments.push(start..at);
    }
    tags(text, at..range.end, &mut out.raw);
}

/// The tags of an HTML block, with their attributes.
fn tags(text: &str, range: Range<usize>, out: &mut Vec<Range<usize>>) {
    let mut open = None;
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in text[range.clone()].char_indices() {
        let at = range.start + at;
        let rest = &text[at + c.len_utf8()..range.end];
        match (quote, c) {
            (Some(end), _) => quote = (c != end).then_some(end),
            (None, '<') => {
                let name = rest.strip_prefix('/').unwrap_or(rest);
                open = name
                    .starts_with(|c: char| c.is_ascii_alphabetic())
                    .then_some(at);
            }
            (None, '>') => out.extend(open.take().map(|start| start..at + 1)),
            (None, '"' | '\'') if open.is_some() && before == '=' => quote = Some(c),
            // No attribute begins like this, so it is none.
            (None, '@') if before.is_whitespace() => open = None,
            _ => {}
        }
        before = c;
    }
}

/// Whether `text` begins with this tag, and not with one whose name is longer.
fn opens(text: &str, tag: &str) -> bool {
    let Some((start, rest)) = text.split_at_checked(tag.len()) else {
        return false;
    };
    start.eq_ignore_ascii_case(tag) && rest.starts_with(|c: char| c == '>' || c.is_whitespace())
}

/// The length of the comment that `text` begins with.
fn comment(text: &str) -> Option<usize> {
    let inside = &text["<!--".len()..];
    if inside.starts_with('>') {
        return Some("<!-->".len());
    }
    if inside.starts_with("->") {
        return Some("<!--->".len());
    }
    Some("<!--".len() + inside.find("-->")? + "-->".len())
}

/// A text without `gone`, which are in order: if only blanks are next to them on their lines, these lines are removed
/// as a whole.
#[must_use]
pub fn without(text: &str, gone: &[Range<usize>]) -> Vec<Range<usize>> {
    let is_blank = |text: &str| text.bytes().all(|b| matches!(b, b' ' | b'\t'));
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut kept = 0;
    let mut rest = gone;
    while let Some(first) = rest.first() {
        // Those with only blanks between them are on one line, or on lines of their own.
        let more = rest.windows(2);
        let together = 1 + more
            .take_while(|pair| is_blank(&text[pair[0].end..pair[1].start]))
            .count();
        let (these, others) = rest.split_at(together);
        rest = others;
        let end = these.last().map_or(first.end, |last| last.end);
        let line = text[..first.start].rfind('\n').map_or(0, |at| at + 1);
        let behind = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let after = &text[end..behind];
        let after = after.strip_suffix('\r').unwrap_or(after);
        if is_blank(&text[line..first.start]) && is_blank(after) {
            out.push(kept..line.max(kept));
            kept = text.len().min(behind + 1);
            continue;
        }
        for one in these {
            out.push(kept..one.start);
            kept = one.end;
        }
    }
    out.push(kept..text.len());
    out.retain(|range| !range.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert, proptest};

    fn stripped(text: &str) -> String {
        let kept = without(text, &comments(text).unwrap());
        kept.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn comments_go_with_their_lines() {
        assert_eq!(stripped("a <!-- b --> c"), "a  c");
        assert_eq!(stripped("a\n\n<!-- b -->\n\nc"), "a\n\n\nc");
        assert_eq!(stripped("a\n  <!-- b\n\nstill b -->  \nc"), "a\nc");
        assert_eq!(stripped("<!-- a --> <!-- b -->\nc"), "c");
        assert_eq!(stripped("<!-- a --> x <!-- b -->\nc"), " x \nc");
        assert_eq!(stripped("a\n<!-- b -->"), "a\n");
        assert_eq!(stripped("> <!-- a -->\n> b"), "> \n> b");
        assert_eq!(stripped("<!---->a<!-->b<!--->c"), "abc");
        assert_eq!(stripped("<div>\n<!-- a -->\n</div>"), "<div>\n</div>");
        assert_eq!(stripped("- a\n  <!-- b -->\n- c"), "- a\n- c");
    }

    #[test]
    fn code_keeps_its_comments() {
        for text in [
            "```html\n<!-- a -->\n```",
            "~~~\n<!-- a -->",
            "    <!-- a -->",
            "\t<!-- a -->",
            "`<!-- a -->`",
            "`` ` <!-- a --> ``",
            "- x\n\n      <!-- a -->",
            "<pre>\n<!-- a -->\n</pre>",
            "<SCRIPT>\n<!-- a -->\n</SCRIPT>",
            "\\<!-- a -->",
            "<!-- a\n\nb",
            "a <!-- b",
        ] {
            assert_eq!(stripped(text), text);
        }
    }

    #[test]
    fn raw_blocks_are_recognized() {
        let text = "a `b` <i c=\"d\">e</i>\n\n```\nf\n```\n\n<x>\ng <!-- h\n</x>\n";
        let raw: Vec<&str> = marks(text)
            .unwrap()
            .raw
            .into_iter()
            .map(|r| &text[r])
            .collect();
        assert_eq!(
            raw,
            [
                "`b`",
                "<i c=\"d\">",
                "</i>",
                "```\nf\n```",
                "<x>",
                "<!-- h\n</x>\n"
            ]
        );
    }

    #[test]
    fn tags_of_a_block_end_after_their_attributes() {
        let text = "<p a=\"x > y\" b='\"'\n c=d>1 < 2 <b @e> <3 > </i\n> <q r=\"s>";
        let raw: Vec<&str> = marks(text)
            .unwrap()
            .raw
            .into_iter()
            .map(|r| &text[r])
            .collect();
        assert_eq!(raw, ["<p a=\"x > y\" b='\"'\n c=d>", "</i\n>"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn marks_are_in_order_and_comments_are_comments(text in "([a `~>*_\\\\<!\n\t-]|<!--|-->|\n\n|    |<b>|é|- |```){0,20}") {
            let found = marks(&text).unwrap();
            let mut all: Vec<_> = found.comments.iter().chain(&found.raw).cloned().collect();
            all.sort_by_key(|r| r.start);
            for pair in all.windows(2) {
                prop_assert!(pair[0].end <= pair[1].start, "{pair:?}");
            }
            for range in &found.comments {
                let comment = &text[range.clone()];
                prop_assert!(comment.starts_with("<!--") && comment.ends_with("->"), "{comment:?}");
            }
            let kept = without(&text, &found.comments);
            let mut at = 0;
            for range in kept {
                prop_assert!(at <= range.start && range.start < range.end);
                at = range.end;
            }
            prop_assert!(at <= text.len());
        }
    }
}
