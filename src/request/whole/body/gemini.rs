//! `generateContent` of Gemini.
//!
//! Rules from documentation: google-genai 3.4.0. The order in which the parts are read is not published; tools, system text,
//! contents is assumed.

use super::{Members, Sent};
use crate::request::json::Json;
use crate::request::whole::part::{Message, Part, by_name};

pub(super) fn read(body: &Members<'_>, sent: &mut Sent) -> Option<()> {
    let cached = body.value("cachedContent").is_some_and(|v| !v.is_empty());
    sent.elsewhere = cached.then_some("cachedContent");
    for tool in body.list("tools") {
        let members = Members::read(tool)?;
        let functions = members.list("functionDeclarations");
        for function in &functions {
            sent.tools
                .push(Part::new(*function, &Json::read(function)?));
        }
        let rest = members.without(&["functionDeclarations"]);
        let value = Json::read(&rest)?;
        if !value.is_empty() {
            sent.tools.push(Part::new(rest, &value));
        }
    }
    if let Some(system) = body
        .get("systemInstruction")
        .or(body.get("system_instruction"))
    {
        sent.system = match Members::read(system) {
            Some(members) => sent.parts(&members.list("parts"), "system", by_name)?,
            None => sent.content(Some(system), "system", "text", by_name)?,
        };
    }
    for content in body.list("contents") {
        let members = Members::read(content)?;
        let at = format!("messages/{}", sent.messages.len());
        let blocks = sent.parts(&members.list("parts"), &at, by_name)?;
        sent.messages.push(Message {
            role: members.text("role").unwrap_or_else(|| "user".to_owned()),
            extra: String::new(),
            blocks,
        });
    }
    Some(())
}
