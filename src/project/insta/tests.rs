#![expect(
    clippy::disallowed_methods,
    reason = "the tests write manifests and snapshots"
)]

use super::{Content, Scenarios, Snapshot};
use insta::Settings;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

const MANIFEST: &str = "\
promptc 1
root workspace default=\".\"
fact who string default=you
tier t {
    layer rules { file \"AGENTS.md\"; trim #false }
    layer user { template \"I help {{ who }}.\" }
}
tier later deliver=user { layer last { text \"Go.\" } }
scenario one { }
scenario a.b { set who Ann }
";

/// A package's folder with a manifest and a document.
fn package(document: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("promptc.kdl"), MANIFEST).unwrap();
    fs::write(folder.path().join("AGENTS.md"), document).unwrap();
    folder
}

fn open(folder: &Path) -> Scenarios {
    Scenarios::open(folder.join("promptc.kdl")).unwrap()
}

/// Whether insta was configured to accept all differences; then nothing fails.
fn accepts_all() -> bool {
    let keeps = ["no", "new", "auto", "unseen"];
    let update = std::env::var("INSTA_UPDATE").unwrap_or_else(|_| "auto".to_owned());
    !keeps.contains(&&*update) || std::env::var_os("INSTA_FORCE_PASS").is_some()
}

/// Runs `check` with the snapshots of `folder`, and says whether it passed.
fn passes(folder: &Path, check: impl FnOnce()) -> bool {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| catch_unwind(AssertUnwindSafe(check)).is_ok())
}

/// The files that a review leaves when it accepts these.
fn accept(folder: &Path, shots: &[Snapshot]) {
    for shot in shots {
        let name = shot.name.strip_suffix(".txt").unwrap_or(&shot.name);
        let file = folder.join(format!("{name}.snap"));
        match &shot.content {
            Content::Bytes(bytes) => {
                let meta = "---\nsource: x\nextension: txt\nsnapshot_kind: binary\n---\n";
                fs::write(&file, meta).unwrap();
                fs::write(file.with_extension("snap.txt"), bytes).unwrap();
            }
            Content::Outline(text) => {
                fs::write(&file, format!("---\nsource: x\n---\n{text}")).unwrap();
            }
        }
    }
}

fn bytes<'a>(shots: &'a [Snapshot], name: &str) -> &'a [u8] {
    let shot = shots.iter().find(|s| s.name == name).unwrap();
    match &shot.content {
        Content::Bytes(bytes) => bytes,
        Content::Outline(text) => panic!("{text}"),
    }
}

#[test]
fn every_scenario_has_an_outline_and_the_bytes_of_each_channel() {
    let folder = package("Be brief.\n");
    let scenarios = open(folder.path());
    assert_eq!(scenarios.names().collect::<Vec<_>>(), ["one", "a.b"]);
    let shots = scenarios.shots("a.b").unwrap();
    let names: Vec<&str> = shots.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "promptc@a%2Eb@outline",
            "promptc@a%2Eb.txt",
            "promptc@a%2Eb@user.txt"
        ]
    );
    assert_eq!(
        bytes(&shots, "promptc@a%2Eb.txt"),
        b"Be brief.\n\n\nI help Ann."
    );
    assert_eq!(bytes(&shots, "promptc@a%2Eb@user.txt"), b"Go.");
    let Content::Outline(outline) = &shots[0].content else {
        panic!("the outline comes first");
    };
    insta::assert_snapshot!(outline);
}

#[test]
fn one_more_newline_at_the_end_is_a_difference() {
    if accepts_all() {
        return;
    }
    let snapshots = tempfile::tempdir().unwrap();
    let snapshots = snapshots.path();
    let prompt = |text: &str| {
        vec![Snapshot {
            name: "p.txt".to_owned(),
            content: Content::Bytes(text.as_bytes().to_vec()),
        }]
    };
    let (recorded, changed) = (prompt("a\nb\n"), prompt("a\nb\n\n"));
    accept(snapshots, &recorded);
    assert!(passes(snapshots, || assert_shot!(&recorded[0])));
    assert!(!passes(snapshots, || assert_shot!(&changed[0])));
    assert!(!passes(snapshots, || assert_shot!(&prompt("a\r\nb\n")[0])));
    // insta's comparison of texts does not see it, which is why the prompt is none.
    let text = |text: &str| Snapshot {
        name: "t".to_owned(),
        content: Content::Outline(text.to_owned()),
    };
    accept(snapshots, &[text("a\nb\n")]);
    assert!(passes(snapshots, || assert_shot!(&text("a\nb\n\n\n"))));
}

#[test]
fn all_scenarios_are_looked_at_before_the_test_fails() {
    if accepts_all() {
        return;
    }
    let folder = package("Be brief.\n");
    let snapshots = tempfile::tempdir().unwrap();
    let snapshots = snapshots.path();
    let scenarios = open(folder.path());
    for name in ["one", "a.b"] {
        accept(snapshots, &scenarios.shots(name).unwrap());
    }
    assert!(passes(snapshots, || scenarios.check_all(|s| assert_shot!(s))));

    fs::write(folder.path().join("AGENTS.md"), "Be brief.\n\n").unwrap();
    let mut seen = Vec::new();
    let passed = passes(snapshots, || {
        scenarios.check_all(|shot| {
            seen.push(shot.name.clone());
            assert_shot!(shot);
        });
    });
    assert!(!passed);
    assert_eq!(seen.len(), 6);
}

#[test]
fn a_failed_build_is_reported_as_a_diagnostic() {
    let folder = package("x");
    let manifest = MANIFEST.replace("set who Ann", "set whom Ann");
    fs::write(folder.path().join("promptc.kdl"), manifest).unwrap();
    let said = open(folder.path()).build("a.b").unwrap_err().to_string();
    let first = "error[unknown-fact]: there is no fact `whom`";
    assert!(said.starts_with(first), "{said}");
    assert!(said.contains("\n  at ") && said.contains("`who`"), "{said}");

    fs::write(
        folder.path().join("promptc.kdl"),
        "promptc 1\ntier t { layer l { text x } }\n",
    )
    .unwrap();
    let said = Scenarios::open(folder.path().join("promptc.kdl"))
        .unwrap_err()
        .to_string();
    assert!(said.contains("has no scenario"), "{said}");
}

#[test]
fn the_macros_expand_in_a_test_of_a_project() {
    if accepts_all() {
        return;
    }
    let folder = package("x");
    let path = folder.path().join("promptc.kdl");
    let snapshots = tempfile::tempdir().unwrap();
    // Nothing is recorded, so each finds something new.
    assert!(!passes(snapshots.path(), || crate::assert_prompts!(&path)));
    let prompt = open(folder.path()).build("one").unwrap();
    assert!(!passes(snapshots.path(), || crate::assert_prompt!(
        "mine", prompt
    )));
    accept(snapshots.path(), &super::shots("mine", &prompt));
    assert!(passes(snapshots.path(), || crate::assert_prompt!(
        "mine", prompt
    )));
}
