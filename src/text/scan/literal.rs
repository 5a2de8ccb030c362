//! The literals in every match of a pattern.
//!
//! The extractor of `regex-syntax` finds the beginning or the end of a match. Rare text is as often in the middle, and
//! without regard to case a word is one literal here, not sixty-four.

use regex_syntax::hir::{Class, Hir, HirKind};
use std::borrow::Cow;

/// The most literals of one pattern.
const MOST: usize = 64;

/// The most characters of a class that are distinguished.
const MOST_OF_CLASS: usize = 8;

/// Shorter literals occur everywhere.
const SHORTEST: usize = 3;

/// The characters beyond ASCII that a pattern without regard to case takes for an ASCII letter.
const FOLDED: [(char, &str); 2] = [('\u{17f}', "s"), ('\u{212a}', "k")];

/// A text as it is compared with literals, except for the case of ASCII letters.
pub(super) fn folded(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    for (from, to) in FOLDED {
        if out.contains(from) {
            out = Cow::Owned(out.replace(from, to));
        }
    }
    out
}

/// The requirements of every match of a pattern: literals, in the form of [`written`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing that is known.
    Nothing,
    /// This literal.
    Text(String),
    /// All of these.
    All(Vec<Needs>),
    /// One of these.
    Either(Vec<Needs>),
}

impl Needs {
    /// The requirements of every match of `hir` in its folded form, ASCII letters in either case.
    pub(super) fn of(hir: &Hir) -> Self {
        known(hir).needs()
    }

    /// One of these texts.
    fn one_of(mut texts: Vec<String>) -> Self {
        if shortest(&texts) < SHORTEST {
            return Self::Nothing;
        }
        // A match of a text matches its parts, too.
        texts.sort_by_key(String::len);
        let mut least: Vec<String> = Vec::new();
        for text in texts {
            if !least.iter().any(|short| text.contains(short.as_str())) {
                least.push(text);
            }
        }
        Self::either(least.into_iter().map(Self::Text).collect())
    }

    fn either(mut parts: Vec<Self>) -> Self {
        match parts.len() {
            1 => parts.remove(0),
            _ if parts.contains(&Self::Nothing) => Self::Nothing,
            _ => Self::Either(parts),
        }
    }

    fn all(mut parts: Vec<Self>) -> Self {
        parts.retain(|part| *part != Self::Nothing);
        match parts.len() {
            0 => Self::Nothing,
            1 => parts.remove(0),
            _ => Self::All(parts),
        }
    }
}

/// The form in which a text of a pattern is written down.
fn written(text: &str) -> String {
    folded(text).to_ascii_lowercase()
}

/// The known properties of all matches of a part of a pattern.
enum MatchInfo {
    /// All texts that match, in the form of [`written`].
    Exact(Vec<String>),
    /// The requirements of each.
    Needs(Needs),
}

impl MatchInfo {
    fn needs(self) -> Needs {
        match self {
            Self::Exact(texts) => Needs::one_of(texts),
            Self::Needs(needs) => needs,
        }
    }
}

fn shortest(texts: &[String]) -> usize {
    texts.iter().map(String::len).min().unwrap_or(0)
}

fn known(hir: &Hir) -> MatchInfo {
    const ANYTHING: MatchInfo = MatchInfo::Needs(Needs::Nothing);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => MatchInfo::Exact(vec![String::new()]),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => MatchInfo::Exact(vec![written(text)]),
            Err(_) => ANYTHING,
        },
        HirKind::Class(class) => one_of(class).map_or(ANYTHING, MatchInfo::Exact),
        HirKind::Repetition(repetition) => match (repetition.min, repetition.max) {
            (0, Some(1)) => match known(&repetition.sub) {
                MatchInfo::Exact(mut texts) => {
                    texts.push(String::new());
                    bounded(texts).map_or(ANYTHING, MatchInfo::Exact)
                }
                MatchInfo::Needs(_) => ANYTHING,
            },
            (0, _) => ANYTHING,
            _ => MatchInfo::Needs(known(&repetition.sub).needs()),
        },
        HirKind::Capture(capture) => known(&capture.sub),
        HirKind::Concat(parts) => in_a_row(parts),
        HirKind::Alternation(parts) => either(parts),
    }
}

/// The characters of a small class.
fn one_of(class: &Class) -> Option<Vec<String>> {
    let Class::Unicode(class) = class else {
        return None;
    };
    // Such a class has at most one range for each character that it distinguishes.
    if class.ranges().len() > 2 * MOST_OF_CLASS {
        return None;
    }
    let each = |r: &regex_syntax::hir::ClassUnicodeRange| u32::from(r.end()) - u32::from(r.start());
    let rest: u64 = class.iter().map(|r| u64::from(each(r)) + 1).sum();
    if rest == 0 || rest > 2 * MOST_OF_CLASS as u64 {
        return None;
    }
    let chars = class.iter().flat_map(|r| r.start()..=r.end());
    let mut texts: Vec<String> = chars.map(|c| written(c.encode_utf8(&mut [0; 4]))).collect();
    texts.sort();
    texts.dedup();
    (texts.len() <= MOST_OF_CLASS).then_some(texts)
}

/// A list that is not too long, without doubles.
fn bounded(mut texts: Vec<String>) -> Option<Vec<String>> {
    texts.sort();
    texts.dedup();
    (texts.len() <= MOST).then_some(texts)
}

fn in_a_row(parts: &[Hir]) -> MatchInfo {
    let mut needs = Vec::new();
    // The text of the parts since the last one that may match anything.
    let mut row = vec![String::new()];
    let mut whole = true;
    for part in parts {
        let part = known(part);
        if let MatchInfo::Exact(texts) = &part
            && texts.len() * row.len() <= MOST
        {
            let joined = row
                .iter()
                .flat_map(|start| texts.iter().map(move |end| format!("{start}{end}")));
            row = joined.collect();
            row.sort();
            row.dedup();
            continue;
        }
        whole = false;
        let next = match part {
            MatchInfo::Exact(texts) => texts,
            MatchInfo::Needs(part) => {
                needs.push(part);
                vec![String::new()]
            }
        };
        needs.push(Needs::one_of(std::mem::replace(&mut row, next)));
    }
    if whole {
        return MatchInfo::Exact(row);
    }
    needs.push(Needs::one_of(row));
    MatchInfo::Needs(Needs::all(needs))
}

fn either(parts: &[Hir]) -> MatchInfo {
    let parts: Vec<MatchInfo> = parts.iter().map(known).collect();
    let exact = parts.iter().map(|part| match part {
        MatchInfo::Exact(texts) => Some(texts.clone()),
        MatchInfo::Needs(_) => None,
    });
    if let Some(exact) = exact.collect::<Option<Vec<_>>>()
        && let Some(exact) = bounded(exact.concat())
    {
        return MatchInfo::Exact(exact);
    }
    MatchInfo::Needs(Needs::either(
        parts.into_iter().map(MatchInfo::needs).collect(),
    ))
}
