//! `promptc capture report`.

use super::diff::TraceArgs;
use super::format;
use crate::cli::Context;
use crate::cli::diff::layers;
use crate::cli::model::TableArgs;
use crate::cli::report::{FILE, save};
use crate::cli::ui::Progress;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::project::capture::{self, LogOperand, RequestQuery};
use crate::project::model::{day, need};
use crate::project::moment::{self, Moment};
use crate::project::usage::detail::detail;
use crate::project::usage::{UsageCall, UsageReport, usage};
use crate::report::page;
use crate::report::verdict::Bill;
use crate::request::usage::{Key, Period};
use crate::world::DiskWorld;
use std::path::{Path, PathBuf};

/// The title of the page if no path is named.
const HERE: &str = "Usage of the agents on this machine";

/// Write an HTML page of the requests of a log, or of their bill
///
/// The page is one file without network access. It shows each request, the reused part and why it was not larger. With
/// --bill it shows dollars a day by cause, each conversation request by request, and the breaks.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc capture report requests.jsonl               # the requests of a log, as report.html
  promptc capture report requests.jsonl --conversation c-819a119d6dcd  # those of a conversation
  promptc capture report requests.jsonl --bill        # what they cost, by day and cause
  promptc capture report --bill -o usage.html         # what the agents on this machine cost")]
pub(in crate::cli) struct Args {
    /// A log of `promptc capture`; with --bill logs and recordings [default: transcripts of Claude Code, rollouts of Codex]
    #[arg(value_name = "PATH", required_unless_present = "bill")]
    paths: Vec<PathBuf>,
    /// Show the bill
    #[arg(long, conflicts_with = "conversation")]
    bill: bool,
    /// Write to a file, atomically; `-` is stdout
    #[arg(short, long, value_name = "FILE", default_value = FILE)]
    output: PathBuf,
    /// The recording program, for inputs that are not logs [default: detected]
    #[arg(long = "as", value_name = "FORMAT", requires = "bill")]
    recorder: Option<String>,
    /// Only what is since then: a day or time in UTC, or how long ago, such as 2026-03-30 or 7d
    #[arg(long, value_name = "TIME", value_parser = moment::moment, allow_hyphen_values = true, requires = "bill")]
    since: Option<Moment>,
    /// Only what is before then, written the same way
    #[arg(long, value_name = "TIME", value_parser = moment::moment, allow_hyphen_values = true, requires = "bill")]
    until: Option<Moment>,
    /// The model whose rules and prices apply; `PROVIDER/MODEL` names its provider [default: that of each request]
    #[arg(long, value_name = "NAME", conflicts_with = "conversation")]
    model: Option<String>,
    #[command(flatten)]
    tables: TableArgs,
    #[command(flatten)]
    of: TraceArgs,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    // A log is read for its requests, and again for what was billed.
    context.run.hold_streams();
    let page = if args.bill {
        bill(args, context)?
    } else {
        requests(args, context)?
    };
    // A page of a log can be read by whom the log can be read.
    save(&args.output, &page, &args.of.side, true, context)
}

/// The requests of a log.
fn requests(args: &Args, context: &mut Context) -> Result<String, ErrorReported> {
    let operand = |path: &PathBuf| path.to_str().and_then(LogOperand::of);
    let log = match args.paths.as_slice() {
        [path] => match operand(path) {
            Some(LogOperand {
                number: Some(_), ..
            }) => None,
            Some(log) => Some(log.path),
            None => Some(path.clone()),
        },
        _ => None,
    };
    let Some(log) = log else {
        let message = "a report shows all requests of one log";
        let help = "name the log alone; `promptc capture diff LOG#41 LOG#42` compares two of them";
        let found = Diagnostic::error(codes::USAGE, message).help(help);
        return Err(context.run.diags.push(found));
    };
    let prompts = layers(&args.of.prompts, &args.of.side, context)?;
    let query = RequestQuery {
        conversation: args.of.conversation.as_deref(),
        prompts: &prompts,
        sources: args.of.files.as_deref(),
        ..RequestQuery::default()
    };
    let all = capture::detailed(&log, query, &mut context.run)?;
    let title = log.display().to_string();
    if args.of.conversation.is_some() {
        return Ok(page::of_log(&title, &all, Bill::Whole));
    }
    let report = billed(&log, args, context)?;
    Ok(page::of_log(&title, &all, Bill::Known(&report)))
}

/// The page of what was billed.
fn bill(args: &Args, context: &mut Context) -> Result<String, ErrorReported> {
    let paths = &args.paths;
    let now = args.of.side.given.now();
    let period = moment::period(args.since, args.until, now, &mut context.run)?;
    let catalog = args.tables.catalog(&DiskWorld, &mut context.run)?;
    if let Some(name) = &args.model {
        let today = day(now, &mut context.run)?;
        need(name, &catalog, today, &mut context.run.diags)?;
    }
    let prompts = layers(&args.of.prompts, &args.of.side, context)?;
    let call = UsageCall {
        paths,
        format: format(args.recorder.as_deref(), context)?,
        tables: Vec::new(),
        period,
        model: args.model.clone(),
        catalog,
        sources: args.of.files.as_deref(),
        prompts: &prompts,
    };
    let run = &mut context.run;
    let found = Progress::counting(&context.ui, "request", |met| detail(call, met, run))?;
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let title = if names.is_empty() {
        HERE.to_owned()
    } else {
        names.join(", ")
    };
    Ok(page::of_usage(&title, &found))
}

/// The bill for the requests of a log; empty if the log has no usage.
fn billed(log: &Path, args: &Args, context: &mut Context) -> Result<UsageReport, ErrorReported> {
    let call = UsageCall {
        paths: &[log.to_owned()],
        format: None,
        tables: vec![vec![Key::Cause]],
        period: Period::default(),
        model: args.model.clone(),
        catalog: args.tables.catalog(&DiskWorld, &mut context.run)?,
        sources: None,
        prompts: &[],
    };
    // What is wrong with the log was reported when its requests were compared.
    let mut again = context.run.beside();
    let reports = usage(call, &mut |_| {}, &mut again);
    let reports = reports.inspect_err(|_| context.run.diags.extend(&again.diags))?;
    Ok(reports.into_iter().next().unwrap_or_default())
}
