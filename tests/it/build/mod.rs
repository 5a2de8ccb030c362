//! Whole prompts, one or many at a time.

mod batch;
pub(crate) mod goldens;
mod map;
mod mushroom;
pub(crate) mod recipes;
