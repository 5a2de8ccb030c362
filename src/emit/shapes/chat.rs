//! The plain chat shape that most providers take: one system text, then messages.

use super::anthropic::marker;
use super::{Marker, Shape, chat_part, chat_tools, set_if, tools};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use crate::emit::blocks;
use crate::emit::history::{Form, mark_chat, role, with_user};
use crate::emit::tools::Written;
use crate::emit::{Call, Json, Layout, Plan};
use crate::prompt::Deliver;

pub(super) static SHAPE: Shape = Shape {
    name: "chat",
    about: "plain chat messages: DeepSeek, xAI, Kimi, GLM, Mistral, Qwen, vLLM, SGLang, llama.cpp",
    field: Some("cache_control"),
    marker: Marker::Field,
    most: 4,
    last: 3,
    ttl_of_tier: true,
    body,
    ..Shape::PLAIN
};

pub(super) const FORM: Form = Form {
    content: "content",
    part: chat_part,
};

fn body(call: &Call<'_>, plan: &Plan<'_>, diags: &mut Diagnostics) -> Result<Json, Reported> {
    let marks = SHAPE.marks(call);
    let mut body = chat(call, plan, marks, diags)?;
    if call.prefill.is_some() {
        continued(&mut body, call);
    }
    set_if(
        &mut body,
        "prompt_cache_key",
        call.wish.key.as_deref().map(Json::from),
    );
    Ok(body)
}

/// What says that the last message is the beginning of the answer, by provider. Mistral refuses the request without it, the
/// others would answer behind it. Sources, read on 2026-11-22: Mistral's OpenAPI description (`AssistantMessage.prefix`),
/// api-docs.deepseek.com/guides/chat_prefix_completion (its `/beta` address only), and
/// platform.kimi.ai/docs/guide/use-partial-mode-feature-of-kimi-api.
const CONTINUES: [(&str, &str); 3] = [
    ("mistral", "prefix"),
    ("deepseek", "prefix"),
    ("moonshot", "partial"),
];

fn continued(body: &mut Json, call: &Call<'_>) {
    let provider = call.found.map_or("", |found| found.provider.name.as_str());
    let key = CONTINUES.iter().find(|(name, _)| *name == provider);
    if let (Some((_, key)), Some(Json::List(messages))) = (key, body.get_mut("messages"))
        && let Some(last) = messages.last_mut()
    {
        last.set(key, Json::Bool(true));
    }
}

/// The body with `cache_control` markers, or with plain texts only.
pub(super) fn chat(
    call: &Call<'_>,
    plan: &Plan<'_>,
    marks: bool,
    diags: &mut Diagnostics,
) -> Result<Json, Reported> {
    let tools = tools(call, Written::Chat, diags)?;
    one_system(call, diags)?;
    let mut messages = call.messages.to_vec();
    if marks {
        let layout = call.wish.layout.unwrap_or(Layout::Envelope);
        mark_chat(
            &mut messages,
            plan.last,
            layout,
            &marker(plan.ttl.as_deref()),
        );
    }
    messages.splice(0..0, system(call, plan, marks));
    if marks {
        with_user(&mut messages, call.prompt.text(Deliver::User), &FORM);
    } else {
        with_user_plain(&mut messages, call.prompt.text(Deliver::User));
    }
    if let Some(prefill) = call.prefill {
        messages.push(Json::object([
            ("role", "assistant".into()),
            ("content", prefill.into()),
        ]));
    }
    let mut body = Json::object([
        ("model", call.model.into()),
        ("messages", Json::List(messages)),
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

/// A history that has its own system message cannot stand behind another one.
fn one_system(call: &Call<'_>, diags: &mut Diagnostics) -> Result<(), Reported> {
    let first = call.messages.first().and_then(role);
    if first != Some("system") || call.prompt.text(Deliver::System).trim().is_empty() {
        return Ok(());
    }
    let message =
        "the history begins with a system message, and the prompt has system text of its own";
    let help = "leave that message out of the history";
    Err(diags.push(Diagnostic::error(diagnostic::BAD_MESSAGES, message).help(help)))
}

/// The system message.
fn system(call: &Call<'_>, plan: &Plan<'_>, marks: bool) -> Option<Json> {
    let text = call.prompt.text(Deliver::System);
    if text.trim().is_empty() {
        return None;
    }
    let content = if marks {
        let parts = blocks::system(call.prompt, plan).into_iter().map(|block| {
            let mut part = chat_part(block.text);
            if let Some(ttl) = block.mark {
                part.set("cache_control", marker(ttl));
            }
            part
        });
        Json::List(parts.collect())
    } else {
        text.into()
    };
    Some(Json::object([
        ("role", "system".into()),
        ("content", content),
    ]))
}

/// The same as [`with_user`] for servers that take texts only.
fn with_user_plain(messages: &mut Vec<Json>, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let last = messages.last_mut().filter(|m| role(m) == Some("user"));
    match last.and_then(|message| message.get_mut("content")) {
        Some(Json::Text(said)) if !said.trim().is_empty() => {
            said.push_str("\n\n");
            said.push_str(text);
        }
        Some(Json::Text(said)) => text.clone_into(said),
        Some(_) => with_user(messages, text, &FORM),
        None => messages.push(Json::object([
            ("role", "user".into()),
            ("content", text.into()),
        ])),
    }
}
