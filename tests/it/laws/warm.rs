//! An engine gives the same result as a fresh build, after any series of changes of files, folders, links and facts.

use super::choices::Choices;
use super::config;
use super::content;
use super::sample::{ALL, MANIFEST, Sample, sample};
use crate::run::Place;
use crate::through::{Between, Through};
use promptc::prompt::Prompt;
use promptc::world::{MapWorld, World};
use promptc::{Answer, BuildInputs, DiskWorld, Engine, Error, Findings, Project};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert_eq, proptest};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, RwLock};

/// The entry at a path.
#[derive(Debug, Clone)]
enum Stands {
    File(Vec<u8>),
    Link(String),
}

type Tree = BTreeMap<String, Stands>;

/// Names that a change may bring.
const NEW: &[&str] = &[
    "a.md",
    "notes/new.md",
    "sub/deep/er.md",
    "skills/x/three/SKILL.md",
    "not-there.md",
    "agent/text/said.md",
    "agent/templates/part.md.j2",
    "notes",
    "sub",
];

/// Where a link may lead to.
const TARGETS: &[&str] = &[
    "a.md",
    "../a.md",
    "sub",
    "notes/x.md",
    "/base/c.txt",
    "/elsewhere",
    "b.md",
];

/// One change; a failed law prints it.
fn change(c: &Choices, tree: &mut Tree, facts: &mut Map<String, Value>) -> String {
    let paths: Vec<String> = tree.keys().filter(|p| *p != MANIFEST).cloned().collect();
    let old = || paths.get(c.below(paths.len().max(1))).cloned();
    match c.below(8) {
        0 => "nothing".to_owned(),
        1 => match facts.keys().nth(c.below(facts.len().max(1))).cloned() {
            Some(name) => {
                let value = changed(c, &facts[&name]);
                let told = format!("{name} = {value}");
                facts.insert(name, value);
                told
            }
            None => "no fact".to_owned(),
        },
        2 | 3 => match old() {
            Some(path) => put(tree, &path, Stands::File(content::file(c))),
            None => "no file".to_owned(),
        },
        4 => match old() {
            Some(path) => {
                tree.remove(&path);
                format!("removed {path}")
            }
            None => "no file".to_owned(),
        },
        5 => put(tree, c.of(NEW), Stands::File(content::file(c))),
        6 => {
            let path = if c.odds(8) {
                old().unwrap_or_else(|| NEW[0].to_owned())
            } else {
                c.of(NEW).to_owned()
            };
            put(tree, &path, Stands::Link(c.of(TARGETS).to_owned()))
        }
        _ => {
            if let Some(Stands::File(manifest)) = tree.get_mut(MANIFEST) {
                manifest.extend(c.of(&[
                    &b"// a note\n"[..],
                    b"fact unheard\n",
                    b"tier {\n",
                    b"\n",
                ]));
            }
            "edited the manifest".to_owned()
        }
    }
}

/// Puts an entry at a path, in place of an existing one or of one on the way.
fn put(tree: &mut Tree, path: &str, stands: Stands) -> String {
    let inside = format!("{path}/");
    tree.retain(|other, _| !other.starts_with(&inside) && !path.starts_with(&format!("{other}/")));
    let told = format!("{path}: {stands:?}");
    tree.insert(path.to_owned(), stands);
    told
}

fn changed(c: &Choices, value: &Value) -> Value {
    match value {
        Value::String(_) => content::text(c, 3).into(),
        Value::Bool(is) => (!is).into(),
        Value::Number(_) => c.below(90).into(),
        Value::Array(items) => items.iter().rev().cloned().collect(),
        other => other.clone(),
    }
}

/// A world that changes between two calls.
struct Changing(RwLock<MapWorld>);

impl Between for Changing {
    fn ask<T>(&self, _: &str, _: &Path, ask: impl FnOnce(&dyn World) -> T) -> T {
        ask(&*self.0.read().unwrap())
    }
}

fn memory(tree: &Tree) -> MapWorld {
    let base = Path::new("/base");
    tree.iter()
        .fold(MapWorld::new(), |world, (path, stands)| match stands {
            Stands::File(bytes) => world.file(base.join(path), bytes.clone()),
            Stands::Link(target) => world.link(base.join(path), target),
        })
}

/// The result of a call, with all its findings.
type Told = (Result<String, ()>, Vec<String>);

fn told<T: Deref<Target = Prompt>>(built: Result<Answer<T>, Error>) -> Told {
    fn all(findings: &Findings) -> Vec<String> {
        let one = |d| format!("{d:?} {:?}", findings.range(d));
        findings.iter().map(one).collect()
    }
    match built {
        Ok(answer) => {
            let prompt: &Prompt = &answer.value;
            (
                Ok(serde_json::to_string(prompt).unwrap()),
                all(&answer.findings),
            )
        }
        Err(error) => (Err(()), all(error.findings())),
    }
}

/// Sometimes with a layer that is left out, or that is none.
fn inputs_of_variant(c: &Choices, sample: &Sample, facts: &Map<String, Value>) -> BuildInputs {
    let inputs = inputs(sample, facts);
    match c.below(8) {
        0 => inputs.without("none"),
        1..4 => {
            let layers: Vec<_> = sample.manifest.layers().collect();
            inputs.without(c.of(&layers).name.as_str())
        }
        _ => inputs,
    }
}

fn inputs(sample: &Sample, facts: &Map<String, Value>) -> BuildInputs {
    let json = Value::from(facts.clone()).to_string().into_bytes();
    let inputs = BuildInputs::new().facts_object("facts.json", json);
    let sets = sample.sets.iter();
    sets.fold(inputs, |inputs, (name, value)| inputs.set(name, value))
}

fn fresh(world: Arc<dyn World + Send + Sync>, manifest: &Path, inputs: &BuildInputs) -> Told {
    let name = manifest.to_str().unwrap().to_owned();
    let project = Project::open_with(Some(name), world);
    told(project.and_then(|project| {
        let Answer { value, findings } = project.build(inputs)?;
        Ok(Answer {
            value: Arc::new(value),
            findings,
        })
    }))
}

fn tree(sample: &Sample) -> Tree {
    let files = sample.files.iter();
    files
        .map(|(path, bytes)| (path.clone(), Stands::File(bytes.clone())))
        .collect()
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn an_engine_gives_the_same_as_a_fresh_build(sample in sample(ALL), picks in vec(any::<u16>(), 40..400)) {
        let c = Choices::new(&picks);
        let (mut tree, mut facts) = (tree(&sample), sample.facts.clone());
        let world = Arc::new(Through(Changing(RwLock::new(memory(&tree)))));
        let manifest = Path::new("/base").join(MANIFEST);
        let Ok(project) = Project::open_with(Some(manifest.to_str().unwrap().to_owned()), world.clone()) else {
            return Ok(());
        };
        let engine = Engine::new(project);
        let (first_tree, first_facts) = (tree.clone(), facts.clone());
        let mut changes = vec!["as it was".to_owned()];
        for _ in 0..2 + c.below(9) {
            *world.0.0.write().unwrap() = memory(&tree);
            let inputs = inputs_of_variant(&c, &sample, &facts);
            let warm = told(engine.build(&inputs));
            prop_assert_eq!(warm, fresh(world.clone(), &manifest, &inputs), "{:?}", changes);
            if c.odds(3) {
                // The old state comes back.
                (tree, facts) = (first_tree.clone(), first_facts.clone());
                changes.push("all as at first".to_owned());
            }
            changes.push(change(&c, &mut tree, &mut facts));
        }
    }
}

proptest! {
    #![proptest_config(super::config_of_processes(6))]

    #[test]
    fn also_on_a_disk(sample in sample(ALL), picks in vec(any::<u16>(), 40..400)) {
        let c = Choices::new(&picks);
        let (mut tree, mut facts) = (tree(&sample), sample.facts.clone());
        let place = Place::new();
        let base = place.path().join("base");
        write(&base, &tree);
        let manifest = base.join(MANIFEST);
        let Ok(project) = Project::open(manifest.to_str().unwrap()) else {
            return Ok(());
        };
        let engine = Engine::new(project);
        let mut changes = vec!["as it was".to_owned()];
        for _ in 0..2 + c.below(7) {
            let inputs = inputs(&sample, &facts);
            let warm = told(engine.build(&inputs));
            prop_assert_eq!(warm, fresh(Arc::new(DiskWorld), &manifest, &inputs), "{:?}", changes);
            changes.push(change(&c, &mut tree, &mut facts));
            write(&base, &tree);
        }
    }
}

/// Makes a folder hold just this.
fn write(base: &Path, tree: &Tree) {
    if base.exists() {
        fs::remove_dir_all(base).unwrap();
    }
    for (path, stands) in tree {
        let path = base.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match stands {
            Stands::File(bytes) => fs::write(path, bytes).unwrap(),
            Stands::Link(target) => link(target, &path),
        }
    }
}

#[cfg(unix)]
fn link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).unwrap();
}

#[cfg(not(unix))]
fn link(_: &str, path: &Path) {
    fs::write(path, "no link").unwrap();
}
