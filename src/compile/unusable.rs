//! The one error for a fact or let whose value does not fit at its location.

use crate::diagnostic::span::Span;
use crate::diagnostic::{Diagnostic, FACT_NOT_USABLE};

/// `name` at `span` is not what is `wanted` there. For a fact this is mostly reported before anything is read; the type
/// of a let is known only when it is computed.
pub(super) fn unusable(name: &str, span: Span, wanted: &str) -> Diagnostic {
    let message = format!("`{name}` is not {wanted}, as is needed here");
    Diagnostic::error(FACT_NOT_USABLE, message).at(span)
}
