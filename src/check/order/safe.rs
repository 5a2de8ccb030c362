//! Whether a move changes nothing but the order, and how it is made in the text of the manifest.

use super::super::context::Context;
use super::super::finding::Edit;
use super::super::layout::Page;
use super::MoveTo;
use crate::compile::{TierPlan, What};
use crate::diagnostic::Suggestion;
use crate::diagnostic::span::Span;
use crate::manifest::Origin;
use crate::prompt::Deliver;
use std::cell::LazyCell;

/// Why a move is only advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocked {
    /// A layer asks `loaded()` of one that would come after it.
    Loaded {
        /// The layer that asks.
        layer: String,
        /// The layer that it asks for.
        asks: String,
    },
    /// A budget removes text from the tiers in their order, so that other layers might shrink or be dropped.
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
                format!("the layer `{layer}` asks whether `{asks}`, before it, is loaded")
            }
            Self::Budget => "with a budget, other layers may be dropped".to_owned(),
            Self::Files => "the manifest is made of several files".to_owned(),
            Self::BuiltIn => "the manifest is built in".to_owned(),
            Self::Layout => "a tier shares a line with something else".to_owned(),
        }
    }
}

/// A manifest in which tiers may move.
pub(super) struct Ground<'c, 'a> {
    context: &'c Context<'a>,
    /// Its text, read once something is to move.
    page: LazyCell<Page<'c>, Box<dyn FnOnce() -> Page<'c> + 'c>>,
}

impl<'c, 'a> Ground<'c, 'a> {
    pub(super) fn new(context: &'c Context<'a>) -> Self {
        let file = context.manifest().file;
        let text: &'c str = &context.files.get(file).text;
        Self {
            context,
            page: LazyCell::new(Box::new(move || Page::new(file, text))),
        }
    }

    /// The reason that blocks moving a tier past these others.
    pub(super) fn blocked(&self, tier: usize, passed: &[usize]) -> Option<Blocked> {
        let Self { context, .. } = self;
        let moved = &context.analysis.tiers[tier];
        let others = || passed.iter().map(|at| (*at, &context.analysis.tiers[*at]));
        for (at, other) in others() {
            // The later tier may ask for layers that would come after it.
            let (front, behind) = if at < tier {
                (other, moved)
            } else {
                (moved, other)
            };
            if let Some((layer, asks)) = asks(behind, front) {
                return Some(Blocked::Loaded { layer, asks });
            }
        }
        let bounded = |t: &TierPlan<'_>| t.written.budget.is_some();
        let system = moved.deliver == Deliver::System;
        if system && context.manifest().budget.is_some()
            || bounded(moved)
            || others().any(|(_, other)| other.deliver == moved.deliver && bounded(other))
        {
            return Some(Blocked::Budget);
        }
        match context.manifest() {
            m if m.sheets.len() > 1 => Some(Blocked::Files),
            m if matches!(m.origin, Origin::BuiltIn { .. }) => Some(Blocked::BuiltIn),
            _ => None,
        }
    }

    /// The move as one removal and one insertion.
    ///
    /// # Errors
    /// When one of the two shares a line with something else.
    pub(super) fn edit(&self, tier: usize, to: MoveTo) -> Result<Edit, Blocked> {
        let (MoveTo::Before(anchor) | MoveTo::After(anchor)) = to;
        let block = |at: usize| {
            let place = self.context.analysis.tiers[at].written.place;
            self.page.block(place.range()).ok_or(Blocked::Layout)
        };
        let (from, anchor) = (block(tier)?, block(anchor)?);
        let before = matches!(to, MoveTo::Before(_));
        let edits = self.page.moved(&from, &anchor, before);
        let file = self.context.manifest().file;
        let edits = edits.map(|(range, text)| Suggestion {
            span: Span::new(file, range),
            text,
        });
        Ok(edits.into())
    }
}

/// A layer of `tier` that asks whether one of `other` is loaded, and that one.
fn asks(tier: &TierPlan<'_>, other: &TierPlan<'_>) -> Option<(String, String)> {
    let named = |name: &str| other.layers.iter().any(|l| l.written.name.value == name);
    for layer in &tier.layers {
        let links = layer.why.reasons.iter().flat_map(|reason| &reason.links);
        let mut loaded = links.filter(|link| link.what == What::Loaded);
        if let Some(link) = loaded.find(|link| named(&link.name)) {
            let asks = link.name.to_string();
            return Some((layer.written.name.value.clone(), asks));
        }
    }
    None
}
