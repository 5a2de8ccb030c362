//! `session`: who it is, when a frozen prompt is built again, and how a reminder reports what a build now would change.

use super::{Budget, TemplateRef, Waive};
use crate::diagnostic::span::{Span, Spanned};

/// `session { … }`. An omitted setting is off: without `refresh` a session stays unchanged until a caller asks for a
/// refresh.
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

/// `refresh …`: an occasion on which a session is rebuilt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refresh {
    /// `event=NAME`: an app reports it.
    Event(Spanned<String>),
    /// `idle="5m"`, in seconds: it was not used for so long.
    Idle(Spanned<u64>),
    /// `fact=NAME`: this fact has another value.
    Fact(Spanned<String>),
}

/// `reminder { … }`: the note that lists changes for a conversation, and comes after it.
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
