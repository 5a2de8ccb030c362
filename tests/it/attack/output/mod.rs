//! No output of promptc contains commands for a terminal or for a host that reads the log of a job, whatever the
//! documents, names, manifests, snapshots, sessions and artifacts: every command in every format of its help.

mod runs;
mod trap;

use crate::run::{PROGRAM, Place, Ran, run};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use runs::{is_json, is_product, runs, stdin};
use serde_json::Value;
use std::fs;
use std::process::Command;
use trap::{HOSTILE, NAME, Trap};

/// The parts of a text that would command a host or a terminal.
fn commands(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.split('\n') {
        let bad = line.chars().find(|c| c.is_control() && *c != '\t');
        out.extend(bad.map(|c| format!("{c:?} in {line:?}")));
        out.extend(invisible(line).map(|c| format!("{c:?} in {line:?}")));
        let start = line.trim_start();
        let begins = start.starts_with("::") && !start.starts_with(":::") && start.len() > 2;
        if begins || in_line(line) {
            out.push(format!("{line:?}"));
        }
    }
    out
}

fn invisible(line: &str) -> Option<char> {
    line.chars()
        .find(|c| "\u{200b}\u{202e}\u{2028}\u{2029}\u{feff}".contains(*c))
}

/// Whether a line has `##[`, `##vso[`, `##teamcity[` or the like.
fn in_line(line: &str) -> bool {
    line.match_indices("##").any(|(at, _)| {
        let rest = line[at + 2..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
        rest.starts_with('[')
    })
}

/// The errors in the stdout and stderr of a run.
fn wrong(args: &[String], ran: &Ran) -> Vec<String> {
    let mut out = commands(&ran.stderr);
    if !is_product(args) {
        out.extend(wrong_answer(args, &String::from_utf8_lossy(&ran.stdout)));
    }
    if !(0..=3).contains(&ran.code) {
        out.push(format!("exit code {}", ran.code));
    }
    out
}

/// The errors in an answer of the requested format.
fn wrong_answer(args: &[String], text: &str) -> Vec<String> {
    let format = args.iter().skip_while(|arg| *arg != "--format").nth(1);
    // A list of what there is in the program is for people alone.
    let format = format.filter(|_| !args.iter().any(|arg| arg.starts_with("--list-")));
    match format.map(String::as_str) {
        Some("json" | "sarif") => {
            let mut out: Vec<String> = text
                .lines()
                .filter(|l| in_line(l))
                .map(str::to_owned)
                .collect();
            out.extend(
                text.chars()
                    .find(|c| c.is_control() && *c != '\n')
                    .map(|c| format!("{c:?}")),
            );
            let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
            out.extend(values.filter_map(Result::err).map(|e| e.to_string()));
            out
        }
        Some("github") => {
            let own = |line: &str| {
                ["::notice ", "::warning ", "::error "]
                    .iter()
                    .any(|c| line.starts_with(c))
            };
            let rest: Vec<&str> = text
                .lines()
                .map(|l| if own(l) { &l[2..] } else { l })
                .collect();
            commands(&rest.join("\n"))
        }
        _ => commands(text),
    }
}

#[test]
fn no_output_commands_a_host_or_a_terminal() {
    let trap = Trap::new();
    let mut bad = Vec::new();
    for args in runs() {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        for messages in ["human", "json"] {
            let line = [&words[..], &["--message-format", messages]].concat();
            let ran = run(trap.0.command(&line), stdin(&args).as_bytes());
            let found = match messages {
                "json" => ran
                    .stderr
                    .lines()
                    .filter(|l| in_line(l))
                    .map(str::to_owned)
                    .collect(),
                _ => wrong(&args, &ran),
            };
            if !found.is_empty() {
                bad.push(format!("{line:?}\n    {}", found.join("\n    ")));
            }
            // The second time it is only about stderr, which is the same in all formats.
            if ran.stderr.is_empty() || !args.ends_with(&["human".to_owned()]) {
                break;
            }
        }
    }
    assert!(bad.is_empty(), "{}\n{} runs", bad.join("\n"), bad.len());
}

/// The output of a command if stdout and stderr are a terminal without colours; `None` without `script`.
#[cfg(target_os = "linux")]
fn at_a_terminal(place: &Place, args: &[String]) -> Option<String> {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let words: Vec<String> = args.iter().map(|word| quoted(word)).collect();
    let line = format!("{} {} </dev/null", quoted(PROGRAM), words.join(" "));
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &line, "/dev/null"]);
    command
        .current_dir(place.path())
        .env_clear()
        .env("NO_COLOR", "1");
    command.env("SHELL", "/bin/sh").env("TERM", "xterm");
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    let output = command.stdin(std::process::Stdio::null()).output().ok()?;
    // A terminal is sent two characters for the end of a line.
    Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

#[cfg(target_os = "linux")]
#[test]
fn no_requested_text_controls_a_terminal() {
    let trap = Trap::new();
    let mut bad = Vec::new();
    let mut asked = 0;
    for args in runs().into_iter().filter(|args| is_product(args)) {
        let Some(shown) = at_a_terminal(&trap.0, &args) else {
            return;
        };
        asked += usize::from(shown.contains("\\u{"));
        let found = if is_json(&args) {
            shown
                .lines()
                .filter(|l| in_line(l) || l.contains(|c: char| c.is_control()))
                .map(str::to_owned)
                .collect()
        } else {
            commands(&shown)
        };
        if !found.is_empty() {
            bad.push(format!("{args:?}\n    {}", found.join("\n    ")));
        }
    }
    assert!(bad.is_empty(), "{}\n{} runs", bad.join("\n"), bad.len());
    assert!(
        asked > 5,
        "what was shown has nothing in it that a terminal would obey"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn no_line_of_json_controls_a_terminal() {
    let trap = Trap::new();
    let body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\u{9b}2Jb\"}]}\n";
    trap.0.file("body.jsonl", body);
    for args in [
        ["build", "--batch", "lines.jsonl"],
        ["capture", "import", "body.jsonl"],
    ] {
        let Some(shown) = at_a_terminal(&trap.0, &args.map(str::to_owned)) else {
            return;
        };
        let piped = trap.0.run(&args);
        let works = |c: char| c.is_control() && c != '\n';
        assert!(piped.stdout().contains(works), "a pipe gets the bytes");
        let lines: Vec<&str> = shown.lines().filter(|l| l.starts_with("{\"")).collect();
        let again: Vec<Value> = lines.iter().map(|l| json_of(l)).collect();
        let first: Vec<Value> = piped.stdout().lines().map(json_of).collect();
        assert!(again == first && !first.is_empty());
        let bad = lines.iter().find(|l| l.contains(works) || in_line(l));
        assert_eq!(bad, None);
    }
}

#[cfg(target_os = "linux")]
fn json_of(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

#[test]
fn output_that_is_not_a_terminal_gets_the_bytes() {
    let trap = Trap::new();
    let old: Value = serde_json::from_str(&trap.0.read("old.json")).unwrap();
    let text = old["channels"][0]["text"].as_str().unwrap();
    let shown = trap
        .0
        .run(&["session", "show", &format!("{NAME}@1"), "--format", "text"])
        .exits(0);
    assert_eq!(shown.stdout(), text);
    let beside = trap
        .0
        .run(&["agent", "skills", "show", "fix", "--file", "more.md"])
        .exits(0);
    assert_eq!(
        beside.stdout(),
        fs::read_to_string(trap.0.path().join("ws/skills/fix/more.md")).unwrap()
    );
    let built = trap.0.run(&["build", "--facts", "facts.json"]).exits(0);
    assert!(built.stdout().contains("\n::stop-commands::x\n"));
}

#[test]
fn names_and_texts_in_markdown_are_no_mentions_references_or_links() {
    let trap = Trap::new();
    trap.0.file("@octocat #1.txt", HOSTILE);
    trap.0.file("www.evil.example.txt", "after\n");
    let shown = ["diff", "--format", "markdown", "--full"];
    let names = ["@octocat #1.txt", "www.evil.example.txt"];
    let named = [&shown[..], &names, &["--facts", "facts.json"]].concat();
    let named = trap.0.run(&named).exits(0);
    let head = "### `@octocat #1.txt` → `www.evil.example.txt`\n";
    assert!(named.stdout().starts_with(head), "{}", named.stdout());
    let texts = trap
        .0
        .run(&[&shown[..], &["old.json", "new.json"]].concat());
    for ran in [named, texts.exits(0)] {
        let mut in_code = false;
        for event in Parser::new(ran.stdout()) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => in_code = true,
                Event::End(TagEnd::CodeBlock) => in_code = false,
                Event::Text(text) => assert!(in_code || !text.contains('@'), "{text}"),
                Event::Start(Tag::Link { .. } | Tag::Image { .. }) => panic!("a link"),
                Event::Html(html) | Event::InlineHtml(html) => {
                    let own = ["<details><summary>", "</details>"];
                    assert!(own.iter().any(|tag| html.starts_with(tag)), "{html}");
                }
                _ => {}
            }
        }
    }
}
