//! Anthropic's Messages, also on Vertex AI.

use super::{Automatic, Keyed, Marker, Shape, marked, sure_prefill, tools};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::prompt::Deliver;
use crate::request::emit::blocks::{self, tools_mark};
use crate::request::emit::history::{Form, mark_content, mark_part, with_user};
use crate::request::emit::options::{Call, Plan};
use crate::request::emit::tools::{Tool, Tools, Written};
use crate::text::Json;

pub(super) static SHAPE: Shape = Shape {
    name: "anthropic",
    about: "Anthropic Messages, explicit breakpoints or automatic ones (--automatic)",
    field: Some(KEY),
    marker: Marker::Always,
    most: 4,
    automatic: Automatic::Counts,
    tools_marked: true,
    mark,
    ttl_of_tier: true,
    key: Keyed::None,
    form: &FORM,
    serves: &["anthropic", "vertex", "minimax-explicit"],
    body,
    ..Shape::PLAIN
};

/// A system message may be among the others. Source: the `anthropic` SDK's types (Opus 4.8 and later).
const FORM: Form = Form {
    roles: &["user", "assistant", "system"],
    blanks_refused: true,
    ..Form::PLAIN
};

const KEY: &str = "cache_control";

fn body(call: &Call<'_>, plan: &Plan<'_>, diags: &mut Diagnostics) -> Result<Json, ErrorReported> {
    let tools = tools(call, Written::Anthropic, diags)?;
    let mut messages = marked(&SHAPE, call, plan);
    with_user(&mut messages, call.prompt.text(Deliver::User), &FORM);
    if let Some(prefill) = call.prefill {
        sure_prefill(prefill, diags)?;
        messages.push(Json::object([
            ("role", "assistant".into()),
            ("content", prefill.into()),
        ]));
    }
    let mut body = Json::object([
        ("model", call.model.into()),
        // The request must have one. This is what every model of the table can write.
        ("max_tokens", call.wish.max_tokens.unwrap_or(4096).into()),
    ]);
    if plan.automatic {
        body.set(KEY, marker(plan.ttl.as_deref()));
    }
    if !tools.is_empty() {
        body.set("tools", written(&tools, plan));
    }
    let system: Vec<Json> = blocks::system(call.prompt, plan)
        .iter()
        .map(|block| {
            let mut part = super::chat_part(block.text);
            if let Some(ttl) = block.mark {
                part.set(KEY, self::marker(ttl));
            }
            part
        })
        .collect();
    if !system.is_empty() {
        body.set("system", Json::list(system));
    }
    body.set("messages", Json::list(messages));
    Ok(body)
}

fn mark(_: &Call<'_>, _: usize, message: &mut Json, ttl: Option<&str>) -> bool {
    mark_content(message, &FORM, |parts| mark_part(parts, KEY, &marker(ttl)))
}

/// `cache_control`.
pub(super) fn marker(ttl: Option<&str>) -> Json {
    let mut marker = Json::object([("type", "ephemeral".into())]);
    if let Some(ttl) = ttl {
        marker.set("ttl", ttl.into());
    }
    marker
}

fn written(tools: &Tools, plan: &Plan<'_>) -> Json {
    let function = |tool: &Tool| {
        tool.with_rest(tool.members([
            ("name", Some(Json::text(&*tool.name))),
            ("description", tool.description.clone()),
            ("input_schema", Some(tool.schema())),
            ("strict", tool.strict.clone()),
        ]))
    };
    tools.written(function, |end, tier| {
        // A tool with deferred loading is not in the prefix: it can have no marker.
        let here = |tool: &&mut Json| tool.get("defer_loading") != Some(&Json::Bool(true));
        if let Some(ttl) = tools_mark(plan, end)
            && let Some(last) = tier.iter_mut().rev().find(here)
        {
            last.set(KEY, marker(ttl));
        }
    })
}
