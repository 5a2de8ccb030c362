//! Command lines that use every command, in every way in which it writes.

use super::snapshot::Snapshot;
use super::yard::{self, Yard};
use crate::case::{self, Line};
use crate::docs::commands::helps;
use crate::run::run;

/// A command line, and the start of each path that it may change. `@` is a fixed clock.
///
/// A line is run in a fresh copy of the yard, in its folder `work`.
pub(super) struct Task {
    pub(super) line: &'static str,
    pub(super) writes: &'static [&'static str],
    /// Whether it writes several files, one after the other.
    pub(super) many: bool,
}

const NOW: &str = " --now 2026-11-23T10:00:00Z";

const STORE: &[&str] = &[".promptc/"];

const fn reads(line: &'static str) -> Task {
    writes(line, &[])
}

const fn writes(line: &'static str, writes: &'static [&'static str]) -> Task {
    Task {
        line,
        writes,
        many: false,
    }
}

const fn writes_many(line: &'static str, writes: &'static [&'static str]) -> Task {
    Task {
        line,
        writes,
        many: true,
    }
}

/// Every command that writes, in every way in which it does.
pub(super) const WRITERS: &[Task] = &[
    writes("build -o out.txt @", &["out.txt"]),
    writes("build --format json --stats -o out.txt @", &["out.txt"]),
    writes("build --batch facts.jsonl -o out.txt @", &["out.txt"]),
    writes("build --each-without -o out.txt @", &["out.txt"]),
    writes(
        "build --batch facts.jsonl --jobs 2 -o new.jsonl @",
        &["new.jsonl"],
    ),
    writes("build --session chat-1 @", STORE),
    writes(
        "build --session chat-9 -o out.txt @",
        &[".promptc/", "out.txt"],
    ),
    writes("build --session chat-2 --refresh --set user=Cid @", STORE),
    writes("build --session chat-9 --store other/new.db @", &["other/"]),
    writes_many(
        "test -m promptc.kdl --accept",
        &["promptc.lock", "snapshots/"],
    ),
    writes_many(
        "test -m promptc.kdl --review < answers.txt",
        &["promptc.lock", "snapshots/"],
    ),
    writes("test -m promptc.kdl --junit out.xml", &["out.xml"]),
    writes("fmt ugly.kdl", &["ugly.kdl"]),
    writes_many("fmt ugly.kdl fixable.kdl", &["ugly.kdl", "fixable.kdl"]),
    writes("check --fix -m fixable.kdl", &["fixable.kdl"]),
    writes_many("init fresh", &["fresh/"]),
    writes("init ws", &["ws/promptc.kdl"]),
    writes_many("init fresh --preset hermes", &["fresh/"]),
    writes_many("init fresh --preset letta", &["fresh/"]),
    writes_many("init fresh --from monday.txt friday.txt", &["fresh/"]),
    writes("agent memory add 'She reads mail at noon.'", &["ws/"]),
    writes(
        "agent memory replace crane 'The crane lifts 14 tonnes.'",
        &["ws/"],
    ),
    writes("agent memory remove crane", &["ws/"]),
    writes("agent memory apply < call.json", &["ws/"]),
    writes(
        "capture import bodies.jsonl --hash-key capture.key -o out.txt",
        &["out.txt"],
    ),
    reads("capture run --print-env -o out.txt"),
    reads("capture serve --print-env -o out.txt"),
    writes(
        "capture export requests.jsonl --inline -o out.txt",
        &["out.txt"],
    ),
    writes("capture report requests.jsonl -o out.html", &["out.html"]),
    writes(
        "capture report requests.jsonl --prompt old.json -o out.html",
        &["out.html"],
    ),
    writes(
        "capture report --bill requests.jsonl -o out.html",
        &["out.html"],
    ),
    writes(
        "capture report - -o out.html < requests.jsonl",
        &["out.html"],
    ),
    writes("report -o out.txt @", &["out.txt"]),
    writes("report old.json new.json -o out.html", &["out.html"]),
    writes(
        "report --session chat-1 -o out.html",
        &["out.html", ".promptc/"],
    ),
    writes(
        "session export chat-1 -o out.txt",
        &["out.txt", ".promptc/"],
    ),
    writes("session import chat.json --id chat-7", STORE),
    writes("session import chat.json --store other/new.db", &["other/"]),
    writes("session rm chat-2", STORE),
    writes_many(
        "session move chat-2 --to other/new.db",
        &["other/", ".promptc/"],
    ),
    writes("session gc --keep 1 @", STORE),
    writes("session gc --unused 1h @", STORE),
    writes(
        "session drift chat-1 --set mood=cross --reminder --mark-delivered @",
        STORE,
    ),
    writes("agent rules src/x.rs --session chat-2", STORE),
    writes(
        "agent rules src/x.rs --session chat-3 --store other/new.db",
        &["other/"],
    ),
    writes(
        "providers import prices.json --as-of 2026-11-22 -o table.kdl",
        &["table.kdl"],
    ),
    writes_many("man pages", &["pages/"]),
    writes("watch --builds 1 --format json -o out.txt @", &["out.txt"]),
    writes(
        "emit anthropic --model claude-opus-5-5 -o out.txt @",
        &["out.txt"],
    ),
];

/// The other commands. Commands that query a store may clean up the files next to it.
pub(super) const READERS: &[Task] = &[
    reads("build --facts facts.json --set topic=tides @"),
    reads("build --batch facts.jsonl @"),
    reads("build --each-without @"),
    reads("build --format json --stats @"),
    reads("explain @"),
    reads("capture import bodies.jsonl"),
    reads("capture export requests.jsonl --inline"),
    reads("capture show requests.jsonl"),
    reads("usage requests.jsonl --by model,cause --format json"),
    reads("usage bodies.jsonl"),
    reads("usage - < requests.jsonl"),
    reads("capture diff - < requests.jsonl"),
    reads("capture diff requests.jsonl --files ws"),
    reads("capture diff requests.jsonl#1 requests.jsonl#2 --format json"),
    reads("capture diff requests.jsonl --prompt old.json --format json"),
    reads("capture diff requests.jsonl -m promptc.kdl @"),
    reads("explain --budget @"),
    reads("explain --merged"),
    reads("explain --model claude-opus-5-5 --providers own.kdl @"),
    reads("explain rules --artifact old.json --format json"),
    reads("check"),
    reads("check --sources --format sarif"),
    reads("check --usage requests.jsonl @"),
    reads("check --diff -m fixable.kdl"),
    reads("check --model own-1 --requests-per-day 10 --providers own.kdl"),
    reads("scan ws/AGENTS.md ws/rules/one.md"),
    reads("scan -m promptc.kdl --format json ws/AGENTS.md"),
    writes("agent rules src/x.rs --session chat-1 --format json", STORE),
    reads("agent skills list --format json"),
    reads("agent skills show tide"),
    reads("agent skills show tide --file references/gauge.md"),
    reads("agent memory list"),
    reads("agent memory schema --provider anthropic"),
    reads("blame 3 @"),
    reads("blame --artifact old.json --find rule --format json"),
    reads("test -m promptc.kdl"),
    reads("test -m promptc.kdl --against HEAD --format json"),
    reads("test -m promptc.kdl --twice"),
    reads("diff"),
    reads("diff old.json new.json"),
    reads("diff old.json new.json --format json --model own-1 --providers own.kdl"),
    reads("diff git:HEAD --format markdown"),
    reads("diff git:HEAD --recorded"),
    writes("diff session:chat-1 session:chat-1@1 --full", STORE),
    writes("report --artifact old.json", &["report.html"]),
    reads("watch --builds 1 --format json @"),
    reads("emit openai-responses --model gpt-6.1-sol --artifact old.json"),
    reads("emit anthropic --model claude-opus-5-5 --messages messages.json @"),
    reads("emit chat --model own-1 --providers own.kdl @"),
    reads("providers list --providers own.kdl @"),
    reads("providers show own-1 --providers own.kdl --format json @"),
    reads("providers import prices.json --as-of 2026-11-22"),
    writes("session list --format json", STORE),
    writes("session show chat-1 --format text", STORE),
    writes("session show chat-1 --format json", STORE),
    writes("session show chat-1@1 --format artifact", STORE),
    writes("session drift chat-1 --format json @", STORE),
    writes("session export chat-1", STORE),
    writes("session verify", STORE),
    writes("session history --format json @", STORE),
    reads("init --list-presets"),
    reads("fmt --check ugly.kdl"),
    reads("fmt - < ugly.kdl"),
    reads("schema facts"),
    reads("schema diff"),
    reads("completions bash"),
];

impl Task {
    pub(super) fn parsed(&self) -> Line {
        let line = self.line.replace(" @", NOW);
        case::command(&format!("promptc {line}"))
    }

    pub(super) fn may_change(&self, path: &str) -> bool {
        let is = |start: &&str| path.starts_with(*start) || path == start.trim_end_matches('/');
        self.writes.iter().any(is)
    }
}

/// The commands that contain no others, with their help.
fn leaves() -> Vec<(String, String)> {
    let mut all = helps();
    all.retain(|(command, help)| !command.is_empty() && !help.contains("\nCommands:\n"));
    all
}

/// The options by which commands write, as their help begins a line with them.
const WRITING: &[&str] = &[
    "-o, --output",
    "--accept",
    "--review",
    "--fix",
    "--junit",
    "--mark-delivered",
];

#[test]
fn every_command_is_attacked() {
    let lines: Vec<&str> = WRITERS
        .iter()
        .chain(READERS)
        .map(|task| task.line)
        .collect();
    let found = leaves();
    assert!(found.len() > 40, "{found:?}");
    for (leaf, help) in found {
        // But for `facts` a schema is printed and nothing is read.
        if leaf.starts_with("schema ") && leaf != "schema facts" {
            continue;
        }
        let is_own = |line: &&&str| **line == leaf || line.starts_with(&format!("{leaf} "));
        let own: Vec<&&str> = lines.iter().filter(is_own).collect();
        assert!(!own.is_empty(), "no line runs `{leaf}`");
        for option in WRITING {
            let name = option.split([',', ' ']).next().unwrap();
            let given = own.iter().any(|line| line.contains(&format!(" {name}")));
            let documented = help
                .lines()
                .any(|line| line.trim_start().starts_with(option));
            assert_eq!(documented, given, "`{leaf}` and `{option}`");
        }
    }
}

#[test]
fn every_line_works_on_the_yard() {
    let mut wrong = Vec::new();
    let made = Yard::new();
    for task in WRITERS.iter().chain(READERS) {
        let place = made.fresh();
        let line = task.parsed();
        let ran = run(
            yard::command(place.path(), &line),
            &yard::stdin(place.path(), &line),
        );
        // 1: something differs, as it should.
        let differs = ["test", "fmt --check", "session drift"]
            .iter()
            .any(|l| task.line.starts_with(l));
        let fine = ran.code == 0 || ran.code == 1 && differs;
        if !fine {
            wrong.push(format!("`{}`: {}\n{}", task.line, ran.code, ran.stderr));
        }
        let changed = Snapshot::of(place.path()).changed(made.made());
        for path in &changed {
            let within = path.strip_prefix("work/");
            if !within.is_some_and(|p| task.may_change(p)) {
                wrong.push(format!("`{}` changes {path}", task.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
