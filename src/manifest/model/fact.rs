//! Facts, lets and the values that are written for them.

use super::Waive;
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
    /// Its location.
    pub span: Span,
}

/// A typed runtime value.
#[derive(Debug, Clone)]
pub struct Fact {
    /// Its name, a template variable.
    pub name: Spanned<String>,
    /// Its type.
    pub kind: Spanned<FactType>,
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
    /// `private=#true`: the value is never shown or stored.
    pub private: Option<bool>,
    /// `waive` on it.
    pub waivers: Vec<Waive>,
    /// `changes=`.
    pub changes: Option<Spanned<Changes>>,
    /// The node's name.
    pub span: Span,
}

impl Fact {
    /// Whether it may be without a value.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.optional == Some(true)
    }

    /// Whether its value is never shown or stored.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.private == Some(true)
    }

    /// How often it may change: as declared, else from conversation to conversation.
    #[must_use]
    pub fn class(&self) -> Changes {
        self.changes.as_ref().map_or(Changes::Session, |c| c.value)
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
