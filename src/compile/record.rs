//! What is written down about one layer while it is made.

use crate::expr::Values;
use crate::prompt::{Absent, Ingredient, Ingredients, Notice, Reason, Unused, UnusedReason};
use crate::text::{SpanKind, Text};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Ingredients, unused documents and notices of one layer.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    pub(super) layer: Arc<str>,
    pub(super) ingredients: Ingredients,
    pub(super) unused: Vec<Unused>,
    /// The same, to find out fast what was noted.
    noted: BTreeSet<Unused>,
    pub(super) notices: Vec<Notice>,
    /// Facts that were noted.
    facts: BTreeSet<Arc<str>>,
}

impl Record {
    pub(super) fn new(layer: &Arc<str>) -> Self {
        Self {
            layer: layer.clone(),
            ..Self::default()
        }
    }

    /// Notes that these facts were read.
    pub(super) fn facts(&mut self, values: &Values, names: &[Arc<str>]) {
        for name in names {
            if !self.facts.contains(name) {
                self.ingredients.intern(values.ingredient(name));
                self.facts.insert(name.clone());
            }
        }
    }

    /// Notes a document that does not count.
    pub(super) fn unused(&mut self, root: &str, path: &str, reason: UnusedReason) {
        let unused = Unused {
            root: root.to_owned(),
            path: path.to_owned(),
            reason,
        };
        if self.noted.insert(unused.clone()) {
            self.unused.push(unused);
        }
    }

    /// Notes something for the reader of the build.
    pub(super) fn notice(&mut self, code: &str, message: String) {
        self.notices.push(Notice {
            code: code.to_owned(),
            layer: Some(self.layer.to_string()),
            message,
        });
    }

    /// Notes how much of a document counts, in Unicode scalar values, before any budget.
    pub(super) fn kept(&mut self, ingredient: Option<u32>, chars: usize) {
        if let Some(Ingredient::Document { kept, .. }) =
            ingredient.and_then(|i| self.ingredients.get_mut(i))
        {
            *kept = chars;
        }
    }

    /// Notes how much of a document stands in `text`, in Unicode scalar values.
    pub(super) fn kept_in(&mut self, ingredient: Option<u32>, text: &Text) {
        let (mut at, mut chars) = (0, 0);
        for run in text.runs() {
            if run.kind == SpanKind::Document && run.ingredient == ingredient {
                chars += text.as_str()[at..at + run.len].chars().count();
            }
            at += run.len;
        }
        self.kept(ingredient, chars);
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
                run.ingredient.and_then(|i| self.ingredients.get_mut(i))
            {
                *kept = kept.saturating_sub(gone);
                *dropped += gone;
            }
        }
    }

    /// The layer as absent, with what was written down; the notices stay.
    pub(super) fn absent(
        &mut self,
        layer: &str,
        tier: &str,
        reason: Reason,
        detail: String,
    ) -> Absent {
        Absent {
            layer: layer.to_owned(),
            tier: tier.to_owned(),
            reason,
            detail,
            ingredients: {
                self.facts.clear();
                std::mem::take(&mut self.ingredients).into_vec()
            },
            unused: std::mem::take(&mut self.unused),
        }
    }
}
