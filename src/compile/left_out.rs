//! Warns where a layer is left out that the whole prompt does not have either.

use super::given::GivenInputs;
use crate::diagnostic::{Diagnostic, Diagnostics, UNUSED_OPTION};
use crate::prompt::Prompt;

/// The inputs of the whole prompt, if these are of a variant.
pub(super) fn whole(given: &GivenInputs) -> Option<GivenInputs> {
    (!given.without.is_empty()).then(|| GivenInputs {
        without: Vec::new(),
        ..given.clone()
    })
}

/// Warns of the layers that `variant` leaves out and that are absent from `whole` too.
pub(super) fn warn(variant: &Prompt, whole: &Prompt, diags: &mut Diagnostics) {
    let absent = whole.absent.iter();
    for absent in absent.filter(|absent| variant.without.contains(&absent.layer)) {
        let (layer, why) = (&absent.layer, &absent.detail);
        let message = format!("--without {layer} has no effect: the layer is absent anyway; {why}");
        let found = Diagnostic::warning(UNUSED_OPTION, message);
        diags.push(found.help("leave it out; `promptc explain` shows the absent layers"));
    }
}
