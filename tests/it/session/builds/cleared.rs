//! A fact that a session remembers is given up by a call that gives null for it.

use super::Desk;

const MANIFEST: &str = r#"promptc 1
name names
fact user string default=nobody
fact mood string default=calm
tier calm changes=session { layer who { template "User {{ user }}, {{ mood }}." } }
tier now changes=turn { layer who-now { template "{{ user }}" } }
scenario sam { set user "Sam" }
"#;

fn desk(refresh: &str) -> Desk {
    let desk = Desk::new(&format!("{MANIFEST}session {{ refresh {refresh} }}\n"));
    desk.place.file("ann.json", r#"{"user": "Ann"}"#);
    desk.place.file("null.json", r#"{"user": null}"#);
    desk
}

const ANN: [&str; 2] = ["--facts", "ann.json"];
const NULL: [&str; 2] = ["--facts", "null.json"];

#[test]
fn null_clears_a_remembered_value() {
    let desk = desk("event=compaction");
    let ann = "User Ann, calm.\n\nAnn";
    assert_eq!(desk.text("s", &ANN), ann);
    assert_eq!(desk.text("s", &[]), ann);
    // Of what is kept nothing changes, and what is made for one call holds for that call.
    assert_eq!(desk.text("s", &NULL), "User Ann, calm.\n\nnobody");
    assert_eq!(desk.text("s", &[]), ann);
    let nobody = "User nobody, calm.\n\nnobody";
    assert_eq!(
        desk.text("s", &[&NULL[..], &["--refresh"]].concat()),
        nobody
    );
    assert_eq!(desk.text("s", &["--refresh"]), nobody);
    // The values of another file or argument of the call take precedence over it.
    for more in [&ANN[..], &["--set", "user=Ann"]] {
        assert_eq!(
            desk.text("s", &[&NULL[..], more, &["--refresh"]].concat()),
            ann
        );
    }
}

#[test]
fn clearing_a_value_is_a_change_that_refreshes() {
    let desk = desk("fact=user");
    desk.text("s", &[&ANN[..], &["--set", "mood=glad"]].concat());
    assert_eq!(desk.told("s", &NULL).state, "refreshed");
    assert_eq!(desk.told("s", &NULL).state, "restored");
    // Other facts are still remembered.
    assert_eq!(desk.text("s", &[]), "User nobody, glad.\n\nnobody");
}

#[test]
fn a_remembered_scenario_counts_then() {
    let desk = desk("fact=user");
    let first = desk.text("s", &[&ANN[..], &["--scenario", "sam"]].concat());
    assert_eq!(first, "User Ann, calm.\n\nAnn");
    assert_eq!(desk.text("s", &NULL), "User Sam, calm.\n\nSam");
    assert_eq!(desk.text("s", &[]), "User Sam, calm.\n\nSam");
}
