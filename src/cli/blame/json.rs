//! Places and their sources, for programs.

use super::Answer;
use crate::blame::Stretch;
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
    places: Vec<Place<'a>>,
    /// How many more there are.
    more: usize,
}

/// A place in the text of the channel.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Found")]
struct Place<'a> {
    /// The line of its first byte, from 1.
    line: usize,
    /// The column of its first byte, from 1, in Unicode scalar values.
    column: usize,
    /// First byte.
    start: usize,
    /// One past the last byte.
    end: usize,
    /// What it consists of, in order.
    stretches: &'a [Stretch<'a>],
}

/// The whole report.
pub(super) fn write(channel: &Channel, answers: &[Answer<'_>], more: usize) -> Page {
    let places = answers.iter().map(|answer| Place {
        line: answer.found.line,
        column: answer.found.column,
        start: answer.found.range.start,
        end: answer.found.range.end,
        stretches: &answer.stretches,
    });
    answer::page(&Report {
        channel: channel.deliver,
        places: places.collect(),
        more,
    })
}
