//! A build from its recorded inputs alone equals the build that they were recorded of: for all examples, built-ins, cases and random
//! manifests.

use super::sample::{ALL, MANIFEST, sample};
use super::{classes, config, extended, fit, given, memory};
use crate::case::{Case, Line};
use crate::harness::files_below;
use crate::run::Place;
use crate::through::{Between, Through};
use data_encoding::BASE64;
use promptc::compare::snapshot::{Lock, Snapshot};
use promptc::compile::{
    FactsFile, GivenInputs, NotRepeated, build, build_recorded, prepare, rebuild, watch,
};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::{Prompt, RecordedInputs};
use promptc::text::tokens::Tokenizer;
use promptc::world::git::ObjectFormat;
use promptc::world::{DiskWorld, MapWorld, RebasedWorld, Recorder, World};
use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How much was compared.
#[derive(Debug, Default)]
struct Compared {
    /// Builds that were repeated.
    builds: usize,
    /// Those with a text.
    texts: usize,
    /// Manifests that do not build.
    failed: usize,
    /// The bytes of the artifacts.
    bytes: usize,
}

impl Compared {
    /// Builds a manifest, and repeats the build from its recorded inputs, as they are read from JSON. `machine` is what
    /// no path of a record may begin with.
    fn check(&mut self, world: &dyn World, name: Option<&str>, given: &GivenInputs, machine: &str) {
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let recorder = Recorder::new(world);
        let built = manifest::open(&recorder, name, &mut files, &mut diags).and_then(|manifest| {
            let plan = prepare(&manifest, given, &recorder, &mut files, &mut diags)?;
            let (mut prompt, inputs) = build_recorded(&plan, given, recorder, &mut diags)?;
            prompt.notices.extend(manifest::notice(&manifest));
            let private = watch(
                &plan,
                given,
                &inputs.facts.keys().cloned().collect::<Vec<_>>(),
                world,
                &mut diags,
            );
            let mut plain = build(&plan, given, world, &mut diags)?;
            plain.notices.extend(manifest::notice(&manifest));
            // To be recorded changes nothing.
            same(&plain, &prompt, name);
            Ok((prompt, inputs, private?.values, manifest))
        });
        let Ok((prompt, inputs, private, manifest)) = built else {
            self.failed += 1;
            return;
        };
        let written = serde_json::to_string(&inputs).unwrap();
        let read: RecordedInputs = serde_json::from_str(&written).unwrap();
        assert_eq!(read, inputs);
        let value = serde_json::to_value(&inputs).unwrap();
        for places in [
            &value["world"]["paths"],
            &value["roots"],
            &value["manifests"],
        ] {
            assert!(
                !places.to_string().contains(&format!("\"{machine}")),
                "{name:?} {}",
                show(places)
            );
        }
        let again = rebuild(&read, &private, &mut Files::default(), &mut diags);
        let again = again.unwrap_or_else(|why| {
            panic!(
                "{name:?} {}: {}",
                show(&value["roots"]),
                reason(&why, &diags)
            )
        });
        same(&prompt, &again, name);
        named(&Snapshot::of("default", true, &manifest, &prompt), &inputs);
        let lock = |prompt| Snapshot::of("default", true, &manifest, prompt);
        assert!(lock(&prompt) == lock(&again), "{name:?}");
        self.builds += 1;
        self.texts += usize::from(!prompt.channels.is_empty());
        self.bytes += prompt.to_json().len();
    }
}

/// Fails if the inputs are others when a lock has them and their contents are found.
fn named(snapshot: &Snapshot, inputs: &RecordedInputs) {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let mut lock = Lock::new("promptc.kdl");
        let snapshot = snapshot.clone().with_inputs(inputs, format);
        lock.snapshots.insert("default".to_owned(), snapshot);
        let written = lock.write();
        let read = Lock::read("promptc.lock", &written, "promptc.kdl").unwrap();
        assert_eq!(read.write(), written);
        let world = serde_json::to_value(&inputs.world).unwrap();
        let found = read.snapshots["default"]
            .inputs()
            .unwrap()
            .restore(|content, _| {
                let bytes = match &world["contents"][content.sha256] {
                    serde_json::Value::String(text) => text.clone().into_bytes(),
                    other => BASE64.decode(other["base64"].as_str()?.as_bytes()).ok()?,
                };
                assert_eq!(content.blob, Some(&*format.blob(&bytes)));
                Some(bytes)
            });
        assert!(found.as_ref() == inputs.fits().then_some(inputs));
    }
}

fn show(value: &serde_json::Value) -> String {
    value.to_string().chars().take(300).collect()
}

fn reason(why: &NotRepeated, diags: &Diagnostics) -> String {
    let said: Vec<&str> = diags.iter().map(|found| found.message.as_str()).collect();
    format!("{why:?} {}", said.join("; "))
}

/// Fails if two artifacts differ, without printing them.
#[track_caller]
fn same(prompt: &Prompt, again: &Prompt, name: Option<&str>) {
    let [was, is] = [prompt, again].map(Prompt::to_json);
    let lines = was.lines().zip(is.lines()).find(|(was, is)| was != is);
    let cut = |line: &str| line.chars().take(200).collect::<String>();
    let lines = lines.map(|(was, is)| format!("{}\n{}", cut(was), cut(is)));
    assert!(was == is && prompt == again, "{name:?}: {lines:?}");
}

/// The world of a command in a case: its files, and the environment that its line sets.
struct Beside {
    disk: RebasedWorld<DiskWorld>,
    env: MapWorld,
}

impl Between for Beside {
    fn ask<T>(&self, what: &str, _: &Path, ask: impl FnOnce(&dyn World) -> T) -> T {
        match what {
            "env" | "home" | "now" | "stdin" => ask(&self.env),
            _ => ask(&self.disk),
        }
    }
}

/// The values of an option, however it is written.
fn values<'a>(line: &'a Line, names: &[&str]) -> Vec<&'a str> {
    let args = &line.args;
    let value = |(at, arg): (usize, &'a String)| match arg.split_once('=') {
        Some((name, value)) if names.contains(&name) => Some(value),
        _ if names.contains(&arg.as_str()) => args.get(at + 1).map(String::as_str),
        _ => None,
    };
    args.iter().enumerate().filter_map(value).collect()
}

fn pairs(line: &Line, name: &str) -> Vec<(String, String)> {
    let pair = |value: &str| {
        value
            .split_once('=')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
    };
    values(line, &[name]).into_iter().filter_map(pair).collect()
}

/// What the command of a case gives to a build.
fn call(line: &Line, place: &Place) -> GivenInputs {
    let last = |name: &str| {
        values(line, &[name])
            .last()
            .map(|value| (*value).to_owned())
    };
    let facts = values(line, &["--facts", "-f"])
        .into_iter()
        .filter_map(|path| {
            let path = match path {
                "-" => line.stdin.as_deref()?,
                path => path,
            };
            Some(FactsFile::new(
                path,
                &fs::read(place.path().join(path)).ok()?,
            ))
        });
    let roots = pairs(line, "--root").into_iter();
    let without = values(line, &["--without"]).into_iter();
    GivenInputs {
        scenario: last("--scenario"),
        facts: facts.collect(),
        sets: pairs(line, "--set"),
        roots: roots.map(|(name, path)| (name, path.into())).collect(),
        tokenizer: last("--tokenizer").and_then(|name| Tokenizer::parse(&name)),
        now: last("--now"),
        without: without.map(str::to_owned).collect(),
        ..GivenInputs::default()
    }
}

/// The scenarios of a manifest, and none.
fn scenarios(world: &dyn World, name: Option<&str>) -> Vec<Option<String>> {
    let opened = manifest::open(
        world,
        name,
        &mut Files::default(),
        &mut Diagnostics::default(),
    );
    let scenarios = opened.iter().flat_map(|manifest| &manifest.scenarios);
    let names = scenarios.map(|scenario| Some(scenario.name.value.clone()));
    std::iter::once(None).chain(names).collect()
}

#[test]
fn cases_are_built_again_from_their_inputs() {
    let mut compared = Compared::default();
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for folder in [
        "language",
        "diff",
        "emit",
        "diagnostics",
        "checks",
        "fix",
        "fmt",
        "looks",
    ] {
        let files = files_below(&top.join(folder)).into_iter();
        for path in files.filter(|path| path.extension().is_some_and(|e| e == "case")) {
            let text = fs::read_to_string(&path).unwrap();
            // What blocks or needs other rights is no matter of inputs.
            let special = [
                " fifo --",
                " locked --",
                "# meanwhile",
                "# unprivileged",
                "# holds",
            ];
            if special.iter().any(|word| text.contains(word)) {
                continue;
            }
            let case = Case::parse(&text);
            let place = Place::new();
            let _held = case.lay_out(&place);
            for line in &case.lines {
                let env = line.env.iter().fold(
                    MapWorld::new().clock(1_764_000_000),
                    |env, (name, value)| env.variable(name, value),
                );
                let disk = RebasedWorld {
                    world: DiskWorld,
                    folder: place.path().to_owned(),
                };
                let world = Through(Beside { disk, env });
                let named = values(line, &["-m", "--manifest"]);
                let named: Vec<Option<String>> = match named[..] {
                    [] => vec![None],
                    _ => named
                        .iter()
                        .map(|name| Some(manifest::in_folder(&world, name)))
                        .collect(),
                };
                let machine = fs::canonicalize(place.path()).unwrap();
                let given = call(line, &place);
                for name in &named {
                    for scenario in scenarios(&world, name.as_deref()) {
                        let given = GivenInputs {
                            scenario: scenario.or_else(|| given.scenario.clone()),
                            ..given.clone()
                        };
                        compared.check(&world, name.as_deref(), &given, machine.to_str().unwrap());
                    }
                }
            }
        }
    }
    println!("cases: {compared:?}");
    assert!(
        compared.builds > 1200 && compared.texts > 1150,
        "{compared:?}"
    );
}

#[test]
fn examples_and_built_ins_are_built_again_from_their_inputs() {
    let mut compared = Compared::default();
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut manifests = 0;
    for folder in ["examples", "layers", "tests/built-ins", "benches"] {
        let files = files_below(&top.join(folder)).into_iter();
        for path in files.filter(|path| path.extension().is_some_and(|e| e == "kdl")) {
            manifests += 1;
            let beside = path.with_file_name("facts.json");
            let facts = fs::read(&beside)
                .ok()
                .map(|bytes| FactsFile::new("facts.json", &bytes));
            // As it is named from the folder of the project, and from anywhere.
            let below = path.strip_prefix(top).unwrap().to_str().unwrap();
            for name in [below, path.to_str().unwrap()] {
                for scenario in scenarios(&DiskWorld, Some(name)) {
                    let given = GivenInputs {
                        facts: facts
                            .clone()
                            .filter(|_| scenario.is_none())
                            .into_iter()
                            .collect(),
                        scenario,
                        now: Some("2026-11-20T10:00:00Z".to_owned()),
                        ..GivenInputs::default()
                    };
                    compared.check(&DiskWorld, Some(name), &given, top.to_str().unwrap());
                }
            }
        }
    }
    println!("examples: {manifests} manifests, {compared:?}");
    assert!(
        manifests > 20 && compared.builds > 150 && compared.texts > 140,
        "{compared:?}"
    );
}

/// So many values of a strategy, always the same.
fn values_of<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> impl Iterator<Item = T> {
    let mut runner = TestRunner::deterministic();
    (0..config(200).cases).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
}

#[test]
fn random_manifests_are_built_again_from_their_inputs() {
    let mut compared = Compared::default();
    let cases = config(200).cases as usize;
    for sample in values_of(sample(ALL)) {
        let name = format!("/base/{MANIFEST}");
        compared.check(
            &memory(&sample.files),
            Some(&name),
            &given(&sample),
            "/base",
        );
    }
    for (sample, folders) in values_of((sample(ALL), vec(0..extended::FOLDERS.len(), 1..6))) {
        let (files, top) = extended::extended(&sample, &folders);
        let scenario = extended::SCENARIOS[folders.len() % 3];
        let given = GivenInputs {
            scenario: (!scenario.is_empty()).then(|| scenario.to_owned()),
            ..given(&sample)
        };
        compared.check(
            &memory(&files),
            Some(&format!("/base/{top}")),
            &given,
            "/base",
        );
    }
    for sample in values_of(classes::sample::samples()) {
        for from in [None, Some(0), Some(1), Some(2)] {
            let (files, given) = sample.world(from);
            compared.check(
                &memory(&files),
                Some("/base/agent/promptc.kdl"),
                &given,
                "/base",
            );
        }
    }
    for manifest in values_of(fit::manifests()) {
        let files = BTreeMap::from([(MANIFEST.to_owned(), manifest.kdl().into_bytes())]);
        let name = format!("/base/{MANIFEST}");
        compared.check(
            &memory(&files),
            Some(&name),
            &GivenInputs::default(),
            "/base",
        );
    }
    println!("random: {compared:?}");
    // Some samples do not fit their budgets.
    assert!(compared.builds * 10 > cases * 7 * 9, "{compared:?}");
    assert!(compared.texts * 10 > compared.builds * 9, "{compared:?}");
}

/// A manifest with a private fact, a fact from the environment, and a folder that the environment names.
const PRIVATE: &str = r#"promptc 1
name "shop"
fact user string private=#true env="USER"
fact other string private=#true env="OTHER"
fact city string env="CITY"
root docs env="DOCS"
tier t {
    layer a { template "{{ user }} {{ other }} in {{ city }}" }
    layer b { file "a.md" root="docs" }
}
"#;

/// The record of a build with private facts.
fn private(user: &str) -> (Prompt, RecordedInputs) {
    let world = MapWorld::new()
        .file("/p/promptc.kdl", PRIVATE)
        .file("/q/docs/a.md", "A text.");
    let variables = [
        ("USER", user),
        ("OTHER", user),
        ("CITY", "Rome"),
        ("DOCS", "/q/docs"),
        ("HOME", "/home/x"),
    ];
    let world = variables
        .iter()
        .fold(world, |world, (name, value)| world.variable(*name, *value));
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let recorder = Recorder::new(&world);
    let manifest =
        manifest::open(&recorder, Some("/p/promptc.kdl"), &mut files, &mut diags).unwrap();
    let given = GivenInputs::default();
    let plan = prepare(&manifest, &given, &recorder, &mut files, &mut diags).unwrap();
    build_recorded(&plan, &given, recorder, &mut diags).unwrap()
}

#[test]
fn a_record_has_private_values_only_as_hashes() {
    let (prompt, inputs) = private("secret-7");
    let written = serde_json::to_value(&inputs).unwrap();
    assert!(!written.to_string().contains("secret-7"));
    let facts = &written["facts"];
    assert_eq!(
        facts["city"],
        serde_json::json!({"value": "Rome", "origin": "environment"})
    );
    assert_eq!(facts["user"]["private"].as_str().map(str::len), Some(64));
    assert_ne!(facts["user"], facts["other"]);
    assert_eq!(
        facts["user"],
        serde_json::to_value(private("secret-7").1).unwrap()["facts"]["user"]
    );
    assert_ne!(
        facts["user"],
        serde_json::to_value(private("secret-8").1).unwrap()["facts"]["user"]
    );
    assert_eq!(written["roots"], serde_json::json!({"docs": ["/docs"]}));
    // With the values it is the same prompt, and without them a fact is missing.
    let values = ["user", "other"].map(|name| (name.to_owned(), "secret-7".into()));
    let inputs: RecordedInputs = serde_json::from_value(written).unwrap();
    let again = |values| {
        rebuild(
            &inputs,
            &values,
            &mut Files::default(),
            &mut Diagnostics::default(),
        )
    };
    assert_eq!(again(BTreeMap::from(values)).unwrap(), prompt);
    assert!(matches!(again(BTreeMap::new()), Err(NotRepeated::Fails(_))));
}

#[test]
fn what_was_not_recorded_is_refused_by_name() {
    let (_, inputs) = private("secret-7");
    let mut written = serde_json::to_value(&inputs).unwrap();
    let values = ["user", "other"].map(|name| (name.to_owned(), "secret-7".into()));
    let values = BTreeMap::from(values);
    let mut refused = Vec::new();
    let paths = written["world"]["paths"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect::<Vec<_>>();
    for path in paths {
        let known = written["world"]["paths"]
            .as_object_mut()
            .unwrap()
            .remove(&path)
            .unwrap();
        let cut: RecordedInputs = serde_json::from_value(written.clone()).unwrap();
        match rebuild(
            &cut,
            &values,
            &mut Files::default(),
            &mut Diagnostics::default(),
        ) {
            Err(NotRepeated::Unrecorded(question)) => {
                assert!(question.ends_with(&format!(" of `{path}`")), "{question}");
                refused.push(path.clone());
            }
            // Nothing above the folders of a build is needed.
            other => assert!(path == "/", "{path}: {other:?}"),
        }
        written["world"]["paths"][&path] = known;
    }
    // Roots are folders, the manifest has its name in messages, and the disk may fold the case of names.
    let needed = [
        ".",
        "/docs",
        "/docs/A.MD",
        "/docs/a.md",
        "/manifest",
        "/manifest/promptc.kdl",
        "/manifest/text",
    ];
    assert_eq!(refused, needed);
}
