//! OpenAI's Responses. The system prompt is a developer message, since `instructions` can hold no breakpoint.

use super::openai::{developer, mark_said, options};
use super::{Automatic, Marker, Shape, marked, no_prefill, set_if, tools};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::prompt::Deliver;
use crate::request::emit::blocks;
use crate::request::emit::history::{Form, with_user};
use crate::request::emit::marker;
use crate::request::emit::options::{Call, Plan};
use crate::request::emit::tools::{Tool, Tools, Written};
use crate::text::Json;

pub(super) static SHAPE: Shape = Shape {
    name: "openai-responses",
    about: "OpenAI Responses",
    field: Some(marker::OPENAI),
    marker: Marker::Field,
    implicit: 1,
    form: &FORM,
    serves: &["openai>=5.6", "openai<5.6"],
    automatic: Automatic::Free,
    mark: |_, _, message, _| mark_said(message, &FORM),
    responses: true,
    body,
    ..Shape::PLAIN
};

const FORM: Form = Form {
    part: |text| Json::object([("type", "input_text".into()), ("text", text.into())]),
    roles: &["user", "assistant", "system", "developer"],
    items: true,
    model_unmarked: true,
    ..Form::PLAIN
};

fn body(call: &Call<'_>, plan: &Plan<'_>, diags: &mut Diagnostics) -> Result<Json, ErrorReported> {
    no_prefill(call, diags)?;
    let tools = tools(call, Written::Flat, diags)?;
    let mut input = Vec::new();
    let blocks = blocks::system(call.prompt, plan);
    if !blocks.is_empty() {
        input.push(developer(&blocks, &FORM));
    }
    input.extend(marked(&SHAPE, call, plan));
    with_user(&mut input, call.prompt.text(Deliver::User), &FORM);
    let mut body = Json::object([("model", call.model.into()), ("input", Json::list(input))]);
    if !tools.is_empty() {
        body.set("tools", written(&tools));
    }
    set_if(
        &mut body,
        "max_output_tokens",
        call.wish.max_tokens.map(Json::from),
    );
    options(&mut body, call, plan);
    Ok(body)
}

fn written(tools: &Tools) -> Json {
    let function = |tool: &Tool| {
        tool.with_rest(tool.members([
            ("type", Some("function".into())),
            ("name", Some(Json::text(&*tool.name))),
            ("description", tool.description.clone()),
            ("parameters", Some(tool.schema())),
            // The type has no default for it.
            (
                "strict",
                Some(tool.strict.clone().unwrap_or(Json::Bool(false))),
            ),
        ]))
    };
    tools.written(function, |_, _| {})
}
