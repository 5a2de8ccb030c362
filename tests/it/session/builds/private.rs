//! Private facts are never stored, however they are given and whatever they decide.

use super::{Desk, Told, codes, open};
use crate::run::run;
use promptc::session::store::Store as _;
use std::fs;
use std::process::Command;

/// Every way in which a private fact may be used, but to be printed in what is kept.
const MANIFEST: &str = r#"promptc 1
name secrets
root workspace default="."
session {
    refresh fact=model
    refresh idle="1h"
}
fact model string default=first
fact account string private=#true default=""
fact key string private=#true env=AGENT_KEY optional=#true
fact owner string private=#true optional=#true
fact codes list private=#true optional=#true
fact limits map private=#true optional=#true
fact turn string changes=turn default=""
let vip      "account == 'nothing' or key is defined"
let greeting "'Dear ' ~ (owner | default('friend'))"
tier stable changes=session {
    layer model {
        template "{{ model }}{% if vip %} for somebody{% endif %}{% if codes is defined %}, {{ codes | length }} codes{% endif %}"
    }
    layer owned when="owner is defined and owner != ''" {
        text "There is an owner."
    }
    layer unowned when="account == 'nobody'" {
        text "There is nobody."
    }
    layer notes {
        glob "notes/*.md" where="text != owner | default('')"
    }
    layer limited when="limits is defined and limits.most is defined" {
        text "There are limits."
    }
}
tier turn changes=turn deliver=user {
    layer turn {
        template "{{ turn }} {{ greeting }}: {{ account }} {{ key | default('') }} {{ codes | default([]) | join(',') }} {{ (limits | default({})).most | default('') }}"
    }
}
"#;

/// The values, each in one way of giving it.
const MARKERS: [&str; 5] = [
    "zebra-account-41",
    "zebra-key-42",
    "zebra-owner-43",
    "zebra-code-44",
    "zebra-limit-45",
];

/// The public values that must be found, so that this test can fail.
const KNOWN: &str = "quagga-model-46";

/// A call that gives all of them.
fn with_all(desk: &Desk, more: &[&str]) -> Command {
    desk.place.file(
        "facts.json",
        r#"{"owner": "zebra-owner-43", "limits": {"most": "zebra-limit-45"}}"#,
    );
    let given = [
        "--set",
        "account=zebra-account-41",
        "--set",
        r#"codes=["zebra-code-44"]"#,
        "--facts",
        "facts.json",
        "--format",
        "json",
    ];
    let mut command = desk.command("s", &[&given, more].concat());
    command.env("AGENT_KEY", "zebra-key-42");
    command
}

/// Whether a text is in one of the store's files. They are read by another process: one that closes a file loses all
/// its locks on it.
fn is_stored(desk: &Desk, text: &str) -> bool {
    let files = fs::read_dir(desk.store().parent().unwrap()).unwrap();
    let mut cat = Command::new("cat");
    cat.args(files.map(|f| f.unwrap().path()));
    let bytes = run(cat, b"").exits(0).stdout;
    bytes.windows(text.len()).any(|w| w == text.as_bytes())
}

fn desk() -> Desk {
    let desk = Desk::new(MANIFEST);
    desk.place.file("notes/a.md", "A note.");
    desk
}

#[test]
fn no_private_value_is_stored() {
    let desk = desk();
    // A process that keeps the store open prevents changes of its log.
    drop(open(&desk.store()));
    let holder = rusqlite::Connection::open(desk.store()).unwrap();
    let count = |rows: &str| {
        let sql = format!("SELECT count(*) FROM {rows}");
        holder.query_row(&sql, [], |r| r.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(count("build"), 0);
    let known = format!("model={KNOWN}");
    let calls: [(&[&str], &str); 5] = [
        (&["--set", &known], "built"),
        (&["--set", "turn=1"], "restored"),
        (&["--refresh"], "refreshed"),
        (&["--set", "model=second", "--set", "turn=2"], "refreshed"),
        (&["--event", "compaction"], "restored"),
    ];
    for (more, state) in calls {
        let told = Told::read(&run(with_all(&desk, more), b"").exits(0).stdout);
        assert_eq!(told.state, state, "{more:?}");
        assert!(told.system.contains(
            "for somebody, 1 codes\n\nThere is an owner.\n\nA note.\n\nThere are limits."
        ));
        for marker in MARKERS {
            assert!(
                told.user.contains(marker),
                "{marker} is in what is made for the call"
            );
            assert!(!is_stored(&desk, marker), "{marker} after {more:?}");
        }
        assert!(is_stored(&desk, KNOWN), "what is no secret is found");
    }
    assert_eq!(count("build"), 3);
    drop(holder);
    open(&desk.store()).verify().unwrap();
    desk.text("other", &[]);
    for marker in MARKERS {
        assert!(!is_stored(&desk, marker), "{marker}");
    }
}

#[test]
fn a_call_that_fails_stores_no_private_value_either() {
    let desk = desk();
    let (code, _) = codes(with_all(&desk, &["--set", "turn=1", "--root", "nowhere=."]));
    assert_eq!(code, 2);
    desk.text("s", &[]);
    let (code, _) = codes(with_all(&desk, &["--root", "nowhere=.", "--refresh"]));
    assert_eq!(code, 2);
    for marker in MARKERS {
        assert!(!is_stored(&desk, marker), "{marker}");
    }
}

#[test]
fn output_of_a_stored_template_is_stored() {
    let desk = Desk::new(
        MANIFEST
            .replace("{{ model }}", "{{ model }} {{ account }}")
            .as_str(),
    );
    run(with_all(&desk, &[]), b"").exits(0);
    assert!(is_stored(&desk, MARKERS[0]));
    assert!(!is_stored(&desk, MARKERS[1]));
}

/// The manifest is stored as it is written, including its text about a private fact: `promptc check` reports the
/// location.
#[test]
fn values_in_the_manifest_itself_are_stored() {
    let manifest = r#"promptc 1
name written
fact secret string private=#true default="zebra-default-47"
fact other string private=#true optional=#true
tier stable changes=session {
    layer asked when="secret == 'x' or other is defined" { text "There is one." }
    layer known { text "quagga-model-46" }
}
scenario alone { set other "zebra-scenario-48" }
"#;
    let desk = Desk::new(manifest);
    desk.text("s", &["--scenario", "alone"]);
    let exported = desk.place.run(&["session", "export", "s"]).exits(0);
    for written in ["zebra-default-47", "zebra-scenario-48", KNOWN] {
        assert!(is_stored(&desk, written), "{written}");
        assert!(exported.stdout().contains(written), "{written}");
    }
    let checked = desk.place.run(&["check", "--format", "json"]).exits(1);
    let report: serde_json::Value = serde_json::from_slice(&checked.stdout).unwrap();
    let findings = report["manifests"][0]["findings"]
        .as_array()
        .unwrap()
        .iter();
    let lines: Vec<u64> = findings
        .filter(|f| f["code"] == "private-in-manifest")
        .map(|f| f["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [3, 9], "{}", checked.stdout());
}

#[test]
fn a_missing_private_fact_is_reported_where_it_matters() {
    let desk = desk();
    run(with_all(&desk, &[]), b"").exits(0);
    let missing = |codes: &[String]| codes.iter().filter(|c| *c == "private-not-kept").count();
    // The frozen part stays frozen; the rebuilt part lacks all five.
    assert_eq!(desk.codes("s", &[]), (0, vec![]));
    let (code, told) = desk.codes("s", &["--format", "json"]);
    assert_eq!((code, missing(&told)), (0, 5), "{told:?}");
    let (code, told) = codes(with_all(&desk, &[]));
    assert_eq!((code, missing(&told)), (0, 0), "{told:?}");
    let (code, told) = desk.codes("s", &["--set", "account=x", "--refresh"]);
    assert_eq!((code, missing(&told)), (0, 4), "{told:?}");
    // That build was made without them.
    let (code, told) = desk.codes("s", &["--format", "json", "--set", "account=x"]);
    assert_eq!((code, missing(&told)), (0, 0), "{told:?}");
}

#[test]
fn a_private_fact_of_frozen_text_alone_is_not_missed() {
    let manifest = MANIFEST.replace("{{ account }} {{ key | default('') }} ", "");
    let desk = Desk::new(&manifest);
    let command = with_all(&desk, &[]);
    run(command, b"").exits(0);
    let given = [
        "--format",
        "json",
        "--set",
        r#"codes=["c"]"#,
        "--facts",
        "facts.json",
    ];
    assert_eq!(desk.codes("s", &given), (0, vec![]));
}

/// Missing facts may be the reason for a failed build; a valid manifest is not the place to look then.
#[test]
fn a_missing_private_fact_is_reported_where_the_build_fails() {
    let desk = Desk::new(
        r#"promptc 1
name pins
fact pin int optional=#true private=#true
tier stable changes=session {
    layer always { text "Hello." }
    layer high when="pin > 5" { text "A high pin." }
}
"#,
    );
    desk.text("s", &["--set", "pin=42"]);
    let said = |args: &[&str]| codes(desk.place.command(args));
    for args in [
        &["build", "--session", "s", "--refresh"][..],
        &["session", "drift", "s"],
        &["diff", "session:s", "."],
    ] {
        let (code, told) = said(args);
        assert_eq!(code, 2, "{args:?}");
        assert!(
            told.contains(&"private-not-kept".to_owned()),
            "{args:?}: {told:?}"
        );
    }
    let (code, told) = said(&["build", "--session", "s", "--refresh", "--set", "pin=7"]);
    assert_eq!((code, told), (0, vec![]));
}
