//! The sources of a prompt, as the mutators see them: a manifest, documents, template files and facts.

use std::collections::BTreeMap;

/// All inputs of one build.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) join: String,
    /// A comment in the manifest, which nothing reads.
    pub(super) comment: String,
    pub(super) tiers: Vec<Tier>,
    pub(super) facts: BTreeMap<String, Fact>,
    /// By path in the root `workspace`.
    pub(super) documents: BTreeMap<String, Document>,
    /// By name of the file.
    pub(super) templates: BTreeMap<String, Body>,
}

#[derive(Debug, Clone)]
pub(super) struct Tier {
    pub(super) name: String,
    pub(super) deliver: &'static str,
    pub(super) changes: Option<&'static str>,
    pub(super) join: Option<String>,
    pub(super) layers: Vec<Layer>,
}

#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub(super) name: String,
    pub(super) when: Option<Condition>,
    pub(super) shape: Shape,
    /// The layer's own template; its body holds [`Chunk::Content`] unless the shape is `Bare`.
    pub(super) template: Option<Source>,
}

#[derive(Debug, Clone)]
pub(super) enum Shape {
    File {
        name: Name,
        label: Option<String>,
        budget: Option<Budget>,
    },
    Glob(Glob),
    /// Files, and a text if none of them says something.
    First(Vec<String>, String),
    All {
        join: Option<String>,
        members: Vec<Member>,
    },
    /// Nothing but a template.
    Bare,
}

#[derive(Debug, Clone)]
pub(super) enum Name {
    Fixed(String),
    Fact(String),
}

#[derive(Debug, Clone)]
pub(super) struct Glob {
    /// It finds `DIR/*.md`.
    pub(super) folder: String,
    pub(super) wrap: Option<Source>,
    /// The fact that a document's front matter must name.
    pub(super) audience: Option<String>,
    pub(super) budget: Option<Spread>,
}

#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Its name for mutators.
    pub(super) id: u32,
    pub(super) when: Option<Condition>,
    pub(super) kind: MemberKind,
}

#[derive(Debug, Clone)]
pub(super) enum MemberKind {
    Text(String),
    File(String),
    Template(Source),
}

/// A budget over the whole of a text.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    pub(super) max: usize,
    /// Whether the end is kept too: a half of the maximum at the start, a quarter at the end.
    pub(super) tail: bool,
    pub(super) sizes: bool,
}

/// A budget over documents.
#[derive(Debug, Clone)]
pub(super) struct Spread {
    pub(super) each: Option<usize>,
    pub(super) total: Option<usize>,
    pub(super) floor: Option<usize>,
    pub(super) sizes: bool,
    /// Whether the layer's template prints the last document first.
    pub(super) reversed: bool,
}

/// The text at a cut without sizes.
pub(super) const MARKER: &str = "[cut]";

#[derive(Debug, Clone)]
pub(super) enum Source {
    Inline(Body),
    File(String),
}

pub(super) type Body = Vec<Chunk>;

#[derive(Debug, Clone)]
pub(super) enum Chunk {
    Text(String),
    /// A fact's text.
    Fact(String),
    /// A list, its items joined.
    Items(String),
    /// A fact's text through a `let`.
    Let(String),
    /// One of two texts, by a fact that is true or false.
    Choice(String, String, String),
    Include(String),
    Content,
    /// `name`, `path` or `text` of the document that is wrapped.
    Attribute(&'static str),
}

#[derive(Debug, Clone)]
pub(super) enum Fact {
    Text(String),
    /// One that may be missing; only conditions ask for it.
    Optional(Option<String>),
    Flag(bool),
    List(Vec<String>),
}

#[derive(Debug, Clone)]
pub(super) struct Document {
    /// The audience in its front matter.
    pub(super) audience: Option<String>,
    pub(super) text: String,
}

#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) ask: Ask,
    pub(super) not: bool,
    /// Whether it is in a `let`.
    pub(super) named: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Ask {
    Flag(String),
    Equals(String, String),
    Holds(String, String),
    Defined(String),
    Exists(String),
    Loaded(String),
}

impl Ask {
    /// The fact that it asks.
    pub(super) fn fact(&self) -> Option<&str> {
        match self {
            Self::Flag(f) | Self::Equals(f, _) | Self::Holds(f, _) | Self::Defined(f) => Some(f),
            Self::Exists(_) | Self::Loaded(_) => None,
        }
    }
}

impl World {
    pub(super) fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.tiers.iter().flat_map(|t| &t.layers)
    }

    pub(super) fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers().find(|l| l.name == name)
    }

    pub(super) fn layer_mut(&mut self, name: &str) -> Option<&mut Layer> {
        let mut layers = self.tiers.iter_mut().flat_map(|t| &mut t.layers);
        layers.find(|l| l.name == name)
    }

    /// All conditions, with their layer.
    pub(super) fn conditions(&self) -> Vec<(&Layer, &Condition)> {
        let mut out = Vec::new();
        for layer in self.layers() {
            out.extend(layer.when.iter().map(|c| (layer, c)));
            if let Shape::All { members, .. } = &layer.shape {
                out.extend(
                    members
                        .iter()
                        .filter_map(|m| Some((layer, m.when.as_ref()?))),
                );
            }
        }
        out
    }
}
