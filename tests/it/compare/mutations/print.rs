//! The text of a world, piece by piece: a small independent compiler, so that mutators know their effect.

use super::world::{
    Ask, Body, Budget, Chunk, Condition, Fact, Glob, Layer, MARKER, MemberKind, Name, Shape,
    Source, Spread, Tier, World,
};
use std::collections::{BTreeMap, BTreeSet};

/// Where a piece of text is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// A document, its name or its path.
    Document(String),
    /// Text in the manifest.
    Manifest,
    Template(String),
    Fact(String),
    /// Between two members; it belongs to what follows.
    Join,
    /// At a cut of this document.
    Marker(String),
}

#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) owner: Owner,
    pub(super) text: String,
    /// The member that it is part of, or the document of a glob that it is printed for.
    pub(super) within: Option<String>,
}

/// Equal bytes of one owner are no difference, wherever they are.
impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        self.owner == other.owner && self.text == other.text
    }
}

/// One layer as it is printed.
#[derive(Debug, Clone)]
pub(super) struct Printed {
    pub(super) name: String,
    pub(super) tier: String,
    pub(super) deliver: &'static str,
    /// None if it is absent.
    pub(super) pieces: Option<Vec<Piece>>,
    /// The answers of its conditions: `when`, a member's by its number, a document's `where` by its path.
    pub(super) answers: BTreeMap<String, bool>,
}

impl Printed {
    pub(super) fn text(&self) -> Option<String> {
        Some(
            self.pieces
                .as_ref()?
                .iter()
                .map(|p| p.text.as_str())
                .collect(),
        )
    }
}

/// All layers in the order of channels.
pub(super) fn print(world: &World) -> Vec<Printed> {
    let (mut loaded, mut out) = (BTreeSet::new(), Vec::new());
    for tier in &world.tiers {
        for layer in &tier.layers {
            let printer = Printer {
                world,
                loaded: &loaded,
                join: tier.join.as_ref().unwrap_or(&world.join),
            };
            let printed = printer.layer(layer, tier);
            if printer.yields(layer) {
                loaded.insert(layer.name.clone());
            }
            out.push(printed);
        }
    }
    out.sort_by_key(|p| {
        ["tools", "system", "user"]
            .iter()
            .position(|d| *d == p.deliver)
    });
    out
}

struct Printer<'a> {
    world: &'a World,
    loaded: &'a BTreeSet<String>,
    join: &'a str,
}

impl Printer<'_> {
    fn layer(&self, layer: &Layer, tier: &Tier) -> Printed {
        let mut answers = BTreeMap::new();
        let here = layer.when.as_ref().is_none_or(|c| self.ask(c));
        answers.insert("when".to_owned(), here);
        let content = if here {
            self.shape(&layer.shape, &mut answers)
        } else {
            None
        };
        let pieces = content.map(|content| match &layer.template {
            Some(source) => self.run(source, &content, None),
            None => content,
        });
        Printed {
            name: layer.name.clone(),
            tier: tier.name.clone(),
            deliver: tier.deliver,
            pieces,
            answers,
        }
    }

    /// The input of `loaded`: budgets do not matter to it.
    fn yields(&self, layer: &Layer) -> bool {
        let mut shape = layer.shape.clone();
        match &mut shape {
            Shape::File { budget, .. } => *budget = None,
            Shape::Glob(glob) => glob.budget = None,
            _ => {}
        }
        let here = layer.when.as_ref().is_none_or(|c| self.ask(c));
        here && self.shape(&shape, &mut BTreeMap::new()).is_some()
    }

    fn ask(&self, condition: &Condition) -> bool {
        let yes = match &condition.ask {
            Ask::Flag(fact) => matches!(self.world.facts[fact], Fact::Flag(true)),
            Ask::Equals(fact, value) => self.fact(fact) == *value,
            Ask::Holds(fact, item) => match &self.world.facts[fact] {
                Fact::List(items) => items.contains(item),
                _ => false,
            },
            Ask::Defined(fact) => !matches!(self.world.facts[fact], Fact::Optional(None)),
            Ask::Exists(path) => self.world.documents.contains_key(path),
            Ask::Loaded(layer) => self.loaded.contains(layer),
        };
        yes != condition.not
    }

    fn fact(&self, name: &str) -> String {
        match &self.world.facts[name] {
            Fact::Text(text) | Fact::Optional(Some(text)) => text.clone(),
            Fact::List(items) => items.join(", "),
            Fact::Optional(None) | Fact::Flag(_) => String::new(),
        }
    }

    /// A document's text, if it is there and says something.
    fn document(&self, path: &str) -> Option<String> {
        let text = self.world.documents.get(path)?.text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    fn shape(&self, shape: &Shape, answers: &mut BTreeMap<String, bool>) -> Option<Vec<Piece>> {
        let whole = |path: &String| {
            let owner = Owner::Document(path.clone());
            Some(vec![piece(owner, self.document(path)?)])
        };
        match shape {
            Shape::Bare => Some(Vec::new()),
            Shape::File {
                name,
                label,
                budget,
            } => self.file(name, label.as_deref(), budget.as_ref()),
            Shape::First(paths, text) => {
                let found = paths.iter().find_map(whole);
                Some(found.unwrap_or_else(|| vec![piece(Owner::Manifest, text)]))
            }
            Shape::Glob(glob) => self.glob(glob, answers),
            Shape::All { join, members } => {
                let mut texts = Vec::new();
                for member in members {
                    let here = member.when.as_ref().is_none_or(|c| self.ask(c));
                    answers.insert(member.id.to_string(), here);
                    let text = match &member.kind {
                        _ if !here => None,
                        MemberKind::Text(text) => Some(vec![piece(Owner::Manifest, text)]),
                        MemberKind::File(path) => whole(path),
                        MemberKind::Template(source) => Some(self.run(source, &[], None)),
                    };
                    texts.extend(text.map(|text| within(&member.id.to_string(), text)));
                }
                joined(texts, join.as_deref().unwrap_or(self.join))
            }
        }
    }

    fn file(
        &self,
        name: &Name,
        label: Option<&str>,
        budget: Option<&Budget>,
    ) -> Option<Vec<Piece>> {
        let path = match name {
            Name::Fixed(path) => path.clone(),
            Name::Fact(fact) => self.fact(fact),
        };
        let text = self.document(&path)?;
        if let Some(label) = label {
            return Some(vec![
                piece(Owner::Manifest, format!("<{label}> ")),
                piece(Owner::Document(path), text),
            ]);
        }
        let Some(budget) = budget else {
            return Some(vec![piece(Owner::Document(path), text)]);
        };
        let part = |n: usize, of: usize| budget.max * n / of;
        let (head, tail) = if budget.tail {
            (part(1, 2), part(1, 4))
        } else {
            (budget.max, 0)
        };
        cut(&path, &text, budget.max, (head, tail), budget.sizes)
    }

    fn glob(&self, glob: &Glob, answers: &mut BTreeMap<String, bool>) -> Option<Vec<Piece>> {
        let inside = format!("{}/", glob.folder);
        let found = |path: &str| path.starts_with(&inside) && path.ends_with(".md");
        let mut left = glob.budget.as_ref().and_then(|s| s.total);
        let mut texts = Vec::new();
        for (path, document) in &self.world.documents {
            let text = self.document(path);
            let (true, Some(text)) = (found(path), text) else {
                continue;
            };
            if let Some(fact) = &glob.audience {
                let asked = document.audience == Some(self.fact(fact));
                answers.insert(path.clone(), asked);
                if !asked {
                    continue;
                }
            }
            let shown = match (&glob.wrap, &glob.budget) {
                (Some(wrap), _) => Some(self.run(wrap, &[], Some((path, &text)))),
                (None, Some(spread)) => spend(path, &text, spread, &mut left),
                (None, None) => Some(vec![piece(Owner::Document(path.clone()), text)]),
            };
            texts.extend(shown.map(|text| within(path, text)));
        }
        if glob.budget.as_ref().is_some_and(|s| s.reversed) {
            texts.reverse();
            return joined(texts, "\n");
        }
        joined(texts, self.join)
    }

    fn run(&self, source: &Source, content: &[Piece], wrapped: Option<(&str, &str)>) -> Vec<Piece> {
        let (owner, body) = match source {
            Source::Inline(body) => (Owner::Manifest, body),
            Source::File(name) => (Owner::Template(name.clone()), &self.world.templates[name]),
        };
        self.body(&owner, body, content, wrapped)
    }

    fn body(
        &self,
        owner: &Owner,
        body: &Body,
        content: &[Piece],
        wrapped: Option<(&str, &str)>,
    ) -> Vec<Piece> {
        let mut out = Vec::new();
        for chunk in body {
            match chunk {
                Chunk::Text(text) => out.push(piece(owner.clone(), text)),
                Chunk::Fact(fact) | Chunk::Items(fact) => {
                    out.push(piece(Owner::Fact(fact.clone()), self.fact(fact)));
                }
                Chunk::Let(fact) => {
                    out.push(piece(
                        Owner::Fact(fact.clone()),
                        self.fact(fact).to_uppercase(),
                    ));
                }
                Chunk::Choice(fact, yes, no) => {
                    let flag = matches!(self.world.facts[fact], Fact::Flag(true));
                    out.push(piece(owner.clone(), if flag { yes } else { no }));
                }
                Chunk::Include(name) => {
                    let inner = Owner::Template(name.clone());
                    out.extend(self.body(&inner, &self.world.templates[name], content, wrapped));
                }
                Chunk::Content => out.extend_from_slice(content),
                Chunk::Attribute(name) => {
                    let (path, text) = wrapped.unwrap();
                    let value = match *name {
                        "text" => text,
                        "path" => path,
                        _ => path.rsplit('/').next().unwrap(),
                    };
                    out.push(piece(Owner::Document(path.to_owned()), value));
                }
            }
        }
        out
    }
}

fn piece(owner: Owner, text: impl Into<String>) -> Piece {
    Piece {
        owner,
        text: text.into(),
        within: None,
    }
}

fn within(name: &str, mut text: Vec<Piece>) -> Vec<Piece> {
    for piece in &mut text {
        piece.within = Some(name.to_owned());
    }
    text
}

fn joined(texts: Vec<Vec<Piece>>, join: &str) -> Option<Vec<Piece>> {
    let mut out: Vec<Piece> = Vec::new();
    for text in texts {
        if !out.is_empty() {
            out.push(piece(Owner::Join, join));
        }
        out.extend(text);
    }
    (!out.is_empty()).then_some(out)
}

fn count(text: &str) -> usize {
    text.chars().count()
}

/// The language's cut: head and tail, then what the marker takes too much from the tail and from the head.
fn cut(
    path: &str,
    text: &str,
    max: usize,
    (mut head, mut tail): (usize, usize),
    sizes: bool,
) -> Option<Vec<Piece>> {
    let size = count(text);
    if size <= max {
        return Some(vec![piece(Owner::Document(path.to_owned()), text)]);
    }
    loop {
        let marker = if sizes {
            format!("[{} of {size}]", size - head - tail)
        } else {
            MARKER.to_owned()
        };
        let excess = (head + tail + count(&marker)).saturating_sub(max);
        if excess == 0 {
            return Some(parts(path, text, (head, tail), marker));
        }
        if head + tail == 0 {
            return None;
        }
        let from_tail = excess.min(tail);
        tail -= from_tail;
        head = head.saturating_sub(excess - from_tail);
    }
}

fn parts(path: &str, text: &str, (head, tail): (usize, usize), marker: String) -> Vec<Piece> {
    let chars: Vec<char> = text.chars().collect();
    let owner = Owner::Document(path.to_owned());
    let part = |range: &[char]| piece(owner.clone(), range.iter().collect::<String>());
    let mut out = vec![
        part(&chars[..head]),
        piece(Owner::Marker(path.to_owned()), marker),
        part(&chars[chars.len() - tail..]),
    ];
    out.retain(|p| !p.text.is_empty());
    out
}

/// One document of several that share a budget.
fn spend(path: &str, text: &str, spread: &Spread, left: &mut Option<usize>) -> Option<Vec<Piece>> {
    let size = count(text);
    let most = spread
        .each
        .unwrap_or(usize::MAX)
        .min(left.unwrap_or(usize::MAX));
    if size > most && left.is_some_and(|left| left < spread.floor.unwrap_or(0)) {
        return None;
    }
    let out = cut(path, text, most, (most, 0), spread.sizes)?;
    let used: usize = out.iter().map(|p| count(&p.text)).sum();
    if let Some(left) = left {
        *left -= used;
    }
    Some(out)
}
