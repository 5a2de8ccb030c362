//! `session`: who it is, when a frozen prompt is built again, and how a reminder reports what a build now would change.

use super::{Budget, TemplateRef, Waive};
use crate::diagnostic::span::{Span, Spanned};

/// `session { … }`. What it does not say is not so: with no `refresh` in it a session stays as it is until someone asks.
#[derive(Debug, Clone)]
pub struct Session {
    /// `identity …`: the facts that say who the session is, in order.
    pub identity: Vec<Spanned<String>>,
    /// `refresh …`, in order.
    pub refresh: Vec<Refresh>,
    /// `reminder { … }`.
    pub reminder: Option<Reminder>,
    /// `waive` inside it.
    pub waivers: Vec<Waive>,
    /// The node's name.
    pub span: Span,
}

/// `refresh …`: on what occasion a session is built anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refresh {
    /// `event=NAME`: a gateway reports it.
    Event(Spanned<String>),
    /// `idle="5m"`, in seconds: it was not asked for so long.
    Idle(Spanned<u64>),
    /// `fact=NAME`: this fact has another value.
    Fact(Spanned<String>),
}

/// `reminder { … }`: the note that tells a conversation what has changed, and goes behind it.
#[derive(Debug, Clone)]
pub struct Reminder {
    /// `template`; the built-in one if not written.
    pub template: Option<TemplateRef>,
    /// `budget …`, in order.
    pub budgets: Vec<Budget>,
    /// The node's name.
    pub span: Span,
}

impl Reminder {
    /// Every template that it names.
    pub fn templates(&self) -> impl Iterator<Item = &TemplateRef> {
        let markers = self.budgets.iter().filter_map(|b| b.marker.as_ref());
        self.template.iter().chain(markers)
    }
}
