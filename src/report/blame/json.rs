//! Places and their sources, for programs.

use super::Sourced;
use crate::prompt::{Channel, Deliver};
use schemars::JsonSchema;
use serde::Serialize;

/// The output of `blame --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Report<'a> {
    /// The channel that was asked about.
    channel: Deliver,
    /// The places that were found.
    places: &'a [Sourced<'a>],
    /// The number of further ones.
    more: usize,
}

impl<'a> Report<'a> {
    /// The whole report.
    pub(crate) fn of(channel: &Channel, places: &'a [Sourced<'a>], more: usize) -> Self {
        Self {
            channel: channel.deliver,
            places,
            more,
        }
    }
}
