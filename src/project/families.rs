//! The prefix families of a manifest, and what their members share.

use crate::compare::{Family, Grade, Through};
use crate::manifest::{Expect, Manifest};
use crate::text::measure::Unit;
use crate::text::tokens::Tokenizer;
use schemars::JsonSchema;
use serde::Serialize;

/// The prefix families of a manifest, in order.
#[must_use]
pub fn families_of(manifest: &Manifest) -> Vec<Family> {
    let expects = manifest.expects.iter();
    expects.map(|expect| family(expect, manifest)).collect()
}

fn family(expect: &Expect, manifest: &Manifest) -> Family {
    let of_prompt = manifest.tokenizer().unwrap_or(Tokenizer::O200K);
    let at_least = expect.at_least.as_ref().map(|least| {
        let unit = match least.unit {
            Unit::Tokens(_) if least.implied => Unit::Tokens(of_prompt),
            unit => unit,
        };
        (usize::try_from(least.min.value).unwrap_or(usize::MAX), unit)
    });
    let tokenizer = match at_least {
        Some((_, Unit::Tokens(tokenizer))) => tokenizer,
        _ => of_prompt,
    };
    let members = expect.members.iter();
    Family {
        name: expect.name.value.clone(),
        members: members.map(|member| member.value.clone()).collect(),
        through: expect
            .through
            .as_ref()
            .and_then(|name| through(&name.value, manifest)),
        at_least,
        tokenizer,
    }
}

/// The tier or layer of that name, with the layers of its channel up to it.
fn through(name: &str, manifest: &Manifest) -> Option<Through> {
    let (end, count) = manifest.through(name)?;
    let deliver = end.channel();
    let tiers = manifest.tiers.iter();
    let before = tiers.take_while(|tier| tier.span != end.span);
    let before = before.filter(|tier| tier.channel() == deliver);
    let layers = before.flat_map(|tier| &tier.layers);
    let layers = layers.chain(end.layers.iter().take(count));
    Some(Through {
        name: name.to_owned(),
        deliver,
        is_tier: end.name.value == name,
        layers: layers.map(|layer| layer.name.value.clone()).collect(),
    })
}

/// Whether the text of a scenario may be shown: its snapshot stores it.
pub(crate) fn is_shown(manifest: &Manifest, scenario: &str) -> bool {
    let mut scenarios = manifest.scenarios.iter();
    scenarios
        .find(|s| s.name.value == scenario)
        .is_none_or(|s| s.snapshot)
}

/// The expectation of a family.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Expected {
    /// The tier or layer that the common prefix reaches the end of; null if none is written.
    pub through: Option<String>,
    /// The size that the common prefix has at least; null if none is written.
    pub at_least: Option<AtLeast>,
    /// The scenario that the other members are compared with.
    pub first: String,
}

/// A size with its unit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AtLeast {
    /// The size.
    pub size: usize,
    /// `chars`, `bytes`, `lines` or `tokens`.
    pub unit: &'static str,
    /// The tokenizer, of tokens.
    pub tokenizer: Option<&'static str>,
}

impl Expected {
    /// The declaration of the family in the manifest.
    #[must_use]
    pub fn of(family: &Family) -> Self {
        Self {
            through: family.through.as_ref().map(|t| t.name.clone()),
            at_least: family.at_least.map(|(size, unit)| AtLeast {
                size,
                unit: unit.word(),
                tokenizer: match unit {
                    Unit::Tokens(tokenizer) => Some(tokenizer.name),
                    _ => None,
                },
            }),
            first: family.members.first().cloned().unwrap_or_default(),
        }
    }
}

/// A family before and after a change.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FamilyChange {
    /// Its name.
    pub family: String,
    /// The expectation.
    pub expects: Expected,
    /// The shared prefix of its members in A; null if the text of one is not known.
    pub before: Option<Grade>,
    /// The shared prefix in B; null if the text of one is not known.
    pub after: Option<Grade>,
}
