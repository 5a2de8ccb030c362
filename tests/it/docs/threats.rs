//! The tests that `docs/threat-model.md` names exist, and its claims about the build hold.

use crate::docs::markdown::top;
use std::fs;
use std::path::{Path, PathBuf};

/// The code of a module of the tests, all its files together; none if there is no such module.
fn module(path: &[&str]) -> Option<String> {
    let base = path
        .iter()
        .fold(top().join("tests/it"), |at, part| at.join(part));
    let alone = base.with_extension("rs");
    if alone.is_file() {
        return fs::read_to_string(alone).ok();
    }
    let mut files: Vec<PathBuf> = fs::read_dir(base)
        .ok()?
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_file())
        .collect();
    files.sort();
    Some(
        files
            .iter()
            .map(|f| fs::read_to_string(f).unwrap())
            .collect(),
    )
}

/// Whether the code has a function of that name with the mark of a test before it.
fn is_test(code: &str, function: &str) -> bool {
    let head = format!("fn {function}(");
    let Some(at) = code.find(&head) else {
        return false;
    };
    let before = code[..at].trim_end();
    let marks = ["#[test]", "proptest!"];
    let attributes = before.rsplit("\n\n").next().unwrap_or(before);
    marks.iter().any(|mark| attributes.contains(mark))
}

/// Whether there is a test, or a module of tests, of that name.
fn stands(name: &str) -> bool {
    let parts: Vec<&str> = name.split("::").collect();
    if module(&parts).is_some() {
        return true;
    }
    let (function, path) = parts.split_last().unwrap();
    // A module may be inside a file.
    let within = (1..=path.len()).rev().find_map(|n| module(&path[..n]));
    let Some(code) = within else { return false };
    let is_property = path == ["attack", "replay"]
        && top()
            .join(format!("tests/properties/{function}.rs"))
            .is_file();
    is_property || is_test(&code, function)
}

#[test]
fn each_protection_names_an_existing_test() {
    let page = fs::read_to_string(top().join("docs/threat-model.md")).unwrap();
    let rows = page
        .lines()
        .skip_while(|l| !l.starts_with("## What holds"))
        .take_while(|l| !l.starts_with("## What does not hold"))
        .filter(|l| l.starts_with("| ") && !l.starts_with("| Protection"));
    let mut seen = 0;
    for row in rows {
        let tests = row.trim_end_matches('|').rsplit('|').next().unwrap();
        let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        for name in names {
            let there = if name.contains(['.', '/']) {
                top().join(name).is_file()
            } else {
                stands(name)
            };
            assert!(there, "there is no test `{name}`: {row}");
            seen += 1;
        }
    }
    assert!(seen >= 30, "only {seen} tests are named");
    assert!(!stands("attack::hostile::no_such_test") && !stands("nowhere"));
}

#[test]
fn each_row_is_part_of_a_table() {
    let page = fs::read_to_string(top().join("docs/threat-model.md")).unwrap();
    let lines: Vec<&str> = page.lines().collect();
    for three in lines.windows(3) {
        let begins = three[1].starts_with('|') && !three[0].starts_with('|');
        assert!(
            !begins || three[2].starts_with("|--"),
            "no row and no header is above: {}",
            three[1]
        );
    }
}

#[test]
fn unsafe_code_is_forbidden_everywhere() {
    let manifest = fs::read_to_string(top().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"forbid\""));
    // `forbid` cannot be lifted; a word of it would be one that someone meant to.
    let words = [
        concat!("allow(", "unsafe_code"),
        concat!("expect(", "unsafe_code"),
        concat!("unsafe", " {"),
        concat!("unsafe", " fn"),
        concat!("unsafe", " impl"),
    ];
    let mut files = 0;
    for folder in [
        "src",
        "tests",
        "benches",
        "bindings",
        "examples",
        "fuzz/fuzz_targets",
    ] {
        for path in crate::harness::files_below(&top().join(folder)) {
            if !is_rust(&path) {
                continue;
            }
            files += 1;
            let text = fs::read_to_string(&path).unwrap();
            for word in words {
                assert!(!text.contains(word), "{} holds `{word}`", path.display());
            }
        }
    }
    assert!(files > 300, "{files} files");
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "rs") && !path.iter().any(|part| part == "target")
}

/// The documented oldest Rust is checked: `.ci/run` runs on the declared toolchain.
#[test]
fn the_oldest_rust_is_the_one_that_ci_builds_with() {
    let read = |path: &str| fs::read_to_string(top().join(path)).unwrap();
    let manifest = read("Cargo.toml");
    let version = manifest
        .lines()
        .find_map(|l| l.strip_prefix("rust-version = \"")?.strip_suffix('"'))
        .unwrap();
    assert!(read(".github/workflows/ci.yml").contains(&format!("toolchain install {version}.0")));
    assert!(read("README.md").contains(&format!("{version} or later")));
}

#[test]
fn only_the_recorder_opens_a_socket() {
    let words = [
        "std::net",
        "TcpStream",
        "TcpListener",
        "UdpSocket",
        "UnixStream",
        "hyper",
        "tokio",
        "rustls",
    ];
    let mut files = 0;
    let mut folders = vec![top().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if path != top().join("src/recorder") {
                    folders.push(path);
                }
                continue;
            }
            if !is_rust(&path) {
                continue;
            }
            files += 1;
            let code = fs::read(&path).unwrap();
            let code = String::from_utf8_lossy(&code);
            let found = words.iter().find(|word| code.contains(*word));
            assert_eq!(found, None, "{}", path.display());
        }
    }
    assert!(files > 300, "{files} files were looked at");
}
