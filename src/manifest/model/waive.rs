//! A finding that is declared as intended.

use crate::diagnostic::span::{Span, Spanned};

/// `waive CODE because="…"`.
#[derive(Debug, Clone)]
pub struct Waive {
    /// The code that is waived.
    pub code: Spanned<String>,
    /// Why.
    pub because: Spanned<String>,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}
