//! Prints a world, as the language says.

use super::cut::{cut, size};
use super::row::{Cell, Owner, Row, Took, Use, bytes, inked, trimmed};
use super::world::{Bit, Budget, Cond, Doc, Id, Kind, Layer, Max, Node, World};
use std::collections::{BTreeMap, BTreeSet};

/// The text of a node.
#[derive(Clone)]
enum Out {
    One(Vec<Cell>, Option<Doc>),
    /// Members, and the join between them with the node that says it; without one they are members of the group around.
    Many(Vec<Out>, Option<(Id, String)>),
}

struct Printer<'a> {
    world: &'a World,
    loaded: BTreeSet<String>,
    join: String,
    tier: Id,
    row: Row,
    chain: Vec<Id>,
    asks: BTreeSet<String>,
    branch: Vec<(usize, bool)>,
    part: bool,
}

/// The rows of all layers that the manifest has, also of those that are absent.
pub(crate) fn print(world: &World) -> Vec<Row> {
    let mut loaded = BTreeSet::new();
    let mut out = Vec::new();
    for tier in &world.tiers {
        for layer in &tier.layers {
            let mut p = Printer {
                world,
                loaded,
                join: tier.join.clone().unwrap_or_else(|| world.join.clone()),
                tier: tier.id,
                row: empty(&layer.name, tier.user),
                chain: vec![layer.id],
                asks: BTreeSet::new(),
                branch: Vec::new(),
                part: false,
            };
            p.layer(layer);
            loaded = p.loaded;
            out.push(p.row);
        }
    }
    out
}

/// Whether a condition holds that asks for no layer.
pub(crate) fn holds(world: &World, cond: &Cond, loaded: &BTreeSet<String>) -> bool {
    match cond {
        Cond::Is(f, v) => world.facts.get(f) == Some(v),
        Cond::Not(c) => !holds(world, c, loaded),
        Cond::Exists(p) => world.docs.contains_key(&Doc::new("workspace", p)),
        Cond::Loaded(l) => loaded.contains(l),
    }
}

/// A name of a file with the values of its facts.
pub(crate) fn named(world: &World, name: &str) -> String {
    let mut out = name.to_owned();
    for (f, v) in &world.facts {
        out = out.replace(&format!("{{{f}}}"), v);
    }
    out
}

/// The places where a search looks, the nearest first.
pub(crate) const LEVELS: [&str; 3] = ["s/t/", "s/", ""];

fn empty(layer: &str, user: bool) -> Row {
    Row {
        layer: layer.to_owned(),
        user,
        cells: Vec::new(),
        uses: Vec::new(),
        took: BTreeMap::new(),
        cuts: BTreeSet::new(),
        lost: BTreeSet::new(),
        whens: BTreeMap::new(),
        yielded: BTreeSet::new(),
        there: false,
    }
}

impl Printer<'_> {
    fn layer(&mut self, layer: &Layer) {
        if !self.asked(layer.id, layer.when.as_ref()) {
            return;
        }
        let content = match &layer.content {
            None => None,
            Some(n) => match self.eval(n) {
                None => return,
                Some(out) => Some(self.flat(out)),
            },
        };
        let mut parts = BTreeMap::new();
        self.part = true;
        for (name, n) in &layer.parts {
            let out = self.eval(n);
            parts.insert(name.clone(), out.map(|o| self.flat(o)).unwrap_or_default());
        }
        self.part = false;
        self.loaded.insert(layer.name.clone());
        if content.as_ref().is_some_and(|c| !inked(c)) {
            return;
        }
        self.chain = vec![layer.id];
        let mut cells = match &layer.template {
            None => content.unwrap_or_default(),
            Some(source) => {
                let owner = source_owner(source);
                let bits = self.world.bits(source).to_vec();
                let content = content.unwrap_or_default();
                self.run(&bits, &owner, &content, &parts, None)
            }
        };
        cells = trimmed(&cells);
        if let Some(b) = &layer.budget {
            cells = self.bounded(cells, None, b, layer.id).unwrap_or_default();
        }
        self.row.there = inked(&cells);
        self.row.cells = cells;
    }

    fn asked(&mut self, id: Id, when: Option<&Cond>) -> bool {
        let Some(c) = when else { return true };
        let answer = holds(self.world, c, &self.loaded);
        self.row.whens.insert(id, answer);
        answer
    }

    fn used(&mut self, owner: Owner, behind: Option<usize>) -> usize {
        let made = Use {
            owner,
            chain: self.chain.clone(),
            asks: self.asks.clone(),
            branch: self.branch.clone(),
            behind,
            part: self.part,
        };
        if behind.is_none()
            && let Some(at) = self.row.uses.iter().position(|u| *u == made)
        {
            return at;
        }
        self.row.uses.push(made);
        self.row.uses.len() - 1
    }

    fn cells(&mut self, text: &str, owner: Owner, behind: Option<usize>) -> Vec<Cell> {
        let used = self.used(owner, behind);
        let cell = |(at, byte)| Cell { byte, used, at };
        text.bytes().enumerate().map(cell).collect()
    }

    fn eval(&mut self, node: &Node) -> Option<Out> {
        self.chain.push(node.id);
        let out = self.inside(node);
        self.chain.pop();
        out
    }

    fn inside(&mut self, node: &Node) -> Option<Out> {
        if !self.asked(node.id, node.when.as_ref()) {
            return None;
        }
        let out = match &node.kind {
            Kind::Text(t) => self.plain(t, Owner::Text, node),
            Kind::Fact(f) => {
                let value = self.world.facts.get(f)?.clone();
                self.plain(&value, Owner::Fact(f.clone()), node)
            }
            Kind::Template(source) => {
                let bits = self.world.bits(source).to_vec();
                let cells = self.run(&bits, &source_owner(source), &[], &BTreeMap::new(), None);
                let cells = trimmed(&cells);
                inked(&cells).then_some(Out::One(cells, None))
            }
            Kind::File(names) => {
                let docs = names
                    .iter()
                    .map(|n| Doc::new("workspace", &named(self.world, n)));
                let doc = docs.into_iter().find(|d| self.world.docs.contains_key(d))?;
                self.row.took.insert(node.id, Took::File(doc.clone()));
                self.document(&doc, node)
            }
            Kind::Up(name) => {
                let doc = levels(name)
                    .into_iter()
                    .find(|d| self.world.docs.contains_key(d))?;
                self.row.took.insert(node.id, Took::File(doc.clone()));
                self.document(&doc, node)
            }
            Kind::Every(name) => {
                let docs: Vec<Doc> = levels(name).into_iter().rev().collect();
                self.several(&docs, node)
            }
            Kind::Glob(folder) => {
                let docs = globbed(self.world, folder);
                self.several(&docs, node)
            }
            Kind::First(members) => members.iter().find_map(|m| {
                let out = self.eval(m)?;
                self.row.took.insert(node.id, Took::Member(m.id));
                Some(out)
            }),
            Kind::All(members, join) => {
                let outs: Vec<Out> = members.iter().filter_map(|m| self.eval(m)).collect();
                let join = join.clone().unwrap_or_else(|| self.join.clone());
                (!outs.is_empty()).then_some(Out::Many(outs, Some((node.id, join))))
            }
        }?;
        Some(match &node.budget {
            None => out,
            Some(b) => match b.max {
                Max::One(_) => {
                    let doc = match &out {
                        Out::One(_, d) => d.clone(),
                        Out::Many(..) => None,
                    };
                    let cells = self.flat(out.clone());
                    if !matches!(b.max, Max::One(n) if size(&cells, b.bytes) > n) {
                        return Some(out);
                    }
                    let cells = self
                        .bounded(cells, doc.clone(), b, node.id)
                        .unwrap_or_default();
                    Out::One(cells, doc)
                }
                Max::Each(n) => self.below(out, b, n, &mut None, 0, node.id),
                Max::Total(n, floor) => {
                    self.below(out, b, usize::MAX, &mut Some(n), floor, node.id)
                }
                Max::Both(each, n) => self.below(out, b, each, &mut Some(n), 0, node.id),
            },
        })
    }

    fn plain(&mut self, text: &str, owner: Owner, node: &Node) -> Option<Out> {
        let cells = self.cells(text, owner, None);
        let cells = trimmed(&cells);
        let cells = self.wrapped(cells, node, None)?;
        Some(Out::One(cells, None))
    }

    fn several(&mut self, docs: &[Doc], node: &Node) -> Option<Out> {
        let docs = docs.iter().filter(|d| self.world.docs.contains_key(d));
        let outs: Vec<Out> = docs.filter_map(|d| self.document(d, node)).collect();
        (!outs.is_empty()).then_some(Out::Many(outs, None))
    }

    fn document(&mut self, doc: &Doc, node: &Node) -> Option<Out> {
        let text = self.world.docs.get(doc)?.clone();
        let cells = self.cells(&text, Owner::Doc(doc.clone()), None);
        let mut cells = trimmed(&cells);
        if node.strip && text.trim_start().starts_with("---\n") {
            let all = bytes(&cells);
            let rest = String::from_utf8_lossy(&all).into_owned();
            if let Some(end) = rest[4..].find("---\n").map(|e| e + 4) {
                cells = trimmed(&cells[end + 4..]);
            } else if rest[4..].ends_with("\n---") {
                cells = Vec::new();
            }
        }
        if node.comments {
            cells = trimmed(&uncommented(&cells));
        }
        let cells = self.wrapped(cells, node, Some(doc))?;
        self.row.yielded.insert((node.id, doc.clone()));
        Some(Out::One(cells, Some(doc.clone())))
    }

    fn wrapped(&mut self, cells: Vec<Cell>, node: &Node, doc: Option<&Doc>) -> Option<Vec<Cell>> {
        if !inked(&cells) {
            return None;
        }
        let (Some(bits), Some(doc)) = (&node.wrap, doc) else {
            return Some(cells);
        };
        let owner = Owner::Wrap(doc.clone());
        let out = self.run(bits, &owner, &cells, &BTreeMap::new(), Some(doc));
        inked(&out).then_some(out)
    }

    fn run(
        &mut self,
        bits: &[Bit],
        owner: &Owner,
        content: &[Cell],
        parts: &BTreeMap<String, Vec<Cell>>,
        doc: Option<&Doc>,
    ) -> Vec<Cell> {
        let mut out = Vec::new();
        for (at, bit) in bits.iter().enumerate() {
            match bit {
                Bit::Lit(t) => out.extend(self.cells(t, owner.clone(), None)),
                Bit::Fact(f) => {
                    let value = self.world.facts.get(f).cloned().unwrap_or_default();
                    out.extend(self.cells(&value, Owner::Fact(f.clone()), None));
                }
                Bit::Content | Bit::Text => out.extend_from_slice(content),
                Bit::Part(p) => out.extend_from_slice(parts.get(p).map_or(&[], Vec::as_slice)),
                Bit::Name => {
                    let name = doc.map_or("", |d| d.name()).to_owned();
                    out.extend(self.cells(&name, owner.clone(), None));
                }
                Bit::If(c, yes, no) => {
                    let answer = holds(self.world, c, &self.loaded);
                    let took = if answer { yes } else { no };
                    let before = self.asks.clone();
                    self.asks.extend(c.facts());
                    self.branch.push((at, answer));
                    out.extend(self.run(took, owner, content, parts, doc));
                    self.branch.pop();
                    self.asks = before;
                }
            }
        }
        out
    }

    /// One text of what a node yields.
    fn flat(&mut self, out: Out) -> Vec<Cell> {
        let (outs, join) = match out {
            Out::One(cells, _) => return cells,
            Out::Many(outs, join) => (outs, join),
        };
        let (id, join) = join.unwrap_or_else(|| (self.tier, self.join.clone()));
        let mut texts = Vec::new();
        for o in spliced(outs) {
            let text = self.flat(o);
            if !text.is_empty() {
                texts.push(text);
            }
        }
        let mut all: Vec<Cell> = Vec::new();
        for text in texts {
            if !all.is_empty() {
                let behind = text.first().map(|c| c.used);
                let joined = self.cells(&join, Owner::Join(id), behind);
                all.extend(joined);
            }
            all.extend(text);
        }
        all
    }

    /// Bounds each document below.
    fn below(
        &mut self,
        out: Out,
        b: &Budget,
        each: usize,
        left: &mut Option<usize>,
        floor: usize,
        id: Id,
    ) -> Out {
        match out {
            Out::Many(outs, join) => {
                let outs = outs.into_iter();
                Out::Many(
                    outs.map(|o| self.below(o, b, each, left, floor, id))
                        .collect(),
                    join,
                )
            }
            Out::One(cells, doc) => {
                let max = each.min(left.unwrap_or(usize::MAX));
                let kept = match size(&cells, b.bytes) {
                    n if n <= max => Some(cells),
                    _ if left.is_some_and(|l| l < floor) => {
                        self.loses(&cells, id);
                        None
                    }
                    _ => self.marked(cells, max, doc.clone(), b, id),
                };
                let kept = kept.unwrap_or_default();
                if let Some(l) = left {
                    *l -= size(&kept, b.bytes);
                }
                Out::One(kept, doc)
            }
        }
    }

    fn bounded(
        &mut self,
        cells: Vec<Cell>,
        doc: Option<Doc>,
        b: &Budget,
        id: Id,
    ) -> Option<Vec<Cell>> {
        match b.max {
            Max::One(n) if size(&cells, b.bytes) > n => self.marked(cells, n, doc, b, id),
            _ => Some(cells),
        }
    }

    /// Something of these cells goes.
    fn loses(&mut self, cells: &[Cell], id: Id) {
        self.row.cuts.insert(id);
        for used in cells.iter().map(|c| c.used).collect::<BTreeSet<_>>() {
            let u = &self.row.uses[used];
            self.row.lost.insert((id, u.owner.clone(), u.chain.clone()));
        }
    }

    fn marked(
        &mut self,
        cells: Vec<Cell>,
        max: usize,
        doc: Option<Doc>,
        b: &Budget,
        id: Id,
    ) -> Option<Vec<Cell>> {
        self.loses(&cells, id);
        let (mut head, mark, tail) = cut(&cells, max, b)?;
        head.extend(self.cells(&mark, Owner::Mark(doc), None));
        head.extend(tail);
        Some(head)
    }
}

/// Members of members that have no join of their own.
fn spliced(outs: Vec<Out>) -> Vec<Out> {
    let one = |o| match o {
        Out::Many(outs, None) => outs,
        other => vec![other],
    };
    outs.into_iter().flat_map(one).collect()
}

fn source_owner(source: &super::world::Source) -> Owner {
    match source {
        super::world::Source::Inline(_) => Owner::Inline,
        super::world::Source::File(name) => Owner::File(name.clone()),
    }
}

/// The places of a file that is searched for, the nearest first.
pub(crate) fn levels(name: &str) -> Vec<Doc> {
    let doc = |l: &&str| Doc::new("tree", &format!("{l}{name}"));
    LEVELS.iter().map(doc).collect()
}

/// The files in a folder.
pub(crate) fn globbed(world: &World, folder: &str) -> Vec<Doc> {
    let inside = |d: &&Doc| {
        let rest = d
            .path
            .strip_prefix(folder)
            .and_then(|r| r.strip_prefix('/'));
        d.root == "workspace" && rest.is_some_and(|r| !r.contains('/') && r.ends_with(".md"))
    };
    world.docs.keys().filter(inside).cloned().collect()
}

/// Without the lines that are comments.
fn uncommented(cells: &[Cell]) -> Vec<Cell> {
    let lines = cells.split_inclusive(|c| c.byte == b'\n');
    let kept = lines.filter(|l| !bytes(l).starts_with(b"<!--"));
    kept.flatten().copied().collect()
}
