//! `memory FILE`: the entries of a file, each a document.

use super::file;
use super::kind::{Between, Entries, Makes, Names, SourceKind};
use crate::text::entries;

/// A section sign on a line of its own.
const DELIMITER: &str = "\n§\n";

pub(super) static KIND: SourceKind = SourceKind {
    word: "memory",
    one: "entry",
    names: Names::File,
    between: Some(Between {
        property: "delimiter",
        default: DELIMITER,
    }),
    many: true,
    read: file::read,
    existing: file::existing,
    makes: Makes::Entries(Entries {
        split: entries::split,
        written: true,
    }),
};
