//! The laws of `docs/architecture.md` (Invariants), as properties over random manifests, source trees and facts.
//!
//! The oracles are independent implementations and share no code with the checked code. `PROPTEST_CASES` raises the
//! number of cases.

mod choices;
mod content;
mod model;
mod sample;
mod oracle;
mod same;
mod data;
mod owner;
mod complete;
mod budgets;
mod fit;
mod classes;
mod entries;
mod text;
mod walls;
mod races;
mod snapshots;
mod layout;
mod frozen;
mod directory_rules;
mod order;
mod extended;
mod cost;
mod breakpoints;
mod families;
mod before;
mod warm;
mod without;
mod inputs;

use model::Layer;
use promptc::compile::{FactsFile, GivenInputs, compile};
use promptc::diagnostic::span::Files;
use promptc::diagnostic::{Diagnostics, Severity};
use promptc::manifest::{self, grammar};
use promptc::prompt::Prompt;
use promptc::world::{MapWorld, World};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, TestRunner};
use sample::Sample;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// `cases`, unless `PROPTEST_CASES` says otherwise.
pub(crate) fn config(cases: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|n| n.parse().ok());
    Config {
        cases: asked.unwrap_or(cases),
        failure_persistence: None,
        ..Config::default()
    }
}

/// As [`config`], for cases that start processes or write to a disk, and take many times as long: of `PROPTEST_CASES` they run a fiftieth.
pub(crate) fn config_of_processes(cases: u32) -> Config {
    let asked = config(0).cases;
    Config {
        cases: cases.max(asked / 50),
        ..config(cases)
    }
}

/// Facts and sets of a sample.
fn given(sample: &Sample) -> GivenInputs {
    GivenInputs {
        facts: vec![FactsFile::new(
            "facts.json",
            &Value::from(sample.facts.clone()).to_string().into_bytes(),
        )],
        sets: sample.sets.clone(),
        ..GivenInputs::default()
    }
}

/// Builds in process; the codes of the errors if it fails. An error without a code, or an unreported one, is a panic.
fn build(
    world: &dyn World,
    manifest: &Path,
    given: &GivenInputs,
) -> Result<Prompt, Vec<&'static str>> {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let manifest = manifest.to_str().unwrap();
    let built = manifest::open(world, Some(manifest), &mut files, &mut diags)
        .and_then(|m| compile(&m, given, world, &mut files, &mut diags));
    // A build may warn, such as of a control character in a random text.
    let errors = diags.iter().filter(|d| d.severity == Severity::Error);
    let codes: Vec<&str> = errors.map(|d| d.code.name).collect();
    match built {
        Ok(prompt) => {
            assert!(codes.is_empty(), "a build with errors: {codes:?}");
            Ok(prompt)
        }
        Err(_) => {
            assert!(!codes.is_empty(), "a failure without an error");
            Err(codes)
        }
    }
}

/// Builds a sample in memory.
fn built(sample: &Sample) -> Result<Prompt, Vec<&'static str>> {
    build(
        &memory(&sample.files),
        &Path::new("/base").join(sample::MANIFEST),
        &given(sample),
    )
}

/// Builds a manifest with these files next to it; its language and a root `workspace` there are set.
fn small(manifest: &str, files: &[(&str, &str)]) -> Prompt {
    let manifest = format!("promptc 1\nroot workspace default=\".\"\n{manifest}");
    let mut all = BTreeMap::from([("promptc.kdl".to_owned(), manifest.into_bytes())]);
    all.extend(
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())),
    );
    build(
        &memory(&all),
        Path::new("/base/promptc.kdl"),
        &GivenInputs::default(),
    )
    .unwrap()
}

fn memory(files: &BTreeMap<String, Vec<u8>>) -> MapWorld {
    files.iter().fold(MapWorld::new(), |world, (path, bytes)| {
        world.file(Path::new("/base").join(path), bytes.clone())
    })
}

/// A generator that makes nothing but errors would prove nothing, and so would one without a kind of content.
#[test]
fn most_samples_build_and_have_every_kind_of_content() {
    let mut words = BTreeSet::new();
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..config(200).cases {
        let sample = sample::sample(sample::ALL)
            .new_tree(&mut runner)
            .unwrap()
            .current();
        let layers = sample.manifest.tiers.iter().flat_map(|tier| &tier.layers);
        for node in layers.flat_map(Layer::nodes) {
            words.insert(node.kind.word());
        }
        let what = match built(&sample) {
            Ok(prompt) => {
                for notice in &prompt.notices {
                    *counts.entry(format!("notice {}", notice.code)).or_default() += 1;
                }
                for absent in &prompt.absent {
                    *counts
                        .entry(format!("absent {}", absent.reason))
                        .or_default() += 1;
                }
                *counts.entry("layers".to_owned()).or_default() += prompt
                    .channels
                    .iter()
                    .map(|c| c.layers.len())
                    .sum::<usize>();
                "built".to_owned()
            }
            Err(codes) => codes[0].to_owned(),
        };
        *counts.entry(what).or_default() += 1;
    }
    println!("{counts:#?}");
    let share = counts["built"] as f64 / f64::from(config(200).cases);
    assert!(share > 0.6, "only {share} of the samples build");
    for what in [
        "notice cut",
        "notice dropped",
        "absent condition",
        "absent empty",
        "absent missing",
    ] {
        assert!(counts.contains_key(what), "no sample with {what}");
    }
    let contents = grammar::all().into_iter().filter(|row| row.is_content());
    let contents = contents.filter(|row| !row.of_overlays);
    let contents: BTreeSet<&str> = contents.map(|row| row.name).collect();
    assert_eq!(words, contents);
}
