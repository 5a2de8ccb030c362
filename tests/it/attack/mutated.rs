//! Changed inputs of every kind, fed to every command: all of it ends with an exit code of promptc's own, and nothing is
//! written but what the command is for.
//!
//! `PROMPTC_MUTATED` says how many inputs, `PROMPTC_FROM` which is the first: each is made by its number alone. An input that
//! does harm is cut down and kept, and the folder that holds it is named.

use super::lines::{READERS, Task, WRITERS};
use super::mutate::{minimised, mutated};
use super::snapshot::Snapshot;
use super::yard::{self, Yard};
use crate::case::{self, Case, Line};
use crate::docs::markdown::{entries, top};
use crate::run::{PROGRAM, Place};
use crate::session::builds::{Dice, number};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// 4 GiB of addresses and 20 seconds of a processor: far more than any of it may need.
const LIMITS: &str = "ulimit -v 4194304; ulimit -t 20; exec \"$@\"";

/// The commands for a folder without a line of its own.
const ANY: &[&str] = &[
    "build",
    "build --format json",
    "build --session s",
    "explain",
    "explain --merged",
    "explain --budget --format json",
    "check",
    "check --sources --format json",
    "check --diff",
    "fmt --check",
    "test",
    "test --twice",
    "blame 1",
    "diff",
    "report -o -",
    "emit anthropic --model claude-opus-5-5",
    "emit chat --model gpt-4o",
    "agent skills list",
    "agent memory list",
    "agent memory schema --provider openai",
    "agent rules a/b c --session s",
    "session list",
    "schema facts",
    "watch --builds 1",
];

/// Files, and lines that are run where they are.
struct Project {
    files: Vec<(String, Vec<u8>)>,
    first: Vec<Line>,
    lines: Vec<Line>,
}

/// Every case of the repository that needs nothing but files, and every example.
fn projects() -> Vec<Project> {
    let mut out = Vec::new();
    for kind in [
        "language",
        "diagnostics",
        "diff",
        "emit",
        "fix",
        "fmt",
        "checks",
        "scan",
        "packaging",
        "adopt",
    ] {
        let folder = top().join("tests").join(kind);
        let mut paths = all_files(&folder);
        paths.retain(|path| path.extension().is_some_and(|e| e == "case"));
        for path in paths {
            let case = Case::parse(&fs::read_to_string(path).unwrap());
            if let Some(files) = case.plain_files() {
                let (first, lines) = (case.first().to_vec(), case.lines.clone());
                out.push(Project {
                    files,
                    first,
                    lines,
                });
            }
        }
    }
    assert!(out.len() > 300, "{} cases", out.len());
    for example in ["atlas", "hermes", "rust-project"].map(|name| top().join("examples").join(name))
    {
        out.push(example_project(&example));
    }
    for example in entries(&top().join("examples/recipes"))
        .iter()
        .filter(|path| path.is_dir())
    {
        out.push(example_project(example));
    }
    out
}

fn all_files(folder: &Path) -> Vec<std::path::PathBuf> {
    if !folder.is_dir() {
        return Vec::new();
    }
    let each = entries(folder).into_iter();
    each.flat_map(|path| {
        if path.is_dir() {
            all_files(&path)
        } else {
            vec![path]
        }
    })
    .collect()
}

fn example_project(folder: &Path) -> Project {
    let name = |path: &Path| {
        path.strip_prefix(folder)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    let files = all_files(folder)
        .into_iter()
        .map(|path| (name(&path), fs::read(&path).unwrap()));
    Project {
        files: files.collect(),
        first: Vec::new(),
        lines: Vec::new(),
    }
}

/// The corpora of the fuzzer, by property.
fn corpora() -> BTreeMap<String, Vec<Vec<u8>>> {
    let read = |folder: std::path::PathBuf| {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        (
            name,
            entries(&folder)
                .iter()
                .map(|path| fs::read(path).unwrap())
                .collect(),
        )
    };
    entries(&top().join("fuzz/corpus"))
        .into_iter()
        .map(read)
        .collect()
}

/// The corpus that is of the kind of a file of the yard.
fn corpus_of(path: &str) -> Option<&'static str> {
    Some(match path {
        "old.json" | "new.json" => "artifact",
        "prices.json" => "litellm",
        "promptc.lock" => "lock",
        "own.kdl" => "providers",
        "facts.json" | "call.json" => "facts",
        "who.j2" => "template",
        "promptc.kdl" | "fixable.kdl" | "ugly.kdl" => "manifest",
        "monday.txt" | "friday.txt" => "adopt",
        "ws/rules/one.md" => "frontmatter",
        path if path.ends_with(".md") => "document",
        _ => return None,
    })
}

/// The files of the yard that a line reads: those that it names, else those that every build reads, and what is kept.
fn inputs(yard: &Yard, task: &Task) -> Vec<String> {
    let files = yard
        .made()
        .0
        .keys()
        .filter_map(|path| path.strip_prefix("work/"));
    let files: Vec<&str> = files.filter(|path| !path.ends_with('/')).collect();
    let named = task
        .line
        .split_whitespace()
        .filter(|word| files.contains(word));
    let mut out: Vec<String> = named.map(str::to_owned).collect();
    // A named file counts more than one that all read.
    out.extend_from_within(..);
    out.extend_from_within(..);
    let has = |words: &[&str]| words.iter().any(|word| task.line.contains(word));
    let by_all = |path: &str| path.starts_with("ws/") || ["promptc.kdl", "who.j2"].contains(&path);
    let kept = |path: &str| match path.split(['/', '.']).find(|part| !part.is_empty()) {
        Some("promptc") if path.starts_with(".promptc/") => has(&["session", "agent rules"]),
        Some("promptc" | "snapshots") => has(&["test", "diff", "report"]),
        Some("git") => has(&["git:", "--against"]),
        _ => false,
    };
    out.extend(
        files
            .iter()
            .filter(|path| by_all(path) || kept(path))
            .map(|path| (*path).to_owned()),
    );
    out
}

/// Its exit code; how it ended, if none may end so.
fn run(place: &Path, line: &Line) -> Result<i32, String> {
    let mut command = Command::new("sh");
    command.args(["-c", LIMITS, "sh", PROGRAM]).args(&line.args);
    let mut command = yard::within(place, line, command);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let stdin = yard::stdin(place, line);
    let started = command.spawn();
    let mut child = started.map_err(|error| format!("not started: {error}"))?;
    let mut pipe = child.stdin.take().unwrap();
    // A file that is not read is not missed.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(code @ 0..=1) if !said.contains("panicked at") => Ok(code),
        Some(code @ 2..=3) if !said.is_empty() && !said.contains("panicked at") => Ok(code),
        _ => Err(format!(
            "{}: {}",
            output.status,
            said.chars().take(1000).collect::<String>()
        )),
    }
}

/// One input: a folder that holds it, and the line that reads it.
struct Input {
    /// Below `work`.
    path: String,
    bytes: Vec<u8>,
    line: Line,
    may_change: Box<dyn Fn(&str) -> bool>,
}

struct Proof {
    yard: Yard,
    projects: Vec<Project>,
    corpora: BTreeMap<String, Vec<Vec<u8>>>,
    /// How many inputs each command was given, and how many runs ended with each exit code.
    counts: BTreeMap<String, usize>,
    codes: [usize; 4],
}

fn pick<'a, T>(dice: &mut Dice, from: &'a [T]) -> &'a T {
    &from[dice.below(from.len() as u64) as usize]
}

impl Proof {
    fn new() -> Self {
        Self {
            yard: Yard::new(),
            projects: projects(),
            corpora: corpora(),
            counts: BTreeMap::new(),
            codes: [0; 4],
        }
    }

    /// Any seed, for splices.
    fn other(&self, dice: &mut Dice) -> &[u8] {
        if dice.once_in(2) {
            let at = dice.below(self.corpora.len() as u64) as usize;
            let corpus: &[Vec<u8>] = self.corpora.values().nth(at).unwrap();
            return pick(dice, corpus).as_slice();
        }
        let files = &pick(dice, &self.projects).files;
        if files.is_empty() {
            b"promptc 1\n"
        } else {
            pick(dice, files).1.as_slice()
        }
    }

    /// An input in the yard.
    fn in_yard(&self, dice: &mut Dice) -> Input {
        let at = dice.below((WRITERS.len() + READERS.len()) as u64) as usize;
        let task = WRITERS.iter().chain(READERS).nth(at).unwrap();
        let mut line = task.parsed();
        let inputs = inputs(&self.yard, task);
        let path = pick(dice, &inputs).clone();
        let mut seed = &self.yard.made().0[&format!("work/{path}")];
        if let Some(corpus) = corpus_of(&path).filter(|_| dice.once_in(3)) {
            seed = pick(dice, &self.corpora[corpus]);
        }
        let other = self.other(dice);
        let bytes = mutated(dice, seed, other);
        // An argument, too; of a writer it may name what is written.
        if task.writes.is_empty() && dice.once_in(8) {
            let at = dice.below(line.args.len() as u64) as usize;
            if at > 0 && !line.args[at].starts_with('-') {
                let word = mutated(dice, line.args[at].as_bytes(), b"\"/@=:*");
                let word: Vec<u8> = word.into_iter().filter(|b| *b != 0).take(5000).collect();
                line.args[at] = String::from_utf8_lossy(&word)
                    .trim_start_matches('-')
                    .to_owned();
            }
        }
        Input {
            path,
            bytes,
            line,
            may_change: Box::new(|path| task.may_change(path)),
        }
    }

    /// An input in a project, which is laid out.
    fn in_project(&self, dice: &mut Dice, place: &Place) -> Option<Input> {
        let project = pick(dice, &self.projects);
        if project.files.is_empty() {
            return None;
        }
        for (path, bytes) in &project.files {
            place.file(&format!("work/{path}"), bytes);
        }
        for line in &project.first {
            run(place.path(), line).ok()?;
        }
        let line = if project.lines.is_empty() || dice.once_in(2) {
            case::command(&format!("promptc {}", pick(dice, ANY)))
        } else {
            pick(dice, &project.lines).clone()
        };
        let (path, seed) = pick(dice, &project.files);
        let other = self.other(dice);
        let bytes = mutated(dice, seed, other);
        let kept = ["build --session", "agent", "rules", "session"];
        let words = line.args.join(" ");
        // Only a case knows the files that its own line writes.
        let any =
            project.lines.contains(&line) || kept.iter().any(|start| words.starts_with(start));
        Some(Input {
            path: path.clone(),
            bytes,
            line,
            may_change: Box::new(move |_| any),
        })
    }

    /// The errors of a run on an input, which is put into its place.
    fn attack(&self, place: &Path, input: &Input, bytes: &[u8]) -> Result<i32, String> {
        let path = place.join("work").join(&input.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        let before = Snapshot::of(place);
        let code = run(place, &input.line)?;
        for path in Snapshot::of(place).changed(&before) {
            let own = path.strip_prefix("work/");
            if !own.is_some_and(|path| (input.may_change)(path)) && !path.starts_with("tmp/") {
                return Err(format!("{path} was changed"));
            }
        }
        Ok(code)
    }

    fn number(&mut self, number: u64) -> Result<(), String> {
        let mut dice = Dice::new(number.wrapping_mul(2) + 1);
        // The first numbers of neighbours are alike.
        for _ in 0..8 {
            dice.below(2);
        }
        let place = Place::new();
        let project = if dice.once_in(2) {
            for folder in ["work", "home", "tmp"] {
                fs::create_dir(place.path().join(folder)).unwrap();
            }
            self.in_project(&mut dice, &place)
        } else {
            None
        };
        let (input, at) = match project {
            Some(input) => (input, place.path()),
            None => (self.in_yard(&mut dice), self.yard.fresh().path()),
        };
        let words = input.line.args.join(" ");
        let command = input.line.args.first().cloned().unwrap_or_default();
        let result = self.attack(at, &input, &input.bytes);
        let result = result.map_err(|wrong| {
            let kind = |wrong: &str| {
                wrong
                    .split([':', '('])
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            };
            let same = |bytes: &[u8]| {
                self.attack(at, &input, bytes)
                    .is_err_and(|other| kind(&other) == kind(&wrong))
            };
            let least = minimised(&input.bytes, same);
            let _ = fs::write(at.join("work").join(&input.path), &least);
            let kept = std::env::temp_dir().join(format!("promptc-mutated-{number}"));
            crate::docs::commands::copy(at, &kept);
            let shown = String::from_utf8_lossy(&least)
                .chars()
                .take(600)
                .collect::<String>();
            format!(
                "input {number}: `promptc {words}` and {} in {}\n{wrong}\n{shown:?}",
                input.path,
                kept.display()
            )
        });
        *self.counts.entry(command).or_default() += 1;
        self.codes[result? as usize] += 1;
        Ok(())
    }
}

#[test]
fn no_input_makes_a_command_panic_or_write_elsewhere() {
    let (inputs, from): (u64, u64) = (number("PROMPTC_MUTATED", 200), number("PROMPTC_FROM", 0));
    let mut proof = Proof::new();
    let mut wrong = Vec::new();
    for at in from..from + inputs {
        if at % 1000 == 999 {
            println!("{} inputs", at - from);
        }
        if let Err(found) = proof.number(at) {
            println!("{found}\n");
            wrong.push(found);
        }
    }
    let Proof { counts, codes, .. } = &proof;
    println!(
        "{inputs} inputs, {} wrong; by exit code {codes:?}, by command {counts:?}",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
