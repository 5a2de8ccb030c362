//! Two prompts: blame, records, revisions, and an oracle for causes.

mod blame;
pub(crate) mod git;
mod revisions;
mod accepted;
mod operands;
pub(crate) mod mutations;
mod records;
