//! Places and their sources, for programs.

use super::Answer;
use crate::cli::ui::{Page, answer};
use crate::prompt::{Channel, Deliver};
use schemars::JsonSchema;
use serde::Serialize;

/// What `blame --format json` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report<'a> {
    /// The channel that was asked about.
    channel: Deliver,
    /// The places that were found.
    places: &'a [Answer<'a>],
    /// How many more there are.
    more: usize,
}

/// The whole report.
pub(super) fn write(channel: &Channel, places: &[Answer<'_>], more: usize) -> Page {
    answer::page(&Report {
        channel: channel.deliver,
        places,
        more,
    })
}
