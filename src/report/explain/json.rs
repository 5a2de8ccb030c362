//! The explanation, for programs.

use super::provider;
use super::{LayerStatus, budgets_of, fits};
use crate::diagnostic::Code;
use crate::manifest::merged;
use crate::prompt::{Absent, Deliver, Fit, Ingredient, Layer, Notice, Prompt};
use schemars::JsonSchema;
use serde::Serialize;

/// The output of `explain --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Report<'a> {
    /// A prompt with all its layers.
    Prompt(Explained<'a>),
    /// One layer.
    Layer(Box<Entry<'a>>),
    /// With `--budget`: what bounds the layers.
    Budgets(Budgets<'a>),
    /// With `--model`: where breakpoints are.
    Provider(provider::Report<'a>),
    /// With `--merged`: the manifest.
    Merged(merged::Report<'a>),
    /// With `--code list`: all kinds of diagnostics.
    Codes(Codes),
    /// With `--code`: one kind of diagnostic.
    Code(Code),
}

/// All kinds of diagnostics.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Codes {
    /// Errors, then notices, then the rules of `check`.
    pub(crate) codes: Vec<Code>,
}

/// A prompt and all its layers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Explained<'a> {
    /// The manifest's `name`.
    prompt: Option<&'a str>,
    /// Hash of the system prompt.
    fingerprint: &'a str,
    /// Hash of the manifest's bytes.
    manifest_sha256: &'a str,
    /// All layers in the order of the manifest; those of an artifact channel by channel.
    layers: Vec<Entry<'a>>,
    /// Cuts, drops, replacements and other notices.
    notices: &'a [Notice],
    /// The arithmetic of the budgets of tiers and prompt.
    fits: &'a [Fit],
}

/// A layer, as in the artifact.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Entry<'a> {
    /// Whether it is in the prompt.
    present: bool,
    /// The channel that it is in or would be in.
    channel: Deliver,
    #[serde(flatten)]
    layer: Is<'a>,
}

/// The data of a layer in the artifact.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Is<'a> {
    /// It is in the prompt.
    Present {
        /// Its length in bytes, the join before it included.
        bytes: usize,
        #[serde(flatten)]
        layer: &'a Layer,
    },
    /// It is not.
    Absent(&'a Absent),
}

/// The limits of some layers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Budgets<'a> {
    /// The arithmetic of the tiers around them.
    fits: Vec<&'a Fit>,
    /// The layers.
    layers: Vec<Bounded<'a>>,
}

/// The budgets of a layer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Bounded<'a> {
    layer: &'a str,
    tier: &'a str,
    /// Whether it is in the prompt.
    present: bool,
    /// The budgets of its nodes and its own, as they were applied.
    budgets: Vec<&'a Ingredient>,
}

impl<'a> Report<'a> {
    /// These layers of a prompt, of which the caller asked for one, or for their budgets.
    pub(crate) fn of(
        prompt: &'a Prompt,
        layers: &[LayerStatus<'a>],
        one: bool,
        budget: bool,
    ) -> Self {
        match *layers {
            _ if budget => Self::budgets(prompt, layers),
            [layer] if one => Self::layer(layer),
            _ => Self::prompt(prompt, layers),
        }
    }

    /// A prompt and all its layers.
    fn prompt(prompt: &'a Prompt, fates: &[LayerStatus<'a>]) -> Self {
        Self::Prompt(Explained {
            prompt: prompt.name.as_deref(),
            fingerprint: &prompt.fingerprint,
            manifest_sha256: &prompt.manifest_sha256,
            layers: fates.iter().copied().map(Entry::of).collect(),
            notices: &prompt.notices,
            fits: &prompt.fits,
        })
    }

    /// One layer.
    fn layer(fate: LayerStatus<'a>) -> Self {
        Self::Layer(Box::new(Entry::of(fate)))
    }

    /// The budgets of these layers and of the tiers around them.
    fn budgets(prompt: &'a Prompt, fates: &[LayerStatus<'a>]) -> Self {
        let layers = fates.iter().map(|fate| Bounded {
            layer: fate.name(),
            tier: fate.tier(),
            present: matches!(fate, LayerStatus::Present(..)),
            budgets: budgets_of(*fate).collect(),
        });
        Self::Budgets(Budgets {
            fits: fits(prompt, fates),
            layers: layers.collect(),
        })
    }
}

impl<'a> Entry<'a> {
    fn of(fate: LayerStatus<'a>) -> Self {
        Self {
            present: matches!(fate, LayerStatus::Present(..)),
            channel: fate.deliver(),
            layer: match fate {
                LayerStatus::Present(_, layer) => Is::Present {
                    bytes: layer.end - layer.start,
                    layer,
                },
                LayerStatus::Absent(absent, _) => Is::Absent(absent),
            },
        }
    }
}
