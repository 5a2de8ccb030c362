//! OpenAI's Chat Completions.

use super::{Automatic, CHAT, Marker, Shape, chat_tools, marked, no_prefill, set_if, tools};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::prompt::Deliver;
use crate::request::emit::blocks::{self, Block};
use crate::request::emit::history::{Form, mark_content, mark_part, marks, role, with_user};
use crate::request::emit::marker;
use crate::request::emit::options::{Call, Plan};
use crate::request::emit::tools::Written;
use crate::text::Json;

pub(super) static SHAPE: Shape = Shape {
    name: "openai",
    about: "OpenAI Chat Completions",
    field: Some(marker::OPENAI),
    marker: Marker::Field,
    implicit: 1,
    form: &FORM,
    serves: &["openai>=5.6", "openai<5.6"],
    automatic: Automatic::Free,
    mark: |_, _, message, _| mark_said(message, &FORM),
    body,
    ..Shape::PLAIN
};

const FORM: Form = Form {
    calls: true,
    loose: false,
    model_unmarked: true,
    ..CHAT
};

fn body(call: &Call<'_>, plan: &Plan<'_>, diags: &mut Diagnostics) -> Result<Json, ErrorReported> {
    no_prefill(call, diags)?;
    let tools = tools(call, Written::Chat, diags)?;
    let mut messages = Vec::new();
    let blocks = blocks::system(call.prompt, plan);
    if !blocks.is_empty() {
        messages.push(developer(&blocks, &FORM));
    }
    messages.extend(marked(&SHAPE, call, plan));
    with_user(&mut messages, call.prompt.text(Deliver::User), &FORM);
    let mut body = Json::object([
        ("model", call.model.into()),
        ("messages", Json::list(messages)),
    ]);
    if !tools.is_empty() {
        body.set("tools", chat_tools(&tools));
    }
    set_if(
        &mut body,
        "max_completion_tokens",
        call.wish.max_tokens.map(Json::from),
    );
    options(&mut body, call, plan);
    Ok(body)
}

/// The message that holds the system prompt.
pub(super) fn developer(blocks: &[Block<'_>], form: &Form) -> Json {
    let parts = blocks.iter().map(|block| {
        let mut part = (form.part)(block.text);
        if block.mark.is_some() {
            part.set(marker::OPENAI, marker::openai());
        }
        part
    });
    Json::object([
        ("role", "developer".into()),
        (form.content, Json::list(parts)),
    ])
}

/// Marks a message that is no output of the model, where places are refused. Whether it has a mark more.
pub(super) fn mark_said(message: &mut Json, form: &Form) -> bool {
    let count = |message: &Json| marks(std::slice::from_ref(message));
    let before = count(message);
    role(message) == Some("user")
        && mark_content(message, form, |parts| {
            mark_part(parts, marker::OPENAI, &marker::openai())
        })
        && count(message) > before
}

/// The routing key, and how the request is cached.
pub(super) fn options(body: &mut Json, call: &Call<'_>, plan: &Plan<'_>) {
    set_if(
        body,
        "prompt_cache_key",
        call.wish.key.as_deref().map(Json::from),
    );
    if SHAPE.marks(call) {
        let mut options = Json::object([("mode", "implicit".into())]);
        set_if(&mut options, "ttl", plan.ttl.as_deref().map(Json::from));
        body.set("prompt_cache_options", options);
    }
}
