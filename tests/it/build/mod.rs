//! Whole prompts, one or many at a time.

pub(crate) mod batch;
mod engine;
mod inputs;
pub(crate) mod snapshots;
mod map;
mod mushroom;
pub(crate) mod recipes;
mod variants;
