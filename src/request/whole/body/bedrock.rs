//! Converse of Bedrock.
//!
//! Rules from documentation: the service model of botocore 1.44.5.

use super::{Json, Members, Sent, plain};
use crate::request::whole::part::{Breakpoint, Message, Part, by_name};

pub(super) fn read(body: &Members<'_>, sent: &mut Sent) -> Option<()> {
    let stored = body.value("promptVariables").is_some_and(|v| !v.is_empty());
    sent.elsewhere = stored.then_some("promptVariables");
    if let Some(tools) = body.get("toolConfig") {
        sent.tools = marked(&Members::read(tools)?.list("tools"), "tools", plain, sent)?;
    }
    sent.system = marked(&body.list("system"), "system", by_name, sent)?;
    for text in body.list("messages") {
        let members = Members::read(text)?;
        let at = format!("messages/{}", sent.messages.len());
        let blocks = marked(&members.list("content"), &at, by_name, sent)?;
        sent.messages.push(Message {
            role: members.text("role")?,
            extra: String::new(),
            blocks,
        });
    }
    Some(())
}

/// The parts of a list in which a breakpoint is an item of its own, behind what it marks.
fn marked(items: &[&str], at: &str, key: fn(Json) -> Json, sent: &mut Sent) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for item in items {
        let value = Json::read(item)?;
        match value.get("cachePoint").cloned() {
            None => parts.push(Part::new(*item, &key(value))),
            Some(mark) => sent.breakpoints.push(Breakpoint {
                at: format!("{at}/{}", parts.len().saturating_sub(1)),
                ttl: mark.get("ttl").and_then(Json::as_text).map(str::to_owned),
            }),
        }
    }
    Some(parts)
}
