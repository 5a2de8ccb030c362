//! `promptc check`.

mod places;
mod order;
mod human;
mod json;
mod sarif;
mod github;

use super::Context;
use super::given::BuildArgs;
use super::model::CostArgs;
use crate::check::{self, RULES};
use crate::cli::ui::Page;
use crate::diagnostic::{ErrorReported, Severity, suggest};
use crate::project::check::{CheckCall, Checked, check};
use crate::project::fix::fix;
use clap::ValueEnum;
use places::Places;

pub(super) use json::Report as JsonReport;

/// Find what will break a provider's cached prefix, and what cannot mean what it says
///
/// Judges the manifest and its templates without building: which layers and tiers may change how often, and why. No source
/// is read and no fact is needed, unless --sources builds every scenario and judges the texts too.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc check                             # errors and warnings, with the way out
  promptc check --deny warnings             # for CI: warnings fail too
  promptc check --sources                   # build every scenario and look at the texts of sources
  promptc check --sources --model gpt-6.1-sol  # a model's limits, and what breaks cost
  promptc check --diff                      # show what --fix would change
  promptc check --fix                       # order tiers, remove waivers that nothing needs
  promptc check --format json               # findings and classes for programs
  promptc check --format sarif              # findings for code scanning
  promptc check --list                      # all rules
  promptc explain --code layer-above-tier   # what a rule means")]
pub(super) struct Args {
    /// Fail for these as for errors: `warnings`, or a rule; repeatable
    #[arg(long, value_name = "WHAT", value_parser = deniable)]
    deny: Vec<String>,
    /// Build every scenario, or what is given, and run the rules that read sources
    #[arg(long)]
    sources: bool,
    /// Change in the manifest what is safe to change, and check it again
    #[arg(long, conflicts_with = "diff")]
    fix: bool,
    /// Show what --fix would change, and write nothing
    #[arg(long)]
    diff: bool,
    /// The least prefix that your provider keeps [default: that of --model, else 1024]
    #[arg(long, value_name = "TOKENS")]
    min_prefix: Option<usize>,
    /// List the rules instead
    #[arg(long, conflicts_with_all = ["deny", "sources", "fix", "diff", "min_prefix", "format"])]
    list: bool,
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    #[command(flatten)]
    given: BuildArgs,
    #[command(flatten)]
    cost: CostArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// What `--deny` calls all warnings.
const WARNINGS: &str = "warnings";

/// What `--deny` may name: a name that nothing has would let everything pass.
fn deniable(what: &str) -> Result<String, String> {
    let names = || rules().map(|r| r.code.name).chain([WARNINGS]);
    if names().any(|name| name == what) {
        return Ok(what.to_owned());
    }
    Err(match suggest::nearest(what, names()) {
        Some(near) => format!("there is no such rule; did you mean `{near}`?"),
        None => format!("there is no such rule; `--list` lists them, and `{WARNINGS}` are all"),
    })
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        self.fix
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    if args.list {
        return context
            .ui
            .result(&Page::drawn(human::list()), &mut context.run.diags);
    }
    let world = args.given.world();
    let given = args.given.given(world.as_ref(), &mut context.run.diags);
    let (tokenizer, now) = (args.given.tokenizer(), args.given.now());
    let asked = args
        .cost
        .asked(tokenizer, now, world.as_ref(), &mut context.run)?;
    let call = CheckCall {
        build: &args.given.call(),
        given: &given,
        sources: args.sources,
        min_prefix: args.min_prefix,
        cost: asked,
    };
    let mut checked = check(&call, world.as_ref(), &mut context.run)?;
    if args.fix || args.diff {
        let run = &mut context.run;
        let (after, fixes) = fix(checked, args.fix, &call, world.as_ref(), run)?;
        checked = after;
        checked.fixes = Some(fixes);
    }
    let refused = (checked.fixes.iter()).any(|fixes| fixes.refused.is_some());
    context.verdict = !refused
        && !checked.report.findings.iter().any(|f| {
            let denied = |what: &String| {
                what == f.rule.code.name || what == WARNINGS && f.rule.severity == Severity::Warning
            };
            f.rule.severity == Severity::Error || args.deny.iter().any(denied)
        });
    if call.cost.is_some() && !checked.sized {
        context
            .ui
            .remark("no cost: no text is known; `--sources` builds the texts\n");
    }
    let text = match args.format {
        Format::Human => Page::drawn(human::draw(
            &checked,
            &context.run.files,
            context.ui.is_verbose(),
        )),
        Format::Json => json::write(&checked, &context.run.files),
        Format::Sarif => Page::json(&sarif::write(
            &checked,
            &context.run.files,
            &Places::of(&checked.manifest),
        )),
        Format::Github => {
            github::write(&checked, &context.run.files, &Places::of(&checked.manifest))
        }
    };
    context.ui.result(&text, &mut context.run.diags)
}

/// The rules as they are documented.
fn rules() -> impl Iterator<Item = &'static check::Rule> {
    RULES.iter().copied()
}
