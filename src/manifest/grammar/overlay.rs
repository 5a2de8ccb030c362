//! The nodes of overlays.

use super::content::{BASES, GROUPS, IN_LAYER, LEAVES};
use super::row::{Argument, Overlay, Property, Row, Type};
use super::steps::{IN_TIER, NAMED, TRANSFORMS, UNSET, WAIVE};
use super::top::{OF_LAYER, OF_TIER, TIER_CHILDREN};

const BESIDE_LAYER: &[Property] = &[
    Property::new(
        "after",
        Type::Of("layer"),
        "comes after that layer, in its tier",
    )
    .directs(),
    Property::new(
        "before",
        Type::Of("layer"),
        "comes before that layer, in its tier",
    )
    .directs(),
];
const BESIDE_TIER: &[Property] = &[
    Property::new(
        "after",
        Type::Of("tier"),
        "comes after that tier; without `after` and `before` it comes last",
    )
    .directs(),
    Property::new("before", Type::Of("tier"), "comes before that tier").directs(),
];
const LAYER: &[Argument] = &[Argument::new("layer", Type::Of("layer"))];

static PLACED_LAYER: Row = Row {
    name: "layer",
    id: "overlay.layer",
    arguments: NAMED,
    properties: &[BESIDE_LAYER, OF_LAYER],
    children: &[&LEAVES, &GROUPS, &BASES, IN_LAYER, TRANSFORMS],
    about: "a new layer, in the tier of the layer in `after=` or `before=`",
    example: "layer more after=b { text \"y\" }",
    of_overlays: true,
    overlay: Overlay::IsNew,
    ..Row::EMPTY
};
pub(crate) static NEW_TIER: Row = Row {
    name: "tier",
    id: "overlay.tier",
    arguments: NAMED,
    properties: &[BESIDE_TIER, OF_TIER],
    children: &[TIER_CHILDREN, IN_TIER, &[&WAIVE]],
    about: "a new tier",
    example: "tier more after=t { layer c { text \"y\" } }",
    of_overlays: true,
    overlay: Overlay::IsNew,
    ..Row::EMPTY
};
static REFINE: Row = Row {
    name: "refine",
    arguments: LAYER,
    properties: &[
        &[Property::new(
            "tier",
            Type::Of("tier"),
            "a tier instead of a layer; then it takes what a tier takes, and a `layer` in it is new and comes last",
        )
        .directs()],
        OF_LAYER,
    ],
    children: &[&LEAVES, &GROUPS, &BASES, IN_LAYER, TRANSFORMS, &[&UNSET]],
    about: "changes a layer; each [slot](overlays.md#slots) that is written replaces the base's",
    example: "refine b { text \"y\" }",
    of_overlays: true,
    overlay: Overlay::Directs,
    ..Row::EMPTY
};
pub(crate) static REFINE_TIER: Row = Row {
    name: "refine",
    id: "refine-tier",
    properties: &[
        &[Property::new("tier", Type::Of("tier"), "the tier to change").directs()],
        OF_TIER,
    ],
    children: &[TIER_CHILDREN, IN_TIER, &[&WAIVE, &UNSET]],
    about: "changes a tier; a `layer` in it is new and comes last",
    example: "refine tier=t changes=day",
    of_overlays: true,
    overlay: Overlay::Directs,
    ..Row::EMPTY
};
pub(crate) static REMOVE: Row = Row {
    name: "remove",
    properties: &[&[
        Property::new("layer", Type::Of("layer"), "a layer"),
        Property::new("tier", Type::Of("tier"), "a tier with its layers"),
        Property::new("fact", Type::Of("fact"), "a fact"),
        Property::new("let", Type::Of("let"), "a let"),
        Property::new("root", Type::Of("root"), "a root"),
        Property::new("scan", Type::Of("scan"), "a rule set"),
        Property::new("scenario", Type::Of("scenario"), "a scenario"),
        Property::new("expect", Type::Of("expect"), "a prefix family"),
    ]],
    about: "removes one thing: `layer=NAME`, `tier=` with its layers, `fact=`, `let=`, `root=`, `scan=` (a rule set), `scenario=` or `expect=` (a prefix family)",
    example: "remove layer=b",
    of_overlays: true,
    overlay: Overlay::Directs,
    ..Row::EMPTY
};
static MOVE: Row = Row {
    name: "move",
    arguments: LAYER,
    properties: &[
        BESIDE_LAYER,
        &[Property::new(
            "tier",
            Type::Of("tier"),
            "comes last in that tier",
        )],
    ],
    about: "moves a layer",
    example: "move b before=a",
    of_overlays: true,
    overlay: Overlay::Directs,
    ..Row::EMPTY
};

/// The nodes of the top level that only an overlay has.
pub(crate) const IN_OVERLAY: &[&Row] = &[&PLACED_LAYER, &REFINE, &REMOVE, &MOVE];
