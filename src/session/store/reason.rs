//! Why a build was made.

use std::fmt;

/// Why a session was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// There was no such session.
    First,
    /// An event that the manifest names, such as a compaction.
    Event(String),
    /// It was not asked for during this many seconds, so that the prompt cache is cold.
    Idle(u64),
    /// This fact has another value.
    Fact(String),
    /// It was asked for.
    Asked,
}

impl Reason {
    /// Reads what [`Display`](fmt::Display) writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text.split_once(':') {
            None if text == "first" => Self::First,
            None if text == "asked" => Self::Asked,
            Some(("event", name)) => Self::Event(name.to_owned()),
            Some(("idle", seconds)) => Self::Idle(seconds.parse().ok()?),
            Some(("fact", name)) => Self::Fact(name.to_owned()),
            _ => return None,
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first"),
            Self::Event(name) => write!(f, "event:{name}"),
            Self::Idle(seconds) => write!(f, "idle:{seconds}"),
            Self::Fact(name) => write!(f, "fact:{name}"),
            Self::Asked => f.write_str("asked"),
        }
    }
}
