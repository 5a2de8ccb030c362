//! The plain chat shape that most providers take: one system prompt, then messages.

use super::{CHAT, Marker, Shape, anthropic, chat_part, chat_tools, marked, openai, set_if, tools};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::prompt::Deliver;
use crate::request::emit::blocks::{self, Block};
use crate::request::emit::history::{mark_chat, role, with_user};
use crate::request::emit::marker;
use crate::request::emit::options::{Call, Layout, Plan};
use crate::request::emit::tools::Written;
use crate::text::Json;

pub(super) static SHAPE: Shape = Shape {
    name: "chat",
    about: "plain chat messages: DeepSeek, xAI, Kimi, GLM, Mistral, Qwen, vLLM, SGLang, llama.cpp",
    field: Some("cache_control"),
    marker: Marker::Field,
    most: 4,
    mark,
    ttl_of_tier: true,
    layouts: true,
    form: &CHAT,
    any: true,
    serves: &["qwen-explicit", "qwen-implicit"],
    body,
    ..Shape::PLAIN
};

fn body(call: &Call<'_>, plan: &Plan<'_>, diags: &mut Diagnostics) -> Result<Json, ErrorReported> {
    key_fits(call, diags)?;
    let marks = if SHAPE.marks(call) {
        Marks::Prefixes
    } else {
        Marks::None
    };
    let mut body = chat(&SHAPE, call, plan, marks, diags)?;
    if call.prefill.is_some() {
        continued(&mut body, call);
    }
    set_if(&mut body, KEY, call.wish.key.as_deref().map(Json::from));
    Ok(body)
}

/// The key that routes requests with one prefix to one place.
const KEY: &str = "prompt_cache_key";

/// The field that marks the last message as the beginning of the answer, by provider. Mistral refuses the request
/// without it, the others would answer after it. Sources, read on 2026-11-22: Mistral's OpenAPI description
/// (`AssistantMessage.prefix`), api-docs.deepseek.com/guides/chat_prefix_completion (its `/beta` address only), and
/// platform.kimi.ai/docs/guide/use-partial-mode-feature-of-kimi-api.
pub(super) const CONTINUES: [(&str, &str); 3] = [
    ("mistral", "prefix"),
    ("deepseek", "prefix"),
    ("moonshot", "partial"),
];

fn continued(body: &mut Json, call: &Call<'_>) {
    let provider = call.found.map_or("", |found| found.provider.name.as_str());
    let key = CONTINUES.iter().find(|(name, _)| *name == provider);
    let messages = body.get_mut("messages").and_then(Json::items_mut);
    if let (Some((_, key)), Some(messages)) = (key, messages)
        && let Some(last) = messages.last_mut()
    {
        last.set(key, Json::Bool(true));
    }
}

/// Some providers route by something else than a key in the body.
fn key_fits(call: &Call<'_>, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    let routing = call.found.and_then(|f| f.provider.routing.as_deref());
    let (Some(_), Some(routing)) = (&call.wish.key, routing) else {
        return Ok(());
    };
    if routing.starts_with(KEY) {
        return Ok(());
    }
    let message = "such a request has no place for --key";
    let help = format!("leave it out; its provider routes by: {routing}");
    Err(diags.push(Diagnostic::error(diagnostic::CONFLICTING_SETTINGS, message).help(help)))
}

/// How places are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    /// Not at all: texts are plain.
    None,
    /// By `cache_control`.
    Prefixes,
    /// As OpenAI's newer models are, which a gateway passes on.
    Breakpoints,
}

/// The body with markers, or with plain texts only.
pub(super) fn chat(
    shape: &Shape,
    call: &Call<'_>,
    plan: &Plan<'_>,
    marks: Marks,
    diags: &mut Diagnostics,
) -> Result<Json, ErrorReported> {
    let tools = tools(call, Written::Chat, diags)?;
    one_system(call, diags)?;
    let mut messages = marked(shape, call, plan);
    messages.splice(0..0, system(call, plan, marks));
    match marks {
        Marks::None => with_user_plain(&mut messages, call.prompt.text(Deliver::User)),
        _ => with_user(&mut messages, call.prompt.text(Deliver::User), &CHAT),
    }
    if let Some(prefill) = call.prefill {
        messages.push(Json::object([
            ("role", "assistant".into()),
            ("content", prefill.into()),
        ]));
    }
    let mut body = Json::object([
        ("model", call.model.into()),
        ("messages", Json::list(messages)),
    ]);
    if !tools.is_empty() {
        body.set("tools", chat_tools(&tools));
    }
    set_if(
        &mut body,
        "max_tokens",
        call.wish.max_tokens.map(Json::from),
    );
    Ok(body)
}

/// Marks a message for the provider behind the gateway.
pub(super) fn mark(call: &Call<'_>, at: usize, message: &mut Json, ttl: Option<&str>) -> bool {
    if marker::is_openai(call.found) {
        return openai::mark_said(message, &CHAT);
    }
    let layout = call.wish.layout.unwrap_or(Layout::Envelope);
    mark_chat(message, at, layout, &anthropic::marker(ttl))
}

/// A history with its own system message cannot follow another one.
fn one_system(call: &Call<'_>, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    let first = call.messages.first().and_then(role);
    if first != Some("system") || call.prompt.text(Deliver::System).trim().is_empty() {
        return Ok(());
    }
    let message =
        "the history begins with a system message, and the prompt has system prompt of its own";
    let help = "leave that message out of the history";
    Err(diags.push(Diagnostic::error(diagnostic::BAD_MESSAGES, message).help(help)))
}

/// The system message.
fn system(call: &Call<'_>, plan: &Plan<'_>, marks: Marks) -> Option<Json> {
    let text = call.prompt.text(Deliver::System);
    if text.trim().is_empty() {
        return None;
    }
    let part = |block: Block<'_>| {
        let mut part = chat_part(block.text);
        match (block.mark, marks) {
            (Some(ttl), Marks::Prefixes) => part.set("cache_control", anthropic::marker(ttl)),
            (Some(_), Marks::Breakpoints) => part.set(marker::OPENAI, marker::openai()),
            _ => {}
        }
        part
    };
    let content = match marks {
        Marks::None => text.into(),
        _ => {
            let blocks = blocks::system(call.prompt, plan);
            Json::list(blocks.into_iter().map(part))
        }
    };
    Some(Json::object([
        ("role", "system".into()),
        ("content", content),
    ]))
}

/// [`with_user`] for servers that take texts only.
fn with_user_plain(messages: &mut Vec<Json>, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let last = messages.last_mut().filter(|m| role(m) == Some("user"));
    match last.and_then(|message| message.get_mut("content")) {
        Some(Json::Text(said)) if !said.trim().is_empty() => {
            *said = format!("{said}\n\n{text}").into();
        }
        Some(Json::Text(said)) => *said = text.into(),
        Some(_) => with_user(messages, text, &CHAT),
        None => messages.push(Json::object([
            ("role", "user".into()),
            ("content", text.into()),
        ])),
    }
}
