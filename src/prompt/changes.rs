//! How often a value may differ, and where a tier's text goes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How often a value may differ, from never to each call.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Changes {
    /// Part of the program.
    Never,
    /// With a deployment.
    Deploy,
    /// From conversation to conversation.
    Session,
    /// At midnight, even inside a conversation.
    Day,
    /// At every call.
    Turn,
}

impl Changes {
    /// All volatilities, the most stable first.
    pub const ALL: [Self; 5] = [
        Self::Never,
        Self::Deploy,
        Self::Session,
        Self::Day,
        Self::Turn,
    ];

    /// The word in manifests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Deploy => "deploy",
            Self::Session => "session",
            Self::Day => "day",
            Self::Turn => "turn",
        }
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The destination of a tier's text; channels are in this order.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Deliver {
    /// The tool definitions of the request.
    Tools,
    /// The system prompt.
    System,
    /// With the user's message, after the cached prefix.
    User,
}

impl Deliver {
    /// All channels, in order.
    pub const ALL: [Self; 3] = [Self::Tools, Self::System, Self::User];

    /// The word in manifests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::System => "system",
            Self::User => "user",
        }
    }

    /// The channel's text, in words.
    #[must_use]
    pub fn text_name(self) -> &'static str {
        match self {
            Self::Tools => "tools text",
            Self::System => "system prompt",
            Self::User => "user text",
        }
    }
}

impl fmt::Display for Deliver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
