//! Budgets: whether a cut stands elsewhere, and because of what.

use super::super::change::What;
use super::super::model::{Cause, CauseKind};
use super::super::side::Side;
use super::super::{excerpt, mention, prefix};
use super::case::{Case, is_about};
use crate::prompt::{Ingredient, Span};

/// Where the first difference stands, seen from one document.
enum At {
    /// In its bytes, at this offset.
    In(Option<usize>),
    /// Behind the last of them that a budget left.
    Cut,
    /// Not there.
    Elsewhere,
}

impl<'p> Case<'_, 'p> {
    pub(super) fn budgets_differ(&self) -> bool {
        let budgets = |side: &Side<'p>| -> Vec<Ingredient> {
            let budgets = side.ingredients().iter();
            budgets
                .filter(
                    |i| matches!(i, Ingredient::Budget { before, after, .. } if before != after),
                )
                .cloned()
                .collect()
        };
        budgets(self.a) != budgets(self.b)
    }

    /// A cut stands elsewhere: because of whatever changed its size.
    pub(super) fn cut(&self) -> Vec<Cause> {
        let because = self.direct(|what| !matches!(what, What::Tier));
        let sizes =
            self.direct(|what| matches!(what, What::Fact(name) if self.sizes_a_budget(name)));
        match (sizes.is_empty(), because.is_empty()) {
            (false, _) => sizes,
            (true, true) => self.decided(false),
            (true, false) => vec![self.moved(because)],
        }
    }

    /// The edits of budgets and their markers.
    pub(super) fn edits_of_budgets(&self) -> Vec<Cause> {
        self.edits(|node| node.is("budget"))
    }

    /// Whether a fact stands for a number of a budget.
    fn sizes_a_budget(&self, name: &str) -> bool {
        let nodes = self.b.definition().map_or(&[][..], |d| &d.nodes);
        let mut budgets = nodes.iter().filter(|n| n.is("budget"));
        budgets.any(|n| mention::facts(n).iter().any(|f| f == name))
    }

    /// `cut-moved`, at the document whose bytes the hunk shows.
    pub(super) fn moved(&self, because: Vec<Cause>) -> Cause {
        let cut = |side: &Side<'p>, spans: &[Span]| {
            spans
                .iter()
                .find_map(|s| match side.ingredient(s.ingredient) {
                    Some(Ingredient::Document { root, path, .. }) => {
                        Some((root.clone(), path.clone(), s.line))
                    }
                    _ => None,
                })
        };
        let at =
            cut(self.b, self.hunk.of_b(self.b)).or_else(|| cut(self.a, self.hunk.of_a(self.a)));
        let (root, path, line) = match at {
            Some((root, path, line)) => (Some(root), Some(path), line),
            None => (None, None, None),
        };
        Cause {
            root,
            path,
            line,
            because,
            ..Cause::new(CauseKind::CutMoved)
        }
    }

    /// A changed document whose first difference is not in an edited byte but where a budget cut it.
    pub(super) fn at_a_cut(&self, causes: Vec<Cause>) -> Vec<Cause> {
        let [cause] = causes.as_slice() else {
            return causes;
        };
        if cause.kind != CauseKind::DocumentChanged || !self.is_cut(cause) {
            return causes;
        }
        let of_it = |i: &Ingredient| is_about(cause, i);
        let dropped = |side: &Side<'p>| {
            let mut own = side.ingredients().iter().filter(|i| of_it(i));
            own.any(|i| matches!(i, Ingredient::Document { dropped, .. } if *dropped > 0))
        };
        // Where one side has the whole document and the other goes on in it, it was written on, wherever that is cut then.
        let written_on = match excerpt::meet(self.a, self.b, of_it) {
            [None, Some(goes_on)] => goes_on && !dropped(self.a),
            [Some(goes_on), None] => goes_on && !dropped(self.b),
            _ => false,
        };
        let common = prefix::common(self.a.text(), self.b.text());
        let here = |side: &Side<'p>| {
            let at = side.start() + common;
            let spans = side.spans();
            let index = spans.partition_point(|s| s.end <= at);
            let own = |span: &&Span| side.ingredient(span.ingredient).is_some_and(of_it);
            match spans.get(index).filter(own) {
                Some(span) => At::In(span.offset.map(|o| o + (at - span.start))),
                // Its last bytes stand in front, and a budget took what followed.
                None => match index.checked_sub(1).map(|i| &spans[i]).filter(own) {
                    Some(_) if dropped(side) => At::Cut,
                    _ => At::Elsewhere,
                },
            }
        };
        let moved = match (here(self.a), here(self.b)) {
            // An offset that the other side's document does not reach is of bytes that are new, or gone.
            (At::In(Some(x)), At::In(Some(y))) if x != y => {
                x < Self::bytes_of(self.b, cause) && y < Self::bytes_of(self.a, cause)
            }
            (At::Cut, _) | (_, At::Cut) => !written_on,
            _ => false,
        };
        let budgets = self.edits_of_budgets();
        match (moved, budgets.is_empty()) {
            (true, true) => vec![self.moved(causes)],
            (true, false) => budgets,
            (false, _) => causes,
        }
    }

    /// The length of the document that a cause names.
    fn bytes_of(side: &Side<'p>, cause: &Cause) -> usize {
        let length = |i: &Ingredient| match i {
            Ingredient::Document { bytes, .. } if is_about(cause, i) => Some(*bytes),
            _ => None,
        };
        side.ingredients().iter().find_map(length).unwrap_or(0)
    }

    /// Whether a budget took something of the document on either side.
    pub(super) fn is_cut(&self, cause: &Cause) -> bool {
        let mut both = self.a.ingredients().iter().chain(self.b.ingredients());
        both.any(|i| {
            is_about(cause, i) && matches!(i, Ingredient::Document { dropped, .. } if *dropped > 0)
        })
    }
}
