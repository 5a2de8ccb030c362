//! Whether a move changes nothing but the order, and how it is made in the text of the manifest.

use super::super::context::Context;
use super::super::finding::Edit;
use super::super::layout;
use super::Beside;
use crate::compile::{TierPlan, What};
use crate::diagnostic::Suggestion;
use crate::manifest::{Origin, block_comments};
use crate::prompt::Deliver;
use crate::span::Span;

/// Why a move is only advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocked {
    /// A layer asks `loaded()` of one that would stand behind it.
    Loaded {
        /// The layer that asks.
        layer: String,
        /// The layer that it asks for.
        asks: String,
    },
    /// A budget takes from the tiers in their order, so that other layers might give way.
    Budget,
    /// The manifest is made of several files; moving text in one of them does not decide the order.
    Files,
    /// The manifest is built in.
    BuiltIn,
    /// A tier shares a line with something else.
    Layout,
}

impl Blocked {
    /// In words.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Loaded { layer, asks } => {
                format!("the layer `{layer}` asks whether `{asks}`, in front of it, is loaded")
            }
            Self::Budget => "with a budget, other layers may give way".to_owned(),
            Self::Files => "the manifest is made of several files".to_owned(),
            Self::BuiltIn => "the manifest is built in".to_owned(),
            Self::Layout => "a tier shares a line with something else".to_owned(),
        }
    }
}

/// What stands against moving a tier past these others.
pub(super) fn blocked(context: &Context<'_>, tier: usize, passed: &[usize]) -> Option<Blocked> {
    let moved = &context.tiers[tier];
    let others = || passed.iter().map(|at| (*at, &context.tiers[*at]));
    for (at, other) in others() {
        // Whoever stands behind now may ask for what would stand behind it then.
        let (front, behind) = match at < tier {
            true => (other, moved),
            false => (moved, other),
        };
        if let Some((layer, asks)) = asks(behind, front) {
            return Some(Blocked::Loaded { layer, asks });
        }
    }
    let system = moved.deliver == Deliver::System;
    let bounded = |t: &TierPlan<'_>| t.written.budget.is_some();
    if system && context.manifest().budget.is_some()
        || bounded(moved)
        || others().any(|(_, other)| other.deliver == moved.deliver && bounded(other))
    {
        return Some(Blocked::Budget);
    }
    if context.manifest().sheets.len() > 1 {
        return Some(Blocked::Files);
    }
    if let Origin::BuiltIn { .. } = context.manifest().origin {
        return Some(Blocked::BuiltIn);
    }
    let mut tiers = others().map(|(_, other)| other).chain([moved]);
    let shared = tiers.any(|tier| block(context, tier).is_none());
    shared.then_some(Blocked::Layout)
}

/// A layer of `tier` that asks whether one of `other` is loaded, and that one.
fn asks(tier: &TierPlan<'_>, other: &TierPlan<'_>) -> Option<(String, String)> {
    let named = |name: &str| other.layers.iter().any(|l| l.written.name.value == name);
    for layer in &tier.layers {
        let links = layer.why.chains.iter().flat_map(|chain| &chain.links);
        let mut loaded = links.filter(|link| link.what == What::Loaded);
        if let Some(link) = loaded.find(|link| named(&link.name)) {
            let asks = link.name.to_string();
            return Some((layer.written.name.value.clone(), asks));
        }
    }
    None
}

/// The lines of a tier, if they are its own.
fn block(context: &Context<'_>, tier: &TierPlan<'_>) -> Option<layout::Block> {
    let place = tier.written.place;
    let text = &context.files.get(place.file).text;
    layout::block(text, &block_comments(place.file, text), place.range())
}

/// The move as one removal and one insertion.
pub(super) fn edit(context: &Context<'_>, tier: usize, to: Beside) -> Option<Edit> {
    let moved = &context.tiers[tier];
    let (Beside::Before(anchor) | Beside::After(anchor)) = to;
    let (from, anchor) = (
        block(context, moved)?,
        block(context, &context.tiers[anchor])?,
    );
    let file = moved.written.place.file;
    let text = &context.files.get(file).text;
    let edits = layout::moved(text, &from, &anchor, matches!(to, Beside::Before(_)));
    let edits = edits.map(|(range, text)| Suggestion {
        span: Span::new(file, range),
        text,
    });
    Some(edits.into())
}
