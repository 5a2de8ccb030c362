//! The manual pages: one for each command, and such as `man` can show.

use crate::docs::commands::helps;
use crate::run::Place;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

fn written(place: &Place) -> BTreeSet<String> {
    place.run(&["man", "share/man1"]).exits(0);
    let entries = fs::read_dir(place.path().join("share/man1")).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn every_command_has_a_page_with_its_options_and_examples() {
    let place = Place::new();
    let names = written(&place);
    let mut wanted = BTreeSet::new();
    for (command, help) in helps() {
        let name = format!("promptc {command}").trim().replace(' ', "-") + ".1";
        let page = place.read(&format!("share/man1/{name}"));
        let plain = page
            .replace("\\-", "-")
            .replace("\\fB", "")
            .replace("\\fR", "")
            .replace("\\*(Aq", "'");
        if command.is_empty() {
            // The overview is one screen, without examples.
            wanted.insert(name);
            continue;
        }
        assert!(page.contains("\n.SH EXAMPLES\n.nf\n"), "{name}");
        let examples = help.split("\nExamples:\n").nth(1).unwrap_or_default();
        for example in examples.lines().take_while(|l| !l.is_empty()) {
            assert!(plain.contains(example), "{name}: {example}");
        }
        let options = help.lines().filter(|l| l.trim_start().starts_with('-'));
        assert!(options.clone().count() > 3, "{name}");
        for line in options {
            let option = line.split_whitespace().find(|w| w.starts_with("--"));
            let option = option.unwrap_or_default().trim_end_matches(',');
            assert!(plain.contains(option), "{name}: {option}");
        }
        wanted.insert(name);
    }
    assert_eq!(names, wanted);
    assert!(names.contains("promptc-session-list.1"));
}

#[test]
fn pages_are_the_same_each_time() {
    let place = Place::new();
    let names = written(&place);
    place.run(&["man", "again"]).exits(0);
    for name in names {
        assert_eq!(
            place.read(&format!("share/man1/{name}")),
            place.read(&format!("again/{name}"))
        );
    }
}

#[test]
fn mandoc_finds_nothing_wrong() {
    if Command::new("mandoc").arg("/dev/null").output().is_err() {
        println!("skipped: there is no mandoc");
        return;
    }
    let place = Place::new();
    for name in written(&place) {
        let mut lint = Command::new("mandoc");
        lint.args(["-T", "lint", "-W", "error"]);
        let said = lint
            .arg(place.path().join("share/man1").join(&name))
            .output();
        assert_eq!(String::from_utf8_lossy(&said.unwrap().stdout), "", "{name}");
    }
}
