//! `promptc diff`.

mod operand;
mod texts;
mod picture;
mod bar;
mod phrase;
mod fit;
mod window;
mod human;
mod markdown;
mod github;
mod verdict;

use super::{Context, given::GivenArgs};
use crate::diagnostic::Reported;
use crate::diff::{self, Diff, Sure};
use crate::prompt::Prompt;
use clap::ValueEnum;
use operand::{Operand, Side};
use serde::Serialize;

/// Compare two prompts: which layer broke the prefix, why, and what hides behind it
///
/// A is what a provider may have cached, B what is sent now. An operand is a FILE (an artifact of `build --format json`,
/// or a text) or `.`, a build now. With one operand, B is `.`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc diff old.json new.json              # two artifacts
  promptc diff old.json                       # an artifact and a build now
  promptc diff old.txt new.txt                # two texts; the layers come from the manifest
  promptc diff old.json --format json         # for programs
  promptc diff old.json --fail-on-break user  # exit 1 if the tier `user` or one before it broke")]
pub(super) struct Args {
    /// What may be cached
    #[arg(value_name = "A")]
    a: String,
    /// What is sent now [default: `.`]
    #[arg(value_name = "B")]
    b: Option<String>,
    #[command(flatten)]
    given: GivenArgs,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    Markdown,
    Github,
}

/// Two prompts and what a comparison says of them.
pub(crate) struct Compared {
    /// What A is called.
    pub(crate) a_name: String,
    /// What B is called.
    pub(crate) b_name: String,
    /// A; of a text with the layers that were found in it.
    pub(crate) a: Prompt,
    /// B.
    pub(crate) b: Prompt,
    /// The comparison.
    pub(crate) diff: Diff,
}

/// The comparison as programs read it.
#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    #[serde(flatten)]
    diff: &'a Diff,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    let compared = compare(args, context)?;
    let text = match args.format {
        Format::Human => {
            let look = picture::Look {
                ascii: args.ascii || !context.ui.stdout_is_terminal(),
                full: args.full,
            };
            human::draw(&compared, look)
        }
        Format::Json => json(&compared),
        Format::Markdown => markdown::draw(&compared, args.full),
        Format::Github => github::draw(&compared),
    };
    verdict::check(args, &compared, context)?;
    context.ui.result(&text, &mut context.diags)
}

fn compare(args: &Args, context: &mut Context) -> Result<Compared, Reported> {
    let b = args.b.as_deref().unwrap_or(".");
    let operands = [Operand::parse(&args.a), Operand::parse(b)];
    let [a, b] = operands.map(|operand| operand.read(args, context));
    let (a, b) = (a?, b?);
    Ok(match (a, b) {
        (Side::Artifact(a_name, a), Side::Artifact(b_name, b)) => Compared {
            diff: diff::diff(&a, &b),
            a_name,
            b_name,
            a,
            b,
        },
        (a, b) => texts::compare(a, b, args, context)?,
    })
}

fn json(compared: &Compared) -> String {
    let report = Report {
        a: &compared.a_name,
        b: &compared.b_name,
        diff: &compared.diff,
    };
    // Strings, numbers and lists always have a JSON form.
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

impl Compared {
    /// Whether the maps lead to the bytes of both prompts.
    fn is_exact(&self) -> bool {
        self.diff.sure == Sure::Map
    }
}
