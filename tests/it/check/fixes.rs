//! `check --fix` on built-ins, and the order that it reports to programs. Its cases are in `tests/fix`.

use crate::run::Place;
use serde_json::Value;

#[test]
fn built_in_manifests_pass_with_warnings_denied() {
    for built_in in promptc::source::builtin::MANIFESTS {
        let name = format!("builtin:{}", built_in.name);
        let place = Place::new();
        let ran = place.run(&["check", "-m", &name, "--fail-on", "warnings"]);
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.stdout(), ran.stderr);
        let ran = place.run(&["check", "-m", &name, "--fix"]).exits(0);
        ran.shows("nothing to fix");
    }
}

/// Texts of 14 and 12 bytes, each after a join but the first: 14, 14 and 18 of 46.
const THREE: &str = r#"promptc 1
fact today date default="2026-03-30" changes=day
tier base changes=deploy { layer base { text "You are Atlas." } }
tier daily changes=day { layer daily { template "{{ today }}.." } }
tier user changes=session { layer user { template "{{ who }}" } }
fact who string default="You talk to Ann."
"#;

#[test]
fn the_order_is_reported_to_programs() {
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
        told["manifests"][0]["order"],
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
