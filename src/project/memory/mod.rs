//! Memories: read, listed and changed, one writer at a time.

mod file;
pub(crate) mod select;
pub(crate) mod change;
pub(crate) mod list;

pub use change::MemoryOptions;
