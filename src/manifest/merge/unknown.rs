//! The names in an overlay that its base does not have.

use super::Merger;
use super::names::called;
use crate::diagnostic::span::Spanned;
use crate::diagnostic::suggest::{list, nearest};
use crate::diagnostic::{self as codes, Code, Diagnostic};

/// The code of each kind of missing thing.
const CODES: [(&str, Code); 8] = [
    ("layer", codes::UNKNOWN_LAYER),
    ("tier", codes::UNKNOWN_TIER),
    ("fact", codes::UNKNOWN_FACT),
    ("let", codes::UNKNOWN_FACT),
    ("root", codes::UNKNOWN_ROOT),
    ("scan", codes::UNKNOWN_SCAN),
    ("scenario", codes::UNKNOWN_SCENARIO),
    ("expect", codes::UNKNOWN_EXPECT),
];

impl Merger<'_, '_> {
    /// The directory rules for a layer whose name is a tier's, and the other way round.
    fn of_the_other_kind(&self, kind: &str, name: &str) -> Option<String> {
        match kind {
            "layer" => {
                self.rows.find("tier", name)?;
                Some(format!(
                    "`{name}` is a tier: write tier={name}, or name one of its layers"
                ))
            }
            "tier" => {
                let mut tiers = self.rows.tiers();
                let (tier, _) = tiers.find(|(_, layers)| layers.contains(&name))?;
                Some(format!("`{name}` is a layer of the tier `{tier}`"))
            }
            _ => None,
        }
    }

    /// Reports that something is missing.
    pub(super) fn unknown(&mut self, kind: &'static str, name: &Spanned<String>) {
        let code = CODES.iter().find(|(of, _)| *of == kind);
        let code = code.map_or(codes::UNKNOWN_NODE, |(_, code)| *code);
        let [word, words] = called(kind);
        let message = format!("there is no {word} `{}`", name.value);
        let found = Diagnostic::error(code, message).at(name.span);
        let mut said = std::mem::take(self.found);
        said.push_with(found, |mut found| {
            let mut removed = self.removed.iter().rev();
            let removed = removed.find(|r| r.kind == kind && r.name == name.value);
            if let Some(removed) = removed {
                found = found.related(removed.span, "removed here");
            }
            let known = self.rows.names(kind);
            let other = self.of_the_other_kind(kind, &name.value);
            match nearest(&name.value, known.iter().copied()) {
                Some(near) => found
                    .help(format!("there is a {word} `{near}`"))
                    .suggest(name.span, near),
                None if other.is_some() => found.help(other.unwrap_or_default()),
                None if known.is_empty() => found.help(format!("there is no {word} at all")),
                None => found.help(format!("the {words} are {}", list(known))),
            }
        });
        *self.found = said;
    }
}
