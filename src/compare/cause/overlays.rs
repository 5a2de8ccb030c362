//! The line of an overlay by which a layer moved or went.

use crate::compare::model::{Cause, CauseKind};
use crate::prompt::{Moved, MovedTo, Prompt};

/// The line by which the layer `name` of `a` is gone or elsewhere in `b`, if an overlay of `b` says so and that is what makes
/// the difference.
pub(super) fn cause(kind: CauseKind, name: &str, [a, b]: [&Prompt; 2]) -> Option<Cause> {
    let line = match kind {
        CauseKind::LayerRemoved => b.overlays.removed.get(name)?,
        CauseKind::LayerMoved => {
            let Moved { to, by } = b.overlays.moved.get(name)?;
            // An overlay of A may say the same, and something else have moved the layer.
            Some(by).filter(|_| holds(to, name, b) && !holds(to, name, a))?
        }
        _ => return None,
    };
    Some(Cause {
        path: Some(line.path.to_string()),
        line: Some(line.line),
        new: Some(line.says.clone()),
        ..Cause::new(kind)
    })
}

/// Whether the layer is where it was moved.
fn holds(to: &MovedTo, name: &str, prompt: &Prompt) -> bool {
    let tiers = prompt.channels.iter().flat_map(|channel| {
        let tiers = channel.layers.chunk_by(|x, y| x.tier == y.tier);
        tiers.map(|layers| (layers.first().map(|l| l.tier.as_str()), layers))
    });
    let place = tiers.into_iter().find_map(|(tier, layers)| {
        let at = layers.iter().position(|layer| layer.name == name)?;
        let before = at.checked_sub(1).map(|at| layers[at].name.as_str());
        let after = layers.get(at + 1).map(|layer| layer.name.as_str());
        Some((tier, before, after))
    });
    let Some((tier, before, after)) = place else {
        return false;
    };
    match to {
        MovedTo::After(other) => before == Some(other.as_str()),
        MovedTo::Before(other) => after == Some(other.as_str()),
        MovedTo::Tier(other) => tier == Some(other.as_str()) && after.is_none(),
    }
}
