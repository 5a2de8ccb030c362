//! The entries of one file on two sides.
//!
//! Their numbers cannot be compared: a new entry at the top renumbers all later ones. So they are paired by their content and then by
//! their position.

use super::order::stay;
use std::collections::{BTreeMap, BTreeSet};

/// An entry of one side: its number and its hash.
pub(super) type Numbered = (String, String);

/// An entry of A, of B, or of both.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    /// The entry is unchanged but moved among the unchanged ones.
    pub(super) moved: bool,
}

/// Pairs entries: those that say the same; of the others, those at the same place between two that stay, in order.
pub(super) fn pairs(before: &[Numbered], after: &[Numbered]) -> Vec<Pair> {
    let places: BTreeMap<&str, usize> = (after.iter().enumerate())
        .map(|(j, (_, hash))| (hash.as_str(), j))
        .collect();
    let same: Vec<(usize, usize)> = (before.iter().enumerate())
        .filter_map(|(i, (_, hash))| Some((i, *places.get(hash.as_str())?)))
        .collect();
    let anchors = stay(&same);
    let (known_a, known_b): (BTreeSet<usize>, BTreeSet<usize>) = same.iter().copied().unzip();
    let both = |(i, j): &(usize, usize)| Pair {
        a: Some(*i),
        b: Some(*j),
        moved: anchors.binary_search(&(*i, *j)).is_err(),
    };
    let mut out: Vec<Pair> = same.iter().map(both).collect();
    let mut from = (0, 0);
    for &(i, j) in anchors.iter().chain([&(before.len(), after.len())]) {
        let mut old = (from.0..i).filter(|i| !known_a.contains(i));
        let mut new = (from.1..j).filter(|j| !known_b.contains(j));
        loop {
            let (a, b) = (old.next(), new.next());
            if a.is_none() && b.is_none() {
                break;
            }
            out.push(Pair { a, b, moved: false });
        }
        from = (i + 1, j + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Numbered, pairs};

    /// Entries by what they say: `=x` stays, `~x` moved, `x>y` changed, `-x` gone, `+x` new; those of A in their order.
    fn shown(a: &str, b: &str) -> String {
        let entries = |text: &str| -> Vec<Numbered> {
            let letters = text.chars().map(|c| c.to_string()).enumerate();
            letters.map(|(i, c)| ((i + 1).to_string(), c)).collect()
        };
        let (before, after) = (entries(a), entries(b));
        let mut shown: Vec<(usize, usize, String)> = pairs(&before, &after)
            .into_iter()
            .map(|pair| {
                let says = |side: &[Numbered], at: Option<usize>| at.map(|i| side[i].1.clone());
                let word = match (says(&before, pair.a), says(&after, pair.b)) {
                    (Some(x), Some(y)) if x != y => format!("{x}>{y}"),
                    (Some(x), Some(_)) if pair.moved => format!("~{x}"),
                    (Some(x), Some(_)) => format!("={x}"),
                    (Some(x), None) => format!("-{x}"),
                    (None, Some(y)) => format!("+{y}"),
                    (None, None) => "?".to_owned(),
                };
                (
                    pair.a.unwrap_or(usize::MAX),
                    pair.b.unwrap_or(usize::MAX),
                    word,
                )
            })
            .collect();
        shown.sort();
        shown
            .into_iter()
            .map(|(_, _, word)| word)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn entries_are_paired_by_text_and_then_by_position() {
        assert_eq!(shown("abc", "abc"), "=a =b =c");
        assert_eq!(shown("abc", "xabc"), "=a =b =c +x");
        assert_eq!(shown("abc", "ac"), "=a -b =c");
        assert_eq!(shown("abc", "aBc"), "=a b>B =c");
        assert_eq!(shown("abc", "bca"), "~a =b =c");
        assert_eq!(shown("abc", "cab"), "=a =b ~c");
        assert_eq!(shown("abc", "xaBc"), "=a b>B =c +x");
        assert_eq!(shown("abc", "ABCD"), "a>A b>B c>C +D");
        assert_eq!(shown("", "ab"), "+a +b");
        assert_eq!(shown("ab", ""), "-a -b");
    }
}
