//! Chat Completions of OpenAI, and of those who took its form over.
//!
//! Rules from documentation: docstrings of the Python package openai 3.54.0; `cache_control` on text parts is OpenRouter's.

use super::{Members, Seen, Sent, Spelling};
use crate::request::whole::part::Message;

pub(super) fn read(body: &Members<'_>, sent: &mut Sent, seen: &mut Seen) -> Option<()> {
    sent.tools = sent.parts(body.get("tools"), "tools", Spelling::Plain, seen)?;
    for text in body.list("messages") {
        sent.add(text, seen, |sent, seen| message(text, sent, seen))?;
    }
    Some(())
}

pub(super) fn message(text: &str, sent: &mut Sent, seen: &mut Seen) -> Option<Message> {
    let members = Members::read(text)?;
    let role = members.text("role")?;
    let mut blocks = sent.content(
        members.get("content"),
        "messages/0",
        "text",
        Spelling::ByName,
        seen,
    )?;
    // Calls of tools, a name and the like are a block of their own.
    let rest = members.without(&["role", "content"]);
    let rest = seen.one(&rest, Spelling::Beside)?;
    blocks.extend((&*rest.key != "{}").then_some(rest));
    Some(Message {
        role,
        extra: String::new(),
        blocks,
    })
}
