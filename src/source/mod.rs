//! Sources: one file for each kind that reads from a root, and the walls that they read inside of.

pub mod wall;
pub mod writing;
pub mod pattern;
pub mod exclude;
pub mod walk;
pub mod reach;
pub mod place;
pub mod file;
pub mod glob;
pub mod skills;
pub mod beside;
pub mod json;
