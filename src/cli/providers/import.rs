//! `promptc providers import`.

use crate::cli::Context;
use crate::cli::ui::Page;
use crate::diagnostic::ErrorReported;
use crate::project::artifact::FILE;
use crate::project::input::{self, Input, What};
use crate::project::output;
use crate::report::words;
use crate::request::provider::{litellm, write};
use crate::world::DiskWorld;
use jiff::civil::Date;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The wording for the file in messages.
const PRICES: What = What {
    help: "it is litellm's `model_prices_and_context_window.json`; `-` is standard input",
    ..FILE
};

/// Convert litellm's price file to a table
///
/// Reads `model_prices_and_context_window.json` and writes a table for --providers. A model is included if promptc
/// has a row for it, or if its provider caches all prefixes by one rule. Data that litellm lacks, such as that
/// rule, stays as it is in promptc. Rows with impossible figures are left out, with a warning. Nothing is fetched.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc providers import prices.json -o table.kdl
  promptc providers import prices.json --as-of 2026-11-22 --only claude-opus-5-5
  promptc providers show claude-opus-5-5 --providers table.kdl")]
pub(super) struct Args {
    /// litellm's file, `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The day on which the file was current, YYYY-MM-DD [default: today]
    #[arg(long, value_name = "DAY", value_parser = date)]
    as_of: Option<Date>,
    /// Only this model; repeatable
    #[arg(long = "only", value_name = "NAME")]
    models: Vec<String>,
    /// Write to a file, atomically
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A day as an option writes it.
fn date(written: &str) -> Result<Date, &'static str> {
    written.parse().map_err(|_| "write a day as 2026-11-22")
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let as_of = match args.as_of {
        Some(day) => day,
        None => crate::project::model::day(None, &mut context.run)?,
    };
    let diags = &mut context.run.diags;
    let read = input::read(&DiskWorld, &args.file, &PRICES);
    let Input { name, bytes } = read.map_err(|problem| diags.push(*problem))?;
    let output = crate::cli::stdout::named(args.output.as_ref());
    if let Some(path) = output
        && output::is_among(path, &BTreeSet::from([args.file.clone()]))
    {
        return Err(diags.push(output::is_input(path)));
    }
    let asked = litellm::ImportOptions {
        name: &name,
        as_of,
        only: &args.models,
    };
    let table = litellm::import(&bytes, asked, diags)?;
    let text = write::models(&table);
    match output {
        Some(path) => output::to_file(path, text.as_bytes(), &mut context.run)?,
        None => context
            .ui
            .product(&text, Page::foreign, &mut context.run.diags)?,
    }
    context.run.wrote = output.is_some();
    let rows = words::count(table.models.len(), "row");
    context
        .ui
        .remark(&format!("{rows} imported, as of {as_of}\n"));
    Ok(())
}
