//! Texts of which one stands in every match of a pattern.
//!
//! The extractor of `regex-syntax` knows what a match begins or ends with; what is rare stands as often in the middle, and
//! without regard to case a word is one literal here, not sixty-four.

use regex_syntax::hir::{Class, Hir, HirKind};
use std::borrow::Cow;

/// The most texts that stand for one pattern.
const MOST: usize = 64;

/// The most characters of a class that are told apart.
const MOST_OF_CLASS: usize = 8;

/// Shorter texts stand everywhere.
const SHORTEST: usize = 3;

/// The characters beyond ASCII that a pattern without regard to case takes for an ASCII letter.
const FOLDED: [(char, &str); 2] = [('\u{17f}', "s"), ('\u{212a}', "k")];

/// A text as it is held against literals, but for the case of ASCII letters.
pub(super) fn folded(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    for (from, to) in FOLDED {
        if out.contains(from) {
            out = Cow::Owned(out.replace(from, to));
        }
    }
    out
}

/// Of these one stands in the folded form of every match, ASCII letters in either case; `None` if nothing of use can be said.
pub(super) fn needed(hir: &Hir) -> Option<Vec<String>> {
    let best = known(hir).best()?;
    (shortest(&best) >= SHORTEST).then_some(best)
}

/// The form in which a text of a pattern is written down.
fn written(text: &str) -> String {
    folded(text).to_ascii_lowercase()
}

/// What is known of all matches of a part of a pattern, in the form of [`written`].
#[derive(Debug, Clone, Default)]
struct Known {
    /// All texts that match.
    exact: Option<Vec<String>>,
    /// Of these one stands in every match.
    needed: Option<Vec<String>>,
}

impl Known {
    fn exact(texts: Vec<String>) -> Self {
        Self {
            exact: Some(texts),
            needed: None,
        }
    }

    fn best(self) -> Option<Vec<String>> {
        let mut best = None;
        better(&mut best, self.needed);
        better(&mut best, self.exact);
        best
    }
}

fn shortest(texts: &[String]) -> usize {
    texts.iter().map(String::len).min().unwrap_or(0)
}

/// Takes the list whose shortest text is longer, of equals the one with fewer.
fn better(best: &mut Option<Vec<String>>, other: Option<Vec<String>>) {
    let Some(other) = other.filter(|texts| shortest(texts) > 0) else {
        return;
    };
    let rank = |texts: &Vec<String>| (shortest(texts), usize::MAX - texts.len());
    if best.as_ref().is_none_or(|best| rank(&other) > rank(best)) {
        *best = Some(other);
    }
}

fn known(hir: &Hir) -> Known {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Known::exact(vec![String::new()]),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => Known::exact(vec![written(text)]),
            Err(_) => Known::default(),
        },
        HirKind::Class(class) => Known {
            exact: one_of(class),
            needed: None,
        },
        HirKind::Repetition(repetition) => {
            let below = known(&repetition.sub);
            match (repetition.min, repetition.max) {
                (1, Some(1)) => below,
                (0, Some(1)) => Known {
                    exact: below.exact.and_then(|texts| {
                        bounded(texts.into_iter().chain([String::new()]).collect())
                    }),
                    needed: None,
                },
                (0, _) => Known::default(),
                _ => Known {
                    exact: None,
                    needed: below.best(),
                },
            }
        }
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
    // Such a class has a range for each character that it tells apart at most.
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

fn in_a_row(parts: &[Hir]) -> Known {
    let mut best = None;
    let mut whole = true;
    // What the parts since the last one that may be anything match together.
    let mut row = vec![String::new()];
    for part in parts {
        let part = known(part);
        let longer = part.exact.as_ref().filter(|t| t.len() * row.len() <= MOST);
        if let Some(texts) = longer {
            let joined = row
                .iter()
                .flat_map(|start| texts.iter().map(move |end| format!("{start}{end}")));
            row = joined.collect();
            row.sort();
            row.dedup();
            continue;
        }
        whole = false;
        better(&mut best, Some(std::mem::take(&mut row)));
        better(&mut best, part.needed);
        row = part.exact.unwrap_or_else(|| vec![String::new()]);
    }
    if whole {
        return Known::exact(row);
    }
    better(&mut best, Some(row));
    Known {
        exact: None,
        needed: best,
    }
}

fn either(parts: &[Hir]) -> Known {
    let parts: Vec<Known> = parts.iter().map(known).collect();
    let exact = parts.iter().map(|part| part.exact.clone());
    if let Some(exact) = exact.collect::<Option<Vec<_>>>()
        && let Some(exact) = bounded(exact.concat())
    {
        return Known::exact(exact);
    }
    let needed = parts.into_iter().map(Known::best);
    Known {
        exact: None,
        needed: needed
            .collect::<Option<Vec<_>>>()
            .and_then(|needed| bounded(needed.concat())),
    }
}
