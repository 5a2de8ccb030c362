//! Scenarios.

use super::Written;
use crate::diagnostic::span::{Span, Spanned};

/// `scenario NAME { … }`: given facts and roots under a name.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name.
    pub name: Spanned<String>,
    /// `set FACT VALUE`, in order.
    pub sets: Vec<(Spanned<String>, Written)>,
    /// `root NAME "DIR" …`, in order; relative to the file that writes it.
    pub roots: Vec<(Spanned<String>, Vec<Spanned<String>>)>,
    /// `env NAME "VALUE"`: the whole environment of the scenario.
    pub env: Vec<(Spanned<String>, Spanned<String>)>,
    /// `snapshot=#false`: its snapshot stores no text.
    pub snapshot: bool,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}
