//! `usage --by file`: whatever a repository and a prompt say, the sums are the bill, and nothing that they name is run.

use crate::compare::git::git;
use crate::run::Place;
use serde_json::{Value, json};

/// A request whose system prompt prints these rules of a file, and what was billed for it.
fn request(minute: usize, rules: &str, [fresh, written, read]: [u64; 3]) -> String {
    let system = format!(
        "Contents of /ann/shop/CLAUDE.md (project instructions, checked into the codebase):\n\n{rules}"
    );
    let usage = json!({"input_tokens": fresh, "cache_creation_input_tokens": written, "cache_read_input_tokens": read, "output_tokens": 4});
    let line = json!({"time": format!("2026-11-21T10:{minute:02}:00Z"), "conversation": "c", "url": "https://api.anthropic.com/v1/messages",
        "request": {"model": "claude-opus-5-5", "max_tokens": 5, "system": system,
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]}]},
        "response": {"id": format!("m{minute}"), "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Yes."}], "usage": usage}});
    format!("{line}\n")
}

fn report(place: &Place, by: &str) -> Value {
    let ran = place.run(&["usage", "all.jsonl", "--by", by, "--format", "json"]);
    serde_json::from_str(ran.exits(0).stdout()).unwrap()
}

#[test]
fn what_is_fresh_after_the_last_breakpoint_is_in_the_sums() {
    let place = Place::new();
    let all = [
        request(0, "Be kind.", [20, 9_000, 0]),
        request(1, "Be kind.", [0, 3_000, 9_000]),
    ];
    place.file("all.jsonl", all.concat());
    let totals = ["model", "file", "file,version"].map(|by| report(&place, by)["total"].clone());
    for total in &totals {
        for key in ["buckets", "billed", "avoidable"] {
            assert_eq!(total[key], totals[0][key], "{total}");
        }
    }
}

#[test]
fn words_after_contents_of_are_no_file() {
    let place = Place::new();
    let text = "Contents of this pull request:\n\nall of it\nInstructions from: my boss\nbe quick";
    place.file("all.jsonl", request(0, text, [0, 9_000, 0]));
    let rows = report(&place, "file")["rows"].clone();
    let names = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["file"].as_str().unwrap());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    assert_eq!(names, ["/ann/shop/CLAUDE.md", "messages", "output"]);
}

#[cfg(unix)]
#[test]
fn a_repository_decides_neither_what_is_run_nor_what_is_read() {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    let commit = |text: &str| {
        place.file("CLAUDE.md", text);
        git(&place, &["add", "CLAUDE.md"]);
        git(&place, &["commit", "-q", "-m", "a commit"]);
        git(&place, &["rev-parse", "HEAD"])
    };
    let first = commit("one\n2\n3\n4\n5\n6\nseven\n");
    git(&place, &["checkout", "-q", "-b", "side"]);
    commit("one\n2\n3\n4\n5\n6\nSEVEN\n");
    git(&place, &["checkout", "-q", "main"]);
    let other = commit("ONE\n2\n3\n4\n5\n6\nseven\n");
    git(&place, &["merge", "-q", "--no-edit", "side"]);
    let merged = git(&place, &["rev-parse", "HEAD"]);
    let run = format!("touch {}", place.path().join("ran").display());
    place.file(
        ".git/info/attributes",
        "* merge=evil filter=evil diff=evil\n",
    );
    for (key, value) in [
        ("log.diffMerges", "remerge"),
        ("log.showRoot", "false"),
        ("log.showSignature", "true"),
        ("merge.renormalize", "true"),
        ("merge.evil.driver", &run),
        ("filter.evil.clean", &run),
        ("filter.evil.smudge", &run),
        ("diff.evil.textconv", &run),
        ("diff.external", &run),
        ("gpg.program", &run),
        ("core.fsmonitor", &run),
    ] {
        git(&place, &["config", key, value]);
    }
    let texts = [
        "one\n2\n3\n4\n5\n6\nseven",
        "ONE\n2\n3\n4\n5\n6\nseven",
        "ONE\n2\n3\n4\n5\n6\nSEVEN",
        "two",
    ];
    let all = (0..)
        .zip(texts)
        .map(|(at, text)| request(at, text, [0, 9_000, 0]));
    place.file("all.jsonl", all.collect::<String>());
    std::fs::remove_file(place.path().join("ran")).ok();
    let rows = report(&place, "file,version")["rows"].clone();
    let of = |row: &Value| row["version"].as_str().unwrap().to_owned();
    let mut versions: Vec<String> = rows.as_array().unwrap().iter().map(of).collect();
    versions.retain(|version| !version.is_empty());
    versions.sort_unstable();
    let mut wanted: Vec<String> = [&first, &other, &merged]
        .map(|commit| commit[..12].to_owned())
        .into();
    let text = versions.iter().find(|version| version.starts_with("text:"));
    wanted.extend(text.cloned());
    wanted.sort_unstable();
    assert_eq!(versions, wanted);
    assert_eq!(versions.len(), 4);
    assert!(!place.path().join("ran").exists());
}

#[test]
fn a_file_has_a_budget() {
    let place = Place::new();
    place.file("all.jsonl", request(0, "Be kind.", [0, 9_000, 0]));
    let fails = |by: &str, condition: &str| {
        let args = ["usage", "all.jsonl", "--by", by, "--fail-on", condition];
        place.run(&args)
    };
    fails("file", "file CLAUDE.md > $0.01").exits(1);
    fails("file,cause", "file shop/CLAUDE.md > 50%").exits(1);
    fails("file", "file CLAUDE.md > $1").exits(0);
    // The end of a name is no name.
    let ran = fails("file", "file AUDE.md > $0.01").exits(0);
    assert!(
        ran.stderr.contains("no request has a file"),
        "{}",
        ran.stderr
    );
    let ran = fails("model", "file CLAUDE.md > $0.01").exits(2);
    assert!(ran.stderr.contains("--by file"), "{}", ran.stderr);
}
