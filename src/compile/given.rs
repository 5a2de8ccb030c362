//! What a caller gives to one build.

use crate::tokens::Tokenizer;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Facts, roots and the scenario of one build, as the caller wrote them.
#[derive(Debug, Clone, Default)]
pub struct Given {
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
    /// What a session remembers of facts that were given to it before, as JSON: it wins over defaults and yields to all else,
    /// also to null in one of `facts`.
    pub remembered: BTreeMap<String, Json>,
    /// Whether the scenario is remembered too. It was then given with those facts, and they won over it.
    pub reminded: bool,
    /// Whether facts and roots that the manifest does not know are passed over with a warning: what is kept of an older one
    /// does not know what came later.
    pub lenient: bool,
    /// `--hermetic`: what would be read from the environment, the clock or the home folder is an error.
    pub hermetic: bool,
}

/// A facts file that was read.
#[derive(Debug, Clone)]
pub struct FactsFile {
    /// How diagnostics name it (`<stdin>` for `-`).
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}
