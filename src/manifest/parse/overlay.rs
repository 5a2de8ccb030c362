//! What an overlay says of its base: new layers at a place, `refine`, `remove`, `move`.

use super::layer::{Role, layer_of, tier_of};
use super::read::{Context, Reader, Value};
use crate::manifest::Layer;
use crate::manifest::Target;
use crate::manifest::grammar::{NEW_TIER, REFINE_TIER, Row};
use crate::manifest::statement::{Destination, Patch, Place, Statement};
use crate::syntax::Node;

/// A node that only an overlay has.
pub(super) fn statement(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Statement> {
    match row.name {
        "layer" => layer(cx, node, row),
        "refine" => refine(cx, node, row),
        "remove" => remove(cx, node, row),
        _ => r#move(cx, node, row),
    }
}

/// `layer NAME after=|before=OTHER …` at the top level.
fn layer(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Statement> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    let span = reader.span();
    let place = place(&mut reader);
    let layer: Option<Patch<Layer>> = layer_of(reader, node, name, Role::New);
    let Some(place) = place else {
        cx.missing(
            span,
            "a `layer` at the top level lacks its place",
            "add after=LAYER or before=LAYER, or write it inside its tier",
        );
        return None;
    };
    Some(Statement::Layer(layer?.item, place?))
}

/// `tier NAME after=|before=OTHER …`.
pub(super) fn tier(cx: &Context, node: Node<'_>) -> Option<Statement> {
    let mut reader = Reader::new(cx, node, &NEW_TIER);
    let name = reader.need_arg().and_then(Value::name);
    let place = place(&mut reader);
    let tier = tier_of(reader, node, name)?.item;
    match place {
        None => Some(Statement::Tier(tier, None)),
        Some(place) => Some(Statement::Tier(tier, Some(place?))),
    }
}

/// `refine NAME …` or `refine tier=NAME …`.
fn refine(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Statement> {
    let mut reader = Reader::new(cx, node, row);
    if let Some(name) = reader.prop("tier") {
        reader = reader.read_as(&REFINE_TIER);
        let patch = tier_of(reader, node, name.name())?;
        return Some(Statement::RefineTier(patch));
    }
    let name = reader.need_arg().and_then(Value::name);
    let patch = layer_of(reader, node, name, Role::Refines)?;
    Some(Statement::RefineLayer(patch))
}

/// `remove layer=|tier=|fact=|let=|root=|scan=|scenario=NAME`.
fn remove(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Statement> {
    let mut reader = Reader::new(cx, node, row);
    let mut found = Vec::new();
    for target in Target::ALL {
        found.extend(reader.prop(target.name()).map(|value| (target, value)));
    }
    let span = reader.span();
    reader.finish();
    if let Some((_, second)) = found.get(1) {
        cx.conflict(
            second.whole(),
            "`remove` takes one thing away",
            "write a `remove` for each",
        );
        return None;
    }
    let Some((target, value)) = found.first() else {
        cx.missing(
            span,
            "`remove` lacks what it takes away",
            "write remove layer=NAME, or tier=, fact=, let=, root=, scan=, scenario=",
        );
        return None;
    };
    Some(Statement::Remove(*target, value.text()?))
}

/// `move NAME after=|before=OTHER` or `move NAME tier=NAME`.
fn r#move(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Statement> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    let span = reader.span();
    let place = place(&mut reader);
    let tier = reader.prop("tier");
    reader.finish();
    let to = match (place, tier) {
        (Some(place), None) => Destination::Beside(place?),
        (None, Some(tier)) => Destination::Tier(tier.name()?),
        (Some(_), Some(tier)) => {
            cx.conflict(
                tier.whole(),
                "`move` has one destination",
                "keep one of after=, before= and tier=",
            );
            return None;
        }
        (None, None) => {
            cx.missing(
                span,
                "`move` lacks where to",
                "add after=LAYER, before=LAYER or tier=TIER",
            );
            return None;
        }
    };
    Some(Statement::Move(name?, to))
}

/// `after=NAME` or `before=NAME`; the inner option is none if it cannot be read.
fn place(reader: &mut Reader) -> Option<Option<Place>> {
    let (after, before) = (reader.prop("after"), reader.prop("before"));
    match (after, before) {
        (None, None) => None,
        (Some(after), None) => Some(after.name().map(Place::After)),
        (None, Some(before)) => Some(before.name().map(Place::Before)),
        (Some(_), Some(before)) => {
            reader.cx.conflict(
                before.whole(),
                "`after=` and `before=` both give the place",
                "keep one of them",
            );
            Some(None)
        }
    }
}
