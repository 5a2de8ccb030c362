//! Memories and skills.

use super::super::random::Random;
use super::super::scene::Scene;
use super::{line, text};
use serde_json::json;
use std::collections::BTreeSet;

fn entries(r: &mut Random, n: usize) -> Vec<String> {
    let mut out: BTreeSet<String> = BTreeSet::new();
    while out.len() < n {
        out.insert(format!(
            "{} {}",
            line(r),
            ["one", "two", "three"][r.below(3)]
        ));
    }
    let mut list: Vec<String> = out.into_iter().collect();
    for i in (1..list.len()).rev() {
        list.swap(i, r.below(i + 1));
    }
    list
}

/// A memory whose entries come, go, change and move.
pub(super) fn memory(r: &mut Random) -> Scene {
    let bound = r.from(30, 80);
    let manifest = format!(
        r#"promptc 1
root workspace default="ws"
fact room int default=200
tier one {{
    layer first {{ text "before" }}
    layer notes {{ memory "NOTES.md" capacity=(fact)room }}
    layer short {{ memory "NOTES.md" {{ budget {bound} at=entry }} }}
    layer told {{
        memory "NOTES.md" {{ wrap "* {{{{ text }}}}" }}
        template "{{% for e in entries %}}\n{{{{ e.text }}}};\n{{% endfor %}}"
    }}
    layer last {{ text "behind" }}
}}
"#
    );
    let mut s = Scene::new("memory", &manifest);
    let list = entries(r, 4);
    let joined = |l: &[String]| l.join("\n§\n") + "\n";
    s.file("ws/NOTES.md", &joined(&list));
    let at = r.below(list.len());
    let mut put = |l: Vec<String>| s.edits("ws/NOTES.md", Some(&joined(&l)));
    let mut edited = list.clone();
    edited[at].push_str(" more");
    put(edited);
    let mut fewer = list.clone();
    fewer.remove(at);
    put(fewer);
    let mut more = list.clone();
    more.insert(at, line(r) + " four");
    put(more);
    let mut moved = list.clone();
    let one = moved.remove(0);
    moved.push(one);
    put(moved);
    let mut twice = list.clone();
    twice.push(list[0].clone());
    put(twice);
    s.edits("ws/NOTES.md", None);
    s.says("promptc.kdl", &format!("budget {bound} "), "budget 60 ");
    s.says("promptc.kdl", "text \"before\"", "text \"in front\"");
    s
}

/// An index of skills.
pub(super) fn skills(r: &mut Random) -> Scene {
    let plain = r.one_in(2);
    let template = if plain {
        String::new()
    } else {
        r#"template "Skills for {{ who }}:\n{% for s in entries %}\n- {{ s.name }}{% if s.description %}: {{ s.description }}{% endif %}\n\n{% endfor %}\n""#.to_owned()
    };
    let manifest = format!(
        r#"promptc 1
root workspace default="ws"
fact off list {{ default deploy }}
fact who string default=ann
tier one {{
    layer skills {{
        skills "skills" {{
            deny (fact)off
            hide "{{% if meta.for | default('all') == 'human' %}}for people{{% endif %}}"
        }}
        {template}
    }}
    layer bodies {{ skills "skills" {{ wrap "{{{{ text }}}}" }} }}
}}
"#
    );
    let mut s = Scene::new("skills", &manifest);
    let skill = |name: &str, about: &str, body: &str| {
        format!("---\nname: {name}\ndescription: {about}\n---\n{body}")
    };
    for name in ["audit", "deploy", "review"] {
        let path = format!("ws/skills/{name}/SKILL.md");
        let (about, body) = (line(r), text(r));
        s.file(&path, &skill(name, &about, &body));
        let other = line(r);
        s.edits(&path, Some(&skill(name, &other, &body)));
        let other = text(r);
        s.edits(&path, Some(&skill(name, &about, &other)));
        let hidden = format!("---\nname: {name}\ndescription: {about}\nfor: human\n---\n{body}");
        s.edits(&path, Some(&hidden));
        s.edits(&path, None);
    }
    let (about, body) = (line(r), text(r));
    s.edits("ws/skills/new/SKILL.md", Some(&skill("new", &about, &body)));
    s.edits("ws/skills/a/SKILL.md", Some(&skill("zebra", &about, &body)));
    s.renames("ws/skills/audit/SKILL.md", "ws/skills/z/SKILL.md");
    s.sets("off", json!([]));
    s.sets("off", json!(["review"]));
    s.sets("who", json!("ben"));
    s
}

/// Lists that templates walk, and conditions over them.
pub(super) fn listed(r: &mut Random) -> Scene {
    let manifest = r#"promptc 1
root workspace default="ws"
fact tools list { default read write }
fact labels map { default { team core; stage beta } }
fact model string default="big-3-pro"
let family "model | split('-') | first"
let can_write "'write' in tools"
tier one {
    layer a { template "Tools:{% for t in tools %} {{ t }};{% endfor %}\n{{ family }} of {{ labels.team }}" }
    layer b when=can_write { file "b.md" }
    layer c { glob "g/*.md" where="name != labels.stage ~ '.md'" }
    layer d {
        part p { file "p.md" }
        file "d.md"
        template "{% if p %}{{ p }} and {% endif %}{{ content }}{% if family == 'big' %} big{% endif %}"
    }
}
"#;
    let mut s = Scene::new("listed", manifest);
    s.file("ws/g/beta.md", "this is beta\n");
    s.file("ws/g/gold.md", "this is gold\n");
    for path in ["ws/b.md", "ws/p.md", "ws/d.md"] {
        super::document(&mut s, r, path);
    }
    s.sets("tools", json!(["read"]));
    s.sets("tools", json!(["read", "run", "write"]));
    s.sets("labels", json!({"team": "edge", "stage": "beta"}));
    s.sets("labels", json!({"team": "core", "stage": "gold"}));
    s.sets("model", json!("small-3-pro"));
    s.sets("model", json!("big-4"));
    s.says("promptc.kdl", "'write' in tools", "'run' in tools");
    s.says("promptc.kdl", "Tools:", "All tools:");
    s
}
