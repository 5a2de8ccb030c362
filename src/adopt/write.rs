//! A layout as files: the manifest, documents, templates.

use super::Dump;
use super::fact::{Fact, FactKind};
use super::layer::{Content, Layer, Part};
use super::layout::Layout;
use super::tiers::Tier;
use crate::manifest::FILE_NAME;
use crate::syntax::write;
use crate::text::normalise::is_space;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The folder of the documents and templates, next to the manifest.
pub const FOLDER: &str = "prompt";
/// The join of layers if a manifest does not set one.
pub(super) const DEFAULT_JOIN: &str = "\n\n";

/// A file that makes up the adopted prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path next to the manifest, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// The files of a layout, the manifest first. `scenarios` are the names of the dumps.
pub(super) fn files(layout: &Layout, dumps: &[Dump], scenarios: &[String]) -> Vec<File> {
    let writer = Writer {
        layout,
        dumps,
        scenarios,
    };
    let mut out = vec![File {
        path: FILE_NAME.to_owned(),
        text: writer.manifest(),
    }];
    for tier in &layout.tiers {
        for layer in &tier.layers {
            out.extend(writer.layer_files(tier, layer));
        }
    }
    out
}

/// The files that a fact with file names refers to, by dump.
pub(super) fn variants(layer: &Layer, dumps: &[Dump], scenarios: &[String]) -> Vec<Option<String>> {
    let mut known: BTreeMap<&str, String> = BTreeMap::new();
    let each = layer.at.iter().zip(dumps).zip(scenarios);
    each.map(|((at, dump), scenario)| {
        let text = dump.text.get(at.clone()?)?;
        let new = || format!("{}.{scenario}.md", layer.stem);
        Some(known.entry(text).or_insert_with(new).clone())
    })
    .collect()
}

/// Whether a step is switched off for a whole tier.
fn tier_is_exact(layout: &Layout, tier: &Tier) -> bool {
    layout.join.is_empty() && tier.layers.iter().any(|l| l.is_exact)
}

/// The line after lines that depend on a fact.
const END: &str = "{% endif %}\n";

struct Writer<'a> {
    layout: &'a Layout,
    dumps: &'a [Dump],
    scenarios: &'a [String],
}

impl Writer<'_> {
    fn manifest(&self) -> String {
        let names: Vec<String> = self.dumps.iter().map(|d| commented(&d.name)).collect();
        let mut out = format!(
            "// From {} by `promptc init --from`.\npromptc 1\n",
            names.join(", ")
        );
        if self.layout.join != DEFAULT_JOIN {
            let _ = writeln!(out, "join {}", write::one_line(&self.layout.join));
        }
        let changes = match self.dumps {
            [_] => "",
            _ => " changes=deploy",
        };
        let _ = writeln!(
            out,
            "\nroot workspace default=\"{FOLDER}\"{changes} missing=error\n"
        );
        self.facts(&mut out);
        for tier in &self.layout.tiers {
            self.tier(tier, &mut out);
        }
        for (dump, scenario) in self.scenarios.iter().enumerate() {
            self.scenario(dump, scenario, &mut out);
        }
        out
    }

    fn facts(&self, out: &mut String) {
        let facts = &self.layout.facts;
        let names: Vec<String> = facts.iter().map(|f| write::name(&f.name)).collect();
        let width = names.iter().map(String::len).max().unwrap_or_default();
        for (fact, name) in facts.iter().zip(names) {
            let rest = match (fact.kind, &fact.form) {
                (FactKind::Flag, _) => "bool   default=#false".to_owned(),
                _ if !fact.is_optional() => fact.form.word().to_owned(),
                (FactKind::Text, _) if !fact.is_asked => "string default=\"\"".to_owned(),
                _ => "string optional=#true".to_owned(),
            };
            let _ = writeln!(out, "fact {name:width$} {rest} changes={}", fact.changes);
        }
        if !facts.is_empty() {
            out.push('\n');
        }
    }

    fn tier(&self, tier: &Tier, out: &mut String) {
        let _ = writeln!(out, "tier {} changes={} {{", tier.name, tier.changes);
        if tier_is_exact(self.layout, tier) {
            out.push_str("    trim #false\n");
        }
        let returns = tier.layers.iter().any(|l| l.has_returns);
        if returns {
            out.push_str("    newlines #false\n");
        }
        for layer in &tier.layers {
            self.layer(tier, layer, out);
        }
        out.push_str("}\n");
    }

    fn layer(&self, tier: &Tier, layer: &Layer, out: &mut String) {
        let fact = |fact: usize| write::name(&self.layout.facts[fact].name);
        let content = match &layer.content {
            Content::File => format!("file \"{}.md\"", layer.stem),
            Content::Template(_) => format!("template file=\"{FOLDER}/{}.md.j2\"", layer.stem),
            Content::Value(value) => format!("fact {}", fact(*value)),
            Content::Variants(name) => format!("file (fact){}", fact(*name)),
        };
        let mut parts = Vec::new();
        if layer.is_exact && !tier_is_exact(self.layout, tier) {
            parts.push("trim #false".to_owned());
        }
        if layer.has_bom {
            parts.push("bom #false".to_owned());
        }
        parts.push(content);
        let when = layer
            .when
            .map_or(String::new(), |f| format!(" when={}", fact(f)));
        let comment = layer
            .title
            .as_deref()
            .map_or(String::new(), |title| format!(" // {}", commented(title)));
        let _ = writeln!(
            out,
            "    layer {}{when} {{ {} }}{comment}",
            write::name(&layer.name),
            parts.join("; ")
        );
    }

    fn scenario(&self, dump: usize, name: &str, out: &mut String) {
        let mut sets = String::new();
        for fact in &self.layout.facts {
            if let Some(value) = self.value(fact, dump) {
                let _ = writeln!(sets, "    set {} {value}", write::name(&fact.name));
            }
        }
        let file = &self.dumps[dump].name;
        let stem = file.rsplit(['/', '\\']).next().unwrap_or_default();
        // A comment explains what the name does not.
        let of = if stem
            .strip_prefix(name)
            .is_some_and(|end| end.is_empty() || end.starts_with('.'))
        {
            String::new()
        } else {
            format!(" // {}", commented(file))
        };
        let name = write::name(name);
        let _ = if sets.is_empty() {
            writeln!(out, "\nscenario {name}{of}")
        } else {
            writeln!(out, "\nscenario {name} {{{of}\n{sets}}}")
        };
    }

    /// The value that a scenario gives a fact.
    fn value(&self, fact: &Fact, dump: usize) -> Option<String> {
        let at = fact.at[dump].clone()?;
        match fact.kind {
            FactKind::Flag => Some("#true".to_owned()),
            FactKind::Text => Some(match fact.form.value(&self.dumps[dump].text[at.clone()]) {
                Some(value) => value,
                None => write::string(&self.dumps[dump].text[at], "        "),
            }),
            FactKind::File => {
                let mut layers = self.layout.tiers.iter().flat_map(|t| &t.layers);
                let layer = layers.find(|l| l.name == fact.layer)?;
                let names = variants(layer, self.dumps, self.scenarios);
                Some(write::string(names[dump].as_deref()?, ""))
            }
        }
    }

    fn layer_files(&self, tier: &Tier, layer: &Layer) -> Vec<File> {
        let is_exact = layer.is_exact || tier_is_exact(self.layout, tier);
        let file = |name: String, text: &str| File {
            path: format!("{FOLDER}/{name}"),
            text: if is_exact {
                text.to_owned()
            } else {
                ended(text)
            },
        };
        match &layer.content {
            Content::Value(_) => Vec::new(),
            Content::File => {
                let text = self.texts(layer).next().unwrap_or_default();
                vec![file(format!("{}.md", layer.stem), text)]
            }
            Content::Template(parts) => vec![File {
                path: format!("{FOLDER}/{}.md.j2", layer.stem),
                text: self.template(parts),
            }],
            Content::Variants(_) => {
                let names = variants(layer, self.dumps, self.scenarios);
                let named = names.into_iter().flatten().zip(self.texts(layer));
                let all: BTreeMap<String, &str> = named.collect();
                all.into_iter()
                    .map(|(name, text)| file(name, text))
                    .collect()
            }
        }
    }

    /// The texts of a layer, of the dumps that have it.
    fn texts<'a>(&'a self, layer: &'a Layer) -> impl Iterator<Item = &'a str> {
        let both = layer.at.iter().zip(self.dumps);
        both.filter_map(|(at, dump)| dump.text.get(at.clone()?))
    }

    fn template(&self, parts: &[Part]) -> String {
        let mut out = String::new();
        self.parts(parts, &mut out);
        // The template reader removes one, and after a block it would be ignored.
        if !out.ends_with(END) {
            out.push('\n');
        }
        out
    }

    fn parts(&self, parts: &[Part], out: &mut String) {
        for part in parts {
            match part {
                Part::Fact(fact) => {
                    let fact = &self.layout.facts[*fact];
                    print(&fact.form.printed(&fact.name), out);
                }
                Part::Text(text) => literal(text, out),
                Part::Lines(fact, inner) => {
                    let name = &self.layout.facts[*fact].name;
                    let _ = writeln!(out, "{{% if {name} %}}");
                    self.parts(inner, out);
                    out.push_str(END);
                }
            }
        }
    }
}

/// Text that a template prints as it is.
fn literal(text: &str, out: &mut String) {
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '{' => match rest.next_if(|c| matches!(c, '{' | '%' | '#')) {
                Some(second) => print(&format!("'{{{second}'"), out),
                None => out.push('{'),
            },
            '\r' => print("'\\r'", out),
            '\u{FEFF}' if out.is_empty() => print("'\\uFEFF'", out),
            c => out.push(c),
        }
    }
}

/// Adds a tag that prints an expression. A brace before it must not become a part of it.
fn print(expression: &str, out: &mut String) {
    if out.ends_with('{') {
        out.pop();
        out.push_str("{{ '{' }}");
    }
    let _ = write!(out, "{{{{ {expression} }}}}");
}

/// A document whose outer white space is ignored, as at the end of a file.
fn ended(text: &str) -> String {
    let text = text.trim_matches(is_space);
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    format!("{text}{end}")
}

/// A text inside a comment.
fn commented(text: &str) -> String {
    let plain = |c: char| {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            ' '
        } else {
            c
        }
    };
    text.chars()
        .map(plain)
        .collect::<String>()
        .trim()
        .to_owned()
}
