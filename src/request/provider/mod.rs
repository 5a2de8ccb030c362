//! The cache rules of providers and their prices: a table of facts, and rules as pure functions.
//!
//! The facts are data (`layers/providers.kdl`), each with its source and the day on which it was read. A model that no
//! row names has no price, and never inherits the row of its predecessor.

pub mod amount;
mod table;
mod read;
pub(super) mod glob;
mod embedded;
mod find;
pub mod rows;
pub mod rule;
pub mod write;
pub mod litellm;

pub use embedded::as_of;
pub use find::{Catalog, ModelMatch};
pub use read::table;
pub use table::{
    Above, Confidence, Limits, Match, Model, Multiplier, Only, Peak, Prices, Provider, Source,
    Table, Term, Ttl, Usage,
};
