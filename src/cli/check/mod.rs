//! `promptc check`.

mod fix;
mod human;
mod json;
mod sarif;
mod github;
mod places;
mod order;

use super::Context;
use super::given::GivenArgs;
use super::model::CostArgs;
use crate::check::{self, Build, Measured, RULES, Report, Size, Sizes};
use crate::cli::ui::Page;
use crate::compile::{self, Given, Plan};
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostics, Reported, Severity, suggest};
use crate::manifest::{self, Manifest};
use crate::project::Run;
use crate::project::records;
use crate::prompt::Prompt;
use crate::request::cost::Asked;
use crate::world::World;
use clap::ValueEnum;
use places::Places;
use std::sync::Arc;

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
    given: GivenArgs,
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

/// What a check is about and what it found.
struct Checked {
    manifest: Arc<Manifest>,
    plan: Plan,
    builds: Vec<Build>,
    report: Report,
    /// Whether texts are known, built or recorded.
    sized: bool,
    /// What was changed, if that was asked for.
    fixes: Option<fix::Fixes>,
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        self.fix
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
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
    let judge = |world: &dyn World, run: &mut Run| judge(args, &given, asked.clone(), world, run);
    let mut checked = judge(world.as_ref(), &mut context.run)?;
    if args.fix || args.diff {
        let (after, fixes) = fix::run(checked, args.fix, judge, world.as_ref(), context)?;
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
    if asked.is_some() && !checked.sized {
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

/// What the rules say of the manifest that `args` name and of a prompt that was built from it, and the files that they point
/// into. What is wrong with the manifest itself was told when it was built; an error is not told again.
pub(crate) fn of_build(
    args: &GivenArgs,
    prompt: &Prompt,
    asked: Option<Asked>,
    run: &mut Run,
) -> Result<(Report, Files), Reported> {
    let mut told = Diagnostics::default();
    // A manifest that can no longer be read was changed since.
    let judged = judged(args, prompt, asked, &mut told);
    judged.inspect_err(|_| run.diags.extend(&told))
}

fn judged(
    args: &GivenArgs,
    prompt: &Prompt,
    asked: Option<Asked>,
    told: &mut Diagnostics,
) -> Result<(Report, Files), Reported> {
    let world = args.world();
    let mut files = Files::default();
    let given = args.given(world.as_ref(), told);
    let named = args.manifest();
    let manifest = manifest::open(world.as_ref(), named, &mut files, told)?;
    let plan = compile::prepare(&manifest, &given, world.as_ref(), &mut files, told)?;
    let builds = [Build::new(given.scenario.clone(), prompt.clone())];
    let options = check::Options {
        recorded: None,
        min_prefix: min_prefix(asked.as_ref()),
        asked,
    };
    let report = check::check(&plan, &files, &builds, &options);
    Ok((report, files))
}

/// Reads, plans and judges the manifest.
fn judge(
    args: &Args,
    given: &Given,
    asked: Option<Asked>,
    world: &dyn World,
    run: &mut Run,
) -> Result<Checked, Reported> {
    let manifest = args.given.open(world, run)?;
    let plan = {
        let Run { files, diags, .. } = &mut *run;
        compile::prepare(&manifest, given, world, files, diags)?
    };
    if !args.sources {
        compile::stage::check_names(&plan, given, world, &mut run.diags)?;
    }
    let builds = match args.sources {
        true => builds(&plan, &manifest, given, args, world, run)?,
        false => Vec::new(),
    };
    let options = check::Options {
        recorded: recorded(&manifest, world, run),
        min_prefix: args.min_prefix.unwrap_or(min_prefix(asked.as_ref())),
        asked,
    };
    let sized = !builds.is_empty() || options.recorded.is_some();
    let report = check::check(&plan, &run.files, &builds, &options);
    Ok(Checked {
        manifest,
        plan,
        builds,
        report,
        sized,
        fixes: None,
    })
}

/// What the model keeps at least; nothing is too short where nobody says.
fn min_prefix(asked: Option<&Asked>) -> usize {
    let Some(asked) = asked else {
        return check::MIN_PREFIX;
    };
    let min = asked.found.model.as_ref().and_then(|m| m.limits.min);
    min.map_or(0, |min| usize::try_from(min).unwrap_or(usize::MAX))
}

/// The sizes of the records beside the manifest. A lock that cannot be read is for `promptc test` to tell.
fn recorded(manifest: &Manifest, world: &dyn World, run: &Run) -> Option<Sizes> {
    let path = fix::path_of(manifest, run)?;
    let lock = records::read_lock(world, &path).ok()??;
    let prompts = lock.records.values().map(|record| {
        let sizes = record.sizes().into_iter();
        sizes
            .map(|(layer, bytes)| (layer, Size::of_bytes(bytes)))
            .collect()
    });
    (!lock.records.is_empty()).then(|| Sizes {
        measured: Measured::Recorded,
        prompts: prompts.collect(),
    })
}

/// The prompts that rules read: what is given, else every scenario, else the manifest as it is.
fn builds(
    plan: &Plan,
    manifest: &Manifest,
    given: &Given,
    args: &Args,
    world: &dyn World,
    run: &mut Run,
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
        let prompt = compile::build(plan, &given, world, &mut run.diags)?;
        out.push(Build::new(scenario, prompt));
    }
    Ok(out)
}

/// The rules as they are documented.
fn rules() -> impl Iterator<Item = &'static check::Rule> {
    RULES.iter().copied()
}
