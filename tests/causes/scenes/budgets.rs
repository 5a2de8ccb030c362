//! Budgets of tiers and of the prompt, in other units, with steps, of whole documents.

use super::super::random::Random;
use super::super::scene::Scene;
use super::{document, line};
use serde_json::json;

/// Tiers of which one is cut to its own budget.
pub(super) fn tiers(r: &mut Random) -> Scene {
    let n = r.from(30, 90);
    let (p, q) = (r.from(1, 3) * 20, r.from(1, 3) * 20);
    let manifest = format!(
        r#"promptc 1
root workspace default="ws"
fact on string default=yes
fact room int default=70
tier one {{
    budget {n}
    layer a priority={p} {{ file "a.md" }}
    layer b priority={q} min=12 {{ file "b.md"; budget 200 marker="~~" }}
    layer c when="on == 'yes'" {{ text "the third layer stands here" }}
}}
tier two {{
    budget (fact)room
    layer d {{ file "d.md" }}
    layer e priority=10 {{ template "now {{{{ on }}}} and so on" }}
}}
"#
    );
    let mut s = Scene::new("tiers", &manifest);
    for path in ["ws/a.md", "ws/b.md", "ws/d.md"] {
        document(&mut s, r, path);
    }
    s.sets("on", json!("no"));
    s.sets("room", json!(r.from(15, 90)));
    s.says(
        "promptc.kdl",
        &format!("budget {n}\n"),
        &format!("budget {}\n", r.from(25, 90)),
    );
    s.says("promptc.kdl", "stands here", "stands there now");
    s.says(
        "promptc.kdl",
        &format!("layer a priority={p}"),
        "layer a priority=45",
    );
    s
}

/// A budget of the prompt, with what later tiers set aside.
pub(super) fn prompt(r: &mut Random) -> Scene {
    let n = r.from(60, 160);
    let unit = *r.pick(&["chars", "bytes"]);
    let manifest = format!(
        r#"promptc 1
budget {n} {unit}
root workspace default="ws"
fact on string default=yes
tier one {{
    layer a {{ file "a.md" }}
    layer b priority=30 {{ all {{ glob "g/*.md" }} }}
}}
tier two reserve=20 {{
    layer c priority=60 {{ file "c.md" }}
    layer d min=10 {{ file "d.md"; budget 60 tail=1 marker="(-{{{{ omitted }}}})" }}
}}
tier three {{
    layer e when="on == 'yes'" priority=40 {{ text "the last layer of all" }}
    layer f {{ template "{{{{ on }}}} it is" }}
}}
"#
    );
    let mut s = Scene::new("prompt", &manifest);
    for path in ["ws/a.md", "ws/g/u.md", "ws/g/v.md", "ws/c.md", "ws/d.md"] {
        document(&mut s, r, path);
    }
    s.edits("ws/g/t.md", Some(&line(r)));
    s.sets("on", json!("no"));
    s.says(
        "promptc.kdl",
        &format!("budget {n} "),
        &format!("budget {} ", r.from(50, 170)),
    );
    s.says("promptc.kdl", "reserve=20", "reserve=40");
    s.says("promptc.kdl", "priority=30", "priority=70");
    s
}

/// Budgets in tokens and lines.
pub(super) fn tokens(r: &mut Random) -> Scene {
    let n = r.from(4, 12);
    let manifest = format!(
        r#"promptc 1
budget 40 tokens tokenizer=o200k
root workspace default="ws"
tier one {{
    layer a {{ file "a.md" {{ budget {n} tokens marker="~~" }} }}
    layer b {{ all {{ file "b.md"; file "c.md"; budget 3 lines marker="~~" }} }}
}}
tier two {{
    layer c priority=10 {{ file "d.md" }}
    layer d {{ file "e.md" {{ budget 2 lines tail=1 marker="~~\n" }} }}
}}
"#
    );
    let mut s = Scene::new("tokens", &manifest);
    for path in ["ws/a.md", "ws/b.md", "ws/c.md", "ws/d.md", "ws/e.md"] {
        document(&mut s, r, path);
    }
    s.says(
        "promptc.kdl",
        &format!("budget {n} "),
        &format!("budget {} ", r.from(3, 14)),
    );
    s.says("promptc.kdl", "budget 3 lines", "budget 2 lines");
    s
}

/// Layers that change places under a budget that does not hold both.
pub(super) fn swapped(r: &mut Random) -> Scene {
    let n = r.from(20, 70);
    let manifest = format!(
        r#"promptc 1
root workspace default="ws"
tier one {{
    budget {n}
    layer a {{ file "a.md" }}
    layer b {{ file "b.md" }}
    layer c {{ file "c.md" }}
}}
"#
    );
    let mut s = Scene::new("swapped", &manifest);
    for path in ["ws/a.md", "ws/b.md", "ws/c.md"] {
        document(&mut s, r, path);
    }
    let (a, b) = (
        r#"    layer a { file "a.md" }"#,
        r#"    layer b { file "b.md" }"#,
    );
    s.says("promptc.kdl", &format!("{a}\n{b}"), &format!("{b}\n{a}"));
    s.says("promptc.kdl", &format!("{b}\n"), "");
    s.says(
        "promptc.kdl",
        &format!("budget {n}"),
        &format!("budget {}", r.from(20, 70)),
    );
    s
}

/// Cuts at steps, lines and paragraphs, and two cuts one after the other.
pub(super) fn steps(r: &mut Random) -> Scene {
    let n = r.from(15, 50);
    let manifest = format!(
        r#"promptc 1
root workspace default="ws"
fact on string default=yes
tier one {{
    layer a {{ file "a.md" {{ budget 3 lines tail=1 step=2 marker="(…)\n" }} }}
    layer b {{ file "b.md" {{ budget {n} at=line marker="(more)" }} }}
    layer c {{
        all {{
            file "c.md" {{ budget 25 head=0.5 tail=0.5 marker="~" }}
            file "d.md"
            budget 40 marker="=="
        }}
        template "{{{{ on }}}}: {{{{ content }}}}"
        budget 38 tail=0.75 marker="%%"
    }}
    layer d {{
        all {{
            glob "g/*.md"
            budget each=18 total=40 floor=6 marker="({{{{ label }}}})"
        }}
    }}
}}
"#
    );
    let mut s = Scene::new("steps", &manifest);
    for path in [
        "ws/a.md",
        "ws/b.md",
        "ws/c.md",
        "ws/d.md",
        "ws/g/u.md",
        "ws/g/v.md",
        "ws/g/w.md",
    ] {
        document(&mut s, r, path);
    }
    s.sets("on", json!("no"));
    s.edits("ws/g/t.md", Some(&line(r)));
    s.says(
        "promptc.kdl",
        &format!("budget {n} "),
        &format!("budget {} ", r.from(10, 60)),
    );
    s.says("promptc.kdl", "each=18", "each=25");
    s.says("promptc.kdl", "marker=\"==\"", "marker=\"=:=\"");
    s
}

/// Budgets that leave out whole documents.
pub(super) fn whole(r: &mut Random) -> Scene {
    let n = r.from(25, 60);
    let manifest = format!(
        r#"promptc 1
root workspace default="ws"
tier one {{
    layer a {{
        glob "g/*.md"
        template "Guides:\n{{% for d in documents %}}\n- {{{{ d.text }}}}\n{{% endfor %}}\n{{% if dropped %}}\nand {{{{ dropped }}}} more\n{{% endif %}}\n"
        budget {n} at=entry
    }}
    layer b {{ all {{ glob "h/*.md"; budget 2 entries }} }}
}}
"#
    );
    let mut s = Scene::new("whole", &manifest);
    for path in [
        "ws/g/u.md",
        "ws/g/v.md",
        "ws/g/w.md",
        "ws/h/u.md",
        "ws/h/v.md",
        "ws/h/w.md",
    ] {
        document(&mut s, r, path);
    }
    s.edits("ws/g/t.md", Some(&line(r)));
    s.edits("ws/h/t.md", Some(&line(r)));
    s.renames("ws/g/u.md", "ws/g/x.md");
    s.says("promptc.kdl", "budget 2 entries", "budget 1 entries");
    s.says(
        "promptc.kdl",
        &format!("budget {n} "),
        &format!("budget {} ", r.from(20, 70)),
    );
    s
}
