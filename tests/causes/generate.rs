//! Random worlds.

use super::kdl::FACTS;
use super::random::Random;
use super::world::{
    Bit, Budget, Cond, Doc, Id, Kind, LEVELS, Layer, Max, Node, Source, Tier, World,
};
use std::collections::BTreeMap;

/// The features of a world, from few to all.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) enum Reach {
    Plain,
    Choices,
    Templates,
    Budgets,
}

/// Makes worlds, and what is put into them later.
pub(crate) struct Maker {
    pub(crate) r: Random,
    pub(crate) next: Id,
    pub(crate) reach: Reach,
}

const WORDS: [&str; 12] = [
    "aaa",
    "bbb",
    "ccc",
    "same",
    "ab",
    "aaab",
    "x",
    "été",
    "long-word",
    "zzz",
    "yyy",
    "b",
];
/// The values of facts.
pub(crate) const VALUES: [&str; 4] = ["on", "off", "aaa", "bbb"];
/// The documents outside of folders.
pub(crate) const NAMES: [&str; 6] = ["a.md", "b.md", "c.md", "d.md", "p-on.md", "p-off.md"];
/// The folders of globs, and what is in them.
pub(crate) const FOLDERS: [&str; 2] = ["g", "h"];
/// The files in a folder.
pub(crate) const INSIDE: [&str; 4] = ["u.md", "v.md", "w.md", "x.md"];
/// The files that are searched for.
pub(crate) const SEARCHED: [&str; 2] = ["R.md", "S.md"];

impl Maker {
    /// A new number for a node.
    pub(crate) fn id(&mut self) -> Id {
        self.next += 1;
        self.next
    }

    /// A line of words.
    pub(crate) fn line(&mut self) -> String {
        let n = self.r.from(1, 4);
        let words: Vec<&str> = (0..n).map(|_| *self.r.pick(&WORDS)).collect();
        words.join(" ")
    }

    /// A document.
    pub(crate) fn text(&mut self) -> String {
        let n = self.r.from(1, 5);
        let mut out = String::new();
        if self.r.one_in(8) {
            out.push_str(&format!(
                "---\nowner: {}\n---\n",
                self.r.pick(&["b", "ccc"])
            ));
        }
        for _ in 0..n {
            if self.r.one_in(12) {
                out.push_str("<!-- note -->\n");
            }
            out.push_str(&self.line());
            out.push_str(if self.r.one_in(4) { "\n\n" } else { "\n" });
        }
        out
    }

    /// A world.
    pub(crate) fn world(&mut self) -> World {
        let mut docs = BTreeMap::new();
        for name in NAMES {
            if !self.r.one_in(4) {
                docs.insert(Doc::new("workspace", name), self.text());
            }
        }
        for folder in FOLDERS {
            for name in INSIDE {
                if self.r.one_in(2) {
                    docs.insert(
                        Doc::new("workspace", &format!("{folder}/{name}")),
                        self.text(),
                    );
                }
            }
        }
        for name in SEARCHED {
            for level in LEVELS {
                if self.r.one_in(2) {
                    docs.insert(Doc::new("tree", &format!("{level}{name}")), self.text());
                }
            }
        }
        docs.insert(Doc::new("tree", "s/t/keep.txt"), "x".to_owned());
        for doc in docs.keys().cloned().collect::<Vec<_>>() {
            if self.r.one_in(20) && doc.name() != "keep.txt" {
                docs.insert(doc, " \n".to_owned());
            }
        }
        let facts = FACTS
            .iter()
            .map(|f| ((*f).to_owned(), (*self.r.pick(&VALUES)).to_owned()));
        let facts = facts.collect();
        let mut templates = BTreeMap::new();
        if self.reach >= Reach::Templates {
            for name in ["t0.md", "t1.md"] {
                templates.insert(name.to_owned(), self.bits(true, &[]));
            }
        }
        let mut world = World {
            docs,
            facts,
            templates,
            join: (*self.r.pick(&["\n\n", "\n", "\n--\n"])).to_owned(),
            tiers: Vec::new(),
            comment: String::new(),
        };
        let mut names = Vec::new();
        for t in 0..self.r.from(1, 2) {
            let mut layers = Vec::new();
            for l in 0..self.r.from(1, 3) {
                let name = format!("l{t}{l}");
                layers.push(self.layer(&name, &names));
                names.push(name);
            }
            let id = self.id();
            let join = self.r.one_in(4).then(|| "\n".to_owned());
            world.tiers.push(Tier {
                id,
                name: format!("t{t}"),
                user: t == 1 && self.r.one_in(4),
                join,
                layers,
            });
        }
        world
    }

    /// A layer; `above` are those that it may ask for.
    pub(crate) fn layer(&mut self, name: &str, above: &[String]) -> Layer {
        let id = self.id();
        let mut parts = Vec::new();
        let mut template = None;
        let mut first = self.node(2);
        while matches!(first.kind, Kind::Template(_)) {
            first = self.node(2);
        }
        let mut content = Some(first);
        if self.reach >= Reach::Templates && self.r.one_in(3) {
            if self.r.one_in(4) {
                let mut part = self.node(0);
                while matches!(part.kind, Kind::Template(_)) {
                    part = self.node(0);
                }
                parts.push((format!("part{id}"), part));
            }
            let names: Vec<String> = parts.iter().map(|p| p.0.clone()).collect();
            template = Some(if parts.is_empty() && self.r.one_in(3) {
                Source::File((*self.r.pick(&["t0.md", "t1.md"])).to_owned())
            } else {
                Source::Inline(self.bits(true, &names))
            });
            if self.r.one_in(8) && matches!(template, Some(Source::Inline(_))) {
                content = None;
                template = Some(Source::Inline(self.bits(false, &names)));
            }
        }
        let when = self.when(above);
        let budget = (self.reach >= Reach::Budgets && self.r.one_in(5)).then(|| self.budget(false));
        Layer {
            id,
            name: name.to_owned(),
            when,
            content,
            parts,
            template,
            budget,
        }
    }

    /// A condition, at times.
    pub(crate) fn when(&mut self, above: &[String]) -> Option<Cond> {
        if self.reach < Reach::Choices && !self.r.one_in(3) || !self.r.one_in(4) {
            return None;
        }
        Some(match self.r.below(8) {
            0 => Cond::Exists((*self.r.pick(&NAMES)).to_owned()),
            1 if !above.is_empty() => Cond::Loaded(self.r.pick(above).clone()),
            2 | 3 => Cond::Not(Box::new(self.is())),
            _ => self.is(),
        })
    }

    fn is(&mut self) -> Cond {
        let fact = (*self.r.pick(&FACTS)).to_owned();
        Cond::Is(fact, (*self.r.pick(&VALUES)).to_owned())
    }

    /// A node of content.
    pub(crate) fn node(&mut self, depth: usize) -> Node {
        let id = self.id();
        let groups = if depth == 0 { 0 } else { 6 };
        let few = self.reach < Reach::Choices;
        let kind = match self.r.below(9 + groups) {
            0 => Kind::Text(self.line()),
            1 => Kind::Fact((*self.r.pick(&FACTS)).to_owned()),
            2 | 3 => Kind::File(vec![(*self.r.pick(&NAMES)).to_owned()]),
            4 if !few => Kind::File(vec!["p-{f0}.md".to_owned()]),
            5 if !few => {
                let a = self.r.below(NAMES.len());
                let b = (a + self.r.from(1, NAMES.len() - 1)) % NAMES.len();
                Kind::File(vec![NAMES[a].to_owned(), NAMES[b].to_owned()])
            }
            6 if !few => {
                if self.r.one_in(2) {
                    Kind::Up((*self.r.pick(&SEARCHED)).to_owned())
                } else {
                    Kind::Every((*self.r.pick(&SEARCHED)).to_owned())
                }
            }
            7 if self.reach >= Reach::Templates => Kind::Template(if self.r.one_in(2) {
                Source::Inline(self.bits(false, &[]))
            } else {
                Source::Inline(vec![Bit::Lit(self.line()), Bit::Fact("f1".to_owned())])
            }),
            4..=8 => Kind::Glob((*self.r.pick(&FOLDERS)).to_owned()),
            9 | 10 if !few => Kind::First(self.members(depth)),
            _ => {
                let join = self
                    .r
                    .one_in(3)
                    .then(|| (*self.r.pick(&["\n", "\n- ", " "])).to_owned());
                Kind::All(self.members(depth), join)
            }
        };
        let mut node = Node::new(id, kind);
        node.when = self.when(&[]);
        let file = matches!(
            node.kind,
            Kind::File(_) | Kind::Glob(_) | Kind::Up(_) | Kind::Every(_)
        );
        if file {
            node.strip = self.r.one_in(3);
            node.comments = self.r.one_in(4);
            if self.reach >= Reach::Templates && self.r.one_in(5) {
                let mut bits = vec![Bit::Lit("# ".to_owned()), Bit::Text];
                if self.r.one_in(2) {
                    bits.insert(1, Bit::Name);
                    bits.insert(2, Bit::Lit("\n".to_owned()));
                }
                if self.r.one_in(3) {
                    bits.push(Bit::Lit(" end".to_owned()));
                }
                node.wrap = Some(bits);
            }
        }
        if self.reach >= Reach::Budgets && self.r.one_in(4) {
            let several = matches!(node.kind, Kind::Glob(_) | Kind::Every(_));
            let group = matches!(node.kind, Kind::All(..));
            if file || group {
                let several = several || group && self.r.one_in(2);
                node.budget = Some(self.budget(several));
            }
        }
        node
    }

    fn members(&mut self, depth: usize) -> Vec<Node> {
        (0..self.r.from(2, 3))
            .map(|_| self.node(depth - 1))
            .collect()
    }

    /// A budget, of one text or of several documents.
    pub(crate) fn budget(&mut self, several: bool) -> Budget {
        let n = self.r.from(12, 60);
        let max = match (several, self.r.below(3)) {
            (false, _) => Max::One(n),
            (true, 0) => Max::Each(n),
            (true, 1) => Max::Total(n, *self.r.pick(&[0, 0, 8])),
            (true, _) => Max::Both(n, n + self.r.from(5, 40)),
        };
        let ends = [
            None,
            None,
            Some((0, 4)),
            Some((2, 1)),
            Some((3, 1)),
            Some((2, 2)),
        ];
        let ends =
            ends[self.r.below(ends.len())].map(|(h, t)| if t == 4 { (0, 3) } else { (h, t) });
        Budget {
            max,
            bytes: self.r.one_in(4),
            ends,
            numbers: self.r.one_in(3),
        }
    }

    /// The bits of a template.
    pub(crate) fn bits(&mut self, content: bool, parts: &[String]) -> Vec<Bit> {
        let mut out = Vec::new();
        if self.r.one_in(2) {
            out.push(Bit::Lit(format!("{} ", self.line())));
        }
        if !content || self.r.one_in(4) {
            out.push(Bit::Fact((*self.r.pick(&FACTS)).to_owned()));
            if self.r.one_in(2) {
                out.push(Bit::Lit("\n".to_owned()));
            }
        }
        if self.r.one_in(3) {
            let no = if self.r.one_in(2) {
                vec![Bit::Lit(self.line())]
            } else {
                Vec::new()
            };
            let cond = self.is();
            if !matches!(out.last(), Some(Bit::Lit(_))) {
                out.push(Bit::Lit("- ".to_owned()));
            }
            out.push(Bit::If(cond, vec![Bit::Lit(self.line())], no));
            out.push(Bit::Lit(" and ".to_owned()));
        }
        out.extend(parts.iter().map(|p| Bit::Part(p.clone())));
        if content {
            out.push(Bit::Content);
        }
        if self.r.one_in(3) || out.is_empty() {
            out.push(Bit::Lit(format!(" {}", self.line())));
        }
        out
    }
}
