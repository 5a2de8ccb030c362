//! Where documents come from.

pub mod wall;
pub mod pattern;
pub mod walk;
