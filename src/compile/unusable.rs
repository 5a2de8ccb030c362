//! The one refusal of a fact or let whose value does not fit where its name stands.

use crate::diagnostic::span::Span;
use crate::diagnostic::{Diagnostic, FACT_NOT_USABLE};

/// `name` at `span` is not what is `wanted` there. Of a fact this is mostly told before anything is read; the kind of a
/// let is known only when it was computed.
pub(super) fn unusable(name: &str, span: Span, wanted: &str) -> Diagnostic {
    let message = format!("`{name}` is not {wanted}, as is needed here");
    Diagnostic::error(FACT_NOT_USABLE, message).at(span)
}
