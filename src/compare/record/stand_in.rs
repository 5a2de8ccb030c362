//! A record without text beside a prompt with text: what both have can be told by its hash, the rest is not known.

use crate::compare::own_text;
use crate::prompt::{Channel, Layer, Prompt, sha256};

/// What stands for a byte that is not known.
const UNKNOWN: char = '\u{0}';

/// The recorded prompt with the text of `other` wherever the layer has the recorded hash. All other bytes are 0: the first
/// of a layer differs, and where in the layer cannot be told.
#[must_use]
pub fn stand_in(recorded: &Prompt, other: &Prompt) -> Prompt {
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
        match sha256(known) == layer.sha256 && known.len() == own {
            true => text.push_str(known),
            false => text.extend(std::iter::repeat_n(UNKNOWN, own)),
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

/// Bytes of the join in front of a layer.
fn join_len(layer: &Layer) -> usize {
    let first = layer.spans.first().filter(|s| s.ingredient.is_none());
    first
        .filter(|s| s.kind == crate::text::SpanKind::Join && layer.start > 0)
        .map_or(0, |s| s.end - s.start)
}
