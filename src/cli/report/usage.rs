//! `promptc report --usage`.

use super::Args;
use crate::cli::Context;
use crate::cli::capture::format;
use crate::cli::diff;
use crate::cli::ui::Progress;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::project::model::{day, need};
use crate::project::time;
use crate::project::usage::detail::detail;
use crate::project::usage::{UsageCall, UsageReport, usage};
use crate::report::page;
use crate::request::usage::Key;
use crate::world::DiskWorld;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The title of the page if no path is named.
const HERE: &str = "Usage of the agents on this machine";

/// The page of what was billed.
pub(super) fn page(
    named: &[PathBuf],
    args: &Args,
    context: &mut Context,
) -> Result<String, ErrorReported> {
    refuse(args, context)?;
    let operands = [&args.a, &args.b].into_iter().flatten().map(PathBuf::from);
    let paths: Vec<PathBuf> = operands.chain(named.iter().cloned()).collect();
    let now = args.side.given.now();
    let since = args.since.map(|since| {
        let now = time(now, &mut context.run)?;
        Ok(Timestamp::from_second(since.seconds(now)).unwrap_or(Timestamp::MIN))
    });
    let catalog = args.cost.tables.catalog(&DiskWorld, &mut context.run)?;
    if let Some(name) = args.cost.model() {
        let today = day(now, &mut context.run)?;
        need(name, &catalog, today, &mut context.run.diags)?;
    }
    let prompt = diff::layers(args.layers.as_deref(), &args.side, context)?;
    let call = UsageCall {
        paths: &paths,
        format: format(args.recorder.as_deref(), context)?,
        tables: Vec::new(),
        since: since.transpose()?,
        model: args.cost.model().map(str::to_owned),
        catalog,
        sources: args.sources.as_deref(),
        prompt: prompt.as_ref(),
    };
    let run = &mut context.run;
    let found = Progress::counting(&context.ui, "request", |met| detail(call, met, run))?;
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let title = match names.as_slice() {
        [] => HERE.to_owned(),
        names => names.join(", "),
    };
    Ok(page::of_usage(&title, &found))
}

/// The bill for the requests of a log; empty if the log has no usage.
pub(super) fn of_log(
    path: &Path,
    args: &Args,
    context: &mut Context,
) -> Result<UsageReport, ErrorReported> {
    let call = UsageCall {
        paths: &[path.to_owned()],
        format: None,
        tables: vec![vec![Key::Cause]],
        since: None,
        model: args.cost.model().map(str::to_owned),
        catalog: args.cost.tables.catalog(&DiskWorld, &mut context.run)?,
        sources: None,
        prompt: None,
    };
    // What is wrong with the log was reported when its requests were compared.
    let mut again = context.run.beside();
    let reports = usage(call, &mut |_| {}, &mut again);
    let reports = reports.inspect_err(|_| context.run.diags.extend(&again.diags))?;
    Ok(reports.into_iter().next().unwrap_or_default())
}

/// Options that say nothing of usage.
fn refuse(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let stray = [
        (
            args.conversation.is_some(),
            "--conversation",
            "the page has every conversation",
        ),
        (
            args.side.rebuild,
            "--rebuild",
            "it says how git:REV is read",
        ),
        (
            args.cost.counts_requests(),
            "--requests-per-day",
            "the requests themselves are counted",
        ),
    ];
    match stray.into_iter().find(|(is_given, ..)| *is_given) {
        Some((_, option, help)) => {
            let message = format!("{option} does not apply to usage");
            let found = Diagnostic::error(codes::USAGE, message).help(help);
            Err(context.run.diags.push(found))
        }
        None => Ok(()),
    }
}
