//! The grammar of an accepted break: a row for each node.

use crate::manifest::grammar::{Argument, Property, Row, Type};

/// The last line that a file can have.
pub(super) const MOST_LINES: usize = 1 << 40;

const TEXT: &[Argument] = &[Argument::new("text", Type::Text("TEXT"))];

pub(super) static ACCEPTED: Row = Row {
    name: "accepted",
    arguments: &[Argument::new("version", Type::Whole(1, 1))],
    about: "the version of the format; the first node",
    ..Row::EMPTY
};
static SCENARIO: Row = Row {
    name: "scenario",
    arguments: TEXT,
    about: "the scenario whose prompt broke",
    ..Row::EMPTY
};
static LAYER: Row = Row {
    name: "layer",
    arguments: TEXT,
    properties: &[&[
        Property::new(
            "channel",
            Type::Word(&["tools", "system", "user"]),
            "its channel",
        ),
        Property::new("sha256", Type::Text("HASH"), "the hash of its text"),
    ]],
    about: "the layer that broke, and its text as it was accepted",
    ..Row::EMPTY
};
static CAUSE: Row = Row {
    name: "cause",
    arguments: &[Argument::new("kind", Type::Text("KIND"))],
    properties: &[&[
        Property::new(
            "path",
            Type::Text("FILE"),
            "the document, template or manifest",
        ),
        Property::new("line", Type::Whole(1, MOST_LINES), "the line in it"),
        Property::new("fact", Type::Text("NAME"), "the fact"),
    ]],
    about: "why it broke",
    ..Row::EMPTY
};
static BECAUSE: Row = Row {
    name: "because",
    arguments: TEXT,
    about: "why that was accepted",
    ..Row::EMPTY
};

/// All nodes, in the order in which they are written.
pub(super) const ROWS: [&Row; 5] = [&ACCEPTED, &SCENARIO, &LAYER, &CAUSE, &BECAUSE];
