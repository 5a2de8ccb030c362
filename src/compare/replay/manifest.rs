//! Two manifests as one tree with choices: every mix of their differences is written from it.

use super::leaves::{Edit, Leaf, Leaves, Mix, Unit, Written};
use super::node::PlainNode;
use crate::compare::order::stay;
use crate::text::common::pairs;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// With more nodes of one list than this at other places, the order of the list is one unit.
const MOST_MOVED: usize = 8;

/// The least likeness of a layer with another name that is the same one, of 1,000.
const RENAMED: usize = 600;

/// The nodes that declare something: where only one side has them they stand in every mix.
const DECLARATIONS: [&str; 7] = ["expect", "fact", "let", "root", "scan", "scenario", "waive"];

/// A list of nodes with choices.
#[derive(Debug)]
pub(super) struct Choices(Vec<Slot>);

/// A place in a list.
#[derive(Debug)]
struct Slot {
    node: Choice,
    stands: Stands,
}

/// When a node stands at its place.
#[derive(Debug, Clone, Copy)]
enum Stands {
    Always,
    /// Where this leaf is off.
    Off(usize),
    /// Where this leaf is on.
    On(usize),
}

/// The places of moved nodes in a list; none of one that stands at its other place in every mix.
type Places = BTreeMap<usize, Option<Slot>>;

/// A node, or two of which parts are chosen.
#[derive(Debug, Clone)]
enum Choice {
    Same(PlainNode),
    Either(Box<Either>),
}

#[derive(Debug, Clone)]
struct Either {
    a: PlainNode,
    b: PlainNode,
    /// The leaf of the whole node.
    whole: Option<usize>,
    arguments: Option<usize>,
    properties: BTreeMap<String, usize>,
    /// None if the children are the same.
    children: Option<Arc<Choices>>,
}

/// The kind of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Top,
    Tier,
    Layer,
    Inside,
}

/// Where a list is.
#[derive(Debug, Clone)]
struct Place {
    level: Level,
    unit: Option<Unit>,
    layer: Option<String>,
}

impl Stands {
    fn is_in(self, mix: &Mix) -> bool {
        match self {
            Self::Always => true,
            Self::Off(leaf) => !mix.contains(&leaf),
            Self::On(leaf) => mix.contains(&leaf),
        }
    }
}

impl Choices {
    /// The nodes of a mix.
    fn nodes(&self, mix: &Mix) -> Vec<PlainNode> {
        let here = self.0.iter().filter(|slot| slot.stands.is_in(mix));
        here.map(|slot| slot.node.of(mix)).collect()
    }

    /// The manifest of a mix.
    pub(super) fn text(&self, mix: &Mix) -> String {
        let mut out = String::new();
        for node in self.nodes(mix) {
            node.write(&mut out);
        }
        out
    }
}

impl Choice {
    fn of(&self, mix: &Mix) -> PlainNode {
        let either = match self {
            Self::Same(node) => return node.clone(),
            Self::Either(either) => either,
        };
        let Either { a, b, .. } = &**either;
        // What does not differ is as B has it.
        let side = |leaf: Option<usize>| {
            let is_b = leaf.is_none_or(|leaf| mix.contains(&leaf));
            if is_b { b } else { a }
        };
        if let Some(whole) = either.whole {
            return side(Some(whole)).clone();
        }
        let names: BTreeSet<&String> = a.properties.keys().chain(b.properties.keys()).collect();
        let properties = names.into_iter().filter_map(|name| {
            let leaf = either.properties.get(name).copied();
            let value = side(leaf).properties.get(name)?;
            Some((name.clone(), value.clone()))
        });
        let children = match &either.children {
            None => b.children.clone(),
            Some(choices) => {
                let nodes = choices.nodes(mix);
                let has_braces = !nodes.is_empty() || a.children.is_some() && b.children.is_some();
                has_braces.then_some(nodes)
            }
        };
        let arguments = side(either.arguments).arguments.clone();
        b.with(arguments, properties.collect(), children)
    }
}

/// Compares two files of the same name.
pub(super) struct Merge<'m> {
    file: &'m str,
    /// Whether one of them extends another manifest.
    is_overlay: bool,
    leaves: &'m mut Leaves,
    /// The names of facts and lets on each side.
    names: [BTreeSet<String>; 2],
    /// The layers on each side by name, and the names that one has twice.
    layers: [BTreeMap<String, PlainNode>; 2],
    doubled: BTreeSet<String>,
    /// The layers that are in another tier on the other side, with the leaf of their move.
    elsewhere: BTreeMap<String, (Choice, usize)>,
}

impl<'m> Merge<'m> {
    /// Both manifests as one, with the leaves of their differences.
    pub(super) fn choices(
        file: &'m str,
        [a, b]: [&[PlainNode]; 2],
        leaves: &'m mut Leaves,
    ) -> Choices {
        let names = |nodes: &[PlainNode]| {
            let named = nodes
                .iter()
                .filter(|node| ["fact", "let"].contains(&&*node.name));
            let names = named.filter_map(PlainNode::argument);
            names.map(str::to_owned).collect()
        };
        let mut merge = Self {
            file,
            is_overlay: a.iter().chain(b).any(|node| node.name == "extends"),
            leaves,
            names: [names(a), names(b)],
            layers: [BTreeMap::new(), BTreeMap::new()],
            doubled: BTreeSet::new(),
            elsewhere: BTreeMap::new(),
        };
        for (side, nodes) in [a, b].into_iter().enumerate() {
            merge.note_layers(side, nodes);
        }
        let place = Place {
            level: Level::Top,
            unit: None,
            layer: None,
        };
        merge.list([a, b], &place)
    }

    fn note_layers(&mut self, side: usize, nodes: &[PlainNode]) {
        for node in nodes {
            match (node.name.as_str(), node.argument()) {
                ("layer", Some(name)) => {
                    let before = self.layers[side].insert(name.to_owned(), node.clone());
                    if before.is_some() {
                        self.doubled.insert(name.to_owned());
                    }
                }
                ("tier" | "refine", _) => self.note_layers(side, node.below()),
                _ => {}
            }
        }
    }

    /// The number of a new leaf.
    fn leaf(&mut self, place: &Place, edit: Edit, [a, b]: [Option<&PlainNode>; 2]) -> usize {
        let written = |node: &PlainNode| Written {
            text: node.head(),
            line: node.line,
        };
        self.leaves.add(
            place.unit.clone(),
            Leaf {
                edit,
                path: Some(self.file.to_owned()),
                a: a.map(written),
                b: b.map(written),
            },
        )
    }

    /// Where the children of a node are.
    fn below(&self, node: &PlainNode, place: &Place) -> Place {
        let file = || self.file.to_owned();
        let name = node.argument().map(str::to_owned);
        let is_in_tier = matches!(place.level, Level::Top | Level::Tier);
        match (node.name.as_str(), place.level, name) {
            ("layer", _, Some(name)) if is_in_tier => Place {
                level: Level::Layer,
                unit: Some(Unit::Layer {
                    file: file(),
                    name: name.clone(),
                }),
                layer: Some(name),
            },
            ("refine", Level::Top, Some(name)) => Place {
                level: Level::Layer,
                unit: Some(Unit::Layer {
                    file: file(),
                    name: name.clone(),
                }),
                layer: Some(name),
            },
            ("tier" | "refine", Level::Top, _) => Place {
                level: Level::Tier,
                ..place.clone()
            },
            ("fact", Level::Top, Some(name)) => Place {
                level: Level::Inside,
                unit: Some(Unit::Fact(name)),
                layer: None,
            },
            (_, Level::Top, _) => Place {
                level: Level::Inside,
                unit: Some(Unit::Declaration {
                    file: file(),
                    node: node.key().unwrap_or_else(|| node.name.clone()),
                }),
                layer: None,
            },
            ("part", ..) => Place {
                level: Level::Layer,
                ..place.clone()
            },
            _ => Place {
                level: Level::Inside,
                ..place.clone()
            },
        }
    }

    /// A node that both have.
    fn node(&mut self, [a, b]: [&PlainNode; 2], place: &Place) -> Choice {
        if a.whole == b.whole {
            return Choice::Same(b.clone());
        }
        let below = self.below(b, place);
        let mut either = Either {
            a: a.clone(),
            b: b.clone(),
            whole: None,
            arguments: None,
            properties: BTreeMap::new(),
            children: None,
        };
        let both = [Some(a), Some(b)];
        if a.name != b.name || a.head().starts_with('(') != b.head().starts_with('(') {
            either.whole = Some(self.leaf(&below, Edit::Replaced, both));
            return Choice::Either(Box::new(either));
        }
        if a.arguments != b.arguments {
            either.arguments = Some(self.leaf(&below, Edit::Arguments, both));
        }
        let names: BTreeSet<&String> = a.properties.keys().chain(b.properties.keys()).collect();
        for name in names {
            if a.properties.get(name) != b.properties.get(name) {
                let leaf = self.leaf(&below, Edit::Property(name.clone()), both);
                either.properties.insert(name.clone(), leaf);
            }
        }
        let whole = |nodes: &[PlainNode]| -> Vec<String> {
            nodes.iter().map(|node| node.whole.clone()).collect()
        };
        if whole(a.below()) != whole(b.below()) {
            let choices = self.list([a.below(), b.below()], &below);
            either.children = Some(Arc::new(choices));
        }
        Choice::Either(Box::new(either))
    }

    /// The children of a node that both have: those that stay, and in each gap A's own and A's places of moved ones, then B's.
    fn list(&mut self, [x, y]: [&[PlainNode]; 2], place: &Place) -> Choices {
        let mut both = self.pairs([x, y], place);
        both.sort_unstable();
        let stays = stay(&both);
        let staying: BTreeSet<usize> = stays.iter().map(|(i, _)| *i).collect();
        let moved: Vec<(usize, usize)> = both
            .into_iter()
            .filter(|(i, _)| !staying.contains(i))
            .collect();
        let mut places: [Places; 2] = Default::default();
        let is_many = moved.len() > MOST_MOVED;
        for (i, j) in moved {
            let node = self.node([&x[i], &y[j]], place);
            // The order of declarations does not matter.
            if place.level == Level::Top && DECLARATIONS.contains(&y[j].name.as_str()) {
                let stands = Stands::Always;
                places[1].insert(j, Some(Slot { node, stands }));
                places[0].insert(i, None);
                continue;
            }
            let leaf = self.moved([&x[i], &y[j]], place, is_many);
            let stands = Stands::Off(leaf);
            places[0].insert(
                i,
                Some(Slot {
                    node: node.clone(),
                    stands,
                }),
            );
            let stands = Stands::On(leaf);
            places[1].insert(j, Some(Slot { node, stands }));
        }
        let mut out = Vec::new();
        let (mut i, mut j) = (0, 0);
        for (p, q) in stays.into_iter().chain([(x.len(), y.len())]) {
            self.gap([(x, i..p), (y, j..q)], &mut places, place, &mut out);
            if p < x.len() {
                let node = self.node([&x[p], &y[q]], place);
                let stands = Stands::Always;
                out.push(Slot { node, stands });
            }
            (i, j) = (p + 1, q + 1);
        }
        Choices(out)
    }

    /// The leaf of a node at another place.
    fn moved(&mut self, [a, b]: [&PlainNode; 2], place: &Place, is_many: bool) -> usize {
        let below = self.below(b, place);
        let file = self.file.to_owned();
        let list = match &place.layer {
            Some(layer) => layer.clone(),
            None => format!("{:?}", place.level),
        };
        let node = b.key().unwrap_or_else(|| b.whole.clone());
        let unit = if is_many {
            Unit::Order { file, list }
        } else {
            Unit::Moved { file, node }
        };
        let place = Place {
            unit: Some(unit),
            ..below
        };
        self.leaf(&place, Edit::Moved, [Some(a), Some(b)])
    }

    /// What stands between two nodes that stay.
    fn gap(
        &mut self,
        [(x, i), (y, j)]: [(&[PlainNode], Range<usize>); 2],
        places: &mut [Places; 2],
        place: &Place,
        out: &mut Vec<Slot>,
    ) {
        let own = |at: Range<usize>, known: &Places| -> Vec<usize> {
            at.filter(|at| !known.contains_key(at)).collect()
        };
        let (own_x, own_y) = (own(i.clone(), &places[0]), own(j.clone(), &places[1]));
        let is_inner = matches!(place.level, Level::Layer | Level::Inside);
        // One node for another one, inside of a layer.
        let replaced = match (own_x.as_slice(), own_y.as_slice()) {
            ([i], [j]) if is_inner => Some((*i, *j)),
            _ => None,
        };
        for at in i {
            match places[0].remove(&at) {
                Some(slot) => out.extend(slot),
                None if replaced.is_some() => {}
                None => out.push(self.one_sided(&x[at], false, place)),
            }
        }
        for at in j {
            match (places[1].remove(&at), replaced) {
                (Some(slot), _) => out.extend(slot),
                (None, Some((i, _))) => {
                    let leaf = self.leaf(place, Edit::Replaced, [Some(&x[i]), Some(&y[at])]);
                    let either = Either {
                        a: x[i].clone(),
                        b: y[at].clone(),
                        whole: Some(leaf),
                        arguments: None,
                        properties: BTreeMap::new(),
                        children: None,
                    };
                    out.push(Slot {
                        node: Choice::Either(Box::new(either)),
                        stands: Stands::Always,
                    });
                }
                (None, None) => out.push(self.one_sided(&y[at], true, place)),
            }
        }
    }

    /// A node that one side has: B if `is_b`.
    fn one_sided(&mut self, node: &PlainNode, is_b: bool, place: &Place) -> Slot {
        let side = usize::from(is_b);
        let plain = |stands| Slot {
            node: Choice::Same(node.clone()),
            stands,
        };
        if place.level == Level::Top && self.is_free(node, 1 - side) {
            return plain(Stands::Always);
        }
        let (mut place, file) = (place.clone(), self.file.to_owned());
        if let ("layer", Some(name), Level::Top | Level::Tier) =
            (node.name.as_str(), node.argument(), place.level)
        {
            let is_both = self.layers.iter().all(|layers| layers.contains_key(name));
            if is_both && !self.doubled.contains(name) {
                let (choice, leaf) = self.elsewhere(name, &place);
                return Slot {
                    node: choice,
                    stands: Stands::of(leaf, is_b),
                };
            }
            place.layer = Some(name.to_owned());
            place.unit = Some(Unit::OneSidedLayer {
                file,
                name: name.to_owned(),
            });
        } else if let ("tier", Some(name), Level::Top) =
            (node.name.as_str(), node.argument(), place.level)
        {
            place.unit = Some(Unit::OneSidedTier {
                file,
                name: name.to_owned(),
            });
            if self.has_common_layer(node) {
                return self.one_sided_tier(node, is_b, &place);
            }
        }
        let leaf = self.one_sided_leaf(node, is_b, &place);
        plain(Stands::of(leaf, is_b))
    }

    fn one_sided_leaf(&mut self, node: &PlainNode, is_b: bool, place: &Place) -> usize {
        if is_b {
            self.leaf(place, Edit::Added, [None, Some(node)])
        } else {
            self.leaf(place, Edit::Removed, [Some(node), None])
        }
    }

    /// Whether a declaration of one side can stand in every mix.
    fn is_free(&self, node: &PlainNode, other: usize) -> bool {
        let name = node.name.as_str();
        if !DECLARATIONS.contains(&name) {
            return false;
        }
        let is_named = ["fact", "let"].contains(&name)
            && node
                .argument()
                .is_some_and(|name| self.names[other].contains(name));
        let is_of_tests = ["scenario", "expect", "waive"].contains(&name);
        !is_named && (!self.is_overlay || is_of_tests)
    }

    /// A layer that is in another tier on the other side: one move.
    fn elsewhere(&mut self, name: &str, place: &Place) -> (Choice, usize) {
        if let Some(known) = self.elsewhere.get(name) {
            return known.clone();
        }
        let [a, b] = [0, 1].map(|side| self.layers[side][name].clone());
        let leaf = self.moved([&a, &b], place, false);
        let choice = self.node([&a, &b], place);
        let known = (choice, leaf);
        self.elsewhere.insert(name.to_owned(), known.clone());
        known
    }

    fn has_common_layer(&self, tier: &PlainNode) -> bool {
        let mut layers = tier.below().iter().filter(|node| node.name == "layer");
        layers.any(|layer| {
            let name = layer.argument();
            name.is_some_and(|name| self.layers.iter().all(|all| all.contains_key(name)))
        })
    }

    /// A tier with layers that are elsewhere on the other side: they come and go one by one.
    fn one_sided_tier(&mut self, tier: &PlainNode, is_b: bool, place: &Place) -> Slot {
        let leaf = self.one_sided_leaf(tier, is_b, place);
        let inner = Place {
            level: Level::Tier,
            unit: None,
            layer: None,
        };
        let slots = tier.below().iter().map(|node| match node.name.as_str() {
            "layer" => self.one_sided(node, is_b, &inner),
            _ => Slot {
                node: Choice::Same(node.clone()),
                stands: Stands::Always,
            },
        });
        let either = Either {
            a: tier.clone(),
            b: tier.clone(),
            whole: None,
            arguments: None,
            properties: BTreeMap::new(),
            children: Some(Arc::new(Choices(slots.collect()))),
        };
        Slot {
            node: Choice::Either(Box::new(either)),
            stands: Stands::of(leaf, is_b),
        }
    }

    /// The pairs of nodes that are the same one, of two lists.
    fn pairs(&self, [x, y]: [&[PlainNode]; 2], place: &Place) -> Vec<(usize, usize)> {
        let mut found = Pairs::default();
        let is_inner = matches!(place.level, Level::Layer | Level::Inside);
        let keys = |nodes: &[PlainNode]| -> Vec<Option<String>> {
            nodes.iter().map(PlainNode::key).collect()
        };
        let (of_x, of_y) = (keys(x), keys(y));
        for (i, key) in of_x.iter().enumerate().filter(|(_, key)| key.is_some()) {
            let once =
                |all: &[Option<String>]| all.iter().filter(|other| *other == key).count() == 1;
            if once(&of_x) && once(&of_y) {
                let j = of_y.iter().position(|other| other == key);
                j.into_iter().for_each(|j| found.add(i, j));
            }
        }
        if place.level == Level::Layer {
            let content = |nodes: &[PlainNode], taken: &BTreeSet<usize>| -> Vec<usize> {
                let all = 0..nodes.len();
                all.filter(|at| nodes[*at].is_content() && !taken.contains(at))
                    .collect()
            };
            let own = [content(x, &found.x), content(y, &found.y)];
            if let [[i], [j]] = own.each_ref().map(Vec::as_slice) {
                found.add(*i, *j);
            }
        }
        found.equal(x, y);
        found.alike(x, y, is_inner, &of_x);
        found.both
    }
}

impl Stands {
    fn of(leaf: usize, is_b: bool) -> Self {
        if is_b {
            Self::On(leaf)
        } else {
            Self::Off(leaf)
        }
    }
}

/// The pairs so far, and the nodes that have one.
#[derive(Default)]
struct Pairs {
    both: Vec<(usize, usize)>,
    x: BTreeSet<usize>,
    y: BTreeSet<usize>,
}

impl Pairs {
    fn add(&mut self, i: usize, j: usize) {
        self.both.push((i, j));
        self.x.insert(i);
        self.y.insert(j);
    }

    fn free(&self, x: usize, y: usize) -> (Vec<usize>, Vec<usize>) {
        let of_x = (0..x).filter(|at| !self.x.contains(at));
        let of_y = (0..y).filter(|at| !self.y.contains(at));
        (of_x.collect(), of_y.collect())
    }

    /// Adds equal nodes: those in order first, then those at other places.
    fn equal(&mut self, x: &[PlainNode], y: &[PlainNode]) {
        let (of_x, of_y) = self.free(x.len(), y.len());
        let a: Vec<&String> = of_x.iter().map(|at| &x[*at].whole).collect();
        let b: Vec<&String> = of_y.iter().map(|at| &y[*at].whole).collect();
        for (i, j) in pairs(&a, &b) {
            self.add(of_x[i], of_y[j]);
        }
        let (of_x, of_y) = self.free(x.len(), y.len());
        for i in of_x {
            let is_equal = |j: &&usize| x[i].whole == y[**j].whole && !self.y.contains(j);
            if let Some(j) = of_y.iter().find(is_equal) {
                self.add(i, *j);
            }
        }
    }

    /// Adds edited nodes: of those of one name between the same neighbours the most alike.
    fn alike(&mut self, x: &[PlainNode], y: &[PlainNode], is_inner: bool, keys: &[Option<String>]) {
        let (of_x, of_y) = self.free(x.len(), y.len());
        let before = |taken: &BTreeSet<usize>, at: usize| taken.range(..at).count();
        let mut found = Vec::new();
        for i in &of_x {
            for j in &of_y {
                let (a, b) = (&x[*i], &y[*j]);
                let is_near = before(&self.x, *i) == before(&self.y, *j);
                let name = a.name.as_str();
                let may_be = keys[*i].is_none() || is_inner || ["layer", "tier"].contains(&name);
                if !is_near || a.name != b.name || !may_be {
                    continue;
                }
                let likeness = a.likeness(b);
                let is_one = match name {
                    "layer" => likeness >= RENAMED,
                    "tier" => {
                        let names = |node: &PlainNode| -> BTreeSet<String> {
                            let layers = node.below().iter().filter(|node| node.name == "layer");
                            layers
                                .filter_map(PlainNode::argument)
                                .map(str::to_owned)
                                .collect()
                        };
                        !names(a).is_disjoint(&names(b))
                    }
                    _ => true,
                };
                if is_one {
                    found.push((std::cmp::Reverse(likeness), i.abs_diff(*j), *i, *j));
                }
            }
        }
        found.sort_unstable();
        for (_, _, i, j) in found {
            if !self.x.contains(&i) && !self.y.contains(&j) {
                self.add(i, j);
            }
        }
    }
}
