//! A random manifest and its files, before they are printed.

use std::collections::BTreeMap;

/// The number of a node. A node that is edited in place keeps it, one that is put elsewhere gets another.
pub(crate) type Id = u32;

/// All that a prompt is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct World {
    /// Documents by root and path.
    pub(crate) docs: BTreeMap<Doc, String>,
    /// The values of the facts.
    pub(crate) facts: BTreeMap<String, String>,
    /// Template files by name.
    pub(crate) templates: BTreeMap<String, Vec<Bit>>,
    /// The text between tiers.
    pub(crate) join: String,
    /// The tiers, in order.
    pub(crate) tiers: Vec<Tier>,
    /// A comment in the manifest.
    pub(crate) comment: String,
}

/// The root and the path of a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Doc {
    pub(crate) root: String,
    pub(crate) path: String,
}

/// A tier.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tier {
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) user: bool,
    pub(crate) join: Option<String>,
    pub(crate) layers: Vec<Layer>,
}

/// A layer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layer {
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) when: Option<Cond>,
    pub(crate) content: Option<Node>,
    pub(crate) parts: Vec<(String, Node)>,
    pub(crate) template: Option<Source>,
    pub(crate) budget: Option<Budget>,
}

/// A node of content.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) id: Id,
    pub(crate) when: Option<Cond>,
    pub(crate) kind: Kind,
    /// A template that is run over each document of this node.
    pub(crate) wrap: Option<Vec<Bit>>,
    /// Whether front matter goes.
    pub(crate) strip: bool,
    /// Whether comments go.
    pub(crate) comments: bool,
    pub(crate) budget: Option<Budget>,
}

/// The kind of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Text(String),
    Fact(String),
    /// The first of these names that exists; `{name}` is a fact.
    File(Vec<String>),
    /// The nearest file of this name, from the folder `s/t` of the root `tree` upwards.
    Up(String),
    /// All files of this name, the outermost first.
    Every(String),
    /// All files in a folder.
    Glob(String),
    First(Vec<Node>),
    All(Vec<Node>, Option<String>),
    Template(Source),
}

/// The location of a template.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    Inline(Vec<Bit>),
    File(String),
}

/// A bit of a template.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bit {
    Lit(String),
    Fact(String),
    Content,
    Part(String),
    /// Of a `wrap`: the text, and the name of the document.
    Text,
    Name,
    If(Cond, Vec<Bit>, Vec<Bit>),
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cond {
    Is(String, String),
    Not(Box<Cond>),
    Exists(String),
    Loaded(String),
}

/// A budget.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Budget {
    pub(crate) max: Max,
    pub(crate) bytes: bool,
    /// Head and tail in quarters of the maximum; none if all is kept from the start.
    pub(crate) ends: Option<(usize, usize)>,
    /// Whether the marker prints numbers.
    pub(crate) numbers: bool,
}

/// The text that a budget bounds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Max {
    One(usize),
    Each(usize),
    Total(usize, usize),
    Both(usize, usize),
}

impl Doc {
    pub(crate) fn new(root: &str, path: &str) -> Self {
        Self {
            root: root.to_owned(),
            path: path.to_owned(),
        }
    }

    /// The last component of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The path of the file on the disk.
    pub(crate) fn file(&self) -> String {
        let folder = if self.root == "tree" { "tree" } else { "ws" };
        format!("{folder}/{}", self.path)
    }
}

impl Node {
    pub(crate) fn new(id: Id, kind: Kind) -> Self {
        Self {
            id,
            when: None,
            kind,
            wrap: None,
            strip: false,
            comments: false,
            budget: None,
        }
    }

    /// The members of a group.
    pub(crate) fn members(&self) -> &[Node] {
        match &self.kind {
            Kind::First(m) | Kind::All(m, _) => m,
            _ => &[],
        }
    }

    /// The members of a group, to be changed.
    pub(crate) fn members_mut(&mut self) -> Option<&mut Vec<Node>> {
        match &mut self.kind {
            Kind::First(m) | Kind::All(m, _) => Some(m),
            _ => None,
        }
    }

    pub(crate) fn find_mut(&mut self, id: Id) -> Option<&mut Node> {
        if self.id == id {
            return Some(self);
        }
        self.members_mut()?.iter_mut().find_map(|m| m.find_mut(id))
    }

    /// All nodes, this one first.
    pub(crate) fn all(&self) -> Vec<&Node> {
        let mut out = vec![self];
        out.extend(self.members().iter().flat_map(Node::all));
        out
    }
}

impl Layer {
    /// The content and the contents of the parts.
    pub(crate) fn roots(&self) -> Vec<&Node> {
        self.content
            .iter()
            .chain(self.parts.iter().map(|p| &p.1))
            .collect()
    }

    pub(crate) fn roots_mut(&mut self) -> Vec<&mut Node> {
        self.content
            .iter_mut()
            .chain(self.parts.iter_mut().map(|p| &mut p.1))
            .collect()
    }
}

impl World {
    pub(crate) fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.tiers.iter().flat_map(|t| &t.layers)
    }

    pub(crate) fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers().find(|l| l.name == name)
    }

    pub(crate) fn layer_mut(&mut self, name: &str) -> Option<&mut Layer> {
        let mut layers = self.tiers.iter_mut().flat_map(|t| &mut t.layers);
        layers.find(|l| l.name == name)
    }

    pub(crate) fn node_mut(&mut self, id: Id) -> Option<&mut Node> {
        let layers = self.tiers.iter_mut().flat_map(|t| &mut t.layers);
        layers
            .flat_map(Layer::roots_mut)
            .find_map(|n| n.find_mut(id))
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
