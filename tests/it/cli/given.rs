//! The inputs of a call are checked equally by every command that takes them, and no command requires inputs that it
//! does not read.

use crate::run::{Place, run};

/// Each part reads its own root and fact; one root and one fact are of no use to any but the last layer.
const MANIFEST: &str = r#"promptc 1
root workspace default="w"
root home default="home"
root elsewhere env=NOWHERE
fact n int default=1
fact who string
let both "who ~ n"
tier t {
    layer notes { memory "NOTES.md" root=home }
    layer skills { skills "skills"; template "{% for e in entries %}{{ e.name }}{% endfor %}" }
    layer other { file "X" root=elsewhere; template "{{ both }} {{ content }}" }
}
directory-rules { file "AGENTS.md" }
"#;

/// Every command that needs a part of the manifest only.
const PARTS: [&[&str]; 6] = [
    &["agent", "memory", "add", "a"],
    &["agent", "memory", "list"],
    &["agent", "memory", "schema", "--provider", "openai"],
    &["agent", "rules", "a", "--session", "s"],
    &["agent", "skills", "list"],
    &["agent", "skills", "show", "knots"],
];

fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("home/NOTES.md", "");
    place.file("w/a/AGENTS.md", "in a");
    place.file(
        "w/skills/knots/SKILL.md",
        "---\ndescription: All knots.\n---\nTie.\n",
    );
    place
}

#[test]
fn a_part_needs_no_fact_or_root_of_another() {
    let place = place();
    for args in PARTS {
        place.run(args).exits(0);
    }
    let ran = place.run(&["build"]).exits(2);
    for code in ["missing-fact", "missing-root"] {
        ran.says(code);
    }
}

#[test]
fn unneeded_inputs_are_still_checked() {
    let whole: [&[&str]; 1] = [&["build", "--root", "elsewhere=w", "--set", "who=Ann"]];
    for (wrong, code) in [
        (["--set", "n=zz"], "wrong-fact-type"),
        (["--set", "nn=1"], "unknown-fact"),
        (["--root", "elsewhre=w"], "unknown-root"),
        (["--now", "nonsense"], "invalid-time"),
        (["--scenario", "none"], "unknown-scenario"),
    ] {
        for args in PARTS.iter().chain(&whole) {
            let place = place();
            let ran = place.run(&[*args, &wrong].concat());
            let told = format!("{args:?} {wrong:?}: {}", ran.stderr);
            assert_eq!(ran.code, 2, "{told}");
            assert!(ran.stderr.contains(&format!("error[{code}]")), "{told}");
            assert_eq!(ran.stdout(), "", "{told}");
        }
    }
}

/// Also where the session keeps all of the prompt, so that the fact is of no use.
#[test]
fn a_private_fact_of_another_type_is_an_error_when_a_session_is_restored() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact pin int private=#true env=PIN optional=#true\nfact user string default=nobody\n\
         tier t { layer l { template \"{{ user }}{% if pin is defined %}, known{% endif %}\" } }\n",
    );
    let build = |more: &[&str]| place.run(&[&["build", "--session", "s"], more].concat());
    assert_eq!(
        build(&["--set", "pin=7"]).exits(0).stdout(),
        "nobody, known"
    );
    place.file("facts.json", r#"{"pin": "zebra"}"#);
    let ran = build(&["--facts", "facts.json"]).exits(2);
    ran.says("error[wrong-fact-type]");
    assert!(!ran.stderr.contains("zebra"), "{}", ran.stderr);
    let mut command = place.command(&["build", "--session", "s", "--set", "user=Ann"]);
    command.env("PIN", "zebra");
    let ran = run(command, b"").exits(2);
    ran.says("the environment variable PIN");
    // One that is missing is no error.
    let ran = build(&["--set", "user=Ann"]).exits(0);
    assert_eq!(ran.stdout(), "nobody, known");
}

/// The engine reads what a macro encloses in an order that differs from process to process.
#[test]
fn names_enclosed_by_a_macro_are_reported_in_one_order() {
    let place = Place::new();
    let names = ["a", "b", "c", "d", "e", "f"];
    let facts: String = names
        .map(|n| format!("fact {n} string default={n}x\n"))
        .concat();
    let prints: String = names.map(|n| format!("{{{{ {n} }}}}")).concat();
    place.file(
        "promptc.kdl",
        format!("promptc 1\n{facts}tier t {{ layer l {{ template file=t.j2 }} }}\n"),
    );
    place.file(
        "t.j2",
        format!("{{% macro all() %}}{prints}{{% endmacro %}}Say {{{{ all() }}}}.\n"),
    );
    let build = || place.run(&["build", "--format", "json"]).exits(0).stdout;
    let first = build();
    for _ in 0..8 {
        assert_eq!(build(), first);
    }
}

#[test]
fn a_folder_with_a_manifest_names_it_in_every_command() {
    let place = place();
    let inside = Place::new();
    inside.file("agents/promptc.kdl", MANIFEST);
    for (path, text) in [("home/NOTES.md", "A note."), ("w/a/AGENTS.md", "in a")] {
        inside.file(&format!("agents/{path}"), text);
    }
    let given = ["--set", "who=Ann", "--root", "elsewhere=agents/w"];
    let named: [&[&str]; 7] = [
        &["build", "-m", "agents"],
        &["build", "-m", "agents/"],
        &["explain", "-m", "agents"],
        &["blame", "1", "-m", "agents"],
        &["diff", "-m", "agents", ".", "."],
        &["report", "-m", "agents", "-o", "-"],
        &["emit", "openai", "--model", "gpt-6.1-sol", "-m", "agents"],
    ];
    for args in named {
        inside.run(&[args, &given].concat()).exits(0);
    }
    let plain: [&[&str]; 7] = [
        &["check", "-m", "agents"],
        &["fmt", "agents"],
        &["fmt", "-m", "agents"],
        &["schema", "facts", "-m", "agents"],
        &["agent", "memory", "list", "-m", "agents"],
        &["agent", "rules", "a", "--session", "s", "-m", "agents"],
        &["session", "list", "-m", "agents"],
    ];
    for args in plain {
        inside.run(args).exits(0);
    }
    for args in [&["build", "-m", "w"][..], &["fmt", "w"]] {
        place
            .run(args)
            .exits(2)
            .says("`w` is a folder, not a manifest");
    }
    let ran = inside.run(&[
        "explain",
        "agents",
        "-m",
        "agents",
        "--set",
        "who=Ann",
        "--root",
        "elsewhere=agents/w",
    ]);
    ran.exits(2).says("promptc explain -m agents");
}

#[test]
fn test_names_the_manifest_above() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer l { text \"x\" } }\n",
    );
    place.file("src/x", "");
    let mut command = place.command(&["test"]);
    command.current_dir(place.path().join("src"));
    let ran = run(command, b"").exits(2);
    ran.says("the nearest is in a folder above: promptc test -m ../promptc.kdl");
}
