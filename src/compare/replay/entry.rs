//! A change of a document as that of an entry of it: a skill of an index, an entry of a memory.

use super::seen::{Seen, is_of};
use crate::compare::entries::{Numbered, Pair, pairs};
use crate::compare::excerpt::{self, FirstDifference};
use crate::compare::model::{Cause, CauseKind};
use crate::compare::side::Side;
use crate::prompt::Ingredient;

/// The entries of a file that show in a layer.
fn entries(side: &Side<'_>, root: &str, path: &str) -> Vec<Numbered> {
    let all = side
        .ingredients()
        .iter()
        .filter_map(|ingredient| match ingredient {
            Ingredient::Document {
                item: Some(item),
                sha256,
                kept,
                ..
            } if is_of(ingredient, Some(root), path) && *kept > 0 => {
                Some((item.clone(), sha256.clone()))
            }
            _ => None,
        });
    let mut out: Vec<Numbered> = all.collect();
    out.dedup();
    out
}

/// A change of a document as one of an entry of it, where entries of the file come and go.
pub(super) fn entry(cause: &Cause, seen: &Seen<'_>) -> Option<Cause> {
    let (root, path) = (cause.root.as_deref()?, cause.path.as_deref()?);
    let [a, b] = [&seen.a, &seen.b].map(|side| entries(side, root, path));
    let same = |pair: &Pair| {
        pair.a
            .zip(pair.b)
            .is_some_and(|(i, j)| a[i].1 == b[j].1 && !pair.moved)
    };
    let mut changed = pairs(&a, &b);
    changed.retain(|pair| !same(pair));
    let of = |pair: &Pair| {
        [
            pair.a.map(|i| a[i].0.clone()),
            pair.b.map(|j| b[j].0.clone()),
        ]
    };
    let owners = seen.owners();
    let at_break: Vec<&String> = (owners.iter())
        .filter_map(|(side, span, _)| match side.ingredient(span.ingredient)? {
            Ingredient::Document {
                item: Some(item), ..
            } => Some(item),
            _ => None,
        })
        .collect();
    let rank = |pair: &Pair| {
        let items = of(pair);
        let place = at_break
            .iter()
            .position(|item| items.iter().flatten().any(|own| own == *item));
        (place.unwrap_or(usize::MAX), pair.a.min(pair.b))
    };
    let pair = changed.iter().min_by_key(|pair| rank(pair))?;
    let [x, y] = of(pair);
    let kind = match (&x, &y) {
        (None, _) => CauseKind::ItemAdded,
        (_, None) => CauseKind::ItemRemoved,
        _ if pair.moved => CauseKind::ItemReordered,
        _ => CauseKind::ItemChanged,
    };
    let item = y.clone().or_else(|| x.clone())?;
    let is_numbered = item.parse::<usize>().is_ok();
    let is_whole = matches!(
        cause.kind,
        CauseKind::DocumentAppeared | CauseKind::DocumentVanished
    );
    if is_numbered && is_whole {
        return None;
    }
    let picks = [x, y].map(|own| {
        move |ingredient: &Ingredient| {
            let is_own = matches!(ingredient, Ingredient::Document { item, .. } if *item == own && own.is_some());
            is_own && is_of(ingredient, Some(root), path)
        }
    });
    let FirstDifference { line, old, new } = excerpt::entry(
        [&seen.a, &seen.b],
        [&picks[0], &picks[1]],
        &item,
        pair.moved,
    );
    Some(Cause {
        kind,
        item: Some(item),
        line,
        old,
        new,
        ..cause.clone()
    })
}
