//! How often layers changed in requests that were sent.

use crate::text::measure::thousands;
use std::collections::BTreeMap;

/// How often the text of a layer changed. Only steps are counted at which it is certain whether it did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Frequency {
    /// The conversations that had its text.
    pub conversations: usize,
    /// The steps from a request to the next one of its chain.
    pub steps: usize,
    /// The conversations that have such a step.
    pub stepped: usize,
    /// The steps at which it changed.
    pub changes: usize,
    /// The conversations in which it changed.
    pub changed: usize,
    /// The changes less than a day after the one before.
    pub same_day: usize,
    /// The steps from the first request of a conversation to that of the next one.
    pub starts: usize,
    /// The steps of these at which it changed.
    pub start_changes: usize,
}

/// How often each layer changed, and in how many requests that was to be seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frequencies {
    /// The requests that were read.
    pub requests: usize,
    /// The requests that have the layers.
    pub known: usize,
    /// By layer.
    pub layers: BTreeMap<String, Frequency>,
}

/// "once", "41 times".
pub(super) fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        _ => format!("{} times", thousands(&count.to_string())),
    }
}

/// "212 conversations".
pub(super) fn conversations(count: usize) -> String {
    match count {
        1 => "1 conversation".to_owned(),
        _ => format!("{} conversations", thousands(&count.to_string())),
    }
}
