//! `build --without` and `build --each-without`: the prompt without some of its layers.

use crate::docs::commands::squeezed;
use crate::run::{Place, Ran};
use promptc::{BuildInputs, Project, SessionOptions};
use serde_json::{Value, json};
use std::fs;

/// Layers that depend on each other, on a budget, on a fact and on a file.
const MANIFEST: &str = r#"promptc 1
root workspace default="."
fact mode string default=plan
scenario doing { set mode do }
tier first {
    layer rules { file "AGENTS.md" }
    layer plan when="mode == 'plan'" { text "Plan first." }
    layer no-rules when="not loaded('rules')" { text "There are no rules." }
}
tier last changes=session { budget 40; layer long priority=1 { text "A long text that uses much of it." }; layer short { text "Short." } }
tier turn deliver=user { layer ask { text "Ask." } }
"#;

fn ready() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("AGENTS.md", "Run the tests.\n");
    place
}

fn artifact(place: &Place, args: &str) -> Value {
    let line = format!("build --format json -q {args}");
    serde_json::from_str(ran(place, &line).exits(0).stdout()).unwrap()
}

fn ran(place: &Place, line: &str) -> Ran {
    place.run(&line.split_whitespace().collect::<Vec<_>>())
}

fn lines(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout().lines();
    lines.map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn a_variant_is_built_as_if_the_condition_were_false() {
    let place = ready();
    let text = |args: &str| {
        ran(&place, &format!("build {args}"))
            .exits(0)
            .stdout()
            .to_owned()
    };
    assert_eq!(text("-q"), "Run the tests.\n\nPlan first.\n\nShort.");
    assert_eq!(
        text("-q --without rules"),
        "Plan first.\n\nThere are no rules.\n\nShort."
    );
    assert_eq!(
        text("-q --without short --scenario doing --without rules"),
        "There are no rules.\n\nA long text that uses much of it."
    );
    assert_eq!(text("-q --channel user --without rules"), "Ask.");
    let variant = artifact(&place, "--without short --without rules");
    assert_eq!(variant["without"], json!(["rules", "short"]));
    let absent = variant["absent"].as_array().unwrap();
    let rules = absent.iter().find(|a| a["layer"] == "rules").unwrap();
    assert_eq!(rules["reason"], "left-out");
    assert_eq!(rules["detail"], "`--without rules` leaves it out");
    assert!(artifact(&place, "").get("without").is_none());
}

#[test]
fn an_overlay_has_variants_too() {
    let place = ready();
    place.file(
        "team.kdl",
        "promptc 1\nextends \"promptc.kdl\"\nrefine tier=first { layer team { text Team } }\n",
    );
    let ran = ran(
        &place,
        "build -m team.kdl --without rules --without plan -q -o out.txt",
    );
    ran.exits(0);
    let text = fs::read_to_string(place.path().join("out.txt")).unwrap();
    assert_eq!(text, "There are no rules.\n\nTeam\n\nShort.");
}

#[test]
fn what_leaves_nothing_out_is_reported() {
    let place = ready();
    let unknown = ran(&place, "build --without rule").exits(2);
    unknown
        .says("error[unknown-layer]: --without gives `rule`, and there is no layer of that name");
    unknown.says("there is a layer `rules`");
    ran(&place, "build --without something-else")
        .exits(2)
        .says("the layers are `rules`, `plan`");
    let absent = ran(&place, "build --scenario doing --without plan").exits(0);
    absent.says("warning[unused-option]: --without plan has no effect: the layer is absent anyway; its condition is false");
    // A budget dropped it.
    ran(&place, "build --without long")
        .exits(0)
        .says("--without long has no effect");
    let quiet = ran(&place, "build --without rules").exits(0);
    assert!(!quiet.stderr.contains("no effect"), "{}", quiet.stderr);
}

#[test]
fn a_layer_that_is_left_out_needs_no_sources() {
    let place = ready();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot w default=\".\"\ntier t { layer a { text A }; layer b { file \"gone.md\" root=w missing=error } }\n",
    );
    ran(&place, "build").exits(2);
    let variant = ran(&place, "build --without b").exits(0);
    assert_eq!((variant.stdout(), &*variant.stderr), ("A", ""));
}

#[test]
fn no_session_stores_a_variant() {
    let place = ready();
    let refused = ran(&place, "build --session chat --without rules").exits(2);
    refused.says("--without rules builds a variant, and a session stores the prompt");
    ran(&place, "session show chat").exits(2);
    let project = Project::open(place.path().join("promptc.kdl").to_str().unwrap()).unwrap();
    let inputs = BuildInputs::new().without("rules");
    let found = project.session("chat", &inputs, &SessionOptions::default());
    assert!(found.unwrap_err().to_string().contains("--without rules"));
}

#[test]
fn a_comparison_names_the_option() {
    let place = ready();
    ran(&place, "build --format json -q -o whole.json").exits(0);
    ran(
        &place,
        "build --format json -q --without rules -o variant.json",
    )
    .exits(0);
    let there = ran(&place, "diff whole.json variant.json");
    there.shows("cause    `--without rules` leaves the layer out");
    let back = ran(&place, "diff variant.json whole.json");
    back.shows("`--without rules` no longer leaves the layer out");
    let json = ran(&place, "diff whole.json variant.json --format json");
    let json: Value = serde_json::from_str(json.stdout()).unwrap();
    let text = json.to_string();
    assert!(text.contains(r#""kind":"layer-left-out""#), "{text}");
    assert!(!text.contains("unexplained"), "{text}");
    // The room of a budget goes to another layer.
    ran(
        &place,
        "build --format json -q --without short -o roomy.json",
    )
    .exits(0);
    let fitted = ran(&place, "diff whole.json roomy.json");
    fitted.shows("`--without short` leaves the layer out");
}

#[test]
fn each_variant_is_the_artifact_of_its_own_build() {
    let place = ready();
    let all = ran(&place, "build --each-without --now 2026-11-29T10:00:00Z").exits(0);
    let left_out: Vec<Value> = lines(&all).iter().map(|l| l["without"].clone()).collect();
    // In the order of the texts; what a condition or a budget left out has no variant.
    let expected = [
        json!(null),
        json!(["rules"]),
        json!(["plan"]),
        json!(["short"]),
        json!(["ask"]),
    ];
    assert_eq!(left_out, expected);
    for (line, layer) in all
        .stdout()
        .lines()
        .zip(["", "rules", "plan", "short", "ask"])
    {
        let option = match layer {
            "" => String::new(),
            layer => format!("--without {layer}"),
        };
        let alone = ran(
            &place,
            &format!("build --format json --no-inputs -q {option}"),
        )
        .exits(0);
        assert_eq!(squeezed(alone.stdout()), line, "{layer}");
    }
    let again = ran(&place, "build --each-without -o all.jsonl").exits(0);
    assert_eq!(again.stdout(), "");
    let written = fs::read_to_string(place.path().join("all.jsonl")).unwrap();
    assert_eq!(written, all.stdout());
    let both = ran(&place, "build --each-without --without plan -q").exits(0);
    assert_eq!(lines(&both)[0]["without"], json!(["plan"]));
    assert_eq!(lines(&both)[1]["without"], json!(["rules", "plan"]));
}

#[test]
fn a_variant_that_cannot_be_built_is_named() {
    let place = ready();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer a { text A }; layer b required=#true { first { text B when=\"loaded('a')\" } }; layer c { text C } }\n",
    );
    let all = ran(&place, "build --each-without").exits(2);
    all.says("without `a`: the required layer `b` yields nothing");
    all.says("1 of 4 variants was not built");
    let lines = lines(&all);
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[1]["without"], json!(["a"]));
    assert_eq!(lines[1]["errors"][0]["code"], "required-layer-absent");
    assert_eq!(lines[2]["without"], json!(["b"]));
    let json = ran(&place, "build --each-without --message-format json").exits(2);
    let first = json.stderr.lines().next().unwrap();
    let first: Value = serde_json::from_str(first).unwrap();
    assert_eq!(first["without"], json!(["a"]));
    // Without the whole prompt there is no variant.
    let whole = ran(&place, "build --each-without --without a -o none.jsonl").exits(2);
    whole.says("error[required-layer-absent]: the required layer `b`");
    assert!(!place.path().join("none.jsonl").exists());
}

#[test]
fn variants_go_with_no_text_and_no_batch() {
    let place = ready();
    let text = ran(&place, "build --each-without --format text").exits(2);
    text.says("--each-without writes artifacts");
    for other in [
        "--batch f.jsonl",
        "--session chat",
        "--stats",
        "--channel user",
    ] {
        ran(&place, &format!("build --each-without {other}"))
            .exits(2)
            .says("cannot be used with");
    }
    place.file("f.jsonl", "{\"mode\": \"do\"}\n{}\n");
    let batch = ran(&place, "build --batch f.jsonl --without rules -q").exits(0);
    assert!(
        lines(&batch)
            .iter()
            .all(|l| l["without"] == json!(["rules"]))
    );
    let input = ran(&place, "build --each-without -o AGENTS.md").exits(2);
    assert!(input.stderr.contains("AGENTS.md"), "{}", input.stderr);
}
