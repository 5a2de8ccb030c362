//! Two prompts: blame, records, revisions, plain texts, and an oracle for causes.

mod blame;
pub(crate) mod git;
mod revisions;
mod accepted;
mod operands;
pub(crate) mod mutations;
mod records;
mod texts;
mod advice;
