//! Diagnostics, findings, fixes and the formats in which they are written.

mod rules;
mod corpus;
mod fixes;
pub(crate) mod sarif;
mod sentences;
mod several;
mod usage;
