//! Which content surely yields text, and which surely yields none.

use super::trials::Trials;
use crate::manifest::{FileName, Layer, Node, NodeKind, Source, TemplateRef, Transforms};
use crate::template::analyse::{AbstractEnv, AbstractValue};

/// Whether `loaded()` is surely true of a layer whose condition holds.
#[must_use]
pub(super) fn loaded(layer: &Layer, trials: &Trials<'_>, setting: &AbstractEnv<'_>) -> bool {
    // A required layer yields text, or the build fails.
    layer.required == Some(true)
        || layer.content.as_ref().is_none_or(|content| {
            !may_take_all(&layer.transforms) && surely(content, trials, setting)
        })
}

/// Whether something on a node may leave its text blank.
#[must_use]
pub(super) fn may_empty(node: &Node) -> bool {
    node.settings.filter.is_some() || may_take_all(&node.transforms)
}

/// Whether a transform may leave a text blank.
#[must_use]
pub(super) fn may_take_all(transforms: &Transforms) -> bool {
    transforms.wrap.is_some() || transforms.scan.is_some()
}

/// Whether a node surely yields text.
#[must_use]
pub(super) fn surely(node: &Node, trials: &Trials<'_>, setting: &AbstractEnv<'_>) -> bool {
    if may_empty(node) || trials.holds(node.settings.when.as_ref(), setting) != Some(true) {
        return false;
    }
    match &node.kind {
        NodeKind::First(members) | NodeKind::All { members, .. } => {
            members.iter().any(|m| surely(m, trials, setting))
        }
        NodeKind::Source(Source::Text(text)) => {
            // Front matter and comments may be taken away.
            let text = text.text.trim();
            !text.is_empty() && !text.starts_with("---") && !text.contains("<!--")
        }
        NodeKind::Source(Source::Template(template @ TemplateRef::Inline(_))) => {
            let analysis = trials.plan().template_analysis(template);
            analysis.is_some_and(|analysis| analysis.prints_text)
        }
        NodeKind::Source(_) => false,
    }
}

/// Whether a node surely yields nothing.
#[must_use]
pub(super) fn nothing(node: &Node, trials: &Trials<'_>, setting: &AbstractEnv<'_>) -> bool {
    if trials.holds(node.settings.when.as_ref(), setting) == Some(false) {
        return true;
    }
    let missing = |name: &str| is_missing(setting, name);
    match &node.kind {
        NodeKind::First(members) | NodeKind::All { members, .. } => {
            members.iter().all(|m| nothing(m, trials, setting))
        }
        NodeKind::Source(Source::Fact(name)) => missing(&name.value),
        NodeKind::Source(Source::Reading(reading)) => {
            // What a missing fact is part of is not there.
            let nameless = |name: &FileName| name.facts().any(|fact| missing(&fact.value));
            reading.names.iter().all(nameless)
        }
        NodeKind::Source(Source::Text(_) | Source::Template(_)) => false,
    }
}

fn is_missing(setting: &AbstractEnv<'_>, name: &str) -> bool {
    matches!(setting.name(name), known @ AbstractValue::Value(_) if known.is_missing())
}
