//! Where two values or texts differ first.

use crate::text::value::{Json, Member};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The path to the first difference of two values; empty if it is the whole.
pub(super) fn path(a: &Json, b: &Json) -> Vec<String> {
    let mut out = Vec::new();
    find(a, b, &mut out);
    out
}

fn find(a: &Json, b: &Json, out: &mut Vec<String>) {
    match (a, b) {
        (Json::Object(of_a), Json::Object(of_b)) => {
            for ((key, x), (other, y)) in of_a.iter().zip(&**of_b) {
                if key != other {
                    break;
                }
                if x != y {
                    out.push(key.to_string());
                    return find(x, y, out);
                }
            }
            missing(of_a, of_b, out);
        }
        (Json::List(of_a), Json::List(of_b)) => {
            let differ = of_a.iter().zip(&**of_b).position(|(x, y)| x != y);
            let at = differ.unwrap_or(of_a.len().min(of_b.len()));
            out.push(at.to_string());
            if let (Some(x), Some(y)) = (of_a.get(at), of_b.get(at)) {
                find(x, y, out);
            }
        }
        _ => {}
    }
}

/// Adds the key that one of two objects has more; of objects with the same keys in another order none.
fn missing(a: &[Member], b: &[Member], out: &mut Vec<String>) {
    let only = |x: &[Member], y: &[Member]| {
        let mut keys = x.iter().map(|(key, _)| key);
        let key = keys.find(|key| y.iter().all(|(other, _)| other != *key));
        key.map(ToString::to_string)
    };
    out.extend(only(a, b).or_else(|| only(b, a)));
}

/// The first line in which two texts differ, from 1, as both have it; none where a text has ended or has a line less.
pub(super) fn line(a: &str, b: &str) -> (usize, Option<String>, Option<String>) {
    let (of_a, of_b): (Vec<&str>, Vec<&str>) = (a.split('\n').collect(), b.split('\n').collect());
    let same = of_a.iter().zip(&of_b).take_while(|(x, y)| x == y).count();
    let ops = capture_diff_slices(Algorithm::Myers, &of_a[same..], &of_b[same..]);
    let (old, new) = match ops.iter().find(|op| !matches!(op, DiffOp::Equal { .. })) {
        Some(DiffOp::Insert { new_index, .. }) => (None, Some(same + new_index)),
        Some(DiffOp::Delete { old_index, .. }) => (Some(same + old_index), None),
        Some(DiffOp::Replace {
            old_index,
            new_index,
            ..
        }) => (Some(same + old_index), Some(same + new_index)),
        Some(DiffOp::Equal { .. }) | None => (None, None),
    };
    let text =
        |of: &[&str], at: Option<usize>| at.and_then(|at| of.get(at)).map(|l| (*l).to_owned());
    (same + 1, text(&of_a, old), text(&of_b, new))
}

/// The heading of Markdown or the tag on a line of its own that a line is under, or is; none if there is none above it.
pub(super) fn section(text: &str, line: usize) -> Option<String> {
    let above: Vec<&str> = text.split('\n').take(line).collect();
    let mut found = above.iter().rev().filter(|line| is_section(line));
    found.next().map(|line| line.trim_end().to_owned())
}

/// Whether a line is a heading of Markdown, or a tag on a line of its own.
#[must_use]
pub fn is_section(line: &str) -> bool {
    let line = line.trim_end();
    let rest = line.trim_start_matches('#');
    let is_heading = rest.len() < line.len() && rest.starts_with(' ');
    let name = line
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    is_heading || name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}
