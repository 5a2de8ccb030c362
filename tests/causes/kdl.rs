//! Writes a world down as a manifest and files.

use super::build::Side;
use super::world::{Bit, Budget, Cond, Kind, Layer, Max, Node, Source, World};
use std::collections::BTreeMap;

/// The facts that every manifest has.
pub(crate) const FACTS: [&str; 4] = ["f0", "f1", "f2", "f3"];

#[derive(Default)]
struct Out {
    text: String,
    depth: usize,
}

impl Out {
    fn line(&mut self, text: &str) {
        self.text.push_str(&"  ".repeat(self.depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }
}

/// The files and facts of a world.
pub(crate) fn side(world: &World) -> Side {
    let mut out = Out::default();
    manifest(world, &mut out);
    let mut files = BTreeMap::new();
    files.insert("promptc.kdl".to_owned(), out.text);
    for (doc, text) in &world.docs {
        files.insert(doc.file(), text.clone());
    }
    for (name, bits) in &world.templates {
        files.insert(format!("templates/{name}"), template(bits));
    }
    let value = |v: &String| serde_json::Value::String(v.clone());
    let facts = world.facts.iter().map(|(k, v)| (k.clone(), value(v)));
    let facts = facts.collect();
    Side { files, facts }
}

fn manifest(world: &World, out: &mut Out) {
    out.line("promptc 1");
    out.line(&format!("join {}", quoted(&world.join)));
    out.line("root workspace default=\"ws\"");
    out.line("root tree default=\"tree\"");
    out.line("root leaf default=\"tree/s/t\"");
    for fact in FACTS {
        out.line(&format!("fact {fact} string"));
    }
    if !world.comment.is_empty() {
        out.line(&format!("// {}", world.comment));
    }
    for tier in &world.tiers {
        let mut head = format!("tier {}", tier.name);
        if tier.user {
            head.push_str(" deliver=user");
        }
        if let Some(join) = &tier.join {
            head.push_str(&format!(" join={}", quoted(join)));
        }
        out.open(&head);
        for l in &tier.layers {
            layer(l, out);
        }
        out.close();
    }
}

fn layer(layer: &Layer, out: &mut Out) {
    let when = layer.when.as_ref().map(when).unwrap_or_default();
    out.open(&format!("layer {}{when}", layer.name));
    if let Some(content) = &layer.content {
        node(content, out);
    }
    for (name, n) in &layer.parts {
        out.line(&format!("part {name} {{"));
        out.depth += 1;
        node(n, out);
        out.depth -= 1;
        out.line("}");
    }
    if let Some(t) = &layer.template {
        out.line(&format!("template {}", source(t)));
    }
    if let Some(b) = &layer.budget {
        out.line(&budget(b));
    }
    out.close();
}

fn node(node: &Node, out: &mut Out) {
    let mut head = match &node.kind {
        Kind::Text(t) => format!("text {}", quoted(t)),
        Kind::Fact(f) => format!("fact {f}"),
        Kind::File(names) => {
            let names: Vec<String> = names.iter().map(|n| quoted(n)).collect();
            format!("file {}", names.join(" "))
        }
        Kind::Up(n) => format!("file {} root=tree search=up from=leaf", quoted(n)),
        Kind::Every(n) => format!("file {} root=tree search=every-level from=leaf", quoted(n)),
        Kind::Glob(folder) => format!("glob {}", quoted(&format!("{folder}/*.md"))),
        Kind::First(_) => "first".to_owned(),
        Kind::All(_, None) => "all".to_owned(),
        Kind::All(_, Some(join)) => format!("all join={}", quoted(join)),
        Kind::Template(t) => format!("template {}", source(t)),
    };
    if let Some(c) = &node.when {
        head.push_str(&when(c));
    }
    out.open(&head);
    for m in node.members() {
        self::node(m, out);
    }
    if node.strip {
        out.line("frontmatter strip");
    }
    if node.comments {
        out.line("comments strip");
    }
    if let Some(bits) = &node.wrap {
        out.line(&format!("wrap {}", quoted(&template(bits))));
    }
    if let Some(b) = &node.budget {
        out.line(&budget(b));
    }
    if out.text.ends_with(" {\n") {
        // Its braces are empty: the line ends before them.
        out.depth -= 1;
        out.text.truncate(out.text.len() - " {\n".len());
        out.text.push('\n');
    } else {
        out.close();
    }
}

fn when(c: &Cond) -> String {
    format!(" when={}", quoted(&cond(c)))
}

fn cond(c: &Cond) -> String {
    match c {
        Cond::Is(f, v) => format!("{f} == '{v}'"),
        Cond::Not(c) => format!("not ({})", cond(c)),
        Cond::Exists(p) => format!("exists('{p}')"),
        Cond::Loaded(l) => format!("loaded('{l}')"),
    }
}

fn source(source: &Source) -> String {
    match source {
        Source::Inline(bits) => quoted(&template(bits)),
        Source::File(name) => format!("file={}", quoted(name)),
    }
}

/// The text of a template.
pub(crate) fn template(bits: &[Bit]) -> String {
    let mut out = String::new();
    for bit in bits {
        match bit {
            Bit::Lit(t) => out.push_str(t),
            Bit::Fact(f) | Bit::Part(f) => out.push_str(&format!("{{{{ {f} }}}}")),
            Bit::Content => out.push_str("{{ content }}"),
            Bit::Text => out.push_str("{{ text }}"),
            Bit::Name => out.push_str("{{ name }}"),
            Bit::If(c, yes, no) => {
                out.push_str(&format!("{{% if {} %}}{}", cond(c), template(yes)));
                if !no.is_empty() {
                    out.push_str(&format!("{{% else %}}{}", template(no)));
                }
                out.push_str("{% endif %}");
            }
        }
    }
    out
}

fn budget(b: &Budget) -> String {
    let unit = if b.bytes { "bytes" } else { "chars" };
    let mut out = match b.max {
        Max::One(n) => format!("budget {n} {unit}"),
        Max::Each(n) => format!("budget {unit} each={n}"),
        Max::Total(n, floor) => format!("budget {unit} total={n} floor={floor}"),
        Max::Both(each, total) => format!("budget {unit} each={each} total={total}"),
    };
    if let Some((head, tail)) = b.ends {
        let quarter = ["0", "0.25", "0.5", "0.75"];
        out.push_str(&format!(" head={} tail={}", quarter[head], quarter[tail]));
    }
    let marker = if b.numbers {
        "(-{{ omitted }} of {{ total }})"
    } else {
        "~~"
    };
    format!("{out} marker={}", quoted(marker))
}

/// A text between quotes.
pub(crate) fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}
