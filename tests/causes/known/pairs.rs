//! The table.

use super::{Known, Named, PLAIN, changed, cut, named};

/// The pairs.
pub(super) const PAIRS: &[Known] = &[
    Known {
        name: "a file with another name and the same text is no cause",
        manifest: r#"tier t { layer l { all { glob "g/*"; file "z.md" } } }"#,
        files: &[("ws/g/x.md", "same"), ("ws/z.md", "zzz")],
        changed: &[
            ("ws/g/x.md", None),
            ("ws/g/y.md", Some("same")),
            ("ws/z.md", Some("yyy")),
        ],
        wanted: &[("l", &[changed("z.md", 1, "zzz", "yyy")])],
        ..PLAIN
    },
    Known {
        name: "a file with another name and the same text that another node shows, and an edited join of the tier",
        manifest: r#"tier t join="\n" { layer l { all { file "a.md"; glob "g/*.md" } } }"#,
        edited: Some(r#"tier t join="\n~\n" { layer l { all { file "a.md"; glob "g/*.md" } } }"#),
        files: &[("ws/a.md", "same"), ("ws/g/w.md", "www")],
        changed: &[("ws/a.md", None), ("ws/g/v.md", Some("same"))],
        wanted: &[("l", &[named(&["layer-edited"], "promptc.kdl")])],
        ..PLAIN
    },
    Known {
        name: "the prefix runs on into the next document, which was edited too",
        manifest: r#"tier t { layer l { all { file "a.md"; file "b.md" } } }"#,
        files: &[("ws/a.md", "aaa"), ("ws/b.md", "bbb\n\nccc")],
        changed: &[("ws/a.md", Some("aaa\n\nbbb")), ("ws/b.md", Some("ddd"))],
        wanted: &[(
            "l",
            &[
                named(&["document-changed"], "a.md"),
                named(&["document-changed"], "b.md"),
            ],
        )],
        ..PLAIN
    },
    Known {
        name: "the prefix runs on into the next document, which is the same",
        manifest: r#"tier t { layer l { all { file "a.md"; file "b.md" } } }"#,
        files: &[("ws/a.md", "aaa"), ("ws/b.md", "bbb\n\nccc")],
        changed: &[("ws/a.md", Some("aaa\n\nbbb"))],
        wanted: &[("l", &[named(&["document-changed"], "a.md")])],
        ..PLAIN
    },
    Known {
        name: "a fact in front and a document behind it",
        manifest: r#"tier t { layer l { file "a.md"; template "{{ s }}{{ content }}" } }"#,
        files: &[("ws/a.md", "def")],
        changed: &[("ws/a.md", Some("eX"))],
        facts: ("abc", "abcd"),
        wanted: &[(
            "l",
            &[
                named(&["fact-changed"], "s"),
                named(&["document-changed"], "a.md"),
            ],
        )],
        ..PLAIN
    },
    Known {
        name: "a part does not bring a layer to life",
        manifest: r#"tier t { layer l { file "c.md"; part p { file "n.md" }; template "{{ p }}{{ content }}" }; layer m { text "x" } }"#,
        files: &[("ws/c.md", "ccc"), ("ws/n.md", "nnn")],
        changed: &[("ws/c.md", None)],
        wanted: &[("l", &[named(&["document-vanished"], "c.md")])],
        ..PLAIN
    },
    Known {
        name: "a layer of a later tier comes back because one in front gave way",
        manifest: "budget 40\ntier one { layer a { file \"a.md\" }; layer x priority=10 { file \"x.md\" } }\ntier two { layer b { file \"b.md\" } }",
        files: &[
            ("ws/a.md", "aaaaaaaaaaaaaaa"),
            ("ws/x.md", "xxxxxxxxxx"),
            ("ws/b.md", "bbbbbbbbbbbbbbbbbbbb"),
        ],
        changed: &[("ws/x.md", Some("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"))],
        wanted: &[("x", &[cut("x.md")]), ("b", &[cut("x.md")])],
        ..PLAIN
    },
    Known {
        name: "two layers change places under a budget that holds one",
        manifest: "tier t {\nbudget 10\nlayer a { file \"a.md\" }\nlayer b { file \"b.md\" }\n}",
        edited: Some(
            "tier t {\nbudget 10\nlayer b { file \"b.md\" }\nlayer a { file \"a.md\" }\n}",
        ),
        files: &[("ws/a.md", "aaaaaaaa"), ("ws/b.md", "bbbbbbbb")],
        wanted: &[
            ("a", &[named(&["cut-moved", "layer-moved"], "")]),
            ("b", &[named(&["cut-moved", "layer-moved"], "")]),
        ],
        ..PLAIN
    },
    Known {
        name: "an edit in a kept tail",
        manifest: r#"tier t { layer l { file "a.md" { budget 9 tail=1 marker="~" } } }"#,
        files: &[("ws/a.md", "one\ntwo\nthree")],
        changed: &[("ws/a.md", Some("one\ntwo\ntrees"))],
        wanted: &[("l", &[changed("a.md", 3, "three", "trees")])],
        ..PLAIN
    },
    Known {
        name: "a line of which the middle was cut out",
        manifest: r#"tier t { layer l { file "a.md" { budget 11 head=0.5 tail=0.5 marker="~" } } }"#,
        files: &[("ws/a.md", "one two three four five six")],
        changed: &[("ws/a.md", Some("one two three four five sax"))],
        wanted: &[("l", &[named(&["document-changed"], "a.md")])],
        ..PLAIN
    },
    Known {
        name: "a tail that begins elsewhere because the text grew",
        manifest: r#"tier t { layer l { file "a.md" { budget 9 tail=1 marker="~" } } }"#,
        files: &[("ws/a.md", "one\ntwo\nthree")],
        changed: &[("ws/a.md", Some("one\ntwo\nthree\nfour"))],
        wanted: &[("l", &[cut("a.md")])],
        ..PLAIN
    },
    Known {
        name: "an edit that was left out has no line",
        manifest: r#"tier t { layer l { file "a.md" { budget 12 marker="(-{{ omitted }})" } } }"#,
        files: &[("ws/a.md", "aaaa bbbb cccc\ndddd")],
        changed: &[("ws/a.md", Some("aaaa bbbb cccc\ndddd eeee"))],
        wanted: &[("l", &[cut("a.md")])],
        ..PLAIN
    },
    Known {
        name: "a document outgrows its own budget inside of a group with one",
        manifest: r#"tier t { layer l { all { file "a.md" { budget 6 marker="~" }; file "b.md"; budget 12 marker="=" } } }"#,
        files: &[("ws/a.md", "aaaaa"), ("ws/b.md", "bbbbbbbb")],
        changed: &[("ws/a.md", Some("aaaaaaaaaa"))],
        wanted: &[("l", &[cut("a.md")])],
        ..PLAIN
    },
    Known {
        name: "an edit in front of two cuts",
        manifest: r#"tier t { layer l { all { file "a.md" { budget 9 marker="~" }; file "b.md"; budget 14 marker="=" } } }"#,
        files: &[("ws/a.md", "aa\nbbb\ncccccc"), ("ws/b.md", "bbbbbbbb")],
        changed: &[("ws/a.md", Some("aa\nbxb\ncccccc"))],
        wanted: &[("l", &[changed("a.md", 2, "bbb", "bxb")])],
        ..PLAIN
    },
    Known {
        name: "an edit that both cuts leave out breaks nothing, one in the next document does",
        manifest: r#"tier t { layer l { all { file "a.md" { budget 5 marker="~" }; file "b.md" } } }"#,
        files: &[("ws/a.md", "aaaaaaaaaa"), ("ws/b.md", "one\ntwo")],
        changed: &[
            ("ws/a.md", Some("aaaaaaaaax")),
            ("ws/b.md", Some("one\ntoo")),
        ],
        wanted: &[("l", &[changed("b.md", 2, "two", "too")])],
        ..PLAIN
    },
    Known {
        name: "the nearer file goes, the farther one was always there",
        manifest: r#"tier t { layer l { file "R.md" root=tree search=up from=leaf } }"#,
        files: &[("tree/R.md", "far"), ("tree/s/t/R.md", "near")],
        changed: &[("tree/s/t/R.md", None)],
        wanted: &[("l", &[named(&["document-vanished"], "s/t/R.md")])],
        ..PLAIN
    },
    Known {
        name: "a nearer file comes, the farther one stays",
        manifest: r#"tier t { layer l { file "R.md" root=tree search=up from=leaf } }"#,
        files: &[("tree/R.md", "far")],
        changed: &[("tree/s/R.md", Some("near"))],
        wanted: &[("l", &[named(&["document-appeared"], "s/R.md")])],
        ..PLAIN
    },
    Known {
        name: "an earlier member of a first has text now",
        manifest: r#"tier t { layer l { first { file "a.md"; file "b.md" } } }"#,
        files: &[("ws/b.md", "bbb")],
        changed: &[("ws/a.md", Some("aaa")), ("ws/b.md", None)],
        wanted: &[("l", &[named(&["document-appeared"], "a.md")])],
        ..PLAIN
    },
    Known {
        name: "a file twice in a layer",
        manifest: r#"tier t { layer l { all { file "a.md"; file "a.md" { frontmatter strip } } } }"#,
        files: &[("ws/a.md", "---\nx: 1\n---\nbody one\nbody two")],
        changed: &[("ws/a.md", Some("---\nx: 1\n---\nbody one\nbody too"))],
        wanted: &[("l", &[changed("a.md", 5, "body two", "body too")])],
        ..PLAIN
    },
    Known {
        name: "a file twice in a template",
        manifest: r#"tier t { layer l { file "a.md"; template "{{ content }}{{ content }}" } }"#,
        files: &[("ws/a.md", "one\ntwo")],
        changed: &[("ws/a.md", Some("one\ntoo"))],
        wanted: &[("l", &[changed("a.md", 2, "two", "too")])],
        ..PLAIN
    },
    Known {
        name: "front matter goes, and lines count in the file",
        manifest: r#"tier t { layer l { file "a.md" { frontmatter strip } } }"#,
        files: &[("ws/a.md", "---\nx: 1\n---\n\nbody one\nbody two")],
        changed: &[("ws/a.md", Some("---\nx: 2\n---\n\nbody ono\nbody two"))],
        wanted: &[("l", &[changed("a.md", 5, "body one", "body ono")])],
        ..PLAIN
    },
    Known {
        name: "a wrap stands around a line, not in it",
        manifest: r##"tier t { layer l { all { glob "g/*" { wrap "# {{ text }} end" } } } }"##,
        files: &[("ws/g/a.md", "one\ntwo"), ("ws/g/b.md", "three")],
        changed: &[("ws/g/a.md", Some("one\ntoo"))],
        wanted: &[("l", &[changed("g/a.md", 2, "two", "too")])],
        ..PLAIN
    },
    Known {
        name: "comments go, and the line is that of the file",
        manifest: r#"tier t { layer l { file "a.md" { comments strip } } }"#,
        files: &[("ws/a.md", "one\n<!-- note -->\ntwo\n<!-- note -->\nthree")],
        changed: &[(
            "ws/a.md",
            Some("one\n<!-- note -->\ntoo\n<!-- note -->\nthree"),
        )],
        wanted: &[("l", &[changed("a.md", 3, "two", "too")])],
        ..PLAIN
    },
    Known {
        name: "one path in two folders of a root",
        manifest: r#"tier t { layer l { glob "*.md" root=both } }"#,
        files: &[("own/a.md", "one\ntwo"), ("team/a.md", "three")],
        changed: &[("own/a.md", Some("one\ntoo"))],
        wanted: &[("l", &[changed("a.md", 2, "two", "too")])],
        ..PLAIN
    },
    Known {
        name: "a member is new in the manifest, its file was there",
        manifest: "tier t {\nlayer l {\nall {\nfile \"a.md\"\n}\n}\n}",
        edited: Some("tier t {\nlayer l {\nall {\nfile \"b.md\"\nfile \"a.md\"\n}\n}\n}"),
        files: &[("ws/a.md", "aaa"), ("ws/b.md", "bbb")],
        wanted: &[("l", &[named(&["layer-edited"], "promptc.kdl")])],
        ..PLAIN
    },
    Known {
        name: "a member moved to the end, and its file is gone",
        manifest: "tier t {\nlayer l {\nall {\nfile \"a.md\"\nfile \"b.md\"\nfile \"c.md\"\n}\n}\n}",
        edited: Some(
            "tier t {\nlayer l {\nall {\nfile \"b.md\"\nfile \"c.md\"\nfile \"a.md\"\n}\n}\n}",
        ),
        files: &[("ws/a.md", "aaa"), ("ws/b.md", "bbb"), ("ws/c.md", "ccc")],
        changed: &[("ws/a.md", None)],
        wanted: &[("l", &[named(&["document-vanished"], "a.md")])],
        ..PLAIN
    },
    Known {
        name: "a condition that a document answers",
        manifest: r#"tier t { layer l { all { text "x"; file "d.md" when="exists('d.md')" } } }"#,
        files: &[],
        changed: &[("ws/d.md", Some("ddd"))],
        wanted: &[(
            "l",
            &[Named {
                because: "d.md",
                ..named(&["condition-flipped"], "")
            }],
        )],
        ..PLAIN
    },
    Known {
        name: "a condition takes away a document that was edited",
        manifest: r#"tier t { layer l { all { text "x"; file "d.md" when="s == 'abc'" } } }"#,
        files: &[("ws/d.md", "ddd")],
        changed: &[("ws/d.md", Some("eee"))],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["condition-flipped"], "s")])],
        ..PLAIN
    },
    Known {
        name: "a condition that flips for a file that is not there is no cause",
        manifest: r#"tier t { layer l { first { file "n.md" when="s == 'abc'"; file "a.md"; text "x" } } }"#,
        files: &[],
        changed: &[("ws/a.md", Some("aaa"))],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["document-appeared"], "a.md")])],
        ..PLAIN
    },
    Known {
        name: "a condition takes away a group with a fact in it",
        manifest: r#"tier t { layer l { first { all when="s == 'abc'" { fact s; text "y" }; text "x" } } }"#,
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["condition-flipped"], "s")])],
        ..PLAIN
    },
    Known {
        name: "a fact that a template asks for, and a document further down",
        manifest: r#"tier t { layer l { file "a.md"; template "{% if s == 'abc' %}one{% else %}two{% endif %} {{ content }}" } }"#,
        files: &[("ws/a.md", "aaa")],
        changed: &[("ws/a.md", Some("aab"))],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["fact-changed"], "s")])],
        ..PLAIN
    },
    Known {
        name: "a skill that is listed now, and was edited",
        manifest: r#"tier t { layer l { skills "k" { exclude "_*"; hide "{% if s == 'abc' and name == 'two' %}x{% endif %}" } } }"#,
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
        changed: &[(
            "ws/k/two/SKILL.md",
            Some("---\nname: two\ndescription: second\n---\ny"),
        )],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["condition-flipped"], "s")])],
        ..PLAIN
    },
    Known {
        name: "a budget of the prompt counts the layers whose sizes changed, not those that were cut by it",
        manifest: "budget 30\ntier one { layer a { file \"a.md\" } }\ntier two { layer b { file \"b.md\" } }",
        files: &[("ws/a.md", "aaaaaaaaaa"), ("ws/b.md", "bbbbbbbbbb")],
        changed: &[("ws/a.md", Some("aaaaaaaaaaaaaaaaaaaaaaaaa"))],
        wanted: &[
            ("a", &[named(&["document-changed"], "a.md")]),
            ("b", &[cut("a.md")]),
        ],
        ..PLAIN
    },
    Known {
        name: "a join that was edited, and a document behind it that is new",
        manifest: "tier t {\nlayer l {\nall join=\"--\" {\ntext \"x\"\nglob \"g/*\"\n}\n}\n}",
        edited: Some("tier t {\nlayer l {\nall join=\"-+\" {\ntext \"x\"\nglob \"g/*\"\n}\n}\n}"),
        files: &[("ws/g/b.md", "bbb")],
        changed: &[("ws/g/a.md", Some("aaa"))],
        wanted: &[("l", &[named(&["layer-edited"], "promptc.kdl")])],
        ..PLAIN
    },
    Known {
        name: "the join of a tier was edited, and the last document",
        manifest: "tier t join=\"-\" {\nlayer a { text \"x\" }\nlayer b { text \"y\" }\nlayer c { file \"c.md\" }\n}",
        edited: Some(
            "tier t join=\"+\" {\nlayer a { text \"x\" }\nlayer b { text \"y\" }\nlayer c { file \"c.md\" }\n}",
        ),
        files: &[("ws/c.md", "ccc")],
        changed: &[("ws/c.md", Some("ccd"))],
        wanted: &[
            ("b", &[named(&["layer-edited"], "promptc.kdl")]),
            ("c", &[named(&["layer-edited"], "promptc.kdl")]),
        ],
        ..PLAIN
    },
    Known {
        name: "the join of a tier was edited, and a layer added in front of another",
        manifest: "tier t join=\"-\" {\nlayer a { text \"x\" }\nlayer b { text \"y\" }\n}",
        edited: Some(
            "tier t join=\"+\" {\nlayer a { text \"x\" }\nlayer n { text \"n\" }\nlayer b { text \"y\" }\n}",
        ),
        wanted: &[(
            "n",
            &[
                named(&["layer-edited"], "promptc.kdl"),
                named(&["layer-added"], "promptc.kdl"),
            ],
        )],
        ..PLAIN
    },
    Known {
        name: "the number of a budget that cuts nothing",
        manifest: r#"tier t { layer l { file "a.md" { budget 100 } } }"#,
        edited: Some(r#"tier t { layer l { file "a.md" { budget 90 } } }"#),
        files: &[("ws/a.md", "aaa")],
        changed: &[("ws/a.md", Some("aab"))],
        wanted: &[("l", &[changed("a.md", 1, "aaa", "aab")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a file that a condition leaves out",
        manifest: r#"tier t { layer l { glob "g/*" where="name != 'b.md'" } }"#,
        files: &[("ws/g/a.md", "aaa"), ("ws/g/b.md", "bbb")],
        changed: &[("ws/g/a.md", Some("aab")), ("ws/g/b.md", Some("bbc"))],
        wanted: &[("l", &[changed("g/a.md", 1, "aaa", "aab")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "a document that a budget leaves out on both sides",
        manifest: r#"tier t { layer l { all { glob "g/*"; budget 1 entries } } }"#,
        files: &[("ws/g/a.md", "aaa"), ("ws/g/b.md", "bbb")],
        changed: &[("ws/g/a.md", Some("aab")), ("ws/g/b.md", Some("bbc"))],
        wanted: &[("l", &[changed("g/a.md", 1, "aaa", "aab")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "the body of a skill of which an index shows the description",
        manifest: r#"tier t { layer l { skills "k" } }"#,
        files: &[
            ("ws/k/one/SKILL.md", "---\ndescription: first\n---\nx"),
            ("ws/k/two/SKILL.md", "---\ndescription: second\n---\nx"),
        ],
        changed: &[
            (
                "ws/k/one/SKILL.md",
                Some("---\ndescription: firmer\n---\nx"),
            ),
            (
                "ws/k/two/SKILL.md",
                Some("---\ndescription: second\n---\ny"),
            ),
        ],
        wanted: &[("l", &[named(&["item-changed"], "k/one/SKILL.md")])],
        quiet: true,
        ..PLAIN
    },
    Known {
        name: "white space alone, and a cut behind it",
        manifest: r#"tier t { layer l { file "a.md" { budget 9 marker="~" } } }"#,
        files: &[("ws/a.md", "aa bb\ncccccccc")],
        changed: &[("ws/a.md", Some("aa  bb\ncccccccc"))],
        wanted: &[("l", &[named(&["whitespace-only"], "a.md")])],
        ..PLAIN
    },
    Known {
        name: "two tails, and an edit in the second document",
        manifest: r#"tier t { layer l { all { file "a.md"; file "b.md" { budget 8 tail=1 marker="~" }; budget 14 tail=0.75 marker="=" } } }"#,
        files: &[("ws/a.md", "aaaaaaa"), ("ws/b.md", "one\ntwo\nthree")],
        changed: &[("ws/b.md", Some("one\ntwo\nthras"))],
        wanted: &[("l", &[changed("b.md", 3, "three", "thras")])],
        ..PLAIN
    },
    Known {
        name: "a template that prints a fact twice and asks for it",
        manifest: r#"tier t { layer l { file "a.md"; template "{% if s == 'abc' %}one{% else %}two{% endif %} {{ s }} {{ content }}" } }"#,
        files: &[("ws/a.md", "abc")],
        changed: &[("ws/a.md", Some("xyz"))],
        facts: ("abc", "xyz"),
        wanted: &[("l", &[named(&["fact-changed"], "s")])],
        ..PLAIN
    },
];
