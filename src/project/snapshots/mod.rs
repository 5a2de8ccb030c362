//! Snapshots: read, compared with what scenarios build now, and accepted.

pub(crate) mod files;
mod inputs;
pub(crate) mod find;
pub(crate) mod units;
mod build;
pub(crate) mod outcome;
pub(crate) mod held;
pub(crate) mod open;
pub(crate) mod orphans;
pub(crate) mod accepted;
pub(crate) mod accept;

pub(crate) use files::{older_texts, place, read_lock, restore};
pub(crate) use inputs::{InputContents, inputs};
