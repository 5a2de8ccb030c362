//! Causes in words.

use super::escape::plain;
use super::text::Text;
use crate::compare::{Cause, CauseKind};

/// Where it is and what happened: `AGENTS.md:12 changed`.
pub(super) fn what(cause: &Cause) -> String {
    match cause.more {
        0 => one(cause),
        more => format!("{} (and {more} more)", one(cause)),
    }
}

fn one(cause: &Cause) -> String {
    let place = place(cause);
    let fact = cause.fact.as_deref().unwrap_or_default();
    match cause.kind {
        CauseKind::LanguageChanged => "the language of the manifest changed".to_owned(),
        CauseKind::LayerAdded => match &cause.item {
            Some(layer) => format!("the layer `{layer}` is now present"),
            None => format!("{place} layer added"),
        },
        CauseKind::LayerRemoved => match &cause.item {
            Some(layer) => format!("the layer `{layer}` is now absent"),
            // An overlay says so on a line of its own.
            None if cause.new.is_some() => format!("{place} layer removed"),
            None => format!(
                "{} layer removed",
                cause.path.as_deref().unwrap_or_default()
            ),
        },
        CauseKind::LayerLeftOut => {
            let layer = cause.item.as_deref().unwrap_or_default();
            match &cause.new {
                Some(_) => format!("`--without {layer}` leaves the layer out"),
                None => format!("`--without {layer}` no longer leaves the layer out"),
            }
        }
        CauseKind::LayerMoved => match (&cause.old, &cause.new) {
            (Some(from), Some(to)) => {
                format!("{place} layer moved from channel `{from}` to channel `{to}`")
            }
            _ => format!("{place} layer moved"),
        },
        CauseKind::LayerEdited => format!("{place} edited"),
        CauseKind::TemplateChanged => format!("{place} template changed"),
        CauseKind::ConditionFlipped => condition(cause),
        CauseKind::FactChanged => match &cause.item {
            Some(item) => format!("fact `{fact}`: {}", item_change(cause, item)),
            None if cause.path.is_some() => format!("{place} fact `{fact}` changed"),
            None => format!("fact `{fact}` changed"),
        },
        CauseKind::DocumentChanged => format!("{place} changed"),
        CauseKind::DocumentAppeared => format!("{place} appeared"),
        CauseKind::DocumentVanished => format!("{} vanished", path(cause)),
        CauseKind::DocumentRenamed => {
            let old = plain(cause.old.as_deref().unwrap_or_default());
            format!("{old} is called {} now", path(cause))
        }
        CauseKind::TokenizerChanged => "the tokenizer of the call changed".to_owned(),
        CauseKind::ReleaseChanged => {
            "the same inputs give other bytes with this promptc".to_owned()
        }
        CauseKind::ItemAdded => format!("{place} {} added", entry(cause)),
        CauseKind::ItemRemoved => format!("{} {} removed", path(cause), entry(cause)),
        CauseKind::ItemChanged => format!("{place} {} changed", entry(cause)),
        CauseKind::ItemReordered => format!("{place} {} moved", entry(cause)),
        CauseKind::DocumentReplaced => match &cause.new {
            Some(_) => format!("{place} replaced by a scan"),
            None => format!("{} no longer replaced by a scan", path(cause)),
        },
        CauseKind::CutMoved => format!("{place} is cut at another place"),
        CauseKind::WhitespaceOnly => format!("{place} changed in white space only"),
    }
}

/// An entry of an index or memory.
fn entry(cause: &Cause) -> String {
    let item = cause.item.as_deref().unwrap_or_default();
    format!("entry `{}`", plain(item))
}

fn item_change(cause: &Cause, item: &str) -> String {
    let item = plain(item);
    match (&cause.old, &cause.new) {
        (None, Some(_)) => format!("item `{item}` added"),
        (Some(_), None) => format!("item `{item}` removed"),
        _ => format!("item `{item}` changed"),
    }
}

/// The cause with its old and new value, and the causes that it results from.
pub(super) fn whole(cause: &Cause) -> Text {
    if cause.kind == CauseKind::ConditionFlipped {
        return flipped(cause);
    }
    let text = with_values(cause);
    let Some(first) = cause.because.first() else {
        return text;
    };
    let more = match cause.because.len() {
        1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    text.words(format!(", because {}{more}", what(first)))
}

/// The whole cause in one string.
#[must_use]
pub fn sentence(cause: &Cause) -> String {
    whole(cause).flat()
}

/// The event and the values.
fn with_values(cause: &Cause) -> Text {
    let text = what(cause);
    let is_item = cause.kind == CauseKind::FactChanged && cause.item.is_some();
    let one_sided = cause.old.is_none() || cause.new.is_none();
    if is_item && one_sided {
        return text.into();
    }
    let (old, new) = match (cause.old.clone(), cause.new.clone()) {
        (Some(old), None) if cause.kind == CauseKind::ItemRemoved => (None, Some(old)),
        (Some(_), None) if cause.kind == CauseKind::DocumentVanished => return text.into(),
        _ if cause.kind == CauseKind::LayerLeftOut => return text.into(),
        _ if cause.kind == CauseKind::DocumentRenamed => return text.into(),
        (Some(_), Some(_)) if cause.kind == CauseKind::LayerMoved => return text.into(),
        (None, None) => return text.into(),
        both => both,
    };
    Text::from(format!("{text}: ")).change(old, new)
}

/// The cause of a flipped condition, which comes first.
fn flipped(cause: &Cause) -> Text {
    let condition = condition(cause);
    match cause.because.first() {
        None => condition.into(),
        Some(first) => with_values(first).words(format!(", so {condition}")),
    }
}

fn condition(cause: &Cause) -> String {
    if let (Some(_), Some(new)) = (&cause.path, &cause.new) {
        return format!("{} is {new} now", entry(cause));
    }
    let expression = plain(cause.item.as_deref().unwrap_or_default());
    match (cause.old.as_deref(), cause.new.as_deref()) {
        (Some("true"), Some("false")) => format!("`{expression}` no longer holds"),
        (Some("false"), Some("true")) => format!("`{expression}` holds now"),
        _ => format!("`{expression}` holds for others"),
    }
}

fn path(cause: &Cause) -> String {
    plain(cause.path.as_deref().unwrap_or("a text"))
}

/// `path:line`.
pub(super) fn place(cause: &Cause) -> String {
    match cause.line {
        Some(line) => format!("{}:{line}", path(cause)),
        None => path(cause),
    }
}
