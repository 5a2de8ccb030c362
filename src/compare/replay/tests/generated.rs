//! Pairs of a project in which every construct of the language is a possible cause, built with their inputs.

use super::super::inputs::InputMixes;
use super::super::leaves::{Mix, Unit};
use super::super::search::Mixes;
use super::{Searched, judge::judge, searched};
use crate::compile::{FactsFile, GivenInputs, build_recorded, prepare};
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest::open;
use crate::prompt::Prompt;
use crate::world::{MapWorld, Recorder};
use proptest::prelude::*;
use proptest::sample::subsequence;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

const MAIN: &str = r#"promptc 1
extends "core/base.kdl"
include "house/*.kdl"
root shared many=#true { default "../own" "../team" }
layer house after=identity { file "h.md" }
refine rules { all { base where="name != 'b.md'"; file "c.md" } }
move goodbye after=identity
remove layer=style
refine closing { text "Ask at the end." }
"#;

const BASE: &str = r#"promptc 1
budget 2000 chars
join "\n\n"
root workspace default="../ws"
fact tone string default=soft
fact mode string default=plain
fact room int default=120
fact tools list { default read write }
fact labels map { default { team core; stage beta } }
fact key string private=#true
fact off list { default deploy }
let can_write "'write' in tools"
tier one changes=deploy {
    layer identity { text "You are Harbor." }
    layer style { text "Short." }
    layer rules { all { file "a.md"; file "b.md"; budget 90 marker="~~" } }
    layer goodbye { text "Goodbye." when="tone == 'soft' or mode == 'plain'" }
    layer tools when=can_write { template "Tools:{% for t in tools %} {{ t }}{% endfor %} of {{ labels.team }}" }
}
tier two changes=session {
    budget 260
    layer skills {
        skills "skills" {
            deny (fact)off
            hide "{% if meta.for | default('all') == labels.stage %}for people{% endif %}"
        }
    }
    layer notes priority=10 min=8 { memory "NOTES.md"; budget (fact)room marker="(-{{ omitted }})" }
    layer files { first { file "one.md"; file "two.md" } }
    layer imported { file "import.md" { imports at } }
}
tier three changes=turn {
    layer page { file "a.md"; template file="page.j2" }
    layer folders { glob "*.md" root=shared missing=skip }
    layer secret { template "Key of {{ mode }}: {{ key }}" }
    layer closing { text "The end." }
}
"#;

const FILES: [(&str, &str); 18] = [
    ("/p/core/promptc.kdl", MAIN),
    ("/p/core/core/base.kdl", BASE),
    (
        "/p/core/house/one.kdl",
        "layer included before=closing { text \"From a part.\" }\n",
    ),
    (
        "/p/core/templates/page.j2",
        "{% import \"m.j2\" as m %}{% include \"head.j2\" %}\n{{ m.hi(tone) }} {{ content }}",
    ),
    (
        "/p/core/templates/m.j2",
        "{% macro hi(x) %}hi {{ x }}{% endmacro %}",
    ),
    ("/p/core/templates/head.j2", "Head."),
    ("/p/core/ws/a.md", "Rules of a.\nKeep them.\nAlways.\n"),
    ("/p/core/ws/b.md", "Rules of b.\n"),
    ("/p/core/ws/c.md", "Rules of c.\nThe last.\n"),
    ("/p/core/ws/h.md", "The house.\n"),
    (
        "/p/core/ws/NOTES.md",
        "Ann likes tea.\n§\nThe ferry is late.\n§\nCall Ben.\n",
    ),
    (
        "/p/core/ws/skills/audit/SKILL.md",
        "---\nname: audit\ndescription: Read the books.\n---\nText.",
    ),
    (
        "/p/core/ws/skills/review/SKILL.md",
        "---\nname: review\ndescription: Read the code.\nfor: beta\n---\nText.",
    ),
    ("/p/core/ws/one.md", "One.\n"),
    ("/p/core/ws/import.md", "Before.\n@in/part.md\nAfter.\n"),
    ("/p/core/ws/in/part.md", "A part.\n"),
    ("/p/own/x.md", "Own x.\n"),
    ("/p/team/y.md", "Team y.\n"),
];

/// What is done to a side.
#[derive(Debug, Clone, Copy)]
enum Step {
    File(&'static str, Option<&'static str>),
    /// In a file, this text is another.
    Text(&'static str, &'static str, &'static str),
    /// In a file, this text stands before that one.
    Before(&'static str, &'static str, &'static str),
    Fact(&'static str, &'static str),
}

use Step::{Before, Fact, File, Text};

const M: &str = "/p/core/promptc.kdl";
const B: &str = "/p/core/core/base.kdl";

/// The steps: a construct, the step, and what the unit of it says.
const STEPS: [(&str, Step, &str); 58] = [
    (
        "a text of a base",
        Text(B, "You are Harbor.", "You are Haven."),
        "\"identity\"",
    ),
    (
        "a condition of a base",
        Text(B, "tone == 'soft' or mode == 'plain'", "tone == 'brisk'"),
        "\"goodbye\"",
    ),
    (
        "a condition of a base",
        Text(B, "tone == 'soft' or mode", "tone == 'soft' and mode"),
        "\"goodbye\"",
    ),
    (
        "refine",
        Text(M, "refine closing { text \"Ask at the end.\" }\n", ""),
        "refine",
    ),
    (
        "refine",
        Text(M, "Ask at the end.", "Ask at once."),
        "refine",
    ),
    ("refine", Text(M, " where=\"name != 'b.md'\"", ""), "refine"),
    ("remove", Text(M, "remove layer=style\n", ""), "remove"),
    ("move", Text(M, "move goodbye after=identity\n", ""), "move"),
    (
        "move",
        Text(
            M,
            "move goodbye after=identity",
            "move goodbye before=tools",
        ),
        "move",
    ),
    (
        "a layer of an overlay",
        Text(M, "layer house after=identity { file \"h.md\" }\n", ""),
        "\"house\"",
    ),
    (
        "a layer of an overlay",
        Text(M, "house after=identity", "house before=rules"),
        "\"house\"",
    ),
    (
        "an included manifest",
        Text("/p/core/house/one.kdl", "From a part.", "From a piece."),
        "\"included\"",
    ),
    (
        "an included manifest",
        File(
            "/p/core/house/two.kdl",
            Some("layer other before=closing { text \"Another.\" }\n"),
        ),
        "two.kdl",
    ),
    (
        "a budget of the prompt",
        Text(B, "budget 2000 chars", "budget 420 chars"),
        "budget",
    ),
    (
        "a budget of the prompt",
        Text(B, "budget 2000 chars", "budget 330 chars"),
        "budget",
    ),
    (
        "a budget of a tier",
        Text(B, "budget 260", "budget 120"),
        "budget",
    ),
    (
        "a budget of a tier",
        Text(B, "budget 260", "budget 160"),
        "budget",
    ),
    (
        "a budget of a layer",
        Text(B, "budget 90 marker=\"~~\"", "budget 30 marker=\"~~\""),
        "\"rules\"",
    ),
    (
        "a budget of a layer",
        Text(B, "budget 90 marker=\"~~\"", "budget 14 marker=\"~\""),
        "\"rules\"",
    ),
    (
        "a budget that is a fact",
        Fact("room", "20"),
        "Fact(\"room\")",
    ),
    ("a join", Text(B, "join \"\\n\\n\"", "join \"\\n\""), "join"),
    (
        "a moved layer",
        Before(
            B,
            "    layer goodbye { text \"Goodbye.\" when=\"tone == 'soft' or mode == 'plain'\" }\n",
            "    layer identity",
        ),
        "Moved",
    ),
    (
        "a moved layer",
        Before(
            B,
            "    layer files { first { file \"one.md\"; file \"two.md\" } }\n",
            "    layer skills",
        ),
        "Moved",
    ),
    (
        "another tier",
        Before(
            B,
            "    layer files { first { file \"one.md\"; file \"two.md\" } }\n",
            "    layer page",
        ),
        "Moved",
    ),
    (
        "another tier",
        Before(
            B,
            "    layer secret { template \"Key of {{ mode }}: {{ key }}\" }\n",
            "    layer identity",
        ),
        "Moved",
    ),
    (
        "a moved tier",
        Before(B, "tier two changes=session {", "tier one changes=deploy {"),
        "Moved",
    ),
    (
        "a layer",
        Text(
            B,
            "    layer closing",
            "    layer more { text \"More.\" }\n    layer closing",
        ),
        "\"more\"",
    ),
    (
        "a layer",
        Text(
            B,
            "    layer folders { glob \"*.md\" root=shared missing=skip }\n",
            "",
        ),
        "\"folders\"",
    ),
    ("a list", Fact("tools", "[\"read\"]"), "Fact(\"tools\")"),
    (
        "a list",
        Fact("tools", "[\"read\", \"run\", \"write\"]"),
        "Fact(\"tools\")",
    ),
    ("a list", Fact("off", "[\"audit\"]"), "Fact(\"off\")"),
    (
        "a map",
        Fact("labels", "{\"team\": \"edge\", \"stage\": \"beta\"}"),
        "Fact(\"labels\")",
    ),
    (
        "a map",
        Fact("labels", "{\"team\": \"core\", \"stage\": \"gold\"}"),
        "Fact(\"labels\")",
    ),
    ("a private fact", Fact("key", "\"other\""), "Fact(\"key\")"),
    ("a fact", Fact("tone", "\"brisk\""), "Fact(\"tone\")"),
    ("a fact", Fact("mode", "\"rich\""), "Fact(\"mode\")"),
    (
        "a default",
        Text(B, "default=soft", "default=brisk"),
        "Fact(\"tone\")",
    ),
    (
        "a let",
        Text(B, "'write' in tools", "'run' in tools"),
        "let",
    ),
    (
        "a macro",
        Text("/p/core/templates/m.j2", "hi {{ x }}", "hello {{ x }}"),
        "m.j2",
    ),
    (
        "an included template",
        Text("/p/core/templates/head.j2", "Head.", "The head."),
        "head.j2",
    ),
    (
        "a template",
        Text(
            "/p/core/templates/page.j2",
            "{{ content }}",
            "{{ content | upper }}",
        ),
        "page.j2",
    ),
    (
        "a document",
        Text("/p/core/ws/a.md", "Keep them.", "Keep each."),
        "a.md",
    ),
    (
        "a document",
        Text(
            "/p/core/ws/a.md",
            "Rules of a.\n",
            "Rules.\nOf a, and of many others besides.\n",
        ),
        "a.md",
    ),
    (
        "a document",
        Text(
            "/p/core/ws/c.md",
            "The last.",
            "The last one, which is far longer than it was.",
        ),
        "c.md",
    ),
    (
        "a document comes or goes",
        File("/p/core/ws/one.md", None),
        "one.md",
    ),
    (
        "a document comes or goes",
        File("/p/core/ws/two.md", Some("Two.\n")),
        "two.md",
    ),
    (
        "a document comes or goes",
        File("/p/core/ws/h.md", None),
        "h.md",
    ),
    (
        "an imported document",
        Text("/p/core/ws/in/part.md", "A part.", "Another part."),
        "part.md",
    ),
    (
        "an import",
        Text("/p/core/ws/import.md", "@in/part.md", "@in/none.md"),
        "import.md",
    ),
    (
        "a memory",
        Text("/p/core/ws/NOTES.md", "§\nCall Ben.\n", ""),
        "NOTES.md",
    ),
    (
        "a memory",
        Text(
            "/p/core/ws/NOTES.md",
            "Ann likes tea.\n",
            "Ann likes coffee.\n§\nDock 4.\n",
        ),
        "NOTES.md",
    ),
    (
        "a skill",
        File(
            "/p/core/ws/skills/new/SKILL.md",
            Some("---\nname: new\ndescription: New.\n---\nText."),
        ),
        "skills/new",
    ),
    (
        "a skill",
        File("/p/core/ws/skills/audit/SKILL.md", None),
        "skills/audit",
    ),
    (
        "a skill",
        Text(
            "/p/core/ws/skills/audit/SKILL.md",
            "Read the books.",
            "Check the books.",
        ),
        "skills/audit",
    ),
    (
        "hide",
        Text("/p/core/ws/skills/review/SKILL.md", "for: beta\n", ""),
        "skills/review",
    ),
    ("hide", Text(B, "for people", ""), "\"skills\""),
    (
        "a root of several folders",
        File("/p/own/w.md", Some("Own w.\n")),
        "w.md",
    ),
    (
        "a root of several folders",
        File("/p/team/y.md", None),
        "y.md",
    ),
];

/// The most units of a pair: each set of them is built.
const MOST: usize = 6;

/// The files and facts of a side.
#[derive(Debug, Clone, PartialEq)]
struct Side {
    files: BTreeMap<&'static str, String>,
    facts: serde_json::Map<String, Value>,
}

impl Side {
    fn first() -> Self {
        let files = FILES.map(|(path, text)| (path, text.to_owned()));
        Self {
            files: files.into(),
            facts: [("key".to_owned(), Value::from("zebra"))]
                .into_iter()
                .collect(),
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            File(path, Some(text)) => _ = self.files.insert(path, text.to_owned()),
            File(path, None) => _ = self.files.remove(path),
            Text(path, from, to) => {
                if let Some(text) = self.files.get_mut(path) {
                    *text = text.replacen(from, to, 1);
                }
            }
            Before(path, moved, before) => {
                let text = self.files.get_mut(path).filter(|text| text.contains(moved));
                if let Some(text) = text {
                    let block = if moved.ends_with('{') {
                        let from = text.find(moved).unwrap();
                        let end = text[from..].find("\n}\n").unwrap();
                        text[from..from + end + 3].to_owned()
                    } else {
                        moved.to_owned()
                    };
                    *text = text.replacen(&block, "", 1);
                    *text = text.replacen(before, &(block + before), 1);
                }
            }
            Fact(name, value) => {
                let value = serde_json::from_str(value).unwrap();
                self.facts.insert(name.to_owned(), value);
            }
        }
    }

    fn build(&self) -> Result<Prompt, String> {
        let files = self.files.iter();
        let world = files.fold(MapWorld::new(), |world, (path, text)| {
            world.file(path, text.clone())
        });
        let facts = serde_json::to_vec(&self.facts).unwrap();
        let given = GivenInputs {
            facts: vec![FactsFile::new("facts.json", &facts)],
            ..GivenInputs::default()
        };
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let recorder = Recorder::new(&world);
        let plan = open(&recorder, Some(M), &mut files, &mut diags)
            .and_then(|manifest| prepare(&manifest, &given, &recorder, &mut files, &mut diags));
        let built = plan.and_then(|plan| build_recorded(&plan, &given, recorder, &mut diags));
        let (mut prompt, inputs) = built.map_err(|_| {
            let said = diags
                .iter()
                .map(|d| format!("{}: {}", d.code.name, d.message));
            said.collect::<Vec<_>>().join("; ")
        })?;
        prompt.inputs = Some(Arc::new(inputs));
        Ok(prompt)
    }
}

/// The steps that both sides have, those of one of them, and whether that is A.
type Drawn = (Vec<usize>, Vec<usize>, bool);

fn drawn() -> impl Strategy<Value = Drawn> {
    let all = || (0..STEPS.len()).collect::<Vec<_>>();
    (
        subsequence(all(), 0..=3),
        subsequence(all(), 1..=6),
        any::<bool>(),
    )
}

fn sides((both, one, is_a): &Drawn) -> [Side; 2] {
    let mut first = Side::first();
    both.iter().for_each(|at| first.step(STEPS[*at].1));
    let mut other = first.clone();
    one.iter().for_each(|at| other.step(STEPS[*at].1));
    if *is_a {
        [other, first]
    } else {
        [first, other]
    }
}

/// A pair with what was found.
struct Explained {
    mixes: InputMixes,
    found: Searched,
    a: Arc<Prompt>,
    builds: usize,
}

/// The mixes of a pair, counted.
struct Counted<'m>(&'m mut InputMixes, usize);

impl Mixes for Counted<'_> {
    fn leaves(&self) -> &super::Leaves {
        self.0.leaves()
    }

    fn build(&mut self, mix: &Mix) -> Option<Arc<Prompt>> {
        self.1 += 1;
        self.0.build(mix)
    }

    fn owners(&self, prompt: &Prompt, at: super::Kept) -> Vec<Unit> {
        self.0.owners(prompt, at)
    }
}

/// What is found of a pair; none if a side does not build, or they have more units than may be tried together.
fn explained(drawn: &Drawn) -> Option<Explained> {
    let [a, b] = sides(drawn).map(|side| side.build().ok());
    let [a, b] = [a?, b?];
    let inputs = [a.inputs.clone()?, b.inputs.clone()?];
    let mut mixes = InputMixes::new([&inputs[0], &inputs[1]], None).unwrap();
    if mixes.leaves().units.len() > MOST {
        return None;
    }
    let ends = mixes.ends([&a, &b]).unwrap();
    for (end, side) in ends.iter().zip([&a, &b]) {
        assert_eq!(super::text(end), super::text(side));
    }
    let a = Arc::new(a);
    let mut counted = Counted(&mut mixes, 2);
    let found = searched(&mut counted, &a, ends);
    let builds = counted.1;
    Some(Explained {
        mixes,
        found,
        a,
        builds,
    })
}

/// The constructs that are a cause of a pair: a step of them was done, and its unit is named.
fn met(drawn: &Drawn, explained: &Explained) -> Vec<&'static str> {
    let leaves = explained.mixes.leaves();
    let causes = explained
        .found
        .rounds
        .iter()
        .flat_map(|round| &round.causes);
    let words = causes.map(|cause| {
        let own = cause.leaves.iter().map(|leaf| &leaves.all[*leaf]);
        format!("{:?} {:?}", cause.unit, own.collect::<Vec<_>>())
    });
    let words: Vec<String> = words.collect();
    let steps = drawn.1.iter().map(|at| STEPS[*at]);
    let is_named = |unit: &str| words.iter().any(|words| words.contains(unit));
    steps
        .filter(|(.., unit)| is_named(unit))
        .map(|(construct, ..)| construct)
        .collect()
}

#[test]
fn every_step_builds_and_changes_what_it_is_in() {
    for (at, (construct, step, _)) in STEPS.iter().enumerate() {
        let [first, other] = sides(&(Vec::new(), vec![at], false));
        assert_ne!(first, other, "{construct}: {step:?}");
        let built = other.build();
        assert!(built.is_ok(), "{construct}: {step:?}: {:?}", built.err());
    }
}

/// What the generator reaches: without it the law below says nothing. With `--nocapture` it says how many builds a pair takes.
#[test]
fn generated_pairs_have_every_construct_as_a_cause() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, usize> = STEPS.map(|(construct, ..)| (construct, 0)).into();
    let mut builds = Vec::new();
    for _ in 0..300 {
        let drawn = drawn().new_tree(&mut runner).unwrap().current();
        let Some(explained) = explained(&drawn) else {
            continue;
        };
        builds.push(explained.builds);
        for construct in met(&drawn, &explained) {
            *seen.get_mut(construct).unwrap() += 1;
        }
    }
    builds.sort_unstable();
    let of = |share: usize| builds[(builds.len() - 1) * share / 100];
    println!(
        "{} pairs, builds: median {}, 95 % {}, largest {}; {seen:?}",
        builds.len(),
        of(50),
        of(95),
        of(100)
    );
    let rare: Vec<_> = seen.iter().filter(|(_, count)| **count < 3).collect();
    assert!(
        builds.len() > 200 && rare.is_empty(),
        "{rare:?} of {seen:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// `PROPTEST_CASES=5000` tries as many.
    #[test]
    fn causes_in_recorded_inputs_are_those_of_brute_force(drawn in drawn()) {
        if let Some(mut explained) = explained(&drawn) {
            judge(&mut explained.mixes, &explained.found)?;
            let last = explained.found.rounds.last().map(|round| round.without.clone());
            if let Some(last) = last.filter(|_| explained.found.stopped.is_none()) {
                let built = explained.mixes.build(&last);
                prop_assert_eq!(built.as_deref().map(super::text), Some(super::text(&explained.a)));
            }
        }
    }
}
