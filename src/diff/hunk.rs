//! The first place at which two layers differ, as the owners of the bytes that stand there on each side.

use super::side::Side;
use crate::prompt::{Ingredient, Span};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// With more spans than this between the common ends the whole of them is the difference: what is found must not
/// depend on how fast the machine is.
const MOST: usize = 4_000;

/// The spans that differ first.
#[derive(Debug, Clone, Default)]
pub(super) struct Hunk {
    /// In A: indices into its spans.
    pub(super) a: Range<usize>,
    /// In B.
    pub(super) b: Range<usize>,
}

/// Who owns a run of bytes, and the bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Unit<'p> {
    owner: Owner<'p>,
    text: &'p str,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Owner<'p> {
    Join,
    Literal,
    Document(&'p str, &'p str),
    Fact(&'p str),
    Let(&'p str),
    Template(&'p str),
    Other,
}

impl Hunk {
    /// The first difference of two layers; empty ranges if the owners and their bytes are the same.
    pub(super) fn first(a: &Side<'_>, b: &Side<'_>) -> Self {
        let (x, y) = (units(a), units(b));
        let front = x.iter().zip(&y).take_while(|(x, y)| x == y).count();
        let back = x[front..]
            .iter()
            .rev()
            .zip(y[front..].iter().rev())
            .take_while(|(x, y)| x == y)
            .count();
        let (xs, ys) = (&x[front..x.len() - back], &y[front..y.len() - back]);
        let whole = Self {
            a: front..front + xs.len(),
            b: front..front + ys.len(),
        };
        if xs.is_empty() || ys.is_empty() || xs.len() + ys.len() > MOST {
            return whole;
        }
        let mut found: Option<Self> = None;
        for op in capture_diff_slices(Algorithm::Myers, xs, ys) {
            match (&mut found, op) {
                (None, DiffOp::Equal { .. }) => {}
                (Some(_), DiffOp::Equal { .. }) => break,
                (None, op) => {
                    found = Some(Self {
                        a: shift(op.old_range(), front),
                        b: shift(op.new_range(), front),
                    });
                }
                (Some(hunk), op) => {
                    hunk.a.end = front + op.old_range().end;
                    hunk.b.end = front + op.new_range().end;
                }
            }
        }
        found.unwrap_or(whole)
    }

    /// The spans of A in it.
    pub(super) fn of_a<'p>(&self, a: &Side<'p>) -> &'p [Span] {
        a.spans().get(self.a.clone()).unwrap_or_default()
    }

    /// The spans of B in it.
    pub(super) fn of_b<'p>(&self, b: &Side<'p>) -> &'p [Span] {
        b.spans().get(self.b.clone()).unwrap_or_default()
    }
}

fn shift(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn units<'p>(side: &Side<'p>) -> Vec<Unit<'p>> {
    let unit = |span: &Span| Unit {
        owner: owner(side, span),
        text: side.bytes(span),
    };
    side.spans().iter().map(unit).collect()
}

fn owner<'p>(side: &Side<'p>, span: &Span) -> Owner<'p> {
    match side.ingredient(span.ingredient) {
        None => Owner::Join,
        Some(Ingredient::Literal { .. }) => Owner::Literal,
        Some(Ingredient::Document { root, path, .. }) => Owner::Document(root, path),
        Some(Ingredient::Fact { name, .. }) => Owner::Fact(name),
        Some(Ingredient::Let { name, .. }) => Owner::Let(name),
        Some(Ingredient::Template { file, .. }) => Owner::Template(file),
        Some(_) => Owner::Other,
    }
}
