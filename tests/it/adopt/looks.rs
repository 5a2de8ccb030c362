//! `init` in a folder that holds what agents read. Its output and builds for each kind of folder are in `tests/looks`.

use crate::case::Case;
use crate::docs::markdown::{entries, top};
use crate::run::{Place, run};
use promptc::adopt::look::look;
use promptc::source::builtin::PRESETS;
use promptc::source::recipes::RECIPES;
use promptc::world::MapWorld;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The output of `init --format json`, in a folder where it succeeds.
fn report(place: &Place) -> Value {
    let ran = place.run(&["init", "--format", "json"]).exits(0);
    serde_json::from_slice(&ran.stdout).unwrap()
}

fn texts<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    let all = list.as_array().unwrap().iter();
    all.map(|one| one[key].as_str().unwrap()).collect()
}

/// The case files.
fn cases() -> Vec<(String, Case)> {
    let paths = entries(&top().join("tests/looks")).into_iter();
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path.display().to_string(), Case::parse(&text))
    };
    paths.map(read).collect()
}

#[test]
fn each_used_text_is_in_the_prompt_once() {
    let mut count = 0;
    for (name, case) in cases() {
        let place = Place::new();
        case.lay_out(&place);
        let found = report(&place);
        let built = place.run(&["build", "--now", "2026-03-30T00:00:00Z"]);
        let built = built.exits(0);
        for layer in found["layers"].as_array().unwrap() {
            if ["tools", "skills"].contains(&layer["tier"].as_str().unwrap()) {
                continue;
            }
            let file = layer["files"][0].as_str().unwrap();
            let text = fs::read_to_string(place.path().join(file)).unwrap();
            // The imported text replaces these lines.
            let lines = text.lines().filter(|line| !line.contains('@'));
            for line in lines.filter(|line| !line.trim().is_empty()) {
                let times = built.stdout().lines().filter(|l| *l == line).count();
                assert_eq!(times, 1, "{name}: {file}: {line}");
            }
            count += 1;
        }
    }
    assert!(count >= 12, "only {count} layers");
}

#[test]
fn every_case_tries_its_changes() {
    for (name, case) in cases() {
        let lines: Vec<&str> = case.lines.iter().map(|l| l.args[0].as_str()).collect();
        assert_eq!(lines[..4], ["init", "check", "fmt", "build"], "{name}");
        assert!(case.exit.is_none(), "{name}");
    }
}

#[test]
fn no_text_is_run_and_only_the_manifest_is_written() {
    for (name, case) in cases() {
        let place = Place::new();
        case.lay_out(&place);
        let names = || -> BTreeSet<_> { entries(place.path()).into_iter().collect() };
        let before = names();
        report(&place);
        let new: Vec<_> = names().difference(&before).cloned().collect();
        assert_eq!(new, [place.path().join("promptc.kdl")], "{name}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_folder_that_is_looked_into() {
    let place = Place::new();
    for file in ["AGENTS.md", "a/SKILL.md", "tools.json", "rules"] {
        let text = "---\nname: secret\n---\n*secret*\n";
        place.file(&format!("out/{file}"), text);
    }
    place.file(
        "in/CLAUDE.md",
        "Plan first.\n@../out/AGENTS.md @gone/AGENTS.md\n",
    );
    for (name, target) in [
        ("AGENTS.md", "../out/AGENTS.md"),
        ("skills", "../out"),
        ("tools", "../out"),
        ("memory", "../out"),
        (".claude", "../out"),
        ("gone", "../out"),
        (".gitignore", "../out/rules"),
    ] {
        std::os::unix::fs::symlink(target, place.path().join("in").join(name)).unwrap();
    }
    let ran = place.run(&["init", "in"]).exits(0);
    let built = place.run(&["build", "-m", "in/promptc.kdl"]).exits(0);
    assert!(
        built.stdout().starts_with("Plan first."),
        "{}",
        built.stdout()
    );
    for text in [
        ran.stdout(),
        &ran.stderr,
        built.stdout(),
        &place.read("in/promptc.kdl"),
    ] {
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn an_existing_manifest_stays() {
    let place = Place::new();
    place.file("AGENTS.md", "Run the linter.\n");
    place.file("promptc.kdl", "mine");
    let ran = place.run(&["init"]).exits(2);
    ran.says("`promptc.kdl` exists");
    assert_eq!(place.read("promptc.kdl"), "mine");
}

#[test]
fn the_folder_may_be_another_one() {
    let place = Place::new();
    place.file("shop/AGENTS.md", "Run the linter.\n");
    let ran = place.run(&["init", "shop"]).exits(0);
    ran.says("wrote shop/promptc.kdl");
    ran.says("promptc build -m shop/promptc.kdl");
    let built = place.run(&["build", "-m", "shop/promptc.kdl"]).exits(0);
    assert_eq!(built.stdout(), "Run the linter.");
}

#[test]
fn ten_thousand_files_are_read() {
    let place = Place::new();
    for folder in 0..100 {
        for file in 0..100 {
            place.file(&format!("src/f{folder}/{file}.rs"), "");
        }
        place.file(&format!("src/f{folder}/AGENTS.md"), "Be brief.\n");
    }
    place.file("AGENTS.md", "Run the linter.\n");
    let found = report(&place);
    assert_eq!(found["whole"], true);
    assert_eq!(found["directory_rules"].as_array().unwrap().len(), 100);
    let check = place.run(&["check", "--fail-on", "warnings"]);
    check.exits(0);
    let people = place.path().join("promptc.kdl");
    fs::remove_file(people).unwrap();
    place.run(&["init"]).exits(0).shows("and 80 more");
}

#[test]
fn init_stops_at_its_limits_and_reports_them() {
    let mut wide = MapWorld::new().file("/a/AGENTS.md", "Run the linter.\n");
    for number in 0..50_001 {
        wide = wide.file(format!("/a/many/{number}"), "");
    }
    let found = look(&wide, Path::new("/a")).unwrap();
    assert!(!found.report.whole && found.report.names == 50_000);
    assert!(found.manifest.is_some());

    let deep = "x/".repeat(40);
    let world = MapWorld::new().file(format!("/a/{deep}AGENTS.md"), "Be brief.\n");
    let found = look(&world, Path::new("/a")).unwrap();
    assert!(!found.report.whole && found.report.directory_rules.is_empty());
}

#[test]
fn unreadable_files_are_reported() {
    let world = MapWorld::new()
        .file("/a/AGENTS.md", "Run the linter.\n")
        .file("/a/SOUL.md", "You are Harbor.\n")
        .file("/a/web/AGENTS.md", "Be brief.\n")
        .unreadable("/a/SOUL.md")
        .unreadable("/a/web");
    let found = look(&world, Path::new("/a")).unwrap();
    let left: Vec<&str> = (found.report.left_out.iter())
        .map(|left| left.path.as_str())
        .collect();
    assert_eq!(left, ["SOUL.md", "web"]);
    assert!(found.report.layers.len() == 1);
}

#[test]
fn a_missing_folder_gets_the_preset() {
    let found = look(&MapWorld::new(), Path::new("/none")).unwrap();
    assert!(found.manifest.is_none());
    assert_eq!(found.report.preset, Some("minimal"));
    let place = Place::new();
    assert_eq!(report(&place)["preset"], "minimal");
}

#[test]
fn skipped_files_have_a_reason() {
    for (name, case) in cases() {
        let place = Place::new();
        case.lay_out(&place);
        let found = report(&place);
        let reasons = texts(&found["left_out"], "reason");
        assert!(reasons.iter().all(|r| r.len() > 10), "{name}: {reasons:?}");
    }
}

#[test]
fn every_recipe_is_a_preset_that_builds_and_has_no_finding() {
    let list = Place::new().run(&["init", "--list-presets"]).exits(0);
    assert_eq!(list.stdout().lines().count(), PRESETS.len() + RECIPES.len());
    for recipe in RECIPES {
        list.shows(recipe.about);
        let place = Place::new();
        let ran = place.run(&["init", "--preset", recipe.name]).exits(0);
        assert!(ran.stdout.is_empty());
        let text = place.read("promptc.kdl");
        assert!(!text.contains("\nscenario") && recipe.manifest.starts_with(&text));
        place.run(&["fmt", "--check"]).exits(0);
        place.run(&["check", "--fail-on", "warnings"]).exits(0);
        for (file, says) in [
            ("AGENTS.md", "One."),
            ("CLAUDE.md", "Two."),
            ("GEMINI.md", "Three."),
            ("blocks/persona.md", "Four."),
        ] {
            place.file(file, says);
        }
        place.file(".git/HEAD", "");
        let mut build = place.command(&["build"]);
        build.env("HOME", place.path().join("home"));
        if recipe.name == "claude-code" {
            // Its search ends at the top of the disk, where this test has no business.
            build.args(["--root", "disk=.", "--root", "managed=managed"]);
        }
        assert!(
            !run(build, b"").exits(0).stdout.is_empty(),
            "{}",
            recipe.name
        );
        place.run(&["init", "--preset", recipe.name]).exits(2);
    }
}

#[test]
fn an_unknown_preset_has_a_suggestion() {
    let ran = Place::new().run(&["init", "--preset", "claude-cod"]);
    ran.exits(2).says("did you mean `claude-code`?");
}
