//! Pairs with several changes, in which an outer one hides an inner one.

use super::{Known, PLAIN, changed, named};

/// The pairs.
pub(super) const HIDDEN: &[Known] = &[
    Known {
        name: "a condition asks for a layer that an edit took away, and its own file is gone",
        manifest: "tier t { layer x { text \"x\" }; layer k { glob \"g/*\" }; layer l when=\"loaded('k')\" { glob \"h/*\" } }",
        edited: Some(
            "tier t { layer x { text \"x\" }; layer k { glob \"h/*\" }; layer l when=\"loaded('k')\" { glob \"h/*\" } }",
        ),
        files: &[("ws/g/a.md", "aaa"), ("ws/h/b.md", "bbb")],
        changed: &[("ws/h/b.md", None)],
        wanted: &[
            ("k", &[named(&["layer-edited"], "promptc.kdl")]),
            ("l", &[named(&["document-vanished"], "h/b.md")]),
        ],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a list of names that still names the file, which is gone",
        manifest: r#"tier t { layer k { text "x" }; layer l { file "n.md" "a.md" } }"#,
        edited: Some(r#"tier t { layer k { text "x" }; layer l { file "a.md" } }"#),
        files: &[("ws/a.md", "aaa")],
        changed: &[("ws/a.md", None)],
        wanted: &[("l", &[named(&["document-vanished"], "a.md")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a list of names whose first one goes, and a condition",
        manifest: r#"tier t { layer k { text "x" }; layer l { file "b.md" "a.md" when="s == 'xyz'" } }"#,
        edited: Some(
            r#"tier t { layer k { text "x" }; layer l { file "a.md" when="s == 'xyz'" } }"#,
        ),
        files: &[("ws/a.md", "aaa"), ("ws/b.md", " \n")],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["condition-flipped"], "s")])],
        ..PLAIN
    },
    Known {
        name: "a list of names whose first one goes",
        manifest: r#"tier t { layer k { text "x" }; layer l { file "b.md" "a.md" } }"#,
        edited: Some(r#"tier t { layer k { text "x" }; layer l { file "a.md" } }"#),
        files: &[("ws/a.md", "aaa"), ("ws/b.md", " \n")],
        wanted: &[("l", &[named(&["layer-edited"], "promptc.kdl")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a condition that was taken away, and a fact with which it would hold",
        manifest: r#"tier t { layer k { text "x" }; layer l { file "a.md" when="s == 'xyz'" } }"#,
        edited: Some(r#"tier t { layer k { text "x" }; layer l { file "a.md" } }"#),
        changed: &[("ws/a.md", Some("aaa"))],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["document-appeared"], "a.md")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "an earlier member is gone, and the next one is named by a fact",
        manifest: r#"tier t { layer l { first { file "a.md"; file "p-{s}.md" } } }"#,
        files: &[("ws/a.md", "aaa"), ("ws/p-xyz.md", "ppp")],
        changed: &[("ws/a.md", None)],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["document-vanished"], "a.md")])],
        ..PLAIN
    },
    Known {
        name: "a fact names another file in front, and the file is gone at both places",
        manifest: r#"tier t { layer l { first { file "p-{s}.md"; file "p-abc.md" "c.md" } } }"#,
        files: &[("ws/p-abc.md", "aaa"), ("ws/c.md", "ccc")],
        changed: &[("ws/p-abc.md", None)],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["document-vanished"], "p-abc.md")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "another member shows the same folder, in which a file is new",
        manifest: r#"tier t { layer l { first { glob "g/*" when="s == 'abc'"; glob "g/*" } } }"#,
        files: &[("ws/g/a.md", "aaa")],
        changed: &[("ws/g/b.md", Some("bbb"))],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["document-appeared"], "g/b.md")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a layer hangs on a file, and on a member that a cut hid",
        manifest: r#"tier t { layer k { text "x" }; layer l { all { file "b.md"; file "b.md" when="s == 'abc'"; budget 6 marker="~" } } }"#,
        files: &[("ws/b.md", "bbbbbbbb")],
        changed: &[("ws/b.md", None)],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["document-vanished"], "b.md")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a layer of which a budget left nothing, until a condition made it shorter",
        manifest: "tier t { layer k { text \"x\" }; layer l { all { text \"member\"; first { text \"short\" when=\"s == 'xyz'\"; file \"a.md\" } }; budget 12 marker=\"(-{{ omitted }} of {{ total }})\" } }",
        files: &[(
            "ws/a.md",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        )],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["condition-flipped"], "s")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a file goes into another folder with its text, and a new one comes between",
        manifest: r#"tier t { layer l { all { glob "g/*"; glob "h/*"; all { glob "h/*"; glob "g/*" } } } }"#,
        files: &[("ws/h/a.md", "aaa")],
        changed: &[
            ("ws/h/a.md", None),
            ("ws/g/a.md", Some("aaa")),
            ("ws/h/b.md", Some("bbb")),
        ],
        wanted: &[("l", &[named(&["document-appeared"], "h/b.md")])],
        ..PLAIN
    },
    Known {
        name: "a file with another name and another end, which a shorter cut hides",
        manifest: r#"tier t { layer l { all { glob "g/*"; budget 9 marker="~" } } }"#,
        edited: Some(r#"tier t { layer l { all { glob "g/*"; budget 6 marker="~" } } }"#),
        files: &[("ws/g/a.md", "abcdefghijklmn")],
        changed: &[("ws/g/a.md", None), ("ws/g/b.md", Some("abcdefghijklmo"))],
        wanted: &[("l", &[named(&["layer-edited"], "promptc.kdl")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "the join of a tier was edited, and a group has a join more",
        manifest: "tier t join=\"\\n\" { layer l { all { glob \"g/*\"; all join=\" \" { text \"x\"; text \"y\" } } } }",
        edited: Some(
            "tier t join=\"\\n~\\n\" { layer l { all { glob \"g/*\"; all join=\" \" { text \"x\"; text \"y\" } } } }",
        ),
        files: &[("ws/g/a.md", "aaa")],
        changed: &[("ws/g/b.md", Some("bbb"))],
        wanted: &[(
            "l",
            &[
                named(&["document-appeared"], "g/b.md"),
                named(&["layer-edited"], "promptc.kdl"),
            ],
        )],
        ..PLAIN
    },
    Known {
        name: "an edit that is trimmed away, in front of a cut that moved",
        manifest: r#"tier t { layer l { all { file "a.md"; file "b.md"; budget total=12 marker="~" } } }"#,
        files: &[("ws/a.md", "b cc"), ("ws/b.md", "bbbbbbbbbbbbbbb")],
        changed: &[("ws/a.md", Some("b \n"))],
        wanted: &[("l", &[changed("a.md", 1, "b cc", "b ")])],
        ..PLAIN
    },
    Known {
        name: "the mark of a document that is blank now",
        manifest: r#"tier t { layer l { file "a.md"; part p { file "b.md" { budget 6 tail=1 marker="~" } }; template "{{ p }}{{ content }}" } }"#,
        files: &[("ws/a.md", "aaa"), ("ws/b.md", "bbbbbbbb")],
        changed: &[("ws/b.md", Some(" \n"))],
        wanted: &[("l", &[named(&["document-changed"], "b.md")])],
        quiet: true,
        ..PLAIN
    },
];
