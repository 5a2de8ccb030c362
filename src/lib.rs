//! promptc compiles a layer manifest into a system prompt: the same bytes every time, with a map that says where each
//! byte came from.
//!
//! Modules are declared bottom-up: each may import only those above it (`tests/it/tidy.rs` enforces this).

pub mod span;
pub mod diagnostic;
pub mod world;
pub mod git;
pub mod tokens;
pub mod text;
pub mod document;
pub mod drift;
pub mod prompt;
pub mod blame;
pub mod builtin;
pub mod source;
pub mod manifest;
pub mod provider;
pub mod fact;
pub mod expr;
pub mod compile;
pub mod diff;
pub mod emit;
pub mod cost;
pub mod record;
pub mod store;
pub mod agent;
pub mod session;
pub mod adopt;
pub mod check;
#[cfg(any(feature = "insta", test))]
pub mod insta;
#[cfg(feature = "cli")]
pub mod cli;
