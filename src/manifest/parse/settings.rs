//! The nodes that many braces share: templates, waivers, `unset`.

use super::context::{Context, Reads};
use super::read::{Reader, Value};
use crate::diagnostic::span::Spanned;
use crate::diagnostic::{Diagnostic, UNKNOWN_SLOT};
use crate::manifest::grammar::{Row, UNSET};
use crate::manifest::{TemplateRef, Waive};
use crate::syntax::Node;
use std::collections::BTreeMap;

/// Reads a node that is nothing but a template: `NODE "…"` or `NODE file="…" root=NAME`.
pub(super) fn template(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<TemplateRef> {
    let mut reader = Reader::new(cx, node, row);
    let template = template_of(&mut reader);
    reader.finish();
    template
}

/// Reads the template that `reader`'s node holds, and leaves the rest to its caller.
pub(super) fn template_of(reader: &mut Reader) -> Option<TemplateRef> {
    let (cx, kind, at) = (reader.cx, reader.kind().to_owned(), reader.span());
    let inline = reader.arg();
    let file = reader.prop("file");
    let root = reader.prop("root");
    match (inline, file) {
        (Some(inline), None) => {
            if let Some(root) = root {
                let message =
                    "`root=` says where to find a template file, and the template is written here";
                cx.conflict(
                    root.whole(),
                    message,
                    "remove it, or name a file with `file=`",
                );
            }
            inline.literal().map(TemplateRef::Inline)
        }
        (None, Some(file)) => {
            let root = root.and_then(Value::name);
            let name = file.text()?;
            Some(TemplateRef::File { name, root })
        }
        (Some(_), Some(file)) => {
            let message = format!("`{kind}` has a text and a file");
            cx.conflict(file.whole(), message, "keep one of them");
            None
        }
        (None, None) => {
            let message = format!("`{kind}` lacks its template");
            cx.missing(
                at,
                message,
                format!("write `{kind} \"…\"` or `{kind} file=\"…\"`"),
            );
            None
        }
    }
}

/// `waive CODE because="…"`.
pub(super) fn waive(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Waive> {
    let mut reader = Reader::new(cx, node, row);
    let code = reader.need_arg().and_then(Value::text);
    let because = reader.prop("because");
    if because.is_none() {
        let help = "write because=\"…\", for the next reader";
        cx.missing(reader.span(), "`waive` lacks its reason", help);
    }
    let because = because.and_then(Value::text);
    let span = reader.span();
    reader.finish();
    Some(Waive {
        code: code?,
        because: because?,
        place: cx.place(node),
        span,
    })
}

/// `unset SLOT … part=NAME rule=ID`, as names of slots.
pub(super) fn unset(cx: &Context, node: Node<'_>, row: &'static Row) -> Vec<Spanned<String>> {
    let mut reader = Reader::new(cx, node, row);
    let mut named = Vec::new();
    for kind in ["part", "rule"] {
        let name = reader.prop(kind).and_then(Value::text);
        named.extend(name.map(|n| Spanned::new(format!("{kind} {}", n.value), n.span)));
    }
    let slots = if !named.is_empty() {
        reader.rest()
    } else {
        reader.need_rest()
    };
    let slots = slots.into_iter().filter_map(Value::text);
    let out: Vec<_> = slots.chain(named).collect();
    reader.finish();
    if cx.is_whole() {
        let nothing = |slot| no_slot(slot).help(NOTHING_TO_EMPTY);
        out.iter().for_each(|slot| cx.report(nothing(slot)));
    }
    out
}

/// How to fix an `unset` where the base writes nothing.
pub(in crate::manifest) const NOTHING_TO_EMPTY: &str = "there is nothing to empty: remove it";

/// The error of an `unset` that names a slot which no base writes.
pub(in crate::manifest) fn no_slot(slot: &Spanned<String>) -> Diagnostic {
    let message = format!("the base writes no `{}` here", slot.value);
    Diagnostic::error(UNKNOWN_SLOT, message).at(slot.span)
}

/// The slots that `unset` names. Errors in them are reported when it is checked.
pub(in crate::manifest) fn unset_names(node: Node<'_>) -> Vec<Spanned<String>> {
    unset(&Context::of(Reads::Part, BTreeMap::new()), node, &UNSET)
}
