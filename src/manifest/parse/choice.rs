//! What the braces of a source say of the documents that count.

use super::read::{Context, Once, Reader, Value};
use super::settings::template;
use crate::diagnostic::{Diagnostic, WRONG_TYPE};
use crate::manifest::file_name::is_component;
use crate::manifest::{Choice, Exclude, Lit};
use crate::source::kind::Takes;
use crate::span::Literal;
use crate::syntax::Node;

/// Reads one node into a choice.
pub(super) fn take(taken: Takes, cx: &Context, node: Node<'_>, once: &mut Once, into: &mut Choice) {
    if taken != Takes::Exclude {
        once.node(cx, node);
    }
    match taken {
        Takes::Exclude => into.exclude.push(exclude(cx, node)),
        Takes::Hide => into.hide = template(cx, node),
        Takes::Allow => into.allow = names(cx, node, "name"),
        Takes::Deny => into.deny = names(cx, node, "name"),
        Takes::Shadow => into.shadow = shadow(cx, node),
    }
}

fn names(cx: &Context, node: Node<'_>, what: &str) -> Vec<Lit<String>> {
    let mut reader = Reader::new(cx, node);
    let names = reader.need_rest(what);
    let names = names.into_iter().filter_map(Value::text_or_fact).collect();
    reader.finish();
    names
}

/// `exclude NAME … beside="FILE"`.
fn exclude(cx: &Context, node: Node<'_>) -> Exclude {
    let mut reader = Reader::new(cx, node);
    let names = reader.need_rest("folder name");
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
            Diagnostic::error(WRONG_TYPE, "`beside` takes the name of one file, not a path")
                .at(name.span)
                .help("write the name of a file that stands in the same folder, such as beside=\"SKILL.md\""),
        );
    }
    Some(name)
}

/// `shadow`, which takes nothing.
fn shadow(cx: &Context, node: Node<'_>) -> bool {
    Reader::new(cx, node).finish();
    true
}
