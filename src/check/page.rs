//! A layer of a built prompt, ready to be searched: its text, and the same without code.

use crate::prompt::{Ingredient, Layer, Prompt, Span};
use crate::text::SpanKind;
use crate::text::markdown;
use crate::text::scan::Pattern;
use regex::Regex;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// The text of one layer. Its forms have the same length, so that a place in one is a place in all.
#[derive(Debug)]
pub(super) struct Page {
    /// The index of its channel.
    pub(super) channel: usize,
    /// The index of its layer in the channel.
    pub(super) layer: usize,
    /// The byte of the channel at which it begins.
    pub(super) start: usize,
    /// The text as in the prompt.
    pub(super) text: String,
    /// The ranges of the text of documents and facts.
    pub(super) documents: Vec<Range<usize>>,
    /// With blanks instead of the code of documents and facts.
    pub(super) plain: String,
    /// The text with ASCII letters in lower case.
    pub(super) lower: String,
    /// The text with its code, with ASCII letters in lower case.
    pub(super) whole: String,
    /// Quick tests that exclude a match without a pattern: building a pattern takes longer than searching a
    /// prompt.
    pub(super) hints: Hints,
    /// The first bytes of lines that show how something looks.
    examples: OnceLock<Vec<usize>>,
    numbered: OnceLock<String>,
}

/// The kinds of characters in a text.
#[derive(Debug, Default)]
pub(super) struct Hints {
    /// Two digits after a digit and a colon, as in a time of day.
    pub(super) clock: bool,
    /// A slash, or four digits in a row, as in a date.
    pub(super) date: bool,
    /// The most digits in a row.
    pub(super) digits: usize,
    /// The longest word of letters and digits that has a digit.
    pub(super) word: usize,
}

impl Hints {
    fn of(lower: &str) -> Self {
        let bytes = lower.as_bytes();
        let digits = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let mut hints = Self::default();
        for word in bytes.split(|b| !b.is_ascii_alphanumeric()) {
            let runs = word.split(|b| !b.is_ascii_digit()).map(<[u8]>::len);
            let most = runs.max().unwrap_or(0);
            hints.digits = hints.digits.max(most);
            if most > 0 {
                hints.word = hints.word.max(word.len());
            }
        }
        let colons = bytes.iter().enumerate().skip(1);
        let mut colons = colons
            .filter(|(_, b)| matches!(b, b':' | b'h'))
            .map(|(at, _)| at);
        hints.clock = colons.any(|at| digits(at - 1) && digits(at + 1) && digits(at + 2));
        hints.date = hints.digits >= 4 || lower.contains('/');
        hints
    }
}

/// A part of a text that belongs to one ingredient without a gap.
struct IngredientRun {
    range: Range<usize>,
    ingredient: u32,
    /// The byte of the ingredient after it.
    next: Option<usize>,
    /// Whether text of the ingredient was left out before it.
    after_gap: bool,
}

/// Lines that show how something looks.
static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:e\.g|i\.e|examples?|for instance|such as|looks? like|samples?|(?:the|this|in|of) format|format:|formatted (?:as|like)|placeholder|dummy|fixtures?|pretend|imagine|suppose|assume|assuming)\b",
    )
});

/// A constant pattern over lines.
pub(super) fn pattern(source: &str) -> Regex {
    Pattern::embedded(format!("(?m){source}")).regex().clone()
}

/// The pages of a prompt, in order.
pub(super) fn pages(prompt: &Prompt) -> Vec<Page> {
    let mut out = Vec::new();
    for (index, channel) in prompt.channels.iter().enumerate() {
        for (at, layer) in channel.layers.iter().enumerate() {
            let text = channel.text[layer.start..layer.end].to_owned();
            let pieces = pieces(layer);
            let plain = without_code(&text, &pieces);
            let lower = plain.to_ascii_lowercase();
            out.push(Page {
                channel: index,
                layer: at,
                start: layer.start,
                hints: Hints::of(&lower),
                lower,
                whole: text.to_ascii_lowercase(),
                documents: pieces.into_iter().map(|p| p.range).collect(),
                plain,
                text,
                examples: OnceLock::new(),
                numbered: OnceLock::new(),
            });
        }
    }
    out
}

impl Page {
    /// The line around a byte, without its end.
    pub(super) fn line(&self, at: usize) -> Range<usize> {
        let bytes = self.text.as_bytes();
        let is_end = |b: &u8| *b == b'\n';
        let start = bytes[..at].iter().rposition(is_end).map_or(0, |n| n + 1);
        let end = bytes[at..].iter().position(is_end);
        start..end.map_or(bytes.len(), |n| at + n)
    }

    /// The lines of the text without code, each with its first byte.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        lines(&self.plain)
    }

    /// Whether the character at a byte is code.
    pub(super) fn is_code(&self, at: usize) -> bool {
        self.lower.as_bytes()[at] != self.whole.as_bytes()[at]
    }

    /// The lines with a digit, which may be code, in lower case and without code.
    pub(super) fn numbered(&self) -> &str {
        self.numbered.get_or_init(|| {
            let lines = self.lower.lines().zip(self.whole.lines());
            let has_digit = |line: &str| line.bytes().any(|b| b.is_ascii_digit());
            let numbered = lines.filter(|(_, whole)| has_digit(whole));
            numbered.flat_map(|(line, _)| [line, "\n"]).collect()
        })
    }

    /// Whether the text has one of these words, which are in lower case.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.lower.contains(word))
    }

    /// The lower-case line around a byte.
    pub(super) fn lower_line(&self, at: usize) -> &str {
        &self.lower[self.line(at)]
    }

    /// Whether the line around a byte says that it is an example; or the line that leads to it, its heading or its tag.
    pub(super) fn is_example(&self, at: usize) -> bool {
        let examples = self.examples.get_or_init(|| examples(&self.lower));
        examples.binary_search(&self.line(at).start).is_ok()
    }

    /// As [`Page::find`], where there can be something.
    pub(super) fn find_if(&self, can_be: bool, regex: &LazyLock<Regex>) -> Vec<Range<usize>> {
        if can_be { self.find(regex) } else { Vec::new() }
    }

    /// The places of a pattern in the lower-case text that are no examples.
    pub(super) fn find(&self, regex: &Regex) -> Vec<Range<usize>> {
        let all = regex.find_iter(&self.lower).map(|m| m.range());
        all.filter(|hit| !self.is_example(hit.start)).collect()
    }
}

/// The lines of a text, each with its first byte and without its end.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// The first bytes of the lines of examples: lines that say so, and lines below a heading, in a tag or after a line
/// that does.
fn examples(lower: &str) -> Vec<usize> {
    let mut out = Vec::new();
    let (mut headed, mut led, mut open) = (false, false, 0_usize);
    for (start, line) in lines(lower) {
        let says = EXAMPLE.is_match(line);
        if says || headed || led || open > 0 {
            out.push(start);
        }
        if line.starts_with('#') {
            headed = says;
        }
        open += line.matches("<example").count();
        open = open.saturating_sub(line.matches("</example").count());
        let text = line.trim();
        if !text.is_empty() {
            led = says && text.ends_with(':');
        }
    }
    out
}

/// The text with blanks in place of code, which each document and fact opens and closes for itself.
fn without_code(text: &str, pieces: &[IngredientRun]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for piece in pieces {
        for code in code(&text[piece.range.clone()], piece.after_gap) {
            let range = piece.range.start + code.start..piece.range.start + code.end;
            let inside = bytes[range].iter_mut();
            inside.filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        }
    }
    // Whole characters are blanked, so that it stays text.
    String::from_utf8_lossy(&bytes).into_owned()
}

fn pieces(layer: &Layer) -> Vec<IngredientRun> {
    let mut out: Vec<IngredientRun> = Vec::new();
    for span in &layer.spans {
        let owner = span.ingredient.map(|i| &layer.ingredients[i as usize]);
        let read = matches!(
            owner,
            Some(Ingredient::Document { .. } | Ingredient::Fact { .. })
        );
        let (Some(ingredient), true) = (span.ingredient, read) else {
            continue;
        };
        let range = span.start - layer.start..span.end - layer.start;
        match out.last_mut() {
            Some(last) if last.ingredient == ingredient && last.goes_on(span, &range) => {
                last.range.end = range.end;
                last.next = after(span);
            }
            _ => {
                let cut = |p: &IngredientRun| p.ingredient == ingredient && p.next.is_some();
                out.push(IngredientRun {
                    after_gap: out.iter().any(cut),
                    next: after(span),
                    range,
                    ingredient,
                });
            }
        }
    }
    out
}

impl IngredientRun {
    fn goes_on(&self, span: &Span, range: &Range<usize>) -> bool {
        self.range.end == range.start && self.next.is_some() && self.next == span.offset
    }
}

fn after(span: &Span) -> Option<usize> {
    let exact = matches!(span.kind, SpanKind::Document | SpanKind::Fact);
    span.offset
        .filter(|_| exact)
        .map(|o| o + (span.end - span.start))
}

/// The code in a text; all of it if the text is too large to analyse.
fn code(text: &str, after_gap: bool) -> Vec<Range<usize>> {
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let inside = after_gap && text.lines().filter(|l| is_fence(l)).count() % 2 == 1;
    let all = |text: &str| {
        let whole = std::iter::once(0..text.len());
        markdown::code(text).unwrap_or_else(|_| whole.collect())
    };
    let Some(fence) = lines(text).find(|(_, l)| inside && is_fence(l)) else {
        return all(text);
    };
    // A budget took away the line that opened this code.
    let end = fence.0 + fence.1.len();
    let behind = all(&text[end..]).into_iter();
    let behind = behind.map(|r| r.start + end..r.end + end);
    std::iter::once(0..end).chain(behind).collect()
}
