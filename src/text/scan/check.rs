//! Whether a pattern can be used: well formed, not too large.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};
use std::ops::Range;

/// The most states, about, of a pattern whose repetitions are written out. `\w` counts 1,500.
const MOST: usize = 200_000;

/// The error of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// In words.
    pub message: String,
    /// The bytes of the pattern that it is about.
    pub range: Range<usize>,
    /// The fix.
    pub help: &'static str,
}

impl Flaw {
    pub(super) fn everywhere(pattern: &str) -> Self {
        Self {
            message: "the pattern matches the empty text, so it would be found everywhere"
                .to_owned(),
            range: 0..pattern.len(),
            help: "let it ask for something that must be there: `+` for `*`, or a word next to it",
        }
    }
}

/// Reads a pattern as the crate `regex` does.
pub(super) fn read(pattern: &str) -> Result<Hir, Flaw> {
    let hir = ParserBuilder::new().build().parse(pattern);
    let hir = hir.map_err(|error| flaw(&error, pattern))?;
    if size(&hir) > MOST {
        return Err(Flaw {
            message: "the pattern is too large: repetitions multiply what they repeat".to_owned(),
            range: 0..pattern.len(),
            help: "repeat less often, or something smaller: `\\w` is most of Unicode, `[a-z]` is not",
        });
    }
    Ok(hir)
}

fn flaw(error: &regex_syntax::Error, pattern: &str) -> Flaw {
    let (what, span) = match error {
        regex_syntax::Error::Parse(e) => (e.kind().to_string(), Some(e.span())),
        regex_syntax::Error::Translate(e) => (e.kind().to_string(), Some(e.span())),
        _ => ("it cannot be read".to_owned(), None),
    };
    let range = span.map_or(0..pattern.len(), |s| s.start.offset..s.end.offset);
    Flaw {
        message: format!("the pattern is not well formed: {what}"),
        range,
        help: "patterns are those of the Rust crate `regex`; a backslash is written once in #\"…\"#, and twice in \"…\"",
    }
}

/// About how many states a pattern has.
fn size(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => 2 * class.ranges().len(),
        HirKind::Class(Class::Bytes(_)) => 1,
        HirKind::Repetition(repetition) => {
            let least = repetition.min as usize + usize::from(repetition.max.is_none());
            let times = repetition.max.map_or(least, |max| max as usize).max(1);
            size(&repetition.sub).saturating_mul(times)
        }
        HirKind::Capture(capture) => size(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(size).fold(0, usize::saturating_add)
        }
    }
}
