//! The advice about a cause: a table inside the program, in which each row has its source and the day on which it was
//! read.

use super::agent::Agent;
use super::api::Api;
use super::compare::{Advice, Cause, Kind};
use regex::Regex;
use serde::{Deserialize, Deserializer};
use std::sync::LazyLock;

/// The table: the first row that fits counts, so rows of an agent come before those of all.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = serde_json::from_str(include_str!("../../../layers/advice.json"));
    // That it can be read is tested below.
    rows.unwrap_or_default()
});

/// An advice and its conditions. Conditions that a row omits always hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: Kind,
    /// The agent.
    agent: Option<String>,
    /// The first version of the agent that needs it no more.
    below: Option<String>,
    api: Option<Vec<Api>>,
    /// The beginning of the place of the cause.
    at: Option<String>,
    /// The difference in the changed line: without it, the line is the same before and after.
    #[serde(default, deserialize_with = "pattern")]
    line: Option<Regex>,
    /// The lifetime of the cache, in seconds.
    ttl: Option<u64>,
    /// The longest gap for which it helps, in seconds.
    within: Option<u32>,
    advice: Advice,
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Regex>, D::Error> {
    let written = String::deserialize(deserializer)?;
    let pattern = Regex::new(&written);
    pattern.map(Some).map_err(serde::de::Error::custom)
}

/// The advice about a cause in requests of this agent and API. None if no source has any.
#[must_use]
pub fn advice(agent: Option<&Agent>, api: Api, cause: &Cause) -> Option<Advice> {
    let found = ROWS.iter().find(|row| row.fits(agent, api, cause));
    found.map(|row| row.advice.clone())
}

impl Row {
    fn fits(&self, agent: Option<&Agent>, api: Api, cause: &Cause) -> bool {
        let is_its = |name: &String| agent.is_some_and(|agent| agent.name == *name);
        let is_old = |version: &String| agent.is_some_and(|agent| agent.is_before(version));
        self.kind == cause.kind
            && self.agent.as_ref().is_none_or(is_its)
            && self.below.as_ref().is_none_or(is_old)
            && self.api.as_ref().is_none_or(|apis| apis.contains(&api))
            && self.at.as_ref().is_none_or(|at| cause.at.starts_with(at))
            && self.ttl.is_none_or(|ttl| cause.ttl == Some(ttl))
            && self
                .within
                .is_none_or(|most| cause.gap.is_some_and(|gap| gap <= f64::from(most)))
            && self
                .line
                .as_ref()
                .is_none_or(|line| is_difference(line, cause))
    }
}

/// Whether what differs in the changed line is what the pattern finds.
fn is_difference(pattern: &Regex, cause: &Cause) -> bool {
    let both = [&cause.old, &cause.new].map(|line| line.as_deref().unwrap_or_default());
    let [old, new] = both.map(|line| pattern.replace_all(line, ""));
    old == new && both.iter().any(|line| pattern.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::whole::compare::Action;

    fn row(kind: Kind, agent: Option<&Agent>, old: &str, new: &str) -> Option<Action> {
        let cause = serde_json::json!({"kind": kind, "at": "system/0", "old": old, "new": new});
        let cause = serde_json::from_value(cause).unwrap();
        Some(advice(agent, Api::AnthropicMessages, &cause)?.action)
    }

    #[test]
    fn every_row_can_be_read_and_is_reached() {
        let text = include_str!("../../../layers/advice.json");
        let rows: Vec<Row> = serde_json::from_str(text).unwrap();
        assert!(rows.len() > 30);
        for (at, row) in rows.iter().enumerate() {
            assert!(row.advice.source.starts_with("https://"), "{row:?}");
            assert!(row.below.is_none() || row.agent.is_some(), "{row:?}");
            // A row whose conditions include those of an earlier one is never reached.
            let asks_as_much = |earlier: &&Row| {
                earlier.kind == row.kind
                    && (earlier.agent.is_none() || earlier.agent == row.agent)
                    && (earlier.api.is_none() || earlier.api == row.api)
                    && (earlier.at.is_none() || earlier.at == row.at)
                    && (earlier.ttl.is_none() || earlier.ttl == row.ttl)
                    && earlier.below.is_none()
                    && earlier.line.is_none()
                    && earlier.within.is_none()
            };
            let earlier = rows[..at].iter().find(asks_as_much);
            assert!(earlier.is_none(), "{row:?} comes after {earlier:?}");
        }
    }

    #[test]
    fn a_row_of_an_agent_comes_first_and_its_version_counts() {
        let of = |version: &str| {
            let line = format!("x-anthropic-billing-header: cc_version={version}.a1b;");
            row(
                Kind::SystemChanged,
                Some(&Agent::of_bill(&line)),
                " M a.rs",
                " M b.rs",
            )
        };
        assert!(matches!(of("2.1.99"), Some(Action::Version(version)) if version == "2.1.267"));
        assert!(matches!(of("2.1.267"), Some(Action::Setting(_))));
        let any = row(Kind::SystemChanged, None, " M a.rs", " M b.rs");
        assert!(matches!(any, Some(Action::Edit(edit)) if edit.starts_with("leave")));
    }

    #[test]
    fn a_clock_must_differ_and_not_only_be_present() {
        let of = |old, new| match row(Kind::SystemChanged, None, old, new) {
            Some(Action::Edit(edit)) => edit.starts_with("take the date"),
            _ => false,
        };
        assert!(of("It is 10:00.", "It is 10:02."));
        assert!(of(
            "Today's date: Wed Nov 25 2026",
            "Today's date: Thu Nov 26 2026"
        ));
        assert!(of("Now: 2026-11-25T09:00:00Z", "Now: 2026-11-26T10:30:12Z"));
        assert!(of(
            "Heute: 25.11.2026, 9:00 am",
            "Heute: 26.11.2026, 10:00 pm"
        ));
        assert!(!of("Open from 10:00.", "Closed from 10:00."));
        assert!(!of("You may sing.", "You may dance."));
        assert!(!of("a", "b"));
    }
}
