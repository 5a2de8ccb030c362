//! Random homes of skills, one of which changes: the content of the prompt, and the report of `diff`.

use promptc::compare::{self, CauseKind};
use promptc::compile::{FactsFile, GivenInputs, build_recorded, compile, prepare};
use promptc::diagnostic::span::Files;
use promptc::diagnostic::{Diagnostics, ErrorReported};
use promptc::manifest;
use promptc::prompt::{Deliver, Prompt};
use promptc::world::{MapWorld, Recorder, ShuffledWorld};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq)]
struct Skill {
    name: String,
    description: String,
}

/// Skills by folder, and the names that a fact denies.
#[derive(Debug, Clone)]
struct Home {
    skills: BTreeMap<String, Skill>,
    denied: Vec<String>,
}

/// How the index is printed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Index {
    /// One line each, in order of their folders.
    Lines,
    /// By a template, in order of their names.
    Sorted,
}

impl Home {
    fn expected(&self, index: Index) -> String {
        let mut skills: Vec<_> = self.skills.iter().collect();
        skills.sort_by_key(|(folder, _)| format!("{folder}/SKILL.md"));
        let skills = skills.into_iter().map(|(_, skill)| skill);
        let mut listed: Vec<&Skill> = skills.filter(|s| !self.denied.contains(&s.name)).collect();
        if index == Index::Sorted {
            listed.sort_by(|a, b| a.name.cmp(&b.name));
        }
        if index == Index::Sorted && listed.is_empty() {
            return String::new();
        }
        let lines = listed
            .iter()
            .map(|s| format!("- {}: {}", s.name, s.description));
        ["Skills:".to_owned()]
            .into_iter()
            .chain(lines)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn built(&self, index: Index) -> Prompt {
        let layer = match index {
            Index::Lines => "all join=\"\\n\" { text \"Skills:\"; skills \"skills\" root=home { deny (fact)off } }",
            Index::Sorted => {
                "skills \"skills\" root=home { hide \"{{ 'off' if name in off }}\" }
                template \"Skills:\\n{% for e in entries | sort(attribute='name') %}- {{ e.name }}: {{ e.description }}\\n{% endfor %}\""
            }
        };
        let manifest = format!(
            "promptc 1\nroot home default=\"home\"\nfact off list\ntier t {{\n    layer l {{ {layer}\n    }}\n}}\n"
        );
        let world = self.skills.iter().fold(
            MapWorld::new()
                .folder("/home/skills")
                .file("/promptc.kdl", manifest),
            |world, (folder, Skill { name, description })| {
                let text =
                    format!("---\nname: {name}\ndescription: {description}\n---\nOpen it.\n");
                world.file(format!("/home/skills/{folder}/SKILL.md"), text)
            },
        );
        let given = GivenInputs {
            facts: vec![FactsFile::new(
                "facts.json",
                &serde_json::to_vec(&json!({ "off": self.denied })).unwrap(),
            )],
            ..GivenInputs::default()
        };
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let mut build = || {
            let recorder = Recorder::new(&world);
            let manifest = manifest::open(&recorder, Some("/promptc.kdl"), &mut files, &mut diags)?;
            let plan = prepare(&manifest, &given, &recorder, &mut files, &mut diags)?;
            let (prompt, inputs) = build_recorded(&plan, &given, recorder, &mut diags)?;
            let inputs = Some(Arc::new(inputs));
            Ok::<_, ErrorReported>(Prompt { inputs, ..prompt })
        };
        let built = build();
        built.unwrap_or_else(|_| {
            panic!("{:?}", diags.iter().map(|d| &d.message).collect::<Vec<_>>())
        })
    }

    /// How many of the others come before a skill, where names decide.
    fn rank(&self, folder: &str) -> usize {
        let own = &self.skills[folder].name;
        let others = self.skills.iter().filter(|(other, _)| *other != folder);
        let listed = others.filter(|(_, s)| !self.denied.contains(&s.name));
        listed.filter(|(_, s)| s.name < *own).count()
    }
}

/// The use of one skill.
#[derive(Debug, Clone)]
enum Mutation {
    Added(Skill),
    Removed,
    Described(String),
    Renamed(String),
    /// Denied, or not any more.
    Denied,
}

fn word() -> impl Strategy<Value = String> {
    "[a-f]{2,4}[0-9]"
}

fn homes() -> impl Strategy<Value = Home> {
    let skill = (word(), "[a-d]{1,3} [a-d]{1,3}");
    let skills = prop::collection::btree_map("[a-c]/[a-d]{1,2}", skill, 1..7);
    (skills, any::<u8>()).prop_map(|(skills, denied)| {
        // No two of one name.
        let named = |(n, (folder, (name, description)))| {
            let name = format!("{name}{n}");
            (folder, Skill { name, description })
        };
        let skills: BTreeMap<_, _> = skills.into_iter().enumerate().map(named).collect();
        let names = skills.values().map(|s| s.name.clone()).enumerate();
        let denied = names
            .filter(|(n, _)| denied & (3 << n) == 3 << n)
            .map(|(_, name)| name);
        Home {
            denied: denied.collect(),
            skills,
        }
    })
}

fn mutations() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        (word(), "[a-d]{1,3}")
            .prop_map(|(name, description)| Mutation::Added(Skill { name, description })),
        Just(Mutation::Removed),
        "[e-g]{1,3} [a-d]{1,3}".prop_map(Mutation::Described),
        word().prop_map(Mutation::Renamed),
        Just(Mutation::Denied),
    ]
}

/// The home after the mutation, the folder that it is about, and what kind of cause it is in that index.
fn mutated(home: &Home, at: usize, mutation: &Mutation, index: Index) -> (Home, String, CauseKind) {
    let mut after = home.clone();
    let folder = home
        .skills
        .keys()
        .nth(at % home.skills.len())
        .unwrap()
        .clone();
    let kind = match mutation {
        Mutation::Added(skill) => {
            let folder = format!("{folder}-new");
            after.skills.insert(folder.clone(), skill.clone());
            return (after, folder, CauseKind::ItemAdded);
        }
        Mutation::Removed => {
            after.skills.remove(&folder);
            CauseKind::ItemRemoved
        }
        Mutation::Described(text) => {
            after
                .skills
                .get_mut(&folder)
                .unwrap()
                .description
                .clone_from(text);
            CauseKind::ItemChanged
        }
        Mutation::Renamed(name) => {
            after.skills.get_mut(&folder).unwrap().name.clone_from(name);
            if index == Index::Sorted && home.rank(&folder) != after.rank(&folder) {
                CauseKind::ItemReordered
            } else {
                CauseKind::ItemChanged
            }
        }
        Mutation::Denied => {
            let name = &home.skills[&folder].name;
            if home.denied.contains(name) {
                after.denied.retain(|other| other != name)
            } else {
                after.denied.push(name.clone())
            }
            CauseKind::ConditionFlipped
        }
    };
    (after, folder, kind)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_skill_that_is_another_is_the_cause(
        home in homes(), at in 0_usize..8, mutation in mutations(), index in prop::sample::select(vec![Index::Lines, Index::Sorted]),
    ) {
        let (after, folder, mut kind) = mutated(&home, at, &mutation, index);
        let (a, b) = (home.built(index), after.built(index));
        let (old, new) = (home.expected(index), after.expected(index));
        prop_assert_eq!(a.text(Deliver::System).trim_end(), old.as_str());
        prop_assert_eq!(b.text(Deliver::System).trim_end(), new.as_str());
        let diff = compare::diff(&a, &b);
        prop_assert_eq!(diff.same, old == new);
        let Some(first) = diff.first else { return Ok(()) };
        // With its new name it is listed on one side only.
        let listed = |home: &Home| home.skills.get(&folder).is_some_and(|s| !home.denied.contains(&s.name));
        if let Mutation::Renamed(_) = mutation && listed(&home) != listed(&after) {
            kind = if listed(&after) { CauseKind::ItemAdded } else { CauseKind::ItemRemoved };
        }
        prop_assert_eq!(first.causes.len(), 1, "{:?}", first.causes);
        let cause = &first.causes[0];
        // One that is elsewhere because of its new name is one with another name.
        let is_renamed = kind == CauseKind::ItemReordered && cause.kind == CauseKind::ItemChanged;
        prop_assert!(cause.kind == kind || is_renamed, "{:?}: {:?}", kind, cause);
        let path = format!("skills/{folder}/SKILL.md");
        prop_assert_eq!(cause.path.as_deref(), Some(path.as_str()));
        // What is gone has the name that it had.
        let [first_of, then] = if cause.kind == CauseKind::ItemRemoved { [&home, &after] } else { [&after, &home] };
        let skill = first_of.skills.get(&folder).or(then.skills.get(&folder)).unwrap();
        prop_assert_eq!(cause.item.as_deref(), Some(skill.name.as_str()));
        prop_assert!(first.also.is_empty(), "{:?}", first.also);
    }
}

/// So many files that threads share the reading.
const SHARED: usize = 300;

/// The output of a build of many skills, or its errors.
fn of_many(seed: u64, locked: &[usize]) -> Result<String, Vec<String>> {
    const MANIFEST: &str = "promptc 1\nroot home default=\"home\"\ntier t { layer l { skills \"skills\" root=home } }\n";
    let path = |n: usize| format!("/home/skills/s{n}/SKILL.md");
    let skill = |n| format!("---\nname: s{n}\ndescription: number {n}\n---\n");
    let world = MapWorld::new().file("/promptc.kdl", MANIFEST);
    let world = (0..SHARED).fold(world, |world, n| world.file(path(n), skill(n)));
    let world = locked.iter().fold(world, |w, n| w.unreadable(path(*n)));
    let world = ShuffledWorld { world, seed };
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let opened = manifest::open(&world, Some("/promptc.kdl"), &mut files, &mut diags);
    let built =
        opened.and_then(|m| compile(&m, &GivenInputs::default(), &world, &mut files, &mut diags));
    let built = built.map(|prompt| prompt.text(Deliver::System).to_string());
    built.map_err(|_| diags.iter().map(|d| d.message.clone()).collect())
}

#[test]
fn skills_read_by_threads_are_in_order_and_the_first_error_is_reported() {
    let mut paths: Vec<usize> = (0..SHARED).collect();
    paths.sort_by_key(|n| format!("s{n}/"));
    let lines = paths.iter().map(|n| format!("- s{n}: number {n}"));
    let expected = lines.collect::<Vec<_>>().join("\n");
    for seed in 0..20 {
        assert_eq!(of_many(seed, &[]).unwrap().trim_end(), expected);
        let told = of_many(seed, &[299, 250, 30, 299]).unwrap_err();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("s250/SKILL.md"), "{told:?}");
    }
}
