//! The outcome of a call, in one word.

use schemars::JsonSchema;
use serde::Serialize;

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// An entry was added.
    Added,
    /// There was such an entry already; nothing was written.
    Duplicate,
    /// An entry was replaced.
    Replaced,
    /// An entry was removed.
    Removed,
    /// All operations were done.
    Applied,
    /// The argument is no call.
    InvalidCall,
    /// There are several memories and the call names none.
    MissingTarget,
    /// There is no memory of that name.
    UnknownTarget,
    /// There is no such action.
    UnknownAction,
    /// There is nothing to write.
    MissingContent,
    /// It is not said which entry is meant.
    MissingOldText,
    /// A scan found something in the new text.
    ScanFound,
    /// An entry would be read as something else than what was written.
    NotStorable,
    /// Another program changed the file; a copy of it was saved.
    Drifted,
    /// No entry has the text.
    NoMatch,
    /// Several entries have the text.
    Ambiguous,
    /// There is no room.
    OverCapacity,
    /// The memory would be larger than files can be read.
    TooLarge,
    /// Too many calls of this turn failed: the model must go on without.
    TooManyFailures,
}
