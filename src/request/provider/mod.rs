//! What providers keep of a request, and what that costs: a table of facts, rules as pure functions, and prices.
//!
//! The facts are data (`layers/providers.kdl`), each with its source and the day on which it was read. A model that no row
//! names has no price, and nobody's successor is taken for it.

pub mod amount;
mod table;
mod read;
mod glob;
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
    Above, Confidence, Limits, Match, Model, Only, Peak, Prices, Provider, Source, Table, Ttl,
    Usage,
};
