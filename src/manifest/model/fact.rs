//! Facts, lets and the values that are written for them.

use super::{Slot, Waive};
use crate::diagnostic::span::{Literal, Span, Spanned};
use crate::prompt::Changes;

/// The type of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactType {
    /// Text.
    String,
    /// A whole number, 64 bits.
    Int,
    /// A number, double.
    Float,
    /// True or false.
    Bool,
    /// A day, `2026-03-30`.
    Date,
    /// A point in time, RFC 3339.
    DateTime,
    /// An ordered list of any values.
    List,
    /// Names to values.
    Map,
}

impl FactType {
    /// All types.
    pub const ALL: [Self; 8] = [
        Self::String,
        Self::Int,
        Self::Float,
        Self::Bool,
        Self::Date,
        Self::DateTime,
        Self::List,
        Self::Map,
    ];

    /// The word in manifests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Int => "int",
            Self::Float => "float",
            Self::Bool => "bool",
            Self::Date => "date",
            Self::DateTime => "datetime",
            Self::List => "list",
            Self::Map => "map",
        }
    }
}

/// A value as written in a manifest, before a type is applied: arguments, or children for a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The arguments, in order.
    pub args: Vec<Spanned<serde_json::Value>>,
    /// `{ key value; … }`, if there are braces.
    pub entries: Option<Vec<(Spanned<String>, Written)>>,
    /// Where it stands.
    pub span: Span,
}

/// A typed runtime value. In an overlay its type (`K`) may be left to the base.
#[derive(Debug, Clone)]
pub struct Fact<K = Spanned<FactType>> {
    /// Its name, a template variable.
    pub name: Spanned<String>,
    /// Its type.
    pub kind: K,
    /// `default=` or child `default`.
    pub default: Option<Written>,
    /// `one-of a b c`; empty if anything goes.
    pub one_of: Vec<Spanned<serde_json::Value>>,
    /// `optional=#true`.
    pub optional: Option<bool>,
    /// `env=VARIABLE`: its value, if nothing else gives one.
    pub env: Option<Spanned<String>>,
    /// `env-set=VARIABLE`: whether that variable is set.
    pub env_set: Option<Spanned<String>>,
    /// `clock=utc|"Area/City"`: now, in that zone.
    pub clock: Option<Spanned<String>>,
    /// `private=#true`: the value is never shown or kept.
    pub private: Option<bool>,
    /// `waive` on it.
    pub waivers: Vec<Waive>,
    /// `changes=`.
    pub changes: Option<Spanned<Changes>>,
    /// What it says, slot by slot.
    pub slots: Vec<Slot>,
    /// The node's name.
    pub span: Span,
}

impl<K> Fact<K> {
    /// Whether it may be without a value.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.optional == Some(true)
    }

    /// Whether its value is never shown or kept.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.private == Some(true)
    }

    /// How often it may change: as declared, else from conversation to conversation.
    #[must_use]
    pub fn class(&self) -> Changes {
        self.changes.as_ref().map_or(Changes::Session, |c| c.value)
    }

    /// The same with another type.
    pub fn of_kind<L>(self, kind: L) -> Fact<L> {
        Fact {
            name: self.name,
            kind,
            default: self.default,
            one_of: self.one_of,
            optional: self.optional,
            env: self.env,
            env_set: self.env_set,
            clock: self.clock,
            private: self.private,
            waivers: self.waivers,
            changes: self.changes,
            slots: self.slots,
            span: self.span,
        }
    }
}

/// A named expression.
#[derive(Debug, Clone)]
pub struct Let {
    /// Its name, a template variable.
    pub name: Spanned<String>,
    /// The expression.
    pub expression: Literal,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}
