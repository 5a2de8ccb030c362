//! `promptc diff` with revisions of git: which scenario is on which side, from where, and what is reported.

use crate::run::{Place, Ran, run};
use std::fs;
use std::process::Command;

const MANIFEST: &str = "promptc 1
root workspace default=\".\"
fact who string default=x
tier stable changes=session {
    layer r { file \"A.md\" }
    layer w { template \"You talk to {{ who }}.\" }
}
scenario ann { set who Ann }
";

pub(super) fn git(place: &Place, args: &[&str]) -> Ran {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(args)
        .current_dir(place.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    run(command, b"").exits(0)
}

pub(super) fn commit(place: &Place) {
    git(place, &["add", "-A"]);
    git(place, &["commit", "-q", "-m", "a commit"]);
}

/// A repository with a manifest of the scenario `ann`, its record, and one commit of all that.
fn repository() -> Place {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    place.file("promptc.kdl", MANIFEST);
    place.file("A.md", "a\n");
    place.run(&["test", "--accept"]).exits(0);
    commit(&place);
    place
}

fn says(ran: &Ran, all: &[&str]) {
    for words in all {
        assert!(ran.stderr.contains(words), "{words}:\n{}", ran.stderr);
    }
}

#[test]
fn an_undeclared_scenario_is_an_error() {
    let place = repository();
    for operands in [&["git:HEAD"][..], &["git:HEAD", "git:HEAD"]] {
        for command in ["diff", "report"] {
            let asked = ["--scenario", "anne"];
            let ran = place
                .run(&[&[command], operands, &asked[..]].concat())
                .exits(2);
            says(&ran, &["unknown-scenario", "`anne`", "`ann`"]);
            assert!(ran.stdout.is_empty());
        }
    }
    let asked = ["--scenario", "ann"];
    place
        .run(&[&["diff", "git:HEAD", "--fail-on", "change"], &asked[..]].concat())
        .exits(0);
    // A build without a scenario has a snapshot of this name; it is not one of the scenarios.
    let asked = ["--scenario", "default"];
    let ran = place.run(&[&["diff", "git:HEAD"], &asked[..]].concat());
    says(&ran.exits(2), &["unknown-scenario", "`default`"]);
}

#[test]
fn a_revision_without_its_prefix_is_suggested_with_it() {
    let place = repository();
    let ran = place.run(&["diff", "HEAD"]).exits(2);
    says(&ran, &["operand-not-found", "did you mean `git:HEAD`?"]);
    let ran = place.run(&["diff", "HEADS"]).exits(2);
    says(&ran, &["operand-not-found", "an operand is a FILE"]);
}

#[test]
fn a_removed_scenario_is_compared_with_nothing() {
    let place = repository();
    let without = MANIFEST.replace("scenario ann { set who Ann }\n", "scenario bob\n");
    place.file("promptc.kdl", &without);
    for asked in [
        &["snapshot:ann"][..],
        &["git:HEAD"],
        &["git:HEAD", "--scenario", "ann"],
        &["git:HEAD", "--recorded"],
        &[],
    ] {
        let ran = place.run(&[&["diff"], asked].concat()).exits(2);
        says(&ran, &["unknown-scenario", "`ann`"]);
        assert!(ran.stdout.is_empty(), "{asked:?}");
    }
    // With others it is reported, and they are compared.
    place.file("promptc.kdl", format!("{MANIFEST}scenario bob\n"));
    place.run(&["test", "--accept"]).exits(0);
    commit(&place);
    place.file("promptc.kdl", &without);
    for asked in [&[][..], &["git:HEAD"], &["git:HEAD", "--recorded"]] {
        let all = [&["diff", "--format", "json"], asked].concat();
        let ran = place.run(&all).exits(0);
        says(&ran, &["warning[unknown-scenario]", "`ann` is gone"]);
        let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        let snapshots: Vec<_> = json["comparisons"].as_array().unwrap().iter().collect();
        assert_eq!(snapshots.len(), 1, "{asked:?}");
        assert_eq!(snapshots[0]["snapshot"], "bob");
    }
}

/// A pull request that upgrades promptc has an older lock on its main branch, and is still compared.
#[test]
fn snapshots_of_an_older_lock_are_compared_as_texts() {
    let place = repository();
    let lock = place.read("promptc.lock");
    let older = lock.replacen("\"promptc-lock\":5", "\"promptc-lock\":1", 1);
    place.file("promptc.lock", older.replace("\"channel\"", "\"deliver\""));
    commit(&place);
    place.run(&["test"]).exits(2);
    place.run(&["test", "--accept"]).exits(0);
    assert_eq!(place.read("promptc.lock"), lock);
    place
        .run(&["diff", "git:HEAD", "--recorded", "--fail-on", "change"])
        .exits(0);
    let manifest = place.read("promptc.kdl");
    place.file(
        "promptc.kdl",
        manifest.replace("You talk to", "You speak to"),
    );
    place.run(&["test", "--accept"]).exits(0);
    for (args, confidence) in [(&["--recorded"][..], "text"), (&[], "build")] {
        let all = [
            &[
                "diff",
                "git:HEAD",
                "--fail-on",
                "change",
                "--format",
                "json",
            ],
            args,
        ]
        .concat();
        let ran = place.run(&all).exits(1);
        let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        let told = &json["comparisons"][0];
        assert_eq!(told["confidence"]["by"], confidence);
        assert_eq!(told["break"]["line"], 3, "{args:?}");
        let warns = ran.stderr.contains("warning[lock-older]: git:HEAD: ");
        assert_eq!(warns, !args.is_empty(), "{}", ran.stderr);
    }
    fs::remove_dir_all(place.path().join("snapshots")).unwrap();
    place.file(
        "promptc.lock",
        place.read("promptc.lock").replacen(":5", ":1", 1),
    );
    commit(&place);
    let ran = place.run(&["diff", "git:HEAD", "--recorded"]).exits(2);
    says(
        &ran,
        &["error[lock-older]: git:HEAD: ", "without --recorded"],
    );
}

#[test]
fn a_scenario_that_is_new_is_compared_with_nothing() {
    let place = repository();
    place.file("promptc.kdl", format!("{MANIFEST}scenario newone\n"));
    let asked = ["--scenario", "newone"];
    let ran = place
        .run(&[&["diff", "git:HEAD"], &asked[..]].concat())
        .exits(2);
    says(&ran, &["unknown-scenario", "git:HEAD: ", "`newone`"]);
    for asked in [&[][..], &["git:HEAD"], &["git:HEAD", "--recorded"]] {
        let ran = place.run(&[&["diff"], asked].concat()).exits(0);
        says(&ran, &["warning[unknown-scenario]", "`newone` is new"]);
        assert!(ran.stdout().starts_with("same "), "{}", ran.stdout());
    }
    // A call that names one needs no other.
    let ran = place.run(&["diff", "snapshot:ann"]).exits(0);
    assert!(!ran.stderr.contains("newone"), "{}", ran.stderr);
    commit(&place);
    let ran = place.run(&["diff", "git:HEAD~1", "git:HEAD"]).exits(0);
    says(&ran, &["`newone` is new"]);
    let ran = place.run(&["diff", "git:HEAD", "git:HEAD~1"]).exits(0);
    says(&ran, &["`newone` is gone"]);
}

#[test]
fn a_record_of_no_scenario_is_compared_with_a_build_without_one() {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer l { text \"x\" } }\n",
    );
    place.run(&["test", "--accept"]).exits(0);
    commit(&place);
    for asked in [
        &["git:HEAD"][..],
        &["git:HEAD", "--scenario", "default"],
        &["git:HEAD", "--recorded"],
        &["git:HEAD", "--recorded", "--scenario", "default"],
    ] {
        let all = [&["diff", "--fail-on", "change"], asked].concat();
        place.run(&all).exits(0);
    }
}

#[test]
fn a_folder_that_the_revision_does_not_have_is_no_hindrance() {
    let place = repository();
    let deep = place.path().join("new/deep");
    fs::create_dir_all(&deep).unwrap();
    // Where the revision had a file.
    fs::remove_file(place.path().join("A.md")).unwrap();
    place.file("A.md/notes.md", "n");
    let at_file = place.path().join("A.md");
    let up = |levels: usize| format!("{}promptc.kdl", "../".repeat(levels));
    for (folder, manifest) in [(&deep, up(2)), (&at_file, up(1))] {
        let named = ["-m", &manifest];
        for asked in [
            &[][..],
            &["--recorded"],
            &named,
            &["--recorded", "-m", &manifest],
        ] {
            let all = [
                &["diff", "git:HEAD", "git:HEAD", "--fail-on", "change"],
                asked,
            ]
            .concat();
            let mut command = place.command(&all);
            command.current_dir(folder);
            run(command, b"").exits(0);
        }
    }
}

#[test]
fn a_manifest_missing_in_the_revision_is_reported_with_its_name() {
    let place = repository();
    fs::create_dir(place.path().join("moved")).unwrap();
    let to = place.path().join("moved/promptc.kdl");
    fs::rename(place.path().join("promptc.kdl"), to).unwrap();
    fs::rename(place.path().join("A.md"), place.path().join("moved/A.md")).unwrap();
    for asked in [&["--recorded"][..], &[]] {
        let all = [&["diff", "git:HEAD", "-m", "moved/promptc.kdl"], asked].concat();
        let ran = place.run(&all).exits(2);
        says(&ran, &["git:HEAD: ", "`moved/promptc.kdl`"]);
        assert!(!ran.stderr.contains("promptc init"), "{}", ran.stderr);
    }
    commit(&place);
    let ran = place.run(&["diff", "git:HEAD"]).exits(2);
    says(&ran, &["no `promptc.kdl` here or in a folder above"]);
}

/// The errors in the revision, while the work tree is valid.
fn wrong_before(path: &str, wrong: &[u8], right: &str) -> Ran {
    let place = repository();
    place.file(path, wrong);
    commit(&place);
    place.file(path, right);
    let ran = place.run(&["diff", "git:HEAD"]).exits(2);
    let json = place
        .run(&["diff", "git:HEAD", "--message-format", "json"])
        .exits(2);
    for line in json.stderr.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let file = value["path"].as_str();
        let told = file.or(value["message"].as_str()).unwrap();
        assert!(told.starts_with("git:HEAD:"), "{line}");
    }
    ran
}

#[test]
fn errors_in_a_revision_name_the_revision() {
    let broken = MANIFEST.replace("tier stable", "tire stable");
    let ran = wrong_before("promptc.kdl", broken.as_bytes(), MANIFEST);
    says(&ran, &["--> git:HEAD:promptc.kdl:4:1", "tire stable"]);
    let ran = wrong_before("promptc.kdl", b"promptc 1\n// \xff\n", MANIFEST);
    says(&ran, &["git:HEAD: manifest `promptc.kdl` is not UTF-8"]);
    let ran = wrong_before("A.md", b"a\xff\n", "a\n");
    says(&ran, &["git:HEAD:", "A.md"]);
    let place = repository();
    let lock = place.read("promptc.lock");
    place.file("promptc.lock", lock.replacen("ann", "an n", 1) + "?\n");
    commit(&place);
    place.file("promptc.lock", lock);
    let ran = place.run(&["diff", "git:HEAD", "--recorded"]).exits(2);
    says(&ran, &["git:HEAD: ", "promptc.lock"]);
    // What is built needs no lock.
    place.run(&["diff", "git:HEAD"]).exits(0);
}

#[test]
fn errors_in_the_work_tree_name_no_revision() {
    let place = repository();
    place.file(
        "promptc.kdl",
        MANIFEST.replace("tier stable", "tire stable"),
    );
    let ran = place.run(&["diff", "git:HEAD"]).exits(2);
    says(&ran, &["--> promptc.kdl:4:1"]);
    assert!(!ran.stderr.contains("git:HEAD"), "{}", ran.stderr);
    // Nor is what the call itself gives.
    let ran = place.run(&["diff", "git:HEAD", "--set", "who"]);
    assert!(!ran.exits(2).stderr.contains("git:HEAD"));
}

#[test]
fn a_revision_without_records_needs_a_commit_of_them() {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    place.file("promptc.kdl", MANIFEST);
    place.file("A.md", "a\n");
    commit(&place);
    place.run(&["test", "--accept"]).exits(0);
    let ran = place.run(&["diff", "git:HEAD", "--recorded"]).exits(2);
    says(
        &ran,
        &[
            "git:HEAD: `promptc.kdl` has no snapshots",
            "`promptc test --accept` writes snapshots, and a commit keeps them",
            "without --recorded",
        ],
    );
    fs::remove_file(place.path().join("promptc.lock")).unwrap();
    let ran = place.run(&["diff"]).exits(2);
    assert!(!ran.stderr.contains("commit"), "{}", ran.stderr);
}

#[test]
fn a_revision_is_built_and_what_its_snapshot_has_instead_is_noted() {
    let place = repository();
    let ran = place.run(&["diff", "git:HEAD"]).exits(0);
    assert_eq!(ran.stderr, "");
    place.file("A.md", "b\n");
    commit(&place);
    let ran = place
        .run(&["diff", "git:HEAD", "--fail-on", "change"])
        .exits(0);
    let note =
        "note: git:HEAD builds another prompt than its snapshot: ann (layer `r`); --recorded";
    says(&ran, &[note]);
    let recorded = ["diff", "git:HEAD", "--recorded", "--fail-on", "change"];
    let ran = place.run(&recorded).exits(1);
    assert!(ran.stdout().contains("\"a\" -> \"b\""), "{}", ran.stdout());
    assert_eq!(
        ran.stderr
            .lines()
            .filter(|line| line.starts_with("note"))
            .count(),
        0
    );
    // With facts of the call it is another prompt by intention.
    let ran = place.run(&["diff", "git:HEAD", "--scenario", "ann", "--set", "who=Bob"]);
    assert!(!ran.stderr.contains("builds another"), "{}", ran.stderr);
    // With a snapshot that has only hashes, too.
    let hashes = MANIFEST.replace("scenario ann {", "scenario ann snapshot=#false {");
    place.file("promptc.kdl", hashes);
    place.run(&["test", "--accept"]).exits(0);
    place.file("A.md", "c\n");
    commit(&place);
    let ran = place.run(&["diff", "git:HEAD"]).exits(0);
    says(
        &ran,
        &["builds another prompt than its snapshot: ann (layer `r`)"],
    );
}

#[test]
fn a_revision_that_does_not_build_can_be_compared_by_its_snapshot() {
    let place = repository();
    place.file(
        "promptc.kdl",
        MANIFEST.replace("tier stable", "tire stable"),
    );
    commit(&place);
    place.file("promptc.kdl", MANIFEST);
    let ran = place.run(&["diff", "git:HEAD"]).exits(2);
    says(
        &ran,
        &[
            "--> git:HEAD:promptc.kdl:4:1",
            "--recorded takes the snapshots",
        ],
    );
    place
        .run(&["diff", "git:HEAD", "--recorded", "--fail-on", "change"])
        .exits(0);
    // A scenario without a snapshot has none to take.
    let ran = place
        .run(&["diff", "git:HEAD", "--scenario", "bob"])
        .exits(2);
    assert!(!ran.stderr.contains("--recorded"), "{}", ran.stderr);
}

#[test]
fn the_old_option_leads_to_the_new_way() {
    let ran = repository()
        .run(&["diff", "git:HEAD", "--rebuild"])
        .exits(2);
    says(
        &ran,
        &["error[usage]", "git:REV is built without an option"],
    );
}

#[test]
fn equal_breaks_of_several_scenarios_are_shown_once() {
    let place = repository();
    let scenario = "scenario joerg { set who Joerg }\n";
    place.file("promptc.kdl", format!("{MANIFEST}{scenario}"));
    place.run(&["test", "--accept"]).exits(0);
    commit(&place);
    place.file("A.md", "b\n");
    for asked in [&[][..], &["git:HEAD"], &["git:HEAD", "--recorded"]] {
        let ran = place.run(&[&["diff"], asked].concat()).exits(0);
        let shown = ran.stdout();
        assert!(shown.contains("ann, joerg: the same break\n"), "{shown}");
        assert_eq!(shown.matches("\nbroke ").count(), 1, "{shown}");
        assert!(
            shown.contains("figures and texts are those of ann"),
            "{shown}"
        );
        let json = [&["diff", "--format", "json"], asked].concat();
        let json: serde_json::Value = serde_json::from_slice(&place.run(&json).stdout).unwrap();
        assert_eq!(json["comparisons"].as_array().unwrap().len(), 2);
    }
    let ran = place.run(&["test"]).exits(1);
    let shown = ran.stdout();
    assert!(shown.contains("ann, joerg: the same break\n"), "{shown}");
    assert!(shown.contains("the same break as ann\n"), "{shown}");
    assert_eq!(shown.matches("broke ").count(), 1, "{shown}");
    // Another cause is another break.
    let other = scenario.replace("Joerg", "Jo");
    place.file("promptc.kdl", format!("{MANIFEST}{other}"));
    let ran = place.run(&["diff"]).exits(0);
    assert!(!ran.stdout().contains("the same break"), "{}", ran.stdout());
}

#[test]
fn a_revision_has_the_folder_that_marks_the_top_of_a_repository() {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    place.file(
        "promptc.kdl",
        "promptc 1
root workspace default=\"svc/api\"
root project above=workspace holding=\".git\"
tier t { layer rules { all { file \"AGENTS.md\" root=project search=every-level from=workspace } } }
",
    );
    place.file("AGENTS.md", "Old.\n");
    place.file("svc/api/AGENTS.md", "Api.\n");
    commit(&place);
    place.file("AGENTS.md", "New.\n");
    let args = ["diff", "git:HEAD"];
    let ran = place.run(&args).exits(0);
    assert!(
        ran.stdout().contains("\"Old.\" -> \"New.\""),
        "{}",
        ran.stdout()
    );
}
