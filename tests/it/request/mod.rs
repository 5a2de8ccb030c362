//! Providers and tokens.

mod providers;
mod tokens;
