//! Messages of Anthropic.
//!
//! Rules from documentation: docstrings of the Python package anthropic 2.12.0, and its guide on prompt caching.

use super::{Json, Members, Seen, Sent, Spelling};
use crate::request::whole::agent::Agent;
use crate::request::whole::host;
use crate::request::whole::part::{Breakpoint, Mark, Message, Part};

/// The beginning of the first line of Claude Code's system prompt. It changes at each call, and Anthropic's own API leaves it out of what it caches
/// (anthropics/claude-code#68900). Proxies and plug-ins write the prompt into the same block.
const BILLING: &str = "x-anthropic-billing-header:";

/// The effort that is meant where none is written.
const DEFAULT_EFFORT: &str = "\"high\"";

pub(super) fn read(
    body: &Members<'_>,
    url: Option<&str>,
    sent: &mut Sent,
    seen: &mut Seen,
) -> Option<()> {
    let is_default = |name: &str, value: &str| name.ends_with("effort") && value == DEFAULT_EFFORT;
    sent.settings.retain(|s| !is_default(&s.name, &s.value));
    sent.tools = sent.parts(body.get("tools"), "tools", Spelling::Plain, seen)?;
    sent.system = sent.content(body.get("system"), "system", "text", Spelling::ByName, seen)?;
    leave_out_bill(url, sent);
    for text in body.list("messages") {
        sent.add(text, seen, |sent, seen| message(text, sent, seen))?;
    }
    if let Some(mark) = body.value("cache_control").filter(|m| !m.is_empty()) {
        sent.breakpoints.push(Breakpoint {
            at: "request".to_owned(),
            mark: Mark::of(&mark),
        });
    }
    Some(())
}

/// The id of the answer that a thread goes on from.
pub(super) fn continues(body: &Members<'_>) -> Option<String> {
    let thread = body.value("thread")?;
    let is_one = thread.get("type").and_then(Json::as_text) == Some("continue");
    let id = thread.get("previous_message_id").and_then(Json::as_text);
    // Without an id nothing can be found, and it is no request of its own.
    is_one.then(|| id.unwrap_or_default().to_owned())
}

/// The session in the id of its user.
pub(super) fn session(body: &Members<'_>) -> Option<String> {
    let user = body.value("metadata")?;
    let ids = Json::read(user.get("user_id")?.as_text()?)?;
    Some(ids.get("session_id")?.as_text()?.to_owned())
}

pub(super) fn message(text: &str, sent: &mut Sent, seen: &mut Seen) -> Option<Message> {
    let members = Members::read(text)?;
    let blocks = sent.content(
        members.get("content"),
        "messages/0",
        "text",
        Spelling::Anthropic,
        seen,
    )?;
    let extra = members.without(&["role", "content"]);
    Some(Message {
        role: members.text("role")?,
        extra: match extra.as_str() {
            "{}" => String::new(),
            _ => Json::read(&extra)?.canonical(),
        },
        blocks,
    })
}

/// Notes what the billing line says, and leaves it out where the provider does.
fn leave_out_bill(url: Option<&str>, sent: &mut Sent) {
    let first = sent.system.first();
    let first = first.filter(|part| part.key.contains(BILLING));
    let Some((first, text)) = first.map(|part| (part, part.text())) else {
        return;
    };
    if !text.starts_with(BILLING) {
        return;
    }
    let (line, rest) = text.split_once('\n').unwrap_or((&text, ""));
    sent.agent = Some(Agent::of_bill(line));
    let is_own = match url.filter(|url| host::is_elsewhere(url)) {
        Some(url) => host::provider(url) == Some("anthropic"),
        // The model says who is behind a proxy, or was sent to.
        None => sent.model.is_empty() || sent.model.starts_with("claude"),
    };
    if !is_own {
        return;
    }
    if rest.is_empty() {
        sent.system.remove(0);
        for mark in &mut sent.breakpoints {
            shift(&mut mark.at);
        }
    } else if let Some(part) = with_text(first, rest) {
        sent.system[0] = part;
    }
}

/// A block with another text, if it has one.
fn with_text(part: &Part, text: &str) -> Option<Part> {
    let [raw, key] = [&part.raw, &part.key].map(|json| {
        let mut value = Json::read(json)?;
        match &mut value {
            // It stands in the place of blocks.
            Json::Text(own) => *own = text.into(),
            block => *block.get_mut("text")? = Json::from(text),
        }
        Some(value)
    });
    Some(Part::new(raw?.canonical(), &key?))
}

/// A breakpoint after a block whose number is one less without the billing line.
fn shift(at: &mut String) {
    let number = at
        .strip_prefix("system/")
        .and_then(|n| n.parse::<usize>().ok());
    if let Some(number) = number {
        *at = format!("system/{}", number.saturating_sub(1));
    }
}
