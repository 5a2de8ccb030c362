//! The settings of a declaration, which an overlay replaces one by one, each as a whole.

use super::grammar::{Overlay, Row, UNSET};
use crate::diagnostic::span::Span;
use crate::syntax::{Entry, Node, Scalar};
use std::fmt;

/// One setting of a declaration as it is written: a property or a child.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot<'t> {
    /// Its name.
    pub(crate) name: SlotName<'t>,
    /// The property or child itself.
    pub(crate) said: Said<'t>,
    /// Its effect on the base, where an overlay writes it.
    pub(crate) overlay: Overlay,
}

/// A property or a child.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Said<'t> {
    /// `NAME=VALUE`.
    Property(Entry<'t>),
    /// A node in the braces.
    Child(Node<'t>),
}

/// The name of a slot: that of a property or child, `content`, or `part NAME`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SlotName<'t> {
    kind: &'t str,
    of: Option<&'t str>,
}

impl<'t> SlotName<'t> {
    /// The one that is called so.
    pub(crate) fn of(name: &'t str) -> Self {
        let named = name.split_once(' ');
        match named.filter(|(kind, _)| UNSET.properties().any(|p| p.name == *kind)) {
            Some((kind, of)) => Self { kind, of: Some(of) },
            None => Self {
                kind: name,
                of: None,
            },
        }
    }

    /// `part` or `rule` if it has a name of its own, and that.
    pub(crate) fn named(self) -> Option<(&'t str, &'t str)> {
        self.of.map(|of| (self.kind, of))
    }

    /// The name of the property or child, or `content`.
    pub(crate) fn kind(self) -> &'t str {
        self.kind
    }
}

impl fmt::Display for SlotName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        match self.of {
            Some(of) => write!(f, " {of}"),
            None => Ok(()),
        }
    }
}

impl Slot<'_> {
    /// The whole property or child.
    pub(crate) fn place(&self) -> Span {
        match self.said {
            Said::Property(entry) => entry.span(),
            Said::Child(node) => node.span(),
        }
    }

    /// Whether it is a property.
    pub(crate) fn is_property(&self) -> bool {
        matches!(self.said, Said::Property(_))
    }
}

/// The slots of a declaration, of which `row` says what it takes: its properties, then its children.
pub(crate) fn slots<'t>(node: Node<'t>, row: &'static Row) -> Vec<Slot<'t>> {
    let mut out = Vec::new();
    for entry in node.entries() {
        let Some(name) = entry.name().map(|name| name.value()) else {
            continue;
        };
        if !row.properties().any(|p| p.name == name && p.directs) {
            out.push(Slot {
                name: SlotName {
                    kind: name,
                    of: None,
                },
                said: Said::Property(entry),
                overlay: Overlay::Replaces,
            });
        }
    }
    for child in node.below() {
        let overlay = row.child(child.name().value()).map(|row| row.overlay);
        let overlay = overlay.unwrap_or(Overlay::Replaces);
        if !matches!(overlay, Overlay::IsNew | Overlay::Directs) {
            out.push(Slot {
                name: of_child(child, overlay),
                said: Said::Child(child),
                overlay,
            });
        }
    }
    out
}

fn of_child(child: Node<'_>, overlay: Overlay) -> SlotName<'_> {
    let kind = child.name().value();
    match overlay {
        Overlay::ReplacesContent => SlotName {
            kind: "content",
            of: None,
        },
        Overlay::ReplacesNamed => SlotName {
            kind,
            of: Some(first_text(child).map_or("", |(name, _)| name)),
        },
        _ => SlotName { kind, of: None },
    }
}

/// The first argument of a node if it is a text, and its place.
pub(crate) fn first_text(node: Node<'_>) -> Option<(&str, Span)> {
    let first = node.arguments().next()?;
    match first.value() {
        Scalar::Text(text) => Some((text, first.value_span())),
        _ => None,
    }
}

/// The content of a `base` of a merged manifest, if no other setting is written on it: it is treated as if the content
/// were in its place.
pub(crate) fn base_content(node: Node<'_>) -> Option<Node<'_>> {
    let below = node.below();
    let alone = node.entries().next().is_none() && below.rest().is_empty();
    let base = node.name().value() == "base" && alone;
    below.first().filter(|_| base)
}
