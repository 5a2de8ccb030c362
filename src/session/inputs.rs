//! What was given to a build of a session.

use crate::compile::Given;
use crate::manifest::Manifest;
use crate::tokens::Tokenizer;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The root of texts, which every manifest has.
const TEXT: &str = "text";

/// What was given to a build, so that a later call need not give it again. Private facts are not among it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Inputs {
    /// The current directory of that build, which relative paths count from.
    pub folder: PathBuf,
    /// The manifest as it was named; none if it was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The tokenizer that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// Roots with absolute folders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<(String, PathBuf)>,
    /// Facts that the caller or the environment gave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, Json>,
    /// The private facts that had a value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub private: Vec<String>,
    /// The kept layers that count as loaded.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub loaded: BTreeSet<String>,
}

impl Inputs {
    /// Adds to what a call gives what was given before.
    pub fn remind(&self, given: &mut Given) {
        given.scenario = given.scenario.take().or_else(|| self.scenario.clone());
        let known = self.tokenizer.as_deref().and_then(Tokenizer::parse);
        given.tokenizer = given.tokenizer.or(known);
        let roots = self.roots.iter();
        let roots: Vec<_> = roots
            .filter(|(name, _)| !given.roots.iter().any(|(given, _)| given == name))
            .cloned()
            .collect();
        given.roots.extend(roots);
        given.remembered = self.facts.clone();
    }

    /// What of it `manifest` still takes. A fact that it does not take is forgotten where facts get their values.
    #[must_use]
    pub fn known_to(&self, manifest: &Manifest) -> Self {
        let scenario = |name: &String| manifest.scenarios.iter().any(|s| s.name.value == *name);
        // That root is there without being declared.
        let root = |name: &str| name == TEXT || manifest.roots.iter().any(|r| r.name.value == name);
        let roots = self.roots.iter().filter(|(name, _)| root(name));
        Self {
            scenario: self.scenario.clone().filter(scenario),
            roots: roots.cloned().collect(),
            ..self.clone()
        }
    }

    /// The private facts that had a value and have none in `now`, so that what depends on them differs.
    #[must_use]
    pub fn untold(&self, now: &[String]) -> Vec<&str> {
        let untold = self.private.iter().filter(|name| !now.contains(name));
        untold.map(String::as_str).collect()
    }
}
