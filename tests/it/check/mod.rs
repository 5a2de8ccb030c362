//! Diagnostics, findings, fixes and the formats in which they are written.

mod rules;
mod corpus;
mod fixes;
pub(crate) mod sarif;
mod several;
mod usage;
