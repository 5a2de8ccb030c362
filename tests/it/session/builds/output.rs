//! The files that `-o` must not replace: the same ones for a call that restores as for the one that builds.

use super::Desk;
use std::fs;

/// No part of it is rebuilt for a call.
const FROZEN: &str = r#"promptc 1
name output
root workspace default="."
include "layers/*.kdl"
fact user string default=nobody
tier stable changes=session {
    layer hello {
        template file="hello.j2"
    }
    layer skills {
        glob "skills/**/*.md"
    }
    layer rules {
        file "rules.md"
    }
}
"#;

const LIVE: &str = r#"tier turn changes=turn deliver=user {
    layer now {
        file "now.md"
    }
}
"#;

fn desk(manifest: &str) -> Desk {
    let desk = Desk::new(manifest);
    let place = &desk.place;
    place.file("hello.j2", "Hello {{ user }}.");
    place.file("rules.md", "Rules.\n");
    place.file("now.md", "Now.\n");
    place.file("facts.json", r#"{"user": "Ann"}"#);
    place.file("layers/more.kdl", "fact more string default=more\n");
    place.file(
        "skills/x/SKILL.md",
        "---\nname: x\ndescription: d\n---\n\nText.\n",
    );
    desk
}

const READ: [&str; 5] = [
    "promptc.kdl",
    "layers/more.kdl",
    "hello.j2",
    "skills/x/SKILL.md",
    "rules.md",
];

#[test]
fn a_restore_replaces_nothing_that_the_build_has_read() {
    for manifest in [FROZEN.to_owned(), format!("{FROZEN}{LIVE}")] {
        let desk = desk(&manifest);
        for more in [
            &[][..],
            &["--facts", "facts.json"],
            &["--set", "user=Bob"],
            &["--format", "json"],
            &["--facts", "facts.json", "--format", "json"],
        ] {
            for file in READ {
                let before = fs::read(desk.place.path().join(file)).unwrap();
                let refused = (2, vec!["output-is-input".to_owned()]);
                let args = [&["-o", file], more].concat();
                // The first call of all would build; what is refused is not kept.
                assert_eq!(desk.codes("new", &args), refused, "{args:?}");
                desk.text("s", &[]);
                assert_eq!(desk.codes("s", &args), refused, "{args:?}");
                let after = fs::read(desk.place.path().join(file)).unwrap();
                assert_eq!(before, after, "{args:?}");
            }
        }
    }
}

#[test]
fn a_restore_does_not_replace_the_facts_that_it_is_given() {
    for manifest in [FROZEN.to_owned(), format!("{FROZEN}{LIVE}")] {
        let desk = desk(&manifest);
        for more in [&[][..], &["--format", "json"]] {
            let args = [&["--facts", "facts.json", "-o", "facts.json"], more].concat();
            desk.text("s", &[]);
            let refused = (2, vec!["output-is-input".to_owned()]);
            assert_eq!(desk.codes("s", &args), refused, "{args:?}");
            assert_eq!(desk.place.read("facts.json"), r#"{"user": "Ann"}"#);
        }
    }
}

#[test]
fn a_restore_may_replace_what_it_does_not_need() {
    let desk = desk(FROZEN);
    // Facts of an earlier call are remembered; their file is no longer needed.
    let kept = desk.text("s", &["--facts", "facts.json"]);
    assert!(kept.starts_with("Hello Ann."), "{kept}");
    desk.text("s", &["-o", "facts.json"]);
    assert_eq!(desk.place.read("facts.json"), kept);
    desk.place.file("other.md", "other");
    desk.text("s", &["-o", "other.md"]);
    assert_eq!(desk.place.read("other.md"), kept);
}
