//! What was billed, why each token is there, and what a provider's rule says of it.
//!
//! `docs/usage.md` has the rules. A log goes entry by entry into an [`Account`]: [`Bills`] says why the tokens of each request
//! are there, and holds a request of each lane; its sums are whole numbers, so that parts add up.

mod tokens;
mod record;
mod rates;
mod entries;
mod why;
mod ledger;
mod bills;
mod account;

pub use account::{Account, Counted};
pub use bills::{Bill, Bills};
pub use entries::Prediction;
pub use ledger::{Agreement, Change, Key, Savings, Sum, Table};
pub use rates::Rates;
pub use record::{Billed, Refusal};
pub use tokens::Tokens;
pub use why::Why;
