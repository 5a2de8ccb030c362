//! `promptc explain --merged`: the merged manifest as KDL, with the file and line that each part comes from.

use crate::diagnostic::span::{Files, Span, Spanned};
use crate::manifest::{BasePlace, Hint, Manifest, Scenario, Slot, Waive};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::Arc;

/// One indentation.
const STEP: &str = "    ";

/// Something that a manifest declares.
struct Declaration<'a> {
    kind: &'static str,
    /// Its name, if there can be several of its kind.
    name: Option<&'a Spanned<String>>,
    /// The type of a fact.
    of: Option<Spanned<&'static str>>,
    /// The whole of a let, which has no slots.
    whole: Option<Span>,
    /// Where its name stands.
    span: Span,
    slots: &'a [Slot],
    below: Vec<Declaration<'a>>,
}

/// The manifest as KDL.
pub(super) fn kdl(manifest: &Manifest, files: &Files) -> String {
    let printer = Printer { manifest, files };
    let mut out = String::from("promptc 1\n");
    if let Some(name) = &manifest.name {
        printer.origin(&mut out, "", name.span);
        let _ = writeln!(out, "name {}", printer.source(name.span, ""));
    }
    for slot in &manifest.slots {
        printer.origin(&mut out, "", slot.place);
        let _ = writeln!(out, "{}", printer.slot(slot, ""));
    }
    for declaration in declarations(manifest) {
        printer.declaration(&mut out, &declaration, "");
    }
    let hint = manifest.hint.iter().map(|h: &Hint| h.place);
    if let Some(session) = &manifest.session {
        let slots = session.slots.as_slice();
        printer.declaration(&mut out, &plain("session", None, session.span, slots), "");
    }
    let waivers = manifest.waivers.iter().map(|w: &Waive| w.place);
    let scenarios = manifest.scenarios.iter().map(|s: &Scenario| s.place);
    for place in hint.chain(waivers).chain(scenarios) {
        printer.origin(&mut out, "", place);
        let _ = writeln!(out, "{}", printer.source(place, ""));
    }
    out
}

/// The merged manifest, part by part.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report<'a> {
    /// The manifest's `name`.
    prompt: Option<&'a str>,
    /// The files that it was read from, in the order of reading.
    files: Vec<&'a str>,
    /// What is said of the whole.
    slots: Vec<Part<'a>>,
    /// Roots, facts, lets, scans and tiers.
    declarations: Vec<Declared<'a>>,
    hint: Option<Part<'a>>,
    session: Option<Slots<'a>>,
    waivers: Vec<Part<'a>>,
    scenarios: Vec<Part<'a>>,
}

/// A place in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct Place {
    path: Arc<str>,
    /// From 1.
    line: usize,
}

/// A part as it was written.
#[derive(Debug, Serialize, JsonSchema)]
struct Part<'a> {
    name: &'a str,
    /// Its KDL.
    text: String,
    #[serde(flatten)]
    place: Place,
}

/// The parts of a node without a name.
#[derive(Debug, Serialize, JsonSchema)]
struct Slots<'a> {
    #[serde(flatten)]
    place: Place,
    slots: Vec<Part<'a>>,
}

/// A declaration.
#[derive(Debug, Serialize, JsonSchema)]
struct Declared<'a> {
    /// `root`, `fact`, `let`, `scan`, `tier` or `layer`.
    kind: &'static str,
    name: Option<&'a str>,
    #[serde(flatten)]
    place: Place,
    /// The type of a fact, with where it is said.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    of: Option<Typed>,
    /// Of a let: its KDL.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    slots: Vec<Part<'a>>,
    /// Of a tier: its layers.
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<Vec<Self>>,
}

/// The type of a fact.
#[derive(Debug, Serialize, JsonSchema)]
struct Typed {
    name: &'static str,
    #[serde(flatten)]
    place: Place,
}

/// The same for programs.
pub(super) fn report<'a>(manifest: &'a Manifest, files: &'a Files) -> Report<'a> {
    let printer = Printer { manifest, files };
    let session = manifest.session.as_ref();
    let scenarios = manifest.scenarios.iter();
    Report {
        prompt: manifest.name.as_ref().map(|n| n.value.as_str()),
        files: manifest.sheets.iter().map(|s| &*s.name).collect(),
        slots: printer.slots(&manifest.slots),
        declarations: declarations(manifest)
            .iter()
            .map(|d| printer.declared(d))
            .collect(),
        hint: (manifest.hint.as_ref()).map(|h| printer.written("hint", h.place)),
        session: session.map(|s| Slots {
            place: printer.at(s.span),
            slots: printer.slots(&s.slots),
        }),
        waivers: (manifest.waivers.iter())
            .map(|w| printer.written("waive", w.place))
            .collect(),
        scenarios: scenarios
            .map(|s| printer.written(&s.name.value, s.place))
            .collect(),
    }
}

/// A declaration that is nothing but its slots.
fn plain<'a>(
    kind: &'static str,
    name: Option<&'a Spanned<String>>,
    span: Span,
    slots: &'a [Slot],
) -> Declaration<'a> {
    Declaration {
        kind,
        name,
        of: None,
        whole: None,
        span,
        slots,
        below: Vec::new(),
    }
}

/// Everything that has slots and a name, in the order of the language's own examples: roots, facts, lets, scans, tiers.
fn declarations(manifest: &Manifest) -> Vec<Declaration<'_>> {
    let mut out = Vec::new();
    for root in &manifest.roots {
        out.push(plain(
            "root",
            Some(&root.name),
            root.span,
            root.slots.as_slice(),
        ));
    }
    for fact in &manifest.facts {
        let mut one = plain("fact", Some(&fact.name), fact.span, fact.slots.as_slice());
        one.of = Some(Spanned::new(fact.kind.value.name(), fact.kind.span));
        out.push(one);
    }
    for item in &manifest.lets {
        let mut one = plain("let", Some(&item.name), item.span, &[]);
        one.whole = Some(item.place);
        out.push(one);
    }
    for set in &manifest.scans {
        out.push(plain(
            "scan",
            Some(&set.name),
            set.span,
            set.slots.as_slice(),
        ));
    }
    for tier in &manifest.tiers {
        let mut one = plain("tier", Some(&tier.name), tier.span, tier.slots.as_slice());
        let layers = tier.layers.iter();
        one.below = layers
            .map(|l| plain("layer", Some(&l.name), l.span, l.slots.as_slice()))
            .collect();
        out.push(one);
    }
    out
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

    fn declaration(&self, out: &mut String, one: &Declaration<'_>, indent: &str) {
        let (properties, children): (Vec<&Slot>, Vec<&Slot>) =
            one.slots.iter().partition(|s| s.property);
        self.origin(out, indent, one.span);
        if let Some(of) = one.of.as_ref().filter(|of| of.span.file != one.span.file) {
            let _ = writeln!(out, "{indent}// {} {}", of.value, self.place(of.span));
        }
        for slot in &properties {
            if slot.place.file != one.span.file {
                let _ = writeln!(out, "{indent}// {}= {}", slot.name, self.place(slot.place));
            }
        }
        if let Some(whole) = one.whole {
            let _ = writeln!(out, "{indent}{}", self.source(whole, indent));
            return;
        }
        let _ = write!(out, "{indent}{}", one.kind);
        if let Some(name) = one.name {
            let _ = write!(out, " {}", self.source(name.span, indent));
        }
        if let Some(of) = &one.of {
            let _ = write!(out, " {}", of.value);
        }
        for slot in &properties {
            let _ = write!(out, " {}", self.source(slot.place, indent));
        }
        if children.is_empty() && one.below.is_empty() {
            out.push('\n');
            return;
        }
        out.push_str(" {\n");
        let deeper = format!("{indent}{STEP}");
        for slot in children {
            if slot.place.file != one.span.file {
                self.origin(out, &deeper, slot.place);
            }
            let _ = writeln!(out, "{deeper}{}", self.slot(slot, &deeper));
        }
        for below in &one.below {
            self.declaration(out, below, &deeper);
        }
        let _ = writeln!(out, "{indent}}}");
    }

    /// A slot as it was written, with what `base` stands for.
    fn slot(&self, slot: &Slot, indent: &str) -> String {
        let source = self.files.get(slot.place.file).shown();
        let mut out = String::new();
        let mut at = slot.place.range().start;
        for base in &slot.bases {
            out.push_str(&source[at..base.place.range().start]);
            out.push_str(&self.base(base, source));
            at = base.place.range().end;
        }
        out.push_str(&source[at..slot.place.range().end]);
        shifted(&out, indent)
    }

    /// What a `base` node stands for.
    fn base(&self, base: &BasePlace, source: &str) -> String {
        let Some(slot) = &base.slot else {
            return source[base.place.range()].to_owned();
        };
        let mut inner = String::new();
        if slot.place.file != base.place.file {
            let _ = write!(inner, "/* {} */ ", self.place(slot.place));
        }
        inner.push_str(&self.slot(slot, ""));
        if base.is_bare() {
            return inner;
        }
        let settings = &source[base.name.range().end..base.head.range().end];
        let mut out = format!("first{settings} {{ {inner}");
        for child in &base.children {
            let _ = write!(out, "; {}", &source[child.range()]);
        }
        out.push_str(" }");
        out
    }

    /// A place as it was written.
    fn source(&self, at: Span, indent: &str) -> String {
        let text = &self.files.get(at.file).shown()[at.range()];
        shifted(text, indent)
    }

    fn at(&self, at: Span) -> Place {
        Place {
            path: self.manifest.name_of(at.file),
            line: self.files.get(at.file).lines.line(at.start as usize),
        }
    }

    /// A node that is printed as it was written.
    fn written(&self, name: &'a str, at: Span) -> Part<'a> {
        Part {
            name,
            text: self.source(at, ""),
            place: self.at(at),
        }
    }

    fn slots(&self, slots: &'a [Slot]) -> Vec<Part<'a>> {
        let slot = |slot: &'a Slot| Part {
            name: &slot.name,
            text: self.slot(slot, ""),
            place: self.at(slot.place),
        };
        slots.iter().map(slot).collect()
    }

    fn declared(&self, one: &Declaration<'a>) -> Declared<'a> {
        let layers = || one.below.iter().map(|d| self.declared(d)).collect();
        Declared {
            kind: one.kind,
            name: one.name.map(|n| n.value.as_str()),
            place: self.at(one.span),
            of: one.of.as_ref().map(|of| Typed {
                name: of.value,
                place: self.at(of.span),
            }),
            text: one.whole.map(|whole| self.source(whole, "")),
            slots: self.slots(one.slots),
            layers: (one.kind == "tier").then(layers),
        }
    }
}

/// Text of several lines, moved as a whole: all lines but the first get `indent` in place of what they share. So the strings
/// of several lines in it keep their meaning.
fn shifted(text: &str, indent: &str) -> String {
    let behind = || text.lines().skip(1).filter(|l| !l.trim().is_empty());
    let blank = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = behind().map(blank).min().unwrap_or(0);
    // The closing brace stands under the beginning.
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
