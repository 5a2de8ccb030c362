//! Scans: rule sets, and their use on documents.

use super::{Lit, TemplateRef, Waive};
use crate::diagnostic::span::{Literal, Span, Spanned};

/// `scan NAME { … }`: rules that texts are scanned with.
#[derive(Debug, Clone)]
pub struct ScanSet {
    /// Its name.
    pub name: Spanned<String>,
    /// `extends=OTHER`: the set that it inherits rules, scopes and settings from.
    pub extends: Option<Spanned<String>>,
    /// `normalize=nfkc|none`: whether patterns are matched against the text in the form NFKC.
    pub nfkc: Option<Spanned<bool>>,
    /// `window=N`: how many Unicode scalar values are looked at.
    pub window: Option<Spanned<usize>>,
    /// `scopes a b c`: each takes in those before it; empty if not written.
    pub scopes: Vec<Spanned<String>>,
    /// `invisible-unicode …`.
    pub invisible: Option<InvisibleRule>,
    /// `unless REGEX`: what excuses a match of the rules that do not say it themselves.
    pub unless: Option<Literal>,
    /// `rule ID PATTERN scope=S`, in order.
    pub rules: Vec<ScanRule>,
    /// `waive` on it.
    pub waivers: Vec<Waive>,
    /// The node's name.
    pub span: Span,
}

/// `invisible-unicode chars="…" id="…U+{hex}"`, or `#false` for none of it.
#[derive(Debug, Clone)]
pub struct InvisibleRule {
    /// Whether it looks for anything.
    pub on: bool,
    /// `chars=`; the usual ones if not written.
    pub chars: Option<Literal>,
    /// `id=`.
    pub id: Option<Spanned<String>>,
    /// The node's name.
    pub span: Span,
}

/// `rule ID PATTERN scope=S`.
#[derive(Debug, Clone)]
pub struct ScanRule {
    /// The id of its findings.
    pub id: Spanned<String>,
    /// The regular expression.
    pub pattern: Literal,
    /// `scope=`; the first of the set if not written.
    pub scope: Option<Spanned<String>>,
    /// `words=`: words of which every match has one, with `|` between them.
    pub words: Option<Spanned<String>>,
    /// `unless=REGEX`: it excuses a match that it precedes; an empty one excuses none.
    pub unless: Option<Literal>,
    /// `private=#true`: what it finds is not shown.
    pub private: bool,
    /// `about=`: what it finds, in words.
    pub about: Option<Spanned<String>>,
}

/// The scan of a document.
#[derive(Debug, Clone)]
pub enum Scan {
    /// `scan #false`: none.
    Off,
    /// `scan SET …`.
    With(Box<ScanUse>),
}

impl Scan {
    /// The use of a set, if there is one.
    #[must_use]
    pub fn used(&self) -> Option<&ScanUse> {
        match self {
            Self::Off => None,
            Self::With(used) => Some(used),
        }
    }
}

/// `scan SET scope=S on-hit=… placeholder="…" except="REGEX"`.
#[derive(Debug, Clone)]
pub struct ScanUse {
    /// The rule set.
    pub set: Spanned<String>,
    /// `scope=`; the last of the set if not written.
    pub scope: Option<Lit<String>>,
    /// `on-hit=`.
    pub on_hit: OnHit,
    /// `placeholder`; the default one if not written.
    pub placeholder: Option<TemplateRef>,
    /// `except=`: a text in which this is found is not scanned.
    pub except: Option<Except>,
    /// The node's name.
    pub span: Span,
}

/// `except="REGEX"`.
#[derive(Debug, Clone)]
pub enum Except {
    /// Written out.
    Written(Literal),
    /// The value of a fact or let.
    Fact(Spanned<String>),
}

/// The handling of a document with a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnHit {
    /// A placeholder replaces it.
    Replace,
    /// It is left out.
    Drop,
    /// It stays, and the build says so.
    Warn,
    /// The build fails.
    Error,
}
