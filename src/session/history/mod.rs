//! What became of the cached prefix each time a session was built anew: which layer broke it, why, and what that rewrote.
//!
//! Only what a session keeps counts: tiers that are made for each call are not in the prefix. A [`Reader`] reads builds
//! from a store and compares neighbours, as [`diff`](mod@crate::compare) does; [`History::of`] adds up. Figures are those of `diff`.

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
pub use read::{Reader, Told};
