//! The advice of `diff` never contradicts `check`: the edit of each is made, and no rule finds more than before.

use crate::harness::case::Case;
use crate::laws::config;
use crate::run::Place;
use promptc::check::{self, advised};
use promptc::compare::{Advice, AdviceKind};
use promptc::compile::{FactsFile, GivenInputs, Plan, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::world::{DiskWorld, MapWorld, World};
use promptc::{BuildInputs, CompareOptions, Project};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_assert, prop_oneof};
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A manifest as a plan; none if it has errors.
fn planned(world: &dyn World, path: &Path, given: &GivenInputs) -> Option<(Plan, Files)> {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let manifest = manifest::open(world, path.to_str(), &mut files, &mut diags).ok()?;
    let plan = prepare(&manifest, given, world, &mut files, &mut diags).ok()?;
    Some((plan, files))
}

/// How often each rule finds something.
fn findings((plan, files): &(Plan, Files)) -> BTreeMap<&'static str, usize> {
    let report = check::check(plan, files, &[], &check::Options::default());
    let mut out = BTreeMap::new();
    for finding in &report.findings {
        *out.entry(finding.rule.code.name).or_default() += 1;
    }
    out
}

/// The rules that find more after the edit than before.
fn more(
    before: &BTreeMap<&str, usize>,
    after: &BTreeMap<&'static str, usize>,
) -> Vec<&'static str> {
    let had = |rule: &&str| before.get(rule).copied().unwrap_or(0);
    let rules = after.iter().filter(|(rule, count)| **count > had(rule));
    rules.map(|(rule, _)| *rule).collect()
}

#[test]
fn the_edits_that_cases_advise_bring_no_finding() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff");
    let mut made = 0;
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    all.sort();
    for path in all {
        let text = fs::read_to_string(&path).unwrap();
        if !text.contains("advice") {
            continue;
        }
        let (case, place) = (Case::parse(&text), Place::new());
        let _held = case.lay_out(&place);
        for line in &case.lines {
            let has_format = line.args.iter().any(|arg| arg == "--format");
            let extra: &[&str] = if has_format {
                &[]
            } else {
                &["--format", "json"]
            };
            let is_diff = line.args.first().is_some_and(|arg| arg == "diff");
            let extra = if is_diff { extra } else { &[] };
            let ran = case.run(line, extra, &place).unwrap();
            let said: Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
            // Only layers are moved by an advice; one for requests is another.
            let comparisons = said["comparisons"].as_array().filter(|_| is_diff).cloned();
            let comparisons = comparisons.unwrap_or_default();
            let named = line.args.windows(2).find(|pair| pair[0] == "-m");
            let manifest = named.map_or("promptc.kdl", |pair| &pair[1]);
            for advice in comparisons
                .iter()
                .flat_map(|one| one["advice"].as_array().unwrap())
            {
                let advice: Advice = serde_json::from_value(advice.clone()).unwrap();
                made += usize::from(follow(&advice, &place, manifest, &path));
            }
        }
    }
    assert!(made >= 10, "only {made} edits were made");
}

/// Makes the edit of an advice in the folder of a case; whether one is known.
fn follow(advice: &Advice, place: &Place, manifest: &str, case: &Path) -> bool {
    let path = place.path().join(manifest);
    let given = GivenInputs::default();
    let Some(before) = planned(&DiskWorld, &path, &given) else {
        return false;
    };
    let Some(text) = advised(advice, &before.0, &before.1) else {
        return false;
    };
    let old = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text).unwrap();
    let after = planned(&DiskWorld, &path, &given);
    fs::write(&path, old).unwrap();
    let after = after.unwrap_or_else(|| panic!("{}: {text}", case.display()));
    let more = more(&findings(&before), &findings(&after));
    assert!(
        more.is_empty(),
        "{}: {advice:?} brings {more:?}\n{text}",
        case.display()
    );
    true
}

const CLASSES: [&str; 5] = ["never", "deploy", "session", "day", "turn"];

#[derive(Debug, Clone)]
struct Layer {
    /// The class of the fact that it prints; without one it has a text.
    fact: Option<usize>,
    locked: bool,
    persona: bool,
}

#[derive(Debug, Clone)]
struct Tier {
    changes: Option<usize>,
    locked: bool,
    layers: Vec<Layer>,
}

fn tiers() -> impl Strategy<Value = Vec<Tier>> {
    let rarely = || (0_u8..6).prop_map(|n| n == 0);
    let fact = prop_oneof![1 => Just(None), 3 => (1..CLASSES.len()).prop_map(Some)];
    let layer = (fact, rarely(), rarely());
    let layer = layer.prop_map(|(fact, locked, persona)| Layer {
        fact,
        locked,
        persona,
    });
    let changes = prop_oneof![1 => Just(None), 2 => (0..CLASSES.len()).prop_map(Some)];
    let tier = (changes, rarely(), vec(layer, 1..4));
    let tier = tier.prop_map(|(changes, locked, layers)| Tier {
        changes,
        locked,
        layers,
    });
    prop_oneof![
        1 => vec(tier.clone(), 1..5),
        // As `check` asks for them.
        1 => vec(tier, 1..5).prop_map(|mut tiers| {
            tiers.sort_by_key(|tier| tier.changes);
            for tier in &mut tiers {
                tier.layers.sort_by_key(|layer| layer.fact);
            }
            tiers
        }),
    ]
}

fn kdl(tiers: &[Tier]) -> String {
    let mut out = "promptc 1\n".to_owned();
    for class in &CLASSES[1..] {
        let _ = writeln!(out, "fact {class} string changes={class}");
    }
    let mut personas = 0;
    let lock = |locked: bool| if locked { " locked=#true" } else { "" };
    for (at, tier) in tiers.iter().enumerate() {
        let changes = tier
            .changes
            .map(|class| format!(" changes={}", CLASSES[class]));
        let changes = changes.unwrap_or_default();
        let _ = writeln!(out, "tier t{at}{changes}{} {{", lock(tier.locked));
        for (number, layer) in tier.layers.iter().enumerate() {
            let name = if layer.persona && personas == 0 {
                "identity".to_owned()
            } else {
                format!("l{at}{number}")
            };
            personas += usize::from(layer.persona);
            let content = match layer.fact {
                Some(class) => format!("template \"{{{{ {} }}}} of {name}.\"", CLASSES[class]),
                None => format!("text \"The text of {name}.\""),
            };
            let _ = writeln!(
                out,
                "    layer {name}{} {{ {content} }}",
                lock(layer.locked)
            );
        }
        out.push_str("}\n");
    }
    out
}

/// The facts by name.
fn facts(changed: Option<usize>) -> BTreeMap<&'static str, &'static str> {
    let value = |class: usize| match changed {
        Some(changed) if changed == class => "other words than before",
        _ => "the same words",
    };
    (1..CLASSES.len())
        .map(|at| (CLASSES[at], value(at)))
        .collect()
}

fn inputs(changed: Option<usize>) -> BuildInputs {
    let facts = facts(changed).into_iter();
    facts.fold(BuildInputs::new(), |inputs, (name, value)| {
        inputs.set(name, value)
    })
}

fn given() -> GivenInputs {
    GivenInputs {
        facts: vec![FactsFile::new(
            "facts.json",
            &serde_json::to_vec(&facts(None)).unwrap(),
        )],
        ..GivenInputs::default()
    }
}

const MANIFEST: &str = "/base/promptc.kdl";

fn world(text: &str) -> MapWorld {
    MapWorld::new().file(Path::new(MANIFEST), text.as_bytes().to_vec())
}

/// The advice about two builds of a manifest, as users get it: each has been tried.
fn advice(text: &str, changed: usize) -> Vec<Advice> {
    let place = Place::new();
    place.file("promptc.kdl", text);
    let project = Project::open(place.path().to_str().unwrap()).unwrap();
    let before = project.build(&inputs(None).keep_inputs()).expect(text);
    place.file("old.json", before.to_json());
    let old = place.path().join("old.json");
    let operands = [old.to_str(), Some(".")];
    let compared = project.compare(operands, &inputs(Some(changed)), &CompareOptions::default());
    let compared = compared.unwrap().value;
    compared
        .into_iter()
        .flat_map(|one| one.diff.advice)
        .collect()
}

/// How many edits were made.
fn verify(tiers: &[Tier], changed: usize) -> Result<u32, TestCaseError> {
    let text = kdl(tiers);
    let advised_changes = advice(&text, changed);
    let mut made = 0;
    for advice in advised_changes
        .iter()
        .filter(|a| a.kind == AdviceKind::Order)
    {
        let lines = || {
            text.lines().scan("", |tier, line| {
                if line.starts_with("tier") {
                    *tier = line;
                }
                Some((*tier, line))
            })
        };
        let own = format!("    layer {} ", advice.layer);
        let (tier, layer) = lines().find(|(_, line)| line.starts_with(&own)).unwrap();
        prop_assert!(
            !tier.contains("locked") && !layer.contains("locked"),
            "{text}"
        );
        prop_assert!(advice.layer != "identity", "{text}");
        let before = planned(&world(&text), Path::new(MANIFEST), &given()).unwrap();
        let Some(edited) = advised(advice, &before.0, &before.1) else {
            continue;
        };
        let after = planned(&world(&edited), Path::new(MANIFEST), &given()).expect(&edited);
        let more = more(&findings(&before), &findings(&after));
        prop_assert!(
            more.is_empty(),
            "{advice:?} brings {more:?}\n{text}\n{edited}"
        );
        made += 1;
    }
    Ok(made)
}

#[test]
fn the_edits_that_are_advised_bring_no_finding() {
    let config = config(500);
    let cases = config.cases;
    let made = Cell::new(0);
    let mut runner = TestRunner::new(config);
    let ran = runner.run(&(tiers(), 1..CLASSES.len()), |(tiers, changed)| {
        made.set(made.get() + verify(&tiers, changed)?);
        Ok(())
    });
    ran.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        made.get() > cases / 20,
        "only {} edits were made",
        made.get()
    );
}
