//! Sources: one file for each kind that reads from a root, and the walls that they read inside of.

pub mod builtin;
pub mod recipes;
pub mod wall;
pub mod writing;
pub mod pattern;
pub mod exclude;
pub mod walk;
pub mod reach;
pub mod place;
pub mod kind;
mod file;
mod json;
mod memory;
mod found;
mod glob;
pub mod skills;
pub mod beside;

pub use kind::SourceKind;

/// Every kind of source that reads inside a root, in the order in which messages name them.
pub static KINDS: &[&SourceKind] = &[
    &json::KIND,
    &file::KIND,
    &glob::KIND,
    &skills::KIND,
    &memory::KIND,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_is_distinct() {
        let words: BTreeSet<&str> = KINDS.iter().map(|kind| kind.word).collect();
        assert_eq!(words.len(), KINDS.len());
        for kind in KINDS {
            let at = SourceKind::of(kind.word).map(|found| found.word);
            assert_eq!(at, Some(kind.word));
            // The splitter of a file also joins its parts again.
            assert!(
                kind.entries().is_none() || kind.between.is_some(),
                "{}",
                kind.word
            );
            assert!(kind.many || kind.between.is_none(), "{}", kind.word);
        }
    }
}
