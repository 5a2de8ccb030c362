//! Two prompts by their names: files, records, revisions, sessions, builds now.

mod operand;
mod revision;
mod frozen;
mod texts;
mod pairs;

pub(crate) use pairs::compare;

use super::BuildCall;
use super::sessions::location::StoreOptions;
use crate::diff::{Diff, Sure};
use crate::prompt::Prompt;
use schemars::JsonSchema;
use serde::Serialize;

/// What operands are read with.
#[derive(Clone)]
pub(crate) struct CompareCall {
    /// The manifest and what is given.
    pub(crate) build: BuildCall,
    /// Where sessions are kept.
    pub(crate) store: StoreOptions,
    /// Whether `git:REV` is built from that revision's manifest and files, and not read from its records.
    pub(crate) rebuild: bool,
}

/// Two prompts and what a comparison says of them.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Compared {
    /// The scenario whose record is compared; only of records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<String>,
    /// What A is called.
    #[serde(rename = "a")]
    pub(crate) a_name: String,
    /// What B is called.
    #[serde(rename = "b")]
    pub(crate) b_name: String,
    /// A; of a text with the layers that were found in it.
    #[serde(skip)]
    pub(crate) a: Prompt,
    /// B.
    #[serde(skip)]
    pub(crate) b: Prompt,
    /// The comparison.
    #[serde(flatten)]
    pub(crate) diff: Diff,
    /// Whether the text of B is known; of a record without text it is not.
    #[serde(skip)]
    pub(crate) b_known: bool,
}

impl Compared {
    /// The comparison of two prompts; of each it is said whether its text is known.
    pub(crate) fn of(a: (&Prompt, bool), b: (&Prompt, bool)) -> Self {
        let (prompt_a, prompt_b, diff) = operand::compared(a, b);
        Self {
            record: None,
            a_name: String::new(),
            b_name: String::new(),
            a: prompt_a,
            b: prompt_b,
            diff,
            b_known: b.1,
        }
    }

    /// Whether the maps lead to the bytes of both prompts.
    pub(crate) fn is_exact(&self) -> bool {
        self.diff.sure == Sure::Map
    }
}
