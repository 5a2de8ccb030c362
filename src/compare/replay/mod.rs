//! Causes by replay: the compiler runs on mixes of the inputs of two builds, and a cause is what, taken back, moves the break.

mod leaves;
mod runs;
mod node;
mod manifest;
mod search;

#[allow(clippy::unwrap_used)]
mod tests;
