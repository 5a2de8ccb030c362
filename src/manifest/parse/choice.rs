//! The settings in the braces of a source about the documents that it uses.

use super::context::{Context, Once};
use super::read::{Reader, Value};
use super::settings::template;
use crate::diagnostic::span::Literal;
use crate::diagnostic::{Diagnostic, WRONG_TYPE};
use crate::manifest::file_name::is_component;
use crate::manifest::grammar::Row;
use crate::manifest::{Choice, Exclude, Lit};
use crate::syntax::Node;

/// Reads one node into a choice.
pub(super) fn take(
    cx: &Context,
    node: Node<'_>,
    row: &'static Row,
    once: &mut Once,
    into: &mut Choice,
) {
    if row.name != "exclude" {
        once.node(cx, node);
    }
    match row.name {
        "exclude" => into.exclude.push(exclude(cx, node, row)),
        "hide" => into.hide = template(cx, node, row),
        "allow" => into.allow = names(cx, node, row),
        "deny" => into.deny = names(cx, node, row),
        _ => into.shadow = shadow(cx, node, row),
    }
}

fn names(cx: &Context, node: Node<'_>, row: &'static Row) -> Vec<Lit<String>> {
    let mut reader = Reader::new(cx, node, row);
    let names = reader.need_rest();
    let names = names.into_iter().filter_map(Value::text_or_fact).collect();
    reader.finish();
    names
}

/// `exclude NAME … beside="FILE"`.
fn exclude(cx: &Context, node: Node<'_>, row: &'static Row) -> Exclude {
    let mut reader = Reader::new(cx, node, row);
    let names = reader.need_rest();
    let exclude = Exclude {
        names: names.into_iter().filter_map(Value::text_or_fact).collect(),
        beside: reader.prop("beside").and_then(|v| beside(cx, v)),
    };
    reader.finish();
    exclude
}

/// The name of a file in the folder that is walked.
fn beside(cx: &Context, value: Value) -> Option<Literal> {
    let name = value.literal()?;
    if !is_component(&name.text) {
        cx.report(
            Diagnostic::error(
                WRONG_TYPE,
                "`beside` takes the name of one file, not a path",
            )
            .at(name.span)
            .help("write the name of a file in the same folder, such as beside=\"SKILL.md\""),
        );
    }
    Some(name)
}

/// `shadow`, which takes nothing.
fn shadow(cx: &Context, node: Node<'_>, row: &'static Row) -> bool {
    Reader::new(cx, node, row).finish();
    true
}
