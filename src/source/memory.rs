//! `memory FILE`: the entries of a file, each a document.

use super::file;
use super::kind::{Between, Makes, Names, SourceKind, Takes};
use crate::text::entries;

/// A section sign on a line of its own.
const DELIMITER: &str = "\n§\n";

pub(super) static KIND: SourceKind = SourceKind {
    word: "memory",
    names: Names::File,
    takes: &[Takes::Capacity],
    between: Some(Between {
        property: "delimiter",
        default: DELIMITER,
    }),
    many: true,
    read: file::read,
    existing: file::existing,
    makes: Makes::Entries(entries::split),
};
