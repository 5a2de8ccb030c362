//! `changes` is sound: whatever changes more often than a tier may, the tier keeps its bytes.
//!
//! Every fact and every root has a class of its own. All of class above c get other values, other files, or none; then no
//! tier that was inferred to change at most as often as c may have another byte.

use super::choices::Choices;
use super::{config, memory};
use promptc::compile::{FactsFile, Given, Plan, build, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::manifest;
use promptc::prompt::{Changes, Prompt};
use promptc::span::Files;
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert_eq, proptest};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The classes that something outside of the manifest may have.
const CLASSES: [&str; 4] = ["deploy", "session", "day", "turn"];
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
struct Sample {
    manifest: String,
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
    /// What the tier at hand mostly takes: things of this class at most.
    level: usize,
    /// How many things were picked, and which of them is livelier than what stands around it: with more than one such
    /// thing in a tier, nobody would see that one of them was overlooked.
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
            let calmest = all().min_by_key(|(_, class)| *class);
            names.extend(calmest.map(|(name, _)| name.as_str()));
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
        match self.c.below(9) {
            0 => format!("[{{{{ {} }}}}]", self.fact('s')),
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
        match self.c.odds(9) {
            true => format!("(fact){}", self.fact('n')),
            false => (40 + self.c.below(200)).to_string(),
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
                "wrap \"<{{{{ location }}}}|{}|{{{{ text }}}}>\"; ",
                self.template()
            );
        }
        if self.c.odds(2) {
            out.push_str("imports at depth=2; ");
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
                let place = match up {
                    true => self
                        .c
                        .of(&[
                            "root=c search=up from=inner",
                            "root=c search=every-level from=near",
                        ])
                        .to_owned(),
                    false => format!("root={}", self.root()),
                };
                (format!("file {name} {place}"), true)
            }
            4 => (format!("glob \"**/*.md\" root={}", self.root()), true),
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
            .odds(1)
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

fn samples() -> impl proptest::strategy::Strategy<Value = Sample> {
    (vec(any::<u16>(), 80..500), vec(any::<u16>(), 90)).prop_map(|(row, noise)| {
        let c = Choices::new(&row);
        let names = [
            "b1", "b2", "b3", "s1", "s2", "s3", "n1", "n2", "n3", "l1", "l2", "o1", "o2",
        ];
        let facts = names
            .map(|name| (name.to_owned(), c.below(CLASSES.len())))
            .to_vec();
        let roots: Vec<usize> = ROOTS.iter().map(|_| c.below(CLASSES.len())).collect();
        let mut maker = Maker {
            c: &c,
            facts: facts.clone(),
            roots: roots.clone(),
            layers: Vec::new(),
            level: 0,
            picks: Cell::new(0),
            lively: c.below(60),
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

    /// Everything, with what is of a class above `calm` as it is another time, if there is one.
    fn world(&self, calm: Option<usize>) -> (BTreeMap<String, Vec<u8>>, Given) {
        let above = |class: usize| calm.is_some_and(|calm| class > calm);
        let mut files = BTreeMap::new();
        files.insert(
            "agent/promptc.kdl".to_owned(),
            self.manifest.clone().into_bytes(),
        );
        files.insert(
            "agent/templates/inc.md.j2".to_owned(),
            b"{% if b1 %}{{ s2 }}{% endif %}.".to_vec(),
        );
        files.insert("c/deep/mark".to_owned(), Vec::new());
        for (root, class) in self.roots.iter().enumerate() {
            // Whoever reads the folder around them reads these too, so they change no more often than it.
            let class = if matches!(root, 3 | 4) {
                self.roots[2]
            } else {
                *class
            };
            for (path, text) in self.files(root, above(class)) {
                files.insert(path, text.into_bytes());
            }
        }
        let facts: Map<String, Value> = (self.facts.iter().enumerate())
            .filter_map(|(at, (name, class))| Some((name.clone(), self.value(at, above(*class))?)))
            .collect();
        for file in FILES {
            files.insert(format!("c/deep/else/{file}"), b"elsewhere".to_vec());
        }
        // A root may be another folder as well as hold other files.
        let moved = above(self.roots[3]);
        let given = Given {
            roots: Vec::from_iter(moved.then(|| ("inner".to_owned(), "/base/c/deep/else".into()))),
            facts: vec![FactsFile::new(
                "facts.json",
                &Value::from(facts).to_string().into_bytes(),
            )],
            ..Given::default()
        };
        (files, given)
    }

    fn built(&self, calm: Option<usize>) -> Result<(Plan, Prompt), Vec<String>> {
        let (files, given) = self.world(calm);
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

/// Every tier's name, and what stands in it.
fn texts(prompt: &Prompt) -> BTreeMap<&str, &str> {
    let all = prompt.channels.iter().flat_map(|c| {
        c.tiers
            .iter()
            .map(|t| (t.name.as_str(), &c.text[t.start..t.end]))
    });
    all.collect()
}

/// The tiers that may not change, with their texts before and after.
fn held<'p>(
    plan: &Plan,
    calm: usize,
    before: &'p Prompt,
    after: &'p Prompt,
) -> Vec<(String, &'p str, &'p str)> {
    let bound = Changes::ALL[calm + 1];
    assert_eq!(bound.name(), CLASSES[calm]);
    let (before, after) = (texts(before), texts(after));
    let calm = plan.tiers().filter(|t| t.inferred <= bound);
    calm.map(|t| t.written.name.value.as_str())
        .map(|name| {
            let of = |texts: &BTreeMap<&str, &'p str>| texts.get(name).copied().unwrap_or("");
            (name.to_owned(), of(&before), of(&after))
        })
        .collect()
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn no_tier_changes_more_often_than_inferred(sample in samples(), calm in 0_usize..3) {
        if let (Ok((plan, before)), Ok((_, after))) = (sample.built(None), sample.built(Some(calm))) {
            for (tier, before, after) in held(&plan, calm, &before, &after) {
                prop_assert_eq!(before, after, "{} at {}\n{}", tier, CLASSES[calm], sample.manifest);
            }
        }
    }
}

/// Samples that do not build, or of which nothing changes or nothing must stay, would prove nothing.
#[test]
fn samples_change_and_have_tiers_that_must_not() {
    let mut runner = TestRunner::deterministic();
    let (mut built, mut telling) = (0, 0);
    let mut errors: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..120 {
        let sample = samples().new_tree(&mut runner).unwrap().current();
        for calm in 0..3 {
            match (sample.built(None), sample.built(Some(calm))) {
                (Ok((plan, before)), Ok((_, after))) => {
                    built += 1;
                    let held = held(&plan, calm, &before, &after);
                    let stays = held.iter().any(|(_, text, _)| !text.is_empty());
                    telling += usize::from(stays && texts(&before) != texts(&after));
                }
                (Err(found), _) | (_, Err(found)) => {
                    *errors.entry(found[0].clone()).or_default() += 1;
                }
            }
        }
    }
    assert!(
        built > 240 && telling > 15,
        "{built} built, {telling} telling; {errors:#?}"
    );
}
