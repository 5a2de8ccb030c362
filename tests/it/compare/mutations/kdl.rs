//! A world as the files that a build reads.

use super::world::{
    Ask, Body, Budget, Chunk, Condition, Document, Fact, Glob, Layer, MARKER, Member, MemberKind,
    Name, Shape, Source, Spread, World,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The manifest.
pub(super) fn manifest(world: &World) -> String {
    let mut out = format!(
        "promptc 1\n// {}\njoin {}\nroot workspace default=\"ws\"\n",
        world.comment,
        quoted(&world.join)
    );
    for (name, fact) in &world.facts {
        let kind = match fact {
            Fact::Text(_) => "string",
            Fact::Optional(_) => "string optional=#true",
            Fact::Flag(_) => "bool",
            Fact::List(_) => "list",
        };
        writeln!(out, "fact {name} {kind}").unwrap();
    }
    for (name, expression) in lets(world) {
        writeln!(out, "let {name} {}", quoted(&expression)).unwrap();
    }
    for tier in &world.tiers {
        write!(out, "tier {} deliver={}", tier.name, tier.deliver).unwrap();
        if let Some(changes) = tier.changes {
            write!(out, " changes={changes}").unwrap();
        }
        if let Some(join) = &tier.join {
            write!(out, " join={}", quoted(join)).unwrap();
        }
        out.push_str(" {\n");
        for layer in &tier.layers {
            out.push_str(&self::layer(layer));
        }
        out.push_str("}\n");
    }
    out
}

/// Name and expression of all lets, each once.
fn lets(world: &World) -> BTreeSet<(String, String)> {
    let mut out = BTreeSet::new();
    for (_, condition) in world.conditions() {
        if condition.named {
            out.insert((let_name(condition), plain(condition)));
        }
    }
    for name in world.facts.keys() {
        out.insert((format!("loud_{name}"), format!("{name} | upper")));
    }
    // Only texts are ever printed loud.
    out.retain(|(name, _)| {
        let fact = name.strip_prefix("loud_").and_then(|f| world.facts.get(f));
        !name.starts_with("loud_") || matches!(fact, Some(Fact::Text(_)))
    });
    out
}

/// A let for a condition, called after what it says.
fn let_name(condition: &Condition) -> String {
    let mut name = "is".to_owned();
    for c in plain(condition).chars() {
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
            '=' => name.push_str("_eq"),
            c if !c.is_ascii() => write!(name, "u{:x}", c as u32).unwrap(),
            _ => name.push('_'),
        }
    }
    name
}

fn plain(condition: &Condition) -> String {
    let ask = match &condition.ask {
        Ask::Flag(fact) => fact.clone(),
        Ask::Equals(fact, value) => format!("{fact} == '{value}'"),
        Ask::Holds(fact, item) => format!("'{item}' in {fact}"),
        Ask::Defined(fact) => format!("{fact} is defined"),
        Ask::Exists(path) => format!("exists('{path}')"),
        Ask::Loaded(layer) => format!("loaded('{layer}')"),
    };
    if condition.not {
        format!("not ({ask})")
    } else {
        ask
    }
}

fn when(condition: Option<&Condition>) -> String {
    match condition {
        None => String::new(),
        Some(c) if c.named => format!(" when={}", let_name(c)),
        Some(c) => format!(" when={}", quoted(&plain(c))),
    }
}

fn layer(layer: &Layer) -> String {
    let mut out = format!("    layer {}{} {{\n", layer.name, when(layer.when.as_ref()));
    match &layer.shape {
        Shape::File {
            name,
            label,
            budget,
        } => out.push_str(&file(name, label.as_deref(), budget.as_ref())),
        Shape::Glob(glob) => out.push_str(&self::glob(glob)),
        Shape::First(paths, text) => {
            out.push_str("        first {\n");
            for path in paths {
                writeln!(out, "            file {}", quoted(path)).unwrap();
            }
            writeln!(out, "            text {}\n        }}", quoted(text)).unwrap();
        }
        Shape::All { join, members } => {
            let join = join.as_ref().map(|j| format!(" join={}", quoted(j)));
            writeln!(out, "        all{} {{", join.unwrap_or_default()).unwrap();
            members.iter().for_each(|m| out.push_str(&member(m)));
            out.push_str("        }\n");
        }
        Shape::Bare => {}
    }
    if let Some(template) = &layer.template {
        writeln!(out, "        template {}", source(template)).unwrap();
    }
    out.push_str("    }\n");
    out
}

fn file(name: &Name, label: Option<&str>, budget: Option<&Budget>) -> String {
    let mut out = match name {
        Name::Fixed(path) => format!("        file {}", quoted(path)),
        Name::Fact(fact) => format!("        file (fact){fact}"),
    };
    if let Some(label) = label {
        let wrap = quoted("<{{ label }}> {{ text }}");
        write!(out, " label={} {{ wrap {wrap}; }}", quoted(label)).unwrap();
    }
    if let Some(budget) = budget {
        let ends = if budget.tail {
            " head=0.5 tail=0.25"
        } else {
            ""
        };
        let marker = marker(budget.sizes);
        write!(
            out,
            " {{ budget {}{ends} at=char marker={marker}; }}",
            budget.max
        )
        .unwrap();
    }
    out + "\n"
}

fn marker(sizes: bool) -> String {
    quoted(if sizes {
        "[{{ omitted }} of {{ total }}]"
    } else {
        MARKER
    })
}

fn glob(glob: &Glob) -> String {
    let mut out = format!("        glob {}", quoted(&format!("{}/*.md", glob.folder)));
    if let Some(fact) = &glob.audience {
        write!(
            out,
            " where={}",
            quoted(&format!("meta.audience == {fact}"))
        )
        .unwrap();
    }
    out.push_str(" {\n");
    if glob.audience.is_some() {
        out.push_str("            frontmatter parse\n");
    }
    if let Some(wrap) = &glob.wrap {
        writeln!(out, "            wrap {}", source(wrap)).unwrap();
    }
    if let Some(spread) = &glob.budget {
        out.push_str(&self::spread(spread));
    }
    out.push_str("        }\n");
    if glob.budget.as_ref().is_some_and(|s| s.reversed) {
        let each = "{% for d in documents | reverse %}\n{{ d.text }}\n{% endfor %}";
        writeln!(out, "        template {}", quoted(each)).unwrap();
    }
    out
}

fn spread(spread: &Spread) -> String {
    let mut out = "            budget".to_owned();
    let settings = [
        ("each", spread.each),
        ("total", spread.total),
        ("floor", spread.floor),
    ];
    for (name, value) in settings {
        if let Some(value) = value {
            write!(out, " {name}={value}").unwrap();
        }
    }
    writeln!(out, " at=char marker={}", marker(spread.sizes)).unwrap();
    out
}

fn member(member: &Member) -> String {
    let when = when(member.when.as_ref());
    match &member.kind {
        MemberKind::Text(text) => format!("            text {}{when}\n", quoted(text)),
        MemberKind::File(path) => format!("            file {}{when}\n", quoted(path)),
        MemberKind::Template(body) => format!("            template {}{when}\n", source(body)),
    }
}

fn source(source: &Source) -> String {
    match source {
        Source::Inline(body) => quoted(&template(body)),
        Source::File(name) => format!("file={}", quoted(name)),
    }
}

/// A template as it is written.
pub(super) fn template(body: &Body) -> String {
    let chunk = |chunk: &Chunk| match chunk {
        Chunk::Text(text) => text.clone(),
        Chunk::Fact(fact) => format!("{{{{ {fact} }}}}"),
        Chunk::Items(fact) => format!("{{{{ {fact} | join(', ') }}}}"),
        Chunk::Let(fact) => format!("{{{{ loud_{fact} }}}}"),
        Chunk::Choice(fact, yes, no) => {
            format!("{{% if {fact} %}}{yes}{{% else %}}{no}{{% endif %}}")
        }
        Chunk::Include(name) => format!("{{% include '{name}' %}}"),
        Chunk::Content => "{{ content }}".to_owned(),
        Chunk::Attribute(name) => format!("{{{{ {name} }}}}"),
    };
    body.iter().map(chunk).collect()
}

/// A document's file.
pub(super) fn document(document: &Document) -> String {
    match &document.audience {
        Some(audience) => format!("---\naudience: {audience}\n---\n\n{}\n", document.text),
        None => format!("{}\n", document.text),
    }
}

/// The facts file.
pub(super) fn facts(world: &World) -> Value {
    let mut out = Map::new();
    for (name, fact) in &world.facts {
        let value = match fact {
            Fact::Text(text) | Fact::Optional(Some(text)) => json!(text),
            Fact::Optional(None) => continue,
            Fact::Flag(flag) => json!(flag),
            Fact::List(items) => json!(items),
        };
        out.insert(name.clone(), value);
    }
    out.into()
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}
