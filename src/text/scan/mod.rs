//! Rule sets of scans: patterns, and invisible characters. Linear in the text; nothing is read.

mod check;
mod copy;
mod invisible;
mod pattern;
mod words;

pub use check::Flaw;
pub use invisible::{Invisible, ListError};
pub use pattern::Pattern;
pub(crate) use words::{Words, words};

use crate::diagnostic::span::Lines;
use copy::Copied;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The name under which invisible characters are reported.
pub const INVISIBLE: &str = "invisible-unicode";

/// A rule set as it is written.
#[derive(Debug, Clone, Default)]
pub struct Definition {
    /// The rules, in the order in which they report.
    pub rules: Vec<Rule>,
    /// The invisible characters, if they are searched for. They report before the rules, whatever the scope.
    pub invisible: Option<Invisible>,
    /// Whether the patterns are matched against the text in the form NFKC.
    pub nfkc: bool,
    /// The number of Unicode scalar values that are searched, from the start of the text.
    pub window: Option<usize>,
}

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its id.
    pub id: Arc<str>,
    /// A regular expression of the crate `regex`, Unicode as there.
    pub pattern: Pattern,
    /// In lower case: a text without any of them, in any case, is not searched. Without words, every text is.
    pub words: Arc<[String]>,
    /// The first scope that it belongs to.
    pub scope: usize,
    /// A match does not count if this is found before it on its line, of which [`FRONT`] Unicode scalar values are
    /// looked at.
    pub unless: Option<Pattern>,
    /// Whether what it finds must not be shown.
    pub private: bool,
    /// Its description; empty if there is none.
    pub about: Arc<str>,
}

/// How many matches of a rule [`Rule::unless`] excuses in one text. No honest text comes near it, and without a bound a
/// text made of excused matches takes as long as its writer likes.
pub const MOST_EXCUSED: usize = 10_000;

/// The Unicode scalar values of the line before a match that [`Rule::unless`] is matched against.
pub const FRONT: usize = 120;

impl Rule {
    /// A rule without further settings.
    #[must_use]
    pub fn new(id: impl Into<Arc<str>>, pattern: Pattern, scope: usize) -> Self {
        Self {
            id: id.into(),
            pattern,
            words: Arc::default(),
            scope,
            unless: None,
            private: false,
            about: Arc::default(),
        }
    }

    /// Its first match in a text that counts.
    fn find(&self, text: &str) -> Option<Range<usize>> {
        let excused = |hit: &Range<usize>| {
            let unless = self.unless.as_ref();
            unless.is_some_and(|unless| unless.is_in(front(text, hit.start)))
        };
        let mut hits = self.pattern.regex().find_iter(text).map(|hit| hit.range());
        let counts = hits.by_ref().take(MOST_EXCUSED).find(|hit| !excused(hit));
        counts.or_else(|| hits.next())
    }
}

/// The end of the line before byte `at`.
fn front(text: &str, at: usize) -> &str {
    let chars = text[..at].char_indices().rev().take(FRONT);
    let line = chars.take_while(|(_, c)| *c != '\n');
    let start = line.last().map_or(at, |(start, _)| start);
    &text[start..at]
}

/// Something that a scan found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id; of an invisible character what the set makes of its number.
    pub id: Arc<str>,
    /// The rule: its id, or [`INVISIBLE`].
    pub rule: Arc<str>,
    /// The line in the text, from 1.
    pub line: usize,
    /// The column in it, from 1, in Unicode scalar values.
    pub column: usize,
    /// The bytes of the text.
    pub range: Range<usize>,
}

/// A rule set, ready to scan.
#[derive(Debug)]
pub struct Rules {
    definition: Definition,
    words: OnceLock<Words>,
}

impl Rules {
    /// Makes a set; what is dear is left to the first scan.
    #[must_use]
    pub fn new(definition: Definition) -> Self {
        Self {
            definition,
            words: OnceLock::new(),
        }
    }

    /// The source of the set.
    #[must_use]
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The findings of invisible characters and of the rules up to `scope` in a text: each distinct character and each
    /// rule once, at its first position.
    #[must_use]
    pub fn scan(&self, text: &str, scope: usize) -> Vec<Finding> {
        let set = &self.definition;
        let text = windowed(text, set.window);
        let mut found = match &set.invisible {
            Some(invisible) => invisible.find(text),
            None => Vec::new(),
        };
        let copy = self.copy(text);
        let may_match = self.may_match(&copy.text);
        for (rule, may_match) in set.rules.iter().zip(may_match) {
            if rule.scope <= scope
                && may_match
                && let Some(hit) = rule.find(&copy.text)
            {
                found.push((Cow::Borrowed(&rule.id), copy.original(hit)));
            }
        }
        if found.is_empty() {
            return Vec::new();
        }
        let lines = Lines::of(text);
        let findings = found.into_iter().map(|(id, range)| {
            let line = lines.line(range.start);
            let start = lines.start(line).unwrap_or(0);
            let column = text[start..range.start].chars().count() + 1;
            let rule = match &id {
                Cow::Borrowed(id) => (*id).clone(),
                Cow::Owned(_) => INVISIBLE.into(),
            };
            Finding {
                id: id.into_owned(),
                rule,
                line,
                column,
                range,
            }
        });
        findings.collect()
    }

    /// All that must not be shown of a text: every match of every private rule, whatever its scope, beyond the window too
    /// and where [`Rule::unless`] excuses it. In order, none over another.
    #[must_use]
    pub fn private(&self, text: &str) -> Vec<Range<usize>> {
        let set = &self.definition;
        if !set.rules.iter().any(|rule| rule.private) {
            return Vec::new();
        }
        let copy = self.copy(text);
        let may_match = self.may_match(&copy.text);
        let rules = set.rules.iter().zip(may_match);
        let private = rules.filter(|(rule, may_match)| rule.private && *may_match);
        let hits = private.flat_map(|(rule, _)| rule.pattern.regex().find_iter(&copy.text));
        let mut places: Vec<Range<usize>> = hits.map(|hit| copy.original(hit.range())).collect();
        places.sort_by_key(|place| place.start);
        places.dedup_by(|next, last| {
            let over = next.start <= last.end;
            if over {
                last.end = last.end.max(next.end);
            }
            over
        });
        places
    }

    fn copy<'t>(&self, text: &'t str) -> Copied<'t> {
        if self.definition.nfkc {
            copy::nfkc(text)
        } else {
            Copied::same(text)
        }
    }

    fn may_match(&self, text: &str) -> Vec<bool> {
        let all = self.definition.rules.iter().map(|rule| &*rule.words);
        let words = self.words.get_or_init(|| Words::new(all));
        words.may_match(text)
    }
}

/// The first `window` Unicode scalar values.
fn windowed(text: &str, window: Option<usize>) -> &str {
    let end = window
        .filter(|most| *most < text.len())
        .and_then(|most| text.char_indices().nth(most));
    end.map_or(text, |(at, _)| &text[..at])
}
