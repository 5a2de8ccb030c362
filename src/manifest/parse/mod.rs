//! KDL text to [`Manifest`], by hand, so that every value keeps its place and every mistake is told at once.
//!
//! Modules are declared bottom-up. `lex`, `structure` and `literal` stand in front of kdl: they find whatever would
//! exhaust its stack, tell what it tells badly, and keep the way back from each byte of a string to the file.

mod lex;
pub(super) mod hidden;
mod literal;
mod structure;
mod syntax;
mod read;
mod value;
mod outline;
mod settings;
mod budget;
mod content;
mod layer;
mod input;
mod names;

use super::{Manifest, Origin};
use crate::diagnostic::{
    CONFLICTING_SETTINGS, Code, DUPLICATE_NODE, DUPLICATE_PROPERTY, Diagnostic, Diagnostics,
    MISSING_LANGUAGE, OUT_OF_RANGE, PROGRAM_TOO_LARGE, Reported, UNKNOWN_PROPERTY,
    UNSUPPORTED_LANGUAGE,
};
use crate::prompt::LANGUAGE;
use crate::span::{FileId, Files, Span};
use kdl::{KdlDocument, KdlNode, KdlValue};
use read::{Context, Once, Reader, Value};

/// How many bytes a manifest may have.
pub const MAX_SIZE: usize = 1 << 20;

/// The nodes of the top level.
const TOP: &[&str] = &[
    "name", "join", "budget", "root", "fact", "let", "tier", "scenario", "waive",
];

/// Mistakes that leave every declaration where it is, so that what else is wrong can be told in the same run.
const HARMLESS: &[Code] = &[
    UNKNOWN_PROPERTY,
    DUPLICATE_PROPERTY,
    DUPLICATE_NODE,
    OUT_OF_RANGE,
    CONFLICTING_SETTINGS,
];

/// Parses the manifest whose text stands in `files`.
///
/// A manifest that has only mistakes of which none hides a declaration is returned all the same, so that a plan can tell
/// what else is wrong; the mistakes stand in `diags`, and no plan is made while there is one.
///
/// # Errors
/// When it has a graver mistake; `diags` then holds all that were found.
pub fn parse(
    file: FileId,
    files: &Files,
    origin: Origin,
    diags: &mut Diagnostics,
) -> Result<Manifest, Reported> {
    let src = &files.get(file).text;
    if src.len() > MAX_SIZE {
        let message = format!(
            "the manifest has {} bytes, and may have {MAX_SIZE}",
            src.len()
        );
        return Err(diags.push(
            Diagnostic::error(PROGRAM_TOO_LARGE, message)
                .at(Span::new(file, 0..0))
                .help("move long texts to documents and name these with `file`"),
        ));
    }
    let cx = Context::new(file, src);
    let manifest = match syntax::read(file, src) {
        Ok(document) => decode(&cx, &document, origin),
        Err(faults) => {
            faults.into_iter().for_each(|fault| cx.report(fault));
            None
        }
    };
    let secrets = &files.get(file).hidden;
    let found = cx.into_found().map(|d| hidden::without(d, src, secrets));
    diags.extend(&found);
    match manifest.filter(|_| found.iter().all(|d| HARMLESS.contains(&d.code))) {
        Some(manifest) => Ok(manifest),
        None => Err(found
            .check()
            .expect_err("without an error there is a manifest")),
    }
}

/// The nodes to the manifest; `None` if its language is not this one.
fn decode(cx: &Context, document: &KdlDocument, origin: Origin) -> Option<Manifest> {
    let nodes = language(cx, document.nodes())?;
    let mut once = Once::default();
    let mut manifest = empty(cx.file, origin);
    for node in nodes {
        top(cx, node, &mut once, &mut manifest);
    }
    for node in nodes {
        if matches!(node.name().value(), "join" | "budget") {
            for tier in &mut manifest.tiers {
                tier.definition.extend(outline::outline(cx, node, &[]));
            }
        }
    }
    names::check(cx, &manifest);
    Some(manifest)
}

fn empty(file: FileId, origin: Origin) -> Manifest {
    Manifest {
        file,
        origin,
        name: None,
        join: None,
        budget: None,
        roots: Vec::new(),
        facts: Vec::new(),
        lets: Vec::new(),
        tiers: Vec::new(),
        scenarios: Vec::new(),
        waivers: Vec::new(),
    }
}

/// `promptc 1`, the first node. Returns the nodes behind it; `None` if the rest cannot be understood.
fn language<'a>(cx: &Context, nodes: &'a [KdlNode]) -> Option<&'a [KdlNode]> {
    let first = nodes.first();
    let Some(first) = first.filter(|n| n.name().value() == "promptc") else {
        let at = match first {
            Some(node) => cx.name_span(node),
            None => Span::new(cx.file, 0..0),
        };
        let start = Span::new(cx.file, at.range().start..at.range().start);
        cx.report(
            Diagnostic::error(MISSING_LANGUAGE, "a manifest starts with its language")
                .at(at)
                .help(format!(
                    "write `promptc {LANGUAGE}` in front of everything else"
                ))
                .suggest(start, format!("promptc {LANGUAGE}\n")),
        );
        return Some(nodes);
    };
    let mut reader = Reader::new(cx, first);
    let version = reader.need_arg("version");
    reader.finish();
    let version = version?;
    if version.plain() == &KdlValue::Integer(i128::from(LANGUAGE)) {
        return Some(&nodes[1..]);
    }
    let message = format!(
        "this release does not read the language `{}`",
        version.written()
    );
    cx.report(
        Diagnostic::error(UNSUPPORTED_LANGUAGE, message)
            .at(version.span())
            .help(format!(
                "it reads `promptc {LANGUAGE}`; a newer release may read more"
            ))
            .suggest(version.span(), LANGUAGE.to_string()),
    );
    None
}

fn top(cx: &Context, node: &KdlNode, once: &mut Once, manifest: &mut Manifest) {
    match node.name().value() {
        "name" => {
            once.node(cx, node);
            manifest.name = one_argument(cx, node, "name", Value::text);
        }
        "join" => {
            once.node(cx, node);
            manifest.join = one_argument(cx, node, "text", Value::literal);
        }
        "budget" => {
            once.node(cx, node);
            manifest.budget = budget::ceiling(cx, node);
        }
        "root" => manifest.roots.extend(input::root(cx, node)),
        "fact" => manifest.facts.extend(input::fact(cx, node)),
        "let" => manifest.lets.extend(input::binding(cx, node)),
        "tier" => manifest.tiers.extend(layer::tier(cx, node)),
        "scenario" => manifest.scenarios.extend(input::scenario(cx, node)),
        "waive" => manifest.waivers.extend(settings::waive(cx, node)),
        "promptc" => misplaced_language(cx, node),
        _ => cx.unknown_node(node, None, TOP),
    }
}

fn one_argument<'a, T>(
    cx: &'a Context<'a>,
    node: &'a KdlNode,
    what: &str,
    read: impl Fn(Value<'a>) -> Option<T>,
) -> Option<T> {
    let mut reader = Reader::new(cx, node);
    let value = reader.need_arg(what).and_then(read);
    reader.finish();
    value
}

/// `promptc` behind other nodes.
fn misplaced_language(cx: &Context, node: &KdlNode) {
    cx.report(
        Diagnostic::error(MISSING_LANGUAGE, "`promptc` stands once, as the first node")
            .at(cx.name_span(node))
            .help("move it to the top, or remove it if one stands there"),
    );
}

#[cfg(test)]
mod tests;
