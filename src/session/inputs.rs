//! The inputs of a build of a session.

use super::Identity;
use crate::compile::GivenInputs;
use crate::manifest::Manifest;
use crate::text::Json;
use crate::text::tokens::Tokenizer;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The root of texts, which every manifest has.
const TEXT: &str = "text";

/// The inputs of a build, so that a later call need not give them again. Private facts are not included.
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
    /// The stored layers that count as loaded.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub loaded: BTreeSet<String>,
    /// The program files and documents that were read for it, with absolute paths: a restore still depends on
    /// them, as the next build does. Paths contain no private values. A path that is not UTF-8 is left out.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub read: BTreeSet<String>,
    /// Whether the build came from an export: then nothing here names a place on this machine, and a build from it needs a
    /// manifest that the caller names. The store says so, not the document.
    #[serde(skip)]
    pub imported: bool,
    /// The identity of the session, from its terms.
    #[serde(skip)]
    pub identity: Identity,
}

impl Inputs {
    /// The inputs as those of an import: the values of facts are data, but the caller names folders and files.
    #[must_use]
    pub(super) fn of_import(self) -> Self {
        Self {
            folder: PathBuf::new(),
            roots: Vec::new(),
            read: BTreeSet::new(),
            imported: true,
            ..self
        }
    }

    /// Adds to what a call gives what was given before, as far as `manifest` still takes it. A fact that it does not take is
    /// forgotten where facts get their values.
    pub fn remind(&self, manifest: &Manifest, given: &mut GivenInputs) {
        let scenario = |name: &str| manifest.scenarios.iter().find(|s| s.name.value == *name);
        let own = given.scenario.as_deref().and_then(scenario);
        // That root exists without a declaration.
        let known =
            |name: &str| name == TEXT || manifest.roots.iter().any(|r| r.name.value == name);
        let given_now = |name: &str| {
            let roots = given.roots.iter().map(|(root, _)| root);
            let mut of_scenario = own
                .iter()
                .flat_map(|s| &s.roots)
                .map(|(root, _)| &root.value);
            roots.chain(of_scenario.by_ref()).any(|root| root == name)
        };
        let roots = self.roots.iter();
        let roots: Vec<_> = roots
            .filter(|(name, _)| known(name) && !given_now(name))
            .cloned()
            .collect();
        given.roots.extend(roots);
        if given.scenario.is_none() {
            given.scenario = self.scenario.clone().filter(|s| scenario(s).is_some());
            given.reminded = given.scenario.is_some();
        }
        let known = self.tokenizer.as_deref().and_then(Tokenizer::parse);
        given.tokenizer = given.tokenizer.or(known);
        given.remembered = self.facts.clone();
        given.who = self.identity.names();
    }

    /// The private facts that had a value and have none in `now`, so that what depends on them differs.
    #[must_use]
    pub fn untold(&self, now: &[String]) -> Vec<&str> {
        let untold = self.private.iter().filter(|name| !now.contains(name));
        untold.map(String::as_str).collect()
    }
}
