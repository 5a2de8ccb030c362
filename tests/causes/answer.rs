//! The owners of the difference of two layers.

use super::align::{Run, Stretch, common, joined, lay};
use super::gone::{cut_slot, gone, join_edited, node, owned, template_edited};
use super::order::Place;
use super::row::{Cell, Owner, Row, bytes};
use super::run::Stand;
use super::seen::{
    commented, ending, equal, fenced, front_matter, hidden_behind, is_around, lines_of, shared,
    unchanged,
};
use super::want::{Answer, Slot, Want, document};
use super::world::{Doc, Kind, World};
use std::collections::BTreeSet;

/// One side of a pair, with its row of the layer.
#[derive(Clone, Copy)]
pub(crate) struct End<'a> {
    pub(crate) stand: &'a Stand,
    pub(crate) row: Option<&'a Row>,
    /// Whether this is B.
    pub(crate) after: bool,
}

impl<'a> End<'a> {
    pub(crate) fn new(stand: &'a Stand, layer: &str, after: bool) -> Self {
        let row = stand.rows.iter().find(|r| r.layer == layer);
        Self { stand, row, after }
    }

    pub(crate) fn there(&self) -> bool {
        self.row.is_some_and(|r| r.there)
    }

    pub(crate) fn lines(&self, id: super::world::Id) -> Vec<(usize, usize)> {
        self.stand.lines.get(&id).copied().into_iter().collect()
    }
}

/// The causes that must be named for a layer; the error is why that is unknown. Cells after `at` break the prefix.
pub(crate) fn answer(name: &str, a: End, b: End, place: &Place) -> Result<Answer, &'static str> {
    let open = |want| Answer {
        must: vec![vec![want]],
        open: true,
        ..Answer::default()
    };
    let has = |e: &End| e.stand.world.layer(name).is_some();
    match (has(&a), has(&b)) {
        (false, true) => return Ok(open(Want::LayerAdded)),
        (true, false) => return Ok(open(Want::LayerRemoved)),
        _ => {}
    }
    match (a.there(), b.there()) {
        (true, true) if place.moved => Ok(open(Want::LayerMoved)),
        (true, true) if place.joint => {
            let id = b
                .stand
                .world
                .tier_of(name)
                .map(|t| t.id)
                .unwrap_or_default();
            Ok(open(Want::Edited(
                [a, b].iter().flat_map(|e| e.lines(id)).collect(),
            )))
        }
        (true, true) => both(a, b),
        (true, false) => absent(a, b),
        _ => absent(b, a),
    }
}

/// A layer that one side has: each of its documents and members is asked.
fn absent(have: End, lack: End) -> Result<Answer, &'static str> {
    let mut out = Answer::default();
    let row = have.row.ok_or("no row")?;
    let content = have
        .stand
        .world
        .layer(&row.layer)
        .is_some_and(|l| l.content.is_some());
    let mut asked = false;
    for (used, u) in row.uses.iter().enumerate() {
        let member = u.chain.len() > 1 && !u.part;
        let id = u.chain.last().copied().unwrap_or_default();
        let blank = document(&u.owner).is_some_and(|d| !row.yielded.contains(&(id, d.clone())));
        if blank || matches!(u.owner, Owner::Join(..) | Owner::Mark(_)) || content && !member {
            continue;
        }
        asked = true;
        let (slots, may) = gone(used, have, lack)?;
        out.may.extend(may);
        for s in slots {
            if !out.must.contains(&s) {
                out.must.push(s);
            }
        }
    }
    for (_, d) in &row.yielded {
        out.may.push(owned(d, have, lack));
    }
    // A cut that follows from a reported cause is not reported with it.
    let alone = |s: &Slot| !s.contains(&Want::Cut);
    let told = |d: &Doc| {
        out.must
            .iter()
            .flatten()
            .any(|w| *w == Want::Changed(d.clone()))
    };
    let edited = |d: &Doc| have.stand.world.docs.get(d) != lack.stand.world.docs.get(d) && !told(d);
    let other = lack
        .row
        .is_some_and(|r| r.yielded.iter().chain(&row.yielded).any(|(_, d)| edited(d)));
    if out.must.iter().any(alone) && !other {
        let cuts = out.must.extract_if(.., |s| !alone(s));
        out.may.extend(cuts.flatten());
    }
    asked
        .then_some(out)
        .ok_or("nothing to ask of an absent layer")
}

/// A layer that both have.
fn both(a: End, b: End) -> Result<Answer, &'static str> {
    let (ra, rb) = (a.row.ok_or("no row")?, b.row.ok_or("no row")?);
    let alike = |d: &Doc, e: &Doc| a.stand.world.docs.get(d) == b.stand.world.docs.get(e);
    let laid = lay(ra, rb, &alike);
    let at = common(&ra.cells, &rb.cells);
    let at = whole(&ra.cells, at);
    let mut out = Answer::default();
    let mut seen = false;
    let mut passed = 0;
    for s in &laid {
        let (mine, theirs) = match s {
            Stretch::Same(x, y) => (x.cells.clone(), y.cells.clone()),
            Stretch::Gap(x, y) => (joined(x), joined(y)),
        };
        out.moved.extend(moved(s, a, b)?);
        let before = passed + common(&mine, &theirs);
        passed += mine.len();
        let slots = stretch(s, a, b, !seen, &mut out)?;
        if slots.is_empty() {
            continue;
        }
        if !seen {
            out.must.extend(slots);
            // Where both sides have something else, it is not said from where on that is chance.
            let open = matches!(s, Stretch::Gap(x, y) if !x.is_empty() && !y.is_empty());
            out.first = (!open).then_some(before);
            seen = true;
        } else {
            // Whether a cut that moved further down is reported with its cause is not specified.
            out.also
                .extend(slots.into_iter().filter(|s| !s.contains(&Want::Cut)));
        }
    }
    for (one, other, row) in [(a, b, ra), (b, a, rb)] {
        if let Some(cell) = row.cells.get(at)
            && let Some(slot) = owner(*cell, at, one, other, &laid, &mut out)?
        {
            out.must.extend(slot);
        }
    }
    // A cut that moved follows from another change; it need not be named with that.
    let alone = |s: &Slot| !s.contains(&Want::Cut);
    if out.must.iter().any(alone) {
        let cuts = out.must.extract_if(.., |s| !alone(s));
        out.may.extend(cuts.flatten());
    } else if out.must.is_empty() {
        let mut slot = std::mem::take(&mut out.around);
        let cut = !ra.cuts.is_empty() || !rb.cuts.is_empty();
        if cut && !slot.is_empty() {
            slot.push(Want::Cut);
        }
        out.must.extend((!slot.is_empty()).then_some(slot));
    } else {
        // The cause of a cut may be around it.
        let around = &out.around;
        out.must
            .iter_mut()
            .for_each(|s| s.extend(around.iter().cloned()));
    }
    out.may.append(&mut out.around);
    if out.must.is_empty() {
        return Err("no difference found");
    }
    Ok(out)
}

/// The same text under another name, shown by another node: whether it moved is invisible.
fn moved(s: &Stretch, a: End, b: End) -> Result<Vec<Want>, &'static str> {
    let (ra, rb) = (a.row.ok_or("no row")?, b.row.ok_or("no row")?);
    let mut out = Vec::new();
    if let Stretch::Same(x, y) = s
        && ra.uses[x.used].chain != rb.uses[y.used].chain
        && document(&ra.uses[x.used].owner) != document(&rb.uses[y.used].owner)
    {
        for (used, one, other) in [(x.used, a, b), (y.used, b, a)] {
            let (slots, may) = gone(used, one, other)?;
            out.extend(slots.into_iter().flatten().chain(may));
        }
    }
    Ok(out)
}

fn whole(cells: &[Cell], mut at: usize) -> usize {
    while cells
        .get(at)
        .is_some_and(|c| (0x80..0xC0).contains(&c.byte))
    {
        at -= 1;
    }
    at
}

/// The changes in a range; `first` if it is the first place that differs.
fn stretch(
    s: &Stretch,
    a: End,
    b: End,
    first: bool,
    out: &mut Answer,
) -> Result<Vec<Slot>, &'static str> {
    match s {
        Stretch::Same(x, y) => {
            let c = common(&x.cells, &y.cells);
            if c == x.cells.len() && c == y.cells.len() {
                return Ok(Vec::new());
            }
            let slot = changed(x, y, c, a, b, out)?;
            Ok(vec![slot])
        }
        Stretch::Gap(x, y) => {
            let (cx, cy) = (joined(x), joined(y));
            let c = common(&cx, &cy);
            if c == cx.len() && c == cy.len() {
                return Ok(Vec::new());
            }
            let mut slots = Vec::new();
            let around =
                |cells: &[Cell], one, other| cells.get(c).map(|c| is_around(*c, one, other));
            let [of_x, of_y] = [around(&cx, a, b), around(&cy, b, a)];
            // Where something else is next to it at the same place, such as a join that the other side does not have.
            let aside = of_x != of_y && of_x.is_some() && of_y.is_some();
            let known = |cells: &[Cell], one, other| cells.get(c).map(|c| shared(*c, one, other));
            let [in_x, in_y] = [known(&cx, a, b), known(&cy, b, a)];
            let beside = in_x != in_y && in_x.is_some() && in_y.is_some();
            let end = ending(&cx[c..], &cy[c..]);
            for (cells, one, other) in [(&cx, a, b), (&cy, b, a)] {
                if let Some(cell) = cells.get(c) {
                    let (slot, may) = gone(cell.used, one, other)?;
                    let alike = cells.len() - end <= c && cx.len() != cy.len();
                    // After such a join another member may be hidden too.
                    if !first && hidden_behind(*cell, one) {
                        out.may.extend(slot.into_iter().flatten());
                        continue;
                    }
                    let around = aside && is_around(*cell, one, other);
                    match alike || around || beside && shared(*cell, one, other) {
                        true => out.around.extend(slot.into_iter().flatten()),
                        false => slots.extend(slot),
                    }
                    out.may.extend(may);
                } else if let Some(cell) = cells.last()
                    && first
                    && let Owner::Doc(_) = one.row.ok_or("no row")?.uses[cell.used].owner
                {
                    // A document of which the same is shown, as far as it goes, ends here.
                    let (slot, may) = gone(cell.used, one, other)?;
                    slots.extend(slot);
                    out.may.extend(may);
                }
                // Others of the gap changed too, and where one of them begins is a matter of chance.
                let before: BTreeSet<usize> = cells.iter().map(|c| c.used).collect();
                for used in before {
                    let (slot, may) = gone(used, one, other)?;
                    match first {
                        true => out.may.extend(slot.into_iter().flatten()),
                        false => out.may.extend(slot.into_iter().flatten()),
                    }
                    out.may.extend(may);
                }
            }
            Ok(slots)
        }
    }
}

/// The owners of a byte at the break.
fn owner(
    cell: Cell,
    at: usize,
    one: End,
    other: End,
    laid: &[Stretch],
    out: &mut Answer,
) -> Result<Option<Vec<Slot>>, &'static str> {
    let (row, facing) = (one.row.ok_or("no row")?, other.row.ok_or("no row")?);
    let u = &row.uses[cell.used];
    if laid.iter().any(|s| equal(s, at, one.after)) {
        return Ok(None);
    }
    // Another node can show the same in its place.
    let beside = laid.iter().find_map(|s| match s {
        Stretch::Same(x, y) => {
            let (mine, theirs) = if one.after { (y, x) } else { (x, y) };
            let holds = (mine.from..mine.from + mine.cells.len()).contains(&at);
            holds.then_some(theirs.used)
        }
        Stretch::Gap(..) => None,
    });
    let shown = |r: &Row, used: usize| -> Vec<Cell> {
        r.cells.iter().filter(|c| c.used == used).copied().collect()
    };
    let place = row.cells[..at]
        .iter()
        .filter(|c| c.used == cell.used)
        .count();
    let mine = shown(row, cell.used);
    let partner = facing
        .cells
        .iter()
        .map(|c| c.used)
        .find(|&o| facing.uses[o].key() == u.key())
        // Of several equal joins it is invisible which one this is.
        .filter(|_| beside.is_some() || !matches!(u.owner, Owner::Join(_)));
    if let Some(partner) = partner.or(beside) {
        let theirs = shown(facing, partner);
        if bytes(&mine[..=place]) == bytes(&theirs[..theirs.len().min(place + 1)]) {
            return Ok(None);
        }
        let run = |cells: Vec<Cell>, used| Run {
            used,
            from: 0,
            cells,
        };
        let c = common(&mine, &theirs);
        let (x, y) = (run(mine, cell.used), run(theirs, partner));
        let (x, y, a, b) = match one.after {
            false => (x, y, one, other),
            true => (y, x, other, one),
        };
        if let Some(d) = document(&u.owner)
            && ![row, facing].iter().any(|r| r.took_of(&u.chain, &u.owner))
        {
            let place = match front_matter(&x, &y) {
                true => Vec::new(),
                false => lines_of(&b.stand.world, d, y.cells.get(place)),
            };
            out.lines.push((d.clone(), place));
        }
        return Ok(Some(vec![changed(&x, &y, c, a, b, out)?]));
    }
    left(cell, at, one, other, laid, out)
}

/// The text that one side alone has.
fn left(
    cell: Cell,
    at: usize,
    one: End,
    other: End,
    laid: &[Stretch],
    out: &mut Answer,
) -> Result<Option<Vec<Slot>>, &'static str> {
    let row = one.row.ok_or("no row")?;
    let u = &row.uses[cell.used];
    let (slots, may) = gone(cell.used, one, other)?;
    out.may.extend(may);
    // The edit of a join is seen from the byte on that is another one.
    let edit = match u.owner {
        Owner::Join(id) => join_edited(id, &row.layer, one, other),
        _ => None,
    };
    let edit = edit.filter(|e| cell.at >= e.1 && !shared(cell, one, other));
    let edit = edit.map(|e| vec![vec![e.0]]);
    // Which of several equal joins, and of several equal texts around documents, came or went, is invisible.
    if is_around(cell, one, other) {
        out.around.extend(slots.into_iter().flatten());
        return Ok(edit);
    }
    if laid.iter().any(|s| unchanged(s, at, one.after)) {
        out.may.extend(slots.into_iter().flatten());
        return Ok(None);
    }
    Ok(Some(slots))
}

/// The report if an owner on both sides changed, and whether it did not.
fn said(owner: &Owner, id: u32, layer: &str, (a, b): (End, End)) -> (Want, bool) {
    let (wa, wb) = (&a.stand.world, &b.stand.world);
    match owner {
        Owner::Doc(d) => (Want::Changed(d.clone()), wa.docs.get(d) == wb.docs.get(d)),
        Owner::Fact(f) => (Want::Fact(f.clone()), wa.facts.get(f) == wb.facts.get(f)),
        Owner::Text => {
            let both = [a, b].iter().flat_map(|e| e.lines(id)).collect();
            (
                Want::Edited(both),
                node(wa, id).map(|n| &n.kind) == node(wb, id).map(|n| &n.kind),
            )
        }
        Owner::Inline => {
            let both = [a, b].iter().flat_map(|e| e.lines(id)).collect();
            (Want::Edited(both), !template_edited(id, wa, wb))
        }
        Owner::File(t) => (
            Want::File(t.clone()),
            wa.templates.get(t) == wb.templates.get(t),
        ),
        Owner::Wrap(_) | Owner::Mark(_) => (Want::Edited(Vec::new()), true),
        Owner::Join(at) => {
            let own = |w: &World| match node(w, *at).map(|n| &n.kind) {
                Some(Kind::All(_, join)) => join.clone(),
                _ => None,
            };
            let tier = |e: &End| {
                e.stand
                    .world
                    .tier_of(layer)
                    .map(|t| t.id)
                    .unwrap_or_default()
            };
            let of = |e: &End| if own(wa) == own(wb) { tier(e) } else { *at };
            let both = [a, b].iter().flat_map(|e| e.lines(of(e))).collect();
            (Want::Edited(both), false)
        }
    }
}

/// The change in a piece that both have and that differs at `c`.
fn changed(
    x: &Run,
    y: &Run,
    c: usize,
    a: End,
    b: End,
    out: &mut Answer,
) -> Result<Slot, &'static str> {
    let (ra, rb) = (a.row.ok_or("no row")?, b.row.ok_or("no row")?);
    let u = &ra.uses[x.used];
    let (wa, wb) = (&a.stand.world, &b.stand.world);
    let cuts = [ra, rb].iter().any(|r| r.took_of(&u.chain, &u.owner));
    let id = u.chain.last().copied().unwrap_or_default();
    let cut = || cut_slot(a, b);
    let (want, same) = match &u.owner {
        Owner::Mark(_) => return Ok(cut()),
        Owner::Wrap(_) if cuts => return Ok(cut()),
        Owner::Wrap(_) => return Err("a wrap differs"),
        owner => said(owner, id, &ra.layer, (a, b)),
    };
    if same {
        return if cuts {
            Ok(cut())
        } else {
            Err("an equal owner differs")
        };
    }
    if !cuts {
        if let Owner::Doc(d) = &u.owner {
            let mut lines = lines_of(wb, d, y.cells.get(c));
            if front_matter(x, y) {
                lines.clear();
            } else if lines.is_empty() {
                // B ends here: the line that it ends in, or what only A shows.
                lines = lines_of(wa, d, x.cells.get(c));
                lines.extend(y.cells.last().iter().flat_map(|l| lines_of(wb, d, Some(l))));
            }
            out.lines.push((d.clone(), lines));
        }
        return Ok(vec![want]);
    }
    let edited = match &u.owner {
        Owner::Doc(d) => {
            let (ta, tb) = (&wa.docs[d], &wb.docs[d]);
            let (ea, eb) = region(ta.as_bytes(), tb.as_bytes());
            let inside =
                |r: &std::ops::Range<usize>, c: Option<&Cell>| c.is_some_and(|c| r.contains(&c.at));
            // Text that was appended comes after the last line feed.
            let next = |r: &Run| r.cells[c..].iter().find(|c| c.byte != b'\n').copied();
            let seen =
                |range, r: &Run| inside(range, r.cells.get(c)) || inside(range, next(r).as_ref());
            // After an edit of a fence one side alone shows all text between the two.
            fenced(wa, id, ta) != fenced(wb, id, tb)
                || commented(wa, id, ta) != commented(wb, id, tb)
                || seen(&ea, x)
                || seen(&eb, y)
        }
        _ => true,
    };
    let mut slot = cut();
    if edited {
        slot.push(want);
    } else {
        out.may.push(want);
    }
    Ok(slot)
}

/// The edited part: the text between the common start and the common end.
pub(crate) fn region(a: &[u8], b: &[u8]) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let most = a.len().min(b.len()) - start;
    let ends = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y);
    let end = ends.count().min(most);
    (start..a.len() - end, start..b.len() - end)
}
