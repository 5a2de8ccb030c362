//! The printed form of values.

use super::failure::{Planted, plant};
use super::objects::{Context, DocumentObject, PartObject};
use crate::diagnostic::{TEMPLATE_FAILED, TEMPLATE_LIMIT, UNDEFINED_VALUE, UNPRINTABLE_VALUE};
use crate::template::fact::float_text;
use minijinja::value::{Value, ValueKind};
use minijinja::{Error, Output, State};
use std::borrow::Cow;

/// Bytes that a render may print.
pub(super) const MAX_OUTPUT: usize = 64 << 20;

/// The engine's formatter: every `{{ … }}` goes through here.
pub(super) fn format(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    let text = if value.is_undefined() {
        // An `if` without `else` that is false; any other undefined value was refused before.
        return Ok(());
    } else {
        text_of(value)?
    };
    if let Some(context) = Context::of(state)
        && !context.log().printing(state.name(), text.len())
    {
        return Err(plant(TEMPLATE_LIMIT, "the template prints too much").into());
    }
    out.write_str(&text)?;
    Ok(())
}

/// Refuses to make a text of so many bytes, which is more than may be printed. The engine bounds the steps of a template, and
/// one step of a filter can make a text of any length.
pub(super) fn bounded(filter: &str, bytes: usize) -> Result<(), Error> {
    if bytes > MAX_OUTPUT {
        let message = format!("`{filter}` would make too much");
        return Err(plant(TEMPLATE_LIMIT, message).into());
    }
    Ok(())
}

/// The text that a value prints as.
pub(super) fn text_of(value: &Value) -> Result<Cow<'_, str>, Error> {
    if let Some(text) = value.as_str() {
        return Ok(Cow::Borrowed(text));
    }
    if let Some(part) = value.downcast_object_ref::<PartObject>() {
        return Ok(Cow::Borrowed(part.text()));
    }
    match value.kind() {
        ValueKind::Number => Ok(Cow::Owned(number_text(value)?)),
        ValueKind::Undefined => {
            Err(plant(UNDEFINED_VALUE, "a value that is used here is missing").into())
        }
        ValueKind::Invalid => Err(match valid(value.clone()) {
            Err(error) => error,
            Ok(_) => unprintable(value).into(),
        }),
        _ => Err(unprintable(value).into()),
    }
}

/// The value, or its error: the engine passes some errors on as values.
pub(super) fn valid(value: Value) -> Result<Value, Error> {
    if value.kind() != ValueKind::Invalid {
        return Ok(value);
    }
    let mut items = Value::from(vec![value]).try_iter()?.checked();
    items.next().unwrap_or_else(|| Ok(Value::UNDEFINED))
}

/// Numbers as facts print: whole ones plainly, others as the shortest decimal.
pub(super) fn number_text(value: &Value) -> Result<String, Error> {
    if value.is_integer() {
        return Ok(value.to_string());
    }
    match f64::try_from(value.clone()) {
        Ok(n) if n.is_finite() => Ok(float_text(n)),
        _ => Err(plant(TEMPLATE_FAILED, "a number became infinite").into()),
    }
}

/// The error for a value that has no text, with the way to give it one.
pub(super) fn unprintable(value: &Value) -> Planted {
    let fix = match value.kind() {
        ValueKind::Bool => "say how it should look: {{ 'yes' if x else 'no' }}",
        ValueKind::None => "test it: {% if x is not none %}",
        ValueKind::Seq | ValueKind::Iterable => {
            "say how it should look: {{ x | join(', ') }}, or x | json"
        }
        ValueKind::Map => "say how it should look: {{ x | json }}, or name a key",
        _ if is_document(value) => "write .text for its text, .name or another attribute",
        _ => "name what of it should be printed",
    };
    let what = kind_name(value);
    plant(
        UNPRINTABLE_VALUE,
        format!("{what} does not print by itself"),
    )
    .help(fix)
}

pub(super) fn is_document(value: &Value) -> bool {
    value.downcast_object_ref::<DocumentObject>().is_some()
}

/// The kind of a value, in words.
pub(super) fn kind_name(value: &Value) -> &'static str {
    if is_document(value) {
        return "a document";
    }
    match value.kind() {
        ValueKind::Undefined => "a missing value",
        ValueKind::None => "none",
        ValueKind::Bool => "a boolean",
        ValueKind::Number => "a number",
        ValueKind::String => "text",
        ValueKind::Seq | ValueKind::Iterable => "a list",
        ValueKind::Map => "a map",
        _ => "an object",
    }
}
