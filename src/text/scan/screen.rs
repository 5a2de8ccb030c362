//! A looser form of a pattern that is fast on any text.
//!
//! The engine's automaton stops at a character beyond ASCII if a pattern has `\b`, since word characters there need
//! more than a byte; the fallback is twenty times slower. The looser form has no `\b`: at its ends it includes a
//! neighbour that is no word character, elsewhere it accepts everything. It matches wherever the pattern does, and
//! sometimes elsewhere; the pattern itself may match where the looser form begins to, and not before.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Look};
use regex_syntax::{is_word_character, parse};

/// The most characters of a class that are checked for being word characters.
const MOST: u32 = 256;

/// The pattern without its tests for the ends of words; none if it has none.
pub(super) fn looser(hir: &Hir) -> Option<Hir> {
    if !hir.properties().look_set().contains_word_unicode() {
        return None;
    }
    let HirKind::Class(Class::Unicode(other)) = parse(r"\W").ok()?.into_kind() else {
        return None;
    };
    Some(loosen(hir, &other, [true; 2]))
}

/// Takes the questions out. `ends` says whether a match of the whole begins and ends with this part; `other` is what belongs
/// to no word.
fn loosen(hir: &Hir, other: &ClassUnicode, ends: [bool; 2]) -> Hir {
    match hir.kind() {
        HirKind::Look(look) if needs_words(*look) => Hir::empty(),
        HirKind::Repetition(repetition) => {
            let mut repetition = repetition.clone();
            repetition.sub = Box::new(loosen(&repetition.sub, other, [false; 2]));
            Hir::repetition(repetition)
        }
        HirKind::Capture(capture) => loosen(&capture.sub, other, ends),
        HirKind::Concat(parts) => {
            let last = parts.len() - 1;
            let part = |(at, part): (usize, &Hir)| {
                let [start, end] = [ends[0] && at == 0, ends[1] && at == last];
                if !matches!(part.kind(), HirKind::Look(Look::WordUnicode)) {
                    return loosen(part, other, [start, end]);
                }
                let beside = |look| {
                    let class = Hir::class(Class::Unicode(other.clone()));
                    Hir::alternation(vec![Hir::look(look), class])
                };
                match (start, end) {
                    (true, false) if is_of_word(&parts[1], 0) => beside(Look::Start),
                    (false, true) if is_of_word(&parts[last - 1], 1) => beside(Look::End),
                    _ => Hir::empty(),
                }
            };
            Hir::concat(parts.iter().enumerate().map(part).collect())
        }
        HirKind::Alternation(parts) => {
            let parts = parts.iter().map(|part| loosen(part, other, ends));
            Hir::alternation(parts.collect())
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => hir.clone(),
    }
}

fn needs_words(look: Look) -> bool {
    matches!(
        look,
        Look::WordUnicode
            | Look::WordUnicodeNegate
            | Look::WordStartUnicode
            | Look::WordEndUnicode
            | Look::WordStartHalfUnicode
            | Look::WordEndHalfUnicode
    )
}

/// Whether every match begins (0) or ends (1) with a character that belongs to a word.
fn is_of_word(hir: &Hir, end: usize) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).unwrap_or_default();
            let c = match end {
                0 => text.chars().next(),
                _ => text.chars().next_back(),
            };
            c.is_some_and(is_word_character)
        }
        HirKind::Class(Class::Unicode(class)) => {
            let size = |c: &ClassUnicode| -> u32 {
                let ranges = c.iter();
                ranges
                    .map(|r| u32::from(r.end()) - u32::from(r.start()) + 1)
                    .sum()
            };
            let mut chars = class.iter().flat_map(|r| r.start()..=r.end());
            size(class) <= MOST && chars.all(is_word_character)
        }
        HirKind::Repetition(repetition) => repetition.min > 0 && is_of_word(&repetition.sub, end),
        HirKind::Capture(capture) => is_of_word(&capture.sub, end),
        HirKind::Concat(parts) => match end {
            0 => parts.first().is_some_and(|p| is_of_word(p, end)),
            _ => parts.last().is_some_and(|p| is_of_word(p, end)),
        },
        HirKind::Alternation(parts) => parts.iter().all(|p| is_of_word(p, end)),
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => false,
    }
}
