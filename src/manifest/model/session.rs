//! `session`: when a frozen prompt is built anew.

use super::Slot;
use crate::span::{Span, Spanned};

/// `session { … }`. What it does not say is not so: with no `refresh` in it a session stays as it is until someone asks.
#[derive(Debug, Clone)]
pub struct Session {
    /// `refresh …`, in order.
    pub refresh: Vec<Refresh>,
    /// What it says, slot by slot.
    pub slots: Vec<Slot>,
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
