//! The inputs of a build, from which it can be repeated without the disk.

use super::LANGUAGE;
use crate::text::Json;
use crate::world::{RecordedWorld, is_placed, renamed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// All that a build depends on: the program that built it, the files that it read and looked for, and the values of facts.
///
/// Paths are `/PLACE/PATH`. A place is a root or the folder of the manifest; a folder inside another place has none of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedInputs {
    /// The release that built it.
    pub promptc: String,
    /// The language of the manifest.
    pub language: u32,
    /// The manifest with its bases and included files, in the order in which they were read: paths, and `builtin:NAME@N`.
    pub manifests: Vec<String>,
    /// The values of facts, whatever gave them. A fact without a value is missing.
    pub facts: BTreeMap<String, RecordedFact>,
    /// The folders of roots that the manifest alone does not place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roots: BTreeMap<String, Vec<String>>,
    /// The tokenizer that the call named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// The layers that the call left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// What was read of files and folders.
    pub world: RecordedWorld,
}

impl RecordedInputs {
    /// The most bytes that the contents of a record may have together.
    pub const MAX_BYTES: usize = 16 * 1024 * 1024;

    /// The bytes of all contents together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.world.bytes()
    }

    /// Gives a path, and all below it, another name. `copy` is whether it keeps the name that it has, too.
    pub(crate) fn rename(&mut self, from: &str, to: &str, copy: bool) {
        self.world.rename(from, to, copy);
        if !copy {
            let folders = self.roots.values_mut().flatten();
            for path in self.manifests.iter_mut().chain(folders) {
                if let Some(renamed) = renamed(path, from, to) {
                    *path = renamed;
                }
            }
        }
    }

    /// Whether they are small enough to be carried by a prompt.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.bytes() <= Self::MAX_BYTES
    }

    /// Whether this release can build from them, as far as their release and language say.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        let release = |text: &str| {
            let numbers = text.split('.').map(|number| number.parse::<u64>().ok());
            let numbers: Option<Vec<u64>> = numbers.collect();
            numbers.filter(|numbers| numbers.len() == 3)
        };
        let own = release(env!("CARGO_PKG_VERSION"));
        release(&self.promptc).is_some_and(|made| Some(made) <= own) && self.language <= LANGUAGE
    }

    /// The problem of the record, if it was changed by hand: more bytes than a record may have, contents under other hashes, paths
    /// that lead out of their place.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        if !self.fits() {
            return Some(format!(
                "its inputs have more than {} bytes",
                Self::MAX_BYTES
            ));
        }
        let is_file = |name: &&String| !name.starts_with("builtin:");
        let manifests = self.manifests.iter().filter(is_file);
        let folders = self.roots.values().flatten();
        let outside = manifests.chain(folders).find(|path| !is_placed(path));
        if self.manifests.is_empty() {
            return Some("its inputs have no manifest".to_owned());
        }
        outside
            .map(|path| format!("the path {path:?} of its inputs is in no place"))
            .or_else(|| self.world.fault())
    }
}

/// The value of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RecordedFact {
    /// A value that may be shown.
    Known {
        /// The value, as JSON.
        value: Json,
        /// Where it is from.
        origin: FactOrigin,
    },
    /// A private value.
    Private {
        /// Its HMAC-SHA-256 in hex. The key is the names of the prompt and of the fact.
        private: String,
        /// The value, where it was built just now. It is not part of the record.
        #[serde(skip)]
        value: Hidden,
    },
}

/// A private value, if it is known: it is never written, and what prints it prints nothing of it. All are equal, as two records are
/// whether a value is known or not.
#[derive(Clone, Default)]
pub struct Hidden(pub Option<Json>);

impl PartialEq for Hidden {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

/// What gave a fact its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FactOrigin {
    /// The call: `--set` or a facts file.
    Call,
    /// The environment, or an earlier call of the session.
    Environment,
    /// The manifest: a scenario, a default, or the clock that it names.
    Manifest,
}
