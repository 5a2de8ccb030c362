//! The changes in the system prompt.

use super::{Cause, Kind};
use crate::request::whole::part::Part;
use similar::{Algorithm, DiffTag, capture_diff_slices};

/// The differences of two system prompts, in order: a block of A with its counterpart in B, a removed one, or a new one.
/// Each is a cause.
#[must_use]
pub fn system_pairs(a: &[Part], b: &[Part]) -> Vec<(Option<usize>, Option<usize>)> {
    if a == b {
        return Vec::new();
    }
    let ids = |of: &[Part]| -> Vec<_> { of.iter().map(|part| part.id.digest()).collect() };
    let ops = capture_diff_slices(Algorithm::Myers, &ids(a), &ids(b));
    let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
    let pairs = changed.flat_map(|op| {
        let (old, new) = (op.old_range(), op.new_range());
        (0..old.len().max(new.len())).map(move |i| (old.clone().nth(i), new.clone().nth(i)))
    });
    pairs.collect()
}

pub(super) fn compare(a: &[Part], b: &[Part], causes: &mut Vec<Cause>) {
    for (old, new) in system_pairs(a, b) {
        let Some(at) = old.or(new) else { continue };
        let mut cause = Cause::new(Kind::SystemChanged, format!("system/{at}"));
        if let (Some(old), Some(new)) = (old, new) {
            cause = cause.at_line(&a[old].text(), &b[new].text());
        } else {
            cause.line = Some(1);
            cause.old = old.and_then(|at| first_line(&a[at]));
            cause.new = new.and_then(|at| first_line(&b[at]));
        }
        causes.push(cause);
    }
}

fn first_line(part: &Part) -> Option<String> {
    part.text().lines().next().map(str::to_owned)
}
