//! What a provider is sent, what it keeps of it and what that costs.

// JSON whose objects keep the order of their keys.
pub mod json;
// What providers keep of a request and what it costs: a table, and rules as pure functions.
pub mod provider;
// The body of a request from an artifact; one file for each shape.
pub mod emit;
// What a break costs, from two prompts and a row of the table of providers.
pub mod cost;
// Whole requests of any agent: what was sent and answered, in one form, and what broke between two of them.
pub mod whole;
// What was billed, why, and what a provider's rule says of it.
pub mod usage;
