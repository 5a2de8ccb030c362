//! Two prompts: blame, records, revisions, and an oracle for causes.

mod accepted;
mod blame;
pub(crate) mod git;
mod revisions;
mod operands;
pub(crate) mod mutations;
mod records;
