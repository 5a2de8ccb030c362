//! The conversations of a log.

use super::row::Row;
use crate::project::capture::RequestComparison;
use std::collections::BTreeMap;

/// The requests of a conversation.
pub(super) struct Talk<'a> {
    pub(super) name: &'a str,
    pub(super) rows: Vec<&'a Row>,
    /// The model of all of them, if it is one.
    pub(super) model: Option<String>,
}

/// The conversations, in the order of the log.
pub(super) fn talks(all: &[Row]) -> Vec<Talk<'_>> {
    let mut out: Vec<Talk<'_>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for row in all {
        let name = row.0.conversation.as_str();
        let at = *places.entry(name).or_insert(out.len());
        match out.get_mut(at) {
            Some(talk) => talk.rows.push(row),
            None => out.push(Talk {
                name,
                rows: vec![row],
                model: None,
            }),
        }
    }
    for talk in &mut out {
        let first = model(&talk.rows[0].0);
        let is_one = talk.rows.iter().all(|(one, _)| model(one) == first);
        talk.model = is_one.then_some(first);
    }
    out
}

/// The model of a request and the API that it was sent to.
pub(super) fn model(one: &RequestComparison) -> String {
    format!("{}, {}", one.model, one.api.name())
}
