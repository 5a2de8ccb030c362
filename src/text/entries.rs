//! A text that is a list: entries with a delimiter between them.

use super::normalise;
use std::collections::BTreeMap;
use std::ops::Range;

/// The entries that a file may have, blank ones and duplicates too.
pub const MOST: usize = 10_000;

/// The text between two delimiters, or before the first, or after the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The position of its text: without its outer white space, if that is trimmed.
    pub range: Range<usize>,
    /// Whether it counts.
    pub fate: EntryStatus,
}

/// Whether an entry counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryStatus {
    /// It does.
    Counts,
    /// It is nothing but white space.
    Blank,
    /// An earlier entry has the same text inside its outer white space: the index of the first.
    Duplicate(usize),
}

/// The entries of `text`, every one of them in order: their indices are those in the text. White space around one is taken
/// off with `trim`. None if there are more than `most`.
///
/// Delimiters are found from the left and do not overlap. `delimiter` is not empty.
#[must_use]
pub fn split(text: &str, delimiter: &str, trim: bool, most: usize) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut first = BTreeMap::new();
    let mut start = 0;
    for piece in text.split(delimiter) {
        if entries.len() == most {
            return None;
        }
        let inner = normalise::trim_range(piece);
        let bare = &piece[inner.clone()];
        let fate = match first.get(bare) {
            _ if bare.is_empty() => EntryStatus::Blank,
            Some(&index) => EntryStatus::Duplicate(index),
            None => {
                first.insert(bare, entries.len());
                EntryStatus::Counts
            }
        };
        let range = if trim { inner } else { 0..piece.len() };
        entries.push(Entry {
            range: start + range.start..start + range.end,
            fate,
        });
        start += piece.len() + delimiter.len();
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, proptest};

    fn shown<'t>(text: &'t str, delimiter: &str) -> Vec<(&'t str, EntryStatus)> {
        let entries = split(text, delimiter, true, 100).unwrap();
        let shown = |e: Entry| (&text[e.range], e.fate);
        entries.into_iter().map(shown).collect()
    }

    #[test]
    fn every_entry_has_its_place() {
        use EntryStatus::{Blank, Counts, Duplicate};
        assert_eq!(
            shown("\u{1c} a \n§\n\n§\nb\n§\na\n§\n", "\n§\n"),
            [
                ("a", Counts),
                ("", Blank),
                ("b", Counts),
                ("a", Duplicate(0)),
                ("", Blank)
            ]
        );
        // A delimiter needs its line ends, and one that shares them with the one before is none.
        assert_eq!(
            shown("§\na\n§\n§\nb§c", "\n§\n"),
            [("§\na", Counts), ("§\nb§c", Counts)]
        );
        assert_eq!(shown("", "\n§\n"), [("", Blank)]);
        assert_eq!(shown("aaa", "aa"), [("", Blank), ("a", Counts)]);
    }

    #[test]
    fn there_is_a_limit() {
        assert!(split("a,b,c", ",", true, 2).is_none());
        assert_eq!(split("a,b,c", ",", true, 3).unwrap().len(), 3);
    }

    /// Texts in which white space, delimiters and equal entries are frequent.
    fn text() -> impl Strategy<Value = String> {
        "([ab§é]|\n§\n|\n|[ \u{1c}\u{a0}]){0,30}"
    }

    fn bare(text: &str) -> &str {
        text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
    }

    /// Entries as a plain reader understands them, without places.
    fn plain(text: &str, delimiter: &str) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut rest = Some(text);
        while let Some(here) = rest {
            let (entry, after) = match here.find(delimiter) {
                Some(at) => (&here[..at], Some(&here[at + delimiter.len()..])),
                None => (here, None),
            };
            rest = after;
            let entry = bare(entry).to_owned();
            if !entry.is_empty() && !out.contains(&entry) {
                out.push(entry);
            }
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn entries_equal_those_of_a_plain_reader(text in text(), delimiter in "\n§\n|§|ab|\n") {
            let entries = split(&text, &delimiter, true, usize::MAX).unwrap();
            let counts = entries.iter().filter(|e| e.fate == EntryStatus::Counts);
            let counted: Vec<&str> = counts.map(|e| &text[e.range.clone()]).collect();
            prop_assert_eq!(&counted, &plain(&text, &delimiter));
        }

        #[test]
        fn joined_entries_are_split_again(entries in proptest::collection::vec("[abé]([abé \n]{0,5}[abé])?", 1..8)) {
            let mut known = Vec::new();
            for entry in entries {
                if !known.contains(&entry) {
                    known.push(entry);
                }
            }
            let text = known.join("\n§\n");
            let split = split(&text, "\n§\n", true, usize::MAX).unwrap();
            prop_assert!(split.iter().all(|e| e.fate == EntryStatus::Counts));
            let read: Vec<&str> = split.into_iter().map(|e| &text[e.range]).collect();
            prop_assert_eq!(read, known);
        }

        #[test]
        fn pieces_and_delimiters_are_the_text(text in text(), delimiter in "\n§\n|§|ab|\n", trim in any::<bool>()) {
            let entries = split(&text, &delimiter, trim, usize::MAX).unwrap();
            let whole = split(&text, &delimiter, false, usize::MAX).unwrap();
            let mut at = 0;
            for (index, (entry, piece)) in entries.iter().zip(&whole).enumerate() {
                prop_assert_eq!(piece.range.start, at);
                at = piece.range.end + delimiter.len();
                prop_assert!(at > text.len() || text[piece.range.end..].starts_with(&delimiter));
                prop_assert_eq!(entry.fate, piece.fate);
                prop_assert!(piece.range.start <= entry.range.start && entry.range.end <= piece.range.end);
                prop_assert!(!trim || bare(&text[entry.range.clone()]).len() == entry.range.len());
                prop_assert_eq!(bare(&text[entry.range.clone()]), bare(&text[piece.range.clone()]));
                if let EntryStatus::Duplicate(first) = entry.fate {
                    prop_assert!(first < index && entries[first].fate == EntryStatus::Counts);
                }
            }
            prop_assert_eq!(at, text.len() + delimiter.len());
        }
    }
}
