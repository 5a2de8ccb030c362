//! OpenRouter: the chat shape with `cache_control`, which it converts to the form of the provider that it forwards to.

use super::chat::{self, Marks, chat};
use super::{CHAT, Marker, Shape, set_if, sure_prefill};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::request::emit::marker::is_openai;
use crate::request::emit::options::{Call, Plan};
use crate::text::Json;

pub(super) static SHAPE: Shape = Shape {
    name: "openrouter",
    about: "OpenRouter",
    field: Some("cache_control"),
    marker: Marker::Behind,
    most: 4,
    mark: chat::mark,
    ttl_of_tier: true,
    form: &CHAT,
    any: true,
    names_providers: true,
    body,
    ..Shape::PLAIN
};

fn body(call: &Call<'_>, plan: &Plan<'_>, diags: &mut Diagnostics) -> Result<Json, ErrorReported> {
    if let Some(prefill) = call.prefill
        && call.model.starts_with("anthropic/")
    {
        sure_prefill(prefill, diags)?;
    }
    let marks = match SHAPE.marks(call) {
        true if is_openai(call.found) => Marks::Breakpoints,
        true => Marks::Prefixes,
        false => Marks::None,
    };
    let mut body = chat(&SHAPE, call, plan, marks, diags)?;
    set_if(
        &mut body,
        "session_id",
        call.wish.key.as_deref().map(Json::from),
    );
    Ok(body)
}
