//! The language: its grammar, its features case by case, its layout, its overlays.

mod grammar;
pub(crate) mod kdl;
pub(crate) mod fmt;
mod overlays;
