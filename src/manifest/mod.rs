//! The manifest language: KDL in, [`Manifest`] out.

pub mod model;

pub use model::*;
