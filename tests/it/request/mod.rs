//! Providers and tokens.

mod capture;
mod providers;
mod tokens;
mod usage;
