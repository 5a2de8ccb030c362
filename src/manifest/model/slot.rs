//! What a declaration says slot by slot, as an overlay replaces it.

use crate::diagnostic::span::Span;
use crate::prompt::DefinitionNode;
use std::sync::Arc;

/// One setting of a declaration as it was written: a property or a child. An overlay replaces slots whole.
#[derive(Debug, Clone)]
pub struct Slot {
    /// Which one: a property's or child's name, `content`, or `part NAME`.
    pub name: String,
    /// Whether it is a property.
    pub property: bool,
    /// The whole property or node.
    pub place: Span,
    /// What it says; a property is one node, and a child begins at depth 1.
    pub outline: Vec<Outlined>,
    /// The `base` nodes in it, in order.
    pub bases: Vec<BasePlace>,
    /// Of a part, its content: what `base` in a refined part stands for.
    pub content: Option<Box<Slot>>,
}

/// A `base` node, and what it stands for once it is merged.
#[derive(Debug, Clone)]
pub struct BasePlace {
    /// The whole node.
    pub place: Span,
    /// Its name.
    pub name: Span,
    /// From its name to its last argument or property.
    pub head: Span,
    /// The nodes in its braces.
    pub children: Vec<Span>,
    /// Which entry of the outline it is.
    pub index: usize,
    /// The slot that it stands for, once that is known.
    pub slot: Option<Arc<Slot>>,
}

impl BasePlace {
    /// Whether it is nothing but its name.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.children.is_empty() && self.head.end == self.name.end
    }
}

/// A node as the map writes it down, and where its name stands.
#[derive(Debug, Clone)]
pub struct Outlined {
    /// Its name in the manifest; of a property the whole property.
    pub place: Span,
    /// What it says.
    pub node: DefinitionNode,
}
