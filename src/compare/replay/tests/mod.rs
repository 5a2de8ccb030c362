//! Rounds against brute force: all mixes of small pairs are built, and the truth is read off them.

mod generated;
mod judge;

use super::leaves::{Edit, Leaf, Leaves, Mix, Unit, Written};
use super::manifest::{Choices, Merge};
use super::node::PlainNode;
use super::runs::{Run, lines, mixed};
use super::search::{Kept, Limits, Mixes, Role, Round, kept, rounds};
use crate::compile::{FactsFile, GivenInputs, compile};
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest::open;
use crate::prompt::{Deliver, Prompt};
use crate::world::MapWorld;
use judge::judge;
use proptest::prelude::*;
use proptest::sample::subsequence;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The inputs of a build.
#[derive(Debug, Clone, Default, PartialEq)]
struct Inputs {
    manifest: String,
    files: BTreeMap<&'static str, String>,
    facts: BTreeMap<&'static str, String>,
}

/// Two builds, and every mix of them.
struct Pair {
    leaves: Leaves,
    choices: Choices,
    files: BTreeMap<&'static str, Value>,
    facts: BTreeMap<&'static str, Value>,
    builds: usize,
}

/// A value of both sides; none where a side has none.
struct Value {
    sides: [Option<String>; 2],
    /// The leaf of all of it: it is B's where the leaf is on.
    leaf: Option<usize>,
    /// The lines of a text that both have.
    runs: Vec<Run>,
}

impl Value {
    fn of(&self, mix: &Mix) -> Option<String> {
        if let (false, [Some(a), Some(b)]) = (self.runs.is_empty(), &self.sides) {
            let [a, b] = [a, b].map(|text| lines(text.as_bytes()));
            let bytes: Vec<u8> = mixed(&self.runs, [&a, &b], mix)
                .copied()
                .flatten()
                .copied()
                .collect();
            return Some(String::from_utf8(bytes).unwrap());
        }
        let is_b = self.leaf.is_none_or(|leaf| mix.contains(&leaf));
        self.sides[usize::from(is_b)].clone()
    }
}

fn values(
    [a, b]: [&BTreeMap<&'static str, String>; 2],
    leaves: &mut Leaves,
    unit: impl Fn(&str) -> Unit,
) -> BTreeMap<&'static str, Value> {
    let names = a.keys().chain(b.keys());
    let mut out = BTreeMap::new();
    for name in names {
        let sides = [a, b].map(|side| side.get(name).cloned());
        if out.contains_key(name) {
            continue;
        }
        let differs = sides[0] != sides[1];
        let mut runs = Vec::new();
        if let (true, [Some(a), Some(b)]) = (differs, &sides) {
            let [a, b] = [a, b].map(|text| lines(text.as_bytes()));
            let written = |all: &[&[u8]], at: Range<usize>| {
                let line = at.start + 1;
                let text = String::from_utf8(all[at].concat()).unwrap();
                Some(Written { text, line })
            };
            runs = super::runs::runs([&a, &b], super::runs::whole, &mut |of_a, of_b| {
                let leaf = Leaf {
                    edit: Edit::Replaced,
                    path: None,
                    a: written(&a, of_a),
                    b: written(&b, of_b),
                };
                leaves.add(Some(unit(name)), leaf)
            });
        }
        let leaf = (differs && runs.is_empty()).then(|| {
            let written = |text: &Option<String>| {
                let text = text.clone()?;
                Some(Written { text, line: 1 })
            };
            let leaf = Leaf {
                edit: Edit::Replaced,
                path: None,
                a: written(&sides[0]),
                b: written(&sides[1]),
            };
            leaves.add(Some(unit(name)), leaf)
        });
        out.insert(*name, Value { sides, leaf, runs });
    }
    out
}

impl Pair {
    fn of([a, b]: [&Inputs; 2]) -> Self {
        let mut leaves = Leaves::default();
        let sides =
            [&a.manifest, &b.manifest].map(|text| PlainNode::read(text.as_bytes()).unwrap());
        let sides = sides.each_ref().map(Vec::as_slice);
        let choices = Merge::choices("promptc.kdl", sides, &mut leaves);
        let files = values([&a.files, &b.files], &mut leaves, |name| {
            Unit::Declaration {
                file: name.to_owned(),
                node: String::new(),
            }
        });
        let facts = values([&a.facts, &b.facts], &mut leaves, |name| {
            Unit::Fact(name.to_owned())
        });
        Self {
            leaves,
            choices,
            files,
            facts,
            builds: 0,
        }
    }

    fn inputs(&self, mix: &Mix) -> Inputs {
        let chosen = |all: &BTreeMap<&'static str, Value>| {
            let chosen = all.iter();
            let chosen = chosen.filter_map(|(name, value)| Some((*name, value.of(mix)?)));
            chosen.collect()
        };
        Inputs {
            manifest: self.choices.text(mix),
            files: chosen(&self.files),
            facts: chosen(&self.facts),
        }
    }
}

impl Inputs {
    fn build(&self) -> Option<Arc<Prompt>> {
        let world = MapWorld::new().file("/promptc.kdl", self.manifest.clone());
        let files = self.files.iter();
        let world = files.fold(world, |world, (name, text)| {
            world.file(format!("/{name}"), text.clone())
        });
        let facts = serde_json::to_vec(&self.facts).unwrap();
        let given = GivenInputs {
            facts: vec![FactsFile::new("facts.json", &facts)],
            ..GivenInputs::default()
        };
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let manifest = open(&world, Some("/promptc.kdl"), &mut files, &mut diags);
        let prompt = compile(&manifest.ok()?, &given, &world, &mut files, &mut diags);
        prompt.ok().map(Arc::new)
    }
}

impl Mixes for Pair {
    fn leaves(&self) -> &Leaves {
        &self.leaves
    }

    fn build(&mut self, mix: &Mix) -> Option<Arc<Prompt>> {
        self.builds += 1;
        self.inputs(mix).build()
    }
}

const LIMITS: Limits = Limits {
    builds: 256,
    rounds: 20,
};

const BASE: &str = r#"promptc 1
fact user string default="Ann"
fact kind string default="chat"
fact lang string default="en"
root workspace default="."
tier rules changes=deploy {
    layer persona { text "You are Harbor." }
    layer notes { file "a.md" "b.md" missing=skip }
    layer tone { text "Be brief." when="kind == 'chat' or lang == 'en'" }
}
tier now changes=session {
    layer who { template "You talk to {{ user }}." }
    layer docs { glob "*.txt" missing=skip }
}
"#;

/// An edit of a manifest: a text of it, and what stands in its place.
const EDITS: [(&str, &str); 14] = [
    ("You are Harbor.", "You are Harbor, the clerk."),
    ("layer persona {", "layer persona priority=3 {"),
    ("    layer persona { text \"You are Harbor.\" }\n", ""),
    ("Be brief.", "Be long."),
    ("kind == 'chat' or lang == 'en'", "kind == 'chat'"),
    (" when=\"kind == 'chat' or lang == 'en'\"", ""),
    ("\"a.md\" \"b.md\"", "\"b.md\" \"a.md\""),
    ("glob \"*.txt\"", "glob \"*.md\""),
    ("layer docs {", "layer papers {"),
    (
        "tier now changes=session {",
        "tier now changes=session {\n    layer more { text \"More.\" }",
    ),
    ("You talk to {{ user }}.", "User: {{ user }} ({{ lang }})."),
    ("{ text \"Be brief.\"", "{ trim both\n text \"Be brief.\""),
    (
        "fact user string default=\"Ann\"",
        "fact user string default=\"Ben\"",
    ),
    (
        "changes=deploy {",
        "changes=deploy {\n    join \"\\n--\\n\"",
    ),
];

const FILES: [&str; 4] = ["a.md", "b.md", "c.txt", "d.txt"];

/// Two sides of a base: up to `most` differences among edits, files and facts.
fn sides(most: usize) -> impl Strategy<Value = [Inputs; 2]> {
    let edits = subsequence((0..EDITS.len()).collect::<Vec<_>>(), 0..=most);
    let files = prop::collection::vec((0..FILES.len(), 0..3_u8, any::<bool>()), 0..=most);
    let facts = prop::collection::vec((0..3_usize, 0..3_u8), 0..=2);
    (edits, files, facts, any::<bool>()).prop_map(|(edits, files, facts, is_moved)| {
        let mut a = Inputs {
            manifest: BASE.to_owned(),
            ..Inputs::default()
        };
        a.files = BTreeMap::from([
            ("a.md", "Rules of a.\n".to_owned()),
            ("c.txt", "A paper.\n".to_owned()),
        ]);
        let mut b = a.clone();
        for edit in edits {
            let (old, new) = EDITS[edit];
            b.manifest = b.manifest.replace(old, new);
        }
        if is_moved {
            let line = "    layer docs { glob \"*.txt\" missing=skip }\n";
            let before = "    layer who {";
            if b.manifest.contains(line) {
                b.manifest = b
                    .manifest
                    .replace(line, "")
                    .replace(before, &(line.to_owned() + before));
            }
        }
        for (file, text, is_a) in files {
            let side = if is_a { &mut a } else { &mut b };
            match text {
                0 => _ = side.files.remove(FILES[file]),
                n => {
                    _ = side
                        .files
                        .insert(FILES[file], format!("Text {n} of a file.\n"))
                }
            }
        }
        for (fact, value) in facts {
            let name = ["user", "kind", "lang"][fact];
            let value = ["de", "chat", "other"][usize::from(value)];
            b.facts.insert(name, value.to_owned());
        }
        [a, b]
    })
}

/// All that a search found.
struct Searched {
    rounds: Vec<Round>,
    also: Vec<Unit>,
    stopped: Option<usize>,
}

fn searched(mixes: &mut dyn Mixes, a: &Arc<Prompt>, ends: [Arc<Prompt>; 2]) -> Searched {
    let mut all = Vec::new();
    let found = rounds(mixes, a, ends, LIMITS, &mut |_, round| all.push(round));
    Searched {
        rounds: all,
        also: found.also,
        stopped: found.stopped,
    }
}

fn found(pair: &mut Pair) -> Option<Searched> {
    let a = pair.build(&Mix::new())?;
    let b = pair.build(&pair.leaves.b())?;
    Some(searched(pair, &a, [a.clone(), b]))
}

/// The prompt without what only says where things are in the manifest.
fn text(prompt: &Prompt) -> Vec<&str> {
    Deliver::ALL
        .into_iter()
        .map(|channel| prompt.text(channel))
        .collect()
}

/// The rounds of a pair in lines: what is kept before each, its causes, and how they belong together.
fn said(a: &str, b: &str, facts: [&[(&'static str, &str)]; 2]) -> Vec<String> {
    let [a, b] = [(a, facts[0]), (b, facts[1])].map(|(manifest, facts)| Inputs {
        manifest: manifest.to_owned(),
        files: BTreeMap::new(),
        facts: facts
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect(),
    });
    let mut pair = Pair::of([&a, &b]);
    let a = pair.build(&Mix::new()).unwrap();
    let found = found(&mut pair).unwrap();
    judge(&mut pair, &found).unwrap();
    let mut out = Vec::new();
    for round in &found.rounds {
        let Kept::UpTo(_, at) = kept(&a, &round.prompts[1]) else {
            continue;
        };
        out.push(format!("{at}: {:?}", round.role));
        for cause in &round.causes {
            for leaf in cause.leaves.iter().map(|leaf| &pair.leaves.all[*leaf]) {
                let sides = [&leaf.a, &leaf.b].map(|side| {
                    side.as_ref()
                        .map_or("nothing", |written| written.text.as_str())
                });
                let layer = match &cause.unit {
                    Unit::Layer { name, .. } | Unit::OneSidedLayer { name, .. } => name,
                    Unit::Moved { node, .. } => node,
                    _ => "no layer",
                };
                let [a, b] = sides;
                out.push(format!(
                    "  {layer}, {:?} {:?}: {a} -> {b}",
                    cause.role, leaf.edit
                ));
            }
        }
        out.extend(round.stand_ins.iter().map(|unit| format!("  or {unit:?}")));
    }
    out
}

/// A manifest with these lines behind some declarations.
fn manifest(lines: &str) -> String {
    format!(
        "promptc 1\nfact x string default=\"1\"\nfact y string default=\"1\"\ntier t changes=session {{\n{lines}\n}}\n"
    )
}

#[test]
fn an_edited_text_is_named_with_both_texts() {
    let of = |text: &str| {
        manifest(&format!(
            "layer one {{ text \"One.\" }}\nlayer two {{ text \"{text}\" }}"
        ))
    };
    let expected = [
        "7: Alone",
        "  two, Alone Arguments: text Two. -> text Three.",
    ];
    let said = said(&of("Two."), &of("Three."), [&[], &[]]);
    assert_eq!(
        said,
        expected.map(|line| line
            .replace("Two.", "\"Two.\"")
            .replace("Three.", "\"Three.\""))
    );
}

#[test]
fn facts_that_each_flip_a_condition_are_each_a_cause() {
    let of = |op: &str| {
        manifest(&format!(
            "layer one {{ text \"One.\" when=\"x == '2' {op} y == '2'\" }}\nlayer two {{ text \"Two.\" }}"
        ))
    };
    let facts: [&[_]; 2] = [&[("x", "1"), ("y", "1")], &[("x", "2"), ("y", "2")]];
    let (each, both) = (of("or"), of("and"));
    let expected = |role| {
        [
            format!("0: {role}"),
            "  no layer, Alone Replaced: 1 -> 2".to_owned(),
            "  no layer, Alone Replaced: 1 -> 2".to_owned(),
        ]
    };
    assert_eq!(said(&each, &each, facts), expected("Each"));
    assert_eq!(said(&both, &both, facts), expected("Together"));
}

#[test]
fn of_a_majority_any_two_are_to_be_undone() {
    let when = "x == '2' and y == '2' or y == '2' and z == '2' or x == '2' and z == '2'";
    let text = manifest(&format!("layer one when=\"{when}\" {{ text \"One.\" }}"));
    let text = text.replacen("fact x", "fact z string default=\"1\"\nfact x", 1);
    let of = |value| [("x", value), ("y", value), ("z", value)];
    let said = said(&text, &text, [&of("1"), &of("2")]);
    let cause = "  no layer, Alone Replaced: 1 -> 2";
    assert_eq!(said, ["0: Any(2)", cause, cause, cause]);
}

#[test]
fn a_renamed_layer_is_an_edit_of_its_name_and_changes_no_byte() {
    let of = |name: &str| {
        manifest(&format!(
            "layer {name} {{ text \"The harbour opens at six, and closes at ten.\" }}"
        ))
    };
    assert_eq!(
        said(&of("one"), &of("two"), [&[], &[]]),
        Vec::<String>::new()
    );
}

#[test]
fn a_layer_that_changes_its_tier_is_one_move() {
    let layer = "layer mover { text \"Moves.\" }";
    let of = |first: &str, second: &str| {
        let first = format!("layer one {{ text \"One.\" }}\n{first}");
        manifest(&first)
            + &format!("tier u changes=session {{\nlayer two {{ text \"Two.\" }}\n{second}\n}}\n")
    };
    let said = said(&of(layer, ""), &of("", layer), [&[], &[]]);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[1].starts_with("  layer \"mover\", Alone Moved"),
        "{said:?}"
    );
}

/// What the generator reaches: without it the laws below say nothing.
#[test]
fn generated_pairs_have_causes_of_all_kinds() {
    let mut runner = TestRunner::deterministic();
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..200 {
        let sides = sides(4).new_tree(&mut runner).unwrap().current();
        let mut pair = Pair::of(sides.each_ref());
        let Some(found) = found(&mut pair) else {
            continue;
        };
        let mut meet = |what, is: bool| *met.entry(what).or_default() += usize::from(is);
        meet("several rounds", found.rounds.len() > 1);
        meet("only through another", !found.also.is_empty());
        for round in &found.rounds {
            let several = round.causes.len() > 1;
            meet("alone", round.role == Role::Alone);
            meet("each", several && round.role == Role::Each);
            meet("together", several && round.role != Role::Each);
            meet("another in its place", !round.stand_ins.is_empty());
            for cause in &round.causes {
                meet("several leaves", cause.leaves.len() > 1);
                meet("a layer", matches!(cause.unit, Unit::Layer { .. }));
                meet(
                    "a layer of one side",
                    matches!(cause.unit, Unit::OneSidedLayer { .. }),
                );
                meet("a move", matches!(cause.unit, Unit::Moved { .. }));
                meet("a fact", matches!(cause.unit, Unit::Fact(_)));
            }
        }
    }
    assert_eq!(met.len(), 11, "{met:?}");
    let rare: Vec<_> = met.iter().filter(|(_, count)| **count == 0).collect();
    assert!(rare.is_empty(), "{met:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mixes_of_nothing_and_of_all_are_the_two_sides(sides in sides(6)) {
        let mut pair = Pair::of(sides.each_ref());
        let b = pair.leaves.b();
        for (side, mix) in sides.iter().zip([Mix::new(), b]) {
            let (own, mixed) = (side.build(), pair.build(&mix));
            prop_assert_eq!(own.as_deref().map(text), mixed.as_deref().map(text));
        }
    }

    #[test]
    fn causes_are_those_of_brute_force(sides in sides(3)) {
        let mut pair = Pair::of(sides.each_ref());
        prop_assume!(pair.leaves.all.len() <= 8);
        if let Some(found) = found(&mut pair) {
            judge(&mut pair, &found)?;
        }
    }
}

/// The new order of the files and the missing file undo each other: taken back together they change nothing, each alone it does.
#[test]
fn changes_that_undo_each_other_are_noted() {
    let of = |order: &str, files: &[(&'static str, &str)]| Inputs {
        manifest: BASE.replace("\"a.md\" \"b.md\"", order),
        files: files
            .iter()
            .map(|(name, text)| (*name, (*text).to_owned()))
            .collect(),
        facts: BTreeMap::new(),
    };
    let both = [("a.md", "Text one."), ("b.md", "Text two.")];
    let a = of("\"a.md\" \"b.md\"", &both);
    let b = of("\"b.md\" \"a.md\"", &[("a.md", "Rules.")]);
    let mut pair = Pair::of([&a, &b]);
    let found = found(&mut pair).unwrap();
    judge(&mut pair, &found).unwrap();
    let gone = Unit::Declaration {
        file: "b.md".to_owned(),
        node: String::new(),
    };
    assert_eq!(found.also, [gone]);
}
