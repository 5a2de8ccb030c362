//! Accepted breaks: `promptc test --accept --because`, and what `diff --fail-on break` makes of it.

use super::revisions::{commit, git};
use crate::run::Place;
use std::fs;

const MANIFEST: &str = "promptc 1
root workspace default=\".\"
fact who string default=x
tier stable changes=session {
    layer a { file \"A.md\" }
    layer b { file \"B.md\" }
    layer w { template \"You talk to {{ who }}.\" }
}
scenario ann { set who Ann }
scenario bob { set who Bob }
";

const ACCEPT: [&str; 4] = ["test", "--accept", "--because", "it is meant"];
const GATE: [&str; 4] = ["diff", "git:main", "--fail-on", "break=stable"];

/// A repository at the branch `work`, which begins as `main` is.
fn repository() -> Place {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    place.file("promptc.kdl", MANIFEST);
    place.file("A.md", "a\n");
    place.file("B.md", "b\n");
    place.run(&["test", "--accept"]).exits(0);
    commit(&place);
    git(&place, &["checkout", "-q", "-b", "work"]);
    place
}

/// The files of accepted breaks, in order.
fn files(place: &Place) -> Vec<String> {
    let Ok(all) = fs::read_dir(place.path().join("promptc.accepted")) else {
        return Vec::new();
    };
    let names = all.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_break_passes_once_it_is_accepted_with_a_reason() {
    let place = repository();
    place.file("A.md", "A\n");
    let failed = place.run(&GATE).exits(1);
    failed.says("promptc test --accept --because \"WHY\" --against main");
    place.run(&ACCEPT).exits(0);
    // A file for each scenario and layer; what they say is what `diff` shows.
    assert_eq!(files(&place).len(), 2);
    let text = place.read(&format!("promptc.accepted/{}", files(&place)[0]));
    for words in [
        "accepted 1\n",
        "layer a sha256=",
        "cause document-changed path=A.md line=1\n",
        "because \"it is meant\"\n",
    ] {
        assert!(
            text.replace("\"a\"", "a")
                .replace("\"A.md\"", "A.md")
                .contains(words),
            "{words}: {text}"
        );
    }
    let passed = place.run(&GATE).exits(0);
    passed.shows("accepted  layer `a`: it is meant (promptc.accepted/");
    commit(&place);
    place.run(&GATE).exits(0);
    place.run(&["test"]).exits(0);
    // Two revisions, and snapshots, are compared alike.
    place
        .run(&["diff", "git:main", "git:HEAD", "--fail-on", "break=stable"])
        .exits(0);
    let json = place
        .run(&["diff", "git:main", "--format", "json"])
        .exits(0);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        json["comparisons"][0]["break"]["accepted"]["because"],
        "it is meant"
    );
    // Of what was made before the branch nothing is known, so that nothing was accepted since.
    place
        .run(&["diff", "git:HEAD", "git:main", "--fail-on", "break=stable"])
        .exits(1);
}

#[test]
fn another_text_another_layer_and_another_scenario_are_not_accepted() {
    let place = repository();
    place.file("A.md", "A\n");
    place.run(&[&ACCEPT[..], &["ann"]].concat()).exits(0);
    let one = [&GATE[..], &["--scenario", "ann"]].concat();
    place.run(&one).exits(0);
    place
        .run(&[&GATE[..], &["--scenario", "bob"]].concat())
        .exits(1);
    place.file("A.md", "AA\n");
    place.run(&one).exits(1);
    place.file("A.md", "A\n");
    // One that hides after the accepted one fails too.
    place.file("B.md", "B\n");
    place.run(&one).exits(1);
    place.run(&ACCEPT).exits(0);
    place.run(&GATE).exits(0);
    // A layer that is gone.
    let without = MANIFEST.replace("    layer w { template \"You talk to {{ who }}.\" }\n", "");
    place.file("promptc.kdl", &without);
    place.run(&GATE).exits(1);
    place.run(&ACCEPT).exits(0);
    place.run(&GATE).exits(0);
}

#[test]
fn an_acceptance_on_main_does_not_apply_to_a_branch() {
    let place = repository();
    place.file("A.md", "A\n");
    place.run(&ACCEPT).exits(0);
    commit(&place);
    git(&place, &["branch", "-q", "-f", "main"]);
    let first = files(&place);
    // Undone and done again: the files from before stay, and each time has its own.
    place.file("A.md", "a\n");
    place.run(&GATE).exits(1);
    place.run(&ACCEPT).exits(0);
    commit(&place);
    git(&place, &["branch", "-q", "-f", "main"]);
    place.file("A.md", "A\n");
    place.run(&GATE).exits(1);
    place.run(&ACCEPT).exits(0);
    place.run(&GATE).exits(0);
    let all = files(&place);
    assert!(first.iter().all(|name| all.contains(name)), "{all:?}");
    assert_eq!(all.len(), 6, "{all:?}");
    // A later accept without a reason removes none.
    place.file("B.md", "B\n");
    let ran = place.run(&["test", "--accept"]).exits(0);
    ran.says("--because TEXT notes the reason");
    assert_eq!(files(&place), all);
}

#[test]
fn a_break_accepted_without_a_reason_can_get_one_later() {
    let place = repository();
    place.file("A.md", "A\n");
    place.run(&["test", "--accept"]).exits(0);
    commit(&place);
    place.file("B.md", "B\n");
    place.run(&["test", "--accept"]).exits(0);
    commit(&place);
    place.run(&GATE).exits(1);
    // The breaks of both commits: CI compares with the default branch too.
    let base = git(&place, &["rev-parse", "main"]);
    let with = format!("compared with main at {}", &base.stdout()[..7]);
    place.run(&ACCEPT).exits(0).says(&with);
    assert_eq!(files(&place).len(), 4);
    commit(&place);
    place.run(&["test"]).exits(0);
    place.run(&GATE).exits(0);
    // Once is enough.
    for again in [&ACCEPT[..], &[&ACCEPT[..], &["--against", "main"]].concat()] {
        place.run(again).exits(0).says(&with);
        assert_eq!(files(&place).len(), 4);
    }
    place
        .run(&["test", "--accept", "--against", "main"])
        .exits(2);
    place.run(&["test", "--because", "x"]).exits(2);
    place.run(&["test", "--accept", "--because", " "]).exits(2);
}

#[test]
fn breaks_are_accepted_since_the_branch_left_the_default_branch() {
    let place = repository();
    let base = git(&place, &["rev-parse", "main"]);
    let base = &base.stdout()[..7];
    place.file("A.md", "A\n");
    let says = |with: &str| {
        let ran = place.run(&ACCEPT).exits(0);
        ran.says(&format!("note: compared with {with}"));
    };
    says(&format!("main at {base}\n"));
    commit(&place);
    // The default branch goes on, and is the one of `origin` if there is one.
    git(&place, &["checkout", "-q", "main"]);
    place.file("other.md", "x\n");
    commit(&place);
    git(&place, &["checkout", "-q", "work"]);
    says(&format!("main at {base}\n"));
    git(&place, &["update-ref", "refs/remotes/origin/main", "main"]);
    says(&format!("origin/main at {base}\n"));
    git(&place, &["update-ref", "refs/remotes/origin/dev", "main"]);
    let head = "refs/remotes/origin/HEAD";
    git(&place, &["symbolic-ref", head, "refs/remotes/origin/dev"]);
    says(&format!("origin/dev at {base}\n"));
    place.run(&GATE).exits(0);
}

#[test]
fn without_a_default_branch_breaks_are_accepted_since_the_last_accept() {
    let here = "the snapshots as they were";
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("A.md", "a\n");
    place.file("B.md", "b\n");
    let breaks = |text: &str, with: &str| {
        place.run(&["test", "--accept"]).exits(0);
        place.file("A.md", text);
        let ran = place.run(&ACCEPT).exits(0);
        ran.says(&format!("note: compared with {with}"));
        ran.shows("reason    layer `a`");
    };
    breaks(
        "1\n",
        &format!("{here} (there is no git repository here)\n"),
    );
    git(&place, &["init", "-q", "-b", "trunk"]);
    let none = format!("{here} (git knows no default branch here");
    breaks("2\n", &none);
    place.file(".gitignore", "*.lock\nsnapshots\n");
    commit(&place);
    breaks("3\n", &none);
    git(&place, &["config", "init.defaultBranch", "trunk"]);
    breaks("4\n", &format!("{here} (trunk at "));
    fs::remove_file(place.path().join(".gitignore")).unwrap();
    commit(&place);
    breaks("5\n", "trunk at ");
    // What was committed cannot be used.
    place.file("promptc.lock", "nonsense\n");
    commit(&place);
    breaks("6\n", &format!("{here} (of trunk at "));
}

#[test]
fn branches_that_accept_different_breaks_merge() {
    let place = repository();
    place.file("A.md", "A\n");
    place.run(&ACCEPT).exits(0);
    commit(&place);
    git(&place, &["checkout", "-q", "-b", "other", "main"]);
    place.file("B.md", "B\n");
    place.run(&ACCEPT).exits(0);
    commit(&place);
    git(&place, &["merge", "-q", "-m", "a merge", "work"]);
    place.run(&["test"]).exits(0);
    place.run(&GATE).exits(0);
    assert_eq!(files(&place).len(), 4);
}

#[test]
fn a_file_that_is_no_accepted_break_is_an_error() {
    let place = repository();
    place.file("A.md", "A\n");
    place.run(&ACCEPT).exits(0);
    for (text, words) in [
        (
            "accepted 2\n",
            "`accepted` takes a whole number from 1 to 1",
        ),
        ("scenario ann\n", "lacks its node `accepted`"),
        ("accepted 1\nreason x\n", "reason"),
        ("accepted 1\n{", "promptc.accepted/x.kdl"),
    ] {
        place.file("promptc.accepted/x.kdl", text);
        place.run(&GATE).exits(2).says(words);
    }
    fs::remove_file(place.path().join("promptc.accepted/x.kdl")).unwrap();
    place.file("promptc.accepted/README.md", "other files do not count\n");
    place.run(&GATE).exits(0);
}

#[cfg(unix)]
#[test]
fn no_link_leads_to_or_from_accepted_breaks() {
    use std::os::unix::fs::symlink;
    let place = repository();
    let elsewhere = Place::new();
    symlink(elsewhere.path(), place.path().join("promptc.accepted")).unwrap();
    place.file("A.md", "A\n");
    place.run(&ACCEPT).exits(2).says("linked-file");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    place.run(&GATE).says("linked-file");
}

#[test]
fn one_cause_is_one_line_and_a_reason_for_another_text_is_noted() {
    let place = repository();
    place.file("A.md", "A\n");
    let ran = place.run(&ACCEPT).exits(0);
    assert_eq!(
        ran.stdout(),
        "accepted  promptc.kdl  ann\naccepted  promptc.kdl  bob\nreason    layer `a`, document-changed A.md:1\n          \
         files    2 scenarios, a file for each in promptc.accepted\n2 snapshots: 2 accepted\n"
    );
    let against = ["test", "--against", "main"];
    let ran = place.run(&against).exits(1);
    assert!(!ran.stderr.contains("let no break pass"), "{}", ran.stderr);
    place.file("A.md", "AA\n");
    place.run(&ACCEPT).exits(0);
    let ran = place.run(&against).exits(1);
    ran.says("note: 2 reasons written since then no longer apply, because the text of the layer has changed: promptc.accepted/");
    // Those that are on the other branch too are history.
    commit(&place);
    git(&place, &["branch", "-q", "-f", "main"]);
    place.file("A.md", "AAA\n");
    let ran = place.run(&against).exits(1);
    assert!(!ran.stderr.contains("let no break pass"), "{}", ran.stderr);
}
