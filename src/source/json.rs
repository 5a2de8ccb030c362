//! `json FILE`: the file's value in canonical form.

use super::file;
use super::kind::{Data, Makes, Names, SourceKind};
use crate::diagnostic::JSON_SYNTAX;
use crate::text::json;

pub(super) static KIND: SourceKind = SourceKind {
    word: "json",
    one: "document",
    names: Names::File,
    between: None,
    many: false,
    read: file::read,
    existing: file::existing,
    makes: Makes::Data(Data {
        form: json::canonical,
        fault: JSON_SYNTAX,
    }),
};
