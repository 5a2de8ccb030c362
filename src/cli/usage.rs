//! `promptc usage`.

use super::Context;
use super::capture::format;
use super::diff::{self, SideArgs};
use super::model::TableArgs;
use super::ui::{Page, Progress, answer};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::model::{day, need};
use crate::project::usage::{self, UsageCall, UsageReport};
use crate::report::usage as drawn;
use crate::request::provider::amount::Usd;
use crate::request::usage::Key;
use crate::world::DiskWorld;
use clap::ValueEnum;
use std::path::PathBuf;

/// Show what was billed, why each token was sent, and what would save tokens
///
/// Without a path it reads the logs of Claude Code and Codex on this machine. Nothing is written, and nothing
/// leaves the machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc usage                                  # what the agents on this machine cost
  promptc usage requests.jsonl                   # of a log of `promptc capture import`
  promptc usage --since 7d --by day,model
  promptc usage requests.jsonl --by segment,cause  # the tool, heading or setting that changed
  promptc usage requests.jsonl -m promptc.kdl --by layer  # the layer of a manifest
  promptc usage requests.jsonl --by conversation,cause --format json > usage.json
  promptc usage --add monday.json tuesday.json   # sums of several calls
  promptc usage requests.jsonl --fail-on 'avoidable > 5%'  # exit 1 if more was avoidable")]
pub(super) struct Args {
    /// Logs, or recordings of other programs [default: transcripts of Claude Code, rollouts of Codex]
    #[arg(value_name = "PATH", conflicts_with = "add")]
    paths: Vec<PathBuf>,
    /// Group by day, model, provider, conversation, chain, cause, or what changed first: segment, tool, layer, file
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    by: Vec<String>,
    /// Only requests since a day (2026-11-01), or of the last days (7d)
    #[arg(long, value_name = "DAY")]
    since: Option<String>,
    /// Exit with 1 if more of the bill was avoidable: 'avoidable > 5%' or 'avoidable > $2'
    #[arg(long, value_name = "LIMIT")]
    fail_on: Option<String>,
    /// Add reports that other calls wrote with --format json
    #[arg(long, value_name = "REPORT", num_args = 1.., conflicts_with_all = ["by", "since"])]
    add: Vec<PathBuf>,
    /// The recording program, for inputs that are not logs [default: detected]
    #[arg(long = "as", value_name = "FORMAT")]
    recorder: Option<String>,
    /// Treat all requests as those of this model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Trace changed lines to the files in this folder: `--by file`
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// Name the layer of each changed line: `--by layer`. PROMPT is an operand of `promptc diff`, such as an artifact [default: a
    /// build now, if -m or other build options are given]
    #[arg(long, value_name = "PROMPT")]
    layers: Option<String>,
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
    let limit = args.fail_on.as_deref().map(|text| limit(text, context));
    let limit = limit.transpose()?;
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
    if let (Some(limit), Some(report)) = (limit, reports.first()) {
        context.verdict = !limit.is_passed(report);
    }
    context.ui.result(&page, &mut context.run.diags)
}

fn counted(args: &Args, context: &mut Context) -> Result<Vec<UsageReport>, ErrorReported> {
    let tables = match (args.by.as_slice(), args.format) {
        ([], Form::Json) => vec![usage::USUAL.to_vec()],
        ([], _) => vec![vec![Key::Cause], vec![Key::Model], vec![Key::Day]],
        (names, _) => vec![usage::keys(names, &mut context.run.diags)?],
    };
    let since = args
        .since
        .as_deref()
        .map(|text| usage::since(text, args.side.given.now(), &mut context.run));
    let catalog = args.tables.catalog(&DiskWorld, &mut context.run)?;
    if let Some(name) = &args.model {
        let today = day(args.side.given.now(), &mut context.run)?;
        need(name, &catalog, today, &mut context.run.diags)?;
    }
    let prompt = diff::layers(args.layers.as_deref(), &args.side, context)?;
    let asks = |key: Key| tables.iter().any(|table| table.contains(&key));
    if asks(Key::Layer) && prompt.is_none() {
        context.ui.remark(
            "help: name layers with --layers PROMPT, or with -m and other options of a build\n",
        );
    }
    if asks(Key::File) && args.sources.is_none() {
        context.ui.remark("help: name files with --sources DIR\n");
    }
    let recorder = format(args.recorder.as_deref(), context)?;
    let since = since.transpose()?;
    let call = UsageCall {
        paths: &args.paths,
        format: recorder,
        tables,
        since,
        model: args.model.clone(),
        catalog,
        sources: args.sources.as_deref(),
        prompt: prompt.as_ref(),
    };
    let run = &mut context.run;
    Progress::counting(&context.ui, "request", |met| usage::usage(call, met, run))
}

/// The part that may have been avoidable.
#[derive(Debug, Clone, Copy)]
enum Limit {
    /// In millionths of what was billed.
    Share(u64),
    /// In millionths of a dollar.
    Dollars(u64),
}

impl Limit {
    fn is_passed(self, report: &UsageReport) -> bool {
        let (billed, avoidable) = (report.total.billed.0, report.total.avoidable.0);
        const MILLION: u64 = 1_000_000;
        match self {
            Self::Share(share) => avoidable * MILLION > billed * share,
            Self::Dollars(most) => avoidable * MILLION > Usd::near(1.0) * most,
        }
    }
}

fn limit(text: &str, context: &mut Context) -> Result<Limit, ErrorReported> {
    let read = || {
        let (what, most) = text.split_once('>')?;
        if what.trim() != "avoidable" {
            return None;
        }
        let most = most.trim();
        let millionths = |number: &str, times: f64| {
            let number = number.trim().parse::<f64>().ok()?;
            let in_range = (0.0..=1e9).contains(&number);
            in_range.then_some((number * times).round() as u64)
        };
        match (most.strip_suffix('%'), most.strip_prefix('$')) {
            (Some(share), _) => millionths(share, 1e4).map(Limit::Share),
            (None, Some(dollars)) => millionths(dollars, 1e6).map(Limit::Dollars),
            (None, None) => None,
        }
    };
    read().ok_or_else(|| {
        let message = format!("`{}` is not a limit", text.escape_debug());
        let found = Diagnostic::error(diagnostic::USAGE, message);
        context
            .run
            .diags
            .push(found.help("write 'avoidable > 5%' or 'avoidable > $2'"))
    })
}
