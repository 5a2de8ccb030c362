//! The nodes of an overlay about its base: new layers at a place, `refine`, `remove`, `move`.

use super::context::{Context, Reads};
use super::layer::{layer_of, tier_of};
use super::read::{Reader, Value};
use crate::diagnostic::span::Spanned;
use crate::manifest::grammar::{REFINE_TIER, REMOVE, Row};
use crate::syntax::Node;
use std::collections::BTreeMap;

/// The effect on the base of a node that only an overlay has, or of a new tier.
#[derive(Debug)]
pub(in crate::manifest) enum Order {
    /// `layer NAME …` and `tier NAME …`, which are new. A tier comes last if no place is written.
    Add(Option<Neighbour>),
    /// `refine NAME …` and `refine tier=NAME …`: what kind of thing, and its name.
    Refine(&'static str, Spanned<String>),
    /// `remove KIND=NAME`.
    Remove(&'static str, Spanned<String>),
    /// `move NAME …`.
    Move(Spanned<String>, Destination),
}

/// The neighbour of something that is put elsewhere.
#[derive(Debug)]
pub(in crate::manifest) enum Neighbour {
    /// `after=NAME`.
    After(Spanned<String>),
    /// `before=NAME`.
    Before(Spanned<String>),
}

impl Neighbour {
    /// The neighbour's name.
    pub(in crate::manifest) fn beside(&self) -> &Spanned<String> {
        match self {
            Self::After(name) | Self::Before(name) => name,
        }
    }
}

/// Where a layer moves.
#[derive(Debug)]
pub(in crate::manifest) enum Destination {
    /// Next to a layer, in any tier.
    Beside(Neighbour),
    /// To the end of a tier.
    Tier(Spanned<String>),
}

/// Finds what is wrong with a node that only an overlay has, or with a new tier.
pub(super) fn check(cx: &Context, node: Node<'_>, row: &'static Row) {
    let mut reader = Reader::new(cx, node, row);
    match row.name {
        "layer" | "tier" => {
            let name = reader.need_arg().and_then(Value::name);
            let span = reader.span();
            let place = place(&mut reader);
            if row.name == "tier" {
                tier_of(reader, node, name);
                return;
            }
            layer_of(reader, node, name);
            if place.is_none() {
                cx.missing(
                    span,
                    "a `layer` at the top level lacks its place",
                    "add after=LAYER or before=LAYER, or write it inside its tier",
                );
            }
        }
        "refine" => match reader.prop("tier") {
            Some(name) => drop(tier_of(reader.read_as(&REFINE_TIER), node, name.name())),
            None => {
                let name = reader.need_arg().and_then(Value::name);
                layer_of(reader, node, name);
            }
        },
        _ => {
            order_of(&mut reader);
            reader.finish();
        }
    }
}

/// The effect of such a node, if nothing is wrong with it. Mistakes are reported when the node is checked.
pub(in crate::manifest) fn order(node: Node<'_>, row: &'static Row) -> Option<Order> {
    let cx = Context::of(Reads::Part, BTreeMap::new());
    order_of(&mut Reader::new(&cx, node, row))
}

fn order_of(reader: &mut Reader<'_>) -> Option<Order> {
    match reader.row().name {
        "layer" | "tier" => match place(reader) {
            None => Some(Order::Add(None)),
            Some(place) => Some(Order::Add(Some(place?))),
        },
        "refine" => match reader.prop("tier") {
            Some(name) => Some(Order::Refine("tier", name.name()?)),
            None => Some(Order::Refine("layer", reader.need_arg()?.name()?)),
        },
        "remove" => remove(reader),
        _ => r#move(reader),
    }
}

/// `remove layer=|tier=|fact=|let=|root=|scan=|scenario=|expect=NAME`.
fn remove(reader: &mut Reader<'_>) -> Option<Order> {
    let mut found = Vec::new();
    for kind in REMOVE.properties() {
        found.extend(reader.prop(kind.name).map(|value| (kind.name, value)));
    }
    if let Some((_, second)) = found.get(1) {
        reader.cx.conflict(
            second.whole(),
            "`remove` takes one thing away",
            "write a `remove` for each",
        );
        return None;
    }
    let Some((kind, value)) = found.first() else {
        reader.cx.missing(
            reader.span(),
            "`remove` lacks what it takes away",
            "write remove layer=NAME, or tier=, fact=, let=, root=, scan=, scenario=, expect=",
        );
        return None;
    };
    Some(Order::Remove(kind, value.text()?))
}

/// `move NAME after=|before=OTHER` or `move NAME tier=NAME`.
fn r#move(reader: &mut Reader<'_>) -> Option<Order> {
    let name = reader.need_arg().and_then(Value::name);
    let place = place(reader);
    let tier = reader.prop("tier");
    let to = match (place, tier) {
        (Some(place), None) => Destination::Beside(place?),
        (None, Some(tier)) => Destination::Tier(tier.name()?),
        (Some(_), Some(tier)) => {
            reader.cx.conflict(
                tier.whole(),
                "`move` has one destination",
                "keep one of after=, before= and tier=",
            );
            return None;
        }
        (None, None) => {
            reader.cx.missing(
                reader.span(),
                "`move` lacks where to",
                "add after=LAYER, before=LAYER or tier=TIER",
            );
            return None;
        }
    };
    Some(Order::Move(name?, to))
}

/// `after=NAME` or `before=NAME`; the inner option is none if it cannot be read.
fn place(reader: &mut Reader<'_>) -> Option<Option<Neighbour>> {
    let (after, before) = (reader.prop("after"), reader.prop("before"));
    match (after, before) {
        (None, None) => None,
        (Some(after), None) => Some(after.name().map(Neighbour::After)),
        (None, Some(before)) => Some(before.name().map(Neighbour::Before)),
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
