//! The directory rules: the text that a session gets about a folder the first time it uses a file in it.

use super::{Order, Tier};
use crate::diagnostic::span::{Span, Spanned};

/// `directory-rules root=NAME levels=N order=… join="…" { … }`: a layer that is rebuilt for each folder, and no part of the
/// prompt.
#[derive(Debug, Clone)]
pub struct DirectoryRules {
    /// `root=`: the folders inside of which there are directory rules; `workspace` if not written.
    pub root: Option<Spanned<String>>,
    /// `levels=`: how many folders one path reads the rules of at most, its own and those above it; all if not written.
    pub levels: Option<usize>,
    /// `order=`: the order of these.
    pub order: Option<Spanned<Order>>,
    /// A tier with one layer, both of which are called `directory-rules`. Its `join=` is also used between folders.
    pub tier: Tier,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}
