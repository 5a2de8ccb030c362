//! The one spelling in which parts are compared: what is the same to a model is the same here.

use super::Json;
use crate::request::whole::part::by_name;

/// The one spelling in which parts of a kind are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spelling {
    /// As it is.
    Plain,
    /// Its fields by name.
    ByName,
    /// A block of a message of Anthropic.
    Anthropic,
    /// A block of an output of Responses.
    Output,
    /// An item of Responses that is no message.
    Item,
    /// The fields of a message of Chat next to its content.
    Beside,
}

impl Spelling {
    pub(super) fn of(self, value: Json) -> Json {
        match self {
            Self::Plain => value,
            Self::ByName => by_name(value),
            Self::Anthropic => anthropic(value),
            Self::Output => output_text(value),
            Self::Item => by_name(item(value)),
            Self::Beside => by_name(said(value)),
        }
    }
}

/// A block of a message in its one spelling.
pub(super) fn anthropic(value: Json) -> Json {
    by_name(one_spelling(value))
}

fn one_spelling(value: Json) -> Json {
    let kind = value.get("type").and_then(Json::as_text).map(str::to_owned);
    match (kind.as_deref(), value) {
        (Some("thinking"), value) => match value.get("signature") {
            Some(signature) if !signature.is_empty() => Json::object([
                ("type", "thinking".into()),
                ("signature", signature.clone()),
            ]),
            _ => value,
        },
        (Some("tool_result"), mut value) => {
            let members = value.members_mut().into_iter().flatten();
            for (_, content) in members.filter(|(key, _)| &**key == "content") {
                if let Json::Text(text) = content {
                    let one = [("type", "text".into()), ("text", Json::Text(text.clone()))];
                    *content = Json::list([Json::object(one)]);
                }
            }
            value
        }
        (_, value) => value,
    }
}

/// A block of an output without the fields that only answers have.
fn output_text(mut value: Json) -> Json {
    if let Some(members) = value.members_mut() {
        members.retain(|(key, v)| !matches!(&**key, "annotations" | "logprobs") || !v.is_empty());
    }
    by_name(value)
}

/// An item as it is compared: whether it was completed is no part of the prompt, and reasoning is compared by what is encrypted.
fn item(mut value: Json) -> Json {
    if let Some(sealed) = value.get("encrypted_content").filter(|v| !v.is_empty()) {
        return Json::object([
            ("type", value.get("type").cloned().unwrap_or(Json::Null)),
            ("encrypted_content", sealed.clone()),
        ]);
    }
    if let Some(members) = value.members_mut() {
        members.retain(|(key, _)| &**key != "status");
    }
    value
}

/// The members of an object that say something: a field that is null is as good as none.
fn said(mut value: Json) -> Json {
    if let Some(members) = value.members_mut() {
        members.retain(|(_, v)| !v.is_null());
    }
    value
}
