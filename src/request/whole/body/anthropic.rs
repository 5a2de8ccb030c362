//! Messages of Anthropic.
//!
//! Rules from documentation: docstrings of the Python package anthropic 2.12.0, and its guide on prompt caching.

use super::{Json, Members, Sent, plain};
use crate::request::whole::agent::Agent;
use crate::request::whole::part::{Breakpoint, Message, Part, by_name};

/// How the line begins that Claude Code sends first in the system text. It is other at each call, and the provider leaves it
/// out of what it keeps (anthropics/claude-code#68900).
const BILLING: &str = "x-anthropic-billing-header:";

/// The effort that is meant where none is written.
const DEFAULT_EFFORT: &str = "\"high\"";

pub(super) fn read(body: &Members<'_>, sent: &mut Sent) -> Option<()> {
    let is_default = |name: &str, value: &str| name.ends_with("effort") && value == DEFAULT_EFFORT;
    sent.settings.retain(|s| !is_default(&s.name, &s.value));
    sent.tools = sent.parts(&body.list("tools"), "tools", plain)?;
    let system = sent.content(body.get("system"), "system", "text", by_name)?;
    let first = system.first().map(Part::text);
    let bill = first.filter(|text| text.starts_with(BILLING));
    let bills = bill.is_some();
    sent.agent = bill.map(|line| Agent::of_bill(&line));
    if bills {
        for mark in &mut sent.breakpoints {
            shift(&mut mark.at);
        }
    }
    sent.system = system.into_iter().skip(usize::from(bills)).collect();
    for (i, text) in body.list("messages").into_iter().enumerate() {
        let members = Members::read(text)?;
        let blocks = sent.content(
            members.get("content"),
            &format!("messages/{i}"),
            "text",
            canonical,
        )?;
        let extra = Members::read(text)?.without(&["role", "content"]);
        sent.messages.push(Message {
            role: members.text("role")?,
            extra: match extra.as_str() {
                "{}" => String::new(),
                _ => Json::read(&extra)?.canonical(),
            },
            blocks,
        });
    }
    if let Some(mark) = body.value("cache_control").filter(|m| !m.is_empty()) {
        sent.breakpoints.push(Breakpoint {
            at: "request".to_owned(),
            ttl: mark.get("ttl").and_then(Json::as_text).map(str::to_owned),
        });
    }
    if let Some(thread) = body.value("thread")
        && thread.get("type").and_then(Json::as_text) == Some("continue")
    {
        sent.continues = thread
            .get("previous_message_id")
            .and_then(Json::as_text)
            .map(str::to_owned);
        // Without an id nothing can be found, and it is no request of its own.
        sent.continues.get_or_insert_default();
    }
    if let Some(user) = body.value("metadata") {
        let user = user.get("user_id").and_then(Json::as_text);
        let ids = user.and_then(Json::read);
        let session = ids
            .as_ref()
            .and_then(|ids| ids.get("session_id")?.as_text());
        sent.session = session.map(str::to_owned).or(sent.session.take());
    }
    Some(())
}

/// A breakpoint behind a block whose number is one less without the billing line.
fn shift(at: &mut String) {
    let number = at
        .strip_prefix("system/")
        .and_then(|n| n.parse::<usize>().ok());
    if let Some(number) = number {
        *at = format!("system/{}", number.saturating_sub(1));
    }
}

/// A block of a message in its one spelling.
pub(super) fn canonical(value: Json) -> Json {
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
        (Some("tool_result"), Json::Object(mut members)) => {
            for (_, content) in members.iter_mut().filter(|(key, _)| key == "content") {
                if let Json::Text(text) = content {
                    let one = [("type", "text".into()), ("text", text.as_str().into())];
                    *content = Json::List(vec![Json::object(one)]);
                }
            }
            Json::Object(members)
        }
        (_, value) => value,
    }
}
