//! `promptc capture diff`.

use crate::cli::Context;
use crate::cli::diff::{SideArgs, layers};
use crate::cli::fail_on::{self, Difference};
use crate::cli::model::TableArgs;
use crate::cli::requests::{self, Form};
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::project::capture::{LogOperand, RequestQuery};
use crate::project::model::{day, need};
use crate::world::DiskWorld;
use clap::ValueEnum;
use std::path::PathBuf;

/// Show why a provider could not reuse its cache, request by request
///
/// Each request of a log is compared with the one before it in its chain: tools, system prompt, messages, settings.
/// LOG#42 is one of them, and LOG#41 LOG#42 are any two.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc capture diff requests.jsonl                 # each request and the one before it
  promptc capture diff requests.jsonl#2               # one of them and the one before it
  promptc capture diff requests.jsonl#1 requests.jsonl#2  # two of them
  promptc capture diff requests.jsonl --files .       # with the file of each changed line
  promptc capture diff requests.jsonl --prompt prompt.json  # with the layer of each changed line
  promptc capture diff requests.jsonl#2 --full        # with the whole texts that changed
  promptc capture diff requests.jsonl#1 requests.jsonl#2 --content-only  # whatever their settings
  promptc capture diff - < requests.jsonl             # a log from standard input
  promptc capture diff requests.jsonl --fail-on break=tools  # exit 1 if they broke")]
pub(in crate::cli) struct Args {
    /// A log of `promptc capture`, or LOG#N, one of its requests; `-` is standard input
    #[arg(value_name = "LOG")]
    a: String,
    /// The request to compare with it
    #[arg(value_name = "LOG#N")]
    b: Option<String>,
    #[command(flatten)]
    of: TraceArgs,
    /// The model whose rules and prices apply; `PROVIDER/MODEL` names its provider [default: that of each request]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    tables: TableArgs,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Exit with 1 on this condition: `break`, or `break=PART` for a break in that part (tools, system, messages) or before it; repeatable
    #[arg(long, value_name = "CONDITION", value_parser = fail_on::difference)]
    fail_on: Vec<Difference>,
    /// Draw with ASCII only, as is done where the output is no terminal
    #[arg(long)]
    ascii: bool,
    /// Compare only what was said: no times, settings and breakpoints, so that archives of several releases can be compared
    #[arg(long)]
    content_only: bool,
    /// Show the whole text of what changed, not only what is around the changes
    #[arg(long)]
    full: bool,
}

/// The options that choose requests, and say where their lines come from.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TraceArgs {
    /// Only this conversation, as `promptc capture show` names it
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) conversation: Option<String>,
    /// Trace changed lines to the files in this folder
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) files: Option<PathBuf>,
    /// Name the layer of each changed line; PROMPT is an operand of `promptc diff`, such as an artifact; repeatable: a change from one of these prompts to another gets the causes that builds prove [default: a build now, if -m or other build options are given]
    #[arg(long = "prompt", value_name = "PROMPT")]
    pub(in crate::cli) prompts: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) side: SideArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    Markdown,
    Github,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let form = match args.format {
        Format::Human => Form::Human { ascii: args.ascii },
        Format::Json => Form::Json,
        Format::Markdown => Form::Markdown,
        Format::Github => Form::Github,
    };
    let operands = requests::operands(&args.a, args.b.as_deref());
    let is_one =
        |operand: &Option<LogOperand>| operand.as_ref().is_some_and(|one| one.number.is_some());
    if args.of.conversation.is_some() && operands.iter().any(is_one) {
        let message = "--conversation has no effect: a request is named by its number";
        let found = Diagnostic::error(codes::USAGE, message);
        let found = found.help("leave it out, or name the log alone");
        return Err(context.run.diags.push(found));
    }
    let prompts = layers(&args.of.prompts, &args.of.side, context)?;
    let catalog = args.tables.catalog(&DiskWorld, &mut context.run)?;
    if let Some(name) = &args.model {
        let today = day(args.of.side.given.now(), &mut context.run)?;
        need(name, &catalog, today, &mut context.run.diags)?;
    }
    let query = RequestQuery {
        conversation: args.of.conversation.as_deref(),
        sources: args.of.files.as_deref(),
        prompts: &prompts,
        model: args.model.as_deref(),
        catalog: Some(&catalog),
        texts: args.full,
        content_only: args.content_only,
    };
    let all = requests::compare(operands, query, context)?;
    requests::check(&args.fail_on, &all, context)?;
    requests::write(&args.a, &all, form, context)
}
