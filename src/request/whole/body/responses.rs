//! Responses of OpenAI, over HTTP or a WebSocket.
//!
//! Rules from documentation: docstrings of the Python package openai 3.54.0 (`instructions` are not carried over from one response to
//! the next), and the source of openai/codex for `additional_tools`.

use super::{Members, Seen, Sent, Spelling};
use crate::request::whole::part::Message;
use crate::request::whole::said::Said;
use std::sync::Arc;

pub(super) fn read(body: &Members<'_>, sent: &mut Sent, seen: &mut Seen) -> Option<()> {
    let said = |key: &str| body.value(key).is_some_and(|v| !v.is_empty());
    sent.elsewhere = [
        ("conversation", said("conversation")),
        ("prompt", said("prompt")),
    ]
    .into_iter()
    .find_map(|(name, is)| is.then_some(name));
    sent.tools = sent.parts(body.get("tools"), "tools", Spelling::Plain, seen)?;
    sent.system = sent.content(
        body.get("instructions"),
        "system",
        "input_text",
        Spelling::ByName,
        seen,
    )?;
    let Some(input) = body.get("input") else {
        return Some(());
    };
    if !input.starts_with('[') {
        let blocks = sent.content(
            Some(input),
            "messages/0",
            "input_text",
            Spelling::ByName,
            seen,
        )?;
        let message = Message {
            role: "user".to_owned(),
            extra: String::new(),
            blocks,
        };
        sent.messages.push(Arc::new(Said::new(message, Vec::new())));
        return Some(());
    }
    for item in crate::request::whole::members::list(input)? {
        if sent.messages.is_empty() && sent.continues.is_none() {
            let members = Members::read(item)?;
            if members.text("type").as_deref() == Some("additional_tools") {
                let tools = sent.parts(members.get("tools"), "tools", Spelling::Plain, seen)?;
                sent.leading.tools += tools.len();
                sent.tools.extend(tools);
                continue;
            }
        }
        sent.add(item, seen, |sent, seen| message(item, sent, seen))?;
    }
    Some(())
}

/// An item of the input, or of an output.
pub(super) fn message(item: &str, sent: &mut Sent, seen: &mut Seen) -> Option<Message> {
    let members = Members::read(item)?;
    let kind = members.text("type");
    let role = members.text("role");
    if let (None | Some("message"), Some(role)) = (kind.as_deref(), &role) {
        let text_type = match role.as_str() {
            "assistant" => "output_text",
            _ => "input_text",
        };
        return Some(Message {
            blocks: sent.content(
                members.get("content"),
                "messages/0",
                text_type,
                Spelling::Output,
                seen,
            )?,
            extra: String::new(),
            role: role.clone(),
        });
    }
    Some(Message {
        role: kind.or(role)?,
        extra: String::new(),
        blocks: vec![seen.one(item, Spelling::Item)?],
    })
}
