//! Manifest in, prompt out: the stages, in order.

pub mod given;

pub use given::Given;
