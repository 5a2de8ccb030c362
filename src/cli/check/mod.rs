//! `promptc check`.

mod human;

use super::Context;
use super::fail_on::{self, WARNINGS};
use super::given::BuildArgs;
use super::model::CostArgs;
use crate::cli::ui::{self, Page};
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, Severity, USAGE};
use crate::project::base::Base;
use crate::project::capture::SentSystems;
use crate::project::check::{CheckCall, Checked};
use crate::project::check_each::{Which, check_each, which};
use crate::report::check::{Answer, github, json, rules, sarif};
use clap::{ArgAction, ValueEnum};
use std::path::PathBuf;

pub(super) use crate::report::check::json::Report as JsonReport;

/// Find what will break the cached prefix
///
/// Checks the manifest and its templates without building, also for contradictory settings: which layers and tiers may change how often, and why. No
/// source is read and no fact is needed. --sources also builds every scenario and checks its texts.
#[derive(Debug, clap::Args)]
#[command(mut_arg("manifest", |arg| arg.action(ArgAction::Append).help(MANIFEST)), after_help = "\
Examples:
  promptc check                             # errors and warnings, with fixes
  promptc check --fail-on warnings          # for CI: warnings fail too
  promptc check -m .                        # all manifests in this folder and below
  promptc check -m . --base promptc.kdl     # and each must extend this base
  promptc check --sources                   # build every scenario and check the texts of sources
  promptc check --sources --model gpt-6.1-sol  # a model's limits, and what breaks cost
  promptc check --usage requests.jsonl      # how often layers changed in recorded requests
  promptc check --diff                      # show what --fix would change
  promptc check --fix                       # order tiers, remove waivers that nothing needs
  promptc check --format json               # findings and classes for programs
  promptc check --format sarif              # findings for code scanning
  promptc check --list-rules                # all rules
  promptc explain --code layer-above-tier   # what a rule means")]
pub(super) struct Args {
    /// Exit with 1 on this condition: `warnings`, or a rule that finds something; repeatable
    #[arg(long, value_name = "CONDITION", value_parser = fail_on::finding)]
    fail_on: Vec<String>,
    /// Build every scenario, or the given inputs, and run the rules that read sources
    #[arg(long)]
    sources: bool,
    /// Check how often layers changed in the requests of a log against the manifest; repeatable. Builds like --sources
    #[arg(long, value_name = "LOG")]
    usage: Vec<PathBuf>,
    /// Make the safe fixes in the manifest, and check it again
    #[arg(long, conflicts_with = "diff")]
    fix: bool,
    /// Show the changes, those of --fix, and write nothing
    #[arg(long)]
    diff: bool,
    /// The minimum prefix that your provider caches [default: that of --model, else 1024]
    #[arg(long, value_name = "TOKENS")]
    min_prefix: Option<usize>,
    /// Fail for each manifest that does not extend this one: a file, a folder with a promptc.kdl, or builtin:NAME@N
    #[arg(long, value_name = "MANIFEST")]
    base: Option<String>,
    /// List the rules instead
    #[arg(long, conflicts_with_all = ["fail_on", "sources", "usage", "fix", "diff", "min_prefix", "base", "format"])]
    list_rules: bool,
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

/// The help of `-m`.
const MANIFEST: &str = "The manifest: a file, a folder below which all manifests are checked, or builtin:NAME@N; repeatable [default: promptc.kdl here or above]";

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        self.fix
    }

    /// Refuses `--fail-on` of a rule that this call does not run: every check would pass.
    fn idle_conditions(&self, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
        let builds = self.sources || !self.usage.is_empty();
        let denied = rules().filter(|rule| self.fail_on.iter().any(|what| what == rule.code.name));
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
                format!("--fail-on {name} has no effect: that rule {why}, and this call does not");
            diags.push(Diagnostic::error(USAGE, message).help(help));
        }
        diags.check()
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    if args.list_rules {
        let page = context.ui.drawn(&human::list());
        return context.ui.result(&page, &mut context.run.diags);
    }
    args.idle_conditions(&mut context.run.diags)?;
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
    let wrong = context.run.diags.check();
    let which = which(
        args.given.project(),
        args.given.manifests(),
        &mut context.run,
    );
    let several = matches!(which, Which::Several(_));
    if several {
        // What is given is wrong for each of them.
        wrong?;
    }
    let write = (args.fix || args.diff).then_some(args.fix);
    let mut all = check_each(which, &call, write, &mut context.run);
    let answer = Answer::of(&all, &context.run, several);
    let manifests = || answer.manifests.iter().map(|one| one.checked);
    context.verdict = manifests().all(|checked| passes(checked, &args.fail_on));
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
fn passes(checked: &Checked, conditions: &[String]) -> bool {
    let refused = (checked.fixes.iter()).any(|fixes| fixes.refused.is_some());
    !refused
        && !checked.report.findings.iter().any(|f| {
            let denied = |what: &String| {
                what == f.rule.code.name || what == WARNINGS && f.rule.severity == Severity::Warning
            };
            f.rule.severity == Severity::Error || conditions.iter().any(denied)
        })
}
