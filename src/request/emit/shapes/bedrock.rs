//! Bedrock's Converse.

use super::{Keyed, Marker, Shape, marked, set_if, sure_prefill, tools};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::prompt::Deliver;
use crate::request::emit::blocks::{self, tools_mark};
use crate::request::emit::history::{Form, mark_content, with_user};
use crate::request::emit::options::{Call, Plan};
use crate::request::emit::tools::{Tool, Tools, Written};
use crate::text::Json;

pub(super) static SHAPE: Shape = Shape {
    name: "bedrock",
    about: "Bedrock Converse",
    field: Some("cachePoint"),
    marker: Marker::Always,
    most: 4,
    tools_marked: true,
    mark,
    ttl_of_tier: true,
    key: Keyed::None,
    form: &FORM,
    serves: &["bedrock"],
    body,
    ..Shape::PLAIN
};

const FORM: Form = Form {
    part: |text| Json::object([("text", text.into())]),
    roles: &["user", "assistant"],
    texts: false,
    blanks_refused: true,
    ..Form::PLAIN
};

fn body(call: &Call<'_>, plan: &Plan<'_>, diags: &mut Diagnostics) -> Result<Json, ErrorReported> {
    let tools = tools(call, Written::Bedrock, diags)?;
    let mut messages = marked(&SHAPE, call, plan);
    with_user(&mut messages, call.prompt.text(Deliver::User), &FORM);
    if let Some(prefill) = call.prefill {
        if call.model.contains("anthropic.") {
            sure_prefill(prefill, diags)?;
        }
        messages.push(Json::object([
            ("role", "assistant".into()),
            ("content", Json::list([(FORM.part)(prefill)])),
        ]));
    }
    let mut body = Json::object([("modelId", call.model.into())]);
    let mut system = Vec::new();
    for block in blocks::system(call.prompt, plan) {
        system.push((FORM.part)(block.text));
        system.extend(block.mark.map(point));
    }
    if !system.is_empty() {
        body.set("system", Json::list(system));
    }
    body.set("messages", Json::list(messages));
    if !tools.is_empty() {
        let tools = written(&tools, plan);
        body.set("toolConfig", Json::object([("tools", tools)]));
    }
    let limit = call.wish.max_tokens.map(Json::from);
    set_if(
        &mut body,
        "inferenceConfig",
        limit.map(|n| Json::object([("maxTokens", n)])),
    );
    Ok(body)
}

fn mark(_: &Call<'_>, _: usize, message: &mut Json, ttl: Option<&str>) -> bool {
    mark_content(message, &FORM, |parts| {
        let markable = parts.last().is_some_and(takes_point);
        if markable {
            parts.push(point(ttl));
        }
        markable
    })
}

/// Whether a place can be marked after this part. Converse refuses one after an empty part and one after reasoning; two
/// in a row mark the same place. Sources, read on 2026-11-22: github.com/vercel/ai/issues/19852,
/// github.com/sst/opencode/issues/36517.
fn takes_point(part: &Json) -> bool {
    let no = ["reasoningContent", "cachePoint"];
    matches!(part, Json::Object(_)) && no.iter().all(|key| part.get(key).is_none())
}

/// A block that marks the place before it.
fn point(ttl: Option<&str>) -> Json {
    let mut point = Json::object([("type", "default".into())]);
    if let Some(ttl) = ttl {
        point.set("ttl", ttl.into());
    }
    Json::object([("cachePoint", point)])
}

fn written(tools: &Tools, plan: &Plan<'_>) -> Json {
    let function = |tool: &Tool| {
        let schema = Json::object([("json", tool.schema())]);
        let spec = tool.with_rest(tool.members([
            ("name", Some(Json::text(&*tool.name))),
            ("description", tool.description.clone()),
            ("inputSchema", Some(schema)),
        ]));
        Json::object([("toolSpec", spec)])
    };
    tools.written(function, |end, tier| {
        tier.extend(tools_mark(plan, end).map(point));
    })
}
