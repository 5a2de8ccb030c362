//! A command line of the yard, run to its end, killed, or with system calls that fail, and what holds afterwards.

use super::lines::Task;
use super::snapshot::Snapshot;
use super::yard::{self, Yard};
use crate::case::{self, Line};
use crate::run::{PROGRAM, Ran, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The output and the files of an undisturbed run.
pub(super) struct Outcome {
    pub(super) ran: Ran,
    pub(super) left: Snapshot,
}

/// The results of undisturbed runs of a task: the expectation for disturbed ones.
pub(super) struct Undisturbed {
    pub(super) task: &'static Task,
    line: Line,
    pub(super) before: Snapshot,
    pub(super) first: Outcome,
    /// The same command again, in the folder that the first left.
    second: Outcome,
    pub(super) took: Duration,
}

/// Whether a line of a batch says why there is no artifact.
fn is_error(line: &[u8]) -> bool {
    let line = serde_json::from_slice::<serde_json::Value>(line);
    line.is_ok_and(|line| line["errors"].is_array())
}

impl Undisturbed {
    pub(super) fn of(task: &'static Task, yard: &Yard) -> Self {
        let place = yard.fresh();
        let line = task.parsed();
        let before = left(place.path());
        let start = Instant::now();
        let first = outcome(place, &line);
        let took = start.elapsed();
        let second = outcome(place, &line);
        Self {
            task,
            line,
            before,
            first,
            second,
            took,
        }
    }

    /// The command in a yard, after the words of a program that runs it.
    pub(super) fn command(&self, place: &Yard, runner: &[String]) -> Command {
        let words: Vec<&str> = runner.iter().map(String::as_str).chain([PROGRAM]).collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args(&self.line.args);
        yard::within(place.path(), &self.line, command)
    }

    pub(super) fn stdin(&self, place: &Yard) -> Vec<u8> {
        yard::stdin(place.path(), &self.line)
    }

    /// Each file is one of before or one of after, and the same command goes on from there.
    pub(super) fn check(&self, place: &Yard) -> Result<(), String> {
        let found = left(place.path());
        for path in found.changed(&self.before) {
            let now = found.0.get(&path);
            let new = self.first.left.0.get(&path);
            if now != new && !self.tells_of_errors(now, new) {
                let old = show(now, self.before.0.get(&path));
                let new = show(now, self.first.left.0.get(&path));
                return Err(format!(
                    "{path} is neither as before:{old}\nnor as after:{new}"
                ));
            }
        }
        for store in found.0.keys().filter(|path| path.ends_with(".db")) {
            let store = store.strip_prefix("work/").unwrap_or(store);
            let line = case::command(&format!("promptc session verify --store {store}"));
            let ran = run(yard::command(place.path(), &line), b"");
            if ran.code != 0 {
                return Err(format!(
                    "{store} is damaged:\n{}",
                    String::from_utf8_lossy(&ran.stdout)
                ));
            }
        }
        let again = outcome(place, &self.line);
        let first = self.same(&again, &self.first);
        first.or_else(|wrong| self.same(&again, &self.second).map_err(|_| wrong))
    }

    /// Whether each line of a batch is one of an undisturbed run, or an error in the place of one; of JUnit's report, whether
    /// it is whole.
    fn tells_of_errors(&self, now: Option<&Vec<u8>>, new: Option<&Vec<u8>>) -> bool {
        let (Some(now), Some(new)) = (now, new) else {
            return false;
        };
        if self.task.line.contains(" --junit ") {
            return now.ends_with(b"</testsuites>\n");
        }
        let (now, new) = (now.split(|b| *b == b'\n'), new.split(|b| *b == b'\n'));
        self.task.line.contains(" --batch ")
            && now.clone().count() == new.clone().count()
            && now.zip(new).all(|(now, new)| now == new || is_error(now))
    }

    /// Whether a run did what an undisturbed one did.
    pub(super) fn same(&self, did: &Outcome, undisturbed: &Outcome) -> Result<(), String> {
        if did.ran.code != undisturbed.ran.code {
            return Err(format!(
                "it then exits with {}:\n{}",
                did.ran.code, did.ran.stderr
            ));
        }
        if let Some(path) = did.left.changed(&undisturbed.left).first() {
            let shown = show(did.left.0.get(path), undisturbed.left.0.get(path));
            return Err(format!("it then leaves another {path}:{shown}"));
        }
        // Some of several files may be written already, and are reported differently.
        if !self.task.many && did.ran.stdout != undisturbed.ran.stdout {
            let shown = show(Some(&did.ran.stdout), Some(&undisturbed.ran.stdout));
            return Err(format!("it then prints something else:{shown}"));
        }
        Ok(())
    }

    /// The results of a run of the command in a yard.
    pub(super) fn ran(&self, place: &Yard, runner: &[String]) -> Outcome {
        let ran = run(self.command(place, runner), &self.stdin(place));
        Outcome {
            ran,
            left: left(place.path()),
        }
    }
}

/// The content of a folder, stores by their content, without temporary files.
fn left(place: &Path) -> Snapshot {
    Snapshot::of(place).logical(place)
}

fn outcome(place: &Yard, line: &Line) -> Outcome {
    let ran = run(
        yard::command(place.path(), line),
        &yard::stdin(place.path(), line),
    );
    Outcome {
        ran,
        left: left(place.path()),
    }
}

/// The lines in which a file differs from what it may be.
fn show(now: Option<&Vec<u8>>, wanted: Option<&Vec<u8>>) -> String {
    let lines = |bytes: Option<&Vec<u8>>| match bytes {
        Some(bytes) => String::from_utf8_lossy(bytes)
            .lines()
            .map(str::to_owned)
            .collect(),
        None => vec!["(missing)".to_owned()],
    };
    let (now, wanted): (Vec<String>, Vec<String>) = (lines(now), lines(wanted));
    let mut out = String::new();
    for (sign, these, those) in [("-", &wanted, &now), ("+", &now, &wanted)] {
        for line in these.iter().filter(|line| !those.contains(line)) {
            let line: String = line.chars().take(200).collect();
            out += &format!("\n  {sign} {line}");
        }
    }
    out
}

/// A system call of an undisturbed run: its name, and which one of that name it is in its thread, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) number: usize,
    /// The rest of strace's line.
    pub(super) arguments: String,
}

impl Call {
    /// The words before the program that make this call fail: `how` is the injection of strace, `log` its output.
    pub(super) fn runner(&self, how: &str, log: &str) -> Vec<String> {
        let how = format!("{how}:when={}", self.number);
        strace_of(&self.name, Some(&how), log)
    }
}

/// The words before a program that let strace log `calls` in `log`, and inject `how` into them.
pub(super) fn strace_of(calls: &str, how: Option<&str>, log: &str) -> Vec<String> {
    let mut words = ["strace", "-f", "-qq", "-o", log]
        .map(str::to_owned)
        .to_vec();
    let inject = how.map(|how| format!("inject={calls}:{how}"));
    for what in [Some(format!("trace={calls}")), inject]
        .into_iter()
        .flatten()
    {
        words.extend(["-e".to_owned(), what]);
    }
    words
}

/// Whether `strace` is there and may trace.
pub(super) fn strace() -> bool {
    let traced = Command::new("strace")
        .args(["-f", "--seccomp-bpf", "-o", "/dev/null", "true"])
        .output();
    let works = traced.is_ok_and(|output| output.status.success());
    if !works {
        println!("skipped: strace is missing or may not trace");
    }
    works
}

/// The calls of these names that an undisturbed run makes, without those of the loader and of the language's start.
pub(super) fn calls(undisturbed: &Undisturbed, place: &Yard, names: &[&str]) -> Vec<Call> {
    place.fresh();
    let log = place.path().join("tmp/calls");
    // A name that this architecture does not have is passed over.
    let set: Vec<String> = names.iter().map(|name| format!("?{name}")).collect();
    let all = format!("rt_sigaction,{}", set.join(","));
    let mut runner = strace_of(&all, None, log.to_str().unwrap());
    runner.insert(1, "--seccomp-bpf".to_owned());
    let stdin = undisturbed.stdin(place);
    run(undisturbed.command(place, &runner), &stdin);
    let text = fs::read(&log).unwrap();
    let text = String::from_utf8_lossy(&text);
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut started = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((thread, rest)) = line.split_once(' ') else {
            continue;
        };
        let Some((name, arguments)) = rest.trim_start().split_once('(') else {
            continue;
        };
        if name.contains(' ') {
            continue;
        }
        // The last thing that is done before `main`.
        if started.is_none() && name == "rt_sigaction" && arguments.starts_with("SIGBUS, {") {
            started = Some(counts.clone());
        }
        let number = counts.entry((thread, name)).or_default();
        *number += 1;
        // Injection counts in every thread, also in the one that came first.
        let start = started
            .iter()
            .flatten()
            .filter(|((_, of), _)| *of == name)
            .map(|(_, start)| *start)
            .max();
        if started.is_some() && *number > start.unwrap_or(0) && names.contains(&name) {
            found.push(Call {
                name: name.to_owned(),
                number: *number,
                arguments: arguments.to_owned(),
            });
        }
    }
    assert!(started.is_some(), "no start of the program in:\n{text}");
    found
}
