//! The place at which a fact is printed, for rules.

use super::{Context, Finding, Rule, when};
use crate::compile::Print;
use crate::diagnostic::span::Span;
use crate::manifest::{Fact, FactType};
use crate::prompt::{Changes, Deliver};
use crate::template::analyse::StepKind;
use std::collections::BTreeMap;

impl Print<'_> {
    /// The filters that apply only to output of other filters, each with its first text argument.
    pub fn filters(&self) -> impl Iterator<Item = (&str, Option<&str>, Span)> {
        self.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Filter { name, argument } => {
                Some((name.as_str(), argument.as_deref(), step.span))
            }
            _ => None,
        })
    }

    /// Whether only a property of the value is printed instead of the value: its length.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.filters().any(|(name, ..)| {
            matches!(
                name,
                "length" | "count" | "percent" | "bool" | "sum" | "min" | "max"
            )
        })
    }

    /// The printed name: the fact, or a part of it, such as `git.status`.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = self.fact.name.value.clone();
        for step in &self.steps {
            match &step.kind {
                StepKind::Item(Some(name)) => {
                    path.push('.');
                    path.push_str(name);
                }
                _ => break,
            }
        }
        path
    }

    /// A finding of `rule` here, with the place where the fact is declared; a waiver there counts too.
    pub(super) fn finding(&self, rule: &'static Rule, message: impl Into<String>) -> Finding {
        Finding::new(rule, self.span, message)
            .within(&self.site)
            .around(self.fact.span)
            .related(self.fact.name.span, "declared here")
    }

    /// How often the text around it changes, in words.
    #[must_use]
    pub fn pace(&self) -> String {
        match self.site.changes {
            Changes::Never => "never changes".to_owned(),
            changes => format!("changes {}", when(changes)),
        }
    }

    /// Whether the text should keep its bytes: it is in the system prompt or the tools, in a tier that changes
    /// less often than at every call.
    #[must_use]
    pub fn is_stable(&self) -> bool {
        let deliver = self.site.tier.and_then(|t| t.deliver.as_ref());
        self.site.tier.is_some()
            && deliver.is_none_or(|d| d.value != Deliver::User)
            && self.site.changes < Changes::Turn
    }
}

impl Context<'_> {
    /// The declared frequency of a fact; none if its author declares none.
    #[must_use]
    pub fn stated(fact: &Fact) -> Option<Changes> {
        fact.changes.as_ref().map(|c| c.value)
    }
}

/// Whether the printed part of a datetime or date includes the time of day; none if that is unknown.
#[must_use]
pub(super) fn says_time(print: &Print<'_>) -> Option<bool> {
    if print.fact.kind.value == FactType::Date {
        return Some(false);
    }
    let mut split = false;
    for step in &print.steps {
        match &step.kind {
            StepKind::Filter { name, argument } => match (name.as_str(), argument) {
                ("date", Some(format)) => return shows_time(format),
                ("split", Some(at)) if at == "T" => split = true,
                ("first", _) if split => return Some(false),
                ("last", _) if split => return Some(true),
                (
                    "string" | "trim" | "sanitize" | "xml" | "upper" | "lower" | "json" | "zone",
                    _,
                ) => {}
                _ => return None,
            },
            StepKind::Slice {
                start: None | Some(0),
                stop: Some(stop @ 0..),
            } => {
                return Some(*stop > 10);
            }
            StepKind::Item(_) if split => return None,
            StepKind::Slice {
                start: Some(11..), ..
            } => return Some(true),
            _ => return None,
        }
    }
    Some(true)
}

/// Whether a format prints hours, minutes or seconds; none if it prints a zone and no time.
fn shows_time(format: &str) -> Option<bool> {
    let letters = conversions(format);
    match letters.iter().any(|c| "HIklMSpPTRrXcfsN".contains(*c)) {
        true => Some(true),
        false if letters.iter().any(|c| "QZz".contains(*c)) => None,
        false => Some(false),
    }
}

/// The letters of a format's conversions, without flags and widths.
#[must_use]
pub(super) fn conversions(format: &str) -> Vec<char> {
    let mut out = Vec::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c == '%' {
            let flag = |c: &char| "-_0^#:.".contains(*c) || c.is_ascii_digit();
            out.extend(chars.by_ref().find(|c| !flag(c)));
        }
    }
    out
}

/// For each fact without a declared rate of change: the first place in a stable layer that prints it, or a part of
/// it, under a name that `named` knows.
pub(super) fn named_like<'c>(
    context: &'c Context<'_>,
    named: fn(&str) -> bool,
) -> impl Iterator<Item = &'c Print<'c>> {
    let says_nothing = |fact: &&Fact| {
        let kind = fact.kind.value;
        let plain = matches!(
            kind,
            FactType::String | FactType::Int | FactType::List | FactType::Map
        );
        fact.changes.is_none() && fact.one_of.is_empty() && plain
    };
    let mut first: BTreeMap<Span, &Print<'_>> = BTreeMap::new();
    for print in &context.analysis.prints {
        if print.is_stable() && !print.is_measured() && named(&print.path()) {
            first.entry(print.fact.span).or_insert(print);
        }
    }
    let facts = context.manifest().facts.iter().filter(says_nothing);
    facts.filter_map(move |fact| first.get(&fact.span).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_distinguished_from_text() {
        assert_eq!(
            conversions("%A, %-d %B %Y at 100 %% %H"),
            ['A', 'd', 'B', 'Y', '%', 'H']
        );
        assert_eq!(shows_time("%Y-%m-%d %H:%M"), Some(true));
        assert_eq!(shows_time("%Y-%m-%d %Z"), None);
        assert_eq!(shows_time("HIM %Y"), Some(false));
    }
}
