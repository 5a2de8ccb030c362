//! The data about the marker of a place that depends on the provider alone, whatever the shape of the request.

use crate::request::provider::{Match, ModelMatch};
use crate::text::Json;

/// The field of a part by which OpenAI's newer models mark its end.
pub(super) const OPENAI: &str = "prompt_cache_breakpoint";

/// The value of that field.
pub(super) fn openai() -> Json {
    Json::object([("mode", "explicit".into())])
}

/// Whether places are marked as for OpenAI's newer models, whichever gateway forwards the request.
pub(super) fn is_openai(found: Option<&ModelMatch>) -> bool {
    found.is_some_and(|f| f.provider.marker.as_deref() == Some(OPENAI))
}

/// Whether the model's provider caches up to marked places.
pub(super) fn has_breakpoints(found: Option<&ModelMatch>) -> bool {
    found.is_some_and(|f| f.provider.rule == Match::Breakpoint)
}
