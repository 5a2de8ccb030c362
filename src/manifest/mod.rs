//! The manifest language: KDL in, [`Manifest`] out.

pub mod model;
mod parse;

pub use model::*;
pub use parse::{MAX_SIZE, parse};
