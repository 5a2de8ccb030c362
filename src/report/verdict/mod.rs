//! The verdict of a report: what share of the tokens a cache can give again, what that costs, and what to fix first.

mod figure;
mod prompt;
mod pair;
mod usage;
mod log;
mod history;

pub(crate) use figure::{Figure, Verdict};
pub(crate) use history::of_history;
pub(crate) use log::{Bill, of_log};
pub(crate) use pair::{advised, followed, of_pair};
pub(crate) use prompt::of_prompt;
pub(crate) use usage::of_usage;
