//! What changed in the system text.

use super::{Cause, Kind};
use crate::request::whole::part::Part;
use similar::{Algorithm, DiffOp, capture_diff_slices};

pub(super) fn compare(a: &[Part], b: &[Part], causes: &mut Vec<Cause>) {
    let keys = |of: &[Part]| -> Vec<String> { of.iter().map(|p| p.key.to_string()).collect() };
    for op in capture_diff_slices(Algorithm::Myers, &keys(a), &keys(b)) {
        let (old, new) = match op {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete {
                old_index,
                old_len,
                new_index,
            } => (old_index..old_index + old_len, new_index..new_index),
            DiffOp::Insert {
                old_index,
                new_index,
                new_len,
            } => (old_index..old_index, new_index..new_index + new_len),
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } => (
                old_index..old_index + old_len,
                new_index..new_index + new_len,
            ),
        };
        let pairs = old.len().min(new.len());
        for i in 0..pairs {
            let (old, new) = (old.start + i, new.start + i);
            let cause = Cause::new(Kind::SystemChanged, format!("system/{old}"));
            causes.push(cause.at_line(&a[old].text(), &b[new].text()));
        }
        for at in old.skip(pairs) {
            let mut cause = Cause::new(Kind::SystemChanged, format!("system/{at}"));
            (cause.line, cause.old) = (Some(1), first_line(&a[at]));
            causes.push(cause);
        }
        for at in new.skip(pairs) {
            let mut cause = Cause::new(Kind::SystemChanged, format!("system/{at}"));
            (cause.line, cause.new) = (Some(1), first_line(&b[at]));
            causes.push(cause);
        }
    }
}

fn first_line(part: &Part) -> Option<String> {
    part.text().lines().next().map(str::to_owned)
}
