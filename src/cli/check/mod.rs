//! `promptc check`.

mod human;
mod json;

use super::Context;
use super::given::GivenArgs;
use crate::check::{self, Build, RULES, Report};
use crate::compile::{self, Given, Plan};
use crate::diagnostic::{Reported, Severity};
use crate::manifest::Manifest;
use crate::world::World;
use clap::ValueEnum;

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
  promptc check --format json               # findings and classes for programs
  promptc check --list                      # all rules
  promptc explain --code layer-above-tier   # what a rule means")]
pub(super) struct Args {
    /// Fail for these as for errors: `warnings`, or a rule; repeatable
    #[arg(long, value_name = "WHAT")]
    deny: Vec<String>,
    /// Build every scenario, or what is given, and run the rules that read sources
    #[arg(long)]
    sources: bool,
    /// List the rules instead
    #[arg(long)]
    list: bool,
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    #[command(flatten)]
    given: GivenArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

/// What a check is about and what it found.
struct Checked {
    plan: Plan,
    builds: Vec<Build>,
    report: Report,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    if args.list {
        return context.ui.result(&human::list(), &mut context.diags);
    }
    let world = args.given.world();
    let given = args.given.given(world.as_ref(), &mut context.diags);
    let manifest = args.given.open(world.as_ref(), context)?;
    let plan = {
        let Context { files, diags, .. } = context;
        compile::prepare(&manifest, &given, world.as_ref(), files, diags)?
    };
    let builds = match args.sources {
        true => builds(&plan, &manifest, &given, args, world.as_ref(), context)?,
        false => Vec::new(),
    };
    let report = check::check(&plan, &context.files, &builds);
    let checked = Checked {
        plan,
        builds,
        report,
    };
    context.verdict = !checked.report.findings.iter().any(|f| {
        let denied = |what: &String| {
            what == f.rule.code.name || what == "warnings" && f.rule.severity == Severity::Warning
        };
        f.rule.severity == Severity::Error || args.deny.iter().any(denied)
    });
    let text = match args.format {
        Format::Human => human::draw(&checked, &context.files),
        Format::Json => json::write(&checked, &context.files),
    };
    context.ui.result(&text, &mut context.diags)
}

/// The prompts that rules read: what is given, else every scenario, else the manifest as it is.
fn builds(
    plan: &Plan,
    manifest: &Manifest,
    given: &Given,
    args: &Args,
    world: &dyn World,
    context: &mut Context,
) -> Result<Vec<Build>, Reported> {
    let all = args.given.scenario().is_none() && !args.given.gives();
    let names: Vec<Option<String>> = match all && !manifest.scenarios.is_empty() {
        true => manifest
            .scenarios
            .iter()
            .map(|s| Some(s.name.value.clone()))
            .collect(),
        false => vec![given.scenario.clone()],
    };
    let mut out = Vec::new();
    for scenario in names {
        let given = Given {
            scenario: scenario.clone(),
            ..given.clone()
        };
        let prompt = compile::build(plan, &given, world, &mut context.diags)?;
        out.push(Build::new(scenario, prompt));
    }
    Ok(out)
}

/// The rules as they are documented.
fn rules() -> impl Iterator<Item = &'static check::Rule> {
    RULES.iter().copied()
}
