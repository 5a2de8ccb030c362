//! `promptc usage`.

use super::Context;
use super::capture::format;
use super::diff::{self, SideArgs};
use super::fail_on::{self, Limit};
use super::model::TableArgs;
use super::ui::{Page, Progress, answer};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::model::{day, need};
use crate::project::moment::{self, Moment};
use crate::project::usage::{self, UsageCall, UsageReport};
use crate::report::usage as drawn;
use crate::request::provider::amount::Amount;
use crate::request::usage::Key;
use crate::world::DiskWorld;
use clap::ValueEnum;
use std::path::PathBuf;

/// Show what was billed, why, and what would save
///
/// Without a path it reads the logs of Claude Code and Codex on this machine. Nothing is written, and nothing
/// leaves the machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc usage                                  # what the agents on this machine cost
  promptc usage requests.jsonl                   # of a log of `promptc capture import`
  promptc usage --since 7d --by day,model
  promptc usage requests.jsonl --by request,cause  # each request
  promptc usage requests.jsonl --by segment,cause  # the tool, heading or setting that changed
  promptc usage --by file,version                # what each instruction file cost, by commit
  promptc usage --by file --fail-on 'file CLAUDE.md > $2'  # exit 1 if it cost more
  promptc usage requests.jsonl -m promptc.kdl --by layer  # the layer of a manifest
  promptc usage requests.jsonl --by conversation,cause --format json > usage.json
  promptc usage --add monday.json tuesday.json   # sums of several calls
  promptc usage requests.jsonl --fail-on 'avoidable > 5%'  # exit 1 if more was avoidable")]
pub(super) struct Args {
    /// Logs, or recordings of other programs [default: transcripts of Claude Code, rollouts of Codex]
    #[arg(value_name = "PATH", conflicts_with = "add")]
    paths: Vec<PathBuf>,
    /// Group by day, model, provider, conversation, chain, request, cause; by what tokens are of: file, version; or by what changed first: segment, tool, layer
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    by: Vec<String>,
    /// Only what is since then: a day or time in UTC, or how long ago, such as 2026-03-30 or 7d
    #[arg(long, value_name = "TIME", value_parser = moment::moment, allow_hyphen_values = true)]
    since: Option<Moment>,
    /// Only what is before then, written the same way
    #[arg(long, value_name = "TIME", value_parser = moment::moment, allow_hyphen_values = true)]
    until: Option<Moment>,
    /// Exit with 1 on this condition: 'avoidable > 5%' of the bill, 'avoidable > $2', or 'file CLAUDE.md > $2' with --by file
    #[arg(long, value_name = "CONDITION", value_parser = fail_on::limit)]
    fail_on: Option<Limit>,
    /// Add reports that other calls wrote with --format json
    #[arg(long, value_name = "REPORT", num_args = 1.., conflicts_with_all = ["by", "since", "until"])]
    add: Vec<PathBuf>,
    /// The recording program, for inputs that are not logs [default: detected]
    #[arg(long = "as", value_name = "FORMAT")]
    recorder: Option<String>,
    /// The model whose rules and prices apply; `PROVIDER/MODEL` names its provider [default: that of each request]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Trace changed lines to the files in this folder, and name files as they are named in it
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Name the layer of each changed line; for `--by layer`. PROMPT is an operand of `promptc diff`, such as an artifact [default: a build now, if -m or other build options are given]
    #[arg(long, value_name = "PROMPT")]
    prompt: Option<String>,
    #[command(flatten)]
    side: SideArgs,
    #[command(flatten)]
    tables: TableArgs,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Form,
}

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Human,
    Json,
    Markdown,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let reports = match args.add.as_slice() {
        [] => counted(args, context)?,
        paths => vec![usage::added(paths, &mut context.run)?],
    };
    let asked = !args.by.is_empty() || !args.add.is_empty();
    let page = match args.format {
        Form::Human => Page::drawn(
            context
                .ui
                .terminal(false)
                .draw(&drawn::usage(&reports, asked)),
        ),
        Form::Markdown => Page::markdown(&drawn::usage(&reports, asked)),
        Form::Json => match reports.first() {
            Some(report) => answer::page(report),
            None => return Ok(()),
        },
    };
    if let (Some(limit), Some(report)) = (&args.fail_on, reports.first()) {
        let total = &report.total;
        let amount = match &limit.file {
            None => total.avoidable,
            Some(file) => of_file(file, report, context)?,
        };
        context.verdict = !limit.is_passed(total.billed, amount);
    }
    context.ui.result(&page, &mut context.run.diags)
}

/// What a file cost, by its path or the end of it.
fn of_file(
    file: &str,
    report: &UsageReport,
    context: &mut Context,
) -> Result<Amount, ErrorReported> {
    if !report.by.iter().any(|key| key == Key::File.name()) {
        let message = format!("--fail-on 'file {file} …' has no files to look at");
        let found = Diagnostic::error(diagnostic::USAGE, message);
        return Err(context
            .run
            .diags
            .push(found.help("group by file: --by file")));
    }
    Ok(report.of_file(file).unwrap_or_else(|| {
        let message = format!("no request has a file `{file}`, which cost nothing");
        let found = Diagnostic::note(diagnostic::PASSED_OVER, message);
        context.run.diags.push(found);
        Amount::default()
    }))
}

fn counted(args: &Args, context: &mut Context) -> Result<Vec<UsageReport>, ErrorReported> {
    let tables = match (args.by.as_slice(), args.format) {
        ([], Form::Json) => vec![usage::USUAL.to_vec()],
        ([], _) => vec![vec![Key::Cause], vec![Key::Model], vec![Key::Day]],
        (names, _) => vec![usage::keys(names, &mut context.run.diags)?],
    };
    let now = args.side.given.now();
    let period = moment::period(args.since, args.until, now, &mut context.run);
    let catalog = args.tables.catalog(&DiskWorld, &mut context.run)?;
    if let Some(name) = &args.model {
        let today = day(args.side.given.now(), &mut context.run)?;
        need(name, &catalog, today, &mut context.run.diags)?;
    }
    let prompts = diff::layers(args.prompt.as_slice(), &args.side, context)?;
    let asks = |key: Key| tables.iter().any(|table| table.contains(&key));
    if asks(Key::Layer) && prompts.is_empty() {
        context.ui.remark(
            "help: name layers with --prompt PROMPT, or with -m and other options of a build\n",
        );
    }
    let recorder = format(args.recorder.as_deref(), context)?;
    let period = period?;
    let call = UsageCall {
        paths: &args.paths,
        format: recorder,
        tables,
        period,
        model: args.model.clone(),
        catalog,
        sources: args.files.as_deref(),
        prompts: &prompts,
    };
    let run = &mut context.run;
    Progress::counting(&context.ui, "request", |met| usage::usage(call, met, run))
}
