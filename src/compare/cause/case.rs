//! One layer that both manifests have: the places at which its texts differ, and what changed there.

use super::super::Ground;
use super::super::change::{Changes, What};
use super::super::content::AlignedText;
use super::super::documents::{Both, Documents, Key};
use super::super::model::{Cause, CauseKind};
use super::super::nodes::Nodes;
use super::super::pieces::show_long_edits;
use super::super::rows::{self, OwnedRun, Rows, Slot};
use super::super::side::Side;
use super::super::values::Values;
use crate::prompt::{DefinitionNode, Ingredient};
use crate::text::prefix;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// The most causes of a layer that are reported.
pub(super) const MOST: usize = 100;

/// One layer that both manifests have.
pub(super) struct Case<'c, 'p> {
    pub(super) a: &'c Side<'p>,
    pub(super) b: &'c Side<'p>,
    pub(super) values: &'c Values<'p>,
    pub(super) ground: Ground<'c, 'p>,
    pub(super) nodes: Nodes,
    pub(super) changes: Changes<'p>,
    pub(super) both: Both<'p>,
    pub(super) rows: Rows<'p>,
    /// The slots in which each document has a piece, once they were asked for.
    pub(super) slots: OnceCell<BTreeMap<Key<'p>, Vec<usize>>>,
    /// The texts of each document, aligned, once they were needed.
    pub(super) aligned: RefCell<BTreeMap<Key<'p>, AlignedText>>,
}

impl<'c, 'p> Case<'c, 'p> {
    pub(super) fn new(a: &'c Side<'p>, b: &'c Side<'p>, ground: Ground<'c, 'p>) -> Self {
        let mut nodes = Nodes::of_sides(a, b);
        show_long_edits(&mut nodes, a, b);
        let both = Both::of(a, b);
        let changes = Changes::of(a, b, ground, (&nodes, &both));
        let says = |side: &Side<'p>, at: Option<usize>| {
            let node = side
                .definition()
                .zip(at)
                .and_then(|(d, at)| d.nodes.get(at));
            node.is_some_and(|n| n.property("join").is_some())
        };
        let mut edits = nodes.edits.iter();
        let joins =
            edits.any(|e| says(a, e.a) || says(b, e.b)) || super::joins_differ(a, b, ground);
        Self {
            a,
            b,
            values: ground.values,
            ground,
            changes,
            rows: Rows::of(a, b, &nodes, joins),
            nodes,
            both,
            slots: OnceCell::new(),
            aligned: RefCell::default(),
        }
    }

    /// The documents of a side, of A's if `in_a`.
    pub(super) fn documents(&self, in_a: bool) -> &Documents<'p> {
        if in_a { &self.both.a } else { &self.both.b }
    }

    /// Whether a budget took something of a document, on A's side if `in_a`.
    pub(super) fn dropped(&self, key: Key<'_>, in_a: bool) -> bool {
        self.documents(in_a).is_cut(key)
    }

    /// The side, A's if `in_a`, and the other one.
    pub(super) fn sides(&self, in_a: bool) -> [&'c Side<'p>; 2] {
        match in_a {
            true => [self.a, self.b],
            false => [self.b, self.a],
        }
    }

    /// The causes of the layer, and what else changed bytes of it.
    pub(super) fn found(&self) -> super::LayerCauses {
        let (here, there) = (self.a.present.is_some(), self.b.present.is_some());
        if here && there && self.a.text() == self.b.text() {
            return super::LayerCauses {
                causes: self.around(),
                ..super::LayerCauses::default()
            };
        }
        if let Some(causes) = self.gave_way() {
            return super::LayerCauses {
                causes,
                ..super::LayerCauses::default()
            };
        }
        if here != there
            && let Some(causes) = self.presence()
        {
            return super::LayerCauses {
                causes,
                ..super::LayerCauses::default()
            };
        }
        let mut causes = Vec::new();
        let at_break = self.at_break();
        for (slot, sides) in &at_break {
            add(&mut causes, self.slot(&self.rows.slots[*slot], *sides));
        }
        for in_a in [true, false] {
            add(&mut causes, self.further(&at_break, in_a));
        }
        // White space at the end of a text comes and goes with the text after it.
        let mut others = self
            .rows
            .slots
            .iter()
            .map(|slot| self.slot(slot, [true; 2]));
        if causes.is_empty() {
            let next = others.find(|found| !found.is_empty());
            causes = next.unwrap_or_else(|| self.decided());
        }
        consequences(&mut causes);
        let also = self.also(&causes, &at_break);
        let place = self.begin().filter(|_| here && there);
        super::LayerCauses {
            causes,
            also,
            place,
        }
    }

    /// The beginning of the first difference in A's own text: the text there can begin alike.
    fn begin(&self) -> Option<usize> {
        let slot = self.rows.slots.first()?;
        let byte = prefix::common(self.a.text(), self.b.text());
        let holds = |in_a: bool| {
            let at = rows::at(self.rows.side(in_a), byte);
            at.is_some_and(|at| slot.side(in_a).contains(&at))
        };
        // In a text that both have the difference is where it is seen.
        if slot.paired && (holds(true) || holds(false)) {
            return None;
        }
        let end = self.rows.a.last().map_or(0, |p| p.start + p.text.len());
        let piece = self.rows.a.get(slot.a.start);
        let alike = match slot.paired {
            true => rows::alike(&self.rows.a[slot.a.start], &self.rows.b[slot.b.start]),
            false => 0,
        };
        Some(piece.map_or(end, |p| p.start) + alike)
    }

    /// The causes alone.
    pub(super) fn causes(&self) -> Vec<Cause> {
        self.found().causes
    }

    /// The first difference, A's byte at the break and B's, in that order: each slot with the sides that are asked there, A's first.
    fn at_break(&self) -> Vec<(usize, [bool; 2])> {
        let mut out: Vec<(usize, [bool; 2])> = Vec::new();
        if !self.rows.slots.is_empty() {
            out.push((0, [true; 2]));
        }
        let byte = prefix::common(self.a.text(), self.b.text());
        for in_a in [true, false] {
            let pieces = self.rows.side(in_a);
            let Some(piece) = rows::at(pieces, byte) else {
                continue;
            };
            let slots = &self.rows.slots;
            let Some(at) = slots.iter().position(|s| s.side(in_a).contains(&piece)) else {
                continue;
            };
            let slot = &slots[at];
            // A piece that both have and that is equal up to that byte did not change there.
            let equal = match slot.paired {
                true => {
                    let (x, y) = (&self.rows.a[slot.a.start], &self.rows.b[slot.b.start]);
                    rows::alike(x, y).max(rows::equal_after_import(x, y, in_a))
                }
                false => 0,
            };
            if byte - pieces[piece].start < equal {
                continue;
            }
            match out.iter_mut().find(|(slot, _)| *slot == at) {
                Some((_, sides)) => sides[usize::from(!in_a)] = true,
                None => out.push((at, [in_a, !in_a])),
            }
        }
        out
    }

    /// The cause of a document at the break that is in a gap after others which begin like the other side; or
    /// of a join there, if it was edited too.
    fn further(&self, at_break: &[(usize, [bool; 2])], in_a: bool) -> Vec<Cause> {
        let byte = prefix::common(self.a.text(), self.b.text());
        let at = rows::at(self.rows.side(in_a), byte);
        let mut slots = at_break.iter().map(|(slot, _)| &self.rows.slots[*slot]);
        let holds = |at: &usize| slots.any(|slot| !slot.paired && slot.side(in_a).contains(at));
        let Some(at) = at.filter(holds) else {
            return Vec::new();
        };
        let piece = &self.rows.side(in_a)[at];
        match piece.owner {
            rows::Owner::Document(..) => self.one_sided(at, in_a, 0),
            rows::Owner::Join => {
                // There the other side has a join too.
                let facing = self.rows.side(!in_a);
                let near = [Some(byte), byte.checked_sub(1)].into_iter().flatten();
                let mut near = near.filter_map(|byte| rows::at(facing, byte));
                match near.any(|at| facing[at].owner == rows::Owner::Join) {
                    true => self.join_edited(piece, in_a),
                    false => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// The change at one place; in a gap on `sides`, A's first.
    fn slot(&self, slot: &Slot, sides: [bool; 2]) -> Vec<Cause> {
        let mut out = Vec::new();
        if slot.paired {
            out = self.differs(&self.rows.a[slot.a.start], &self.rows.b[slot.b.start]);
        } else {
            for (in_a, asked) in [true, false].into_iter().zip(sides) {
                if asked {
                    add(&mut out, self.first_known(slot, in_a));
                }
            }
        }
        self.space(&mut out, slot);
        out
    }

    /// The first known cause among the pieces of a gap. The text that a template prints around documents comes
    /// and goes with them, so it is asked last; and only after that, a cut around them.
    fn first_known(&self, slot: &Slot, in_a: bool) -> Vec<Cause> {
        let is_template = |p: &OwnedRun<'p>| {
            matches!(p.owner, rows::Owner::Template(..))
                && self.wrapped(p, in_a).is_none()
                && !self.of_content(p, in_a)
                && !(self.next_to_mark(p, in_a) && self.surely_printed(p, in_a))
        };
        let of = |templates: bool| {
            let pieces = self.rows.side(in_a);
            let mut own = slot
                .side(in_a)
                .filter(|at| is_template(&pieces[*at]) == templates);
            own.find_map(|at| {
                let found = match self.one_sided(at, in_a, 0) {
                    found if found.is_empty() && self.says_itself(&pieces[at], in_a) => {
                        self.cut_off(&pieces[at], in_a)
                    }
                    found => found,
                };
                (!found.is_empty()).then_some(found)
            })
        };
        let behind = Some(self.after_join(slot, in_a)).filter(|found| !found.is_empty());
        let found = behind.or_else(|| of(false)).or_else(|| of(true));
        let cut = || {
            let pieces = &self.rows.side(in_a)[slot.side(in_a)];
            let mut cuts = pieces.iter().map(|piece| self.cut_off(piece, in_a));
            cuts.find(|found| !found.is_empty())
        };
        // A text that a template brings or not, with all that it is made from unchanged: by what it asks for.
        let asks = || {
            let pieces = &self.rows.side(in_a)[slot.side(in_a)];
            let own = pieces.iter().find(|piece| is_template(piece))?;
            Some(self.silent(Some((own, in_a)))).filter(|found| !found.is_empty())
        };
        // Between two texts that both have no cut took anything.
        let inside = |in_a: bool| {
            let (own, pieces) = (slot.side(in_a), self.rows.side(in_a));
            let around = own.start.saturating_sub(1)..(own.end + 1).min(pieces.len());
            let mark = |p: &OwnedRun<'p>| matches!(p.owner, rows::Owner::Mark(_));
            own.end < pieces.len() && !pieces[around].iter().any(mark)
        };
        let found = match inside(true) && inside(false) {
            true => found.or_else(asks).or_else(cut),
            false => found.or_else(cut).or_else(asks),
        };
        found.unwrap_or_default()
    }

    /// Whether a piece is a text of the manifest on its own, and not around others.
    fn says_itself(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let [here, _] = self.sides(in_a);
        let node = here.definition().zip(piece.node);
        let node = node.and_then(|(definition, node)| definition.nodes.get(node));
        matches!(piece.owner, rows::Owner::Written(_)) && node.is_some_and(|n| n.is("text"))
    }

    /// The changes that `pick` picks.
    pub(super) fn direct(&self, pick: impl Fn(What<'p>) -> bool) -> Vec<Cause> {
        let changes = self.changes.direct.iter().filter(|c| pick(c.what));
        changes.map(|c| self.placed(c.what, &c.cause)).collect()
    }

    /// The change of `what`, if it changed.
    pub(super) fn change(&self, what: What<'p>) -> Option<Cause> {
        let cause = self.changes.get(what)?;
        Some(self.placed(what, cause))
    }

    /// The edits of nodes that `pick` picks, on either side.
    pub(super) fn edits(&self, pick: impl Fn(&DefinitionNode) -> bool) -> Vec<Cause> {
        let picked = |side: &Side<'p>, index: Option<usize>| {
            let nodes = side.definition().map(|d| &d.nodes);
            let node = nodes.zip(index).and_then(|(nodes, i)| nodes.get(i));
            node.is_some_and(&pick)
        };
        self.direct(|what| match what {
            What::Edit(old, new) => picked(self.a, old) || picked(self.b, new),
            _ => false,
        })
    }

    /// The text is the same and the join before it differs.
    pub(super) fn around(&self) -> Vec<Cause> {
        let found = self.direct(|what| matches!(what, What::Tier));
        let join = |cause: &&Cause| {
            let named = |text: &Option<String>| text.as_ref().is_some_and(|t| t.contains("join"));
            named(&cause.old) || named(&cause.new)
        };
        let joins: Vec<Cause> = found.iter().filter(join).cloned().collect();
        match (joins.is_empty(), found.is_empty()) {
            (false, _) => joins,
            (true, false) => found,
            (true, true) => vec![Cause::new(CauseKind::Unexplained)],
        }
    }

    /// The changes of bytes further down that are neither a cause nor a reason of one.
    fn also(&self, causes: &[Cause], at_break: &[(usize, [bool; 2])]) -> Vec<Cause> {
        let same = |x: &Cause, y: &Cause| {
            // Two nodes can say the same.
            let edited = x.kind == CauseKind::LayerEdited && x.line != y.line;
            !edited
                && (&x.root, &x.path, &x.fact, &x.item, &x.old, &x.new)
                    == (&y.root, &y.path, &y.fact, &y.item, &y.old, &y.new)
        };
        let found = |cause: &Cause| {
            let is_it = |c: &Cause| same(c, cause) || c.because.iter().any(|b| same(b, cause));
            causes.iter().any(is_it) || follows(cause, causes)
        };
        let mut out: Vec<Cause> = Vec::new();
        for (at, slot) in self.rows.slots.iter().enumerate() {
            if out.len() > MOST {
                break;
            }
            if slot.paired {
                if !at_break.iter().any(|(slot, _)| *slot == at) {
                    add(&mut out, self.slot(slot, [true; 2]));
                }
                continue;
            }
            for in_a in [true, false] {
                for at in slot.side(in_a).take(MOST) {
                    add(&mut out, self.one_sided(at, in_a, 0));
                }
            }
        }
        out.retain(|c| !found(c));
        let named: BTreeSet<usize> = (0..out.len())
            .filter(|at| out.iter().any(|c| c.because.contains(&out[*at])))
            .collect();
        let mut index = 0..;
        out.retain(|_| !named.contains(&index.next().unwrap_or_default()));
        out
    }

    /// Whether a budget took something of the document that a cause names, on either side.
    pub(super) fn is_cut(&self, cause: &Cause) -> bool {
        let mut both = self.a.ingredients().iter().chain(self.b.ingredients());
        both.any(|i| {
            is_about(cause, i) && matches!(i, Ingredient::Document { dropped, .. } if *dropped > 0)
        })
    }
}

/// Removes the cuts that only follow from other reported causes.
pub(super) fn consequences(causes: &mut Vec<Cause>) {
    let all = causes.clone();
    causes.retain(|cause| !follows(cause, &all));
}

/// Whether a cut only follows from reported causes.
fn follows(cause: &Cause, causes: &[Cause]) -> bool {
    let found = |because: &Cause| causes.contains(because);
    cause.kind == CauseKind::CutMoved
        && !cause.because.is_empty()
        && cause.because.iter().all(found)
}

/// Adds causes that are not listed yet.
pub(super) fn add(causes: &mut Vec<Cause>, found: Vec<Cause>) {
    if causes.is_empty() {
        *causes = found;
        return;
    }
    for cause in found {
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
}

/// Whether an ingredient is the document that a cause names.
pub(super) fn is_about(cause: &Cause, ingredient: &Ingredient) -> bool {
    match ingredient {
        Ingredient::Document { root, path, .. } => {
            Some(root) == cause.root.as_ref() && Some(path) == cause.path.as_ref()
        }
        _ => false,
    }
}
