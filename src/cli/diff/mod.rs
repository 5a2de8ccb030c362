//! `promptc diff`.

pub(crate) mod cost;
mod places;
mod verdict;

use super::fail_on::{self, Difference};
use super::model::{CostArgs, MODEL};
use super::requests::{self, Form};
use super::{Context, given::BuildArgs, store::StoreArgs, store::positive};
pub(super) use crate::answer::Comparisons;
use crate::cli::ui::{Page, answer};
use crate::compare::Cause;
use crate::diagnostic::ErrorReported;
use crate::project::Compared;
use crate::project::FamilyChange;
use crate::project::capture::{self, RequestQuery};
use crate::project::compare::{self, CompareCall, CompareOptions};
use crate::project::repository::{self, Repository};
use crate::prompt::Prompt;
use crate::report::{self, Extent, github};
use crate::request::whole::State;
use clap::ValueEnum;
use places::Places;
use std::num::NonZeroUsize;
use std::path::Path;

/// Show which layer broke the cached prefix, and why
///
/// A is the prompt that a provider may have cached, B the prompt that is sent now. An operand is a FILE (an
/// artifact of `build --format json`, or a text), `snapshot:NAME`, `git:REV` (what that revision builds),
/// `session:ID` or `session:ID@N` (a stored session, by default its newest build), or `.` (a build now). With one
/// operand, B is `.`; with none, every snapshot is compared with a build now. With a session only frozen tiers are
/// compared, and `.` is a build with the inputs of the session. Where several scenarios are compared, each prefix
/// family (`expect`) is graded: the prefix that its members share before and after.
///
/// An operand may also be the system prompt of a recorded request, LOG#42, or of the body of one. Two bodies are
/// compared whole: tools, settings, system prompt and messages. `promptc capture diff` compares the requests of a log.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc diff                                # every snapshot and a build now
  promptc diff snapshot:cli                   # one snapshot and a build now
  promptc diff git:HEAD                       # what a commit builds and a build now
  promptc diff git:HEAD --recorded            # the snapshots of that commit and a build now
  promptc diff session:chat-7                 # the stored session, and the same session built now
  promptc diff session:chat-7@1 session:chat-7@2  # two builds of a session
  promptc diff old.json new.json              # two artifacts
  promptc diff old.json                       # an artifact and a build now
  promptc diff old.txt new.txt                # two texts; the layers come from the manifest
  promptc diff requests.jsonl#2 new.txt       # the system prompt of a recorded request, and a text
  promptc diff bodies/1.json bodies/2.json    # two bodies of requests, whole
  promptc diff old.json --model claude-opus-5-5 --requests-per-day 1000  # with what the break costs
  promptc diff old.json --format json         # for programs
  promptc diff old.json --fail-on break=user  # exit 1 if the tier `user` or one before it broke")]
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
    /// Assume requests without messages [default: a conversation, whose messages have some of the breakpoints]
    #[arg(help_heading = MODEL, long, requires = "model")]
    no_messages: bool,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Exit with 1 on this condition: `change`, `break`, or `break=TIER` for a break in that tier or before it; repeatable
    ///
    /// In bodies of requests, TIER is a part: tools, system or messages. A break passes if it was accepted between A, a revision, and B: `promptc test --accept --because TEXT`.
    #[arg(long, value_name = "CONDITION", value_parser = fail_on::difference)]
    fail_on: Vec<Difference>,
    /// Build the prompt so often at most to find causes [default: 256]
    #[arg(long, value_name = "N", value_parser = positive::<usize>)]
    max_builds: Option<usize>,
    /// Draw with ASCII only, as is done where the output is no terminal
    #[arg(long)]
    ascii: bool,
    /// Show the whole text of what changed, not only what is around the changes
    #[arg(long)]
    full: bool,
}

/// The inputs for reading operands.
#[derive(Debug, clap::Args)]
pub(crate) struct SideArgs {
    #[command(flatten)]
    pub(crate) given: BuildArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// Take the snapshots that are committed at `git:REV`, instead of building its manifest and files
    #[arg(long)]
    pub(crate) recorded: bool,
}

impl SideArgs {
    /// The inputs for reading operands.
    pub(crate) fn call(&self) -> CompareCall {
        CompareCall {
            build: self.given.call(),
            options: CompareOptions {
                store: self.store.options(),
                recorded: self.recorded,
                max_builds: None,
            },
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
    if let [Some(a), Some(b)] = operands
        && [a, b].map(Path::new).into_iter().all(capture::is_body)
    {
        return bodies(args, [a, b], context);
    }
    let mut call = args.side.call();
    call.options.max_builds = args.max_builds.and_then(NonZeroUsize::new);
    let mut all = compare(operands, &call, context)?;
    let cost = (&args.cost, args.no_messages);
    cost::price(&mut all, &args.side.given, cost, &mut context.run)?;
    let families = compare::grades(&all, operands, &call);
    let document = |extent, headed| {
        let mut out = report::comparisons(&all, extent, headed);
        out.extend(report::family::changes(&families).blocks);
        out
    };
    let extent = if args.full {
        Extent::Full
    } else {
        Extent::Around
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
    let is_kept = |a: &str| a.starts_with("git:") || a.starts_with("snapshot:");
    if fails && args.a.as_deref().is_none_or(is_kept) {
        context.ui.remark(&verdict::way_out(args));
    }
    Ok(())
}

/// Compares two bodies of requests.
fn bodies(args: &Args, [a, b]: [&str; 2], context: &mut Context) -> Result<(), ErrorReported> {
    let form = match args.format {
        Format::Human => Form::Human { ascii: args.ascii },
        Format::Json => Form::Json,
        Format::Markdown => Form::Markdown,
        Format::Github => Form::Github,
    };
    let [first, second] = [a, b].map(|path| (Path::new(path), 1));
    let query = RequestQuery {
        texts: args.full,
        ..RequestQuery::default()
    };
    let all = [capture::two(first, second, query, &mut context.run)?];
    for condition in &args.fail_on {
        match condition {
            Difference::Change => context.verdict &= all[0].state == State::Same,
            Difference::Break(_) => {
                requests::check(std::slice::from_ref(condition), &all, context)?
            }
        }
        // What could not be compared is no reason to pass.
        context.verdict &= all[0].state.is_compared();
    }
    requests::write(b, &all, form, context)
}

/// Compares what the operands name.
pub(crate) fn compare(
    operands: [Option<&str>; 2],
    call: &CompareCall,
    context: &mut Context,
) -> Result<Vec<Compared>, ErrorReported> {
    let all = compare::compare(operands, call, &mut context.run);
    for note in context.run.notes.drain(..) {
        context.ui.remark(&note);
    }
    all
}

/// The prompts that requests may have, if requested.
pub(crate) fn layers(
    written: &[String],
    args: &SideArgs,
    context: &mut Context,
) -> Result<Vec<Prompt>, ErrorReported> {
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
