//! Two prompts by their names: files, snapshots, revisions, sessions, builds now.

mod side;
mod frozen;
mod builds;
mod revision;
mod operand;
mod texts;
mod pairs;
mod layers;
mod grades;

pub(crate) use grades::grades;
pub(crate) use layers::layers;
pub(crate) use pairs::compare;
pub(crate) use side::CompareCall;
pub use side::CompareOptions;
