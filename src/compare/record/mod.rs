//! Records: what a scenario's prompt was when it was last accepted, in files that git can merge.
//!
//! A record is an entry in the *lock* (the map: one JSON line for each tier and layer, no text) and
//! the *snapshots* (the exact texts). This module turns a [`Prompt`](crate::prompt::Prompt) into a record and a record
//! into a prompt; it reads and writes no file.
//!
//! Nothing in a line changes because another layer changed: offsets count from the layer's own text, without the join in
//! front of it, and lines of the manifest count from the layer's first line. What follows from the texts (fingerprints,
//! places in the channel) is not written and is computed again when a record is read.

mod line;
mod take;
mod lock;
mod restore;
mod paths;
mod stand_in;
mod size;

pub use lock::{FORMAT, Lock, Record};
pub use paths::{RecordPaths, leads_down};
pub use restore::{Recorded, SnapshotMismatch, Texts};
pub use stand_in::stand_in;

/// The record of a manifest that declares no scenario.
pub const DEFAULT: &str = "default";
