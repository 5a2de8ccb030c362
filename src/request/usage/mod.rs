//! The billed tokens, the reason for each, and the prediction of a provider's rule.
//!
//! `docs/usage.md` has the rules. A log goes entry by entry into an [`Account`]: [`Bills`] says why the tokens of each request
//! are there, and holds a request of each chain; its sums are whole numbers, so that parts add up.

mod tokens;
mod fields;
mod record;
mod rates;
mod owners;
mod flat;
mod step;
mod places;
mod index;
mod entries;
mod why;
mod across;
mod ledger;
mod files;
mod advice;
mod family;
mod bills;
mod replay;
mod account;

pub use account::{Account, Counted, Diverged, Expensive, MOST_EXPENSIVE, Period};
pub use across::{Across, Shared};
pub use bills::{Added, Bill, Bills};
pub use entries::Prediction;
pub use family::{Apart, Family};
pub use ledger::{Agreement, Change, Evidence, Key, Portion, Savings, Sum, Table};
pub use owners::{LayersOfLines, Owners};
pub use rates::{Rates, Unpriced};
pub use record::{Billed, Refusal};
pub use tokens::Tokens;
pub use why::Why;
