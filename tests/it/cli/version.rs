//! `--version`, short and with `--verbose`.

use crate::docs::markdown::top;
use crate::run::Place;
use serde_json::Value;
use std::fs;

fn of(args: &[&str]) -> String {
    Place::new().run(args).exits(0).stdout().to_owned()
}

#[test]
fn the_short_version_is_one_line() {
    let short = format!("promptc {}\n", env!("CARGO_PKG_VERSION"));
    for args in [
        &["--version"][..],
        &["-V"],
        &["--version", "--color", "never"],
    ] {
        assert_eq!(of(args), short, "{args:?}");
    }
}

#[test]
fn the_long_version_lists_the_dependencies_of_bytes() {
    let long = of(&["--version", "--verbose"]);
    for args in [&["-V", "-v"][..], &["-Vv"], &["-vV"], &["--verbose", "-V"]] {
        assert_eq!(of(args), long, "{args:?}");
    }
    let lines: Vec<&str> = long.lines().collect();
    assert_eq!(lines[0], format!("promptc {}", env!("CARGO_PKG_VERSION")));
    for line in [
        "features:   capture, sqlite, watch",
        "language:   1",
        "schemas:    artifact 2, lock 5, store 3",
    ] {
        assert!(lines.contains(&line), "{line}\n{long}");
    }
    assert!(long.contains("builtin") && long.contains("hermes@1") && long.contains("o200k"));
}

/// The pinned engines are those that are built in, and the table's day is the one that it says.
#[test]
fn programs_get_the_same_correct_result() {
    let json = of(&["--version", "--verbose", "--message-format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let lock = fs::read_to_string(top().join("Cargo.lock")).unwrap();
    let engines = json["engines"].as_object().unwrap();
    assert_eq!(engines.len(), 1);
    for (name, version) in engines {
        let version = version.as_str().unwrap();
        let locked = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&locked), "{name} is not {version}");
    }
    let table = fs::read_to_string(top().join("layers/providers.kdl")).unwrap();
    let day = json["providers"].as_str().unwrap();
    assert!(
        table.contains(&format!("currency=USD as-of=\"{day}\"")),
        "{day}"
    );
    assert!(
        json["target"]
            .as_str()
            .unwrap()
            .contains(std::env::consts::ARCH)
    );
    // A build without a given commit does not look for one.
    assert_eq!(
        json["commit"],
        option_env!("PROMPTC_COMMIT").map_or(Value::Null, Value::from)
    );
}
