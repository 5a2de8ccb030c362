//! Providers and tokens.

mod capture;
mod files;
mod providers;
mod tokens;
mod usage;
