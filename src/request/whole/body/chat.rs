//! Chat Completions of OpenAI, and of those who took its form over.
//!
//! Rules from documentation: docstrings of the Python package openai 3.54.0; `cache_control` on text parts is OpenRouter's.

use super::{Members, Seen, Sent, Spelling};
use crate::request::whole::part::Message;

pub(super) fn read(body: &Members<'_>, sent: &mut Sent, seen: &mut Seen) -> Option<()> {
    sent.session = sent.session.take().or(body.text("prompt_cache_key"));
    sent.tools = sent.parts(body.get("tools"), "tools", Spelling::Plain, seen)?;
    for text in body.list("messages") {
        let members = Members::read(text)?;
        let role = members.text("role")?;
        let leads = sent.messages.is_empty() && matches!(role.as_str(), "system" | "developer");
        let at = match leads {
            true => "system".to_owned(),
            false => format!("messages/{}", sent.messages.len()),
        };
        let marks = sent.breakpoints.len();
        let mut blocks =
            sent.content(members.get("content"), &at, "text", Spelling::ByName, seen)?;
        // Calls of tools, a name and the like are a block of their own.
        let rest = members.without(&["role", "content"]);
        let rest = seen.one(&rest, Spelling::Beside)?;
        blocks.extend((&*rest.key != "{}").then_some(rest));
        if leads {
            // Breakpoints count the blocks of all leading messages.
            for mark in &mut sent.breakpoints[marks..] {
                let index = mark
                    .at
                    .strip_prefix("system/")
                    .and_then(|i| i.parse::<usize>().ok());
                mark.at = format!("system/{}", index.unwrap_or_default() + sent.system.len());
            }
            sent.system.extend(blocks);
        } else {
            sent.messages.push(Message {
                role,
                extra: String::new(),
                blocks,
            });
        }
    }
    Some(())
}
