//! Changes of a world: what happens between two prompts.

use super::generate::{FOLDERS, INSIDE, Maker, NAMES, Reach, SEARCHED, VALUES};
use super::kdl::FACTS;
use super::world::{Bit, Cond, Doc, Id, Kind, LEVELS, Layer, Max, Node, Source, World, named};

/// One change.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Document(Doc, Option<String>),
    Renamed(Doc, Doc, String),
    Fact(String, String),
    File(String, Vec<Bit>),
    Manifest(Edit),
}

/// An edit of the manifest.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Kind(Id, Kind),
    When(Id, Option<Cond>),
    Remove(Id),
    Add(Id, usize, Node),
    Move(Id, usize, Id),
    Join(Id, Option<String>),
    Budget(Id, usize),
    Template(String, Vec<Bit>),
    TierJoin(usize, Option<String>),
    LayerAdded(usize, usize, Box<Layer>),
    LayerRemoved(String),
    LayerMoved(usize, usize, usize),
    Comment,
}

impl Change {
    /// Does it, where it can be done.
    pub(crate) fn apply(&self, w: &mut World) {
        match self {
            Change::Document(d, Some(t)) => drop(w.docs.insert(d.clone(), t.clone())),
            Change::Document(d, None) => drop(w.docs.remove(d)),
            Change::Renamed(from, to, text) => {
                w.docs.remove(from);
                w.docs.insert(to.clone(), text.clone());
            }
            Change::Fact(f, v) => drop(w.facts.insert(f.clone(), v.clone())),
            Change::File(name, bits) => drop(w.templates.insert(name.clone(), bits.clone())),
            Change::Manifest(edit) => edit.apply(w),
        }
    }
}

impl Edit {
    fn apply(&self, w: &mut World) {
        match self {
            Edit::Kind(id, kind) => {
                if let Some(n) = w.node_mut(*id) {
                    n.kind = kind.clone();
                }
            }
            Edit::When(id, when) => {
                if let Some(n) = w.node_mut(*id) {
                    n.when = when.clone();
                }
                let layers = w.tiers.iter_mut().flat_map(|t| &mut t.layers);
                for l in layers.filter(|l| l.id == *id) {
                    l.when = when.clone();
                }
            }
            Edit::Remove(id) => {
                drop(taken(w, *id));
            }
            Edit::Add(group, at, node) => put(w, *group, *at, node.clone()),
            Edit::Move(id, at, fresh) => {
                let parent = parent(w, *id);
                if let (Some(parent), Some(mut node)) = (parent, taken(w, *id)) {
                    node.id = *fresh;
                    put(w, parent, *at, node);
                }
            }
            Edit::Join(id, join) => {
                if let Some(n) = w.node_mut(*id)
                    && let Kind::All(_, j) = &mut n.kind
                {
                    *j = join.clone();
                }
            }
            Edit::Budget(id, n) => {
                let set = |max: &mut Max| match max {
                    Max::One(m) | Max::Each(m) | Max::Total(m, _) | Max::Both(_, m) => *m = *n,
                };
                if let Some(b) = w.node_mut(*id).and_then(|n| n.budget.as_mut()) {
                    set(&mut b.max);
                }
                let layers = w.tiers.iter_mut().flat_map(|t| &mut t.layers);
                for b in layers
                    .filter(|l| l.id == *id)
                    .filter_map(|l| l.budget.as_mut())
                {
                    set(&mut b.max);
                }
            }
            Edit::Template(layer, bits) => {
                if let Some(l) = w.layer_mut(layer) {
                    l.template = Some(Source::Inline(bits.clone()));
                }
            }
            Edit::TierJoin(at, join) => {
                if let Some(t) = w.tiers.get_mut(*at) {
                    t.join = join.clone();
                }
            }
            Edit::LayerAdded(tier, at, layer) => {
                let layers = &mut w.tiers[*tier].layers;
                layers.insert((*at).min(layers.len()), (**layer).clone());
            }
            Edit::LayerRemoved(name) => {
                for t in &mut w.tiers {
                    t.layers.retain(|l| l.name != *name);
                }
            }
            Edit::LayerMoved(tier, from, to) => {
                let layers = &mut w.tiers[*tier].layers;
                if *from < layers.len() {
                    let layer = layers.remove(*from);
                    layers.insert((*to).min(layers.len()), layer);
                }
            }
            Edit::Comment => w.comment.push_str("a note "),
        }
    }
}

fn parent(w: &World, id: Id) -> Option<Id> {
    let nodes = w.layers().flat_map(Layer::roots).flat_map(Node::all);
    let has = |n: &&Node| n.members().iter().any(|m| m.id == id);
    nodes.into_iter().find(has).map(|n| n.id)
}

fn taken(w: &mut World, id: Id) -> Option<Node> {
    let parent = parent(w, id)?;
    let members = w.node_mut(parent)?.members_mut()?;
    let at = members.iter().position(|m| m.id == id)?;
    (members.len() > 1).then(|| members.remove(at))
}

fn put(w: &mut World, group: Id, at: usize, node: Node) {
    if let Some(members) = w.node_mut(group).and_then(Node::members_mut) {
        members.insert(at.min(members.len()), node);
    }
}

impl Maker {
    /// Another text for a document, near to the one it has.
    pub(crate) fn edited(&mut self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.is_empty() {
            return self.text();
        }
        let at = match self.r.below(4) {
            0 => 0,
            1 => lines.len() - 1,
            _ => self.r.below(lines.len()),
        };
        let line = self.line();
        match self.r.below(9) {
            0 => lines.insert(at, line),
            1 => drop(lines.remove(at)),
            2 => lines.push(line),
            3 => lines.extend(["", "bbb"].map(str::to_owned)),
            4 => lines[at].push_str(&line),
            5 => lines[at] = lines[at].chars().take(2).collect(),
            6 => lines[at] = lines[at].replace(' ', "  "),
            7 if self.r.one_in(3) => return " \n".to_owned(),
            _ => lines[at] = line,
        }
        lines.join("\n") + "\n"
    }

    /// One to three changes of a world.
    pub(crate) fn changes(&mut self, world: &World) -> Vec<Change> {
        let n = [1, 1, 2, 2, 3][self.r.below(5)];
        let mut out = Vec::new();
        let mut now = world.clone();
        while out.len() < n {
            let change = self.change(&now);
            let before = now.clone();
            change.apply(&mut now);
            if now != before {
                out.push(change);
            }
        }
        out
    }

    fn doc(&mut self, w: &World) -> Doc {
        let nodes: Vec<&Node> = w
            .layers()
            .flat_map(Layer::roots)
            .flat_map(Node::all)
            .collect();
        if !nodes.is_empty() && !self.r.one_in(4) {
            let node = *self.r.pick(&nodes);
            let of = |r: &mut super::random::Random, names: &[&str]| (*r.pick(names)).to_owned();
            match &node.kind {
                Kind::File(names) => {
                    let at = self.r.below(names.len());
                    return Doc::new("workspace", &named(w, &names[at]));
                }
                Kind::Glob(folder) => {
                    return Doc::new(
                        "workspace",
                        &format!("{folder}/{}", of(&mut self.r, &INSIDE)),
                    );
                }
                Kind::Up(name) | Kind::Every(name) => {
                    return Doc::new("tree", &format!("{}{name}", of(&mut self.r, &LEVELS)));
                }
                _ => {}
            }
        }
        match self.r.below(5) {
            0 | 1 => Doc::new("workspace", self.r.pick::<&str>(&NAMES)),
            2 | 3 => {
                let folder = self.r.pick::<&str>(&FOLDERS).to_owned();
                Doc::new(
                    "workspace",
                    &format!("{folder}/{}", self.r.pick::<&str>(&INSIDE)),
                )
            }
            _ => {
                let level = self.r.pick::<&str>(&LEVELS).to_owned();
                Doc::new(
                    "tree",
                    &format!("{level}{}", self.r.pick::<&str>(&SEARCHED)),
                )
            }
        }
    }

    fn change(&mut self, w: &World) -> Change {
        match self.r.below(14) {
            0..=4 => {
                let doc = self.doc(w);
                match w.docs.get(&doc) {
                    Some(t) => {
                        let text = self.edited(t);
                        Change::Document(doc, Some(text))
                    }
                    None => Change::Document(doc, Some(self.text())),
                }
            }
            5 => Change::Document(self.doc(w), None),
            6 => {
                let (from, to) = (self.doc(w), self.doc(w));
                match (w.docs.get(&from), w.docs.get(&to)) {
                    (Some(t), None) => {
                        let text = if self.r.one_in(2) {
                            t.clone()
                        } else {
                            self.edited(t)
                        };
                        Change::Renamed(from, to, text)
                    }
                    _ => Change::Document(from, None),
                }
            }
            7..=9 => {
                let fact = (*self.r.pick(&FACTS)).to_owned();
                Change::Fact(fact, (*self.r.pick(&VALUES)).to_owned())
            }
            10 if self.reach >= Reach::Templates => {
                let name = (*self.r.pick(&["t0.md", "t1.md"])).to_owned();
                let bits = self.other_bits(&w.templates[&name]);
                Change::File(name, bits)
            }
            _ => Change::Manifest(self.edit(w)),
        }
    }

    fn other_bits(&mut self, bits: &[Bit]) -> Vec<Bit> {
        let mut out = bits.to_vec();
        let lits: Vec<usize> = (0..out.len())
            .filter(|&i| matches!(out[i], Bit::Lit(_)))
            .collect();
        if lits.is_empty() || self.r.one_in(4) {
            out.push(Bit::Lit(format!(" {}", self.line())))
        } else {
            let at = *self.r.pick(&lits);
            out[at] = Bit::Lit(format!("{} ", self.line()));
        }
        out
    }

    /// A new member of a group; of two equal ones it is ambiguous which one came.
    fn added(&mut self, group: &Node) -> Edit {
        let at = self.r.below(4);
        let new = self.node(0);
        let like = |m: &Node| (&m.kind, &m.when) == (&new.kind, &new.when);
        if group.members().iter().any(like) {
            Edit::Comment
        } else {
            Edit::Add(group.id, at, new)
        }
    }

    fn edit(&mut self, w: &World) -> Edit {
        let layers: Vec<&Layer> = w.layers().collect();
        if layers.is_empty() {
            return Edit::Comment;
        }
        let layer = *self.r.pick(&layers);
        let nodes: Vec<&Node> = layer.roots().into_iter().flat_map(Node::all).collect();
        if nodes.is_empty() {
            return Edit::Comment;
        }
        let node = *self.r.pick(&nodes);
        let tier = self.r.below(w.tiers.len());
        let several = w.tiers[tier].layers.len();
        match self.r.below(16) {
            0 | 1 => match &node.kind {
                Kind::Text(_) => Edit::Kind(node.id, Kind::Text(self.line())),
                Kind::File(_) => {
                    Edit::Kind(node.id, Kind::File(vec![(*self.r.pick(&NAMES)).to_owned()]))
                }
                Kind::Glob(_) => {
                    Edit::Kind(node.id, Kind::Glob((*self.r.pick(&FOLDERS)).to_owned()))
                }
                _ => Edit::Comment,
            },
            2 => Edit::When(node.id, self.when(&[])),
            3 if !twin(&layer.roots(), node) => Edit::Remove(node.id),
            4 | 5 if !node.members().is_empty() => self.added(node),
            6 if node.members().len() > 2 => {
                // If two change places it is ambiguous which one moved, so the first goes to the end, or the last to
                // the start.
                let (from, to) = if self.r.one_in(2) {
                    (0, 9)
                } else {
                    (node.members().len() - 1, 0)
                };
                Edit::Move(node.members()[from].id, to, self.id())
            }
            7 | 8 => match &node.kind {
                Kind::All(_, None) => Edit::Join(node.id, Some("\n+ ".to_owned())),
                Kind::All(_, Some(_)) => Edit::Join(node.id, None),
                _ => Edit::Comment,
            },
            9 | 10 => match (&node.budget, &layer.budget) {
                (Some(_), _) => Edit::Budget(node.id, self.r.from(10, 60)),
                (_, Some(_)) => Edit::Budget(layer.id, self.r.from(10, 60)),
                _ => Edit::Comment,
            },
            11 => match &layer.template {
                Some(Source::Inline(bits)) => {
                    Edit::Template(layer.name.clone(), self.other_bits(bits))
                }
                _ => Edit::Comment,
            },
            12 => Edit::TierJoin(tier, Some((*self.r.pick(&["\n", "\n~\n"])).to_owned())),
            13 => {
                let name = format!("n{}", self.r.below(2));
                match w.layer(&name) {
                    Some(_) => Edit::Comment,
                    None => {
                        Edit::LayerAdded(tier, self.r.below(3), Box::new(self.layer(&name, &[])))
                    }
                }
            }
            14 if several > 1 => {
                let asked = |l: &&Layer| asks(w, &l.name);
                match layers.iter().find(|l| !asked(l)) {
                    Some(l) => Edit::LayerRemoved(l.name.clone()),
                    None => Edit::Comment,
                }
            }
            15 if several > 1 => {
                Edit::LayerMoved(tier, self.r.below(several), self.r.below(several))
            }
            _ if self.r.one_in(6) => Edit::Comment,
            _ => self.edit(w),
        }
    }
}

/// Whether another member of the group around a node is equal to it.
fn twin(roots: &[&Node], node: &Node) -> bool {
    let all = roots.iter().flat_map(|n| n.all());
    let mut groups = all.map(Node::members);
    let is_in = |members: &[Node]| members.iter().any(|m| m.id == node.id);
    let like = |m: &&Node| m.id != node.id && (&m.kind, &m.when) == (&node.kind, &node.when);
    groups.any(|members| is_in(members) && members.iter().any(|m| like(&m)))
}

/// Whether some condition asks for a layer.
fn asks(w: &World, name: &str) -> bool {
    let asks = |c: &Option<Cond>| format!("{c:?}").contains(&format!("Loaded({name:?})"));
    w.layers().any(|l| asks(&l.when))
}
