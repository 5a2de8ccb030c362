//! The shapes of requests, one file each. A new one is a file and a line in [`SHAPES`].

mod anthropic;
mod bedrock;
mod openai;
mod chat;
mod gemini;
mod openrouter;
mod responses;

use super::history::Form;
use super::marker::has_breakpoints;
use super::options::{Call, Mark, Plan};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::prompt::Deliver;
use crate::request::emit::tools::{self, Tool, Tools, Written};
use crate::request::provider::ModelMatch;
use crate::text::Json;

/// A shape of a request.
#[derive(Debug)]
pub struct Shape {
    /// Its word on the command line.
    pub name: &'static str,
    /// A line of the help: its kind, and the API that takes it.
    pub about: &'static str,
    /// The field that marks a place.
    field: Option<&'static str>,
    /// When places are marked.
    marker: Marker,
    /// The most places that a request may mark for an unknown model.
    pub(super) most: usize,
    /// The number of places that the provider takes for itself.
    pub(super) implicit: usize,
    /// The effect of leaving the places to the provider.
    pub(super) automatic: Automatic,
    /// Whether the end of the tools can be marked.
    pub(super) tools_marked: bool,
    /// Marks a message.
    pub(super) mark: Mark,
    /// Whether each place has its own time to live.
    pub(super) ttl_of_tier: bool,
    /// Whether it is OpenAI's Responses.
    pub(super) responses: bool,
    /// Whether its models are named with their providers.
    pub names_providers: bool,
    /// The requests that have a place for a key of the cache.
    pub key: Keyed,
    /// Whether the prompt can be a stored resource, which one request makes and others name.
    pub resources: bool,
    /// Whether its markers can be written in several layouts.
    pub layouts: bool,
    /// The form of its messages.
    pub(super) form: &'static Form,
    /// Whether gateways take it for models of any provider.
    pub(super) any: bool,
    /// The providers of the built-in table whose own requests it writes.
    pub(super) serves: &'static [&'static str],
    /// Makes the body.
    pub(super) body: fn(&Call<'_>, &Plan<'_>, &mut Diagnostics) -> Result<Json, ErrorReported>,
}

/// The requests that have a place for a key of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyed {
    /// All.
    All,
    /// Those that make a resource.
    Created,
    /// None: the provider finds its cached text without one.
    None,
}

/// The effect of leaving the places to the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Automatic {
    /// The request cannot say so.
    None,
    /// The provider chooses in any case, in addition to the marked places.
    Free,
    /// A marker of the whole request, which counts as one of the places.
    Counts,
}

/// When places are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker {
    /// Never.
    None,
    /// Always: only such providers take the shape.
    Always,
    /// If the provider of the model caches up to places that it marks by this field.
    Field,
    /// If the provider that it forwards to caches up to marked places.
    Behind,
}

/// All shapes.
pub static SHAPES: &[&Shape] = &[
    &anthropic::SHAPE,
    &openai::SHAPE,
    &responses::SHAPE,
    &gemini::SHAPE,
    &bedrock::SHAPE,
    &openrouter::SHAPE,
    &chat::SHAPE,
];

impl Shape {
    /// The default of most shapes; each sets its differences.
    pub(super) const PLAIN: Self = Self {
        name: "",
        about: "",
        field: None,
        marker: Marker::None,
        most: 0,
        implicit: 0,
        automatic: Automatic::None,
        tools_marked: false,
        mark: |_, _, _, _| false,
        ttl_of_tier: false,
        responses: false,
        names_providers: false,
        key: Keyed::All,
        resources: false,
        layouts: false,
        form: &Form::PLAIN,
        any: false,
        serves: &[],
        body: |_, _, _| Ok(Json::Null),
    };

    /// Whether it marks places by this field of a provider.
    pub(super) fn writes(&self, field: Option<&str>) -> bool {
        field.is_some() && field == self.field
    }

    /// Whether the model's provider accepts such requests. Unknown for a provider that is not in the built-in table.
    #[must_use]
    pub fn takes(&self, found: &ModelMatch) -> bool {
        let name = found.provider.name.as_str();
        let others = SHAPES.iter().any(|shape| shape.serves.contains(&name));
        self.any || self.serves.contains(&name) || !others && found.via.is_none()
    }

    /// Whether what is written depends on what is known of the model.
    #[must_use]
    pub fn depends(&self) -> bool {
        !self.any
    }

    /// Whether the request marks places.
    pub(super) fn marks(&self, call: &Call<'_>) -> bool {
        let field = || call.found?.provider.marker.as_deref();
        match self.marker {
            Marker::None => false,
            Marker::Always => true,
            Marker::Behind => has_breakpoints(call.found),
            Marker::Field => {
                call.wish.layout.is_some() || has_breakpoints(call.found) && self.writes(field())
            }
        }
    }
}

/// The tools of the prompt, for a request of this form.
fn tools(call: &Call<'_>, form: Written, diags: &mut Diagnostics) -> Result<Tools, ErrorReported> {
    let read = tools::read(call.prompt.channel(Deliver::Tools));
    let checked = read.and_then(|tools| tools.check(form).map(|()| tools));
    checked.map_err(|problem| diags.push(*problem))
}

/// The error of a prefill that a request cannot hold.
fn no_prefill(call: &Call<'_>, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    if call.prefill.is_none() {
        return Ok(());
    }
    let message = "such a request has no prefill";
    let help = "leave --prefill out, or ask for the beginning in the prompt";
    Err(diags.push(Diagnostic::error(diagnostic::NO_PREFILL, message).help(help)))
}

/// Models of Anthropic refuse blanks at the end of the beginning of an answer.
fn sure_prefill(text: &str, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    if text.trim_end() == text && !text.is_empty() {
        return Ok(());
    }
    let message = "the prefill is empty or ends with white space, which Anthropic refuses";
    let help = "let it end with the last letter that is sure";
    Err(diags.push(Diagnostic::error(diagnostic::NO_PREFILL, message).help(help)))
}

/// The tools as OpenAI's chat takes them, which many others take too.
fn chat_tools(tools: &Tools) -> Json {
    let function = |tool: &Tool| {
        let function = tool.with_rest(tool.members([
            ("name", Some(Json::text(&*tool.name))),
            ("description", tool.description.clone()),
            ("parameters", Some(tool.schema())),
            ("strict", tool.strict.clone()),
        ]));
        Json::object([("type", "function".into()), ("function", function)])
    };
    tools.written(function, |_, _| {})
}

/// Messages as OpenAI's chat has them, which many others take too.
const CHAT: Form = Form {
    roles: &[
        "user",
        "assistant",
        "tool",
        "system",
        "developer",
        "function",
    ],
    loose: true,
    ..Form::PLAIN
};

/// The history, with the marks of the plan.
fn marked(shape: &Shape, call: &Call<'_>, plan: &Plan<'_>) -> Vec<Json> {
    let mut messages = call.messages.to_vec();
    for &at in &plan.messages {
        (shape.mark)(call, at, &mut messages[at], plan.ttl.as_deref());
    }
    messages
}

/// A text part of a chat message.
fn chat_part(text: &str) -> Json {
    Json::object([("type", "text".into()), ("text", text.into())])
}

/// Sets a key if there is something to set.
fn set_if(body: &mut Json, key: &str, value: Option<Json>) {
    if let Some(value) = value {
        body.set(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::provider::Catalog;

    #[test]
    fn the_providers_of_shapes_are_in_the_table() {
        let served = SHAPES.iter().flat_map(|shape| shape.serves);
        let continued = chat::CONTINUES.iter().map(|(name, _)| name);
        for name in served.chain(continued) {
            assert!(Catalog::default().provider(name).is_some(), "{name}");
        }
    }
}
