//! The text of a layer, cut at the bounds of its spans, so that each place leads to its source.

use crate::prompt::{Ingredient, Layer, Span};
use crate::report::html::Html;
use crate::text::SpanKind;

/// A text longer than this is drawn in blocks, in bytes: a browser lays out those that are seen.
const LONG: usize = 24 * 1024;

/// The least size of such a block, in bytes. It ends with a line.
const BLOCK: usize = 8 * 1024;

/// The class of a kind of span. The legend of the page names them, `page.css` draws them.
pub(super) fn class(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Document => "d",
        SpanKind::Fact => "f",
        SpanKind::Template => "t",
        SpanKind::Join => "j",
        SpanKind::Literal => "w",
        SpanKind::Derived => "x",
    }
}

/// Draws the text of `layer`, which is a part of `whole`; at `break_at` stands the end of the prefix.
///
/// A piece says what it comes from as `data-p="INGREDIENT:LINE:START"`, each empty where there is none; the pieces of one
/// span say the same.
pub(super) fn draw(html: &mut Html, layer: &Layer, whole: &str, break_at: Option<usize>) {
    let spans = merged(&layer.spans);
    let mut ends = blocks(whole, layer.start..layer.end).into_iter().peekable();
    let in_blocks = ends.len() > 1;
    if in_blocks {
        html.markup("<div class=\"block\">");
    }
    let mut mark = break_at;
    for (number, span) in spans.iter().enumerate() {
        let mut at = span.start;
        while at < span.end {
            if mark.is_some_and(|mark| mark <= at) {
                mark = None;
                end_of_prefix(html);
            }
            let cuts = [Some(span.end), ends.peek().copied(), mark];
            let cut = cuts.into_iter().flatten().filter(|cut| *cut > at);
            let to = cut.min().unwrap_or(span.end);
            piece(html, span, number == 0 && at == span.start, &whole[at..to]);
            at = to;
            if ends.next_if_eq(&at).is_some() && ends.peek().is_some() {
                html.markup("</div><div class=\"block\">");
            }
        }
    }
    if mark.is_some() {
        end_of_prefix(html);
    }
    if in_blocks {
        html.markup("</div>");
    }
}

/// The first piece of a layer can be reached with the Tab key, all others from there with arrows.
fn piece(html: &mut Html, span: &Span, first: bool, text: &str) {
    let number = |n: Option<usize>| n.map_or(String::new(), |n| n.to_string());
    let ingredient = number(span.ingredient.map(|i| i as usize));
    let place = format!("{ingredient}:{}:{}", number(span.line), span.start);
    let lead = first && span.kind == SpanKind::Join;
    let class = if lead { "j lead" } else { class(span.kind) };
    let attrs = [
        ("class", class),
        ("data-p", place.as_str()),
        ("tabindex", "0"),
    ];
    html.open("span", if first { &attrs } else { &attrs[..2] });
    html.verbatim(text);
    html.close("span");
}

fn end_of_prefix(html: &mut Html) {
    let label = "here the prefix that both prompts have ends";
    let attrs = [
        ("class", "cut"),
        ("id", "cut"),
        ("role", "img"),
        ("aria-label", label),
    ];
    html.leaf("b", &attrs, "");
}

/// The spans, with adjacent ones merged if they are one run of the same source.
fn merged(spans: &[Span]) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    for span in spans.iter().filter(|s| s.start < s.end) {
        match out.last_mut() {
            Some(last) if follows(last, span) => last.end = span.end,
            _ => out.push(*span),
        }
    }
    out
}

fn follows(last: &Span, span: &Span) -> bool {
    let runs_on = match (last.offset, span.offset) {
        (Some(a), Some(b)) => a.checked_add(last.end.saturating_sub(last.start)) == Some(b),
        (None, None) => true,
        _ => false,
    };
    last.kind == span.kind && last.ingredient == span.ingredient && runs_on
}

/// Where blocks end; one for a text that is short.
fn blocks(whole: &str, range: std::ops::Range<usize>) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut from = range.start;
    while range.end - from > LONG {
        let rest = &whole.as_bytes()[from + BLOCK..range.end];
        match rest.iter().position(|b| *b == b'\n') {
            Some(line) => from += BLOCK + line + 1,
            None => break,
        }
        ends.push(from);
    }
    ends.retain(|end| *end < range.end);
    ends.push(range.end);
    ends
}

/// The spans of an ingredient.
pub(super) fn pieces(layer: &Layer) -> Vec<usize> {
    let mut out = vec![0; layer.ingredients.len()];
    for span in merged(&layer.spans) {
        let at = span.ingredient.and_then(|i| out.get_mut(i as usize));
        if let Some(n) = at {
            *n += 1;
        }
    }
    out
}

/// The parts of an ingredient's place: the source without a line, and whether a line of the prompt is a line of
/// the source (a string of a manifest may hold line ends that are none of the file).
pub(super) fn source(item: &Ingredient) -> Option<(String, bool)> {
    Some(match item {
        Ingredient::Document { root, path, .. } => (format!("{root}:{path}"), true),
        Ingredient::Template { file, line, .. } => (file.clone(), line.is_none()),
        Ingredient::Literal { file, .. } => (file.clone(), false),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::blocks;

    #[test]
    fn blocks_end_with_lines_and_cover_the_text() {
        let text = "0123456789abcde\n".repeat(10_000);
        for range in [0..text.len(), 5..text.len() - 3, 0..100, 7..7] {
            let ends = blocks(&text, range.clone());
            assert_eq!(ends.last(), Some(&range.end));
            for pair in ends.windows(2) {
                assert!(pair[0] < pair[1] && text[..pair[0]].ends_with('\n'));
            }
        }
        assert!(blocks(&text, 0..text.len()).len() > 5);
        assert_eq!(blocks(&"x".repeat(100_000), 0..100_000), [100_000]);
    }
}
