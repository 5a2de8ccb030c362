//! Patterns compiled for the characters of a text.
//!
//! A class such as `\w` has 140,000 characters, and compiling it takes longer than searching most texts. In a text of
//! few characters, a pattern whose classes are reduced to them finds the same, and compiles in a tenth of the time.

use super::screen;
use regex_automata::meta;
use regex_syntax::Parser;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// How large the automaton of a pattern may grow, in bytes. Where it must begin again and again, the engine turns to
/// a slower one.
const CACHE: usize = 32 << 20;

/// In texts of more bytes characters beyond ASCII are not counted: searching them takes longer than to compile any class.
const LARGEST: usize = 1 << 20;

/// The most characters beyond ASCII that patterns are cut down to.
const MOST: usize = 512;

/// Characters, with all of ASCII; or any, if there are too many.
#[derive(Debug, Clone)]
pub(super) struct Alphabet(Option<ClassUnicode>);

impl Alphabet {
    /// Every character.
    pub(super) const ANY: Self = Self(None);

    /// The characters of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut chars = BTreeSet::new();
        if !text.is_ascii() {
            if text.len() > LARGEST {
                return Self::ANY;
            }
            for c in text.chars().filter(|c| !c.is_ascii()) {
                chars.insert(c);
                if chars.len() > MOST {
                    return Self::ANY;
                }
            }
        }
        let chars = chars.into_iter().map(|c| ClassUnicodeRange::new(c, c));
        let ascii = ClassUnicodeRange::new('\0', '\x7f');
        Self(Some(ClassUnicode::new(chars.chain([ascii]))))
    }

    /// Whether it has all characters of another.
    fn holds(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, _) => true,
            (_, None) => false,
            (Some(own), Some(other)) => {
                let mut rest = other.clone();
                rest.difference(own);
                rest.ranges().is_empty()
            }
        }
    }

    /// The characters of both.
    fn and(&self, other: &Self) -> Self {
        let (Some(own), Some(other)) = (&self.0, &other.0) else {
            return Self::ANY;
        };
        let mut all = own.clone();
        all.union(other);
        Self(Some(all))
    }

    /// A pattern that matches as this one does in texts of these characters.
    fn cut(&self, hir: Hir) -> Hir {
        match &self.0 {
            Some(chars) => cut(&hir, chars),
            None => hir,
        }
    }
}

fn cut(hir: &Hir, chars: &ClassUnicode) -> Hir {
    let all = |parts: &[Hir]| parts.iter().map(|part| cut(part, chars)).collect();
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.intersect(chars);
            Hir::class(Class::Unicode(class))
        }
        HirKind::Repetition(repetition) => {
            Hir::repetition(repetition.with(cut(&repetition.sub, chars)))
        }
        HirKind::Capture(capture) => cut(&capture.sub, chars),
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
        HirKind::Empty
        | HirKind::Literal(_)
        | HirKind::Class(Class::Bytes(_))
        | HirKind::Look(_) => hir.clone(),
    }
}

/// A pattern, compiled for texts of some characters.
#[derive(Debug)]
pub(super) struct Engine {
    alphabet: Alphabet,
    /// The number of those in its place before, for fewer characters.
    earlier: usize,
    hir: Hir,
    regex: meta::Regex,
    /// See [`screen`].
    screen: OnceLock<Option<meta::Regex>>,
}

/// The number of times that a pattern is compiled for more characters than before, until it is compiled for all.
const MOST_TIMES: usize = 4;

impl Engine {
    /// The engine of a pattern that was read before, for a text of these characters; `last` served others.
    pub(super) fn new(pattern: &str, alphabet: &Alphabet, last: Option<&Self>) -> Self {
        let alphabet = match last {
            None => alphabet.clone(),
            Some(last) if last.earlier + 1 < MOST_TIMES => last.alphabet.and(alphabet),
            Some(_) => Alphabet::ANY,
        };
        let hir = Parser::new().parse(pattern);
        let hir = hir.unwrap_or_else(|_| unreachable!("a pattern that was read is well formed"));
        let hir = alphabet.cut(hir);
        Self {
            alphabet,
            earlier: last.map_or(0, |last| last.earlier + 1),
            regex: compiled(&hir),
            hir,
            screen: OnceLock::new(),
        }
    }

    /// Whether it can search a text of these characters.
    pub(super) fn serves(&self, alphabet: &Alphabet) -> bool {
        self.alphabet.holds(alphabet)
    }

    /// The pattern.
    pub(super) fn regex(&self) -> &meta::Regex {
        &self.regex
    }

    /// Its looser form, if there is one.
    pub(super) fn screen(&self) -> Option<&meta::Regex> {
        let screen = self.screen.get_or_init(|| {
            let loose = screen::looser(&self.hir)?;
            Some(compiled(&self.alphabet.cut(loose)))
        });
        screen.as_ref()
    }
}

fn compiled(hir: &Hir) -> meta::Regex {
    let config = meta::Config::new()
        .nfa_size_limit(None)
        .hybrid_cache_capacity(CACHE);
    // The size of a pattern is bounded by our own measure; so there is nothing left to go wrong.
    let built = meta::Builder::new().configure(config).build_from_hir(hir);
    built.unwrap_or_else(|_| unreachable!("a pattern that was read compiles"))
}
