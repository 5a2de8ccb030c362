//! Budgets: what bounds the prompt and tiers, and what cuts layers and nodes.

use super::{Boundary, Lit, TemplateRef, Unit};
use crate::diagnostic::span::{Span, Spanned};

/// `budget N [UNIT]` of a tier or of the prompt: it cuts no text, but layers are cut or dropped for it.
#[derive(Debug, Clone)]
pub struct MaxBudget {
    /// The maximum.
    pub max: Lit<u64>,
    /// In which unit, if it is written.
    pub unit: Option<Spanned<Unit>>,
    /// Whether tokens are written without their tokenizer: those of the prompt's budget are meant, else `o200k`.
    pub implied: bool,
    /// The node's name.
    pub span: Span,
}

/// `budget …` of a content node or layer.
#[derive(Debug, Clone)]
pub struct Budget {
    /// The size, and the text that it limits.
    pub limit: Limit,
    /// In which unit.
    pub unit: Unit,
    /// Whether tokens are written without their tokenizer: those of the prompt's budget are meant, else `o200k`.
    pub implied: bool,
    /// `head=`, a fraction of the maximum.
    pub head: Option<Lit<f64>>,
    /// `tail=`, a fraction of the maximum.
    pub tail: Option<Lit<f64>>,
    /// `marker`; the default one if not written.
    pub marker: Option<TemplateRef>,
    /// `marker-outside=#true`: the marker does not count.
    pub marker_outside: bool,
    /// `at=`, where it is not `entry`.
    pub at: Boundary,
    /// `step=K`: a cut falls at multiples of K.
    pub step: Option<Lit<u64>>,
    /// The node's name.
    pub span: Span,
}

/// The text that a budget bounds.
#[derive(Debug, Clone)]
pub enum Limit {
    /// `budget N`: the one text of its node.
    One(Lit<u64>),
    /// `budget N at=entry`: the same, of which only whole leading entries stay.
    Leading(Lit<u64>),
    /// `budget N entries`: so many leading entries.
    Entries(Lit<u64>),
    /// `budget each=M total=N floor=K`: the node's documents. At least one of each and total is given.
    Documents {
        /// Each to this much.
        each: Option<Lit<u64>>,
        /// All together to this much, spent in order.
        total: Option<Lit<u64>>,
        /// With less than this left, a document that would have to be cut is dropped.
        floor: Option<Lit<u64>>,
        /// `at=entry`: a document that would have to be cut is dropped.
        whole: bool,
    },
}
