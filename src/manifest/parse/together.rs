//! Settings of facts and roots that do not go together, or not without each other.

use super::context::Context;
use crate::diagnostic::span::Span;
use crate::diagnostic::{CONFLICTING_SETTINGS, Diagnostic, MISSING_ARGUMENT};
use crate::manifest::grammar::SOURCES;
use crate::manifest::model::{Fact, FactType, Root};
use crate::syntax::Node;

/// Reports what is wrong with the settings of a root together.
pub(super) fn root(cx: &Context, node: Node<'_>, root: &Root) {
    check_derived(cx, node, root);
    check_defaults(cx, node, root);
}

/// Where a setting is written: a property, or a child.
fn place(node: Node<'_>, name: &str) -> Option<Span> {
    let mut properties = node.entries();
    let property = properties.find(|entry| entry.name().is_some_and(|n| n.value() == name));
    let child = || {
        let mut children = node.below().iter();
        children.find(|child| child.name().value() == name)
    };
    property
        .map(|entry| entry.span())
        .or_else(|| Some(child()?.span()))
}

fn missing(at: Span, message: &str, help: &str, cx: &Context) {
    cx.report_combination(
        Diagnostic::error(MISSING_ARGUMENT, message)
            .at(at)
            .help(help),
    );
}

fn conflict(at: Span, message: impl Into<String>, help: impl Into<String>, cx: &Context) {
    cx.report_combination(
        Diagnostic::error(CONFLICTING_SETTINGS, message)
            .at(at)
            .help(help),
    );
}

/// A root that is found from another one has both `above=` and `holding=`, and no folder of its own.
fn check_derived(cx: &Context, node: Node<'_>, root: &Root) {
    let slot = |name: &str| place(node, name);
    match (slot("above"), slot("holding")) {
        (None, None) => return,
        (Some(above), None) => missing(
            above,
            "`above=` lacks what to look for",
            "add holding=\"NAME\", the file or folder that marks the place",
            cx,
        ),
        (None, Some(holding)) => missing(
            holding,
            "`holding` lacks where to start",
            "add above=ROOT, the root to climb up from",
            cx,
        ),
        (Some(_), Some(_)) => {}
    }
    for name in ["default", "in", "env", "many"] {
        if let Some(at) = slot(name).filter(|_| name != "many" || root.is_many()) {
            let message =
                format!("a root that is found by `above=` and `holding=` takes no `{name}`");
            conflict(at, message, "keep one or the other", cx);
        }
    }
}

fn check_defaults(cx: &Context, node: Node<'_>, root: &Root) {
    if let (Some(within), None) = (&root.within, place(node, "default")) {
        missing(
            within.span,
            "`in=` lacks its folder",
            "add default=\"DIR\", the folder inside that root",
            cx,
        );
    }
    if let (Some(second), false) = (root.default.get(1), root.is_many()) {
        conflict(
            second.span,
            "several folders need a root that takes many",
            "add many=#true, or keep one folder",
            cx,
        );
    }
}

/// Where a fact's value comes from by itself must fit its type, and is one place.
pub(super) fn fact(cx: &Context, node: Node<'_>, fact: &Fact) {
    let kind = fact.kind.value;
    let mut first: Option<&str> = None;
    for name in SOURCES.iter().copied() {
        let Some(at) = place(node, name) else {
            continue;
        };
        if let Some(first) = first {
            let message = format!("`{name}=` and `{first}=` both give the value");
            conflict(at, message, "keep one of them", cx);
        }
        first = first.or(Some(name));
        let (fits, wanted) = match name {
            "clock" => (
                matches!(kind, FactType::Date | FactType::DateTime),
                "`date` or `datetime`",
            ),
            "env-set" => (kind == FactType::Bool, "`bool`"),
            _ => (true, ""),
        };
        if !fits {
            let message = format!("`{name}=` does not go with the type `{}`", kind.name());
            conflict(at, message, format!("it gives a {wanted}"), cx);
        }
    }
}
