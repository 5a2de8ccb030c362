//! The queries of an engine to the world, and the stored data of its sessions.

use crate::run::Place;
use crate::through::{Between, Through};
use promptc::world::World;
use promptc::{BuildInputs, Deliver, DiskWorld, Engine, Project, SessionOptions, StoreOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The disk, and how often each file was opened and each folder was listed.
#[derive(Default)]
struct Counting(Mutex<BTreeMap<String, usize>>);

impl Counting {
    fn take(&self) -> BTreeMap<String, usize> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Between for Counting {
    fn ask<T>(&self, what: &str, path: &Path, ask: impl FnOnce(&dyn World) -> T) -> T {
        let what = match what {
            "read_found" => "read",
            what => what,
        };
        if matches!(what, "read" | "list") {
            let name = format!("{what} {}", path.file_name().unwrap().to_string_lossy());
            *self.0.lock().unwrap().entry(name).or_default() += 1;
        }
        ask(&DiskWorld)
    }
}

const MANIFEST: &str = r#"promptc 1
root workspace default="."
fact user string changes=turn
tier stable {
    layer rules { file rules.md; template "{{ content }} {{ content }}" }
    layer notes { glob "notes/*.md" }
    layer again { glob "notes/*.md"; template "{{ documents | length }} notes" }
    layer skills { skills "skills" }
}
tier now deliver=user { layer turn { template "{{ user }}" } }
"#;

fn place() -> (Place, String) {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("rules.md", "Be brief.");
    place.file("notes/a.md", "A");
    place.file("notes/b.md", "B");
    place.file(
        "skills/one/SKILL.md",
        "---\nname: one\ndescription: First.\n---\n",
    );
    let manifest = place.path().join("promptc.kdl").display().to_string();
    (place, manifest)
}

fn user(name: &str) -> BuildInputs {
    BuildInputs::new().set("user", name)
}

#[test]
fn a_call_opens_each_file_once_and_lists_each_folder_once() {
    let (place, manifest) = place();
    let world = Arc::new(Through::<Counting>::default());
    let engine = Engine::new(Project::open_with(Some(manifest), world.clone()).unwrap());
    let text = |name: &str| {
        let prompt = engine.build(&user(name)).unwrap();
        prompt.text(Deliver::System).to_owned()
    };
    world.0.take();
    let first = text("Ada");
    let once: Vec<(String, usize)> = [
        "list notes",
        "list one",
        "list skills",
        "read SKILL.md",
        "read a.md",
        "read b.md",
        "read promptc.kdl",
        "read rules.md",
    ]
    .map(|name| (name.to_owned(), 1))
    .into();
    for name in ["Ada", "Ada", "Bob"] {
        assert_eq!(Vec::from_iter(world.0.take()), once);
        assert_eq!(text(name), first);
    }
    assert_eq!(Vec::from_iter(world.0.take()), once);
    place.file("notes/c.md", "C");
    fs::remove_file(place.path().join("notes/a.md")).unwrap();
    assert_eq!(text("Bob"), first.replace("A\n\nB", "B\n\nC"));
}

#[test]
fn sessions_of_an_engine_are_those_of_the_project() {
    let (place, manifest) = place();
    let options = SessionOptions {
        store: StoreOptions {
            location: Some(place.path().join("store.db")),
            ..StoreOptions::default()
        },
        ..SessionOptions::default()
    };
    let project = Project::open(manifest).unwrap();
    let engine = Engine::new(project.clone());
    for name in ["Ada", "Bob", "Ada", "Cleo"] {
        let of_engine = engine.session("s", &user(name), &options).unwrap();
        place.file("rules.md", "Be long."); // It is frozen.
        let of_project = project.session("s", &user(name), &options).unwrap();
        let [a, b] = [of_engine, of_project].map(|s| s.value.prompt.unwrap().channels);
        assert_eq!(a, b);
        let text = |deliver| {
            a.iter()
                .find(|c| c.deliver == deliver)
                .unwrap()
                .text
                .clone()
        };
        assert_eq!(text(Deliver::User), name);
        assert!(text(Deliver::System).starts_with("Be brief."));
    }
}

#[test]
fn queries_about_other_layers_are_repeated() {
    let place = Place::new();
    let manifest = r#"promptc 1
root workspace default="."
tier t {
    layer a { file a.md }
    layer loaded when="loaded('a')" { text "a is there" }
    layer exists { text "b: "; template "{{ content }}{{ 'true' if exists('b.md', 'workspace') else 'false' }}" }
}
"#;
    place.file("promptc.kdl", manifest);
    let manifest = place.path().join("promptc.kdl").display().to_string();
    let engine = Engine::new(Project::open(manifest).unwrap());
    let text = || {
        let prompt = engine.build(&BuildInputs::new()).unwrap();
        prompt.text(Deliver::System).to_owned()
    };
    for _ in 0..2 {
        assert_eq!(text(), "b:false");
        place.file("a.md", "A");
        assert_eq!(text(), "A\n\na is there\n\nb:false");
        place.file("b.md", "B");
        assert_eq!(text(), "A\n\na is there\n\nb:true");
        fs::remove_file(place.path().join("a.md")).unwrap();
        fs::remove_file(place.path().join("b.md")).unwrap();
    }
}

#[test]
fn equal_values_with_different_output_are_distinguished() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact x float\nfact l list\ntier t { layer a { template \"{{ x }} {{ l[0] }}\" } }\n",
    );
    let manifest = place.path().join("promptc.kdl").display().to_string();
    let engine = Engine::new(Project::open(manifest).unwrap());
    let values = [
        (r#"{"x": -0.0, "l": [-0.0]}"#, "-0.0 -0.0"),
        (r#"{"x": 0.0, "l": [-0.0]}"#, "0.0 -0.0"),
        (r#"{"x": 0.0, "l": [0.0]}"#, "0.0 0.0"),
        (r#"{"x": 0.0, "l": [0]}"#, "0.0 0"),
    ];
    for (facts, text) in values.into_iter().chain(values) {
        let inputs = BuildInputs::new().facts_object("<facts>", facts.as_bytes());
        let prompt = engine.build(&inputs).unwrap();
        assert_eq!(prompt.text(Deliver::System), text);
    }
}

#[test]
fn a_file_next_to_a_base_gives_way_and_comes_back() {
    let place = Place::new();
    place.file(
        "core/promptc.kdl",
        "promptc 1\ntier t { layer rules { file RULES.md root=manifest } }\n",
    );
    place.file("core/RULES.md", "of core");
    place.file(
        "team/promptc.kdl",
        "promptc 1\nextends \"../core/promptc.kdl\"\n",
    );
    let manifest = place.path().join("team/promptc.kdl").display().to_string();
    let engine = Engine::new(Project::open(manifest).unwrap());
    let build = || {
        let prompt = engine.build(&BuildInputs::new()).unwrap();
        prompt.text(Deliver::System).to_owned()
    };
    assert_eq!([build(), build()], ["of core", "of core"]);
    place.file("team/RULES.md", "of team");
    assert_eq!([build(), build()], ["of team", "of team"]);
    place.file("core/RULES.md", "of core, edited");
    assert_eq!(build(), "of team");
    fs::remove_file(place.path().join("team/RULES.md")).unwrap();
    assert_eq!([build(), build()], ["of core, edited", "of core, edited"]);
}
