//! Converse of Bedrock.
//!
//! Rules from documentation: the service model of botocore 1.44.5.

use super::{Members, Seen, Sent, Spelling};
use crate::request::whole::part::{Message, Part};

pub(super) fn read(body: &Members<'_>, sent: &mut Sent, seen: &mut Seen) -> Option<()> {
    let stored = body.value("promptVariables").is_some_and(|v| !v.is_empty());
    sent.elsewhere = stored.then_some("promptVariables");
    if let Some(tools) = body.get("toolConfig") {
        sent.tools = marked(
            Members::read(tools)?.get("tools"),
            "tools",
            Spelling::Plain,
            sent,
            seen,
        )?;
    }
    sent.system = marked(body.get("system"), "system", Spelling::ByName, sent, seen)?;
    for text in body.list("messages") {
        sent.add(text, seen, |sent, seen| {
            let members = Members::read(text)?;
            let content = members.get("content");
            Some(Message {
                blocks: marked(content, "messages/0", Spelling::ByName, sent, seen)?,
                role: members.text("role")?,
                extra: String::new(),
            })
        })?;
    }
    Some(())
}

/// The parts of a list with breakpoints between them; none if there is no list.
fn marked(
    list: Option<&str>,
    at: &str,
    spelling: Spelling,
    sent: &mut Sent,
    seen: &mut Seen,
) -> Option<Vec<Part>> {
    match list.filter(|list| list.starts_with('[')) {
        Some(list) => Some(sent.marked(at, &seen.marked(list, spelling)?)),
        None => Some(Vec::new()),
    }
}
