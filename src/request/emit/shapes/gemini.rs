//! Gemini's generateContent, with the prompt inline or in a stored resource.

use super::{Keyed, Shape, set_if, tools};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::prompt::Deliver;
use crate::request::emit::history::{Form, with_user};
use crate::request::emit::options::{Call, Plan};
use crate::request::emit::place::live_from;
use crate::request::emit::tools::{Tool, Tools, Written};
use crate::text::Json;
use crate::text::duration;

pub(super) static SHAPE: Shape = Shape {
    name: "gemini",
    about: "Gemini generateContent; --create makes a cachedContents resource, --cached NAME uses one",
    form: &FORM,
    key: Keyed::Created,
    resources: true,
    serves: &["gemini", "gemini-explicit"],
    body,
    ..Shape::PLAIN
};

const FORM: Form = Form {
    content: "parts",
    part: |text| Json::object([("text", text.into())]),
    roles: &["user", "model", "function"],
    texts: false,
    ..Form::PLAIN
};

fn body(call: &Call<'_>, plan: &Plan<'_>, diags: &mut Diagnostics) -> Result<Json, ErrorReported> {
    let tools = tools(call, Written::Gemini, diags)?;
    if call.wish.create || call.wish.cached.is_some() {
        all_kept(call, diags)?;
    }
    if call.wish.create {
        return Ok(resource(call, plan, &tools));
    }
    let mut body = Json::object([]);
    match &call.wish.cached {
        // The content of the resource must not be sent again.
        Some(name) => body.set("cachedContent", name.as_str().into()),
        None => prompt(&mut body, call, &tools),
    }
    let mut contents = call.messages.to_vec();
    with_user(&mut contents, call.prompt.text(Deliver::User), &FORM);
    if let Some(prefill) = call.prefill {
        contents.push(Json::object([
            ("role", "model".into()),
            ("parts", Json::list([(FORM.part)(prefill)])),
        ]));
    }
    body.set("contents", Json::list(contents));
    let limit = call.wish.max_tokens.map(Json::from);
    set_if(
        &mut body,
        "generationConfig",
        limit.map(|n| Json::object([("maxOutputTokens", n)])),
    );
    Ok(body)
}

/// The body of `POST cachedContents`.
fn resource(call: &Call<'_>, plan: &Plan<'_>, tools: &Tools) -> Json {
    let model = if call.model.starts_with("models/") {
        call.model.to_owned()
    } else {
        format!("models/{}", call.model)
    };
    let mut body = Json::object([("model", Json::text(model))]);
    set_if(
        &mut body,
        "displayName",
        call.wish.key.as_deref().map(Json::from),
    );
    prompt(&mut body, call, tools);
    if !call.messages.is_empty() {
        body.set("contents", Json::list(call.messages.to_vec()));
    }
    let seconds = plan
        .ttl
        .as_deref()
        .and_then(|ttl| duration::seconds(ttl).ok());
    set_if(
        &mut body,
        "ttl",
        seconds.map(|s| Json::text(format!("{s}s"))),
    );
    body
}

fn prompt(body: &mut Json, call: &Call<'_>, tools: &Tools) {
    let system = call.prompt.text(Deliver::System);
    if !system.trim().is_empty() {
        let parts = Json::list([(FORM.part)(system)]);
        body.set("systemInstruction", Json::object([("parts", parts)]));
    }
    if !tools.is_empty() {
        body.set("tools", written(tools));
    }
}

fn written(tools: &Tools) -> Json {
    let function = |tool: &Tool| {
        tool.with_rest(tool.members([
            ("name", Some(Json::text(&*tool.name))),
            ("description", tool.description.clone()),
            ("parametersJsonSchema", Some(tool.schema())),
        ]))
    };
    let functions = tools.written(function, |_, _| {});
    Json::list([Json::object([("functionDeclarations", functions)])])
}

/// A resource holds nothing that changes at every call, and nothing can be added to its system prompt.
fn all_kept(call: &Call<'_>, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    let live = call
        .prompt
        .channel(Deliver::System)
        .is_some_and(|c| live_from(c) < c.text.len());
    if !live {
        return Ok(());
    }
    let message = "a stored resource cannot hold text that changes at every call";
    let help = "give its tier deliver=user, so that it is sent with the message";
    Err(diags.push(Diagnostic::error(diagnostic::LIVE_TEXT_STORED, message).help(help)))
}
