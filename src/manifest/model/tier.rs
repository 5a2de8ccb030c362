//! Tiers, their layers, and what both say slot by slot.

use super::{Budget, Ceiling, Lit, Node, TemplateRef, Transforms, Waive};
use crate::diagnostic::span::{Literal, Span, Spanned};
use crate::prompt::{Changes, DefinitionNode, Deliver};
use std::sync::Arc;

/// A stretch of the prompt with one rate of change.
#[derive(Debug, Clone)]
pub struct Tier {
    /// Its name.
    pub name: Spanned<String>,
    /// `changes=`: the bound that it promises.
    pub changes: Option<Spanned<Changes>>,
    /// `deliver=`; the system text if not written.
    pub deliver: Option<Spanned<Deliver>>,
    /// `join=`: between its layers.
    pub join: Option<Literal>,
    /// `budget N`: its text.
    pub budget: Option<Ceiling>,
    /// `reserve=`: what is kept for it of the prompt's budget while earlier tiers are fitted.
    pub reserve: Option<Lit<u64>>,
    /// `trim`, `newlines`, `bom`.
    pub transforms: Transforms,
    /// Its layers, in order.
    pub layers: Vec<Layer>,
    /// `waive` inside it.
    pub waivers: Vec<Waive>,
    /// What it says, slot by slot, without its layers.
    pub slots: Vec<Slot>,
    /// The same node by node; `join` and `budget` of the top level stand behind.
    pub definition: Arc<[DefinitionNode]>,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}

/// The unit that `diff` names.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Its name, unique in the manifest.
    pub name: Spanned<String>,
    /// `when="EXPR"`.
    pub when: Option<Literal>,
    /// `required=#true`.
    pub required: Option<bool>,
    /// `priority=`: of the layers of a tier that is too large, the lowest gives way first.
    pub priority: Option<Lit<u64>>,
    /// `min=`: what it is cut to before it goes.
    pub min: Option<Lit<u64>>,
    /// What it says, if not only a template.
    pub content: Option<Node>,
    /// `part NAME { content }`, in order.
    pub parts: Vec<Part>,
    /// `template`.
    pub template: Option<TemplateRef>,
    /// Transforms for everything below.
    pub transforms: Transforms,
    /// `budget …`, in order.
    pub budgets: Vec<Budget>,
    /// `waive` inside it.
    pub waivers: Vec<Waive>,
    /// What it says, slot by slot.
    pub slots: Vec<Slot>,
    /// The same node by node.
    pub definition: Arc<[DefinitionNode]>,
    /// Where the name of each of these nodes stands.
    pub places: Arc<[Span]>,
    /// The node's name.
    pub span: Span,
}

/// A node as the map writes it down, and where its name stands.
#[derive(Debug, Clone)]
pub struct Outlined {
    /// Its name in the manifest; of a property the whole property.
    pub place: Span,
    /// What it says.
    pub node: DefinitionNode,
}

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

/// A variable of a layer's template.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its name, a template variable.
    pub name: Spanned<String>,
    /// Its text.
    pub content: Node,
    /// The node's name.
    pub span: Span,
}
