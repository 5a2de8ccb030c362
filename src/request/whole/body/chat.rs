//! Chat Completions of OpenAI, and of those who took its form over.
//!
//! Rules from documentation: docstrings of the Python package openai 3.54.0; `cache_control` on text parts is OpenRouter's.

use super::{Members, Seen, Sent, Spelling};
use crate::request::whole::part::Message;

pub(super) fn read(body: &Members<'_>, sent: &mut Sent, seen: &mut Seen) -> Option<()> {
    sent.tools = sent.parts(body.get("tools"), "tools", Spelling::Plain, seen)?;
    for text in body.list("messages") {
        if !sent.messages.is_empty() || !leads(text)? {
            sent.add(text, seen, |sent, seen| {
                message(text, "messages/0", sent, seen)
            })?;
            continue;
        }
        let marks = sent.breakpoints.len();
        let blocks = message(text, "system", sent, seen)?.blocks;
        // Breakpoints count the blocks of all leading messages.
        for mark in &mut sent.breakpoints[marks..] {
            let index = mark
                .at
                .strip_prefix("system/")
                .and_then(|i| i.parse::<usize>().ok());
            mark.at = format!("system/{}", index.unwrap_or_default() + sent.system.len());
        }
        sent.system.extend(blocks);
    }
    Some(())
}

/// Whether a message is of the system text, if it leads.
fn leads(text: &str) -> Option<bool> {
    let role = Members::read(text)?.text("role")?;
    Some(matches!(role.as_str(), "system" | "developer"))
}

fn message(text: &str, at: &str, sent: &mut Sent, seen: &mut Seen) -> Option<Message> {
    let members = Members::read(text)?;
    let role = members.text("role")?;
    let mut blocks = sent.content(members.get("content"), at, "text", Spelling::ByName, seen)?;
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
