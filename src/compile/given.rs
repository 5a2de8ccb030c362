//! The inputs of one build.

use crate::text::tokens::Tokenizer;
use crate::text::value::{Json, Unreadable};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Facts, roots and the scenario of one build, as the caller wrote them.
#[derive(Debug, Clone, Default)]
pub struct GivenInputs {
    /// `--scenario NAME`.
    pub scenario: Option<String>,
    /// `--facts FILE`, in order; a later file wins.
    pub facts: Vec<FactsFile>,
    /// `--set NAME=VALUE`, in order; the last wins, and all win over files.
    pub sets: Vec<(String, String)>,
    /// `--root NAME=PATH`, in order; several of one name for a root that is `many`.
    pub roots: Vec<(String, PathBuf)>,
    /// `--tokenizer NAME`: what tokens are counted with; without it the tokenizer of the prompt's budget, if it counts tokens.
    pub tokenizer: Option<Tokenizer>,
    /// `--now T`, RFC 3339.
    pub now: Option<String>,
    /// The facts that a session remembers from earlier calls, as JSON. They take precedence over defaults and over
    /// nothing else: also null in one of `facts` replaces them.
    pub remembered: BTreeMap<String, Json>,
    /// Whether the scenario is remembered too. It was then given with those facts, and they won over it.
    pub reminded: bool,
    /// The facts that say who the session is: nothing that is remembered gives them a value.
    pub who: BTreeSet<String>,
    /// Whether facts and roots that the manifest does not declare are ignored with a warning: a frozen older version
    /// does not know later ones.
    pub lenient: bool,
    /// `--without LAYER`: these layers yield nothing, as if their `when` were false.
    pub without: Vec<String>,
    /// The values of facts and the folders of roots, if they are known from a record: nothing else gives any.
    pub fixed: Option<Arc<FixedInputs>>,
    /// `--hermetic`: what would be read from the environment, the clock or the home folder is an error.
    pub hermetic: bool,
}

/// The facts and roots of a build that is repeated.
#[derive(Debug, Clone, Default)]
pub struct FixedInputs {
    /// The values of facts; those of all others are missing.
    pub facts: BTreeMap<String, Json>,
    /// The folders of roots that the manifest alone does not place.
    pub roots: Vec<(String, PathBuf)>,
}

/// A facts file that was read.
#[derive(Debug, Clone)]
pub struct FactsFile {
    pub(in crate::compile) name: String,
    pub(in crate::compile) read: Result<Json, Unreadable>,
}

impl FactsFile {
    /// Reads a file's content; content that is not JSON is reported where the facts are bound. Diagnostics call it
    /// `name` (`<stdin>` for `-`).
    #[must_use]
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Self {
        let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self {
            name: name.into(),
            read: Json::read_fact(unmarked),
        }
    }
}
