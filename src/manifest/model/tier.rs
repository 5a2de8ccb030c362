//! Tiers and their layers.

use super::{Budget, Lit, MaxBudget, Node, TemplateRef, Transforms, Waive};
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
    /// `deliver=`; the system prompt if not written.
    pub deliver: Option<Spanned<Deliver>>,
    /// `join=`: between its layers.
    pub join: Option<Literal>,
    /// `budget N`: its text.
    pub budget: Option<MaxBudget>,
    /// `reserve=`: what is reserved for it of the prompt's budget while earlier tiers are fitted.
    pub reserve: Option<Lit<u64>>,
    /// The location of `locked=#true`.
    pub locked: Option<Span>,
    /// `trim`, `newlines`, `bom`.
    pub transforms: Transforms,
    /// Its layers, in order.
    pub layers: Vec<Layer>,
    /// `waive` inside it.
    pub waivers: Vec<Waive>,
    /// Its definition, node by node; `join` and `budget` of the top level come last.
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
    /// `priority=`: of the layers of a tier that is too large, the lowest is dropped first.
    pub priority: Option<Lit<u64>>,
    /// `min=`: what it is cut to before it goes.
    pub min: Option<Lit<u64>>,
    /// The location of `locked=#true`, on it or on its tier.
    pub locked: Option<Span>,
    /// Its content, unless it only has a template.
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
    /// Its definition, node by node.
    pub definition: Arc<[DefinitionNode]>,
    /// The location of the name of each of these nodes.
    pub places: Arc<[Span]>,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}

impl Tier {
    /// Every template in it, in the order of reading.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &TemplateRef> {
        let layers = self.layers.iter().flat_map(Layer::templates);
        self.transforms.templates().chain(layers)
    }
}

impl Layer {
    /// Its content, then that of its parts.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &Node> {
        let parts = self.parts.iter().map(|part| &part.content);
        self.content.iter().chain(parts)
    }

    /// Every content node in it, groups before their members.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.contents().flat_map(Node::descendants)
    }

    fn templates(&self) -> impl Iterator<Item = &TemplateRef> {
        let markers = self.budgets.iter().filter_map(|b| b.marker.as_ref());
        let of_nodes = self.nodes().flat_map(Node::templates);
        let own = self.template.iter().chain(markers);
        self.transforms.templates().chain(of_nodes).chain(own)
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
