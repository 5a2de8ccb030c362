//! `promptc explain --merged`: the merged manifest as KDL, with the file and line that each part comes from.

use super::grammar::{LAYER, Overlay, Row, top};
use super::model::Manifest;
use super::slot::{Said, Slot, base_content, first_text, slots};
use crate::diagnostic::span::{Files, Span};
use crate::syntax::{Entry, Node, Scalar};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

/// One indentation.
const STEP: &str = "    ";

/// In which order the nodes of the top level are printed; those without a name of their own that hold settings are said of
/// the whole.
const ORDER: [&str; 13] = [
    "name",
    "join",
    "budget",
    "root",
    "fact",
    "let",
    "scan",
    "tier",
    "session",
    "directory-rules",
    "waive",
    "scenario",
    "expect",
];
/// The nodes that are printed as they are written.
const WHOLE: [&str; 8] = [
    "name",
    "join",
    "budget",
    "let",
    "directory-rules",
    "waive",
    "scenario",
    "expect",
];

/// The manifest as KDL.
pub fn kdl(manifest: &Manifest, files: &Files) -> String {
    let printer = Printer { manifest, files };
    let mut out = String::from("promptc 1\n");
    for (node, row) in printer.nodes() {
        printer.declaration(&mut out, node, row, "");
    }
    out
}

/// The merged manifest, part by part.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Report<'a> {
    /// The manifest's `name`.
    prompt: Option<&'a str>,
    /// The files that it was read from, in the order of reading.
    files: Vec<&'a str>,
    /// The nodes about the whole prompt.
    slots: Vec<Part<'a>>,
    /// Roots, facts, lets, scans and tiers.
    declarations: Vec<Declared<'a>>,
    directory_rules: Option<Part<'a>>,
    session: Option<Slots<'a>>,
    waivers: Vec<Part<'a>>,
    scenarios: Vec<Part<'a>>,
    /// Prefix families.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expects: Vec<Part<'a>>,
}

/// A place in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct SourceLocation {
    path: Arc<str>,
    /// From 1.
    line: usize,
}

/// A part as it was written.
#[derive(Debug, Serialize, JsonSchema)]
struct Part<'a> {
    name: Cow<'a, str>,
    /// Its KDL.
    text: String,
    #[serde(flatten)]
    place: SourceLocation,
}

/// The parts of a node without a name.
#[derive(Debug, Serialize, JsonSchema)]
struct Slots<'a> {
    #[serde(flatten)]
    place: SourceLocation,
    slots: Vec<Part<'a>>,
}

/// A declaration.
#[derive(Debug, Serialize, JsonSchema)]
struct Declared<'a> {
    /// `root`, `fact`, `let`, `scan`, `tier` or `layer`.
    kind: &'static str,
    name: Option<&'a str>,
    #[serde(flatten)]
    place: SourceLocation,
    /// The type of a fact, with the place that declares it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    of: Option<Typed<'a>>,
    /// The KDL of a let.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    slots: Vec<Part<'a>>,
    /// The layers of a tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<Vec<Self>>,
}

/// The type of a fact.
#[derive(Debug, Serialize, JsonSchema)]
struct Typed<'a> {
    name: &'a str,
    #[serde(flatten)]
    place: SourceLocation,
}

/// The merged manifest for programs.
pub fn report<'a>(manifest: &'a Manifest, files: &'a Files) -> Report<'a> {
    let printer = Printer { manifest, files };
    let nodes = printer.nodes();
    let of = |kinds: &'static [&str]| {
        let nodes = nodes.iter().copied();
        nodes.filter(|(node, _)| kinds.contains(&node.name().value()))
    };
    let written = |(node, _): (Node<'a>, _)| printer.written(node.name().value(), node);
    let named = |(node, _): (Node<'a>, _)| {
        let name = first_text(node).map_or("", |(name, _)| name);
        printer.written(name, node)
    };
    let declared = |(node, row)| printer.declared(node, row);
    Report {
        prompt: manifest.name.as_ref().map(|n| n.value.as_str()),
        files: manifest.sheets.iter().map(|s| &*s.name).collect(),
        slots: of(&["join", "budget"]).map(written).collect(),
        declarations: of(&["root", "fact", "let", "scan", "tier"])
            .map(declared)
            .collect(),
        directory_rules: of(&["directory-rules"]).map(written).next(),
        session: of(&["session"]).next().map(|(node, row)| Slots {
            place: printer.at(node.name().span()),
            slots: printer.slots(node, row),
        }),
        waivers: of(&["waive"]).map(written).collect(),
        scenarios: of(&["scenario"]).map(named).collect(),
        expects: of(&["expect"]).map(named).collect(),
    }
}

struct Printer<'a> {
    manifest: &'a Manifest,
    files: &'a Files,
}

impl<'a> Printer<'a> {
    /// `FILE:LINE` of a place.
    fn place(&self, at: Span) -> String {
        let line = self.files.get(at.file).lines.line(at.start as usize);
        format!("{}:{line}", self.manifest.name_of(at.file))
    }

    /// The line above a part that says where it comes from, if there is more than one place.
    fn origin(&self, out: &mut String, indent: &str, at: Span) {
        if self.manifest.sheets.len() > 1 {
            let _ = writeln!(out, "{indent}// {}", self.place(at));
        }
    }

    /// The nodes of the top level that say something of the merged manifest, in the order of printing, each with its row.
    fn nodes(&self) -> Vec<(Node<'a>, &'static Row)> {
        let rank = |node: Node<'_>| {
            let name = node.name().value();
            // The nodes about the whole stay in order.
            let name = if name == "budget" { "join" } else { name };
            ORDER.iter().position(|kind| *kind == name)
        };
        let nodes = self.manifest.tree.nodes().iter();
        let said = nodes.filter_map(|node| Some((rank(node)?, node, top(node.name().value())?)));
        // `directory-rules #false` takes that of a base away.
        let directory_rules = self.manifest.directory_rules.is_some();
        let said =
            said.filter(|(_, node, _)| directory_rules || node.name().value() != "directory-rules");
        let mut said: Vec<_> = said.collect();
        said.sort_by_key(|(rank, _, _)| *rank);
        said.into_iter().map(|(_, node, row)| (node, row)).collect()
    }

    /// A node of the top level, or a layer.
    fn declaration(&self, out: &mut String, node: Node<'a>, row: &'static Row, indent: &str) {
        if WHOLE.contains(&row.name) {
            self.origin(out, indent, node.span());
            let _ = writeln!(out, "{indent}{}", self.whole(node, indent));
            return;
        }
        let place = node.name().span();
        let (properties, children): (Vec<_>, Vec<_>) =
            slots(node, row).into_iter().partition(Slot::is_property);
        self.origin(out, indent, place);
        let arguments: Vec<_> = node.arguments().collect();
        for argument in arguments.iter().filter(|a| a.span().file != place.file) {
            let word = word(*argument);
            let _ = writeln!(out, "{indent}// {word} {}", self.place(argument.span()));
        }
        for slot in properties.iter().filter(|s| s.place().file != place.file) {
            let _ = writeln!(
                out,
                "{indent}// {}= {}",
                slot.name,
                self.place(slot.place())
            );
        }
        let _ = write!(out, "{indent}{}", row.name);
        for (at, argument) in arguments.iter().enumerate() {
            let written = match at {
                0 => self.source(argument.span(), indent),
                _ => word(*argument).to_owned(),
            };
            let _ = write!(out, " {written}");
        }
        for slot in &properties {
            let _ = write!(out, " {}", self.source(slot.place(), indent));
        }
        let below = layers(node);
        if children.is_empty() && below.is_empty() {
            out.push('\n');
            return;
        }
        out.push_str(" {\n");
        let deeper = format!("{indent}{STEP}");
        for slot in children {
            if slot.place().file != place.file {
                self.origin(out, &deeper, slot.place());
            }
            let _ = writeln!(out, "{deeper}{}", self.slot(slot, &deeper));
        }
        for layer in below {
            self.declaration(out, layer, &LAYER, &deeper);
        }
        let _ = writeln!(out, "{indent}}}");
    }

    /// A slot as it was written, with the content of `base`.
    fn slot(&self, slot: Slot<'_>, indent: &str) -> String {
        let holds = matches!(
            slot.overlay,
            Overlay::ReplacesContent | Overlay::ReplacesNamed
        );
        match slot.said {
            Said::Child(node) if holds => shifted(&self.content(node), indent),
            _ => self.source(slot.place(), indent),
        }
    }

    /// A content node or a part as it was written, with the content of each `base` in it.
    fn content(&self, node: Node<'_>) -> String {
        let place = node.span();
        let source = &self.files.get(place.file).text;
        let mut out = String::new();
        let mut at = place.range().start;
        let mut base: Option<usize> = None;
        for (depth, node) in node.walk() {
            if base.is_some_and(|base| depth > base) {
                continue;
            }
            let content = node.below().first();
            let content = content.filter(|_| node.name().value() == "base");
            base = content.map(|_| depth);
            if let Some(content) = content {
                let range = node.span().range();
                out.push_str(&source[at..range.start]);
                out.push_str(&self.base(node, content, source));
                at = range.end;
            }
        }
        out.push_str(&source[at..place.range().end]);
        out
    }

    /// A `base` node with its `content`.
    fn base(&self, base: Node<'_>, content: Node<'_>, source: &str) -> String {
        let mut inner = String::new();
        if content.span().file != base.span().file {
            let _ = write!(inner, "/* {} */ ", self.place(content.span()));
        }
        inner.push_str(&shifted(&self.content(content), ""));
        if base_content(base).is_some() {
            return inner;
        }
        let name = base.name().span().range();
        let settings = &source[name.end..base.head().range().end];
        let mut out = format!("first{settings} {{ {inner}");
        for child in base.below().rest() {
            let _ = write!(out, "; {}", &source[child.span().range()]);
        }
        out.push_str(" }");
        out
    }

    /// A place as it was written.
    fn source(&self, at: Span, indent: &str) -> String {
        let text = &self.files.get(at.file).text[at.range()];
        shifted(text, indent)
    }

    fn at(&self, at: Span) -> SourceLocation {
        SourceLocation {
            path: self.manifest.name_of(at.file),
            line: self.files.get(at.file).lines.line(at.start as usize),
        }
    }

    /// A node as it was written, without what a scenario of a base gives to facts and roots that are gone.
    fn whole(&self, node: Node<'a>, indent: &str) -> String {
        let file = node.span().file;
        let is_gone = |child: &Node<'_>| {
            let kind = match child.name().value() {
                "set" => "fact",
                "root" => "root",
                _ => return false,
            };
            let name = first_text(*child).map_or("", |(name, _)| name);
            self.manifest.is_removed_above(kind, name, file)
        };
        if node.name().value() != "scenario" || !node.below().iter().any(|child| is_gone(&child)) {
            return self.source(node.span(), indent);
        }
        let mut out = format!("{} {{", self.source(node.head(), indent));
        for child in node.below().iter().filter(|child| !is_gone(child)) {
            let _ = write!(out, "\n{indent}{STEP}{}", self.source(child.span(), indent));
        }
        let _ = write!(out, "\n{indent}}}");
        out
    }

    /// A node that is printed as it was written.
    fn written(&self, name: &'a str, node: Node<'_>) -> Part<'a> {
        Part {
            name: name.into(),
            text: self.whole(node, ""),
            place: self.at(node.span()),
        }
    }

    fn slots(&self, node: Node<'a>, row: &'static Row) -> Vec<Part<'a>> {
        let slot = |slot: Slot<'a>| Part {
            name: match slot.name.named() {
                Some(_) => slot.name.to_string().into(),
                None => slot.name.kind().into(),
            },
            text: self.slot(slot, ""),
            place: self.at(slot.place()),
        };
        slots(node, row).into_iter().map(slot).collect()
    }

    fn declared(&self, node: Node<'a>, row: &'static Row) -> Declared<'a> {
        let whole = WHOLE.contains(&row.name);
        let of = node.arguments().nth(1).filter(|_| !whole);
        let layer = |layer: Node<'a>| self.declared(layer, &LAYER);
        Declared {
            kind: row.name,
            name: first_text(node).map(|(name, _)| name),
            place: self.at(node.name().span()),
            of: of.map(|of| Typed {
                name: word(of),
                place: self.at(of.span()),
            }),
            text: whole.then(|| self.source(node.span(), "")),
            slots: if whole {
                Vec::new()
            } else {
                self.slots(node, row)
            },
            layers: (row.name == "tier").then(|| layers(node).into_iter().map(layer).collect()),
        }
    }
}

/// An argument that is a word, without quotes.
fn word(argument: Entry<'_>) -> &str {
    match argument.value() {
        Scalar::Text(word) => word,
        _ => argument.written(),
    }
}

/// The layers of a tier.
fn layers(node: Node<'_>) -> Vec<Node<'_>> {
    let children = node.below().iter();
    children
        .filter(|child| child.name().value() == LAYER.name)
        .collect()
}

/// Text of several lines, moved as a whole: all lines but the first get `indent` in place of what they share. So the strings
/// of several lines in it keep their meaning.
fn shifted(text: &str, indent: &str) -> String {
    let after = || text.lines().skip(1).filter(|l| !l.trim().is_empty());
    let blank = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = after().map(blank).min().unwrap_or(0);
    // The closing brace is aligned with the beginning.
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
            if !line.trim().is_empty() {
                out.push_str(indent);
            }
        }
        match index {
            0 => out.push_str(line),
            _ => out.push_str(line.get(shared..).unwrap_or_default()),
        }
    }
    out
}
