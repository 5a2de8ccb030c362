//! The common parts of rows: days, texts, sources.

use crate::diagnostic::{Diagnostic, OUT_OF_RANGE};
use crate::manifest::context::{Context, Once};
use crate::manifest::grammar::Row;
use crate::manifest::read::{Reader, Value};
use crate::request::provider::amount::Times;
use crate::request::provider::table::{Confidence, Multiplier, Source, Term};
use crate::syntax::Node;
use crate::template::fact::is_no_day;
use jiff::civil::Date;

/// A day, `YYYY-MM-DD`.
pub(super) fn day(
    cx: &Context,
    reader: &mut Reader,
    name: &'static str,
    needed: bool,
) -> Option<Date> {
    let Some(value) = reader.prop(name) else {
        if needed {
            let message = format!("`{}` lacks {name}=\"YYYY-MM-DD\"", reader.kind());
            cx.missing(
                reader.span(),
                message,
                "every fact has the day on which it was read",
            );
        }
        return None;
    };
    let text = value.text()?;
    let read = text.value.parse::<Date>();
    if read.is_err() {
        let value = text.value.escape_debug();
        let (message, help) = if is_no_day(&text.value) {
            (
                format!("no calendar has the day `{value}`"),
                "write a day that there is",
            )
        } else {
            (
                format!("`{value}` is not a day"),
                "write it as YYYY-MM-DD, such as 2026-11-21",
            )
        };
        cx.report(
            Diagnostic::error(OUT_OF_RANGE, message)
                .at(text.span)
                .help(help),
        );
    }
    read.ok()
}

pub(super) fn text_of(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<String> {
    let mut reader = Reader::new(cx, node, row);
    let text = reader.need_arg().and_then(Value::text);
    reader.finish();
    Some(text?.value)
}

pub(super) fn texts_of(cx: &Context, node: Node<'_>, row: &'static Row) -> Vec<String> {
    let mut reader = Reader::new(cx, node, row);
    let texts = reader.need_rest().into_iter().filter_map(Value::text);
    let texts = texts.map(|text| text.value).collect();
    reader.finish();
    texts
}

/// `source "…" as-of="…" confidence=high`.
pub(super) fn source(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Source> {
    let mut reader = Reader::new(cx, node, row);
    let text = reader.need_arg().and_then(Value::text);
    let as_of = day(cx, &mut reader, "as-of", true);
    let confidence = reader
        .prop("confidence")
        .and_then(|v| v.choice(&Confidence::ALL));
    reader.finish();
    Some(Source {
        text: text?.value,
        as_of: as_of?,
        confidence: confidence.map_or(Confidence::Medium, |c| c.value),
    })
}

/// `multiplier "service_tier" "flex" factor=0.5 read=1 write=read`.
pub(super) fn multiplier(
    cx: &Context,
    node: Node<'_>,
    row: &'static Row,
    once: &mut Once,
) -> Option<Multiplier> {
    let mut reader = Reader::new(cx, node, row);
    let mut values = reader.need_rest().into_iter();
    let term = values.next().and_then(|value| value.choice(&Term::ALL));
    let values: Vec<_> = values.filter_map(Value::text).collect();
    let factor = reader.prop("factor").map(|value| more(value, 0.0));
    let read = reader.prop("read").map(|value| more(value, 0.0));
    let write = reader.prop("write");
    let write = write.and_then(|value| value.choice(&[("read", ())]));
    let span = reader.span();
    reader.finish();
    let term = term?.value;
    if values.is_empty() {
        let help = "write the values of the term for which it holds";
        cx.missing(span, "`multiplier` lacks a value", help);
    }
    for value in &values {
        once.note(
            cx,
            &format!("multiplier {} {}", term.name(), value.value.escape_debug()),
            value.span,
        );
    }
    Some(Multiplier {
        term,
        values: values.into_iter().map(|value| value.value).collect(),
        factor: factor.unwrap_or(Some(Times::ONE))?,
        read: match read {
            Some(read) => Some(read?),
            None => None,
        },
        write_as_read: write.is_some(),
    })
}

/// A multiple of at least `least`.
pub(super) fn more(value: Value, least: f64) -> Option<Times> {
    Times::new(value.number(least..=Times::HIGHEST)?)
}

pub(super) fn no_source(cx: &Context, node: Node<'_>, what: &str) {
    let help = "write `source \"…\" as-of=\"YYYY-MM-DD\"` in its braces";
    cx.missing(cx.head(node), format!("the {what} has no source"), help);
}

/// A placeholder for a source until it is read.
pub(super) fn unknown() -> Source {
    Source {
        text: String::new(),
        as_of: Date::ZERO,
        confidence: Confidence::Low,
    }
}
