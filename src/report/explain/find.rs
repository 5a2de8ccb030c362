//! The layers that are asked for.

use super::{LayerStatus, fates, fates_of};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest::Manifest;
use crate::prompt::Prompt;
use crate::world::{DiskWorld, World as _};
use std::path::Path;

/// All layers of a prompt, or the one of this name. Without a manifest they are those that the prompt itself names.
pub(crate) fn chosen<'a>(
    layer: Option<&str>,
    prompt: &'a Prompt,
    manifest: Option<&'a Manifest>,
    diags: &mut Diagnostics,
) -> Result<Vec<LayerStatus<'a>>, ErrorReported> {
    let fates = match manifest {
        Some(manifest) => fates(manifest, prompt),
        None => fates_of(prompt),
    };
    match layer {
        Some(name) => Ok(vec![*find(name, &fates, manifest, diags)?]),
        None => Ok(fates),
    }
}

fn find<'a, 'b>(
    name: &str,
    fates: &'b [LayerStatus<'a>],
    manifest: Option<&Manifest>,
    diags: &mut Diagnostics,
) -> Result<&'b LayerStatus<'a>, ErrorReported> {
    if let Some(fate) = fates.iter().find(|f| f.name() == name) {
        return Ok(fate);
    }
    let message = format!("there is no layer `{name}`");
    let diagnostic = Diagnostic::error(diagnostic::UNKNOWN_LAYER, message);
    let known = || fates.iter().map(LayerStatus::name);
    let mut scenarios = manifest.iter().flat_map(|m| &m.scenarios);
    if scenarios.any(|scenario| scenario.name.value == name) {
        let help =
            format!("`{name}` is a scenario: `promptc explain --scenario {name}` explains it");
        return Err(diags.push(diagnostic.help(help)));
    }
    if DiskWorld.kind(Path::new(name)).is_ok() {
        let help = format!("to explain the manifest there: promptc explain -m {name}");
        return Err(diags.push(diagnostic.help(help)));
    }
    Err(diags.push(match suggest::nearest(name, known()) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None if fates.is_empty() => diagnostic.help("the manifest has no layers"),
        None => diagnostic.help(format!("the layers are {}", suggest::list(known()))),
    }))
}
