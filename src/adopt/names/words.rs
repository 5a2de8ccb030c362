//! Words as parts of names.

use crate::adopt::label;
use crate::text::document::Document;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The longest name that is made from words, in bytes.
pub(super) const LONGEST: usize = 32;
/// The number of words of a sentence that make a name.
pub(super) const WORDS: usize = 4;

/// Words of small letters that have no more of them name nothing.
const SHORT: usize = 3;

/// Words that name nothing.
const EMPTY_WORDS: &[&str] = &[
    "a", "about", "after", "an", "and", "are", "as", "at", "be", "before", "by", "for", "from",
    "has", "have", "in", "into", "is", "it", "of", "on", "or", "over", "since", "than", "that",
    "the", "this", "to", "until", "was", "were", "when", "which", "with", "within", "without",
    "you", "your",
];

/// A text in small letters without accents: `ß` is `ss`, `é` is `e`.
fn plain(text: &str) -> String {
    let letters = text.nfkd().filter(|c| !is_combining_mark(*c));
    let out: String = letters.filter(|c| !matches!(c, '\'' | '’')).collect();
    out.replace('ß', "ss").to_lowercase()
}

/// The words of a text with `between` between them, as far as they fit; nothing if it has none in ASCII.
pub(super) fn words(text: &str, most: usize, between: char) -> String {
    let mut out = String::new();
    let text = plain(text);
    let all = text.split(|c: char| !c.is_ascii_alphanumeric());
    for word in all.filter(|w| !w.is_empty()).take(most) {
        let more = usize::from(!out.is_empty()) + word.len();
        if out.len() + more > LONGEST && !out.is_empty() {
            break;
        }
        if !out.is_empty() {
            out.push(between);
        }
        out.push_str(&word[..word.len().min(LONGEST)]);
    }
    out
}

/// Whether a word names nothing: it is in the list, or so short that it mostly joins others, in any language.
pub(super) fn is_empty_word(word: &str) -> bool {
    let is_short = word.len() <= SHORT && word.chars().all(char::is_lowercase)
        || !word.contains(char::is_alphabetic);
    is_short || EMPTY_WORDS.contains(&word.to_ascii_lowercase().as_str())
}

/// A name without the number after it: `Rule 4` is `Rule`.
pub(super) fn numberless(name: &str) -> &str {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match rest.strip_suffix(' ') {
        Some(rest) if !rest.trim().is_empty() => rest,
        _ => name,
    }
}

/// The words that the first of some lines shares with all others, in its order, without the number of an item.
pub(super) fn shared(lines: &[&str]) -> String {
    let Some((first, rest)) = lines.split_first() else {
        return String::new();
    };
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let others: Vec<BTreeSet<String>> = rest
        .iter()
        .map(|line| line.split_whitespace().map(bare).collect())
        .collect();
    let words = numberless(label::without_item(first)).split_whitespace();
    let kept = words.filter(|word| others.iter().all(|other| other.contains(&bare(word))));
    kept.collect::<Vec<_>>().join(" ")
}

/// The words of a text that name something; all, if none does.
pub(super) fn filled(text: &str) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    let informative: Vec<&str> = all.iter().copied().filter(|w| !is_empty_word(w)).collect();
    let named = informative
        .iter()
        .any(|w| w.contains(|c: char| c.is_ascii_alphanumeric()));
    if named { informative } else { all }.join(" ")
}

/// A name that templates can use as a variable.
pub(in crate::adopt) fn variable(name: &str) -> String {
    let name = words(name, usize::MAX, '_');
    if name.is_empty() {
        "value".to_owned()
    } else if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("n_{name}")
    } else if Document::RESERVED.contains(&name.as_str()) {
        format!("{name}_text")
    } else {
        name
    }
}
