//! The session that a prompt belongs to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The session that a prompt belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Its ID.
    #[serde(rename = "session")]
    pub id: String,
    /// Its state after this call.
    pub state: State,
    /// The number of this build, from 1.
    #[serde(rename = "build")]
    pub number: u64,
    /// Why that build was made: `first`, `event:NAME`, `idle:SECONDS`, `fact:NAME` or `asked`.
    pub reason: String,
    /// When that build was made, RFC 3339.
    #[serde(rename = "built")]
    pub at: String,
}

/// The state of a session after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The stored prompt was restored.
    Restored,
    /// It did not exist, and was built.
    Built,
    /// It was rebuilt.
    Refreshed,
}
