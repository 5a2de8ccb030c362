//! The record of one layer while it is built.

use super::missing::MissingSources;
use super::plan::Layer;
use crate::diagnostic::span::{Literal, Span};
use crate::prompt::{
    Absent, Definition, Ingredient, Ingredients, Notice, Reason, Unused, UnusedReason,
};
use crate::template::Values;
use crate::text::document::Document;
use crate::text::{SpanKind, Text};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Ingredients, unused documents and notices of one layer.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    pub(super) layer: Arc<str>,
    pub(super) ingredients: Ingredients,
    pub(super) unused: Vec<Unused>,
    /// The noted items as a set, for fast lookups.
    noted: BTreeSet<Unused>,
    pub(super) notices: Vec<Notice>,
    /// The positions of the text of ingredients, for the lines of the map; ascending.
    places: Vec<(u32, OriginalText)>,
    /// The locations of the nodes of the layer's definition.
    nodes: Arc<BTreeMap<Span, u32>>,
    /// The budgets that left nothing of it, and the sums in words.
    pub(super) refused: Vec<(Span, String)>,
    /// Sources that found nothing, where the manifest does not say that they may.
    pub(super) missing: MissingSources,
    /// The number of documents that were found and left out, by reason, including those without a file.
    left_out: BTreeMap<UnusedReason, usize>,
}

/// The text of an ingredient as it was read.
#[derive(Debug, Clone)]
pub(super) enum OriginalText {
    /// A document, after newline and BOM steps.
    Document(Arc<str>),
    /// A string of the manifest.
    Literal(Literal),
}

impl Record {
    pub(super) fn new(layer: &Layer) -> Self {
        Self {
            nodes: layer.nodes.clone(),
            ..Self::named(layer.name.clone())
        }
    }

    /// The record of a text that is no layer.
    pub(super) fn named(name: Arc<str>) -> Self {
        Self {
            layer: name,
            ..Self::default()
        }
    }

    /// The node of the layer's definition whose name is at `place`.
    pub(super) fn node_at(&self, place: Span) -> Option<u32> {
        self.nodes.get(&place).copied()
    }

    /// The ingredient of a document, if it is from a file.
    pub(super) fn document(&self, document: &Document) -> Option<u32> {
        let is_file = |at: &u32| {
            matches!(
                self.ingredients.get_own(*at),
                Some(Ingredient::Document { .. })
            )
        };
        document.ingredient.filter(is_file)
    }

    /// Records that a fact or let was read, with all that it reads.
    pub(super) fn read(&mut self, values: &Values, name: &str) -> u32 {
        let ingredient = || values.ingredient(name);
        self.ingredients.read(name, values.behind(), ingredient)
    }

    /// Records the position of the text of an ingredient.
    pub(super) fn place(&mut self, ingredient: u32, place: impl FnOnce() -> OriginalText) {
        if let Err(at) = self.place_at(ingredient) {
            self.places.insert(at, (ingredient, place()));
        }
    }

    /// The position of the text of an ingredient, if it was recorded.
    pub(super) fn place_of(&self, ingredient: u32) -> Option<&OriginalText> {
        let at = self.place_at(ingredient).ok()?;
        Some(&self.places[at].1)
    }

    fn place_at(&self, ingredient: u32) -> Result<usize, usize> {
        self.places.binary_search_by_key(&ingredient, |(of, _)| *of)
    }

    /// Frees spare capacity: tens of thousands of layers may be cached.
    pub(super) fn shrink(mut self) -> Self {
        self.places.shrink_to_fit();
        self.missing.shrink();
        self.ingredients.shrink();
        self
    }

    /// Notes a document that does not count. Says whether that was not known yet.
    pub(super) fn unused(&mut self, root: &str, path: &str, reason: UnusedReason) -> bool {
        self.unused_item(root, path, None, reason)
    }

    /// Notes an entry that does not count; without an item a whole document.
    pub(super) fn unused_item(
        &mut self,
        root: &str,
        path: &str,
        item: Option<String>,
        reason: UnusedReason,
    ) -> bool {
        let unused = Unused {
            root: root.to_owned(),
            path: path.to_owned(),
            item,
            reason,
        };
        let new = self.noted.insert(unused.clone());
        if new {
            self.unused.push(unused);
        }
        new
    }

    /// Notes that a document that was read, or an entry of one, does not count. One without a file is only counted.
    pub(super) fn unused_document(&mut self, document: &Document, reason: UnusedReason) {
        if document.root.is_empty() {
            return;
        }
        let ingredient = document
            .ingredient
            .and_then(|i| self.ingredients.get_own_mut(i));
        let item = match ingredient {
            Some(Ingredient::Document { item, .. }) => item.clone(),
            _ => None,
        };
        self.unused_item(&document.root, &document.path, item, reason);
    }

    /// Notes that something was found and does not count.
    pub(super) fn left_out(&mut self, reason: UnusedReason) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// Whether a scan left out all that was found.
    pub(super) fn all_replaced(&self) -> bool {
        !self.left_out.is_empty() && self.left_out.keys().all(|r| *r == UnusedReason::Replaced)
    }

    /// Why everything that was found is left out.
    pub(super) fn why_empty(&self) -> String {
        let words = |reason| match reason {
            UnusedReason::Blank => "blank",
            UnusedReason::Condition => "ruled out by a condition",
            UnusedReason::Hidden => "hidden",
            UnusedReason::Duplicate => "found before",
            UnusedReason::Invalid => "not UTF-8",
            UnusedReason::Replaced => "left out by a scan",
            _ => "not used",
        };
        if self.left_out.keys().all(|r| *r == UnusedReason::Blank) {
            return "what was found holds no text".to_owned();
        }
        let each: Vec<String> = self
            .left_out
            .iter()
            .map(|(reason, n)| format!("{n} {}", words(*reason)))
            .collect();
        format!("everything that was found is left out: {}", each.join(", "))
    }

    /// Notes something for the reader of the build.
    pub(super) fn notice(&mut self, code: &str, message: String) {
        self.notices.push(Notice {
            code: code.to_owned(),
            layer: Some(self.layer.to_string()),
            message,
        });
    }

    /// Notes that a budget left nothing of a text.
    pub(super) fn refused(&mut self, budget: Span, why: String) {
        self.refused.push((budget, why));
    }

    /// Notes how much of a document counts, in Unicode scalar values, before any budget.
    pub(super) fn kept(&mut self, ingredient: Option<u32>, chars: usize) {
        if let Some(Ingredient::Document { kept, .. }) =
            ingredient.and_then(|i| self.ingredients.get_own_mut(i))
        {
            *kept = chars;
        }
    }

    /// Records how much of each document in `before` is in `after`, in Unicode scalar values.
    pub(super) fn kept_of(&mut self, before: &Text, after: &Text) {
        let mut kept: BTreeMap<_, _> = documents(before).map(|(owner, _)| (owner, 0)).collect();
        for (owner, range) in documents(after) {
            *kept.entry(owner).or_default() += after.as_str()[range].chars().count();
        }
        for (owner, chars) in kept {
            self.kept(owner, chars);
        }
    }

    /// Notes that the bytes of `text` outside of `kept` are gone, document by document.
    pub(super) fn lost(&mut self, text: &Text, kept: &[Range<usize>]) {
        let mut at = 0;
        for run in text.runs() {
            let (start, end) = (at, at + run.len);
            at = end;
            if run.kind != SpanKind::Document {
                continue;
            }
            let whole = text.as_str()[start..end].chars().count();
            let stays: usize = kept
                .iter()
                .map(|k| (k.start.max(start), k.end.min(end)))
                .filter(|(from, to)| from < to)
                .map(|(from, to)| text.as_str()[from..to].chars().count())
                .sum();
            let gone = whole - stays;
            if let Some(Ingredient::Document { kept, dropped, .. }) =
                run.ingredient.and_then(|i| self.ingredients.get_own_mut(i))
            {
                *kept = kept.saturating_sub(gone);
                *dropped += gone;
            }
        }
    }

    /// The layer as absent, with what was written down; the notices stay.
    pub(super) fn absent(
        &mut self,
        layer: &Layer,
        tier: &str,
        reason: Reason,
        detail: String,
    ) -> Absent {
        Absent {
            layer: layer.name.to_string(),
            tier: tier.to_owned(),
            reason,
            detail,
            ingredients: std::mem::take(&mut self.ingredients).done(),
            unused: std::mem::take(&mut self.unused),
            // Written down when the prompt is put together.
            definition: Definition::default(),
        }
    }
}

/// The stretches of a text that documents own.
fn documents(text: &Text) -> impl Iterator<Item = (Option<u32>, Range<usize>)> {
    let mut at = 0;
    let runs = text.runs().iter().map(move |run| {
        at += run.len;
        (run.kind, (run.ingredient, at - run.len..at))
    });
    runs.filter_map(|(kind, owned)| (kind == SpanKind::Document).then_some(owned))
}
