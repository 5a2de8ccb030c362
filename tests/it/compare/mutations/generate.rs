//! Random worlds.

use super::ink::Ink;
use super::print::print;
use super::world::{
    Ask, Body, Budget, Chunk, Condition, Document, Fact, Glob, Layer, Member, MemberKind, Name,
    Shape, Source, Spread, Tier, World,
};
use std::collections::{BTreeMap, BTreeSet};

/// A world in which at least one layer prints something.
pub(super) fn world(ink: &mut Ink) -> World {
    loop {
        let mut maker = Maker::new(ink);
        maker.fill();
        let world = maker.world;
        if print(&world).iter().any(|l| l.pieces.is_some()) {
            return world;
        }
    }
}

/// A new layer of one literal text.
pub(super) fn plain_layer(ink: &mut Ink) -> Layer {
    Layer {
        name: format!("n{}", ink.fresh()),
        when: None,
        shape: Shape::All {
            join: None,
            members: vec![text_member(ink)],
        },
        template: None,
    }
}

/// A member that is a literal text.
pub(super) fn text_member(ink: &mut Ink) -> Member {
    Member {
        id: ink.fresh(),
        when: None,
        kind: MemberKind::Text(ink.text()),
    }
}

struct Maker<'a> {
    ink: &'a mut Ink,
    world: World,
    /// Layers so far.
    names: Vec<String>,
    /// Facts and files that this layer uses: each in one way only, so that a change has one meaning in it.
    used: BTreeSet<String>,
}

impl<'a> Maker<'a> {
    fn new(ink: &'a mut Ink) -> Self {
        let join = ink.of(&["\n\n", "\n\n", "\n\n---\n\n"]);
        let world = World {
            join: join.to_owned(),
            comment: ink.line(),
            tiers: Vec::new(),
            facts: BTreeMap::new(),
            documents: BTreeMap::new(),
            templates: BTreeMap::new(),
        };
        Self {
            ink,
            world,
            names: Vec::new(),
            used: BTreeSet::new(),
        }
    }

    fn fill(&mut self) {
        for n in 0..2 + self.ink.below(3) {
            let delivers = [
                "tools", "user", "system", "system", "system", "system", "system",
            ];
            let tier = Tier {
                name: format!("t{n}"),
                deliver: self.ink.of(&delivers),
                changes: self.ink.odds(30).then_some("turn"),
                join: self
                    .ink
                    .odds(30)
                    .then(|| self.ink.of(&["\n", "\n***\n"]).to_owned()),
                layers: Vec::new(),
            };
            self.world.tiers.push(tier);
            for _ in 0..1 + self.ink.below(3) {
                if self.names.len() == 8 {
                    break;
                }
                self.used.clear();
                let layer = self.layer();
                self.names.push(layer.name.clone());
                self.world.tiers.last_mut().unwrap().layers.push(layer);
            }
        }
        let unread = Fact::Text(self.ink.text());
        self.world.facts.insert("unread".to_owned(), unread);
        self.document("unread.md");
    }

    fn layer(&mut self) -> Layer {
        let name = format!("l{}", self.ink.fresh());
        let when = self.ink.odds(20).then(|| self.condition());
        let (shape, template) = match self.ink.below(14) {
            0 | 1 => (self.file(&name), None),
            2..=4 => (self.glob(&name), None),
            5 | 6 => (self.first(&name), None),
            7..=9 => (self.all(&name), None),
            10 | 11 => (Shape::Bare, Some(self.source(false))),
            12 => (self.all(&name), Some(self.source(true))),
            _ => (self.plain_glob(&name), Some(self.source(true))),
        };
        Layer {
            name,
            when,
            shape,
            template,
        }
    }

    fn document(&mut self, path: &str) {
        let text = if self.ink.odds(8) {
            " \n".to_owned()
        } else {
            self.ink.text()
        };
        let document = Document {
            audience: None,
            text,
        };
        self.world.documents.insert(path.to_owned(), document);
    }

    fn file(&mut self, layer: &str) -> Shape {
        let path = format!("{layer}/one.md");
        if self.ink.odds(85) {
            self.document(&path);
        }
        if self.ink.odds(15) {
            let fact = format!("path_{layer}");
            self.document(&format!("{layer}/other.md"));
            self.world.facts.insert(fact.clone(), Fact::Text(path));
            return Shape::File {
                name: Name::Fact(fact),
                label: None,
                budget: None,
            };
        }
        let label = self.ink.odds(30).then(|| self.ink.line());
        let budget = (label.is_none() && self.ink.odds(60)).then(|| self.budget(&path));
        Shape::File {
            name: Name::Fixed(path),
            label,
            budget,
        }
    }

    /// One that cuts the document about as often as not.
    fn budget(&mut self, path: &str) -> Budget {
        let sizes = self.ink.odds(50);
        let long: Vec<String> = (0..4).map(|_| self.ink.text()).collect();
        let size = long.join("\n").chars().count();
        if let Some(document) = self.world.documents.get_mut(path) {
            document.text = long.join("\n");
        }
        let max = if self.ink.odds(50) {
            size + self.ink.below(3)
        } else {
            size - 30
        };
        Budget {
            max,
            tail: self.ink.odds(40),
            sizes,
        }
    }

    fn folder(&mut self, layer: &str) {
        for n in 1..=1 + self.ink.below(4) {
            self.document(&format!("{layer}/d{n}0.md"));
        }
    }

    fn plain_glob(&mut self, layer: &str) -> Shape {
        self.folder(layer);
        Shape::Glob(Glob {
            folder: layer.to_owned(),
            wrap: None,
            audience: None,
            budget: None,
        })
    }

    fn glob(&mut self, layer: &str) -> Shape {
        let Shape::Glob(mut glob) = self.plain_glob(layer) else {
            unreachable!("a plain glob is a glob")
        };
        match self.ink.below(5) {
            0 => {}
            1 | 2 => glob.wrap = Some(self.wrap()),
            3 => glob.audience = Some(self.audience(layer)),
            _ => glob.budget = Some(self.spread(layer)),
        }
        Shape::Glob(glob)
    }

    fn wrap(&mut self) -> Source {
        let mut body = vec![Chunk::Text(format!("{} ", self.ink.word()))];
        if self.ink.odds(60) {
            body.push(Chunk::Attribute(self.ink.of(&["name", "path"])));
            body.push(Chunk::Text(format!(" {}\n", self.ink.word())));
        }
        body.push(Chunk::Attribute("text"));
        if self.ink.odds(40) {
            body.push(Chunk::Text(format!("\n{}", self.ink.word())));
        }
        self.stored(body)
    }

    fn audience(&mut self, layer: &str) -> String {
        let fact = format!("audience_{layer}");
        self.world
            .facts
            .insert(fact.clone(), Fact::Text("agent".to_owned()));
        let inside = format!("{layer}/");
        for (path, document) in &mut self.world.documents {
            if path.starts_with(&inside) {
                document.audience = Some(self.ink.of(&["agent", "agent", "human"]).to_owned());
            }
        }
        fact
    }

    fn spread(&mut self, layer: &str) -> Spread {
        let inside = format!("{layer}/");
        let sizes = self
            .world
            .documents
            .iter()
            .filter(|(p, _)| p.starts_with(&inside));
        let sizes: usize = sizes.map(|(_, d)| d.text.trim().chars().count()).sum();
        let total = self.ink.odds(75);
        Spread {
            each: (!total || self.ink.odds(30)).then(|| 30 + self.ink.below(30)),
            total: total.then(|| (sizes * 3 / 4).max(20)),
            floor: (total && self.ink.odds(50)).then_some(20),
            sizes: self.ink.odds(30),
            reversed: self.ink.odds(50),
        }
    }

    fn first(&mut self, layer: &str) -> Shape {
        let paths: Vec<String> = (0..1 + self.ink.below(3))
            .map(|n| format!("{layer}/f{n}.md"))
            .collect();
        for path in &paths {
            if self.ink.odds(60) {
                self.document(path);
            }
        }
        Shape::First(paths, self.ink.text())
    }

    fn all(&mut self, layer: &str) -> Shape {
        let join = self
            .ink
            .odds(40)
            .then(|| self.ink.of(&["\n", " ", "\n+++\n"]).to_owned());
        let members = (0..2 + self.ink.below(4))
            .map(|_| self.member(layer))
            .collect();
        Shape::All { join, members }
    }

    fn member(&mut self, layer: &str) -> Member {
        let id = self.ink.fresh();
        let kind = match self.ink.below(5) {
            0 | 1 => MemberKind::Text(self.ink.text()),
            2 | 3 => {
                let path = format!("{layer}/m{id}.md");
                if self.ink.odds(85) {
                    self.document(&path);
                }
                MemberKind::File(path)
            }
            _ => MemberKind::Template(self.source(false)),
        };
        Member {
            id,
            when: self.ink.odds(35).then(|| self.condition()),
            kind,
        }
    }

    fn condition(&mut self) -> Condition {
        let wanted = self.ink.odds(70);
        let ask = match self.ink.below(6) {
            0 => Ask::Flag(self.flag()),
            1 => {
                let fact = self.text();
                let Fact::Text(value) = &self.world.facts[&fact] else {
                    unreachable!("a text is a text")
                };
                let equal = !value.contains('\n') && self.ink.odds(60);
                let value = if equal {
                    value.clone()
                } else {
                    self.ink.word()
                };
                Ask::Equals(fact, value)
            }
            2 => {
                let fact = self.list();
                let Fact::List(items) = &self.world.facts[&fact] else {
                    unreachable!("a list is a list")
                };
                let item = self.ink.maybe(items).filter(|_| self.ink.odds(70));
                Ask::Holds(fact, item.unwrap_or_else(|| self.ink.word()))
            }
            3 => {
                let name = format!("o{}", self.ink.fresh());
                let value = self.ink.odds(50).then(|| self.ink.word());
                self.world.facts.insert(name.clone(), Fact::Optional(value));
                Ask::Defined(name)
            }
            4 => return self.loaded(wanted),
            _ => return self.exists(wanted),
        };
        Condition {
            not: self.ink.odds(30),
            named: self.ink.odds(25),
            ask,
        }
    }

    fn loaded(&mut self, wanted: bool) -> Condition {
        match self.ink.maybe(&self.names) {
            Some(name) => Condition {
                ask: Ask::Loaded(name),
                not: false,
                named: false,
            },
            None => self.exists(wanted),
        }
    }

    /// Asks for a file of its own, or for a document that another layer reads.
    fn exists(&mut self, wanted: bool) -> Condition {
        let ready = |path: &&String| {
            self.names
                .iter()
                .any(|n| path.starts_with(&format!("{n}/")))
        };
        let known: Vec<String> = self.world.documents.keys().filter(ready).cloned().collect();
        let other = self.ink.maybe(&known).filter(|_| self.ink.odds(50));
        let path = match other {
            Some(path) if self.used.insert(path.clone()) => path,
            _ => {
                let path = format!("flags/x{}.md", self.ink.fresh());
                if wanted {
                    self.document(&path);
                }
                path
            }
        };
        Condition {
            ask: Ask::Exists(path),
            not: self.ink.odds(20),
            named: false,
        }
    }

    /// A known fact of this kind that the layer does not use yet, or a new one.
    fn fact(&mut self, prefix: &str, make: impl FnOnce(&mut Ink) -> Fact) -> String {
        let known = self.world.facts.keys().filter(|name| {
            let number = name.strip_prefix(prefix);
            number.is_some_and(|n| n.parse::<u32>().is_ok()) && !self.used.contains(*name)
        });
        let known: Vec<String> = known.cloned().collect();
        let name = match self.ink.maybe(&known).filter(|_| self.ink.odds(35)) {
            Some(name) => name,
            None => {
                let name = format!("{prefix}{}", self.ink.fresh());
                self.world.facts.insert(name.clone(), make(self.ink));
                name
            }
        };
        self.used.insert(name.clone());
        name
    }

    fn text(&mut self) -> String {
        self.fact("s", |ink| Fact::Text(ink.line()))
    }

    fn flag(&mut self) -> String {
        self.fact("b", |ink| Fact::Flag(ink.odds(60)))
    }

    fn list(&mut self) -> String {
        self.fact("k", |ink| {
            Fact::List((0..2 + ink.below(3)).map(|_| ink.word()).collect())
        })
    }

    /// A template in the manifest or in a file.
    fn source(&mut self, content: bool) -> Source {
        let mut body = vec![Chunk::Text(self.ink.text())];
        for _ in 0..1 + self.ink.below(3) {
            let chunk = match self.ink.below(6) {
                0 | 1 => Chunk::Fact(self.text()),
                2 => Chunk::Let(self.text()),
                3 => Chunk::Items(self.list()),
                4 => Chunk::Choice(self.flag(), self.ink.line(), self.ink.line()),
                _ => self.include(),
            };
            body.push(chunk);
            body.push(Chunk::Text(self.ink.text()));
        }
        if content {
            let at = 1 + self.ink.below(body.len());
            body.insert(at, Chunk::Content);
        }
        self.stored(body)
    }

    fn include(&mut self) -> Chunk {
        let name = format!("i{}.j2", self.ink.fresh());
        let body = vec![Chunk::Text(self.ink.text())];
        self.world.templates.insert(name.clone(), body);
        Chunk::Include(name)
    }

    fn stored(&mut self, body: Body) -> Source {
        if self.ink.odds(50) {
            return Source::Inline(body);
        }
        let name = format!("t{}.j2", self.ink.fresh());
        self.world.templates.insert(name.clone(), body);
        Source::File(name)
    }
}
