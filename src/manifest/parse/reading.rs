//! The line of a source that reads files: names, the text between its documents, the capacity of its file.

use super::read::{Reader, Value};
use crate::diagnostic::span::Literal;
use crate::manifest::{Choice, FileName, Lit, NamePart, Reading};
use crate::source::SourceKind;
use crate::source::kind::Names;
use crate::syntax::Scalar;

/// Reads the line. The settings of the braces are empty.
pub(super) fn reading(reader: &mut Reader, kind: &'static SourceKind) -> Option<Reading> {
    let names = names(reader, kind.names);
    let between = between(reader, kind);
    let capacity = if kind.is_written() {
        reader.prop("capacity").map(Value::size)
    } else {
        None
    };
    Some(Reading {
        kind,
        names: names?,
        between: between?,
        capacity: match capacity {
            Some(capacity) => Some(capacity?),
            None => None,
        },
        choice: Choice::default(),
    })
}

/// The text after the word; none if nothing can be read.
fn names(reader: &mut Reader, names: Names) -> Option<Vec<FileName>> {
    let one = |value: Option<Value>| Some(vec![value.and_then(Value::file_name)?]);
    let read: Vec<FileName> = match names {
        Names::File => return one(reader.need_arg()),
        Names::Folder => return one(reader.need_arg()),
        Names::Files => {
            let names = reader.need_rest().into_iter();
            names.filter_map(Value::file_name).collect()
        }
        Names::Patterns => {
            let patterns = reader.need_rest().into_iter();
            patterns.filter_map(pattern).collect()
        }
    };
    (!read.is_empty()).then_some(read)
}

/// A pattern, in which braces are braces.
fn pattern(value: Value) -> Option<FileName> {
    Some(match value.text_or_fact()? {
        Lit::Fact(name) => FileName::Fact(name),
        Lit::Value(written) => FileName::Written {
            parts: vec![NamePart::Text(written.value.clone())],
            written,
        },
    })
}

/// The text between the documents, if the kind sets its own; nothing at all if it cannot be read.
fn between(reader: &mut Reader, kind: &SourceKind) -> Option<Option<Literal>> {
    let Some(between) = kind.between else {
        return Some(None);
    };
    let (cx, at) = (reader.cx, reader.span());
    let written = reader.prop(between.property);
    if let Some(empty) = written.filter(|w| w.plain() == Scalar::Text(""))
        && kind.entries().is_some()
    {
        let property = between.property;
        let message =
            format!("`{property}=` is empty, and every text would be one of single characters");
        let shown = between.default.replace('\n', "\\n");
        cx.conflict(
            empty.whole(),
            message,
            &format!("write the text between two entries, or remove it: {property}=\"{shown}\""),
        );
    }
    match written {
        Some(written) => Some(Some(written.literal()?)),
        None => Some(Some(Literal::new(between.default, at, Vec::new()))),
    }
}
