//! The command line: its streams and the files it leaves.

use crate::case::{as_nobody, is_root};
use crate::docs::commands::helps;
use crate::run::{Place, run};
use promptc::check::RULES;
use promptc::diagnostic;
use promptc::source::builtin;
use std::fs;
use std::process::Stdio;

fn ready() -> Place {
    let place = Place::new();
    place.run(&["init", "--quiet"]).exits(0);
    place
}

#[test]
fn every_help_has_examples() {
    // The overview of the program is one screen, without examples.
    for (command, help) in helps()
        .into_iter()
        .filter(|(command, _)| !command.is_empty())
    {
        let examples = help.split_once("Examples:\n").map(|(_, examples)| examples);
        assert!(
            examples.is_some_and(|e| e.contains("promptc ")),
            "{command}"
        );
        assert!(!help.contains("--shuffle-listings"), "{command}");
    }
}

#[test]
fn usage_errors_exit_2() {
    for args in [
        &["bild"][..],
        &["build", "--nope"],
        &[],
        &["build", "--color", "pink"],
    ] {
        let ran = Place::new().run(args).exits(2);
        assert!(ran.stdout.is_empty());
    }
}

/// The lines of stderr as JSON.
fn json_lines(stderr: &str) -> Vec<serde_json::Value> {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    stderr.lines().map(parse).collect()
}

#[test]
fn usage_errors_are_json_for_programs() {
    for args in [
        &["--message-format", "json", "bild"][..],
        &["build", "--nope", "--message-format=json"],
        &["--message-format", "json"],
        &["--message-format", "json", "schema"],
        &["build", "--message-format", "json", "--color", "pink"],
        &["completions", "--message-format", "json"],
        &["build", "-q", "-v", "--message-format", "json"],
    ] {
        let ran = Place::new().run(args).exits(2);
        let lines = json_lines(&ran.stderr);
        let [line] = &lines[..] else {
            panic!("{args:?}: {}", ran.stderr)
        };
        assert_eq!(line["code"], "usage");
        assert_eq!(line["severity"], "error");
        let message = line["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains('\n'), "{message}");
        assert!(ran.stdout.is_empty());
    }
    // Words after `--` are values, and an unknown format does not select the one for programs.
    for args in [
        &["build", "--nope", "--", "--message-format=json"][..],
        &["build", "--message-format", "jsn"],
    ] {
        let ran = Place::new().run(args).exits(2);
        assert!(ran.stderr.starts_with("error[usage]: "), "{}", ran.stderr);
    }
}

#[test]
fn usage_errors_do_not_repeat_possibly_private_values() {
    for command in ["build", "check", "watch"] {
        let ran = Place::new().run(&[command, "key=secret-value"]).exits(2);
        assert!(!ran.stderr.contains("secret-value"), "{}", ran.stderr);
    }
}

/// The messages about sessions with changed inputs.
fn session_notices() -> Vec<String> {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact key string private=#true optional=#true\nfact user string default=Ann\ntier t { layer a when=\"key is defined\" { template \"abc {{ user }}\" } }\n",
    );
    place
        .run(&["build", "--session", "s", "--set", "key=1"])
        .exits(0);
    let mut seen = Vec::new();
    for more in [
        &["--set", "new=1"][..],
        &["--set", "user=Bob"],
        &["--refresh"],
    ] {
        let mut args = vec!["build", "--session", "s", "--message-format", "json"];
        args.extend(more);
        for line in json_lines(&place.run(&args).exits(0).stderr) {
            seen.push(line["code"].as_str().unwrap().to_owned());
        }
    }
    seen
}

/// The message about a text among the snapshots that no lock lists.
fn snapshot_notices() -> Vec<String> {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer l { text \"a\" } }\nscenario s { }\n",
    );
    place.run(&["test", "--accept"]).exits(0);
    place.file("snapshots/mine.txt", "of somebody else");
    let ran = place.run(&["test", "--message-format", "json"]).exits(0);
    let codes = json_lines(&ran.stderr);
    let code = |line: &serde_json::Value| line["code"].as_str().unwrap().to_owned();
    codes.iter().map(code).collect()
}

/// The messages about paths outside directory rules' root, paths that lead nowhere, and a folder without directory rules.
fn hint_notices() -> Vec<String> {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\"in\"\ndirectory-rules { file \"AGENTS.md\" }\n",
    );
    place.file("in/a/a.md", "a");
    let args = [
        "agent",
        "rules",
        "../b.md",
        "a/a.md",
        "gone/b.md",
        "--session",
        "s",
        "-v",
        "--message-format",
        "json",
    ];
    let lines = json_lines(&place.run(&args).exits(0).stderr);
    let codes = lines.iter().filter_map(|line| line["code"].as_str());
    codes.map(str::to_owned).collect()
}

/// The messages about the inputs of an artifact.
fn artifact_notices() -> Vec<String> {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\ntier t { layer a { file \"large.md\" { budget 99 } } }\n",
    );
    place.file("large.md", "A line.\n".repeat(1 << 22));
    let args = ["build", "--format", "json", "--message-format", "json"];
    let found = json_lines(&place.run(&args).exits(0).stderr);
    let codes = found
        .iter()
        .map(|line| line["code"].as_str().unwrap().to_owned());
    codes.collect()
}

/// The messages about a failed command.
fn watch_notices() -> Vec<String> {
    let args = ["watch", "--builds", "1", "--exec", "false"];
    let mut args = args.to_vec();
    args.extend(["--message-format", "json"]);
    let lines = json_lines(&ready().run(&args).exits(0).stderr);
    let codes = lines.iter().filter_map(|line| line["code"].as_str());
    codes.map(str::to_owned).collect()
}

/// The messages about prices and requests.
fn provider_notices() -> Vec<String> {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact now string default=\"10:04\" changes=turn\ntier t { layer a { template \"{{ now }}\" } }\n",
    );
    place.file(
        "prices.json",
        r#"{
"claude-opus-5": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 5e-06},
"claude-opus-5-5": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 0}
}"#,
    );
    let mut seen = Vec::new();
    for args in [
        &[
            "emit",
            "anthropic",
            "--model",
            "claude-opus-5-5",
            "--last",
            "1",
        ][..],
        &["providers", "list", "--now", "2030-01-01T00:00:00Z"],
        &["providers", "import", "prices.json"],
    ] {
        let ran = place.run(&[args, &["--message-format", "json"]].concat());
        for line in json_lines(&ran.exits(0).stderr) {
            seen.push(line["code"].as_str().unwrap().to_owned());
        }
    }
    seen
}

#[test]
fn every_notice_that_is_printed_is_explained() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\ntier t {\n layer a { text \"abcdef\" { budget 3 marker=\"\" } }\n layer b { text \"abcdef\" { budget 0 } }\n layer c { file \"c.md\" { imports at } }\n layer d { text \"bad\" { scan s } }\n layer e { text \"bad\" { scan s on-hit=warn } }\n}\ndirectory-rules { file \"A\" }\nscan s { rule bad \"bad\" }\n",
    );
    place.file("c.md", "@none.md @c.md \u{0}");
    place.file(
        "part.kdl",
        "promptc 1\nroot workspace default=\".\"\ntier t { layer a { file \"part.md\" { frontmatter parse lenient } } }\n",
    );
    place.file("part.md", "---\na: b: c\n  d\n---\nText.\n");
    place.file(
        "missing.kdl",
        "promptc 1\nroot workspace default=\".\"\ntier t { layer a { file \"none.md\" } }\n",
    );
    place.file("empty.kdl", "promptc 1\n");
    place.file("spare.kdl", "promptc 1\nroot spare default=\".\"\n");
    place.file(
        "live.kdl",
        "promptc 1\ntier t changes=turn { layer a { text \"now\" } }\n",
    );
    place.file(
        "turn.kdl",
        "promptc 1\ntier t changes=deploy { layer a { text \"x\" } }\ntier u changes=turn deliver=user { layer b { text \"now\" } }\n",
    );
    place.file("said.json", "[{\"role\": \"user\", \"content\": \"hi\"}]");
    let mut seen = std::collections::BTreeSet::new();
    for args in [
        &["build", "--stats", "--verbose"][..],
        &["build", "--verbose", "-m", "builtin:minimal@1"],
        &["build", "-m", "empty.kdl"],
        &["build", "-m", "empty.kdl", "--tokenizer", "claude"],
        &["build", "-m", "spare.kdl", "--root", "spare=."],
        &["build", "-m", "part.kdl"],
        &["build", "-m", "missing.kdl"],
        &["build", "-m", "turn.kdl"],
        &["build", "-m", "live.kdl", "--session", "live"],
        &[
            "emit",
            "anthropic",
            "--model",
            "claude-opus-5-5",
            "-m",
            "turn.kdl",
        ],
        &["agent", "rules", "..", "--session", "s", "--verbose"],
        &[
            "emit",
            "anthropic",
            "--model",
            "claude-opus-5-5",
            "-m",
            "live.kdl",
            "--messages",
            "said.json",
            "--last",
            "1",
        ],
    ] {
        let mut args = args.to_vec();
        args.extend(["--message-format", "json"]);
        for line in json_lines(&place.run(&args).exits(0).stderr) {
            seen.insert(line["code"].as_str().unwrap().to_owned());
        }
    }
    seen.extend(session_notices());
    seen.extend(hint_notices());
    seen.extend(snapshot_notices());
    seen.extend(provider_notices());
    seen.extend(artifact_notices());
    seen.extend(watch_notices());
    seen.extend(crate::recorder::notices());
    let known: Vec<&str> = diagnostic::NOTICES.iter().map(|c| c.name).collect();
    assert!(
        seen.iter().all(|code| known.contains(&code.as_str())),
        "{seen:?}"
    );
    assert_eq!(seen.len(), known.len(), "{seen:?}");
}

#[test]
fn an_empty_prompt_is_a_warning() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t deliver=user { layer a { text \"a\" } }\n",
    );
    let ran = place.run(&["build", "--color", "never"]).exits(0);
    assert!(ran.stdout.is_empty());
    assert!(
        ran.stderr
            .starts_with("warning[empty-prompt]: the system prompt is empty\n"),
        "{}",
        ran.stderr
    );
    for args in [&["build", "-q"][..], &["build", "--format", "json"]] {
        assert_eq!(place.run(args).exits(0).stderr, "");
    }
    place.file("promptc.kdl", "promptc 1\n");
    let ran = place.run(&["build", "--format", "json"]).exits(0);
    ran.says("empty-prompt");
}

#[test]
fn the_version_is_printed() {
    let ran = Place::new().run(&["--version"]).exits(0);
    assert_eq!(
        ran.stdout(),
        format!("promptc {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = Place::new().run(&["completions", shell]).exits(0);
        assert!(ran.stdout().contains("explain"), "{shell}");
    }
}

#[test]
fn output_to_a_file_equals_stdout() {
    let place = ready();
    let stdout = place.run(&["build", "--set", "today=2026-03-30"]).exits(0);
    let ran = place
        .run(&["build", "--set", "today=2026-03-30", "-o", "out.txt"])
        .exits(0);
    assert!(ran.stdout.is_empty());
    assert_eq!(place.read("out.txt").as_bytes(), stdout.stdout);
    assert!(!stdout.stdout.is_empty());
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_mode_and_its_link() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = ready();
    let place = Place::new();
    let file = place.file("real/out.txt", "old");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let link = place.path().join("link.txt");
    std::os::unix::fs::symlink("real/out.txt", &link).unwrap();
    project
        .run(&["build", "-o", link.to_str().unwrap()])
        .exits(0);
    assert_ne!(place.read("real/out.txt"), "old");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert!(
        fs::symlink_metadata(place.path().join("link.txt"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(fs::read_dir(place.path().join("real")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_that_ends_nowhere_is_written_through() {
    let project = ready();
    let place = Place::new();
    let build = |output: &str| {
        let output = place.path().join(output);
        project.run(&["build", "-o", output.to_str().unwrap()])
    };
    place.file("real/keep", "");
    for (link, target) in [
        ("a.txt", "real/b.txt"),
        ("real/b.txt", "c.txt"),
        ("lost.txt", "none/x.txt"),
    ] {
        std::os::unix::fs::symlink(target, place.path().join(link)).unwrap();
    }
    build("a.txt").exits(0);
    assert!(!place.read("real/c.txt").is_empty());
    build("lost.txt").exits(3);
    for link in ["a.txt", "real/b.txt", "lost.txt"] {
        let meta = fs::symlink_metadata(place.path().join(link)).unwrap();
        assert!(meta.is_symlink(), "{link}");
    }
}

#[test]
fn an_input_is_not_written_over() {
    let place = Place::new();
    let manifest = "promptc 1\nroot workspace default=\".\"\ntier t { layer l { file \"a.md\"; template file=\"t.j2\" } }\n";
    place.file("promptc.kdl", manifest);
    place.file("a.md", "text");
    place.file("t.j2", "{{ content }}");
    place.file("f.json", "{}");
    for path in ["promptc.kdl", "a.md", "t.j2", "f.json"] {
        let before = place.read(path);
        let ran = place
            .run(&["build", "--facts", "f.json", "-o", path])
            .exits(2);
        ran.says("[output-is-input]");
        assert_eq!(place.read(path), before);
    }
    // A file that is there and was not read is replaced, as ever.
    place.file("out.txt", "old");
    place.run(&["build", "-o", "out.txt"]).exits(0);
    assert_eq!(place.read("out.txt"), "text");
}

#[cfg(unix)]
#[test]
fn facts_may_come_through_a_pipe() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact who string\ntier t { layer l { template \"{{ who }}\" } }\n",
    );
    let fifo = place.path().join("pipe");
    let status = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(status.unwrap().success());
    let writer = std::thread::spawn(move || fs::write(fifo, "{\"who\": \"Ann\"}"));
    let ran = place.run(&["build", "--facts", "pipe"]).exits(0);
    writer.join().unwrap().unwrap();
    assert_eq!(ran.stdout(), "Ann");
    let mut command = place.command(&["build", "--facts", "/dev/stdin"]);
    command.env_clear();
    assert_eq!(run(command, b"{\"who\": \"Bo\"}").exits(0).stdout(), "Bo");
    let mut command = place.command(&["build", "--facts", "-"]);
    command.env_clear();
    assert_eq!(run(command, b"{\"who\": \"Cy\"}").exits(0).stdout(), "Cy");
}

#[cfg(unix)]
#[test]
fn an_input_that_is_read_once_may_be_a_pipe() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact who string\ntier t { layer l { template \"{{ who }}\" } }\n",
    );
    for (args, told) in [
        (&["scan", "/dev/stdin"][..], "0 findings in 1 file"),
        (&["init", "new", "--from", "/dev/stdin"], "proved"),
        (&["build", "--batch", "/dev/stdin"], "\"text\":\"Ann\""),
    ] {
        let mut command = place.command(args);
        command.env_clear();
        let ran = run(command, b"{\"who\": \"Ann\"}").exits(0);
        assert!(ran.stdout().contains(told), "{args:?}: {}", ran.stdout());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_without_an_end_is_too_large() {
    let place = ready();
    let ran = place.run(&["build", "--facts", "/dev/zero"]).exits(2);
    ran.says("larger than 4 MiB");
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_mode_that_the_umask_leaves() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = ready();
    place.run(&["build", "-o", "new.txt"]).exits(0);
    let by_us = place.file("ours.txt", "");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(place.path().join("new.txt")), mode(by_us));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_fails_and_a_null_one_does_not() {
    let place = ready();
    let ran = place.run(&["build", "-o", "/dev/full"]).exits(3);
    ran.says("[output-not-written]");
    place.run(&["build", "-o", "/dev/null"]).exits(0);
    for args in [
        vec!["build"],
        vec!["--help"],
        vec!["help", "build"],
        vec!["--version"],
    ] {
        let mut command = place.command(&args);
        command.stdout(
            fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        );
        let output = command.stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{args:?}");
    }
}

#[test]
fn an_unwritable_output_keeps_its_content() {
    let place = ready();
    place.file("locked/out.txt", "old");
    let mut command = place.command(&["build", "-o", "locked/out.txt"]);
    if is_root() {
        let Some(nobody) = as_nobody(&["build", "-o", "locked/out.txt"], &place) else {
            return;
        };
        command = nobody;
    } else {
        let mut permissions = fs::metadata(place.path().join("locked"))
            .unwrap()
            .permissions();
        permissions.set_readonly(true);
        fs::set_permissions(place.path().join("locked"), permissions).unwrap();
    }
    let ran = run(command, b"").exits(3);
    ran.says("[output-not-written]");
    assert_eq!(place.read("locked/out.txt"), "old");
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let place = ready();
    let mut child = place
        .command(&["build"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn a_failing_build_leaves_the_old_output() {
    let place = ready();
    place.file("out.txt", "old");
    place
        .run(&["build", "--set", "nothing", "-o", "out.txt"])
        .exits(2);
    assert_eq!(place.read("out.txt"), "old");
}

#[test]
fn stats_name_every_layer_on_stderr() {
    let place = ready();
    let ran = place.run(&["build", "--stats"]).exits(0);
    ran.says("identity");
    assert!(ran.stderr.is_ascii(), "{}", ran.stderr);
    let quiet = place.run(&["build", "--stats", "-q"]).exits(0);
    assert!(quiet.stderr.is_empty());
}

#[test]
fn presets_are_written_build_at_once_and_are_never_overwritten() {
    for preset in builtin::PRESETS {
        let place = Place::new();
        let ran = place
            .run(&["init", "a/b", "--preset", preset.name])
            .exits(0);
        assert!(ran.stdout.is_empty());
        ran.says("promptc build -m a/b/promptc.kdl");
        let mut build = place.command(&["build", "-m", "a/b/promptc.kdl"]);
        build.env("HOME", place.path());
        run(build, b"").exits(0);
        assert_eq!(
            place.read("a/b/promptc.kdl"),
            builtin::manifest(preset.manifest).unwrap()
        );
        place.file("a/b/promptc.kdl", "mine");
        place
            .run(&["init", "a/b", "--preset", preset.name])
            .exits(2);
        assert_eq!(place.read("a/b/promptc.kdl"), "mine");
        let list = place.run(&["init", "--list-presets"]).exits(0);
        assert!(list.stdout().contains(preset.about));
    }
}

#[test]
fn a_failed_init_removes_its_files() {
    let place = Place::new();
    place.file("templates", "a file where a folder is needed");
    place.run(&["init", "--preset", "mushroom"]).exits(3);
    let left: Vec<_> = fs::read_dir(place.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["templates"]);
}

#[test]
fn the_manifest_is_found_above() {
    let place = ready();
    fs::create_dir_all(place.path().join("a/b")).unwrap();
    let here = place.run(&["build", "--set", "today=2026-03-30"]).exits(0);
    let mut command = place.command(&["build", "--set", "today=2026-03-30"]);
    command.current_dir(place.path().join("a/b"));
    assert_eq!(run(command, b"").exits(0).stdout, here.stdout);
}

#[test]
fn colours_are_given_only_when_wanted() {
    let place = Place::new();
    let wanted = place.run(&["build", "--color", "always"]).exits(2);
    assert!(wanted.stderr.contains("\u{1b}["));
    for args in [&["build"][..], &["build", "--color", "never"]] {
        assert!(!place.run(args).exits(2).stderr.contains('\u{1b}'));
    }
}

#[test]
fn every_code_is_explained() {
    let place = Place::new();
    let list = place.run(&["explain", "--code", "list"]).exits(0);
    let rules = || {
        let codes = RULES.iter().map(|rule| &rule.code);
        codes.filter(|code| !diagnostic::NOTICES.contains(code))
    };
    let all = || {
        diagnostic::ALL
            .iter()
            .chain(diagnostic::NOTICES)
            .chain(rules())
    };
    for code in all() {
        assert!(list.stdout().contains(code.name));
        place.run(&["explain", "--code", code.name]).exits(0);
    }
    let one = place.run(&["explain", "--code", "missing-fact"]).exits(0);
    assert!(one.stdout().contains("--set"));
    let json = place
        .run(&["explain", "--code", "list", "--format", "json"])
        .exits(0);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["codes"].as_array().unwrap().len(), all().count());
}

#[test]
fn drawn_output_has_no_foreign_control_characters() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nname \"a\\u{1b}[31mb\"\nfact f string default=\"x\\u{7}y\"\ntier t { layer l { template \"{{ f }}\" } }\n",
    );
    let ran = place.run(&["explain", "--color", "always"]).exits(0);
    assert!(ran.stdout().contains("a\\u{1b}[31mb"));
    assert!(!ran.stdout().contains("\u{1b}[31m") && !ran.stdout().contains('\u{7}'));
}
