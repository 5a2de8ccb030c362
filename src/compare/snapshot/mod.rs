//! Snapshots: the accepted prompt of a scenario, in files that git can merge.
//!
//! A snapshot is an entry in the *lock* (the map: one JSON line for each tier and layer, no
//! text) and the *texts* (as they are). This module turns a [`Prompt`](crate::prompt::Prompt) into a snapshot
//! and a snapshot into a prompt; it reads and writes no file.
//!
//! The lock also has the inputs of the build, by the hashes of their contents. They are not compared.
//!
//! A line never changes because another layer changed: offsets count from the layer's own text, without the join
//! before it, and lines of the manifest count from the layer's first line. Derived data (fingerprints, positions in
//! the channel) is not written, but computed again when a snapshot is read.

mod line;
mod from_prompt;
mod inputs;
mod lock;
mod restore;
mod paths;
mod comparable;
mod size;
mod differences;

pub use comparable::comparable;
pub use differences::SnapshotDifference;
pub use inputs::{InputContent, SnapshotInputs};
pub use lock::{FORMAT, Lock, Snapshot};
pub use paths::{SnapshotPaths, leads_down};
pub use restore::{RestoredSnapshot, SnapshotMismatch, Texts};

/// The snapshot of a manifest that declares no scenario.
pub const DEFAULT: &str = "default";
