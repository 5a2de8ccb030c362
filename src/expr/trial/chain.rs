//! `a or b or c`, which stands as `(a or b) or c`, tried in one walk over its terms.

use super::atom::{self, Assumed};
use super::expression::Walker;
use super::known::{Fails, Known};
use minijinja::machinery::ast::{BinOp, BinOpKind, Expr};
use std::mem::{discriminant, swap};

/// An `and` or `or`, as an expression and taken apart.
type Link<'e, 's> = (&'e Expr<'s>, &'e BinOp<'s>);

/// What holds where the terms so far did not decide.
struct Undecided {
    assumed: Assumed,
    /// How many links' left sides are assumed.
    links: usize,
    /// The plain form of the last of these sides, if it has one.
    text: Option<String>,
}

impl Walker<'_, '_> {
    /// The value of an `and` or `or`, which a term of the truth `stops_at` decides.
    pub(super) fn chain(&mut self, link: Link<'_, '_>, stops_at: bool) -> Result<Known, Fails> {
        let links = links(link);
        let mut undecided = Undecided {
            assumed: self.assumed.clone(),
            links: 0,
            text: None,
        };
        let mut known = self.value(&links[0].1.left)?;
        for (at, (expr, link)) in links.iter().enumerate() {
            let truth = known.truth().or_else(|| self.assumption(&link.left));
            match truth {
                Some(truth) if truth == stops_at => {}
                Some(_) => known = self.value(&link.right)?,
                None => {
                    self.assume_left(&mut undecided, &links[..=at], !stops_at);
                    swap(&mut self.assumed, &mut undecided.assumed);
                    // What stands on the right may not be looked at, so that it need not fail.
                    let right = self.value(&link.right);
                    swap(&mut self.assumed, &mut undecided.assumed);
                    let right = right.unwrap_or(Known::Anything);
                    known = match right.truth() {
                        Some(truth) if truth == stops_at => Known::Truth(stops_at),
                        _ => known.or(right),
                    };
                }
            }
            if at + 1 < links.len() {
                known = self.settled(known, expr);
            }
        }
        Ok(known)
    }

    /// Takes it that the left sides of these links have the truth `truth`; each is the link in front of it.
    fn assume_left(&self, undecided: &mut Undecided, links: &[Link<'_, '_>], truth: bool) {
        let local = |name: &str| self.is_local(name);
        while undecided.links < links.len() {
            let assumed = &mut undecided.assumed;
            match undecided.links.checked_sub(1).map(|at| links[at].1) {
                None => {
                    let first = &links[0].1.left;
                    assumed.assume(first, truth, &local);
                    undecided.text = atom::text(first, &local);
                }
                Some(link) => {
                    assumed.assume(&link.right, truth, &local);
                    let left = undecided.text.take();
                    let both = left.zip(atom::text(&link.right, &local));
                    undecided.text = both.map(|(left, right)| atom::joined(link.op, &left, &right));
                    if let Some(text) = &undecided.text {
                        assumed.insert(text.clone(), truth);
                    }
                }
            }
            undecided.links += 1;
        }
    }
}

/// The links of a chain of one operator, the innermost first.
fn links<'e, 's>(outermost: Link<'e, 's>) -> Vec<Link<'e, 's>> {
    let same = |op: BinOpKind| discriminant(&op) == discriminant(&outermost.1.op);
    let mut out = vec![outermost];
    let mut link = outermost.1;
    while let left @ Expr::BinOp(inner) = &link.left
        && same(inner.op)
    {
        out.push((left, inner));
        link = inner;
    }
    out.reverse();
    out
}
