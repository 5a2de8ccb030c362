//! A snapshot without text, made comparable with a prompt that has text: layers with the same hash get its text.

use crate::compare::own_text;
use crate::prompt::{Channel, Layer, Prompt, sha256};

/// The placeholder of an unknown byte.
const UNKNOWN: char = '\u{0}';

/// The accepted prompt with the text of `other` in each layer with the recorded hash. All other bytes are 0: the
/// first byte of a changed layer differs, and the position of the change in the layer is unknown.
#[must_use]
pub fn comparable(recorded: &Prompt, other: &Prompt) -> Prompt {
    let channels = recorded
        .channels
        .iter()
        .map(|c| channel(c, other))
        .collect();
    Prompt {
        channels,
        ..recorded.clone()
    }
}

fn channel(recorded: &Channel, other: &Prompt) -> Channel {
    let mut text = String::with_capacity(recorded.bytes);
    let mut layers = Vec::with_capacity(recorded.layers.len());
    for layer in &recorded.layers {
        let known = own_text(other, recorded.deliver, &layer.name);
        let join = join_len(layer);
        let own = (layer.end - layer.start).saturating_sub(join);
        text.extend(std::iter::repeat_n('\n', join));
        if sha256(known) == layer.sha256 && known.len() == own {
            text.push_str(known)
        } else {
            text.extend(std::iter::repeat_n(UNKNOWN, own))
        }
        layers.push(Layer {
            sha256: sha256(text.get(layer.start..layer.end).unwrap_or_default()),
            ..layer.clone()
        });
    }
    Channel {
        text,
        layers,
        ..recorded.clone()
    }
}

/// Bytes of the join before a layer.
fn join_len(layer: &Layer) -> usize {
    let first = layer.spans.first().filter(|s| s.ingredient.is_none());
    first
        .filter(|s| s.kind == crate::text::SpanKind::Join && layer.start > 0)
        .map_or(0, |s| s.end - s.start)
}
