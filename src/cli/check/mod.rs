//! `promptc check`.

mod human;

use super::given::{self, BuildArgs};
use super::model::CostArgs;
use super::{Context, misuse};
use crate::cli::ui::{self, Page};
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, Severity, USAGE, suggest};
use crate::project::base::Base;
use crate::project::capture::SentSystems;
use crate::project::check::{CheckCall, Checked};
use crate::project::check_each::{Which, check_each, which};
use crate::report::check::{Answer, github, json, rules, sarif};
use clap::ValueEnum;
use std::path::PathBuf;

pub(super) use crate::report::check::json::Report as JsonReport;

/// Find what will break the cached prefix, and contradictory settings
///
/// Checks the manifest and its templates without building: which layers and tiers may change how often, and why. No
/// source is read and no fact is needed. --sources also builds every scenario and checks its texts.
#[derive(Debug, clap::Args)]
#[command(mut_arg("manifest", |arg| arg.help(MANIFEST)), after_help = "\
Examples:
  promptc check                             # errors and warnings, with fixes
  promptc check --deny warnings             # for CI: warnings fail too
  promptc check .                           # all manifests in this folder and below
  promptc check . --base promptc.kdl        # and each must extend this base
  promptc check --sources                   # build every scenario and check the texts of sources
  promptc check --sources --model gpt-6.1-sol  # a model's limits, and what breaks cost
  promptc check --usage requests.jsonl      # how often layers changed in recorded requests
  promptc check --diff                      # show what --fix would change
  promptc check --fix                       # order tiers, remove waivers that nothing needs
  promptc check --format json               # findings and classes for programs
  promptc check --format sarif              # findings for code scanning
  promptc check --list                      # all rules
  promptc explain --code layer-above-tier   # what a rule means")]
pub(super) struct Args {
    /// Manifests, and folders below which all manifests are checked [default: promptc.kdl here or above]
    #[arg(value_name = "PATH", conflicts_with = "manifest")]
    paths: Vec<String>,
    /// Fail for these as for errors: `warnings`, or a rule; repeatable
    #[arg(long, value_name = "WHAT", value_parser = deniable)]
    deny: Vec<String>,
    /// Build every scenario, or the given inputs, and run the rules that read sources
    #[arg(long)]
    sources: bool,
    /// Check how often layers changed in the requests of a log against the manifest; repeatable. Builds like --sources
    #[arg(long, value_name = "LOG")]
    usage: Vec<PathBuf>,
    /// Make the safe fixes in the manifest, and check it again
    #[arg(long, conflicts_with = "diff")]
    fix: bool,
    /// Show the changes of --fix, and write nothing
    #[arg(long)]
    diff: bool,
    /// The minimum prefix that your provider caches [default: that of --model, else 1024]
    #[arg(long, value_name = "TOKENS")]
    min_prefix: Option<usize>,
    /// Fail for each manifest that does not extend this one: a file, a folder with a promptc.kdl, or builtin:NAME@N
    #[arg(long, value_name = "MANIFEST")]
    base: Option<String>,
    /// List the rules instead
    #[arg(long, conflicts_with_all = ["deny", "sources", "usage", "fix", "diff", "min_prefix", "base", "format"])]
    list: bool,
    /// The output format
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

/// The help of `-m`: a folder means here what it means by position.
const MANIFEST: &str = "The manifest: a file, a folder below which all manifests are checked, or builtin:NAME@N [default: promptc.kdl here or above]";

/// The `--deny` name of all warnings.
const WARNINGS: &str = "warnings";

/// A name that `--deny` takes: with an unknown name every check would pass.
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

    /// Refuses `--deny` of a rule that this call does not run: every check would pass.
    fn unused_denials(&self, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
        let builds = self.sources || !self.usage.is_empty();
        let denied = rules().filter(|rule| self.deny.iter().any(|what| what == rule.code.name));
        for rule in denied {
            let (why, help) = if rule.needs_requests() && self.usage.is_empty() {
                ("reads requests", "--usage LOG runs it")
            } else if rule.needs_sources() && !builds {
                ("reads sources", "--sources runs it")
            } else {
                continue;
            };
            let name = rule.code.name;
            let message =
                format!("--deny {name} has no effect: that rule {why}, and this call does not");
            diags.push(Diagnostic::error(USAGE, message).help(help));
        }
        diags.check()
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    if args.list {
        let page = context.ui.drawn(&human::list());
        return context.ui.result(&page, &mut context.run.diags);
    }
    given::no_values(&args.paths)
        .map_err(|error| context.run.diags.push(misuse::diagnostic_of(&error)))?;
    args.unused_denials(&mut context.run.diags)?;
    let world = args.given.world();
    let given = args.given.given(world.as_ref(), &mut context.run.diags);
    let (tokenizer, now) = (args.given.tokenizer(), args.given.now());
    let asked = args
        .cost
        .asked(tokenizer, now, world.as_ref(), &mut context.run)?;
    let base = args.base.as_ref();
    let base = base.map(|name| Base::named(name, world.as_ref(), &mut context.run.diags));
    let base = base.transpose()?;
    let usage = args.usage.as_slice();
    let sent = (!usage.is_empty()).then(|| SentSystems::read(usage, &mut context.run));
    let sent = sent.transpose()?;
    let call = CheckCall {
        sent: sent.as_ref(),
        base: base.as_ref(),
        build: &args.given.call(),
        given: &given,
        sources: args.sources,
        min_prefix: args.min_prefix,
        cost: asked,
    };
    let named = args.given.manifest().map(str::to_owned);
    let names: Vec<String> = named.into_iter().chain(args.paths.clone()).collect();
    let wrong = context.run.diags.check();
    let which = which(args.given.project(), &names, &mut context.run);
    let several = matches!(which, Which::Several(_));
    if several {
        // What is given is wrong for each of them.
        wrong?;
    }
    let write = (args.fix || args.diff).then_some(args.fix);
    let mut all = check_each(which, &call, write, &mut context.run);
    let answer = Answer::of(&all, &context.run, several);
    let manifests = || answer.manifests.iter().map(|one| one.checked);
    context.verdict = manifests().all(|checked| passes(checked, &args.deny));
    if call.cost.is_some() && manifests().any(|checked| !checked.sized) {
        context
            .ui
            .remark("no cost: the texts are unknown; `--sources` builds them\n");
    }
    for frequencies in manifests().filter_map(|checked| checked.frequencies.as_ref()) {
        context.ui.remark(&human::read(frequencies));
    }
    let page = page(args.format, &answer, context);
    for one in &mut all {
        if !several {
            context.run = std::mem::take(&mut one.run);
            continue;
        }
        let diags = &one.run.diags;
        (context.ui).diagnostics(diags, &one.run.files, args.fix && !one.run.wrote);
        context.reported = context.reported.max(diags.exit_class());
    }
    match page {
        Some(page) => context.ui.result(&page, &mut context.run.diags),
        None => Ok(()),
    }
}

/// The answer; none if there is nothing to say but errors.
fn page(format: Format, answer: &Answer<'_>, context: &Context) -> Option<Page> {
    let none = answer.manifests.is_empty();
    match format {
        Format::Human if none => None,
        _ if none && !answer.several => None,
        Format::Human => Some(human::page(answer, context)),
        Format::Json => Some(ui::answer::page(&json::report(answer))),
        Format::Sarif => Some(Page::json(&sarif::write(answer))),
        Format::Github => Some(Page::commands(github::write(answer))),
    }
}

/// Whether nothing was found that is an error or denied, and no edit was refused.
fn passes(checked: &Checked, deny: &[String]) -> bool {
    let refused = (checked.fixes.iter()).any(|fixes| fixes.refused.is_some());
    !refused
        && !checked.report.findings.iter().any(|f| {
            let denied = |what: &String| {
                what == f.rule.code.name || what == WARNINGS && f.rule.severity == Severity::Warning
            };
            f.rule.severity == Severity::Error || deny.iter().any(denied)
        })
}
