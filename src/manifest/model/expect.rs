//! Prefix families: scenarios that must share a prefix.

use super::{Manifest, Tier, Unit, Waive};
use crate::diagnostic::span::{Span, Spanned};
use crate::prompt::Deliver;
use crate::text::tokens::Tokenizer;

/// `expect NAME { members …; through …; at-least … }`: scenarios that must share a prefix. It prints nothing.
#[derive(Debug, Clone)]
pub struct Expect {
    /// Its name.
    pub name: Spanned<String>,
    /// `members SCENARIO …`, in order.
    pub members: Vec<Spanned<String>>,
    /// `through TIER` or `through LAYER`: the prefix reaches its end.
    pub through: Option<Spanned<String>>,
    /// `at-least N UNIT`: the prefix has this size.
    pub at_least: Option<MinSize>,
    /// `waive` inside it.
    pub waivers: Vec<Waive>,
    /// The node's name.
    pub span: Span,
}

/// `at-least N UNIT`.
#[derive(Debug, Clone)]
pub struct MinSize {
    /// The minimum.
    pub min: Spanned<u64>,
    /// In which unit.
    pub unit: Unit,
    /// Whether tokens are written without their tokenizer: those of the prompt's budget are meant, else `o200k`.
    pub implied: bool,
}

impl Manifest {
    /// The default tokenizer: that of the prompt's budget, if it counts tokens.
    #[must_use]
    pub fn tokenizer(&self) -> Option<Tokenizer> {
        match self.budget.as_ref()?.unit.as_ref()?.value {
            Unit::Tokens(tokenizer) => Some(tokenizer),
            _ => None,
        }
    }

    /// The tier that a name means in `through`, and the number of its layers that are included. If a tier and a layer
    /// have one name, the tier is meant.
    #[must_use]
    pub fn through(&self, name: &str) -> Option<(&Tier, usize)> {
        let tier = self.tiers.iter().find(|tier| tier.name.value == name);
        let whole = tier.map(|tier| (tier, tier.layers.len()));
        whole.or_else(|| {
            self.tiers.iter().find_map(|tier| {
                let at = tier.layers.iter().position(|l| l.name.value == name)?;
                Some((tier, at + 1))
            })
        })
    }
}

impl Tier {
    /// Where its text goes.
    #[must_use]
    pub fn channel(&self) -> Deliver {
        self.deliver.as_ref().map_or(Deliver::System, |d| d.value)
    }
}
