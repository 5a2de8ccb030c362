//! The effect of one mutation alone: the layers that it changes, the first changed piece in each, and the expected
//! report.

use super::mutation::{Change, Effect, Expected, Mutation};
use super::oracle::{find, first_difference, moved, names, pieces};
use super::print::{Owner, Piece, Printed, print};
use super::world::{Shape, World};
use promptc::compare::CauseKind;

/// How one mutation alone changes one layer.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// The first piece that differs; None if the layer comes, goes or moves.
    pub(super) at: Option<usize>,
    pub(super) causes: Vec<Expected>,
    /// The owners of the bytes there.
    pub(super) owners: Vec<Owner>,
    pub(super) effect: Effect,
}

/// The layers that one mutation alone changes.
pub(super) fn alone(world: &World, a: &[Printed], mutation: &Mutation) -> Vec<(String, Hit)> {
    let mut changed = world.clone();
    (mutation.apply)(&mut changed);
    let b = print(&changed);
    let mut out = Vec::new();
    for name in names(a, &b) {
        let Some(at) = first_difference(pieces(a, &name), pieces(&b, &name)) else {
            continue;
        };
        let owners = match at {
            Some(at) => meeting(pieces(a, &name).unwrap(), pieces(&b, &name).unwrap(), at),
            None => Vec::new(),
        };
        let mut hit = Hit {
            at,
            causes: Vec::new(),
            owners,
            effect: mutation.effect.clone(),
        };
        hit.causes = match &mutation.effect {
            Effect::Added(n) | Effect::AddedAlike(n) if *n == name => {
                vec![Expected::new(CauseKind::LayerAdded)]
            }
            Effect::Removed(n) if *n == name => vec![Expected::new(CauseKind::LayerRemoved)],
            _ => causes(&name, (world, &changed), (a, &b), mutation, &hit),
        };
        out.push((name, hit));
    }
    for name in moved(a, &b, std::slice::from_ref(mutation)) {
        let hit = Hit {
            at: None,
            causes: vec![Expected::new(CauseKind::LayerMoved)],
            owners: Vec::new(),
            effect: mutation.effect.clone(),
        };
        out.push((name, hit));
    }
    assert!(
        mutation.effect != Effect::Nothing || out.is_empty(),
        "not quiet: {}: {out:?}",
        mutation.says
    );
    out
}

/// The owners of the bytes at a piece, and after it if one side only continues there.
pub(super) fn meeting(a: &[Piece], b: &[Piece], at: usize) -> Vec<Owner> {
    let mut out: Vec<Owner> = [a, b].iter().filter_map(|p| owner(p, at)).collect();
    if let (Some(x), Some(y)) = (a.get(at), b.get(at))
        && x.owner == y.owner
    {
        let same = common(&x.text, &y.text);
        let ended = [(a, x), (b, y)]
            .into_iter()
            .filter(|(_, p)| p.text.len() == same);
        out.extend(ended.filter_map(|(side, _)| owner(side, at + 1)));
    }
    out
}

/// The owner of the byte at a piece; a join belongs to the text after it.
fn owner(pieces: &[Piece], at: usize) -> Option<Owner> {
    let mut owners = pieces[at.min(pieces.len())..].iter().map(|p| &p.owner);
    owners.find(|o| **o != Owner::Join).cloned()
}

/// The causes in a layer of what a mutation changed.
fn causes(
    name: &str,
    worlds: (&World, &World),
    (a, b): (&[Printed], &[Printed]),
    mutation: &Mutation,
    hit: &Hit,
) -> Vec<Expected> {
    let (Some(before), Some(after)) = (find(a, name), find(b, name)) else {
        panic!("`{name}` is not in both: {}", mutation.says)
    };
    // A `where` that reads the document itself is not asked by what else changed.
    let own = |key: &str| {
        let document = Owner::Document(key.to_owned());
        mutation.changes.iter().any(|c| c.owner == document)
    };
    let flipped = before.answers.iter().any(|(key, answer)| {
        let other = after.answers.get(key).is_some_and(|other| other != answer);
        other && !own(key)
    });
    let manifest = mutation.changes.iter().any(|c| c.owner == Owner::Manifest);
    let edited = manifest && mutation.touches.contains(&format!("layer {name}"));
    // A layer that queries a layer before it can print the fact that decides about that one.
    let prints = |c: &Change| {
        let fact = matches!(c.owner, Owner::Fact(_));
        fact && hit.owners.len() > 1 && hit.owners[..2].iter().all(|o| *o == c.owner)
    };
    if flipped && !edited && !mutation.changes.iter().any(prints) {
        let fact = mutation
            .changes
            .iter()
            .find_map(|c| c.expected.fact.clone());
        return vec![Expected {
            fact,
            because: mutation
                .changes
                .iter()
                .map(|c| c.expected.loose())
                .collect(),
            ..Expected::new(CauseKind::ConditionFlipped)
        }];
    }
    let budget = worlds.0.layer(name).is_some_and(|l| has_budget(&l.shape));
    if budget
        && !manifest
        && !mutation
            .changes
            .iter()
            .any(|c| owns_edit(c, name, (a, b), hit))
    {
        return vec![Expected {
            because: mutation
                .changes
                .iter()
                .map(|c| c.expected.loose())
                .collect(),
            ..Expected::new(CauseKind::CutMoved)
        }];
    }
    let owning = mutation.changes.iter().filter(|c| owns(c, hit));
    let mut out: Vec<Expected> = owning.map(|c| c.expected.clone()).collect();
    if out.is_empty() {
        out.push(mutation.changes[0].expected.clone());
    }
    out
}

pub(super) fn has_budget(shape: &Shape) -> bool {
    match shape {
        Shape::File { budget, .. } => budget.is_some(),
        Shape::Glob(glob) => glob.budget.is_some(),
        _ => false,
    }
}

/// Whether bytes at the first difference are of what changed. The mark of a cut comes and goes with its document.
fn owns(change: &Change, hit: &Hit) -> bool {
    let mark = match &change.owner {
        Owner::Document(path) if change.edit.is_none() => Some(Owner::Marker(path.clone())),
        _ => None,
    };
    hit.owners.contains(&change.owner) || mark.is_some_and(|mark| hit.owners.contains(&mark))
}

/// Whether the first byte that differs is one that was edited, and not one that only a cut brought there.
fn owns_edit(change: &Change, name: &str, (a, b): (&[Printed], &[Printed]), hit: &Hit) -> bool {
    let (Some(at), Some(before), Some(after)) = (hit.at, pieces(a, name), pieces(b, name)) else {
        // The layer comes or goes as a whole, which no budget here can bring about.
        return true;
    };
    if !owns(change, hit) {
        return false;
    }
    let Some(edit) = change.edit else {
        return true;
    };
    // A join belongs to what follows it.
    let skip = |pieces: &[Piece]| pieces.get(at).is_some_and(|p| p.owner == Owner::Join);
    let at = at + usize::from(skip(before) || skip(after));
    let (x, y) = (before.get(at), after.get(at));
    let same = match (x, y) {
        (Some(x), Some(y)) if x.owner == y.owner => common(&x.text, &y.text),
        _ => 0,
    };
    let tail = |pieces: &[Piece]| at > 0 && pieces[..at].iter().any(|p| p.owner == change.owner);
    let place = |pieces: &[Piece], whole: usize| {
        if tail(pieces) {
            whole - pieces[at].text.len() + same
        } else {
            same
        }
    };
    let inside = |from: usize, len: usize| (edit.at..edit.at + len.max(1)).contains(&from);
    // The file of the other side ends with a line feed too.
    let ends = |piece: Option<&Piece>| piece.is_some_and(|p| p.text.len() == same);
    let feed = |p: &Piece, other| ends(other) && p.text[same..].chars().all(|c| c == '\n');
    let own = |piece: Option<&Piece>, other| {
        piece.is_some_and(|p| p.owner == change.owner && same < p.text.len() && !feed(p, other))
    };
    let (whole, sizes) = (edit.whole, edit.sizes);
    (own(x, y) && inside(place(before, whole.0), sizes.0))
        || (own(y, x) && inside(place(after, whole.1), sizes.1))
}

pub(super) fn common(a: &str, b: &str) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}
