//! The recipes of `examples/recipes/`: each scenario against a text that was worked out from the rules of the agent that the
//! recipe follows, not from what promptc prints.

use crate::run::{Place, run};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::world::DiskWorld;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The recipes, in order.
pub(crate) fn recipes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/recipes");
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut out: Vec<PathBuf> = entries.filter(|p| p.is_dir()).collect();
    out.sort();
    out
}

/// The scenarios that a manifest declares.
fn scenarios(manifest: &Path) -> BTreeSet<String> {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let parsed = manifest::open(&DiskWorld, manifest.to_str(), &mut files, &mut diags).unwrap();
    let names = parsed.scenarios.iter().map(|s| s.name.value.clone());
    names.collect()
}

#[test]
fn every_recipe_builds_the_prompt_of_its_agent() {
    let mut count = 0;
    for recipe in recipes() {
        let manifest = recipe.join("promptc.kdl");
        let expected = fs::read_dir(recipe.join("expected")).unwrap();
        let expected: BTreeSet<String> = expected
            .map(|e| e.unwrap().path())
            .map(|p| p.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(scenarios(&manifest), expected, "{}", recipe.display());
        for scenario in expected {
            let text = fs::read_to_string(recipe.join(format!("expected/{scenario}.txt"))).unwrap();
            let place = Place::new();
            let mut command = place.command(&["build", "--hermetic", "--scenario", &scenario]);
            command.arg("--manifest").arg(&manifest);
            let ran = run(command, b"").exits(0);
            assert_eq!(ran.stdout(), text, "{} {scenario}", recipe.display());
            count += 1;
        }
    }
    assert!(count >= 12, "only {count} scenarios");
}

/// Without a scenario they read the folders of the user who runs them, which need not exist.
#[test]
fn every_recipe_builds_in_an_empty_place() {
    for recipe in recipes() {
        let place = Place::new();
        for file in fs::read_dir(&recipe).unwrap().map(|e| e.unwrap().path()) {
            if file.is_file() {
                let name = file.file_name().unwrap().to_str().unwrap();
                place.file(name, fs::read(&file).unwrap());
            }
        }
        place.file(".git/HEAD", "");
        let mut command = place.command(&["build"]);
        command.env("HOME", place.path().join("home"));
        if recipe.ends_with("claude-code") {
            // Its search ends at the top of the disk, where this test has no business.
            command.args(["--root", "disk=.", "--root", "managed=managed"]);
        }
        let ran = run(command, b"").exits(0);
        assert_eq!(ran.stdout(), "", "{}", recipe.display());
    }
}
