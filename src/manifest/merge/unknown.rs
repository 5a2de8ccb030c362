//! What an overlay names and its base does not have.

use super::Merger;
use crate::diagnostic::suggest::{list, nearest};
use crate::diagnostic::{self as codes, Code, Diagnostic};
use crate::manifest::statement::Target;
use crate::span::Spanned;

impl Merger<'_> {
    /// What to say of a layer whose name is a tier's, and the other way round.
    fn of_the_other_kind(&self, target: Target, name: &str) -> Option<String> {
        let mut tiers = self.manifest.tiers.iter();
        match target {
            Target::Layer => tiers.any(|t| t.name.value == name).then(|| {
                format!("`{name}` is a tier: write tier={name}, or name one of its layers")
            }),
            Target::Tier => tiers
                .find(|t| t.layers.iter().any(|l| l.name.value == name))
                .map(|t| format!("`{name}` is a layer of the tier `{}`", t.name.value)),
            _ => None,
        }
    }

    /// Reports that something is not there.
    pub(super) fn unknown(&mut self, target: Target, name: &Spanned<String>) {
        let kind = target.name();
        let manifest = &self.manifest;
        let (code, known): (Code, Vec<&str>) = match target {
            Target::Layer => {
                let layers = manifest.tiers.iter().flat_map(|t| &t.layers);
                (
                    codes::UNKNOWN_LAYER,
                    layers.map(|l| l.name.value.as_str()).collect(),
                )
            }
            Target::Tier => (
                codes::UNKNOWN_TIER,
                manifest
                    .tiers
                    .iter()
                    .map(|t| t.name.value.as_str())
                    .collect(),
            ),
            Target::Fact => (
                codes::UNKNOWN_FACT,
                manifest
                    .facts
                    .iter()
                    .map(|f| f.name.value.as_str())
                    .collect(),
            ),
            Target::Let => (
                codes::UNKNOWN_FACT,
                manifest
                    .lets
                    .iter()
                    .map(|l| l.name.value.as_str())
                    .collect(),
            ),
            Target::Root => (
                codes::UNKNOWN_ROOT,
                manifest
                    .roots
                    .iter()
                    .map(|r| r.name.value.as_str())
                    .collect(),
            ),
            Target::Scan => (
                codes::UNKNOWN_SCAN,
                manifest
                    .scans
                    .iter()
                    .map(|s| s.name.value.as_str())
                    .collect(),
            ),
            Target::Scenario => (
                codes::UNKNOWN_SCENARIO,
                manifest
                    .scenarios
                    .iter()
                    .map(|s| s.name.value.as_str())
                    .collect(),
            ),
        };
        let message = format!("there is no {kind} `{}`", name.value);
        let mut found = Diagnostic::error(code, message).at(name.span);
        if let Some(removed) = manifest.removal(kind, &name.value) {
            found = found.related(removed, "removed here");
        }
        let other = self.of_the_other_kind(target, &name.value);
        found = match nearest(&name.value, known.iter().copied()) {
            Some(near) => found
                .help(format!("there is a {kind} `{near}`"))
                .suggest(name.span, near),
            None if other.is_some() => found.help(other.unwrap_or_default()),
            None if known.is_empty() => found.help(format!("there is no {kind} at all")),
            None => found.help(format!("the {kind}s are {}", list(known))),
        };
        self.found.push(found);
    }
}
