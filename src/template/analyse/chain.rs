//! `a or b or c`, which equals `(a or b) or c`, run in one walk over its terms.

use super::abstract_value::AbstractValue;
use super::atom::{self, Assumed};
use super::expressions::Tried;
use super::ways::Value;
use super::{Walker, Wanted};
use minijinja::machinery::ast::{BinOp, BinOpKind, Expr};
use std::mem::{discriminant, swap};
use std::rc::Rc;

/// An `and` or `or`, as an expression and taken apart.
type Link<'a> = (&'a Expr<'a>, &'a BinOp<'a>);

/// The assumptions if the terms so far did not decide.
struct Undecided {
    assumed: Rc<Assumed>,
    /// The number of links whose left sides are assumed.
    links: usize,
    /// The plain form of the last of these sides, if it has one.
    text: Option<String>,
}

impl<'a> Walker<'a> {
    /// The value of an `and` or `or`, which a term of the truth `stops_at` decides.
    pub(super) fn chain(&mut self, link: Link<'a>, stops_at: bool, wanted: Wanted) -> Tried<'a> {
        let links = links(link);
        let mut undecided = Undecided {
            assumed: self.assumed.clone(),
            links: 0,
            text: None,
        };
        // The value of a true `and` is its last term: of the others only the truth counts.
        let of_others = if stops_at { wanted } else { Wanted::Truth };
        let mut value = self.expression(&links[0].1.left, of_others)?;
        for (at, (expr, link)) in links.iter().enumerate() {
            let is_last = at + 1 == links.len();
            let wanted = if is_last { wanted } else { of_others };
            let truth = value.known.truth().or_else(|| self.assumption(&link.left));
            match truth {
                Some(truth) if truth == stops_at => {}
                Some(_) => value = self.expression(&link.right, wanted)?,
                None => {
                    self.assume_left(&mut undecided, &links[..=at], !stops_at);
                    swap(&mut self.assumed, &mut undecided.assumed);
                    // The right side may not be evaluated, so it need not fail.
                    let right = self.expression(&link.right, wanted).unwrap_or_default();
                    swap(&mut self.assumed, &mut undecided.assumed);
                    value = match right.known.truth() {
                        Some(truth) if truth == stops_at => AbstractValue::Truth(stops_at).into(),
                        _ if stops_at => value.or(right),
                        _ => Value {
                            ways: Vec::new(),
                            ..value
                        }
                        .or(right),
                    };
                }
            }
            if !is_last {
                value.known = self.settled(value.known, expr);
            }
        }
        Ok(value)
    }

    /// Assumes that the left sides of these links have the truth `truth`; each is the link before it.
    fn assume_left(&self, undecided: &mut Undecided, links: &[Link<'_>], truth: bool) {
        if self.setting.is_none() {
            return;
        }
        let local = |name: &str| self.is_local(name);
        while undecided.links < links.len() {
            let assumed = Rc::make_mut(&mut undecided.assumed);
            match undecided.links.checked_sub(1).map(|at| links[at].1) {
                None => {
                    let first = &links[0].1.left;
                    assumed.assume(first, truth, &local, &mut Vec::new());
                    undecided.text = atom::text(first, &local);
                }
                Some(link) => {
                    assumed.assume(&link.right, truth, &local, &mut Vec::new());
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
fn links(outermost: Link<'_>) -> Vec<Link<'_>> {
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
