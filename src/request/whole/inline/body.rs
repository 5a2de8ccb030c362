//! The body of a request in the form of its API.

use super::tree::{Tree, inner, list, with};
use crate::request::whole::api::Api;
use crate::request::whole::effective::Request;
use crate::request::whole::members::Members;
use crate::request::whole::part::{Breakpoint, Message, OPENAI_MARK, Part};
use crate::request::whole::terms::{self, Terms};
use crate::text::Json;

/// A body; the model of some APIs is in the URL.
pub(super) fn body(request: &Request, terms: &Terms, in_url: bool) -> String {
    let mut body = Tree::default();
    for setting in &request.settings {
        if !(in_url && setting.name == "model") {
            body.set(&setting.name, setting.value.as_str());
        }
    }
    for (term, value) in terms {
        let path = terms::path(*term, request.api);
        body.set(path, Json::from(value.as_str()).canonical());
    }
    let marks = Marks(&request.breakpoints);
    let tools = &request.tools;
    match request.api {
        Api::Gemini if !tools.is_empty() => body.set("tools", list(gemini_tools(tools))),
        Api::BedrockConverse if !tools.is_empty() || marks.any("tools") => {
            body.set("toolConfig.tools", list(marks.between(tools, "tools")));
        }
        _ if !tools.is_empty() => body.set("tools", list(marks.on(tools, "tools", 0))),
        _ => {}
    }
    system(request, &marks, &mut body);
    let leading = match request.api {
        Api::OpenaiResponses if instructions(&request.system).is_some() => Vec::new(),
        Api::OpenaiChat | Api::OpenaiResponses => leading(&request.system, &marks),
        _ => Vec::new(),
    };
    let messages = request.messages.iter().enumerate();
    let messages =
        messages.flat_map(|(i, m)| marked(request.api, m, &format!("messages/{i}"), &marks));
    let key = match request.api {
        Api::OpenaiResponses => "input",
        Api::Gemini => "contents",
        _ => "messages",
    };
    body.set(key, list(leading.into_iter().chain(messages)));
    if let Some(mark) = marks.at("request") {
        body.set("cache_control", mark);
    }
    body.written()
}

fn system(request: &Request, marks: &Marks<'_>, body: &mut Tree) {
    let system = &request.system;
    if system.is_empty() && !marks.any("system") {
        return;
    }
    match request.api {
        Api::OpenaiChat => {}
        Api::OpenaiResponses => {
            if let Some(text) = instructions(system) {
                body.set("instructions", text);
            }
        }
        Api::AnthropicMessages => body.set("system", marks.content(system, "system", 0)),
        Api::BedrockConverse => body.set("system", list(marks.between(system, "system"))),
        Api::Gemini => match system.as_slice() {
            [text] if is_text(text) => body.set("systemInstruction", &*text.raw),
            _ => body.set(
                "systemInstruction.parts",
                list(marks.on(system, "system", 0)),
            ),
        },
    }
}

/// A message without breakpoints; one that was joined from several is several again where it was.
pub(super) fn message(api: Api, message: &Message) -> Vec<String> {
    marked(api, message, "", &Marks(&[]))
}

fn marked(api: Api, message: &Message, at: &str, marks: &Marks<'_>) -> Vec<String> {
    let mut out = Tree::default();
    let blocks = message.blocks.as_slice();
    out.set("role", Json::from(message.role.as_str()).canonical());
    match api {
        Api::AnthropicMessages => {
            let mut start = 0;
            let runs = blocks.chunk_by(|a, b| !is_text(a) && !is_text(b));
            let runs = runs.map(|run| {
                let content = marks.content(run, at, start);
                start += run.len();
                content
            });
            let mut runs: Vec<String> = runs.collect();
            if runs.is_empty() {
                runs.push("[]".to_owned());
            }
            let runs = runs.into_iter().map(|content| {
                out.set("content", content);
                with(&out.written(), inner(&message.extra))
            });
            return runs.collect();
        }
        Api::OpenaiResponses => match blocks {
            [item] if is_item(item, &message.role) => return vec![item.raw.to_string()],
            _ => {
                out.set("type", "\"message\"");
                out.set("content", marks.content(blocks, at, 0));
            }
        },
        Api::OpenaiChat => {
            let (content, rest) = match blocks.split_last() {
                Some((rest, content)) if is_message_field(rest) => (content, inner(&rest.raw)),
                _ => (blocks, ""),
            };
            out.set(
                "content",
                match content {
                    [] => "null".to_owned(),
                    _ => marks.content(content, at, 0),
                },
            );
            return vec![with(&out.written(), rest)];
        }
        Api::Gemini => out.set("parts", list(marks.on(blocks, at, 0))),
        Api::BedrockConverse => out.set("content", list(marks.between(blocks, at))),
    }
    vec![out.written()]
}

/// The `instructions` of Responses, if they hold the whole system prompt.
fn instructions(system: &[Part]) -> Option<&str> {
    match system {
        [text] if is_text(text) => Some(&text.raw),
        _ => None,
    }
}

/// The leading messages of Chat and Responses, which hold the system prompt.
fn leading(system: &[Part], marks: &Marks<'_>) -> Vec<String> {
    let alone = |part: &Part| is_text(part) || is_message_field(part);
    let mut start = 0;
    let runs = system.chunk_by(|a, b| !alone(a) && !alone(b)).map(|run| {
        let mut out = Tree::default();
        out.set("role", "\"system\"");
        let rest = match run {
            [rest] if is_message_field(rest) => inner(&rest.raw),
            _ => {
                out.set("content", marks.content(run, "system", start));
                ""
            }
        };
        start += run.len();
        with(&out.written(), rest)
    });
    runs.collect()
}

/// The tools of Gemini: functions in a row are in one.
fn gemini_tools(tools: &[Part]) -> Vec<String> {
    let is_function = |part: &Part| has(part, "name");
    let runs = tools.chunk_by(|a, b| is_function(a) && is_function(b));
    let runs = runs.map(|run| match run {
        [tool] if !is_function(tool) => tool.raw.to_string(),
        _ => {
            let functions = run.iter().map(|part| part.raw.to_string());
            format!(r#"{{"functionDeclarations":{}}}"#, list(functions))
        }
    });
    runs.collect()
}

/// Whether a text is in the place of a block.
fn is_text(part: &Part) -> bool {
    part.raw.starts_with('"')
}

/// Whether a part has the fields of a message of Chat next to its content.
fn is_message_field(part: &Part) -> bool {
    part.raw.starts_with('{') && !["type", "role", "content"].iter().any(|key| has(part, key))
}

/// Whether a part is an item of Responses that is no message.
fn is_item(part: &Part, role: &str) -> bool {
    let kind = Members::read(&part.raw).and_then(|item| item.text("type"));
    kind.as_deref() == Some(role)
}

fn has(part: &Part, key: &str) -> bool {
    Members::read(&part.raw).is_some_and(|members| members.get(key).is_some())
}

/// Breakpoints.
struct Marks<'r>(&'r [Breakpoint]);

impl Marks<'_> {
    /// Whether there are any below a place.
    fn any(&self, at: &str) -> bool {
        let below =
            |mark: &Breakpoint| mark.at.strip_prefix(at).is_some_and(|i| i.starts_with('/'));
        self.0.iter().any(below)
    }

    /// The `cache_control` at a place.
    fn at(&self, at: &str) -> Option<String> {
        let found = self.0.iter().find(|mark| mark.at == at);
        found.map(|mark| point("ephemeral", mark))
    }

    /// Parts that carry their breakpoints; the first has this index.
    fn on(&self, parts: &[Part], at: &str, start: usize) -> Vec<String> {
        let parts = parts.iter().enumerate().map(|(i, part)| {
            let place = format!("{at}/{}", start + i);
            let mark = self.0.iter().find(|mark| mark.at == place);
            let mark = mark.map(|mark| match &mark.mark.mode {
                Some(mode) => {
                    let mode = Json::object([("mode", mode.as_str().into())]);
                    format!(r#""{OPENAI_MARK}":{}"#, mode.canonical())
                }
                None => format!(r#""cache_control":{}"#, point("ephemeral", mark)),
            });
            match (is_text(part), mark) {
                (false, None) => part.raw.to_string(),
                (false, Some(mark)) => with(&part.raw, &mark),
                (true, mark) => {
                    let text = format!(r#"{{"type":"text","text":{}}}"#, part.raw);
                    with(&text, &mark.unwrap_or_default())
                }
            }
        });
        parts.collect()
    }

    /// Parts as the content of a message: one text is written as such.
    fn content(&self, parts: &[Part], at: &str, start: usize) -> String {
        match parts {
            [text] if is_text(text) => text.raw.to_string(),
            _ => list(self.on(parts, at, start)),
        }
    }

    /// Parts with their breakpoints after them, each an item of its own.
    fn between(&self, parts: &[Part], at: &str) -> Vec<String> {
        let mut out = Vec::new();
        for i in 0..parts.len().max(1) {
            out.extend(parts.get(i).map(|part| part.raw.to_string()));
            let place = format!("{at}/{i}");
            let marks = self.0.iter().filter(|mark| mark.at == place);
            out.extend(marks.map(|m| format!(r#"{{"cachePoint":{}}}"#, point("default", m))));
        }
        out
    }
}

/// A breakpoint of this type.
fn point(kind: &str, mark: &Breakpoint) -> String {
    let mut out = Tree::default();
    out.set("type", Json::from(kind).canonical());
    if let Some(ttl) = &mark.mark.ttl {
        out.set("ttl", Json::from(ttl.as_str()).canonical());
    }
    out.written()
}
