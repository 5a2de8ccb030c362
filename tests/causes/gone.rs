//! The reason why only one side shows a text: queried from outside to inside.

use super::answer::End;
use super::print::{levels, named};
use super::row::{Owner, Row, Took, Use};
use super::want::{Slot, Want, document};
use super::world::{Bit, Cond, Doc, Id, Kind, Layer, Node, Source, World};
use std::collections::BTreeSet;

/// Slots of which each must be named, and what may be named besides.
pub(crate) type Decided = (Vec<Slot>, Vec<Want>);

/// A document that `have` shows and `lack` does not.
pub(crate) fn owned(d: &Doc, have: End, lack: End) -> Want {
    match (lack.stand.world.docs.contains_key(d), have.after) {
        (true, _) => Want::Changed(d.clone()),
        (false, true) => Want::Appeared(d.clone()),
        (false, false) => Want::Vanished(d.clone()),
    }
}

/// The cut, or the edit of its budget.
pub(crate) fn cut_slot(a: End, b: End) -> Slot {
    let mut slot = vec![Want::Cut];
    let ids: BTreeSet<Id> = [a, b]
        .iter()
        .filter_map(|e| e.row)
        .flat_map(|r| r.cuts.clone())
        .collect();
    for id in ids {
        let of = |w: &World| {
            let own = w
                .layers()
                .find(|l| l.id == id)
                .and_then(|l| l.budget.clone());
            own.or_else(|| node(w, id).and_then(|n| n.budget.clone()))
        };
        if of(&a.stand.world) != of(&b.stand.world) {
            slot.push(Want::Edited(
                [a, b].iter().flat_map(|e| e.lines(id)).collect(),
            ));
        }
    }
    if a.stand.side.files.get("promptc.kdl") != b.stand.side.files.get("promptc.kdl") {
        // Whether an edit that moves a cut is reported by itself is not specified.
        slot.push(Want::Edited(vec![(1, usize::MAX)]));
    }
    slot
}

pub(crate) fn node(world: &World, id: Id) -> Option<&Node> {
    world.layers().find_map(|l| l.node(id))
}

/// Whether the bits of a template differ.
pub(crate) fn template_edited(id: Id, a: &World, b: &World) -> bool {
    bits(id, a) != bits(id, b)
}

/// The bits of the template of a node or layer.
pub(crate) fn bits(id: Id, w: &World) -> Vec<Bit> {
    let source = |l: &Layer| (l.id == id).then(|| l.template.clone()).flatten();
    let of = w.layers().find_map(source);
    let of = of.or_else(|| match node(w, id).map(|n| n.kind.clone()) {
        Some(Kind::Template(s)) => Some(s),
        _ => None,
    });
    of.map(|s| w.bits(&s).to_vec()).unwrap_or_default()
}

/// The reason why one side has a use: slots, and the other causes that may be named.
pub(crate) fn gone(used: usize, have: End, lack: End) -> Result<Decided, &'static str> {
    let row = have.row.ok_or("no row")?;
    let u = &row.uses[used];
    let lacking = lack.row.ok_or("no row")?;
    let one = |w: Want| Ok((vec![vec![w]], Vec::new()));
    if let Owner::Join(at) = u.owner {
        let (slots, mut may) = join(used, have, lack)?;
        // An edit of the join itself is next to that.
        may.extend(join_edited(at, &row.layer, have, lack).map(|e| e.0));
        return Ok((slots, may));
    }
    if let Owner::Mark(Some(d)) = &u.owner {
        // A mark is shown or removed with its document.
        let own = |v: &Use| v.owner == Owner::Doc(d.clone()) && v.chain.starts_with(&u.chain);
        let shown = row.uses.iter().position(own);
        let there = |v: &Use| own(v) && lacking.yields(v);
        if let Some(shown) = shown.filter(|_| !lacking.uses.iter().any(there)) {
            return gone(shown, have, lack);
        }
    }
    let (edits, flips) = nodes(u, have, lack)?;
    if !edits.is_empty() || !flips.is_empty() {
        let (mut slots, may) = outermost(edits, flips)?;
        if let Some(own) = put_nowhere(u, have, lack) {
            slots = vec![vec![own]];
        }
        return Ok((slots, may));
    }
    if let Some(found) = earlier(used, have, lack)? {
        return Ok(found);
    }
    if let Some(fact) = naming(u, &have.stand.world, &lack.stand.world)? {
        return one(Want::Fact(fact.to_owned()));
    }
    if let Some(found) = search(u, have, lack)? {
        return one(found);
    }
    if let Some(d) = unyielded(u, row, lacking) {
        return one(owned(d, have, lack));
    }
    let printed = lacking.uses.iter().any(|v| v.key() == u.key());
    if let Some(next) = trimmed(used, row).filter(|_| printed && !takes(&u.chain, lacking)) {
        return gone(next, have, lack);
    }
    if cut(&u.chain, row, lacking) && (printed || matches!(u.owner, Owner::Mark(_))) {
        let mut slot = cut_slot(have, lack);
        if let Some(d) = document(&u.owner)
            && have.stand.world.docs.get(d) != lack.stand.world.docs.get(d)
        {
            slot.push(Want::Changed(d.clone()));
        }
        return Ok((vec![slot], Vec::new()));
    }
    template(u, have, lack)
}

/// The edit of a join, of a group or of the tier that says it for the group; with how many bytes begin alike.
pub(crate) fn join_edited(at: Id, layer: &str, have: End, lack: End) -> Option<(Want, usize)> {
    let says = |end: &End| -> Option<(String, Id)> {
        let w = &end.stand.world;
        let tier = w.tier_of(layer)?;
        let own = match node(w, at).map(|n| &n.kind) {
            Some(Kind::All(_, join)) => join.clone(),
            None if tier.id == at => None,
            _ => return None,
        };
        Some(match own {
            Some(join) => (join, at),
            None => (tier.join.clone().unwrap_or_else(|| w.join.clone()), tier.id),
        })
    };
    let (mine, theirs) = (says(&have)?, says(&lack)?);
    let of = if mine.1 == theirs.1 { mine.1 } else { at };
    let pairs = mine.0.bytes().zip(theirs.0.bytes());
    let alike = pairs.take_while(|(x, y)| x == y).count();
    (mine.0 != theirs.0).then(|| (Want::Edited(lines(of, have, lack)), alike))
}

/// Edits of nodes, and conditions that flipped, each with its depth.
type Around = (Vec<(usize, Want)>, Vec<(usize, Slot)>);

/// The document of a member that is elsewhere, if only one side has its file.
fn put_nowhere(u: &Use, have: End, lack: End) -> Option<Want> {
    let d = document(&u.owner)?;
    let id = *u.chain.last()?;
    let kind = &node(&have.stand.world, id)?.kind;
    if node(&lack.stand.world, id).is_some() {
        return None;
    }
    let there = lack.stand.world.layers();
    let layer = there.into_iter().find(|l| Some(&l.id) == u.chain.first())?;
    let like = |n: &Node| n.kind == *kind;
    let stands = layer.roots().into_iter().flat_map(Node::all).any(like);
    (stands && !lack.stand.world.docs.contains_key(d)).then(|| owned(d, have, lack))
}

/// Whether a node names a document, whatever the files.
fn names(kind: &Kind, w: &World, d: &Doc) -> bool {
    match kind {
        Kind::File(names) => names.iter().any(|n| named(w, n) == d.path),
        Kind::Glob(folder) => d.path.starts_with(&format!("{folder}/")),
        _ => false,
    }
}

/// The differences in the nodes around a use, from outside to inside.
fn nodes(u: &Use, have: End, lack: End) -> Result<Around, &'static str> {
    let chain = &u.chain;
    let layer = chain.first().copied().unwrap_or_default();
    let mut edits = Vec::new();
    let mut flips = Vec::new();
    for (depth, id) in chain.iter().enumerate() {
        let edited = || (depth, Want::Edited(lines(*id, have, lack)));
        if *id != layer {
            let (Some(h), Some(l)) = (node(&have.stand.world, *id), node(&lack.stand.world, *id))
            else {
                edits.push(edited());
                break;
            };
            // An edit after which the file is still named decides nothing.
            let still = document(&u.owner).is_some_and(|d| {
                names(&h.kind, &have.stand.world, d) && names(&l.kind, &lack.stand.world, d)
            });
            if files(&h.kind) != files(&l.kind) && !still {
                edits.push(edited());
            }
        }
        if let Some(slot) = flip(*id, have, lack)? {
            flips.push((depth, slot));
        }
    }
    Ok((edits, flips))
}

/// The lines of a node or layer on both sides.
fn lines(id: Id, have: End, lack: End) -> Vec<(usize, usize)> {
    [have, lack].iter().flat_map(|e| e.lines(id)).collect()
}

/// The condition of a node or layer, if its answer decided.
fn flip(id: Id, have: End, lack: End) -> Result<Option<Slot>, &'static str> {
    let (row, lacking) = (have.row.ok_or("no row")?, lack.row.ok_or("no row")?);
    let whens = (
        when_of(&have.stand.world, id),
        when_of(&lack.stand.world, id),
    );
    let edited = whens.0 != whens.1;
    let mine = row.whens.get(&id).copied().unwrap_or(true);
    let theirs = lacking.whens.get(&id);
    let other = theirs.is_some_and(|l| *l != mine);
    if !(other || edited && theirs == Some(&false)) {
        return Ok(None);
    }
    let fact = match whens {
        (Some(x), Some(y)) if x == y => x.facts().first().cloned(),
        _ => None,
    };
    Ok(Some(vec![match edited {
        true => Want::Edited(lines(id, have, lack)),
        false => Want::Flipped(fact),
    }]))
}

/// The outermost of what differs around a use; of one node its edit is asked first.
fn outermost(
    edits: Vec<(usize, Want)>,
    flips: Vec<(usize, Slot)>,
) -> Result<Decided, &'static str> {
    let slot: Slot = match (edits.first(), flips.first()) {
        (Some((depth, edit)), flip) if flip.is_none_or(|flip| flip.0 >= *depth) => {
            vec![edit.clone()]
        }
        (_, Some((_, flip))) => flip.clone(),
        _ => Vec::new(),
    };
    let may = edits.into_iter().map(|e| e.1).collect();
    match !flips.is_empty() || !slot.is_empty() {
        true => Ok((vec![slot], may)),
        false => Err("no node"),
    }
}

/// The fact in the name of a file whose value differs.
fn naming(u: &Use, have: &World, lack: &World) -> Result<Option<&'static str>, &'static str> {
    let kind = u.chain.last().and_then(|id| node(have, *id));
    let Some(Kind::File(names)) = kind.map(|n| &n.kind) else {
        return Ok(None);
    };
    for name in names.iter().filter(|n| n.contains('{')) {
        let fact = super::kdl::FACTS
            .iter()
            .find(|f| name.contains(**f))
            .ok_or("no fact")?;
        if have.facts.get(*fact) != lack.facts.get(*fact) {
            return Ok(Some(*fact));
        }
    }
    Ok(None)
}

/// The document of a use, if it yielded nothing on the other side.
fn unyielded<'a>(u: &'a Use, row: &Row, lacking: &Row) -> Option<&'a Doc> {
    let d = match &u.owner {
        Owner::Mark(d) => d.as_ref(),
        other => document(other),
    }?;
    let id = row
        .yielded
        .iter()
        .find(|y| y.1 == *d && u.chain.contains(&y.0))
        .map(|y| y.0);
    let id = id.or(u.chain.last().copied()).unwrap_or_default();
    let group = !u.chain.contains(&id)
        || matches!(u.owner, Owner::Mark(_))
            && lacking
                .uses
                .iter()
                .any(|v| v.owner == Owner::Doc(d.clone()) && lacking.yields(v));
    (!group && !lacking.yielded.contains(&(id, d.clone()))).then_some(d)
}

/// Whether a budget in a chain cut something on one of the sides.
fn cut(chain: &[Id], row: &Row, lacking: &Row) -> bool {
    takes(chain, row) || takes(chain, lacking)
}

/// The same, of one side.
fn takes(chain: &[Id], row: &Row) -> bool {
    chain.iter().any(|id| row.cuts.contains(id))
}

/// The text after a use that shows only white space: without that text it would be trimmed.
fn trimmed(used: usize, row: &Row) -> Option<usize> {
    let last = row.cells.iter().rposition(|c| c.used == used)?;
    let shown: Vec<_> = row
        .cells
        .iter()
        .filter(|c| c.used == used)
        .copied()
        .collect();
    let next = row
        .cells
        .get(last + 1)
        .filter(|_| !super::row::inked(&shown))?;
    Some(next.used)
}

/// The edit of the template that prints a use, or the facts that it asks for.
fn template(u: &Use, have: End, lack: End) -> Result<Decided, &'static str> {
    let (wh, wl) = (&have.stand.world, &lack.stand.world);
    let id = u.chain.last().copied().unwrap_or_default();
    let asked = asked(&bits(id, wh));
    let changed = |f: &&String| wh.facts.get(*f) != wl.facts.get(*f);
    let may: Vec<Want> = asked
        .iter()
        .filter(changed)
        .map(|f| Want::Fact(f.clone()))
        .collect();
    let asks = u.asks.iter().filter(changed);
    let mut slot: Slot = asks.map(|f| Want::Fact(f.clone())).collect();
    if template_edited(id, wh, wl) {
        let want = match &u.owner {
            Owner::File(t) => Want::File(t.clone()),
            _ => Want::Edited(lines(id, have, lack)),
        };
        slot.push(want);
        return Ok((vec![slot], may));
    }
    match slot.is_empty() {
        true if matches!(u.owner, Owner::Fact(_)) => Err("a fact is shown on one side"),
        true => Err("nothing decided it"),
        false => Ok((vec![slot], may)),
    }
}

/// The settings of a node about its files.
fn files(kind: &Kind) -> Option<Kind> {
    match kind {
        Kind::File(_) | Kind::Up(_) | Kind::Every(_) | Kind::Glob(_) => Some(kind.clone()),
        Kind::Text(_) => Some(Kind::Text(String::new())),
        Kind::Fact(f) => Some(Kind::Fact(f.clone())),
        Kind::Template(Source::File(f)) => Some(Kind::Template(Source::File(f.clone()))),
        _ => None,
    }
}

fn when_of(w: &World, id: Id) -> Option<Cond> {
    let of = w.layers().find(|l| l.id == id).and_then(|l| l.when.clone());
    of.or_else(|| node(w, id).and_then(|n| n.when.clone()))
}

/// The facts that a template asks for.
pub(crate) fn asked(bits: &[Bit]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for b in bits {
        if let Bit::If(c, yes, no) = b {
            out.extend(c.facts());
            out.extend(asked(yes));
            out.extend(asked(no));
        }
    }
    out
}

/// A `first` around a use of which an earlier member has text on the other side alone: what changed that.
fn earlier(used: usize, have: End, lack: End) -> Result<Option<Decided>, &'static str> {
    let (row, lacking) = (have.row.ok_or("no row")?, lack.row.ok_or("no row")?);
    for id in &row.uses[used].chain {
        let (Some(Took::Member(mine)), Some(Took::Member(theirs))) =
            (row.took.get(id), lacking.took.get(id))
        else {
            continue;
        };
        let node = node(&lack.stand.world, *id).ok_or("no first")?;
        let place = |x: &Id| node.members().iter().position(|n| n.id == *x);
        if place(theirs) >= place(mine) {
            continue;
        }
        let mut slot = Vec::new();
        let mut may = Vec::new();
        for (other, v) in lacking.uses.iter().enumerate() {
            if v.chain.contains(theirs) && !matches!(v.owner, Owner::Join(..) | Owner::Mark(_)) {
                let (s, m) = gone(other, lack, have)?;
                slot.extend(s.into_iter().flatten());
                may.extend(m);
            }
        }
        return Ok(Some((vec![slot], may)));
    }
    Ok(None)
}

/// A search, or a list of names, that took another file.
fn search(u: &Use, have: End, lack: End) -> Result<Option<Want>, &'static str> {
    let (row, lacking) = (have.row.ok_or("no row")?, lack.row.ok_or("no row")?);
    for id in &u.chain {
        let (Some(Took::File(mine)), Some(Took::File(theirs))) =
            (row.took.get(id), lacking.took.get(id))
        else {
            continue;
        };
        if mine == theirs {
            continue;
        }
        let (wh, wl) = (&have.stand.world, &lack.stand.world);
        let before = |w: &World| {
            let order = places(w, *id);
            let place = |d: &Doc| order.iter().position(|o| o == d).unwrap_or(usize::MAX);
            place(theirs) < place(mine)
        };
        // The earlier one decides, on either side; if only one side names it so, that is an edit.
        return Ok(Some(match (before(wh), before(wl)) {
            (true, true) => owned_or(theirs, wh, lack.after),
            (false, true) => Want::Edited(lines(*id, have, lack)),
            _ => owned_or(mine, wl, have.after),
        }));
    }
    Ok(None)
}

/// Where a node looks for its file, in order.
fn places(w: &World, id: Id) -> Vec<Doc> {
    match node(w, id).map(|n| &n.kind) {
        Some(Kind::File(names)) => names
            .iter()
            .map(|n| Doc::new("workspace", &named(w, n)))
            .collect(),
        Some(Kind::Up(name)) => levels(name),
        _ => Vec::new(),
    }
}

/// A document that a side has and `other` has not.
fn owned_or(d: &Doc, other: &World, after: bool) -> Want {
    match (other.docs.contains_key(d), after) {
        (true, _) => Want::Changed(d.clone()),
        (false, true) => Want::Appeared(d.clone()),
        (false, false) => Want::Vanished(d.clone()),
    }
}

/// A join that one side has: the member after it came, or the one before it.
fn join(used: usize, have: End, lack: End) -> Result<Decided, &'static str> {
    let (row, lacking) = (have.row.ok_or("no row")?, lack.row.ok_or("no row")?);
    let behind = row.uses[used].behind.ok_or("a join without members")?;
    let there = |u: usize| {
        lacking
            .cells
            .iter()
            .any(|c| lacking.uses[c.used].key() == row.uses[u].key())
    };
    if !there(behind) {
        return gone(behind, have, lack);
    }
    let mut slot = Slot::new();
    let mut may = Vec::new();
    for (u, _) in row.pieces() {
        if !there(u) && !matches!(row.uses[u].owner, Owner::Join(..)) {
            let (s, m) = gone(u, have, lack)?;
            slot.extend(s.into_iter().flatten());
            may.extend(m);
        }
    }
    match slot.is_empty() {
        true if cut(&row.uses[used].chain, row, lacking) => Ok((vec![cut_slot(have, lack)], may)),
        true => Err("nothing decided a join"),
        // Of what a tail shows there is more or less.
        false if cut(&row.uses[used].chain, row, lacking) => {
            slot.extend(cut_slot(have, lack));
            Ok((vec![slot], may))
        }
        false => Ok((vec![slot], may)),
    }
}
