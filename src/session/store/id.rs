//! Names of sessions.

use crate::text::is_invisible;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The longest name, in bytes.
const LONGEST: usize = 256;

/// The name of a session: what its app calls it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct SessionId(String);

/// Why a text is not the name of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidId {
    /// It is empty.
    Empty,
    /// There is nothing in it but blanks.
    Blank,
    /// It is longer than 256 bytes.
    TooLong,
    /// It has a control character, such as a line end.
    Control,
    /// It has an invisible character that changes how the others are shown: a format character (Unicode's class
    /// Cf), or U+2028 or U+2029.
    Unseen,
}

impl SessionId {
    /// Reads a name: 1 to 256 bytes that are not blanks only, without control and format characters and U+2028 and U+2029.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        let id = Self::known(text)?;
        if text.chars().all(char::is_whitespace) {
            return Err(InvalidId::Blank);
        }
        if text.chars().any(is_invisible) {
            Err(InvalidId::Unseen)
        } else {
            Ok(id)
        }
    }

    /// Parses the name of a session that may exist already: as [`SessionId::parse`], but it may be blank or
    /// have invisible characters, as in stores of earlier builds.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn known(text: &str) -> Result<Self, InvalidId> {
        if text.is_empty() {
            return Err(InvalidId::Empty);
        }
        if text.len() > LONGEST {
            return Err(InvalidId::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(InvalidId::Control);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it is empty",
            Self::Blank => "it has only blanks",
            Self::TooLong => "it is longer than 256 bytes",
            Self::Control => "it has a control character",
            Self::Unseen => "it has an invisible character",
        })
    }
}

impl std::error::Error for InvalidId {}
