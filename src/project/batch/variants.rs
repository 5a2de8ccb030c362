//! The variants of a prompt: each without one of the layers that put bytes into it.

use super::{Builder, LineBatch, Outcome, built, start};
use crate::compile::GivenInputs;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::{BuildCall, Run, output};
use crate::prompt::Prompt;
use std::collections::VecDeque;
use std::path::Path;

impl LineBatch {
    /// Builds the whole prompt, and begins to build its variants: each artifact as one line. The result has what each of them leaves
    /// out, in order, the whole prompt first.
    pub(crate) fn of_variants(
        build: &BuildCall,
        to: Option<&Path>,
        run: &mut Run,
    ) -> Result<(Self, Vec<Vec<String>>), ErrorReported> {
        let Builder { shared, given } = Builder::new(build, to, run)?;
        let mut diags = Diagnostics::default();
        let whole = shared.build(&given, &mut diags).inspect_err(|_| {
            // Without it there are no variants.
            run.diags.extend(&diags);
        })?;
        if let Some(path) = to.filter(|_| shared.world.has_read_output()) {
            return Err(run.diags.push(output::is_input(path)));
        }
        let mut left_out = vec![given.without.clone()];
        let without = |layer: &str| [&given.without[..], &[layer.to_owned()]].concat();
        left_out.extend(named(&whole).map(without));
        let variants = left_out.clone().into_iter().skip(1);
        let of_variant = shared.clone();
        let build = move |without: Vec<String>| {
            let given = GivenInputs {
                without,
                ..given.clone()
            };
            let mut diags = Diagnostics::default();
            vec![match of_variant.build(&given, &mut diags) {
                Ok(prompt) => built(prompt, diags),
                Err(_) => Outcome::Refused(diags),
            }]
        };
        let batch = Self {
            pool: start(None, variants, build, run)?,
            ready: VecDeque::from([built(whole, diags)]),
            shared,
        };
        Ok((batch, left_out))
    }
}

/// The layers that put bytes into a prompt, in the order of its texts.
fn named(prompt: &Prompt) -> impl Iterator<Item = &str> {
    let layers = prompt.channels.iter().flat_map(|channel| &channel.layers);
    let layers = layers.filter(|layer| layer.start < layer.end);
    layers.map(|layer| layer.name.as_str())
}
