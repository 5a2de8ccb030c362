//! Random manifests of which each fact and root has a class, and two worlds for each.

use crate::laws::choices::Choices;
use crate::laws::memory;
use promptc::compile::{FactsFile, GivenInputs, Plan, build, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::Prompt;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::Strategy;
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The classes that something outside of the manifest may have: all but the first.
pub(super) const CLASSES: [&str; 4] = ["deploy", "session", "day", "turn"];
const DEPLOY: usize = 0;
const DAY: usize = 2;
const TURN: usize = 3;
/// Roots, and what each is made from: `{}` is its class.
const ROOTS: [&str; 8] = [
    "root a default=\"../a\" changes={}",
    "root b default=\"../b\" changes={} as=(fact)s3",
    "root c default=\"../c\" changes={}",
    "root inner default=\"deep/er\" in=c changes={}",
    "root near above=inner holding=\"mark\" changes={}",
    "root d default=\"../d\" changes={}",
    "root e default=\"../e\" changes={} missing=skip",
    "root f default=\"../f\" changes={}",
];
const FILES: [&str; 5] = ["a.md", "b.md", "x/c.md", "kay.md", "two.md"];

#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(super) manifest: String,
    /// Facts and roots with the place of their class in [`CLASSES`].
    facts: Vec<(String, usize)>,
    roots: Vec<usize>,
    /// For which facts and files there is another value, and which.
    noise: Vec<u16>,
}

struct Maker<'a> {
    c: &'a Choices<'a>,
    facts: Vec<(String, usize)>,
    roots: Vec<usize>,
    layers: Vec<String>,
    /// The most volatile class that the current tier mostly uses.
    level: usize,
    /// How many items were picked, and which of them is more volatile than its surroundings: with more than one such
    /// item in a tier, no test would notice that one of them was overlooked.
    picks: Cell<usize>,
    lively: usize,
}

impl Maker<'_> {
    /// Whether the thing that is picked now may be of any class.
    fn any(&self) -> bool {
        let pick = self.picks.get();
        self.picks.set(pick + 1);
        pick == self.lively
    }

    fn fact(&self, kind: char) -> &str {
        let any = self.any();
        let all = || self.facts.iter().filter(|(name, _)| name.starts_with(kind));
        let fits = |class: usize| {
            if any {
                class > self.level
            } else {
                class <= self.level
            }
        };
        let mut names: Vec<&str> = all()
            .filter(|(_, class)| fits(*class))
            .map(|(name, _)| name.as_str())
            .collect();
        if names.is_empty() {
            let most_stable = all().min_by_key(|(_, class)| *class);
            names.extend(most_stable.map(|(name, _)| name.as_str()));
        }
        self.c.of(&names)
    }

    fn root(&self) -> &'static str {
        let any = self.any();
        let names = ["a", "b", "c", "inner", "near", "d", "e", "f"];
        let fits = |class: usize| {
            if any {
                class > self.level
            } else {
                class <= self.level
            }
        };
        let fit: Vec<&str> = names
            .into_iter()
            .zip(&self.roots)
            .filter(|(_, c)| fits(**c))
            .map(|(n, _)| n)
            .collect();
        self.c.of(if fit.is_empty() { &names } else { &fit })
    }

    fn condition(&self) -> String {
        match self.c.below(8) {
            0 | 1 => self.fact('b').to_owned(),
            2 => format!("'kay' in {}", self.fact('l')),
            3 => format!("{} == 'kay'", self.fact('s')),
            4 => format!("exists('{}', root='{}')", self.c.of(&FILES), self.root()),
            5 => self.c.of(&["let1", "let2"]).to_owned(),
            6 => format!("{} is defined", self.fact('o')),
            _ => match self.layers.as_slice() {
                [] => "true".to_owned(),
                layers => {
                    let all: Vec<&str> = layers.iter().map(String::as_str).collect();
                    format!("not loaded('{}')", self.c.of(&all))
                }
            },
        }
    }

    fn template(&self) -> String {
        match self.c.below(11) {
            0 => format!("[{{{{ {} }}}}]", self.fact('s')),
            8 => format!("{{{{ {} }}}}", self.fact('c')),
            9 => "{% include 'said.md.j2' %}".to_owned(),
            1 => format!(
                "{{% if {} %}}yes{{% else %}}no{{% endif %}}",
                self.condition()
            ),
            2 => format!("{{{{ {} | join('+') }}}}", self.fact('l')),
            3 => format!("{{{{ {} | default('none') }}}}", self.fact('o')),
            4 => "{% include 'inc.md.j2' %}".to_owned(),
            5 => format!("{{% set x = {} %}}{{{{ x }}}}", self.fact('n')),
            6 => {
                let fact = self.fact('s');
                format!(
                    "{{% for {fact} in ['own'] %}}{{% block b %}}{{{{ {fact} }}}}{{% endblock %}}{{% endfor %}}{{{{ self.b() }}}}"
                )
            }
            7 => {
                let fact = self.fact('s');
                format!("{{% from 'inc.md.j2' import {fact} %}}{{{{ {fact} }}}}")
            }
            _ => format!(
                "{{% macro m() %}}{{{{ {} }}}}{{% endmacro %}}{{{{ m() }}}}",
                self.fact('s')
            ),
        }
    }

    fn number(&self) -> String {
        if self.c.odds(9) {
            format!("(fact){}", self.fact('n'))
        } else {
            (40 + self.c.below(200)).to_string()
        }
    }

    fn settings(&self) -> String {
        let mut out = String::new();
        if self.c.odds(3) {
            _ = write!(out, " when=\"{}\"", self.condition());
        }
        out
    }

    /// Transforms and budgets in braces.
    fn body(&self) -> String {
        let mut out = String::new();
        if self.c.odds(3) {
            _ = write!(
                out,
                "wrap \"<{{{{ location }}}}|{{{{ label }}}}|{}|{{{{ text }}}}>\"; ",
                self.template()
            );
        }
        if self.c.odds(2) {
            let wrap = self.c.odds(8).then(|| self.template());
            let wrap = wrap.map(|t| format!(" {{ wrap \"{t}{{{{ text }}}}\"; }}"));
            _ = write!(out, "imports at depth=2{}; ", wrap.unwrap_or_default());
        }
        if self.c.odds(3) {
            let scope = self.c.odds(8).then(|| self.fact('p'));
            let except = self.c.odds(8).then(|| self.fact('s'));
            let [scope, except] = [("scope", scope), ("except", except)]
                .map(|(name, fact)| fact.map(|fact| format!(" {name}=(fact){fact}")))
                .map(Option::unwrap_or_default);
            let placeholder = self.template();
            _ = write!(
                out,
                "scan probe{scope}{except} {{ placeholder \"{placeholder}\"; }}; "
            );
        }
        if self.c.odds(3) {
            let step = self.c.odds(4).then(|| format!(" step={}", self.number()));
            let marker = self.c.of(&["", " marker=\"~\"", " marker=\"~{{ s1 }}\""]);
            _ = write!(
                out,
                "budget {}{}{marker}; ",
                self.number(),
                step.unwrap_or_default()
            );
        }
        out
    }

    fn node(&self, depth: usize) -> String {
        let kind = self.c.below(if depth == 0 { 6 } else { 9 });
        let settings = self.settings();
        let (head, below) = match kind {
            0 => ("text \"plain\"".to_owned(), false),
            1 => (format!("fact {}", self.fact('s')), false),
            2 | 3 => {
                let name = match self.c.below(4) {
                    0 => format!("\"{{{}}}.md\"", self.fact('s')),
                    1 => format!("(fact){}", self.fact('l')),
                    _ => format!("{:?} {:?}", self.c.of(&FILES), self.c.of(&FILES)),
                };
                let up = self.c.odds(3);
                let place = if up {
                    self.c
                        .of(&[
                            "root=c search=up from=inner",
                            "root=c search=every-level from=near",
                        ])
                        .to_owned()
                } else {
                    format!("root={}", self.root())
                };
                (format!("file {name} {place}"), true)
            }
            4 => {
                if self.c.odds(4) {
                    let hide = format!("{{% if {} %}}x{{% endif %}}", self.condition());
                    let root = self.root();
                    return format!("glob \"**/*.md\" root={root} {{ hide \"{hide}\"; }}\n");
                }
                (format!("glob \"**/*.md\" root={}", self.root()), true)
            }
            5 => return format!("template \"{}\"\n", self.template()),
            _ => {
                let members = self.c.several(1, 3, |_| self.node(depth - 1));
                let word = self.c.of(&["first", "all", "all join=\",\""]);
                return format!(
                    "{word}{settings} {{ {} {} }}\n",
                    self.body(),
                    members.concat()
                );
            }
        };
        let filter = (below && self.c.odds(4))
            .then(|| format!(" where=\"name != 'a.md' or {}\"", self.condition()));
        let label = self
            .c
            .odds(3)
            .then(|| format!(" label=(fact){}", self.fact('s')));
        let extra = [filter, label].map(Option::unwrap_or_default).concat();
        format!("{head}{settings}{extra} {{ {} }}\n", self.body())
    }

    fn layer(&mut self, name: String, bounded: bool) -> String {
        let mut head = self.settings();
        if bounded && self.c.odds(8) {
            _ = write!(head, " priority={}", self.number());
        }
        if bounded && self.c.odds(4) {
            _ = write!(head, " min=(fact){}", self.fact('n'));
        }
        let node = self.node(2);
        let template = node.starts_with("template");
        let mut out = format!("layer {name}{head} {{\n{node}");
        if !template && self.c.odds(5) {
            _ = writeln!(out, "template \"{} {{{{ content }}}}\"", self.template());
        }
        if self.c.odds(4) {
            _ = writeln!(
                out,
                "budget {} tail={}",
                self.number(),
                self.c.of(&["0.1", "0.5", "0"])
            );
        }
        out.push_str("}\n");
        self.layers.push(name);
        out
    }

    fn manifest(&mut self, roots: &[usize]) -> String {
        let mut out = String::from("promptc 1\n");
        let bound = self.c.odds(6);
        if bound {
            _ = writeln!(out, "budget {}", self.c.of(&["300", "900", "(fact)n1"]));
        }
        for (root, class) in ROOTS.iter().zip(roots) {
            _ = writeln!(out, "{}", root.replace("{}", CLASSES[*class]));
        }
        for (name, class) in &self.facts {
            let kind = match name.as_bytes()[0] {
                b'b' => "bool",
                b'c' if *class == DAY => "date clock=utc",
                b'c' => "datetime clock=utc",
                b'n' => "int",
                b'l' => "list",
                _ => "string",
            };
            let optional = if name.starts_with('o') {
                " optional=#true"
            } else {
                ""
            };
            _ = writeln!(
                out,
                "fact {name} {kind} changes={}{optional}",
                CLASSES[*class]
            );
        }
        out.push_str("scan probe { scopes wide narrow; rule words \"word word\" scope=narrow }\n");
        _ = writeln!(
            out,
            "let let1 \"{} and not {}\"",
            self.fact('b'),
            self.fact('b')
        );
        _ = writeln!(out, "let let2 \"{} == 'two' and let1\"", self.fact('s'));
        for tier in 0..2 + self.c.below(3) {
            self.level = (self.level + self.c.of(&[1, 0, 2])).min(3);
            let own = self.c.odds(5);
            let deliver = self.c.of(&["system", "system", "system", "system", "user"]);
            _ = write!(out, "tier t{tier} deliver={deliver}");
            if bound && deliver == "system" && self.c.odds(4) {
                _ = write!(out, " reserve=(fact){}", self.fact('n'));
            }
            out.push_str(" {\n");
            if own {
                _ = writeln!(out, "budget {}", self.number());
            }
            for layer in 0..1 + self.c.below(3) {
                let bounded = own || (bound && deliver == "system");
                let layer = self.layer(format!("t{tier}-{layer}"), bounded);
                out.push_str(&layer);
            }
            out.push_str("}\n");
        }
        out
    }
}

pub(crate) fn samples() -> impl Strategy<Value = Sample> {
    (vec(any::<u16>(), 80..500), vec(any::<u16>(), 90)).prop_map(|(row, noise)| {
        let c = Choices::new(&row);
        let names = [
            "b1", "b2", "b3", "s1", "s2", "s3", "n1", "n2", "n3", "l1", "l2", "o1", "o2", "p1",
            "p2",
        ];
        let mut facts = names
            .map(|name| (name.to_owned(), c.below(CLASSES.len())))
            .to_vec();
        facts.extend([("c1".to_owned(), DAY), ("c2".to_owned(), TURN)]);
        let roots: Vec<usize> = ROOTS.iter().map(|_| c.below(CLASSES.len())).collect();
        let mut maker = Maker {
            c: &c,
            facts: facts.clone(),
            roots: roots.clone(),
            layers: Vec::new(),
            level: 0,
            picks: Cell::new(0),
            lively: if c.odds(2) { c.below(3) } else { c.below(60) },
        };
        Sample {
            manifest: maker.manifest(&roots),
            facts,
            roots,
            noise,
        }
    })
}

impl Sample {
    /// The value of a fact; `other` is one of two that it may have.
    fn value(&self, at: usize, other: bool) -> Option<Value> {
        let pick = usize::from(self.noise[at]) + usize::from(other) * 7;
        match self.facts[at].0.as_bytes()[0] {
            b'b' => Some(json!(pick % 2 == 0)),
            b'n' => Some(json!(30 + pick * 13 % 200)),
            b'l' => Some(
                [json!(["kay.md"]), json!(["a.md", "kay", "b.md"]), json!([])][pick % 3].clone(),
            ),
            b'o' => (pick % 2 == 0).then(|| json!("there")),
            b'p' => Some(json!(["wide", "narrow"][pick % 2])),
            b'c' => None,
            _ => Some(json!(["kay", "two", "a longer value of a fact"][pick % 3])),
        }
    }

    /// The files of a root that is not another's; `other` as above.
    fn files(&self, root: usize, other: bool) -> Vec<(String, String)> {
        let folder = ["a", "b", "c", "c/deep/er", "c/deep", "d", "e", "f"][root];
        let mut out = Vec::new();
        for (at, file) in FILES.iter().enumerate() {
            let noise = self.noise[20 + root * 6 + at];
            let pick = usize::from(noise) + usize::from(other) * (3 + usize::from(noise >> 8) % 4);
            if pick % 4 != 0 {
                let import = if pick % 5 == 0 { "\n@b.md\n" } else { "" };
                let text = format!("{folder} {file} {}{import}", "word ".repeat(pick % 9));
                out.push((format!("{folder}/{file}"), text));
            }
        }
        out
    }

    /// Everything; what is of the class `from` or changes more often, as it is another time.
    pub(crate) fn world(&self, from: Option<usize>) -> (BTreeMap<String, Vec<u8>>, GivenInputs) {
        let other = |class: usize| from.is_some_and(|from| class >= from);
        let mut files = BTreeMap::new();
        files.insert(
            "agent/promptc.kdl".to_owned(),
            self.manifest.clone().into_bytes(),
        );
        files.insert(
            "agent/templates/inc.md.j2".to_owned(),
            b"{% if b1 %}{{ s2 }}{% endif %}.".to_vec(),
        );
        let said = if other(DEPLOY) { "later" } else { "before" };
        files.insert("agent/templates/said.md.j2".to_owned(), said.into());
        files.insert("c/deep/mark".to_owned(), Vec::new());
        for (root, class) in self.roots.iter().enumerate() {
            // Every reader of the folder around them reads these too, so they change no more often than it.
            let class = if matches!(root, 3 | 4) {
                self.roots[2]
            } else {
                *class
            };
            for (path, text) in self.files(root, other(class)) {
                files.insert(path, text.into_bytes());
            }
        }
        let facts: Map<String, Value> = (self.facts.iter().enumerate())
            .filter_map(|(at, (name, class))| Some((name.clone(), self.value(at, other(*class))?)))
            .collect();
        for file in FILES {
            files.insert(format!("c/deep/else/{file}"), b"elsewhere".to_vec());
        }
        // A root may be another folder as well as hold other files.
        let moved = other(self.roots[3]);
        let (day, minute) = (u8::from(other(DAY)), u8::from(other(TURN)));
        let given = GivenInputs {
            roots: Vec::from_iter(moved.then(|| ("inner".to_owned(), "/base/c/deep/else".into()))),
            facts: vec![FactsFile::new(
                "facts.json",
                &Value::from(facts).to_string().into_bytes(),
            )],
            now: Some(format!("2026-11-2{day}T10:0{minute}:00Z")),
            ..GivenInputs::default()
        };
        (files, given)
    }

    pub(super) fn built(&self, from: Option<usize>) -> Result<(Plan, Prompt), Vec<String>> {
        let (files, given) = self.world(from);
        let world = memory(&files);
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let built = manifest::open(
            &world,
            Some("/base/agent/promptc.kdl"),
            &mut files,
            &mut diags,
        )
        .and_then(|m| prepare(&m, &given, &world, &mut files, &mut diags))
        .and_then(|plan| build(&plan, &given, &world, &mut diags).map(|prompt| (plan, prompt)));
        built.map_err(|_| {
            diags
                .iter()
                .map(|d| format!("{}: {}", d.code.name, d.message))
                .collect()
        })
    }
}
