//! Sizes of texts in the units of budgets.

use crate::diagnostic::span::count_newlines;
use crate::text::tokens::{self, Tokenizer};

/// The unit of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Unicode scalar values.
    Chars,
    /// UTF-8 bytes.
    Bytes,
    /// Lines: line feeds, and one more for a last line without.
    Lines,
    /// Tokens as this tokenizer counts them.
    Tokens(Tokenizer),
}

impl Unit {
    /// The units that need no tokenizer.
    pub const PLAIN: [Self; 3] = [Self::Chars, Self::Bytes, Self::Lines];

    /// All units.
    pub fn all() -> impl Iterator<Item = Self> {
        let tokens = tokens::ALL.iter().map(|t| Self::Tokens(*t));
        Self::PLAIN.into_iter().chain(tokens)
    }

    /// The word in manifests.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Chars => "chars",
            Self::Bytes => "bytes",
            Self::Lines => "lines",
            Self::Tokens(_) => "tokens",
        }
    }

    /// Its word in a manifest.
    #[must_use]
    pub fn written(self) -> String {
        match self {
            Self::Tokens(tokenizer) => format!("tokens tokenizer={}", tokenizer.name),
            plain => plain.word().to_owned(),
        }
    }

    /// How sizes in it are written: the word, for tokens with the tokenizer, and `~` if that only estimates.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tokens(tokenizer) => tokenizer.unit,
            plain => plain.word(),
        }
    }
}

/// The size of `text`.
#[must_use]
pub fn size(text: &str, unit: Unit) -> usize {
    match unit {
        Unit::Chars => text.chars().count(),
        Unit::Bytes => text.len(),
        Unit::Lines => {
            count_newlines(text.as_bytes()) + usize::from(!text.is_empty() && !text.ends_with('\n'))
        }
        Unit::Tokens(tokenizer) => tokenizer.count(text),
    }
}

/// The place after the first `n` units at or after `from`; the end if there are fewer.
#[must_use]
pub fn forward(text: &str, from: usize, n: usize, unit: Unit) -> usize {
    let rest = &text[from..];
    let step = match unit {
        _ if n == 0 => Some(0),
        Unit::Chars => {
            let mut after = rest.chars();
            after.nth(n - 1).map(|_| rest.len() - after.as_str().len())
        }
        Unit::Bytes => (n < rest.len()).then(|| rest.ceil_char_boundary(n)),
        Unit::Lines => rest.match_indices('\n').nth(n - 1).map(|(at, _)| at + 1),
        Unit::Tokens(tokenizer) => Some(tokenizer.ruler(rest).reach(n)),
    };
    from + step.unwrap_or(rest.len())
}

/// The place before the last `n` units before `from`; the start if there are fewer.
///
/// In lines, `from` must be the end or be after a line feed.
#[must_use]
pub fn back(text: &str, from: usize, n: usize, unit: Unit) -> usize {
    let before = &text[..from];
    match unit {
        _ if n == 0 => from,
        Unit::Chars => (before.char_indices().rev().nth(n - 1)).map_or(0, |(at, _)| at),
        Unit::Bytes => before.floor_char_boundary(from.saturating_sub(n)),
        Unit::Lines => {
            // The feed at the very end closes the last line and does not begin another one.
            let closed = before.strip_suffix('\n').unwrap_or(before);
            let begin = closed.rmatch_indices('\n').nth(n - 1);
            begin.map_or(0, |(at, _)| at + 1)
        }
        Unit::Tokens(tokenizer) => tokenizer.ruler(before).reach_back(n),
    }
}

/// min(100, trunc(n / limit · 100)) in doubles; 0 where the limit is not positive.
#[must_use]
pub fn percent(n: f64, limit: f64) -> i64 {
    if limit <= 0.0 {
        return 0;
    }
    let share = (n / limit * 100.0).trunc().min(100.0);
    // A cast of a double saturates, so the value is defined everywhere.
    #[allow(clippy::cast_possible_truncation)]
    let share = share as i64;
    share
}

/// Digits with a comma before every third from the end: `12,345`. Not for signs or fractions.
#[must_use]
pub fn thousands(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

    const UNITS: [Unit; 3] = Unit::PLAIN;

    #[test]
    fn sizes() {
        for (text, sizes) in [
            ("", [0, 0, 0]),
            ("é\u{1F469}\u{200D}\u{1F680}", [4, 13, 1]),
            ("a\nb", [3, 3, 2]),
            ("a\nb\n", [4, 4, 2]),
            ("\n", [1, 1, 1]),
        ] {
            assert_eq!(UNITS.map(|u| size(text, u)), sizes, "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn steps_have_the_inputs_of_their_action(text in "[ab\né🚀]{0,12}", n in 0_usize..14) {
            for unit in UNITS {
                let total = size(&text, unit);
                let (head, tail) = (forward(&text, 0, n, unit), back(&text, text.len(), n, unit));
                if unit == Unit::Bytes {
                    // Steps that would split a code point take all of it.
                    prop_assert!(head >= n.min(total) && head < n.min(total) + 4);
                    prop_assert!(text.len() - tail >= n.min(total) && text.len() - tail < n.min(total) + 4);
                } else {
                    prop_assert_eq!(size(&text[..head], unit), n.min(total));
                    prop_assert_eq!(size(&text[tail..], unit), n.min(total));
                }
            }
        }
    }
}
