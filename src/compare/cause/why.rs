//! The cause of a changed piece that both layers have.

use super::super::change::What;
use super::super::content::{self, AlignedText, Shown, Verdict};
use super::super::documents::Key;
use super::super::mention;
use super::super::model::Cause;
use super::super::nodes::chain;
use super::super::reads::Reads;
use super::super::rows::{self, OwnedRun, Owner};
use super::super::side::Side;
use super::case::{Case, add};
use super::rest::private_fact;
use crate::prompt::{DefinitionNode, Ingredient};
use std::collections::BTreeMap;

impl<'p> Case<'_, 'p> {
    /// The cause of a changed piece that both have.
    pub(super) fn differs(&self, x: &OwnedRun<'p>, y: &OwnedRun<'p>) -> Vec<Cause> {
        let found = match y.owner {
            Owner::Document(root, path) => return self.content(x, y, (root, path)),
            Owner::Fact(name) => self.fact(name, true),
            Owner::Let(name) => self.binding(name),
            Owner::Template(..) => self.template(x, y),
            Owner::Written(_) => self.written(x, true),
            Owner::Mark(_) => match self.mark_said(x, true) {
                found if found.is_empty() => return self.marks(x, y),
                found => found,
            },
            Owner::Join => self.join_edited(x, true),
            Owner::Other => Vec::new(),
        };
        match found.is_empty() {
            true => self.cut(y, false),
            false => found,
        }
    }

    /// The marks of two cuts: of two documents if each side has its own there.
    fn marks(&self, x: &OwnedRun<'p>, y: &OwnedRun<'p>) -> Vec<Cause> {
        let mut out = Vec::new();
        for (piece, in_a) in [(x, true), (y, false)] {
            let own = self.of_document(piece, in_a, 0);
            add(&mut out, own.unwrap_or_default());
        }
        match out.is_empty() {
            true => self.cut(y, false),
            false => out,
        }
    }

    /// The cause of a changed text that both show of a document.
    fn content(&self, x: &OwnedRun<'p>, y: &OwnedRun<'p>, key: Key<'p>) -> Vec<Cause> {
        let change = self.changes.get(What::Document(key.0, key.1));
        let lengths = [x, y].map(|piece| piece.text.len());
        if [true, false].map(|in_a| rows::equal_after_import(x, y, in_a)) == lengths {
            return Vec::new();
        }
        // Of a name, or of what a filter made, there is no place in the document: more or less of it is the cut's.
        let is_rest = || x.text.starts_with(y.text) || y.text.starts_with(x.text);
        let cut = || self.next_to_mark(x, true) || self.next_to_mark(y, false);
        let verdict = match self.verdict(x, y, key) {
            Verdict::Unknown if cut() && is_rest() => Verdict::Cut,
            verdict => verdict,
        };
        match (change, verdict) {
            (Some(change), Verdict::Edited(found)) => vec![change.at(found)],
            (Some(_), Verdict::Cut) => match self.cut(y, false) {
                cut if cut.is_empty() => {
                    let because = self.change(What::Document(key.0, key.1));
                    vec![self.moved(y, false, because.into_iter().collect())]
                }
                cut => cut,
            },
            (Some(change), Verdict::Unknown) => {
                vec![self.placed(What::Document(key.0, key.1), change)]
            }
            (None, Verdict::Cut) => self.cut(y, false),
            (None, _) => match self.looks(y) {
                found if found.is_empty() => self.printing(),
                found => found,
            },
        }
    }

    fn verdict(&self, x: &OwnedRun<'p>, y: &OwnedRun<'p>, key: Key<'p>) -> Verdict {
        let shown = |in_a: bool, piece: &OwnedRun<'p>| {
            let [side, _] = self.sides(in_a);
            // Of several readings of a document each has its own cut.
            let span = side.spans().get(piece.spans.start);
            let own = side.ingredient(span.and_then(|span| span.ingredient));
            let cut = matches!(own, Some(Ingredient::Document { dropped: 1.., .. }));
            Shown::of(side, piece, cut)
        };
        let aligned = self.aligned(key);
        let differs = self.both.differs(key);
        content::compare(&shown(true, x), &shown(false, y), &aligned, differs)
    }

    /// The text that a side shows of a document, once.
    fn once(&self, key: Key<'p>, in_a: bool) -> Shown<'p> {
        let [side, _] = self.sides(in_a);
        let spans = self.documents(in_a).spans(key);
        Shown::once(side, spans, self.dropped(key, in_a))
    }

    /// The texts that both sides show of a document, aligned.
    fn aligned(&self, key: Key<'p>) -> AlignedText {
        let mut known = self.aligned.borrow_mut();
        *known.entry(key).or_insert_with(|| {
            let [a, b] = [true, false].map(|in_a| self.once(key, in_a));
            AlignedText::of(&a, &b)
        })
    }

    /// A change with the place at which it is seen first: that of a document that both sides show.
    pub(super) fn placed(&self, what: What<'p>, cause: &Cause) -> Cause {
        let What::Document(root, path) = what else {
            return cause.clone();
        };
        let own = self.slots.get_or_init(|| self.slots_of_documents());
        let slots = own.get(&(root, path)).into_iter().flatten();
        let slots = slots.map(|at| &self.rows.slots[*at]);
        let mut paired = slots.filter(|slot| slot.paired);
        let found = paired.find_map(|slot| {
            let (x, y) = (&self.rows.a[slot.a.start], &self.rows.b[slot.b.start]);
            match self.verdict(x, y, (root, path)) {
                Verdict::Edited(found) => Some(found),
                Verdict::Cut | Verdict::Unknown => None,
            }
        });
        let seen = || {
            let [a, b] = [true, false].map(|in_a| self.once((root, path), in_a));
            // Of what is shown in full nothing needs to be guessed.
            let cut = [true, false].map(|in_a| self.dropped((root, path), in_a));
            cut.contains(&true)
                .then(|| self.aligned((root, path)).place(&a, &b))
                .flatten()
        };
        match found.or_else(|| seen().filter(|_| self.both.differs((root, path)))) {
            Some(found) => cause.at(found),
            None => cause.clone(),
        }
    }

    /// The slots in which each document has a piece, in order.
    fn slots_of_documents(&self) -> BTreeMap<Key<'p>, Vec<usize>> {
        let mut out: BTreeMap<Key<'p>, Vec<usize>> = BTreeMap::new();
        for (at, slot) in self.rows.slots.iter().enumerate() {
            for piece in &self.rows.b[slot.b.clone()] {
                if let Owner::Document(root, path) = piece.owner {
                    out.entry((root, path)).or_default().push(at);
                }
            }
        }
        out
    }

    /// Why the document is the same and its text is not: the node says something else about it, or one around it.
    fn looks(&self, piece: &OwnedRun<'p>) -> Vec<Cause> {
        let nodes = self.b.definition().map_or(&[][..], |d| &d.nodes);
        let around = piece.node.map_or_else(Vec::new, |node| chain(nodes, node));
        let below = |at: usize| {
            let rest = nodes.iter().enumerate().skip(at + 1);
            let own = rest.take_while(move |(_, n)| n.depth > nodes[at].depth);
            own.filter(move |(_, n)| n.depth == nodes[at].depth + 1)
        };
        for at in around.into_iter().rev() {
            if let Some(edit) = self.nodes.edit(at, false) {
                return vec![edit.cause.clone()];
            }
            // For a group without its members, which are handled separately.
            let says = |child: &&usize| Some(at) == piece.node || !is_content(&nodes[**child]);
            let steps = below(at).map(|(child, _)| child);
            let steps = steps.filter(|child| says(&child));
            let edits = steps.filter_map(|child| self.nodes.edit(child, false));
            if let Some(edit) = edits.into_iter().next() {
                return vec![edit.cause.clone()];
            }
        }
        Vec::new()
    }

    /// A fact that is printed.
    pub(super) fn fact(&self, name: &'p str, differs: bool) -> Vec<Cause> {
        match self.change(What::Fact(name)) {
            Some(cause) => vec![cause],
            None if differs && self.values.private(name) => vec![private_fact(name)],
            None => Vec::new(),
        }
    }

    /// The cause of a printed let: its own edit, else its facts.
    pub(super) fn binding(&self, name: &'p str) -> Vec<Cause> {
        if let Some(cause) = self.change(What::Let(name)) {
            return vec![cause];
        }
        let reads = Reads::of(name, [self.a, self.b]);
        let read = |fact: &str| reads.names.iter().any(|name| name == fact);
        self.direct(|what| matches!(what, What::Fact(fact) if read(fact)))
    }

    /// The mark of a cut: its edit, if that is of what it says and not of numbers.
    pub(super) fn mark_said(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let marker = |side: &Side<'p>, node: Option<usize>| {
            let said = side.definition()?.nodes.get(node?)?;
            said.property("marker").cloned()
        };
        let other = piece.node.and_then(|node| self.nodes.other(node, in_a));
        let own = marker(here, piece.node);
        // A budget that writes none says only numbers.
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let is_budget = piece.node.is_some_and(|node| nodes[node].is("budget"));
        match (own.is_some() || is_budget) && own == marker(there, other) {
            true => Vec::new(),
            false => self.written(piece, in_a),
        }
    }

    /// A text of the manifest or of a template: its edit.
    pub(super) fn written(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let [here, _] = self.sides(in_a);
        let file = match piece.owner {
            Owner::Template(file, None, _) => Some(file),
            Owner::Mark(at) | Owner::Written(at) => match here.ingredient(Some(at)) {
                Some(Ingredient::Template {
                    file, line: None, ..
                }) => Some(file.as_str()),
                _ => None,
            },
            _ => None,
        };
        if let Some(cause) = file.and_then(|file| self.change(What::Template(file))) {
            return vec![cause];
        }
        let edit = piece.node.and_then(|node| self.nodes.edit(node, in_a));
        edit.map(|edit| edit.cause.clone()).into_iter().collect()
    }

    /// A template's own text: it was edited, or the template goes another way.
    fn template(&self, x: &OwnedRun<'p>, y: &OwnedRun<'p>) -> Vec<Cause> {
        // The rest of a text next to a mark is longer or shorter.
        let (s, t) = (x.text, y.text);
        let is_rest = [(s, t), (t, s)]
            .iter()
            .any(|(s, t)| s.starts_with(t) || s.ends_with(t));
        let next_to_mark = self.next_to_mark(x, true) || self.next_to_mark(y, false);
        if is_rest && next_to_mark {
            let found = self.cut_off(y, false);
            if !found.is_empty() {
                return found;
            }
        }
        let edits = || self.written(x, true);
        let asked = || self.conditions_of(x, true);
        // At the ends white space is trimmed; else something that the template asks for is another.
        let trimmed = x.text.contains(y.text) || y.text.contains(x.text);
        let facts = || match trimmed {
            true => Vec::new(),
            false => self.silent(Some((x, true))),
        };
        let steps: [&dyn Fn() -> Vec<Cause>; 3] = [&edits, &asked, &facts];
        let mut found = steps.iter().map(|step| step());
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Whether the mark of a cut is next to a piece.
    pub(super) fn next_to_mark(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let pieces = self.rows.side(in_a);
        let at = pieces.partition_point(|p| p.start < piece.start);
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let mut beside = beside.filter_map(|at| pieces.get(at));
        beside.any(|p| matches!(p.owner, Owner::Mark(_)))
    }

    /// The edit of a join that only one side has: of its group, else of the tier.
    pub(super) fn join_edited(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let around = piece.node.map_or_else(Vec::new, |node| chain(nodes, node));
        let joins = |at: &usize| !mention::reads_files(&nodes[*at]) && !nodes[*at].is("first");
        let group = around.into_iter().rev().find(joins);
        let other = group.and_then(|group| self.nodes.other(group, in_a));
        let (Some(group), Some(other)) = (group, other) else {
            return Vec::new();
        };
        let facing = there.definition().and_then(|d| d.nodes.get(other));
        let (own, facing) = (
            nodes[group].property("join"),
            facing.and_then(|n| n.property("join")),
        );
        let edit = self.nodes.edit(group, in_a).filter(|_| own != facing);
        match (own, facing) {
            (None, None) if super::joins_differ(self.a, self.b, self.ground) => self.around(),
            _ => edit.map(|edit| edit.cause.clone()).into_iter().collect(),
        }
    }
}

/// Whether a node is a member of the content.
fn is_content(node: &DefinitionNode) -> bool {
    let other = ["first", "all", "text", "fact", "template"];
    mention::reads_files(node) || other.contains(&node.name.as_str())
}
