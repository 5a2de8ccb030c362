//! Memories, skills, overlays, scans, imports, lists.

use super::{Known, Named, PLAIN, changed, cut, item, named};

const MEMORY: &str = r#"tier t { layer l { memory "N.md" } }"#;
const OVERLAY: &str = "promptc 1\nextends \"base.kdl\"\nrefine two { all { base where=\"name != 'b.md'\"; file \"c.md\" } }";

/// The pairs.
pub(super) const ENTRIES: &[Known] = &[
    Known {
        name: "an entry in front of the others",
        manifest: MEMORY,
        files: &[("ws/N.md", "aaa\n§\nbbb")],
        changed: &[("ws/N.md", Some("new\n§\naaa\n§\nbbb"))],
        wanted: &[("l", &[item(&["item-added"], "N.md", "1")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "an entry behind the others, and a duplicate",
        manifest: MEMORY,
        files: &[("ws/N.md", "aaa\n§\nbbb")],
        changed: &[("ws/N.md", Some("aaa\n§\nbbb\n§\naaa\n§\nccc"))],
        wanted: &[("l", &[item(&["item-added"], "N.md", "4")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "an entry is gone",
        manifest: MEMORY,
        files: &[("ws/N.md", "aaa\n§\nbbb\n§\nccc")],
        changed: &[("ws/N.md", Some("aaa\n§\nccc"))],
        wanted: &[("l", &[item(&["item-removed"], "N.md", "2")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "an entry says something else",
        manifest: MEMORY,
        files: &[("ws/N.md", "aaa\n§\nbbb\n§\nccc")],
        changed: &[("ws/N.md", Some("aaa\n§\nbxb\n§\nccc"))],
        wanted: &[("l", &[item(&["item-changed"], "N.md", "2")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "the first entry stands last",
        manifest: MEMORY,
        files: &[("ws/N.md", "aaa\n§\nbbb\n§\nccc")],
        changed: &[("ws/N.md", Some("bbb\n§\nccc\n§\naaa"))],
        wanted: &[("l", &[item(&["item-reordered"], "N.md", "3")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a memory without entries is a document",
        manifest: r#"tier t { layer k { text "x" }; layer l { memory "N.md" } }"#,
        files: &[("ws/N.md", "aaa\n§\nbbb")],
        changed: &[("ws/N.md", Some("\n"))],
        wanted: &[("l", &[named(&["item-removed"], "N.md")])],
        ..PLAIN
    },
    Known {
        name: "an entry that a budget leaves out now",
        manifest: r#"tier t { layer l { memory "N.md" { budget 12 at=entry } } }"#,
        files: &[("ws/N.md", "aaa\n§\nbbb")],
        changed: &[("ws/N.md", Some("aaaaaa\n§\nbbb"))],
        wanted: &[("l", &[item(&["item-changed"], "N.md", "1")])],
        ..PLAIN
    },
    Known {
        name: "a skill with another name stands elsewhere",
        manifest: r#"tier t { layer l { skills "k"; template "{% for e in entries | sort(attribute='name') %}{{ e.name }}: {{ e.description }};{% endfor %}" } }"#,
        files: &[
            (
                "ws/k/one/SKILL.md",
                "---\nname: b\ndescription: first\n---\nx",
            ),
            (
                "ws/k/two/SKILL.md",
                "---\nname: c\ndescription: second\n---\nx",
            ),
        ],
        changed: &[(
            "ws/k/two/SKILL.md",
            Some("---\nname: a\ndescription: second\n---\nx"),
        )],
        wanted: &[(
            "l",
            &[named(&["item-reordered", "item-changed"], "k/two/SKILL.md")],
        )],
        ..PLAIN
    },
    Known {
        name: "a skill is denied now",
        manifest: r#"tier t { layer l { skills "k" { deny (fact)s } } }"#,
        files: &[
            (
                "ws/k/one/SKILL.md",
                "---\nname: one\ndescription: first\n---\nx",
            ),
            (
                "ws/k/two/SKILL.md",
                "---\nname: two\ndescription: second\n---\nx",
            ),
        ],
        facts: ("none", "two"),
        wanted: &[(
            "l",
            &[Named {
                because: "s",
                ..item(&["condition-flipped"], "k/two/SKILL.md", "two")
            }],
        )],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a text of the base is edited in the overlay that refines it",
        manifest: "promptc 1\nextends \"base.kdl\"\nrefine one { text \"Uno.\" }",
        edited: Some("promptc 1\nextends \"base.kdl\"\nrefine one { text \"Une.\" }"),
        files: &[("ws/a.md", "aaa")],
        wanted: &[("one", &[named(&["layer-edited"], "promptc.kdl")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a text of the base is edited there",
        manifest: "promptc 1\nextends \"base.kdl\"\nmove one after=two",
        files: &[("ws/a.md", "aaa")],
        changed: &[(
            "base.kdl",
            Some(
                "promptc 1\nroot workspace default=\"ws\"\nfact s string\ntier t {\n    layer one { text \"One.\" }\n    layer two { all { file \"a.md\"; file \"b.md\" } }\n    layer three { template \"It was {{ s }}.\" }\n}\n",
            ),
        )],
        wanted: &[("three", &[named(&["layer-edited"], "base.kdl")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a document of the base that the overlay leaves out, and one that it adds",
        manifest: OVERLAY,
        files: &[("ws/a.md", "aaa"), ("ws/b.md", "bbb"), ("ws/c.md", "ccc")],
        changed: &[("ws/b.md", Some("bxb")), ("ws/c.md", Some("ccd"))],
        wanted: &[("two", &[changed("c.md", 1, "ccc", "ccd")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a layer of the base that the overlay moves",
        manifest: "promptc 1\nextends \"base.kdl\"",
        edited: Some("promptc 1\nextends \"base.kdl\"\nmove one after=three"),
        files: &[("ws/a.md", "aaa")],
        wanted: &[("one", &[named(&["layer-moved"], "promptc.kdl")])],
        ..PLAIN
    },
    Known {
        name: "an imported document was edited",
        manifest: r#"tier t { layer l { file "a.md" { imports at } } }"#,
        files: &[
            ("ws/a.md", "one\n@in/b.md\nthree"),
            ("ws/in/b.md", "two\nxxx"),
        ],
        changed: &[("ws/in/b.md", Some("two\nxyx"))],
        wanted: &[("l", &[changed("in/b.md", 2, "xxx", "xyx")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a document imports another no more",
        manifest: r#"tier t { layer l { file "a.md" { imports at } } }"#,
        files: &[("ws/a.md", "one\n@in/b.md\nthree"), ("ws/in/b.md", "two")],
        changed: &[("ws/a.md", Some("one\nthree"))],
        wanted: &[("l", &[named(&["document-changed"], "a.md")])],
        ..PLAIN
    },
    Known {
        name: "a scan replaces a document",
        manifest: r##"scan own { rule bad #"(?i)forget"# }
tier t { layer l { all { text "x"; file "a.md" { scan own } } } }"##,
        files: &[("ws/a.md", "all is well")],
        changed: &[("ws/a.md", Some("forget all"))],
        wanted: &[("l", &[named(&["document-replaced"], "a.md")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a fact in a let that a condition asks",
        manifest: r#"let short "s == 'abc'"
tier t { layer l { all { text "x"; file "a.md" when=short } } }"#,
        files: &[("ws/a.md", "aaa")],
        facts: ("abc", "xyz"),
        wanted: &[(
            "l",
            &[Named {
                because: "s",
                ..named(&["condition-flipped"], "")
            }],
        )],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a fact in the name of a file, which was edited too",
        manifest: r#"tier t { layer l { file "p-{s}.md" } }"#,
        files: &[("ws/p-abc.md", "aaa"), ("ws/p-xyz.md", "xxx")],
        changed: &[("ws/p-xyz.md", Some("xxy"))],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["fact-changed"], "s")])],
        ..PLAIN
    },
    Known {
        name: "a budget that is a fact",
        manifest: r#"fact room int default=9
let r "4 if s == 'xyz' else room"
tier t { layer l { file "a.md" { budget (fact)r marker="~" } } }"#,
        files: &[("ws/a.md", "aaaaaaaa")],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["fact-changed"], "s")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "the number of a budget that cuts",
        manifest: "tier t { layer l { file \"a.md\" { budget 6 marker=\"~\" } } }",
        edited: Some("tier t { layer l { file \"a.md\" { budget 5 marker=\"~\" } } }"),
        files: &[("ws/a.md", "aaaaaaaa")],
        wanted: &[("l", &[named(&["layer-edited"], "promptc.kdl")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a document in front takes from a total",
        manifest: r#"tier t { layer l { all { file "a.md"; file "b.md"; file "c.md"; budget total=12 marker="~" } } }"#,
        files: &[
            ("ws/a.md", "aaaa"),
            ("ws/b.md", "bbbbbbbb"),
            ("ws/c.md", "cccc"),
        ],
        changed: &[("ws/a.md", Some("aaaaa")), ("ws/c.md", Some("cccccc"))],
        wanted: &[("l", &[named(&["document-changed"], "a.md")])],
        ..PLAIN
    },
    Known {
        name: "a document in front takes from a total, and the break is at the cut behind it",
        manifest: r#"tier t { layer l { all { file "b.md"; file "c.md"; budget total=12 marker="~" }; template "{% for d in documents | reverse %}{{ d.text }};{% endfor %}" } }"#,
        files: &[("ws/b.md", "bbbb"), ("ws/c.md", "cccccccccc")],
        changed: &[("ws/b.md", Some("bbbbb"))],
        wanted: &[("l", &[cut("b.md")])],
        ..PLAIN
    },
];
