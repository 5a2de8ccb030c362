//! What the manifests in `layers`, `examples` and `tests/built-ins` build, byte for byte as accepted in `snapshots`.

use crate::docs::markdown::top;
use crate::run::{PROGRAM, Ran, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A snapshot in `snapshots`.
pub(crate) struct Snapshot {
    /// The file of its system prompt, without the ending.
    stem: PathBuf,
    /// The arguments that build it, and the folder in which they do.
    pub(crate) args: Vec<String>,
    pub(crate) folder: PathBuf,
}

impl Snapshot {
    pub(crate) fn build(&self, program: &str, format: &str) -> Ran {
        let mut command = Command::new(program);
        command.args(["build", "--format", format]).args(&self.args);
        command.current_dir(&self.folder).env_clear();
        run(command, b"").exits(0)
    }

    /// The texts that it builds to, by their files.
    fn texts(&self) -> BTreeMap<PathBuf, String> {
        let artifact: Value = serde_json::from_slice(&self.build(PROGRAM, "json").stdout).unwrap();
        let channels = artifact["channels"].as_array().unwrap().iter();
        let texts = channels.map(|channel| {
            let end = match channel["channel"].as_str().unwrap() {
                "system" => ".txt".to_owned(),
                other => format!("+{other}.txt"),
            };
            (end, channel["text"].as_str().unwrap().to_owned())
        });
        let mut texts: BTreeMap<String, String> = texts.collect();
        let system = texts.entry(".txt".to_owned()).or_default();
        assert_eq!(self.build(PROGRAM, "text").stdout(), system);
        let named = texts.into_iter().map(|(end, text)| {
            let mut file = self.stem.clone().into_os_string();
            file.push(end);
            (file.into(), text)
        });
        named.collect()
    }
}

fn files(folder: &Path, ending: &str, out: &mut BTreeSet<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        match path.is_dir() {
            true => files(&path, ending, out),
            false if path.extension().is_some_and(|e| e == ending) => _ = out.insert(path),
            false => {}
        }
    }
}

/// The files below `snapshots` with an ending.
fn recorded(ending: &str) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    files(&top().join("snapshots"), ending, &mut out);
    out
}

/// All snapshots, as their locks list them. Of `layers` it is the built-ins of the program that are built.
pub(crate) fn all() -> Vec<Snapshot> {
    let mut out = Vec::new();
    for lock in recorded("lock") {
        let text = fs::read_to_string(&lock).unwrap();
        let lines = text.lines().filter(|line| !line.is_empty());
        let mut lines = lines.map(|line| serde_json::from_str(line).unwrap());
        let head: Value = lines.next().unwrap();
        let path = head["manifest"].as_str().unwrap();
        let (folder, manifest) = match path.strip_prefix("./layers/") {
            Some(name) => ("layers", format!("builtin:{}", name.replace(".kdl", ""))),
            None => (".", path.to_owned()),
        };
        for snapshot in lines.filter(|line| line["line"] == "snapshot") {
            let scenario = snapshot["scenario"].as_str().unwrap();
            let mut args = vec!["--manifest".to_owned(), manifest.clone()];
            if scenario != "default" {
                args.extend(["--scenario".to_owned(), scenario.to_owned()]);
            }
            out.push(Snapshot {
                stem: lock.with_extension("").join(scenario),
                args,
                folder: top().join(folder),
            });
        }
    }
    out
}

/// The command of `CONTRIBUTING.md`, which `--accept` makes the one that writes them.
#[test]
fn every_shipped_manifest_builds_its_record() {
    let page = fs::read_to_string(top().join("CONTRIBUTING.md")).unwrap();
    let shown = page
        .lines()
        .find(|l| l.starts_with("promptc test --snapshots "));
    let mut command = Command::new(PROGRAM);
    command.args(shown.unwrap().split(' ').skip(1));
    command.current_dir(top()).env_clear();
    let ran = run(command, b"");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout(), ran.stderr);
}

#[test]
fn every_text_equals_its_record_byte_for_byte() {
    let mut built = BTreeMap::new();
    for snapshot in all() {
        built.extend(snapshot.texts());
    }
    assert!(built.len() >= 50, "only {} texts", built.len());
    let known = recorded("txt");
    assert!(known.iter().eq(built.keys()), "other texts are accepted");
    for (path, text) in built {
        let known = fs::read_to_string(&path).unwrap();
        assert!(known == text, "{} differs", path.display());
    }
}
