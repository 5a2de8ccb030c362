//! Roots: folders that sources read inside of.

use super::{Lit, Missing, Waive};
use crate::diagnostic::span::{Span, Spanned};
use crate::prompt::Changes;

/// A folder that sources read inside of.
#[derive(Debug, Clone)]
pub struct Root {
    /// Its name.
    pub name: Spanned<String>,
    /// `env=VARIABLE`.
    pub env: Option<Spanned<String>>,
    /// `default="DIR"`; several only for `many` (child `default "a" "b"`).
    pub default: Vec<Spanned<String>>,
    /// `in=ROOT`: what a relative default counts from.
    pub within: Option<Spanned<String>>,
    /// `above=ROOT`: derived from this root.
    pub above: Option<Spanned<String>>,
    /// `holding="NAME"` (or child `holding "a" "b"`): the nearest folder at or above that holds one of these.
    pub holding: Vec<Spanned<String>>,
    /// `many=#true`: an ordered list of folders.
    pub many: Option<bool>,
    /// `as="…"`: how its paths are written in prompts.
    pub shown: Option<Lit<String>>,
    /// `links=follow`: links may lead out of it.
    pub links: Option<Links>,
    /// `changes=`: default for its sources.
    pub changes: Option<Spanned<Changes>>,
    /// `missing=`: default for its sources.
    pub missing: Option<Spanned<Missing>>,
    /// The location of `locked=#true`.
    pub locked: Option<Span>,
    /// `waive` on it.
    pub waivers: Vec<Waive>,
    /// The node's name.
    pub span: Span,
}

impl Root {
    /// Whether it is an ordered list of folders.
    #[must_use]
    pub fn is_many(&self) -> bool {
        self.many == Some(true)
    }

    /// Whether links may lead out of it.
    #[must_use]
    pub fn follows_links(&self) -> bool {
        self.links == Some(Links::Follow)
    }
}

/// The handling of links that leave a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are followed.
    Follow,
}
