//! The hint: what a session is told of a folder when something in it was touched for the first time.

use super::{Order, Tier};
use crate::diagnostic::span::{Span, Spanned};

/// `hint root=NAME levels=N order=… join="…" { … }`: a layer that is made anew for each folder, and no part of the prompt.
#[derive(Debug, Clone)]
pub struct Hint {
    /// `root=`: the folders inside of which there are hints; `workspace` if not written.
    pub root: Option<Spanned<String>>,
    /// `levels=`: how many folders one path hints at at most, its own and those above it; all if not written.
    pub levels: Option<usize>,
    /// `order=`: in which order these stand.
    pub order: Option<Spanned<Order>>,
    /// A tier with one layer, both of which are called `hint`. Its `join=` stands between folders too.
    pub tier: Tier,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}
