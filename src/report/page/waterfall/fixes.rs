//! The fixes of a log.

use super::row::Row;
use crate::report::html::Html;
use crate::report::requests::{action, evidence, remedy};
use crate::report::words::thousands;
use crate::request::whole::Advice;
use std::collections::BTreeMap;

/// The most causes of a request that are shown one by one.
pub(super) const MOST_CAUSES: usize = 50;

/// The fixes, each once.
pub(super) struct Fixes<'a>(Vec<(&'a Advice, usize)>);

impl<'a> Fixes<'a> {
    /// The fixes of all causes, the most frequent first.
    pub(super) fn of(all: &'a [Row]) -> Self {
        let mut counts: BTreeMap<&Advice, usize> = BTreeMap::new();
        let causes = all
            .iter()
            .flat_map(|(one, _)| one.causes.iter().take(MOST_CAUSES));
        for advice in causes.filter_map(|cause| cause.advice.as_ref()) {
            *counts.entry(advice).or_default() += 1;
        }
        let mut out: Vec<_> = counts.into_iter().collect();
        out.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Self(out)
    }

    pub(super) fn draw(&self, html: &mut Html) {
        if self.0.is_empty() {
            return;
        }
        html.markup("<h3>What to do</h3><ol class=\"fixes\">");
        for (at, (advice, times)) in self.0.iter().enumerate() {
            html.open("li", &[("id", &format!("fix-{}", at + 1))]);
            html.prose(&remedy(advice));
            html.text(" ");
            let from = evidence(advice);
            html.leaf(
                "small",
                &[],
                &format!("{} of these causes; {from}", thousands(*times)),
            );
            html.close("li");
        }
        html.markup("</ol>");
    }

    /// A link to an advice, with what to do.
    pub(super) fn link(&self, html: &mut Html, advice: &Advice) {
        let at = self.0.iter().position(|(known, _)| *known == advice);
        let number = at.unwrap_or_default() + 1;
        html.markup("<p class=\"fix\">");
        html.leaf(
            "a",
            &[("href", &format!("#fix-{number}"))],
            &format!("Fix {number}"),
        );
        html.text(": ");
        html.prose(&action(advice));
        html.markup("</p>");
    }
}
