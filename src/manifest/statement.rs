//! What a manifest file says, in its order, before it is laid over its base.

use super::{
    Ceiling, Fact, FactType, Hint, Layer, Let, ManifestFile, Root, ScanSet, Scenario, Session,
    Slot, Target, Tier, Waive,
};
use crate::diagnostic::span::{Literal, Span, Spanned};

/// A file and all that it includes, statement by statement.
#[derive(Debug)]
pub(super) struct Level {
    /// Its files, the one that includes first.
    pub(super) sheets: Vec<ManifestFile>,
    /// What it says.
    pub(super) statements: Vec<Statement>,
}

/// One node of the top level.
#[derive(Debug)]
pub(super) enum Statement {
    /// `name NAME`.
    Name(Spanned<String>),
    /// `join "…"`.
    Join(Literal, Slot),
    /// `budget N`, of the system text.
    Budget(Ceiling, Slot),
    /// `root NAME …`; of a root that the base has, property by property.
    Root(Patch<Root>),
    /// `fact NAME …`; of a fact that the base has, property by property.
    Fact(Patch<Fact<Option<Spanned<FactType>>>>),
    /// `let NAME "EXPR"`.
    Let(Let),
    /// `scan NAME …`; of a set that the base has, rule by rule.
    Scan(Patch<ScanSet>),
    /// `tier NAME …`, which is new; at the end if no place is written.
    Tier(Tier, Option<Place>),
    /// `layer NAME after=|before=OTHER …`, which is new.
    Layer(Layer, Place),
    /// `refine NAME …`.
    RefineLayer(Patch<Layer>),
    /// `refine tier=NAME …`.
    RefineTier(Patch<Tier>),
    /// `remove KIND=NAME`.
    Remove(Target, Spanned<String>),
    /// `move NAME …`.
    Move(Spanned<String>, Destination),
    /// `hint … { … }`, or `hint #false`: none. The span is that of the node's name.
    Hint(Option<Box<Hint>>, Span),
    /// `session { … }`; over that of the base, slot by slot.
    Session(Patch<Session>),
    /// `scenario NAME { … }`.
    Scenario(Scenario),
    /// `waive CODE because="…"`.
    Waive(Waive),
}

/// What an overlay says of something: slots that it writes, and slots that it empties.
#[derive(Debug)]
pub(super) struct Patch<T> {
    /// The slots that are written.
    pub(super) item: T,
    /// `unset SLOT`.
    pub(super) unset: Vec<Spanned<String>>,
}

impl<T> Patch<T> {
    /// Pairs the two.
    pub(super) fn new(item: T, unset: Vec<Spanned<String>>) -> Self {
        Self { item, unset }
    }
}

/// Beside what something stands.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// `after=NAME`.
    After(Spanned<String>),
    /// `before=NAME`.
    Before(Spanned<String>),
}

impl Place {
    /// What it stands beside.
    pub(super) fn beside(&self) -> &Spanned<String> {
        match self {
            Self::After(name) | Self::Before(name) => name,
        }
    }
}

/// Where a layer moves.
#[derive(Debug, Clone)]
pub(super) enum Destination {
    /// Beside a layer, of whatever tier.
    Beside(Place),
    /// To the end of a tier.
    Tier(Spanned<String>),
}
