//! The differences between the inputs of two builds: each is on (B's value) or off (A's), and a mix is the set of those that are on.

use std::collections::{BTreeMap, BTreeSet};

/// The leaves that are on.
pub(super) type Mix = BTreeSet<usize>;

/// Leaves that are tried together before they are tried one by one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    /// A layer of a manifest that both have, and what is edited in it.
    Layer { file: String, name: String },
    /// A layer that one side has.
    OneSidedLayer { file: String, name: String },
    /// A tier that one side has.
    OneSidedTier { file: String, name: String },
    /// A node at another place.
    Moved { file: String, node: String },
    /// More nodes of one list that are at other places than anyone would look at one by one.
    Order { file: String, list: String },
    /// A fact: its value, and its declaration.
    Fact(String),
    /// Another declaration.
    Declaration { file: String, node: String },
    /// A file, or what else is at a path.
    File(String),
    /// A file that is at another place.
    Renamed { from: String, to: String },
    /// More files of one folder that came, or went, than anyone would look at one by one.
    Listing { folder: String, came: bool },
    /// A layer that the caller leaves out.
    LeftOut(String),
    /// The tokenizer that the caller names.
    Tokenizer,
    /// An edit outside of layers, by the number of its first leaf.
    Edit(usize),
}

/// What was done to a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Edit {
    Added,
    Removed,
    Moved,
    /// Another node stands in its place.
    Replaced,
    Arguments,
    Property(String),
    /// Lines of a file.
    Lines,
    /// A file that only B has.
    Appeared,
    /// A file that only A has.
    Vanished,
    /// A path is something else, or leads elsewhere.
    Kind,
    /// A value: all of it, or an item.
    Value,
    /// An item of a list, or a key of a map.
    Item(String),
}

/// One side of a leaf: the text, and its line from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) line: usize,
}

/// The smallest difference.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    pub(super) edit: Edit,
    /// The manifest or document that it is in.
    pub(super) path: Option<String>,
    pub(super) a: Option<Written>,
    pub(super) b: Option<Written>,
}

/// All leaves, by number, and their units.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    pub(super) all: Vec<Leaf>,
    pub(super) units: BTreeMap<Unit, Mix>,
}

/// Whether a recorded path, `/PLACE/PATH`, may be what a map calls `name`, inside of a root.
pub(super) fn is_in_root(path: &str, name: &str) -> bool {
    let root = path.strip_suffix(name);
    root.is_some_and(|root| root.ends_with('/'))
}

impl Leaves {
    /// Adds a leaf to a unit; one outside of all units is its own. Returns its number.
    pub(super) fn add(&mut self, unit: Option<Unit>, leaf: Leaf) -> usize {
        let number = self.all.len();
        let unit = unit.unwrap_or(Unit::Edit(number));
        self.units.entry(unit).or_default().insert(number);
        self.all.push(leaf);
        number
    }

    /// The mix in which all are on.
    pub(super) fn b(&self) -> Mix {
        (0..self.all.len()).collect()
    }
}
