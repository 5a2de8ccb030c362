//! The effect of each rebuild of a session on the cached prefix: which layer broke it, why, and how much was
//! rewritten.
//!
//! Only frozen tiers count: tiers that are built for each call are not in the prefix. A [`Reader`] reads builds
//! from a store and compares neighbours, as [`diff`](mod@crate::compare) does; [`History::of`] adds up. The figures
//! are those of `diff`.

mod moment;
mod model;
mod change;
mod read;
mod sum;

pub use crate::text::time::rfc3339;
pub use model::{
    Amount, Blame, Broken, Bucket, CauseSum, Change, CostSum, Counted, Gap, History, KindSum,
    LayerSum, ReasonSum, Rebuild, Spent, Sum, Times,
};
pub use moment::{By, Span};
pub use read::{Reader, SessionHistory};
