//! The fact or root that makes a layer change as often as it does.

use super::Context;
use crate::compile::{Reason, What};
use crate::diagnostic::span::Span;

/// A fact or root on which layers depend.
#[derive(PartialEq, Eq)]
pub(super) struct Cause<'a> {
    pub(super) what: What,
    pub(super) name: &'a str,
    pub(super) declared: Option<Span>,
}

impl<'a> Cause<'a> {
    /// The end of a reason; none if that is text.
    pub(super) fn of(reason: &'a Reason) -> Option<Self> {
        let last = reason.links.last()?;
        let declares = matches!(last.what, What::Root | What::Fact);
        declares.then_some(Self {
            what: last.what,
            name: &last.name,
            declared: reason.declared,
        })
    }

    /// Its word and its name where it is declared; a built-in root has no place.
    pub(super) fn named(&self, context: &Context<'_>) -> (&'static str, Option<Span>) {
        let manifest = context.manifest();
        let (word, mut names): (_, Box<dyn Iterator<Item = _>>) = match self.what {
            What::Fact => ("fact", Box::new(manifest.facts.iter().map(|f| &f.name))),
            _ => ("root", Box::new(manifest.roots.iter().map(|r| &r.name))),
        };
        let name = names.find(|name| name.value == self.name);
        (word, name.map(|name| name.span))
    }
}
