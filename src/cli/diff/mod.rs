//! `promptc diff`.

mod line;
pub(crate) mod fit;
mod phrase;
pub(crate) mod cost;
mod picture;
mod bar;
mod window;
mod rows;
mod human;
mod markdown;
mod places;
mod github;
mod verdict;

// What other commands draw a comparison with, so that it looks and reads the same.
pub(crate) use bar::{Cell, bar, strips};
pub(crate) use fit::fit;
pub(crate) use line::Line;
pub(crate) use markdown::{block, code, escaped, refers};
pub(crate) use phrase::{Marks, whole};
pub(crate) use picture::{Look, WIDTH, head, lost, more, percent};
pub(crate) use rows::{Changed, Row, changed, rows};

use super::model::CostArgs;
use super::{Context, given::BuildArgs, store::StoreArgs};
use crate::cli::ui::{Page, answer};
use crate::compare::Diff;
use crate::diagnostic::ErrorReported;
use crate::project::Compared;
use crate::project::compare::{self, CompareCall};
use crate::prompt::Prompt;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

/// Compare two prompts: which layer broke the prefix, why, and what hides behind it
///
/// A is what a provider may have cached, B what is sent now. An operand is a FILE (an artifact of `build --format json`,
/// or a text), `record:NAME`, `git:REV` (the records that are committed there), `session:ID` or `session:ID@N` (what a
/// session keeps, by default its newest build), or `.` (a build now). With one operand, B is `.`; with none, every record
/// is compared with a build now. Beside a session only frozen tiers are compared, and `.` is a build with what the session
/// was given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc diff                                # every record and a build now
  promptc diff record:cli                     # one record and a build now
  promptc diff git:HEAD                       # the records of a commit and a build now
  promptc diff git:HEAD --rebuild             # what that commit would build, and a build now
  promptc diff session:chat-7                 # what a session keeps, and what it would keep now
  promptc diff session:chat-7@1 session:chat-7@2  # two builds of a session
  promptc diff old.json new.json              # two artifacts
  promptc diff old.json                       # an artifact and a build now
  promptc diff old.txt new.txt                # two texts; the layers come from the manifest
  promptc diff old.json --model claude-opus-5-5 --requests-per-day 1000  # with what the break costs
  promptc diff old.json --format json         # for programs
  promptc diff old.json --fail-on-break user  # exit 1 if the tier `user` or one before it broke")]
pub(super) struct Args {
    /// What may be cached [default: every record]
    #[arg(value_name = "A")]
    a: Option<String>,
    /// What is sent now [default: `.`]
    #[arg(value_name = "B")]
    b: Option<String>,
    #[command(flatten)]
    side: SideArgs,
    #[command(flatten)]
    cost: CostArgs,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Exit with 1 if the prompts differ
    #[arg(long)]
    exit_code: bool,
    /// Exit with 1 if the prefix breaks in this tier or in one before it
    #[arg(long, value_name = "TIER")]
    fail_on_break: Option<String>,
    /// Draw with ASCII only, as is done where the output is no terminal
    #[arg(long)]
    ascii: bool,
    /// Show the whole text of changed layers, not only what is around the changes
    #[arg(long)]
    full: bool,
}

/// What operands are read with.
#[derive(Debug, clap::Args)]
pub(crate) struct SideArgs {
    #[command(flatten)]
    pub(crate) given: BuildArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// Build what `git:REV` names from that revision's manifest and files, instead of reading its records
    #[arg(long)]
    pub(crate) rebuild: bool,
}

impl SideArgs {
    /// What operands are read with.
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

/// What `diff --format json` writes.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct JsonReport<'a> {
    /// The comparison; of records one for each scenario that is compared.
    comparisons: &'a [Compared],
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let operands = [args.a.as_deref(), args.b.as_deref()];
    let mut all = compare(operands, &args.side, context)?;
    cost::price(&mut all, &args.side.given, &args.cost, &mut context.run)?;
    let look = picture::Look {
        ascii: args.ascii || !context.ui.stdout_is_terminal(),
        full: args.full,
    };
    let text = match args.format {
        Format::Human => Page::drawn(human::draw_all(&all, look)),
        Format::Json => json(&all),
        Format::Markdown => Page::drawn(
            all.iter()
                .map(|c| markdown::draw(c, args.full))
                .collect::<String>(),
        ),
        Format::Github => {
            let places = places::Places::of(&args.side);
            all.iter().map(|c| github::draw(c, &places)).collect()
        }
    };
    for compared in &all {
        verdict::check(args, compared, context)?;
    }
    context.ui.result(&text, &mut context.run.diags)
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

/// All as one document.
fn json(all: &[Compared]) -> Page {
    answer::page(&JsonReport { comparisons: all })
}

/// The picture of a comparison, for other commands.
pub(crate) fn picture(compared: &Compared) -> String {
    let look = picture::Look {
        ascii: true,
        full: false,
    };
    human::draw(compared, look)
}

/// The same, drawn as `look` says.
pub(crate) fn drawn(a: (&Prompt, bool), b: &Prompt, look: Look) -> (Diff, String) {
    let compared = Compared::of(a, (b, true));
    let drawn = human::draw(&compared, look);
    (compared.diff, drawn)
}
