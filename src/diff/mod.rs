//! Two prompts compared: which layer broke the prefix, why, and what hides behind it. Pure.

mod model;
mod prefix;
mod order;

pub use model::{Advice, AdviceKind, Break, Cause, CauseKind, Cost, Diff, Size, Sure};
