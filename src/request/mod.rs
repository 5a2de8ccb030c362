//! The requests to a provider, their caching and its cost.

// The caching of providers and its cost: a table, and rules as pure functions.
pub mod provider;
// The body of a request from an artifact; one file for each shape.
pub mod emit;
// The cost of a break, from two prompts and a row of the table of providers.
pub mod cost;
// Whole requests of any agent: what was sent and answered, in one form, and what broke between two of them.
pub mod whole;
// The billed tokens, why they were billed, and the prediction of a provider's rule.
pub mod usage;
