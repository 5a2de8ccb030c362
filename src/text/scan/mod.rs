//! Rule sets of scans: patterns, and invisible characters. Linear in the text; nothing is read.

mod check;
mod copy;
mod screen;
mod engine;
mod invisible;
mod literal;
mod prefilter;
mod table;

pub use check::Flaw;
pub use invisible::{Invisible, ListError};

use crate::diagnostic::span::Lines;
use copy::Copied;
use engine::{Alphabet, Engine};
use literal::Needs;
use prefilter::Prefilter;
use regex_automata::{Anchored, Input};
use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
            scope,
            unless: None,
            private: false,
            about: Arc::default(),
        }
    }

    /// Its first match in a text that counts.
    fn find(&self, text: &str, alphabet: &Alphabet) -> Option<Range<usize>> {
        let mut search = self.pattern.search(text, alphabet);
        let mut from = 0;
        for _ in 0..MOST_EXCUSED {
            let hit = search.first(from)?;
            let excused = |unless: &Pattern| {
                let mut search = unless.search(front(text, hit.start), alphabet);
                search.first(0).is_some()
            };
            if !self.unless.as_ref().is_some_and(excused) {
                return Some(hit);
            }
            from = hit.end;
        }
        search.first(from)
    }
}

/// The end of the line before byte `at`.
fn front(text: &str, at: usize) -> &str {
    let chars = text[..at].char_indices().rev().take(FRONT);
    let line = chars.take_while(|(_, c)| *c != '\n');
    let start = line.last().map_or(at, |(start, _)| start);
    &text[start..at]
}

/// A regular expression that is well formed and of a bounded size, compiled when it is first used.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: Arc<str>,
    /// See [`Pattern::needs`].
    needs: Arc<OnceLock<Needs>>,
    engine: Arc<Mutex<Option<Arc<Engine>>>>,
}

/// Texts of fewer bytes are not worth a second pattern.
const LARGE: usize = 4096;

/// The number of bytes that are searched in the time of one try at a place that the looser form points at.
const BYTES_PER_TRY: usize = 64;

impl Pattern {
    /// Reads a pattern that is searched for.
    ///
    /// # Errors
    /// When it is not well formed, too large, or matches the empty text and so would be found everywhere.
    pub fn new(text: &str) -> Result<Self, Flaw> {
        let hir = check::read(text)?;
        if hir.properties().minimum_len() == Some(0) {
            return Err(Flaw::everywhere(text));
        }
        let pattern = Self::embedded(text);
        pattern.needs.get_or_init(|| Needs::of(&hir));
        Ok(pattern)
    }

    /// A pattern of a built-in manifest. A test has read it, so nothing of it is looked at before it is used.
    pub(crate) fn embedded(text: impl Into<Arc<str>>) -> Self {
        Self {
            text: text.into(),
            needs: Arc::default(),
            engine: Arc::default(),
        }
    }

    /// The literals in every match.
    fn needs(&self) -> &Needs {
        self.needs.get_or_init(|| {
            let read = || check::read(&self.text).map_or(Needs::Nothing, |hir| Needs::of(&hir));
            table::needs(&self.text).unwrap_or_else(read)
        })
    }

    /// Whether it is found in a text.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.search(text, &Alphabet::of(text)).first(0).is_some()
    }

    /// The pattern as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A search of one text of these characters. Properties of the whole text are computed once.
    fn search<'a>(&self, text: &'a str, alphabet: &Alphabet) -> Search<'a> {
        Search {
            text,
            engine: self.engine(alphabet),
            screened: text.len() >= LARGE && !text.is_ascii(),
            left: text.len() / BYTES_PER_TRY,
        }
    }

    fn engine(&self, alphabet: &Alphabet) -> Arc<Engine> {
        // An engine is whole when it comes to its place.
        let mut last = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(engine) if engine.serves(alphabet) => engine.clone(),
            other => {
                let engine = Engine::new(&self.text, alphabet, other.as_deref());
                last.insert(Arc::new(engine)).clone()
            }
        }
    }
}

/// The search for a pattern in one text, match by match.
struct Search<'a> {
    text: &'a str,
    engine: Arc<Engine>,
    /// Whether the text is worth the looser form.
    screened: bool,
    /// The number of places that the looser form may still point at.
    left: usize,
}

impl Search<'_> {
    /// The first match that begins at byte `from` or after it.
    fn first(&mut self, from: usize) -> Option<Range<usize>> {
        let engine = self.engine.clone();
        let screen = self.screened.then(|| engine.screen()).flatten();
        let Some(screen) = screen else {
            return self.at(from, Anchored::No);
        };
        // The looser form may include the character before it.
        let mut at = self.text[..from]
            .char_indices()
            .next_back()
            .map_or(0, |c| c.0);
        while self.left > 0 {
            let loose = screen.search(&Input::new(self.text).range(at..))?.range();
            let first = self.text[loose.start..].chars().next();
            at = loose.start + first.map_or(1, char::len_utf8);
            for start in [loose.start, at] {
                if start >= from
                    && let Some(hit) = self.at(start, Anchored::Yes)
                {
                    return Some(hit);
                }
            }
            // Trying is dear where the looser form matches again and again, and matches much.
            self.left = self.left.saturating_sub(1 + loose.len() / 16);
        }
        self.at(at.max(from), Anchored::No)
    }

    /// A match from byte `start` on: the first one, or one that begins there.
    fn at(&self, start: usize, how: Anchored) -> Option<Range<usize>> {
        let input = Input::new(self.text).range(start..).anchored(how);
        Some(self.engine.regex().search(&input)?.range())
    }
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
    prefilter: OnceLock<Prefilter>,
}

impl Rules {
    /// Makes a set; what is dear is left to the first scan.
    #[must_use]
    pub fn new(definition: Definition) -> Self {
        Self {
            definition,
            prefilter: OnceLock::new(),
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
        let alphabet = LazyCell::new(|| Alphabet::of(&copy.text));
        for (rule, may_match) in set.rules.iter().zip(may_match) {
            if rule.scope <= scope
                && may_match
                && let Some(hit) = rule.find(&copy.text, &alphabet)
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
        let alphabet = LazyCell::new(|| Alphabet::of(&copy.text));
        let rules = set.rules.iter().zip(may_match);
        let private = rules.filter(|(rule, may_match)| rule.private && *may_match);
        let hits = private.flat_map(|(rule, _)| all(&rule.pattern, &copy.text, &alphabet));
        let mut places: Vec<Range<usize>> = hits.map(|hit| copy.original(hit)).collect();
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
        match self.definition.nfkc {
            true => copy::nfkc(text),
            false => Copied::same(text),
        }
    }

    fn may_match(&self, text: &str) -> Vec<bool> {
        let all = self.definition.rules.iter().map(|r| &r.pattern);
        let prefilter = self.prefilter.get_or_init(|| Prefilter::new(all));
        prefilter.may_match(text)
    }
}

/// All matches of a pattern, in order, none over another.
fn all<'t>(
    pattern: &Pattern,
    text: &'t str,
    alphabet: &Alphabet,
) -> impl Iterator<Item = Range<usize>> + use<'t> {
    let mut search = pattern.search(text, alphabet);
    let mut from = 0;
    std::iter::from_fn(move || {
        let hit = search.first(from)?;
        // A match is never empty, so each begins after the last.
        from = hit.end;
        Some(hit)
    })
}

/// The first `window` Unicode scalar values.
fn windowed(text: &str, window: Option<usize>) -> &str {
    let end = window
        .filter(|most| *most < text.len())
        .and_then(|most| text.char_indices().nth(most));
    end.map_or(text, |(at, _)| &text[..at])
}
