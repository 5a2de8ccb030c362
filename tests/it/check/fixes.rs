//! Every file in `tests/fix/` is a manifest that `check --fix` mends: what it prints and what the manifest is then stands in a
//! snapshot. `--diff` writes nothing and says the same, and a second `--fix` finds nothing to do.

use crate::case::Case;
use crate::run::Place;
use serde_json::Value;
use std::path::Path;

fn show(path: &Path) -> String {
    let case = Case::parse(&std::fs::read_to_string(path).unwrap());
    let place = Place::new();
    case.lay_out(&place);
    let line = &case.lines[0];
    let run = |extra: &[&str]| {
        let ran = case.run(line, extra, &place).unwrap();
        let text = String::from_utf8(ran.stdout).unwrap();
        (ran.code, text, ran.stderr)
    };
    let before = place.read("promptc.kdl");
    let (code, diff, _) = run(&["--diff"]);
    assert_eq!(place.read("promptc.kdl"), before, "--diff writes nothing");
    let (told, json, stderr) = run(&["--diff", "--format", "json"]);
    let planned: Value = serde_json::from_str(&json).unwrap_or_else(|e| panic!("{e}: {stderr}"));
    let (fixed, text, stderr) = run(&["--fix"]);
    assert_eq!((told, fixed), (code, code), "{stderr}");
    let after = place.read("promptc.kdl");
    assert_eq!(
        planned["fixes"]["made"].as_array().unwrap().is_empty(),
        after == before
    );
    let (again, rest, _) = run(&["--fix"]);
    assert_eq!(
        place.read("promptc.kdl"),
        after,
        "a second --fix changes something"
    );
    assert_eq!(again, code);
    assert!(rest.contains("nothing to fix in `promptc.kdl`") || rest.contains("not fixed"));
    for hidden in &case.hides {
        assert!(
            !format!("{diff}{text}{json}").contains(hidden),
            "shows {hidden}"
        );
    }
    // With CRLF a snapshot would not show which line ends are there.
    let after = after.replace('\r', "<CR>");
    format!("{diff}\n== --fix\n{text}\n== promptc.kdl\n{after}")
}

#[test]
fn safe_edits_are_made_and_nothing_else() {
    insta::with_settings!({
        snapshot_path => "../../snapshots/fix",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::glob!("../../fix", "*.case", |path| {
            insta::assert_snapshot!("fix", show(path));
        });
    });
}

#[test]
fn built_in_manifests_pass_with_warnings_denied() {
    for built_in in promptc::source::builtin::MANIFESTS {
        let name = format!("builtin:{}", built_in.name);
        let place = Place::new();
        let ran = place.run(&["check", "-m", &name, "--deny", "warnings"]);
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.stdout(), ran.stderr);
        let ran = place.run(&["check", "-m", &name, "--fix"]).exits(0);
        assert!(ran.stdout().contains("nothing to fix"), "{}", ran.stdout());
    }
}

/// Texts of 14 and 12 bytes, each behind a join but the first: 14, 14 and 18 of 46.
const THREE: &str = r#"promptc 1
fact today date default="2026-03-30" changes=day
tier base changes=deploy { layer base { text "You are Atlas." } }
tier daily changes=day { layer daily { template "{{ today }}.." } }
tier user changes=session { layer user { template "{{ who }}" } }
fact who string default="You talk to Ann."
"#;

#[test]
fn the_order_is_told_to_programs() {
    let place = Place::new();
    place.file("promptc.kdl", THREE);
    let args = [
        "check",
        "--sources",
        "--min-prefix",
        "0",
        "--format",
        "json",
    ];
    let ran = place.run(&args).exits(0);
    let told: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let kept = |changes: &str, now: u64, then: u64| serde_json::json!({ "changes": changes, "now": now, "then": then });
    assert_eq!(
        told["order"],
        serde_json::json!({
            // The smaller of the two.
            "moves": [{ "tier": "daily", "channel": "system", "changes": "day", "after": "user", "blocked": null }],
            "sizes": "built",
            "bytes": 46,
            "kept": [
                kept("deploy", 0, 0),
                kept("session", 14, 14),
                kept("day", 14, 32),
                kept("turn", 46, 46),
            ],
        })
    );
}
