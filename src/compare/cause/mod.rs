//! Why a layer differs: the changed ingredients that own a byte or the decision at its first difference.
//!
//! [`case`] is one layer with all that changed about it: its places that differ. [`why`] asks who changed a piece that both
//! sides have, [`one_sided`] and [`document`] what decided about one that only one of them has.

mod case;
mod document;
mod instead;
mod presence;
mod budget;
mod cut;
mod below;
mod one_sided;
mod sums;
mod overlays;
mod fitted;
mod rest;
mod why;
mod space;

use super::Ground;
use super::model::{Cause, CauseKind};
use super::order::OrderedLayer;
use super::side::Side;
use crate::prompt::{Deliver, Prompt, Value};
use case::Case;

/// The causes of one layer, and what else changed in it.
#[derive(Debug, Default)]
pub(super) struct LayerCauses {
    pub(super) causes: Vec<Cause>,
    pub(super) also: Vec<Cause>,
    /// Where the first difference begins in A's own text of the layer, if both have text.
    pub(super) place: Option<usize>,
}

/// Why the layer at `place` differs.
pub(super) fn causes<'p>(
    (place, at_join): (OrderedLayer, bool),
    a: &Side<'p>,
    b: &Side<'p>,
    ground: Ground<'_, 'p>,
) -> LayerCauses {
    if let Some(cause) = whole(place, a, b, ground) {
        let also = match place.moved && a.text() != b.text() {
            true => Case::new(a, b, ground).causes(),
            false => Vec::new(),
        };
        return LayerCauses {
            causes: vec![cause],
            also,
            place: None,
        };
    }
    let case = Case::new(a, b, ground);
    if at_join && a.text() != b.text() {
        let text = case.found();
        return LayerCauses {
            causes: case.around(),
            also: text.causes.into_iter().chain(text.also).collect(),
            place: None,
        };
    }
    case.found()
}

/// Whether the tiers around a layer say another join.
pub(super) fn joins_differ(a: &Side<'_>, b: &Side<'_>, ground: Ground<'_, '_>) -> bool {
    let joins = |prompt: &Prompt, side: &Side<'_>| -> Vec<Value> {
        let mut tiers = prompt.channels.iter().flat_map(|c| &c.tiers);
        let tier = tiers.find(|t| Some(t.name.as_str()) == side.tier());
        let nodes = tier.map_or(&[][..], |t| &t.definition.nodes);
        let says = nodes.iter().filter_map(|node| {
            let own = node.property("join");
            own.or_else(|| node.arguments.first().filter(|_| node.is("join")))
        });
        says.cloned().collect()
    };
    let [of_a, of_b] = ground.prompts;
    joins(of_a, a) != joins(of_b, b)
}

/// Why the layer `name` is on one side only, for a condition that asks whether it is loaded.
pub(super) fn of_layer(name: &str, ground: Ground<'_, '_>) -> Vec<Cause> {
    let deliver = ground
        .prompts
        .iter()
        .find_map(|p| Some(p.layer(name)?.0.deliver));
    let [a, b] = ground
        .sides
        .each_ref()
        .map(|s| s.get(name, deliver.unwrap_or(Deliver::System)));
    let kind = match (a.known(), b.known()) {
        (true, false) => CauseKind::LayerRemoved,
        (false, true) => CauseKind::LayerAdded,
        // Layers ask only for those before them; the bound is for artifacts that were made by hand.
        _ if ground.depth < 32 => {
            let deeper = Ground {
                depth: ground.depth + 1,
                ..ground
            };
            return Case::new(&a, &b, deeper).presence_alone();
        }
        _ => return Vec::new(),
    };
    vec![Cause {
        item: Some(name.to_owned()),
        ..Cause::new(kind)
    }]
}

/// The layer as a whole is new, gone, or somewhere else.
fn whole(place: OrderedLayer, a: &Side<'_>, b: &Side<'_>, ground: Ground<'_, '_>) -> Option<Cause> {
    let kind = match (a.known(), b.known()) {
        (true, false) => CauseKind::LayerRemoved,
        (false, true) => CauseKind::LayerAdded,
        _ if place.moved || moved_tier(a, b) => CauseKind::LayerMoved,
        _ => return None,
    };
    let channel = |side: &Side<'_>| side.channel().map(|channel| channel.name().to_owned());
    let (old, new) = match (channel(a), channel(b)) {
        (Some(old), Some(new)) if old != new => (Some(old), Some(new)),
        _ => (None, None),
    };
    let name = b.name().or(a.name()).unwrap_or_default();
    if let Some(cause) = overlays::cause(kind, name, ground.prompts) {
        return Some(Cause {
            new: new.or(cause.new),
            old,
            ..cause
        });
    }
    let definition = b.definition().or(a.definition());
    let first = definition.and_then(|d| Some((d.file_of(d.nodes.first()?), d.nodes.first()?.line)));
    Some(Cause {
        path: first.map(|(file, _)| file.to_string()),
        line: first.map(|(_, line)| line),
        old,
        new,
        ..Cause::new(kind)
    })
}

/// Whether the layer keeps its position and its text, and only the tier that gives it its join differs.
fn moved_tier(a: &Side<'_>, b: &Side<'_>) -> bool {
    let present = a.present.is_some() && b.present.is_some();
    present && a.tier() != b.tier() && a.text() == b.text()
}
