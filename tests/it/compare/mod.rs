//! Two prompts: blame, snapshots, revisions, plain texts, and an oracle for causes.

mod blame;
pub(crate) mod git;
mod revisions;
mod accepted;
mod operands;
pub(crate) mod mutations;
mod snapshots;
mod inputs;
mod texts;
mod advice;
