//! The directory rules: a layer that is made for a folder.

use super::content::empty;
use super::context::Context;
use super::layer::{Inside, inside, no_base};
use super::read::{Reader, Value};
use crate::diagnostic::span::{Literal, Spanned};
use crate::manifest::grammar::{self, Row};
use crate::manifest::{DirectoryRules, Layer, Tier, Transforms};
use crate::syntax::Node;

/// The name of its tier and of its layer.
const NAME: &str = "directory-rules";

/// The most folders of which one path may read the rules.
const MOST_LEVELS: usize = 1_000;

/// `directory-rules root=NAME levels=N order=… join="…" when="…" { … }`, or `directory-rules #false`, which is none.
pub(super) fn directory_rules(
    cx: &Context,
    node: Node<'_>,
    row: &'static Row,
) -> Option<Option<Box<DirectoryRules>>> {
    let mut reader = Reader::new(cx, node, row);
    let span = reader.span();
    if let Some(switch) = reader.switch() {
        reader.finish();
        if switch.bool()?.value {
            let help = "write `directory-rules { … }` with the text about a folder, or directory-rules #false for nothing";
            cx.missing(switch.whole(), "`directory-rules` lacks its content", help);
            return None;
        }
        return Some(None);
    }
    let root = reader.prop("root").and_then(Value::name);
    let levels = reader
        .prop("levels")
        .map(|v| v.whole_number(1..=MOST_LEVELS));
    let order = reader.prop("order").and_then(Value::order);
    let join = reader.prop("join").and_then(Value::literal);
    let when = reader.prop("when").and_then(Value::literal);
    let children = reader.children();
    reader.finish();
    let Inside {
        content,
        parts,
        template,
        transforms,
        budgets,
        waivers,
        ..
    } = inside(cx, children, "the directory rules", row);
    // A template alone would say the same of every folder.
    if content.is_none() && !children.iter().any(may_be_content) {
        empty(cx, span, "the directory rules have no content");
    }
    no_base(cx, "directory rules", children);
    let levels = match levels {
        Some(levels) => Some(levels?),
        None => None,
    };
    let layer = Layer {
        name: Spanned::new(NAME.to_owned(), span),
        when,
        required: None,
        priority: None,
        min: None,
        locked: None,
        content: Some(content?),
        parts,
        template,
        transforms,
        budgets,
        waivers,
        definition: [].into(),
        places: [].into(),
        place: cx.place(node),
        span,
    };
    Some(Some(Box::new(DirectoryRules {
        root,
        levels,
        order,
        tier: tier(cx, node, join, layer),
        place: cx.place(node),
        span,
    })))
}

/// The tier of directory rules' layer, which has no other.
fn tier(cx: &Context, node: Node<'_>, join: Option<Literal>, layer: Layer) -> Tier {
    let span = layer.span;
    Tier {
        name: layer.name.clone(),
        changes: None,
        deliver: None,
        join,
        budget: None,
        reserve: None,
        locked: None,
        transforms: Transforms::default(),
        layers: vec![layer],
        waivers: Vec::new(),
        definition: [].into(),
        place: cx.place(node),
        span,
    }
}

/// Whether it is content, or may have been meant as such.
fn may_be_content(child: Node<'_>) -> bool {
    grammar::DIRECTORY_RULES
        .child(child.name().value())
        .is_none_or(Row::is_content)
}
