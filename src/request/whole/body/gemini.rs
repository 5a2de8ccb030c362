//! `generateContent` of Gemini.
//!
//! Rules from documentation: google-genai 3.4.0. The order in which the parts are read is not published; tools, system prompt,
//! contents is assumed.

use super::{Members, Seen, Sent, Spelling};
use crate::request::whole::part::Message;

pub(super) fn read(body: &Members<'_>, sent: &mut Sent, seen: &mut Seen) -> Option<()> {
    let cached = body.value("cachedContent").is_some_and(|v| !v.is_empty());
    sent.elsewhere = cached.then_some("cachedContent");
    for tool in body.list("tools") {
        let members = Members::read(tool)?;
        let functions = members.list("functionDeclarations");
        for function in &functions {
            sent.tools.push(seen.one(function, Spelling::Plain)?);
        }
        let rest = seen.one(&members.without(&["functionDeclarations"]), Spelling::Plain)?;
        sent.tools.extend((&*rest.key != "{}").then_some(rest));
    }
    if let Some(system) = body
        .get("systemInstruction")
        .or(body.get("system_instruction"))
    {
        sent.system = match Members::read(system) {
            Some(members) => sent.parts(members.get("parts"), "system", Spelling::ByName, seen)?,
            None => sent.content(Some(system), "system", "text", Spelling::ByName, seen)?,
        };
    }
    for content in body.list("contents") {
        sent.add(content, seen, |sent, seen| {
            let members = Members::read(content)?;
            let parts = members.get("parts");
            Some(Message {
                blocks: sent.parts(parts, "messages/0", Spelling::ByName, seen)?,
                role: members.text("role").unwrap_or_else(|| "user".to_owned()),
                extra: String::new(),
            })
        })?;
    }
    Some(())
}
