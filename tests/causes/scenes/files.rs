//! Roots of several folders, imports, searches, scans and template files.

use super::super::random::Random;
use super::super::scene::Scene;
use super::{document, line, text, with};
use serde_json::json;

/// A root of two folders.
pub(super) fn roots(r: &mut Random) -> Scene {
    let manifest = r#"promptc 1
root workspace many=#true { default "own" "team" }
root other default="ws"
tier one {
    layer a { file "a.md" }
    layer g { glob "g/*.md" }
    layer both { all { file "b.md" root=other; glob "*.md"; file "b.md" root=other { frontmatter strip } } }
}
"#;
    let mut s = Scene::new("roots", manifest);
    s.folders = vec![("workspace", "own"), ("workspace", "team"), ("other", "ws")];
    for path in [
        "own/a.md",
        "team/a.md",
        "own/g/u.md",
        "team/g/u.md",
        "team/g/v.md",
        "ws/b.md",
    ] {
        document(&mut s, r, path);
    }
    s.edits("own/g/t.md", Some(&line(r)));
    s
}

/// Documents that take in others.
pub(super) fn imports(r: &mut Random) -> Scene {
    let manifest = r#"promptc 1
root workspace default="ws"
tier one {
    layer a { file "a.md" { imports at } }
    layer b { file "b.md" { imports at depth=1 missing=drop; budget 40 marker="~~" } }
}
"#;
    let mut s = Scene::new("imports", manifest);
    let (x, y) = (line(r), line(r));
    with(&mut s, r, "ws/a.md", &format!("{x}\n@in/c.md\n{y}\n"));
    with(&mut s, r, "ws/in/c.md", &format!("{y}\n@d.md\n"));
    document(&mut s, r, "ws/in/d.md");
    with(&mut s, r, "ws/b.md", &format!("@in/d.md\n@in/e.md\n{x}\n"));
    s.edits("ws/in/e.md", Some(&line(r)));
    s
}

/// Groups that are searched for.
pub(super) fn searched(r: &mut Random) -> Scene {
    let manifest = r#"promptc 1
root tree default="tree"
root leaf default="tree/s/t"
tier one {
    layer a { file "R.md" "S.md" root=tree search=up from=leaf }
    layer b { all root=tree search=every-level from=leaf order=inner-first { file "R.md"; file "S.md" } }
    layer c { first root=tree search=up from=leaf { file "S.md"; glob "g/*.md" } }
    layer d { all root=tree search=every-level from=leaf join="\n" { glob "g/*.md"; budget 60 marker="~~" } }
}
"#;
    let mut s = Scene::new("searched", manifest);
    s.folders = vec![("tree", "tree")];
    s.file("tree/s/t/keep.txt", "x");
    for path in [
        "tree/R.md",
        "tree/s/R.md",
        "tree/s/t/R.md",
        "tree/S.md",
        "tree/s/S.md",
        "tree/s/t/S.md",
        "tree/g/u.md",
        "tree/s/g/u.md",
    ] {
        if r.one_in(2) {
            document(&mut s, r, path);
        } else {
            let text = text(r);
            s.edits(path, Some(&text));
        }
    }
    s
}

/// Documents in which a scan finds something.
pub(super) fn scanned(r: &mut Random) -> Scene {
    let manifest = r##"promptc 1
root workspace default="ws"
fact strictness string default=strict
scan own {
    scopes all strict
    rule bad #"(?i)forget"# scope=all
    rule hook #"hooks"# scope=strict
}
tier one {
    layer a { first { file "a.md" { scan own on-hit=drop }; file "b.md" { scan own } } }
    layer b { all { glob "g/*.md"; scan own scope=(fact)strictness } }
}
"##;
    let mut s = Scene::new("scanned", manifest);
    for path in ["ws/a.md", "ws/b.md", "ws/g/u.md", "ws/g/v.md"] {
        document(&mut s, r, path);
        let bad = format!("{}\nforget it\n", line(r));
        s.edits(path, Some(&bad));
        let hook = format!("{}\nhooks\n", line(r));
        s.edits(path, Some(&hook));
    }
    s.sets("strictness", json!("all"));
    s
}

/// Template files that include others, macros, comments and labels.
pub(super) fn templates(r: &mut Random) -> Scene {
    let manifest = r#"promptc 1
root workspace default="ws"
fact f0 string default=on
fact f1 string default=aaa
tier one {
    layer a { file "a.md"; template file="outer.j2" }
    layer b { all { file "a.md" label="one"; file "b.md" about="two" }; template file="list.j2" }
    layer c { template file="facts.j2" }
    layer d { file "b.md" { wrap file="wrap.j2"; comments strip } }
}
"#;
    let mut s = Scene::new("templates", manifest);
    document(&mut s, r, "ws/a.md");
    with(
        &mut s,
        r,
        "ws/b.md",
        "<!-- a note -->\ndock\n<!-- more\nnotes -->\nebb x\n",
    );
    let t = |n: &str| format!("templates/{n}");
    s.file(
        &t("outer.j2"),
        "# Rules\n{% include \"inner.j2\" %}\n{{ content }}\nend",
    );
    s.file(&t("inner.j2"), "inside {{ f0 }}");
    s.file(&t("list.j2"), "{% for d in documents %}\n{{ loop.index }} {{ d.label }} {{ d.about }}\n{{ d.text | upper }}\n{% endfor %}");
    s.file(
        &t("facts.j2"),
        "{% set x = f1 ~ '!' %}{{ x }} {% if f0 == 'on' %}yes{% else %}no{% endif %}",
    );
    s.file(&t("wrap.j2"), "<{{ name }}>\n{{ text }}\n</{{ name }}>");
    s.says(&t("outer.j2"), "Rules", "All rules");
    s.says(&t("inner.j2"), "inside", "in here");
    s.says(&t("list.j2"), "upper", "lower");
    s.says(&t("facts.j2"), "yes", "yes indeed");
    s.says(&t("wrap.j2"), "</", "<//");
    s.says("promptc.kdl", "label=\"one\"", "label=\"uno\"");
    s.says("promptc.kdl", "about=\"two\"", "about=\"due\"");
    s.sets("f0", json!("off"));
    s.sets("f1", json!("aab"));
    s.edits("ws/b.md", Some("<!-- another note -->\ndock\nebb x\n"));
    s
}
