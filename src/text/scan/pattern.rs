//! A regular expression that is compiled when it is first used.

use super::check::{self, Flaw};
use regex::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// How large the automaton of a pattern may grow, in bytes. Where it must begin again and again, the crate turns to a slower one.
const CACHE: usize = 32 << 20;

/// A regular expression of the crate `regex` that is well formed and of a bounded size.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: Arc<str>,
    /// Whether it is one of the program's, see [`Pattern::embedded`].
    embedded: bool,
    regex: Arc<OnceLock<Regex>>,
}

impl Pattern {
    /// Reads a pattern that is searched for.
    ///
    /// # Errors
    /// When it is not well formed, too large, or matches the empty text and so would be found everywhere.
    pub fn new(text: &str) -> Result<Self, Flaw> {
        let hir = check::read(text)?;
        match hir.properties().minimum_len() {
            Some(0) => Err(Flaw::everywhere(text)),
            _ => Ok(Self {
                text: text.into(),
                embedded: false,
                regex: Arc::default(),
            }),
        }
    }

    /// A pattern of the program, see [`plain`]. A test compiles it, so nothing of it is looked at before it is used.
    pub(crate) fn embedded(text: impl Into<Arc<str>>) -> Self {
        Self {
            text: text.into(),
            embedded: true,
            regex: Arc::default(),
        }
    }

    /// Whether it is found in a text.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.regex().is_match(text)
    }

    /// The pattern as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The pattern, compiled.
    pub(crate) fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            let text = if self.embedded {
                Cow::Owned(plain(&self.text))
            } else {
                Cow::Borrowed(&*self.text)
            };
            let mut builder = RegexBuilder::new(&text);
            builder.size_limit(usize::MAX).dfa_size_limit(CACHE);
            // The size of a user's pattern is bounded by our own measure, and a test compiles the program's.
            builder
                .build()
                .unwrap_or_else(|_| unreachable!("a pattern that was read compiles"))
        })
    }
}

/// A pattern of the program as the crate reads it: its `\d` and `\b` are those of ASCII, and to `\w` belongs every character
/// beyond ASCII.
///
/// The other `\w` has 140,000 characters, and compiling it takes longer than searching most texts; the fast engine of the crate
/// gives up at a character beyond ASCII if a pattern has the other `\b`. The program's patterns need neither. Beyond ASCII is
/// said as a class of its own: in one with letters, `(?i)` would look at each of its characters.
fn plain(pattern: &str) -> String {
    let mut out = String::with_capacity(2 * pattern.len());
    // Where a class in brackets begins, and whether `\w` is in it.
    let mut open: Option<(usize, bool)> = None;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next() } else { None };
        match (c, escaped, &mut open) {
            (_, Some('b'), None) => out.push_str(r"(?-u:\b)"),
            (_, Some('d'), None) => out.push_str("[0-9]"),
            (_, Some('d'), Some(_)) => out.push_str("0-9"),
            (_, Some('w'), None) => out.push_str(r"(?:[0-9A-Za-z_]|[^\x00-\x7f])"),
            (_, Some('w'), Some((_, word))) => {
                *word = true;
                out.push_str("0-9A-Za-z_");
            }
            (_, Some('W'), None) => out.push_str(r"[\x00-/:-@\[-^`{-\x7f]"),
            ('[', None, None) => {
                open = Some((out.len(), false));
                out.push(c);
            }
            (']', None, Some((start, word))) => {
                out.push(c);
                if *word {
                    out.insert_str(*start, "(?:");
                    out.push_str(r"|[^\x00-\x7f])");
                }
                open = None;
            }
            _ => {
                out.push(c);
                out.extend(escaped);
            }
        }
    }
    out
}
