//! The answer that a diff has to give, found from the mutations alone.
//!
//! Each mutation is considered alone: the layers that it changes, and the first changed piece in each. If two of them
//! meet in one layer, the one with the earlier piece is at the break. So is one that decided about A's byte at the break,
//! or about B's, if that is elsewhere by coincidence. Cases that the rules of causes leave open are skipped.

use super::alone::{Hit, alone, common, has_budget, meeting};
use super::mutation::{Change, Effect, Expected, Mutation};
use super::print::{Owner, Piece, Printed, print};
use super::three::{Three, text};
use super::world::World;
use promptc::compare::CauseKind;
use std::collections::{BTreeMap, BTreeSet};

/// The expected report.
#[derive(Debug)]
pub(super) struct Answer {
    /// The break and the hidden ones, in order.
    pub(super) breaks: Vec<Broken>,
    pub(super) displaced: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Broken {
    pub(super) layer: String,
    pub(super) tier: String,
    pub(super) deliver: &'static str,
    pub(super) causes: Vec<Expected>,
    /// The required related causes.
    pub(super) also: Vec<Expected>,
    pub(super) effect: Effect,
}

/// Why a pair is not checked.
pub(super) type Skip = &'static str;

/// The expected report about `b`, which is `a` after `mutations`.
pub(super) fn answer(a: &World, b: &World, mutations: &[Mutation]) -> Result<Answer, Skip> {
    let (printed_a, printed_b) = (print(a), print(b));
    let mut answer = Answer {
        breaks: Vec::new(),
        displaced: Vec::new(),
    };
    if mutations.iter().any(|m| m.effect == Effect::NothingAlone) {
        return if mutations.len() == 1 {
            Ok(answer)
        } else {
            Err("only alone")
        };
    }
    let mut hits: BTreeMap<String, Vec<(usize, Hit)>> = BTreeMap::new();
    for (n, mutation) in mutations.iter().enumerate() {
        for (layer, hit) in alone(a, &printed_a, mutation) {
            hits.entry(layer).or_default().push((n, hit));
        }
    }
    for name in names(&printed_a, &printed_b) {
        agree(
            &name,
            (&printed_a, &printed_b),
            hits.get(&name),
            (a, mutations),
        )?;
    }
    if let [mutation] = mutations
        && let Effect::Joined(tier) = &mutation.effect
    {
        for name in joined(&printed_a, tier) {
            let hit = Hit {
                at: Some(0),
                causes: vec![mutation.changes[0].expected.clone()],
                owners: Vec::new(),
                effect: mutation.effect.clone(),
            };
            hits.insert(name, vec![(0, hit)]);
        }
    } else if mutations
        .iter()
        .any(|m| matches!(m.effect, Effect::Joined(_)))
    {
        return Err("only alone");
    }
    for hits in hits.values() {
        open(hits, mutations)?;
    }
    let moves = moved(&printed_a, &printed_b, mutations);
    let alone = |name: &String| hits[name].iter().any(|(_, h)| moves_layer(h));
    let told: Vec<&String> = hits.keys().filter(|n| alone(n)).collect();
    if told.len() != moves.len() || !told.iter().all(|n| moves.contains(n)) {
        return Err("a move that another one changes");
    }
    let order = merged(&printed_a, &printed_b, &moves);
    for name in order {
        match hits.get(&name) {
            Some(hits) => {
                let both: (&[Printed], &[Printed]) = (&printed_a, &printed_b);
                let broken = broken(&name, hits, (a, mutations), both);
                answer.breaks.push(broken);
            }
            None if answer.breaks.is_empty() => {}
            // In any channel: the text before it differs.
            None => {
                if find(&printed_a, &name).is_some() {
                    answer.displaced.push(name);
                }
            }
        }
    }
    Ok(answer)
}

/// The layers with a join of this tier before them: those after the first of it.
fn joined(printed: &[Printed], tier: &str) -> Vec<String> {
    let here = printed
        .iter()
        .filter(|l| l.tier == tier && l.pieces.is_some());
    here.skip(1).map(|l| l.name.clone()).collect()
}

/// Refuses ambiguous cases: two facts that print nothing and decide in one template, as the map does not snapshot their
/// positions; and a document whose first byte is new where another one was dropped, as both can be called the cause.
fn open(hits: &[(usize, Hit)], mutations: &[Mutation]) -> Result<(), Skip> {
    let of_facts = |hit: &Hit| {
        let kinds = [CauseKind::FactChanged, CauseKind::ConditionFlipped];
        let mut told = hit.causes.iter().flat_map(|c| &c.kinds);
        told.any(|k| kinds.contains(k))
    };
    let template = |o: &Owner| matches!(o, Owner::Template(_) | Owner::Manifest);
    let decides = |hit: &Hit| of_facts(hit) && hit.owners.iter().any(template);
    let several = hits.iter().filter(|(_, hit)| of_facts(hit)).count() > 1;
    if several && hits.iter().any(|(_, hit)| decides(hit)) {
        return Err("two facts that decide in one template");
    }
    for (n, hit) in hits {
        let document = |o: &Owner| match o {
            Owner::Document(path) | Owner::Marker(path) => Some(path.clone()),
            _ => None,
        };
        let documents: BTreeSet<String> = hit.owners.iter().filter_map(document).collect();
        if mutations[*n].kind == "document begins anew" && documents.len() > 1 {
            return Err("a new first byte where another document is dropped");
        }
    }
    Ok(())
}

/// Whether a layer counts because of its place.
fn moves_layer(hit: &Hit) -> bool {
    matches!(hit.effect, Effect::Moved(_)) && hit.at.is_none()
}

pub(super) fn find<'a>(printed: &'a [Printed], name: &str) -> Option<&'a Printed> {
    printed.iter().find(|l| l.name == name)
}

/// The pieces of a layer that is there.
pub(super) fn pieces<'a>(printed: &'a [Printed], name: &str) -> Option<&'a [Piece]> {
    find(printed, name)?.pieces.as_deref()
}

pub(super) fn names(a: &[Printed], b: &[Printed]) -> BTreeSet<String> {
    a.iter().chain(b).map(|l| l.name.clone()).collect()
}

/// Where two versions of a layer differ first: None if their texts are equal, Some(None) if only one is there.
#[expect(
    clippy::option_option,
    reason = "no difference, one of the whole, one at a place"
)]
pub(super) fn first_difference(a: Option<&[Piece]>, b: Option<&[Piece]>) -> Option<Option<usize>> {
    match (a, b) {
        (None, None) => None,
        (Some(a), Some(b)) => {
            let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            (text(a) != text(b)).then_some(Some(same))
        }
        _ => Some(None),
    }
}

/// Whether the mutations together do to a layer what each does alone, and which of them is first.
fn agree(
    name: &str,
    (a, b): (&[Printed], &[Printed]),
    hits: Option<&Vec<(usize, Hit)>>,
    (world, mutations): (&World, &[Mutation]),
) -> Result<(), Skip> {
    let together = first_difference(pieces(a, name), pieces(b, name));
    let hits = hits.map_or(&[][..], Vec::as_slice);
    if hits.is_empty() {
        return together.map_or(Ok(()), |_| Err("only together"));
    }
    let moves = hits
        .iter()
        .any(|(_, h)| matches!(h.effect, Effect::Moved(_)));
    if moves {
        return if hits.len() == 1 && together.is_none() {
            Ok(())
        } else {
            Err("moved and changed")
        };
    }
    let Some(first) = hits.iter().map(|(_, h)| h.at).min() else {
        return Ok(());
    };
    if together != Some(first) {
        return Err("one undoes the other");
    }
    if hits.iter().filter(|(_, h)| h.at == first).count() > 1 {
        return Err("at one place");
    }
    let budget = world.layer(name).is_some_and(|l| has_budget(&l.shape));
    let (winner, hit) = hits
        .iter()
        .find(|(_, h)| h.at == first)
        .ok_or("no winner")?;
    if budget && hits.len() > 1 {
        return Err("two under one budget");
    }
    let join = |p: &[Printed]| {
        let piece = pieces(p, name).and_then(|p| p.get(first?));
        piece.is_some_and(|p| p.owner == Owner::Join)
    };
    let next = hits.iter().any(|(_, h)| h.at == first.map(|at| at + 1));
    if next && (join(a) || join(b)) {
        return Err("a join and what follows it");
    }
    // Several conditions may decide at once that a layer is present.
    if first.is_none()
        && hits
            .iter()
            .any(|(n, h)| n != winner && h.effect != Effect::Edit)
    {
        return Err("two decide");
    }
    if hits.len() > 1
        && let Some(three) = Three::of(name, *winner, (world, mutations), (a, b))
    {
        if !three.differs() {
            return Err("one undoes the other");
        }
        if three.around_two() {
            return Err("the text around one document and another");
        }
    }
    if others_meet(name, (*winner, hit), hits, (world, mutations), (a, b)) {
        return Err("two meet at the break");
    }
    if budget {
        one_cut(name, (*winner, hit), (world, mutations), (a, b))
    } else {
        Ok(())
    }
}

/// Whether another mutation has to do with the bytes at the break, and did not put them there.
fn others_meet(
    name: &str,
    (winner, hit): (usize, &Hit),
    hits: &[(usize, Hit)],
    (world, mutations): (&World, &[Mutation]),
    (a, b): (&[Printed], &[Printed]),
) -> bool {
    let first = hit.at;
    let met = match (pieces(a, name), pieces(b, name), first) {
        (Some(a), Some(b), Some(at)) => meeting(a, b, at),
        _ => Vec::new(),
    };
    let owner = mutations[winner].changes.first().map(|c| &c.owner);
    for (n, mutation) in mutations.iter().enumerate() {
        let own = hits.iter().find(|(m, _)| *m == n).map(|(_, h)| h);
        let three = Three::of(name, n, (world, mutations), (a, b));
        let at_break = |h: &Hit| three.as_ref().map(|three| three.at_break(h, mutation));
        if own
            .and_then(at_break)
            .is_some_and(|found| !found.is_empty())
        {
            continue;
        }
        // A text of the manifest is another one in another layer.
        let here = |c: &Change| {
            c.owner != Owner::Manifest || mutation.touches.contains(&format!("layer {name}"))
        };
        let meets = |c: &Change| {
            hit.owners.contains(&c.owner) || met.contains(&c.owner) || owner == Some(&c.owner)
        };
        if n != winner && mutation.changes.iter().any(|c| here(c) && meets(c)) {
            return true;
        }
    }
    false
}

/// Whether the cut is where the winner alone would put it, and shows the edited text: the effects of others can combine
/// with it.
fn one_cut(
    name: &str,
    (winner, hit): (usize, &Hit),
    (world, mutations): (&World, &[Mutation]),
    (a, b): (&[Printed], &[Printed]),
) -> Result<(), Skip> {
    let mut alone = world.clone();
    (mutations[winner].apply)(&mut alone);
    let same = |b: &[Printed]| {
        let text = |p: &[Printed]| find(p, name).and_then(Printed::text).unwrap_or_default();
        common(&text(a), &text(b))
    };
    if same(b) != same(&print(&alone)) {
        return Err("two under one budget");
    }
    let blank = |e: &Expected| e.kinds.contains(&CauseKind::WhitespaceOnly);
    if hit.causes.iter().any(blank) {
        Err("white space under a budget")
    } else {
        Ok(())
    }
}

/// The layers that changed places, by the fewest: of two neighbours the one that moved up.
pub(super) fn moved(a: &[Printed], b: &[Printed], mutations: &[Mutation]) -> Vec<String> {
    let there = |p: &[Printed]| -> Vec<String> {
        p.iter()
            .filter(|l| l.pieces.is_some())
            .map(|l| l.name.clone())
            .collect()
    };
    let (a, b) = (there(a), there(b));
    let both = |x: &[String], y: &[String]| -> Vec<String> {
        x.iter().filter(|n| y.contains(n)).cloned().collect()
    };
    let (before, after) = (both(&a, &b), both(&b, &a));
    let mut out = Vec::new();
    for mutation in mutations {
        let Effect::Moved(name) = &mutation.effect else {
            continue;
        };
        let place = |p: &[String]| p.iter().position(|n| n == name);
        let (Some(from), Some(to)) = (place(&before), place(&after)) else {
            continue;
        };
        match from.abs_diff(to) {
            0 => {}
            1 => out.push(before[from.max(to)].clone()),
            _ => out.push(name.clone()),
        }
    }
    out
}

/// All layers of either side, in the order in which breaks are reported.
fn merged(a: &[Printed], b: &[Printed], moved: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    for channel in ["tools", "system", "user"] {
        let there = |p: &[Printed]| -> Vec<String> {
            let here = p
                .iter()
                .filter(|l| l.deliver == channel && l.pieces.is_some());
            here.map(|l| l.name.clone()).collect()
        };
        let (a, b) = (there(a), there(b));
        let kept: Vec<String> = a
            .iter()
            .filter(|n| b.contains(n) && !moved.contains(n))
            .cloned()
            .collect();
        // The layers in the gap before each layer that stays, and after the last.
        let gaps = |side: &[String]| -> Vec<Vec<String>> {
            let mut gaps = vec![Vec::new()];
            for name in side {
                if kept.contains(name) {
                    gaps.push(Vec::new())
                } else {
                    gaps.last_mut().unwrap().push(name.clone())
                }
            }
            gaps
        };
        for (n, (of_a, of_b)) in gaps(&a).into_iter().zip(gaps(&b)).enumerate() {
            for name in of_a.into_iter().chain(of_b) {
                if !out.contains(&name) {
                    out.push(name);
                }
            }
            out.extend(kept.get(n).cloned());
        }
    }
    out
}

/// The report about one layer.
fn broken(
    name: &str,
    hits: &[(usize, Hit)],
    (world, mutations): (&World, &[Mutation]),
    (a, b): (&[Printed], &[Printed]),
) -> Broken {
    let first = hits.iter().min_by_key(|(_, h)| h.at).map(|(n, _)| *n);
    let (winner, others): (Vec<_>, Vec<_>) = hits.iter().partition(|(n, _)| Some(*n) == first);
    let winner = &winner[0].1;
    let (mut causes, mut also) = (winner.causes.clone(), Vec::new());
    for (n, hit) in others {
        let Some(three) = Three::of(name, *n, (world, mutations), (a, b)) else {
            continue;
        };
        match three.at_break(hit, &mutations[*n]) {
            found if !found.is_empty() => causes.extend(found),
            _ if three.altered() => also.extend(hit.causes.iter().map(Expected::loose)),
            _ => {}
        }
    }
    let side = if pieces(a, name).is_some() { a } else { b };
    let layer = find(side, name).unwrap();
    Broken {
        layer: name.to_owned(),
        tier: layer.tier.clone(),
        deliver: layer.deliver,
        causes,
        also,
        effect: winner.effect.clone(),
    }
}
