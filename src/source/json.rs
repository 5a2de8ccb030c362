//! `json FILE`: the file's value in canonical form.

use super::file;
use super::kind::{Data, Makes, Names, SourceKind};
use crate::diagnostic::JSON_SYNTAX;
use crate::text::json::{self, Piece};

pub(super) static KIND: SourceKind = SourceKind {
    word: "json",
    names: Names::File,
    takes: &[],
    between: None,
    many: false,
    read: file::read,
    existing: file::existing,
    makes: Makes::Data(Data {
        form,
        fault: JSON_SYNTAX,
    }),
};

fn form(text: &str) -> Result<Vec<Piece>, String> {
    json::canonical(text).map_err(|fault| fault.to_string())
}
