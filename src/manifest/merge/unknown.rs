//! What an overlay names and its base does not have.

use super::Merger;
use super::shelf::ROW;
use crate::diagnostic::span::Spanned;
use crate::diagnostic::suggest::{list, nearest};
use crate::diagnostic::{self as codes, Diagnostic};
use crate::manifest::Target;

impl Merger<'_> {
    /// What to say of a layer whose name is a tier's, and the other way round.
    fn of_the_other_kind(&self, target: Target, name: &str) -> Option<String> {
        match target {
            Target::Layer => self.tiers.find(name).map(|_| {
                format!("`{name}` is a tier: write tier={name}, or name one of its layers")
            }),
            Target::Tier => {
                let has = |row| self.layers.iter(row).any(|l| l.name.value == name);
                let tier = self.tiers.iter(ROW).find(|s| has(s.row))?;
                let tier = &tier.tier.name.value;
                Some(format!("`{name}` is a layer of the tier `{tier}`"))
            }
            _ => None,
        }
    }

    /// Reports that something is not there.
    pub(super) fn unknown(&mut self, target: Target, name: &Spanned<String>) {
        let kind = target.name();
        let code = match target {
            Target::Layer => codes::UNKNOWN_LAYER,
            Target::Tier => codes::UNKNOWN_TIER,
            Target::Fact | Target::Let => codes::UNKNOWN_FACT,
            Target::Root => codes::UNKNOWN_ROOT,
            Target::Scan => codes::UNKNOWN_SCAN,
            Target::Scenario => codes::UNKNOWN_SCENARIO,
        };
        let message = format!("there is no {kind} `{}`", name.value);
        let found = Diagnostic::error(code, message).at(name.span);
        let mut said = std::mem::take(self.found);
        said.push_with(found, |mut found| {
            if let Some(removed) = self.manifest.removal(kind, &name.value) {
                found = found.related(removed, "removed here");
            }
            let known = self.names_of(target);
            let other = self.of_the_other_kind(target, &name.value);
            match nearest(&name.value, known.iter().copied()) {
                Some(near) => found
                    .help(format!("there is a {kind} `{near}`"))
                    .suggest(name.span, near),
                None if other.is_some() => found.help(other.unwrap_or_default()),
                None if known.is_empty() => found.help(format!("there is no {kind} at all")),
                None => found.help(format!("the {kind}s are {}", list(known))),
            }
        });
        *self.found = said;
    }

    /// What there is of a kind, in order.
    fn names_of(&self, target: Target) -> Vec<&str> {
        fn all<'m>(names: impl Iterator<Item = &'m Spanned<String>>) -> Vec<&'m str> {
            names.map(|name| name.value.as_str()).collect()
        }
        let manifest = &self.manifest;
        match target {
            Target::Layer => {
                let rows = self.tiers.iter(ROW).map(|s| s.row);
                all(rows.flat_map(|row| self.layers.iter(row)).map(|l| &l.name))
            }
            Target::Tier => all(self.tiers.iter(ROW).map(|s| &s.tier.name)),
            Target::Fact => all(self.facts.iter(ROW).map(|f| &f.name)),
            Target::Let => all(self.lets.iter(ROW).map(|l| &l.name)),
            Target::Root => all(self.roots.iter(ROW).map(|r| &r.name)),
            Target::Scan => all(manifest.scans.iter().map(|s| &s.name)),
            Target::Scenario => all(manifest.scenarios.iter().map(|s| &s.name)),
        }
    }
}
