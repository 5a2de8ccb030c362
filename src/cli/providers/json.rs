//! Providers and models for programs.

use crate::cli::ui::{Page, answer};
use crate::request::provider::rows::Rows;
use crate::request::provider::{Model, ModelMatch, Provider};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

/// The output of `providers --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::cli) enum Report<'a> {
    /// `providers list`.
    List(List<'a>),
    /// `providers show`.
    Show(Show<'a>),
}

/// The output of `providers list`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct List<'a> {
    /// The day on which the rows count.
    day: Date,
    /// Providers; those of tables that count first come first.
    providers: &'a [Provider],
    /// Models that have a row on that day.
    models: &'a [Model],
}

/// The output of `providers show`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Show<'a> {
    /// The day on which the row counts.
    day: Date,
    /// The model, as it was named.
    model: &'a str,
    #[serde(flatten)]
    found: &'a ModelMatch,
}

/// All models.
pub(super) fn list(rows: &Rows, day: Date) -> Page {
    answer::page(&Report::List(List {
        day,
        providers: &rows.providers,
        models: &rows.models,
    }))
}

/// A model.
pub(super) fn show(model: &str, found: &ModelMatch, day: Date) -> Page {
    answer::page(&Report::Show(Show { day, model, found }))
}
