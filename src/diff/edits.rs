//! What of the manifest's nodes around a layer or tier is another on the other side.

use super::excerpt;
use super::model::{Cause, CauseKind};
use crate::prompt::Definition;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};
use std::collections::BTreeMap;

/// Which node of one definition became which of the other: those that are equal, and those that were edited.
pub(super) fn became(before: &Definition, after: &Definition) -> BTreeMap<usize, usize> {
    let mut out = BTreeMap::new();
    for op in compared(before, after) {
        out.extend(op.old_range().zip(op.new_range()));
    }
    out
}

fn compared(before: &Definition, after: &Definition) -> Vec<DiffOp> {
    let keys = |definition: &Definition| -> Vec<(u32, String)> {
        let nodes = definition.nodes.iter();
        nodes.map(|n| (n.depth, n.text.clone())).collect()
    };
    capture_diff_slices(Algorithm::Myers, &keys(before), &keys(after))
}

/// The edits between two definitions: the nodes on each side, and the cause.
pub(super) fn edits(
    before: &Definition,
    after: &Definition,
) -> Vec<(Option<usize>, Option<usize>, Cause)> {
    let mut out = Vec::new();
    if before.nodes.is_empty() || after.nodes.is_empty() {
        return out;
    }
    for op in compared(before, after) {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let (mut old, mut new) = (op.old_range(), op.new_range());
        loop {
            let pair = (old.next(), new.next());
            if pair == (None, None) {
                break;
            }
            let [was, is] = [
                pair.0.and_then(|i| before.nodes.get(i)),
                pair.1.and_then(|j| after.nodes.get(j)),
            ];
            let (old, new) = match (was, is) {
                (Some(was), Some(is)) => {
                    let (old, new) = excerpt::pair(&was.text, &is.text);
                    (Some(old), Some(new))
                }
                (was, is) => (
                    was.map(|n| excerpt::short(&n.text)),
                    is.map(|n| excerpt::short(&n.text)),
                ),
            };
            let file = match (is, was) {
                (Some(node), _) => after.file_of(node),
                (None, Some(node)) => before.file_of(node),
                (None, None) => &after.file,
            };
            let cause = Cause {
                path: Some(file.to_string()),
                line: is.or(was).map(|n| n.line),
                old,
                new,
                ..Cause::new(CauseKind::LayerEdited)
            };
            out.push((pair.0, pair.1, cause));
        }
    }
    out
}
