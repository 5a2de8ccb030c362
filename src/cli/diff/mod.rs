//! `promptc diff`.

pub(crate) mod cost;
mod places;
mod verdict;

use super::capture::log::{self, Form};
use super::model::{CostArgs, MODEL};
use super::{Context, given::BuildArgs, store::StoreArgs};
pub(super) use crate::answer::Comparisons;
use crate::cli::ui::{Page, answer};
use crate::compare::Cause;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Compared;
use crate::project::FamilyChange;
use crate::project::capture::{LogOperand, RequestQuery};
use crate::project::compare::{self, CompareCall};
use crate::project::repository::{self, Repository};
use crate::prompt::Prompt;
use crate::report::{self, Extent, github};
use crate::world::DiskWorld;
use clap::ValueEnum;
use places::Places;
use std::path::PathBuf;

/// The help heading of the options of logs.
pub(crate) const REQUESTS: &str = "Requests of a log";

/// Compare two prompts: which layer broke the prefix, why, and which breaks it hides
///
/// A is the prompt that a provider may have cached, B the prompt that is sent now. An operand is a FILE (an
/// artifact of `build --format json`, or a text), `snapshot:NAME`, `git:REV` (the snapshots that are committed there),
/// `session:ID` or `session:ID@N` (a stored session, by default its newest build), or `.` (a build now). With one
/// operand, B is `.`; with none, every snapshot is compared with a build now. With a session only frozen tiers are
/// compared, and `.` is a build with the inputs of the session. Where several scenarios are compared, each prefix
/// family (`expect`) is graded: the prefix that its members share before and after.
///
/// A may also be a log of requests from `promptc capture import`. Each request is compared with the one before it
/// in its chain. LOG#42 is one of them, and LOG#41 LOG#42 are any two. The output shows why a provider could not
/// reuse its cache, and how to fix it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc diff                                # every record and a build now
  promptc diff snapshot:cli                     # one record and a build now
  promptc diff git:HEAD                       # the snapshots of a commit and a build now
  promptc diff git:HEAD --rebuild             # what that commit would build, and a build now
  promptc diff session:chat-7                 # the stored session, and the same session built now
  promptc diff session:chat-7@1 session:chat-7@2  # two builds of a session
  promptc diff old.json new.json              # two artifacts
  promptc diff old.json                       # an artifact and a build now
  promptc diff old.txt new.txt                # two texts; the layers come from the manifest
  promptc diff requests.jsonl                 # each request of a log and the one before it
  promptc diff requests.jsonl#2               # one of them and the one before it
  promptc diff requests.jsonl#1 requests.jsonl#2  # two of them
  promptc diff requests.jsonl --sources .     # with the file of each changed line
  promptc diff - < requests.jsonl             # a log from standard input
  promptc diff requests.jsonl --layers prompt.json  # with the layer of each changed line
  promptc diff old.json --model claude-opus-5-5 --requests-per-day 1000  # with what the break costs
  promptc diff old.json --format json         # for programs
  promptc diff old.json --fail-on-break user  # exit 1 if the tier `user` or one before it broke")]
pub(super) struct Args {
    /// The prompt that may be cached [default: every snapshot]
    #[arg(value_name = "A")]
    a: Option<String>,
    /// The prompt that is sent now [default: `.`]
    #[arg(value_name = "B")]
    b: Option<String>,
    #[command(flatten)]
    side: SideArgs,
    #[command(flatten)]
    cost: CostArgs,
    /// Assume breakpoints of requests without messages [default: of a conversation, whose messages have some of them]
    #[arg(help_heading = MODEL, long, requires = "model")]
    no_messages: bool,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Exit with 1 if the prompts differ
    #[arg(long)]
    exit_code: bool,
    /// Exit with 1 if the prefix breaks in this tier or in one before it; for a log in `tools`, `system` or `messages`
    ///
    /// A break passes if it was accepted between A, a revision, and B: `promptc test --accept --because TEXT`.
    #[arg(long, value_name = "TIER")]
    fail_on_break: Option<String>,
    /// Draw with ASCII only, as is done where the output is no terminal
    #[arg(long)]
    ascii: bool,
    /// Show the whole text of changed layers, not only what is around the changes
    #[arg(long)]
    full: bool,
    /// Only this conversation, as `promptc capture show` names it
    #[arg(help_heading = REQUESTS, long, value_name = "ID")]
    conversation: Option<String>,
    /// Trace changed lines to the files in this folder
    #[arg(help_heading = REQUESTS, long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// Name the layer of each changed line; PROMPT is an operand, such as an artifact [default: a build now, if -m or other
    /// build options are given]
    #[arg(help_heading = REQUESTS, long, value_name = "PROMPT")]
    layers: Option<String>,
}

/// The inputs for reading operands.
#[derive(Debug, clap::Args)]
pub(crate) struct SideArgs {
    #[command(flatten)]
    pub(crate) given: BuildArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// Build what `git:REV` names from that revision's manifest and files, instead of reading its snapshots
    #[arg(long)]
    pub(crate) rebuild: bool,
}

impl SideArgs {
    /// The inputs for reading operands.
    fn call(&self) -> CompareCall {
        CompareCall {
            build: self.given.call(),
            store: self.store.options(),
            rebuild: self.rebuild,
        }
    }
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
    let operands = [args.a.as_deref(), args.b.as_deref()];
    if let Some(of_log) = log::operands(operands[0], operands[1]) {
        return requests(of_log, args, context);
    }
    of_no_log(args, context)?;
    let mut all = compare(operands, &args.side, context)?;
    let cost = (&args.cost, args.no_messages);
    cost::price(&mut all, &args.side.given, cost, &mut context.run)?;
    let families = compare::grades(&all, operands, &args.side.call());
    let document = |extent, headed| {
        let mut out = report::comparisons(&all, extent, headed);
        out.extend(report::family::changes(&families).blocks);
        out
    };
    let extent = match args.full {
        true => Extent::Full,
        false => Extent::Around,
    };
    let text = match args.format {
        Format::Human => {
            let terminal = context.ui.terminal(args.ascii);
            Page::drawn(terminal.draw(&document(extent, false)))
        }
        Format::Json => json(&all, &families),
        Format::Markdown => Page::markdown(&document(extent, true)),
        Format::Github => annotations(&all, &Places::of(&args.side)),
    };
    let mut fails = false;
    for compared in &all {
        fails |= verdict::check(args, compared, context)?;
    }
    context.ui.result(&text, &mut context.run.diags)?;
    if fails {
        context.ui.remark(&verdict::way_out(args));
    }
    Ok(())
}

/// Options that choose or explain requests, and no operand is a log of them.
fn of_no_log(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let options = [
        ("--conversation", args.conversation.is_some()),
        ("--sources", args.sources.is_some()),
        ("--layers", args.layers.is_some()),
    ];
    let Some((option, _)) = options.iter().find(|(_, given)| *given) else {
        return Ok(());
    };
    let message = format!("{option} needs a log of requests as A");
    let found = Diagnostic::error(diagnostic::USAGE, message);
    let help = "name a log as A; `promptc capture import FILE -o LOG` makes one";
    Err(context.run.diags.push(found.help(help)))
}

/// Options that are about two prompts, and A is a log of requests.
fn of_log(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let names = |prefix| matches!(&args.layers, Some(prompt) if prompt.starts_with(prefix));
    let store = args.side.store.options();
    let options = [
        ("--full", args.full),
        ("--requests-per-day", args.cost.counts_requests()),
        ("--store", store.location.is_some() && !names("session:")),
        ("--wait", store.wait.is_some() && !names("session:")),
        ("--no-messages", args.no_messages),
    ];
    let Some((option, _)) = options.iter().find(|(_, given)| *given) else {
        return Ok(());
    };
    let message = format!("{option} needs two prompts, but A is a log of requests");
    let found = Diagnostic::error(diagnostic::USAGE, message);
    Err(context.run.diags.push(found.help("leave it out")))
}

/// Compares the requests of a log.
fn requests(
    operands: [Option<LogOperand>; 2],
    args: &Args,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let form = match args.format {
        Format::Human => Form::Human { ascii: args.ascii },
        Format::Json => Form::Json,
        Format::Markdown | Format::Github => Form::Markdown,
    };
    let prompt = layers(args.layers.as_deref(), &args.side, context)?;
    of_log(args, context)?;
    let is_one =
        |operand: &Option<LogOperand>| operand.as_ref().is_some_and(|one| one.number.is_some());
    if args.conversation.is_some() && operands.iter().any(is_one) {
        let message = "--conversation has no effect: a request is named by its number";
        let found = Diagnostic::error(diagnostic::USAGE, message);
        return Err(context
            .run
            .diags
            .push(found.help("leave it out, or name the log alone")));
    }
    let now = args.side.given.now();
    args.cost.asked(None, now, &DiskWorld, &mut context.run)?;
    let catalog = args.cost.tables.catalog(&DiskWorld, &mut context.run)?;
    let query = RequestQuery {
        conversation: args.conversation.as_deref(),
        sources: args.sources.as_deref(),
        prompt: prompt.as_ref(),
        model: args.cost.model(),
        catalog: Some(&catalog),
    };
    let all = log::compare(operands, query, context)?;
    verdict::of_requests(args, &all, context)?;
    log::write(args.a.as_deref().unwrap_or_default(), &all, form, context)
}

/// Compares what the operands name.
pub(crate) fn compare(
    operands: [Option<&str>; 2],
    args: &SideArgs,
    context: &mut Context,
) -> Result<Vec<Compared>, ErrorReported> {
    let all = compare::compare(operands, &args.call(), &mut context.run);
    for note in context.run.notes.drain(..) {
        context.ui.remark(&note);
    }
    all
}

/// The prompt whose layers are named in requests, if requested.
pub(crate) fn layers(
    written: Option<&str>,
    args: &SideArgs,
    context: &mut Context,
) -> Result<Option<Prompt>, ErrorReported> {
    compare::layers(written, &args.call(), &mut context.run)
}

/// All as one document.
fn json(all: &[Compared], families: &[FamilyChange]) -> Page {
    answer::page(&Comparisons::of(all, families))
}

/// The comparisons as annotations at the lines that are to blame.
fn annotations(all: &[Compared], places: &Places) -> Page {
    let here = Repository::here();
    let place = |cause: &Cause| {
        let path = places.find(cause)?;
        Some(repository::path(&path, here.as_ref()))
    };
    let all = all
        .iter()
        .flat_map(|compared| report::annotations(compared, place));
    Page::commands(github::draw(&all.collect::<Vec<_>>()))
}
