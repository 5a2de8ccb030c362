//! The pages: what they show is what happens.

pub(crate) mod examples;
pub(crate) mod commands;
mod story;
mod quotes;
mod book;
mod llms;
mod picture;
pub(crate) mod markdown;
mod names;
mod options;
mod benchmarks;
mod growth;
mod threats;
mod ci;
mod release;
