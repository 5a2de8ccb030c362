//! The commands that the documentation and the help show: each is run, as it is written, by a shell.
//!
//! ```text
//! sh                   commands, one a line; each must end with 0
//! console [exit=N]     `$ COMMAND`, then what it prints on stdout and stderr; a line `…` stands for any lines
//! json artifact        the artifact of the manifest above it; only the blanks between its tokens may differ
//! ```
//!
//! They run in a copy of `examples/` with, if a manifest is above them under the same heading, that manifest and its
//! files; a `story` is run by `story.rs`. `cargo run --` is the program; `cargo test`, `cargo install` and
//! `cargo insta review` are recognised and not run.
//! `UPDATE_DOCS=1 cargo test --test it commands::` writes what is generated: codes, the artifact, outputs without `…`.

use crate::docs::examples::lay_out_around;
use crate::docs::markdown::{Fence, Page, entries, pages, span, top};
use crate::run::{PROGRAM, Place, Ran, run};
use promptc::diagnostic::{self, Code, ExitClass};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

/// Held by the tests that may write pages.
static PAGES: Mutex<()> = Mutex::new(());

/// The stand-in for `cargo` before each command; `promptc` is the first on the path, also for scripts.
const SHELL: &str = r#"
exec 2>&1
cargo() {
    case "$*" in
        "run -- "*) shift 2; promptc "$@" ;;
        test | "install --path . --locked" | "insta review") ;;
        *) echo "the tests do not know: cargo $*"; return 1 ;;
    esac
}
"#;

/// A folder that looks like the repository to someone who follows the documentation.
pub(crate) struct Desk(pub(crate) Place);

impl Desk {
    pub(crate) fn empty() -> Self {
        let place = Place::new();
        for folder in ["work", "home"] {
            fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        Self(place)
    }

    /// With a copy of `folder` of the repository as `name`.
    pub(crate) fn with(folder: &str, name: &str) -> Self {
        let desk = Self::empty();
        copy(&top().join(folder), &desk.0.path().join("work").join(name));
        desk
    }

    /// Runs a line as a shell does.
    pub(crate) fn run(&self, line: &str) -> Ran {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{SHELL}{line}\n")])
            .current_dir(self.0.path().join("work"))
            .env_clear()
            .env("PATH", path())
            .env("HOME", self.0.path().join("home"));
        run(command, b"")
    }
}

/// The folder of the program, then what was there.
fn path() -> OsString {
    let own = Path::new(PROGRAM).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others))).unwrap()
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in entries(from) {
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

/// Each command of a fence with the output that is shown below it.
pub(crate) fn commands(fence: &Fence) -> Vec<(String, Option<String>)> {
    let mut out: Vec<(String, Option<String>)> = Vec::new();
    for line in fence.text.replace("\\\n", "").split_inclusive('\n') {
        if fence.language() == "sh" {
            if !line.trim().is_empty() && !line.starts_with('#') {
                out.push((line.trim().to_owned(), None));
            }
        } else if let Some(command) = line.strip_prefix("$ ") {
            out.push((command.trim().to_owned(), None));
        } else {
            let (_, shown) = out.last_mut().expect("a console starts with `$ `");
            shown.get_or_insert_default().push_str(line);
        }
    }
    out
}

/// Whether `real` is `shown`, where a line `…` matches any lines.
fn matches(shown: &str, real: &str) -> bool {
    let pieces: Vec<&str> = shown.split("…\n").collect();
    let [first, middle @ .., last] = &pieces[..] else {
        return shown == real;
    };
    let Some(mut rest) = real.strip_prefix(first) else {
        return false;
    };
    for piece in middle {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// The text on a terminal: the prompt of the shell ends an unfinished last line.
fn ended(output: &str) -> String {
    let end = if output.is_empty() || output.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{output}{end}")
}

/// Runs a fence's commands in a folder of their own.
fn perform(page: &Page, fence: &Fence, seen: &mut BTreeSet<String>) -> Result<(), Wrong> {
    let desk = Desk::with("examples", "examples");
    lay_out_around(page, fence, &desk.0, "work/");
    seen.extend(commands(fence).into_iter().map(|(line, _)| line));
    perform_at(&desk, fence)
}

/// Runs a fence's commands; gives what it should show where that differs and can be written by itself.
pub(crate) fn perform_at(desk: &Desk, fence: &Fence) -> Result<(), Wrong> {
    let commands = commands(fence);
    let mut real_text = String::new();
    let mut problem = None;
    for (line, shown) in &commands {
        let ran = desk.run(line);
        let expected = fence.order("exit").map_or(0, |n| n.parse().unwrap());
        if ran.code != expected {
            let problem = format!("`{line}` exits with {}:\n{}", ran.code, ran.stdout());
            return Err(Wrong { problem, new: None });
        }
        let real = ended(ran.stdout());
        let _ = write!(
            real_text,
            "$ {line}\n{}",
            shown.as_ref().map_or("", |_| &real)
        );
        if let Some(shown) = shown.as_ref().filter(|s| !matches(s, &real)) {
            problem = Some(format!(
                "`{line}` shows:\n{shown}--- and really:\n{real}---"
            ));
        }
    }
    let new = (!fence.text.contains("…\n")).then_some(real_text);
    problem.map_or(Ok(()), |problem| Err(Wrong { problem, new }))
}

/// A fence that does not hold, with the text that would if it may be written by itself.
pub(crate) struct Wrong {
    pub(crate) problem: String,
    pub(crate) new: Option<String>,
}

pub(crate) fn updating() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

/// Checks the fences of one kind; with `UPDATE_DOCS` updates them where possible.
pub(crate) fn verify(
    wanted: impl Fn(&Fence) -> bool,
    mut check: impl FnMut(&Page, &Fence) -> Result<(), Wrong>,
) {
    let _held = PAGES.lock();
    let mut wrong = Vec::new();
    for page in pages() {
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for fence in page.fences.iter().filter(|f| wanted(f)) {
            match check(&page, fence) {
                Ok(()) => {}
                Err(Wrong { new: Some(new), .. }) if updating() => {
                    edits.push((fence.body.clone(), new));
                }
                Err(found) => wrong.push(format!("{}: {}", page.place(fence), found.problem)),
            }
        }
        if !edits.is_empty() {
            fs::write(top().join(&page.path), page.with(edits)).unwrap();
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n\n(UPDATE_DOCS=1 writes what is generated)",
        wrong.join("\n")
    );
}

#[test]
fn every_command_prints_the_shown_output() {
    let mut seen = BTreeSet::new();
    verify(
        |f| matches!(f.language(), "sh" | "console") && f.orders().first() != Some(&"story"),
        |page, fence| perform(page, fence, &mut seen),
    );
    for promised in [
        "cargo run -- build -m examples/atlas/promptc.kdl",
        "cargo test",
    ] {
        assert!(seen.contains(promised), "no page shows `{promised}`");
    }
}

#[test]
fn the_shown_artifact_is_the_real_one() {
    verify(
        |f| f.orders() == ["artifact"],
        |page, fence| {
            let desk = Desk::empty();
            lay_out_around(page, fence, &desk.0, "work/");
            let ran = desk
                .run("promptc build --facts facts.json --format json --no-inputs")
                .exits(0);
            let problem = "the artifact is another one".to_owned();
            let new = Some(narrowed(ran.stdout()));
            if squeezed(&fence.text) == squeezed(ran.stdout()) {
                return Ok(());
            }
            Err(Wrong { problem, new })
        },
    );
}

/// JSON without the blanks between its tokens; their order stays.
pub(crate) fn squeezed(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let kept = json.chars().filter(|c| {
        let quote = *c == '"' && !escaped;
        escaped = in_string && *c == '\\' && !escaped;
        in_string ^= quote;
        in_string || !c.is_whitespace()
    });
    kept.collect()
}

/// Indented JSON with its innermost list members on one line.
fn narrowed(json: &str) -> String {
    let mut out = String::new();
    let mut lines = json.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        if line.trim() == "{" {
            let rest: Vec<&str> = lines
                .clone()
                .take_while(|l| !l.trim().starts_with('}'))
                .collect();
            if !rest.iter().any(|l| l.ends_with(['{', '['])) {
                for inner in lines.by_ref().take(rest.len() + 1) {
                    let _ = write!(out, " {}", inner.trim());
                }
            }
        }
        out.push('\n');
    }
    out
}

/// The commands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    if let Some(start) = help.find("\nmake ") {
        // The overview of the program has a first column with the group of a command.
        let lines = help[start + 1..].lines().take_while(|l| !l.is_empty());
        let names = lines.filter_map(|l| l.get(11..)?.split_whitespace().next());
        let rest = ["schema", "completions", "man"];
        return names.chain(rest).map(str::to_owned).collect();
    }
    let list = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let lines = list.lines().take_while(|l| !l.is_empty());
    let names = lines.filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let names = names.filter_map(|l| l.split_whitespace().next());
    names.filter(|n| *n != "help").map(str::to_owned).collect()
}

/// Every command with its help.
pub(crate) fn helps() -> Vec<(String, String)> {
    let mut open = vec![String::new()];
    let mut out = Vec::new();
    while let Some(command) = open.pop() {
        let mut args: Vec<&str> = command.split_whitespace().collect();
        args.push("--help");
        let ran = Place::new().run(&args).exits(0);
        let below = subcommands(ran.stdout());
        open.extend(
            below
                .iter()
                .rev()
                .map(|c| format!("{command} {c}").trim().to_owned()),
        );
        out.push((command, ran.stdout().to_owned()));
    }
    out
}

/// The commands that a row of the table of `docs/cli.md` names: one, then those below it.
fn named(row: &[String]) -> Vec<String> {
    let [command, _, below, _] = row else {
        panic!("a row of the commands: {row:?}");
    };
    let command = span(command).expect("a command in a code span");
    let below = below.split('`').skip(1).step_by(2);
    let below: Vec<String> = below.map(|name| format!("{command} {name}")).collect();
    [vec![command], below].concat()
}

#[test]
fn each_command_is_in_the_table_in_the_order_of_the_help() {
    let page = Page::read("docs/cli.md");
    let rows = |title: &'static str| {
        let start = page.rows.iter().position(|(_, row)| row[0] == title);
        let rows = &page.rows[start.expect("the table")..];
        let section = rows[0].0;
        let rows = rows.iter().take_while(move |(at, _)| *at == section);
        rows.skip(2).map(|(_, row)| row.as_slice())
    };
    let shown: Vec<String> = rows("Command").flat_map(named).collect();
    let commands = helps().into_iter().map(|(command, _)| command);
    let wanted: Vec<String> = commands.filter(|command| !command.is_empty()).collect();
    assert_eq!(shown, wanted);
    let codes: Vec<&str> = rows("Exit code").map(|row| row[0].as_str()).collect();
    assert_eq!(codes, ["0", "1", "2", "3"]);
}

/// Sessions, in the store next to the manifest and in another one, and an exported one.
fn keep_sessions(desk: &Desk) {
    for line in [
        "promptc build --session chat-7",
        "promptc build --session chat-7 --refresh",
        "promptc build --session chat-8",
        "promptc build --session chat-9",
        "promptc build --session chat-7 --store sessions.db",
        "promptc session export chat-7 -o chat-7.json",
    ] {
        desk.run(line).exits(0);
    }
}

/// Recordings of requests in each form, and a log of them.
fn keep_requests(desk: &Desk) {
    let body = |text: &str| {
        format!(
            r#"{{"model":"claude-opus-5-5","max_tokens":9,"system":"{text}","messages":[{{"role":"user","content":"Hello"}}]}}"#
        )
    };
    let (one, two) = (body("You are Harbor."), body("You are Haven."));
    let url = "https://api.anthropic.com/v1/messages";
    let line = |id: &str, body: &str| {
        format!(r#"{{"id":"{id}","conversation":"chat-7","url":"{url}","request":{body}}}"#)
    };
    desk.0.file(
        "work/bodies.jsonl",
        format!("{}\n{}\n", line("a", &one), line("b", &two)),
    );
    desk.0.file("work/bodies/1.json", &one);
    desk.0.file("work/bodies/2.json", &two);
    let text = serde_json::to_string(&one).unwrap();
    desk.0.file(
        "work/page.har",
        format!(
            r#"{{"log":{{"version":"1.2","entries":[{{"request":{{"method":"POST","url":"{url}","headers":[],"postData":{{"text":{text}}}}},"response":{{"status":200,"content":{{}}}}}}]}}}}"#
        ),
    );
    desk.0.file(
        "work/tap.jsonl",
        format!(
            "{{\"request_id\":\"r\",\"request\":{{\"path\":\"/v1/messages\",\"body\":{one}}},\"response\":{{\"status\":200}},\"upstream_base_url\":\"https://api.anthropic.com\"}}\n"
        ),
    );
    desk.0.file("work/.claude/projects/app/s.jsonl", TRANSCRIPT);
    desk.0
        .file("work/capture.key", format!("{}\n", "0".repeat(64)));
    desk.0.file("home/.claude/projects/app/s.jsonl", TRANSCRIPT);
    desk.run("promptc capture import bodies.jsonl --hash-key capture.key -o requests.jsonl")
        .exits(0);
}

/// Claude Code's record of a call.
const TRANSCRIPT: &str = "{\"type\":\"assistant\",\"sessionId\":\"s\",\"message\":{\"id\":\"m\",\"model\":\"claude-opus-5-5\",\"content\":[]}}\n";

/// A file of prices as litellm writes it.
const PRICES: &str = r#"{"claude-opus-5-5": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 4e-06}}"#;

#[test]
fn every_example_in_the_help_runs() {
    for (command, help) in helps() {
        let examples = help.split("\nExamples:\n").nth(1).unwrap_or_default();
        let lines: Vec<&str> = examples.lines().take_while(|l| !l.is_empty()).collect();
        // The overview is one screen, without examples.
        assert!(
            !lines.is_empty() || command.is_empty(),
            "`{command}` has no examples"
        );
        let desk = if lines.iter().any(|l| l.starts_with("  promptc init")) {
            Desk::empty()
        } else if ["agent", "agent rules"].contains(&&*command)
            || command.starts_with("agent skills")
        {
            let desk = Desk::with("examples/hermes", "");
            let beside = "work/home/skills/harbour/tide-table/references/gauge.md";
            desk.0.file(beside, "The gauge at the lock.\n");
            desk
        } else {
            Desk::with("examples/atlas", "")
        };
        desk.0.file("agent/AGENTS.md", "Run the linter.\n");
        if command == "init" {
            for (name, day) in [("prompt", 1), ("monday", 2), ("friday", 6), ("dumps/a", 7)] {
                let text = format!("You are Harbor.\n\n# Today\n\nDate: 2026-03-0{day}\n");
                desk.0.file(&format!("work/{name}.txt"), text);
            }
        }
        if command == "emit" {
            let history = r#"[{"role": "user", "content": "Hello"}]"#;
            desk.0.file("work/history.json", history);
        }
        if command.starts_with("providers") {
            desk.0.file("work/prices.json", PRICES);
        }
        if command.starts_with("agent memory") {
            let layer = "layer notes { memory \"NOTES.md\" root=workspace }";
            let text = format!("promptc 1\nroot workspace default=\".\"\ntier t {{ {layer} }}\n");
            desk.0.file("work/promptc.kdl", text);
            desk.0.file(
                "work/NOTES.md",
                "Ada\n§\nThe crane at pier 2 lifts 12 tonnes.",
            );
        }
        if ["diff", "report", "capture diff"].contains(&&*command) {
            let kept = "promptc build --format json -o old.json && cp old.json new.json && cp old.json prompt.json";
            desk.run(kept).exits(0);
            desk.run("promptc build -o old.txt && cp old.txt new.txt")
                .exits(0);
            desk.run("promptc test --accept && git init -q && git add -A")
                .exits(0);
            desk.run("git -c user.name=t -c user.email=t@t commit -qm one")
                .exits(0);
        }
        let asks = ["check", "diff", "init", "report"].contains(&command.as_str());
        if asks || command.starts_with("capture") || command == "usage" {
            keep_requests(&desk);
            desk.0.file("work/agent.py", "print('Hello')\n");
            desk.run("promptc usage requests.jsonl --format json > monday.json && cp monday.json tuesday.json")
                .exits(0);
        }
        if command == "diff" || command == "report" || command.starts_with("session") {
            keep_sessions(&desk);
        }
        for line in lines {
            // It ends on request.
            let ran = if line.contains("capture serve") {
                desk.run(&format!("timeout --preserve-status --signal=TERM 2 {line}"))
            } else {
                desk.run(line)
            };
            assert_eq!(
                ran.code,
                0,
                "`{line}` in the help of `{command}`:\n{}",
                ran.stdout()
            );
        }
    }
}

/// The line of docs/diagnostics.md after which everything is generated.
const CODES: &str = "<!-- The rest is generated from src/diagnostic/codes.rs. -->\n";

#[test]
fn the_list_of_codes_is_current() {
    let _held = PAGES.lock();
    let page = Page::read("docs/diagnostics.md");
    let (intro, shown) = page
        .text
        .split_once(CODES)
        .expect("the line that starts the list");
    let errors = diagnostic::ALL.iter().map(|code| {
        described(
            code,
            match code.exit {
                ExitClass::Success => " No error.",
                ExitClass::Input => "",
                ExitClass::World => " Exit code 3.",
            },
        )
    });
    let notices = diagnostic::NOTICES.iter().map(|code| described(code, ""));
    let real: String = errors.chain(notices).collect();
    if shown == real {
        return;
    }
    assert!(
        updating(),
        "docs/diagnostics.md is not current: run it with UPDATE_DOCS=1"
    );
    fs::write(top().join(&page.path), format!("{intro}{CODES}{real}")).unwrap();
}

/// `exit` is what the page does not say of all codes.
fn described(code: &Code, exit: &str) -> String {
    let Code {
        name,
        summary,
        detail,
        ..
    } = code;
    let mut first = summary.chars();
    let capital: String = first
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    let summary = format!("{capital}{}", first.as_str());
    format!(
        "\n## {name}\n\n{}.{exit} {}\n",
        plain(&summary),
        plain(detail)
    )
}

/// Text as Markdown, with tags and emphasis escaped.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut in_span = false;
    for c in text.chars() {
        in_span ^= c == '`';
        if !in_span && "<*".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[test]
fn an_elision_matches_any_lines() {
    assert!(matches("a\n…\nd\n", "a\nb\nc\nd\n"));
    assert!(matches("a\n", "a\n"));
    assert!(!matches("a\n", "a\nb\n"));
    assert!(!matches("a\n…\nd\n", "a\nb\nc\n"));
    assert!(!matches("b\n…\n", "a\nb\n"));
}

#[test]
fn the_shell_runs_only_known_commands() {
    let desk = Desk::empty();
    assert_eq!(desk.run("cargo test").code, 0);
    assert_ne!(desk.run("cargo build").code, 0);
    assert!(
        desk.run("cargo run -- --version")
            .stdout()
            .starts_with("promptc ")
    );
}
