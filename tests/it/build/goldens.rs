//! The output of the shipped example and the built-in manifests, byte for byte: `tests/goldens/NAME.SCENARIO.txt`.
//!
//! Other channels than the system text are in `NAME.SCENARIO.CHANNEL.txt`. `NAME.facts.txt` is built with all of
//! `NAME.facts.json`. Built-ins read the folder `tests/goldens/workspace`, with facts `NAME.workspace`, if it exists.
//! `UPDATE_GOLDENS=1` rewrites the files.

use crate::docs::markdown::{entries, top};
use crate::run::{PROGRAM, Ran, run};
use promptc::source::builtin;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// The names after `scenario` at the start of a line.
fn scenarios(manifest: &str) -> Vec<&str> {
    let lines = manifest.lines().filter_map(|l| l.strip_prefix("scenario "));
    lines.filter_map(|l| l.split_whitespace().next()).collect()
}

/// Each golden's name with the arguments that build it.
pub(crate) fn cases() -> Vec<(String, Vec<String>)> {
    let atlas = "examples/atlas/promptc.kdl";
    let text = fs::read_to_string(top().join(atlas)).unwrap();
    let mut out = with_scenarios("atlas", &text, &["-m", atlas]);
    for manifest in builtin::MANIFESTS {
        let name = format!("builtin:{}", manifest.name);
        let args = ["-m", &name, "--root", "workspace=tests/goldens/workspace"];
        out.extend(with_scenarios(manifest.name, manifest.text, &args));
    }
    out
}

fn with_scenarios(name: &str, manifest: &str, args: &[&str]) -> Vec<(String, Vec<String>)> {
    let facts = format!("tests/goldens/{name}.facts.json");
    let facts = fs::exists(top().join(&facts)).unwrap().then_some(facts);
    let ways = scenarios(manifest)
        .into_iter()
        .map(|s| (s.to_owned(), ["--scenario".to_owned(), s.to_owned()]));
    let ways = ways.chain(facts.map(|path| ("facts".to_owned(), ["--facts".to_owned(), path])));
    let workspace = format!("tests/goldens/{name}.workspace");
    let own = fs::exists(top().join(&workspace)).unwrap();
    let case = |(way, more): (String, [String; 2])| {
        let shared = |arg: &str| match own && way == "facts" {
            true => arg.replace("tests/goldens/workspace", &workspace),
            false => arg.to_owned(),
        };
        let args = args.iter().map(|arg| shared(arg)).chain(more).collect();
        (format!("{name}.{way}"), args)
    };
    ways.map(case).collect()
}

fn build(args: &[String], format: &str) -> Ran {
    let mut command = Command::new(PROGRAM);
    command.args(["build", "--format", format]).args(args);
    command.current_dir(top()).env_clear();
    run(command, b"").exits(0)
}

/// The output of one build, by the name of its file.
fn printed(name: &str, args: &[String]) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::from([(format!("{name}.txt"), build(args, "text").stdout)]);
    let artifact: Value = serde_json::from_slice(&build(args, "json").stdout).unwrap();
    for channel in artifact["channels"].as_array().unwrap() {
        let text = channel["text"].as_str().unwrap().as_bytes().to_vec();
        match channel["channel"].as_str().unwrap() {
            "system" => assert_eq!(out[&format!("{name}.txt")], text),
            other => out.extend([(format!("{name}.{other}.txt"), text)]),
        }
    }
    out
}

#[test]
fn outputs_are_unchanged_byte_for_byte() {
    let folder = top().join("tests/goldens");
    let mut real = BTreeMap::new();
    for (name, args) in cases() {
        real.extend(printed(&name, &args));
    }
    let known: BTreeMap<String, Vec<u8>> = entries(&folder)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .map(|path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                fs::read(path).unwrap(),
            )
        })
        .collect();
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        for name in known.keys() {
            fs::remove_file(folder.join(name)).unwrap();
        }
        for (name, bytes) in &real {
            fs::write(folder.join(name), bytes).unwrap();
        }
        return;
    }
    let names = |all: &BTreeMap<String, Vec<u8>>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&known),
        names(&real),
        "tests/goldens holds other files than are built"
    );
    let wrong: Vec<String> = known
        .iter()
        .filter_map(|(name, known)| first_difference(name, known, &real[name]))
        .collect();
    assert!(
        wrong.is_empty(),
        "{}\n(UPDATE_GOLDENS=1 writes them anew)",
        wrong.join("\n")
    );
}

/// The position at which two texts differ, with the texts there.
fn first_difference(name: &str, known: &[u8], real: &[u8]) -> Option<String> {
    if known == real {
        return None;
    }
    let at = known.iter().zip(real).take_while(|(a, b)| a == b).count();
    let line = known[..at].iter().filter(|b| **b == b'\n').count() + 1;
    let there =
        |text: &[u8]| String::from_utf8_lossy(&text[at..text.len().min(at + 40)]).into_owned();
    Some(format!(
        "{name}:{line}, byte {at}: {:?} is now {:?}",
        there(known),
        there(real)
    ))
}
