//! The roots that content reads.

use super::inherited::Inherited;
use crate::compile::plan::Climb;
use crate::compile::plan::programs::Programs;
use crate::compile::plan::why::Why;
use crate::compile::roots::WORKSPACE;
use crate::diagnostic::span::Spanned;
use crate::diagnostic::{self as codes, Diagnostic};
use crate::manifest::{self, Lit, Order, Search, Settings};

pub(super) fn root(
    node: &manifest::Node,
    inherited: &Inherited,
    programs: &mut Programs<'_>,
) -> Option<Spanned<String>> {
    if let Some(root) = &inherited.root {
        let known = programs.roots.known(root, programs.diags);
        return known.then(|| root.clone());
    }
    if programs.roots.declared(WORKSPACE).is_some() {
        return Some(Spanned::new(WORKSPACE.to_owned(), node.span));
    }
    programs.diags.push(
        Diagnostic::error(
            codes::NO_WORKSPACE_ROOT,
            "this source names no root, and there is no root `workspace`",
        )
        .at(node.span)
        .help("declare `root workspace default=\".\"`, or write `root=NAME` here"),
    );
    None
}

pub(super) fn climb(
    settings: &Settings,
    from: &Spanned<String>,
    programs: &mut Programs<'_>,
) -> Climb {
    let every = matches!(&settings.search, Some(s) if s.value == Search::EveryLevel);
    let order = settings
        .order
        .as_ref()
        .map_or(Order::OuterFirst, |o| o.value);
    Climb {
        from: programs.bound_as(from),
        every: every.then_some(order),
    }
}

/// The fact that says how the paths of a root are written.
pub(super) fn shown_why(root: &str, programs: &Programs<'_>) -> Why {
    let declared = programs.roots.declared(root);
    match declared.and_then(|r| r.shown.as_ref()) {
        Some(Lit::Fact(name)) => programs.name_why(&name.value, name.span),
        _ => Why::default(),
    }
}
