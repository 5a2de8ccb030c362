//! What is known of the marker of a place by the provider alone, whatever the shape of the request.

use crate::request::json::Json;
use crate::request::provider::{Match, ModelMatch};

/// The field of a part by which OpenAI's newer models mark its end.
pub(super) const OPENAI: &str = "prompt_cache_breakpoint";

/// What stands in that field.
pub(super) fn openai() -> Json {
    Json::object([("mode", "explicit".into())])
}

/// Whether places are marked as OpenAI's newer models are, whoever passes the request on.
pub(super) fn is_openai(found: Option<&ModelMatch>) -> bool {
    found.is_some_and(|f| f.provider.marker.as_deref() == Some(OPENAI))
}

/// Whether the model's provider keeps up to marked places.
pub(super) fn has_breakpoints(found: Option<&ModelMatch>) -> bool {
    found.is_some_and(|f| f.provider.rule == Match::Breakpoint)
}
