//! `build --batch`: as many builds, line by line.

use crate::docs::commands::{copy, squeezed};
use crate::docs::markdown::top;
use crate::run::{PROGRAM, Place, Ran, run};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A manifest whose layers depend on facts, documents and budgets.
const MANIFEST: &str = r#"promptc 1
root workspace default="."
fact who string
fact n int default=1
fact docs list { default }
fact key string optional=#true private=#true
fact today date optional=#true clock=utc
scenario nightly { set n 7; set today "2026-01-02" }
tier t {
    layer hello { template "Hello {{ who }}, {{ n }} {{ 'with key' if key is defined else '' }}" }
    layer docs { file (fact)docs; budget 80 }
    layer lines when="n > 100" { template "{% for i in range(n) %}{{ i }} {% endfor %}" }
    layer day when="today is defined" { template "{{ today }}" }
}
"#;

fn ready() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("a.md", "The first document.\n");
    place.file("b.md", "The second document, which is cut.\n".repeat(3));
    place
}

/// Fact objects of every kind that builds; some take far longer than others.
fn good(number: usize) -> Vec<Value> {
    let one = |i: usize| match i % 5 {
        0 => json!({"who": format!("Ann {i}"), "n": 4000}),
        1 => json!({"who": "Bo \u{2028} \"ä\"", "docs": ["c.md", "b.md", "a.md"]}),
        2 => json!({"key": "secret-value", "n": i, "who": ""}),
        3 => json!({"who": "line\nend", "today": "2025-12-31"}),
        _ => json!({"who": i.to_string(), "docs": ["a.md"], "key": null}),
    };
    (0..number).map(one).collect()
}

fn as_lines(facts: &[Value]) -> String {
    facts.iter().fold(String::new(), |mut out, fact| {
        let _ = writeln!(out, "{fact}");
        out
    })
}

/// The batch with standard input, and no warnings.
fn batch(place: &Place, args: &[&str], input: &str) -> Ran {
    let mut all = vec![
        "build",
        "--batch",
        "-",
        "--now",
        "2026-03-30T09:00:00Z",
        "-q",
    ];
    all.extend(args);
    run(place.command(&all), input.as_bytes())
}

fn parsed(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout().lines();
    lines.map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Whom each line greets, or the code of its first error.
fn summary(ran: &Ran) -> Vec<String> {
    let one = |line: &Value| match line["errors"][0]["code"].as_str() {
        Some(code) => code.to_owned(),
        None => {
            let text = line["channels"][0]["text"].as_str().unwrap();
            text.split([',', '\n']).next().unwrap().to_owned()
        }
    };
    parsed(ran).iter().map(one).collect()
}

/// Each line must be the artifact that a build of its own writes, apart from the blanks between tokens.
fn same_as_alone(place: &Place, facts: &[Value], common: &[&str]) {
    let ran = batch(place, common, &as_lines(facts)).exits(0);
    let lines: Vec<&str> = ran.stdout().split_inclusive('\n').collect();
    assert_eq!(lines.len(), facts.len());
    for (fact, line) in facts.iter().zip(lines) {
        place.file("line.json", fact.to_string());
        let mut args = vec!["build", "--format", "json", "--no-inputs", "-q"];
        args.extend(["--now", "2026-03-30T09:00:00Z"]);
        args.extend(common);
        args.extend(["--facts", "line.json"]);
        let alone = place.run(&args).exits(0);
        assert_eq!(squeezed(alone.stdout()), line.trim_end(), "{fact}");
        assert!(line.ends_with("}\n"));
    }
}

#[test]
fn a_line_is_the_artifact_of_a_build_alone() {
    let place = ready();
    place.file("common.json", r#"{"who": "Common", "n": 3}"#);
    same_as_alone(&place, &good(10), &[]);
    let nobody = [json!({}), json!({"n": 5}), json!({"who": "Di"})];
    same_as_alone(&place, &nobody, &["--facts", "common.json"]);
    let set = [
        "--facts",
        "common.json",
        "--set",
        "n=9",
        "--root",
        "workspace=..",
    ];
    same_as_alone(&place, &nobody, &set);
    same_as_alone(
        &place,
        &nobody,
        &["--scenario", "nightly", "--set", "who=Eve"],
    );
    same_as_alone(&place, &[json!({})], &["-m", "builtin:minimal@1"]);
}

#[test]
fn a_line_of_the_example_is_too() {
    let place = Place::new();
    copy(&top().join("examples/atlas"), place.path());
    let lines = place.read("facts.jsonl");
    let facts: Vec<Value> = lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert!(facts.len() > 1);
    same_as_alone(&place, &facts, &[]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let place = ready();
    let mut lines: Vec<String> = good(120).iter().map(Value::to_string).collect();
    for (at, bad) in [(7, "{"), (8, ""), (60, r#"{"n": 1}"#), (119, "[]")] {
        lines[at] = bad.to_owned();
    }
    let input = lines.join("\n");
    let mut args = vec!["build", "--batch", "-", "--now", "2026-03-30T09:00:00Z"];
    args.extend(["--jobs", "1"]);
    let one = run(place.command(&args), input.as_bytes()).exits(2);
    assert_eq!(one.stdout().lines().count(), 120);
    for jobs in ["2", "8", "256"] {
        *args.last_mut().unwrap() = jobs;
        let many = run(place.command(&args), input.as_bytes()).exits(2);
        assert!(
            many.stdout == one.stdout,
            "--jobs {jobs} writes other lines"
        );
        assert_eq!(many.stderr, one.stderr, "--jobs {jobs}");
    }
    args.truncate(args.len() - 2);
    assert!(run(place.command(&args), input.as_bytes()).stdout == one.stdout);
    for jobs in ["0", "257", "x"] {
        let args = ["build", "--batch", "-", "--jobs", jobs];
        assert!(place.run(&args).exits(2).stderr.contains("--jobs"));
    }
}

#[test]
fn a_bad_line_has_its_place_in_the_output() {
    let place = ready();
    let input =
        "{\"who\":\"1\"}\n{\"whom\":\"2\"}\n{\"who\":\"3\"}\n\n[5]\n{\"who\":6}\n{\"who\":\"7\"}\n";
    let ran = batch(&place, &[], input).exits(2);
    let expected = [
        "Hello 1",
        "unknown-fact",
        "Hello 3",
        "facts-not-json",
        "facts-not-json",
        "wrong-fact-type",
        "Hello 7",
    ];
    assert_eq!(summary(&ran), expected);
    for (line, number) in ran
        .stderr
        .lines()
        .filter(|l| l.starts_with("error["))
        .zip([2, 2, 4, 5, 6])
    {
        assert!(line.contains(&format!("]: <stdin>:{number}: ")), "{line}");
    }
    assert!(
        ran.stderr
            .ends_with("error[bad-lines]: 4 of 7 lines were not built\n"),
        "{}",
        ran.stderr
    );

    // The output for a line depends on nothing but the line, so batches can be cut and joined.
    let cut: Vec<u8> = input
        .split_inclusive('\n')
        .flat_map(|line| batch(&place, &[], line).stdout)
        .collect();
    assert!(cut == ran.stdout);
    // The errors are those in the format for programs.
    let told = batch(&place, &["--message-format", "json"], input).exits(2);
    let told: Vec<Value> = told
        .stderr
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let mut written = Vec::new();
    for (at, line) in parsed(&ran).into_iter().enumerate() {
        for error in line["errors"].as_array().into_iter().flatten() {
            let mut error = error.clone();
            error["input_line"] = json!(at + 1);
            error["schema"] = json!(2);
            written.push(error);
        }
    }
    assert_eq!(told[..told.len() - 1], written);
    assert_eq!(told.last().unwrap()["code"], "bad-lines");
    assert_eq!(told.last().unwrap()["input_line"], Value::Null);
}

#[test]
fn fail_fast_stops_at_the_first_bad_line() {
    let place = ready();
    let mut input = as_lines(&good(40));
    input.push_str("{\"n\": 1}\n");
    input.push_str(&as_lines(&good(40)));
    let ran = batch(&place, &["--fail-fast"], &input).exits(2);
    assert_eq!(ran.stdout().lines().count(), 40);
    assert!(ran.stdout == batch(&place, &[], &as_lines(&good(40))).stdout);
    assert!(
        ran.stderr
            .ends_with("error[bad-lines]: stopped at <stdin>:41, which was not built\n"),
        "{}",
        ran.stderr
    );
    // A file is a whole batch.
    place.file("out.jsonl", "old");
    let ran = batch(&place, &["--fail-fast", "-o", "out.jsonl"], &input).exits(2);
    assert!(
        ran.stderr.ends_with("nothing was written\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(place.read("out.jsonl"), "old");
    batch(&place, &["--fail-fast"], &as_lines(&good(3))).exits(0);
}

#[test]
fn line_ends_are_read_as_in_other_inputs() {
    let place = ready();
    let plain = batch(&place, &[], "{\"who\":\"1\"}\n{\"who\":\"2\"}\n").exits(0);
    for input in [
        "{\"who\":\"1\"}\r\n{\"who\":\"2\"}\r\n",
        "{\"who\":\"1\"}\n{\"who\":\"2\"}",
        "\u{feff}{\"who\":\"1\"}\n \t{\"who\":\"2\"} \n",
    ] {
        assert!(batch(&place, &[], input).exits(0).stdout == plain.stdout);
    }
    let blank = batch(&place, &[], "{\"who\":\"1\"}\r\n\r\n").exits(2);
    assert_eq!(summary(&blank), ["Hello 1", "facts-not-json"]);
    for args in [&[][..], &["-o", "out.jsonl"]] {
        let ran = batch(&place, args, "").exits(0);
        assert!(
            ran.stdout.is_empty() && ran.stderr.is_empty(),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(place.read("out.jsonl"), "");
    // Bytes that are not UTF-8 are a bad line like others.
    let mut command = place.command(&["build", "--batch", "-"]);
    command.env("TZ", "utc");
    let ran = run(command, b"{\"who\":\"\xff\"}\n{\"who\":\"2\"}\n").exits(2);
    assert_eq!(summary(&ran), ["facts-not-json", "Hello 2"]);
}

#[test]
fn a_line_longer_than_facts_may_be_is_passed_over() {
    let place = ready();
    let long = format!("{{\"who\":\"{}\"}}\n", "x".repeat(4 << 20));
    let ran = batch(
        &place,
        &[],
        &format!("{{\"who\":\"1\"}}\n{long}{{\"who\":\"3\"}}\n"),
    )
    .exits(2);
    assert_eq!(summary(&ran), ["Hello 1", "document-too-large", "Hello 3"]);
}

#[test]
fn a_file_is_written_at_the_end_and_seen_by_no_build() {
    let place = ready();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\nfact who string\ntier t { layer l { glob \"*\" \".*\"; template \"Hello {{ who }}, {{ documents | map(attribute='name') | join(' ') }}\" } }\n",
    );
    place.file("facts.jsonl", "{\"who\":\"1\"}\n{\"who\":\"2\"}\n");
    let stdout = place.run(&["build", "--batch", "facts.jsonl"]).exits(0);
    assert!(stdout.stdout().contains("Hello 1, a.md b.md facts.jsonl"));
    let ran = place
        .run(&["build", "--batch", "facts.jsonl", "-o", "out.jsonl"])
        .exits(0);
    assert!(
        ran.stdout.is_empty() && ran.stderr.is_empty(),
        "{}",
        ran.stderr
    );
    assert_eq!(place.read("out.jsonl"), stdout.stdout());
    let dash = place
        .run(&["build", "--batch", "facts.jsonl", "-o", "-"])
        .exits(0);
    assert!(dash.stdout().lines().count() == 2);
    // With a bad line the file is written too: it has a line for each.
    place.file("facts.jsonl", "{\"who\":\"1\"}\n{}\n");
    place
        .run(&["build", "--batch", "facts.jsonl", "-o", "bad.jsonl"])
        .exits(2);
    assert_eq!(place.read("bad.jsonl").lines().count(), 2);
    let mut left: Vec<_> = fs::read_dir(place.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(
        left,
        [
            "a.md",
            "b.md",
            "bad.jsonl",
            "facts.jsonl",
            "out.jsonl",
            "promptc.kdl"
        ]
    );
}

#[test]
fn the_output_takes_the_place_of_nothing_that_was_read() {
    let place = ready();
    let before = place.read("b.md");
    let input = "{\"who\":\"1\"}\n{\"who\":\"2\",\"docs\":[\"b.md\"]}\n";
    let ran = batch(&place, &["-o", "b.md"], input).exits(2);
    ran.says("[output-is-input]");
    assert_eq!(place.read("b.md"), before);
    batch(&place, &["-o", "b.md"], "{\"who\":\"1\"}\n").exits(0);
    assert_ne!(place.read("b.md"), before);
}

/// A batch that is talked to.
struct Talk {
    child: Child,
    to: Option<ChildStdin>,
    from: Option<BufReader<ChildStdout>>,
}

impl Talk {
    fn start(place: &Place, args: &[&str]) -> Self {
        let mut all = vec!["build", "--batch", "-"];
        all.extend(args);
        let mut child = place
            .command(&all)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { child, to, from }
    }

    fn say(&mut self, text: &str) -> std::io::Result<()> {
        self.to.as_mut().unwrap().write_all(text.as_bytes())
    }

    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.from.as_mut().unwrap().read_line(&mut line).unwrap();
        line
    }

    fn end(mut self) -> (Option<i32>, String) {
        let mut stderr = String::new();
        let status = self.child.wait().unwrap();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        (status.code(), stderr)
    }
}

#[test]
fn each_answer_comes_before_the_next_question() {
    let place = ready();
    let mut talk = Talk::start(&place, &["--jobs", "3"]);
    for n in 0..10 {
        talk.say(&format!("{{\"who\":\"{n}\"}}\n")).unwrap();
        assert!(talk.hear().contains(&format!("Hello {n},")));
    }
    talk.to = None;
    assert_eq!(talk.hear(), "");
    assert_eq!(talk.end(), (Some(0), String::new()));
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let place = ready();
    let mut talk = Talk::start(&place, &[]);
    talk.say("{\"who\":\"1\"}\n{}\n").unwrap();
    assert!(talk.hear().contains("Hello 1,"));
    talk.from = None;
    // It notices with the next line that it writes, and does not wait for the end of its input.
    while talk.say("{\"who\":\"2\"}\n").is_ok() {}
    let (code, stderr) = talk.end();
    // The second line was invalid, whether or not the reader continued.
    assert_eq!(code, Some(2), "{stderr}");
    assert!(!stderr.contains("output-not-written"), "{stderr}");

    let mut talk = Talk::start(&place, &[]);
    talk.from = None;
    while talk.say("{\"who\":\"2\"}\n").is_ok() {}
    assert_eq!(talk.end(), (Some(0), String::new()));
}

#[test]
fn fail_fast_does_not_wait_for_the_rest_of_its_input() {
    let place = ready();
    let mut talk = Talk::start(&place, &["--fail-fast"]);
    talk.say("{\"who\":\"1\"}\n{}\n").unwrap();
    assert!(talk.hear().contains("Hello 1,"));
    assert_eq!(talk.hear(), "");
    // The input is still open.
    assert!(talk.to.is_some());
    assert_eq!(talk.end().0, Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_fails() {
    let place = ready();
    let ran = batch(&place, &["-o", "/dev/full"], &as_lines(&good(5))).exits(3);
    ran.says("[output-not-written]");
    batch(&place, &["-o", "/dev/null"], &as_lines(&good(5))).exits(0);
    let ran = batch(&place, &["-o", "nowhere/out.jsonl"], "{}\n").exits(3);
    ran.says("the folder does not exist");
}

/// The most memory that a process has had, in KiB.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// `PROMPTC_LINES` makes it longer.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_number_of_lines() {
    let place = ready();
    let lines = std::env::var("PROMPTC_LINES").map_or(6_000, |n| n.parse().unwrap());
    let mut talk = Talk::start(&place, &["--jobs", "2", "-q"]);
    let mut to = talk.to.take().unwrap();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let warm = 500;
    let writer = std::thread::spawn(move || {
        for n in 0..lines {
            // An occasional invalid line must leave nothing behind either.
            let name = if n % 10 == 3 { "whom" } else { "who" };
            writeln!(to, "{{\"{name}\":\"{n} {}\"}}", "x".repeat(8_000)).unwrap();
        }
        // The end of the input, and with it of the process, waits for the measurement.
        let _ = wait.recv();
        drop(to);
    });
    let mut errors = talk.child.stderr.take().unwrap();
    let drain = std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
    let (mut bytes, mut early) = (0, 0);
    for n in 0..lines {
        bytes += talk.hear().len() as u64;
        if n == warm {
            early = peak(&talk.child);
        }
    }
    let late = peak(&talk.child);
    go.send(()).unwrap();
    writer.join().unwrap();
    assert_eq!(talk.hear(), "");
    assert_eq!(talk.child.wait().unwrap().code(), Some(2));
    drain.join().unwrap().unwrap();
    let through = bytes / 1024;
    assert!(through > 40_000, "only {through} KiB were written");
    assert!(
        late < early + through / 8,
        "{early} KiB after {warm} lines, {late} KiB after {lines} with {through} KiB of output"
    );
}

#[test]
fn losses_are_reported_once_for_all_lines() {
    let place = ready();
    let input = as_lines(&good(25));
    let args = ["build", "--batch", "-", "--message-format", "human"];
    let ran = run(place.command(&args), input.as_bytes()).exits(0);
    let [told] = &ran.stderr.lines().collect::<Vec<_>>()[..] else {
        panic!("{}", ran.stderr)
    };
    assert!(told.starts_with("warning[cut]: <stdin>:2: "), "{told}");
    assert!(told.ends_with("; and 4 lines more"), "{told}");
    assert_eq!(batch(&place, &[], &input).exits(0).stderr, "");
    // Each artifact says it for itself.
    let losses = |line: &Value| line["notices"].as_array().unwrap().len();
    let lost: usize = parsed(&ran).iter().map(losses).sum();
    assert_eq!(lost, 5);
    place.file("empty.kdl", "promptc 1\n");
    let args = ["build", "--batch", "-", "-m", "empty.kdl"];
    let ran = run(place.command(&args), b"{}\n{}\n").exits(0);
    assert_eq!(
        ran.stderr,
        "warning[empty-prompt]: <stdin>:1: the prompt is empty; and 1 line more\n"
    );
}

#[test]
fn errors_of_every_line_are_reported_once() {
    let place = ready();
    let input = as_lines(&good(5));
    for args in [
        &["--set", "n=x"][..],
        &["--set", "m=1"],
        &["--scenario", "daily"],
        &["--root", "nowhere=."],
        &["--facts", "a.md"],
    ] {
        let ran = batch(&place, args, &input).exits(2);
        assert!(ran.stdout.is_empty(), "{args:?}");
        let errors = ran.stderr.lines().filter(|l| l.starts_with("error["));
        assert_eq!(errors.count(), 1, "{}", ran.stderr);
    }
    let mut command = place.command(&["build", "--batch", "-", "--now", "today"]);
    command.stdin(Stdio::null());
    assert_eq!(run(command, b"").code, 2);
    let clash = ["build", "--batch", "-", "--facts", "-"];
    assert!(place.run(&clash).exits(2).stderr.contains("[usage]"));
}

#[test]
fn a_line_is_an_artifact_for_other_commands() {
    let place = ready();
    let ran = batch(&place, &[], &as_lines(&good(2))).exits(0);
    let line = ran.stdout().lines().nth(1).unwrap();
    let blamed = run(
        place.command(&["blame", "--artifact", "-", "--find", "second"]),
        line.as_bytes(),
    );
    assert!(blamed.exits(0).stdout().contains("b.md:1"));
}

/// Runs a command line whose stderr is a terminal.
pub(crate) fn on_a_terminal(place: &Place, line: &str) -> Option<Ran> {
    let mut command = Command::new("script");
    command
        .args(["-qec", line, "/dev/null"])
        .current_dir(place.path())
        .env_clear()
        .env("P", PROGRAM);
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    let there = Command::new("script").arg("--version").output();
    there
        .is_ok_and(|o| o.status.success())
        .then(|| run(command, b""))
}

#[test]
fn progress_is_shown_on_a_terminal_only() {
    let place = ready();
    place.file("facts.jsonl", as_lines(&good(80)));
    place.file("bad.jsonl", format!("{}{{}}\n", as_lines(&good(80))));
    let line = "\"$P\" build --batch bad.jsonl --jobs 1 > out.jsonl";
    let Some(ran) = on_a_terminal(&place, line) else {
        println!("not run: there is no `script` here");
        return;
    };
    let shown = ran.exits(2).stdout().to_owned();
    assert!(shown.contains("81 lines, 1 bad, "), "{shown}");
    assert!(shown.contains(" a second\r\n"), "{shown}");
    assert!(
        shown.trim_end().ends_with("1 of 81 lines was not built"),
        "{shown}"
    );
    for line in [
        "\"$P\" build --batch facts.jsonl -q > out.jsonl",
        "\"$P\" build --batch facts.jsonl --message-format json > out.jsonl",
        "\"$P\" build --batch facts.jsonl",
        "\"$P\" build --batch facts.jsonl > out.jsonl 2> err.txt",
    ] {
        let ran = on_a_terminal(&place, line).unwrap().exits(0);
        assert!(!ran.stdout().contains(" a second"), "{line}");
    }
    assert!(!place.read("err.txt").contains("a second"));
}

#[test]
fn the_schema_of_a_line_has_both_kinds() {
    let ran = Place::new().run(&["schema", "batch"]).exits(0);
    let schema: Value = serde_json::from_str(ran.stdout()).unwrap();
    let kinds: Vec<&str> = schema["anyOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind["$ref"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["#/$defs/Prompt", "#/$defs/Refused"]);
    assert_eq!(
        schema["$defs"]["Refused"]["required"],
        json!(["schema", "errors"])
    );
}
