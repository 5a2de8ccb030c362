//! Layers for programs.

use super::Fate;
use crate::prompt::Prompt;
use serde_json::{Value, json};

/// The prompt and all its layers.
pub(super) fn all(prompt: &Prompt, fates: &[Fate<'_>]) -> String {
    let layers: Vec<Value> = fates.iter().map(|fate| layer(*fate)).collect();
    let value = json!({
        "name": prompt.name,
        "fingerprint": prompt.fingerprint,
        "manifest": prompt.manifest,
        "layers": layers,
        "notices": prompt.notices,
        "fits": prompt.fits,
    });
    format!("{value:#}\n")
}

/// One layer.
pub(super) fn one(fate: Fate<'_>) -> String {
    format!("{:#}\n", layer(fate))
}

/// A layer as in the artifact, with `present`, its channel, and for an absent one the reason.
fn layer(fate: Fate<'_>) -> Value {
    match fate {
        Fate::Present(channel, layer) => json!({
            "name": layer.name,
            "tier": layer.tier,
            "present": true,
            "deliver": channel.deliver,
            "changes": layer.changes,
            "start": layer.start,
            "end": layer.end,
            "bytes": layer.end - layer.start,
            "chars": layer.chars,
            "tokens": layer.tokens,
            "sha256": layer.sha256,
            "ingredients": layer.ingredients,
            "spans": layer.spans,
            "unused": layer.unused,
        }),
        Fate::Absent(absent, deliver) => json!({
            "name": absent.layer,
            "tier": absent.tier,
            "present": false,
            "deliver": deliver,
            "reason": absent.reason,
            "detail": absent.detail,
            "ingredients": absent.ingredients,
            "unused": absent.unused,
        }),
    }
}
