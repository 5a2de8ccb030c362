//! Checks a plan: what will break the prefix that a provider caches, and contradictory settings.
//!
//! Pure: the input is the manifest, its templates and, for rules that read sources, prompts that were built from
//! it. Each rule is one file in `rules/`, with its `mod` and its place in `RULES` there.

mod sizes;
mod frequency;
mod layout;
mod names;
mod page;
mod random;
mod rows;
mod context;
mod finding;
mod order;
mod fix;
mod advised;
mod reason;
mod cause;
mod prints;
mod price;
mod texts;
mod warnings;
mod rules;
mod waive;

pub use advised::advised;
pub use context::Context;
pub use finding::{Edit, Finding, FindingSet, Fix};
pub use fix::{Fixed, fix, same_layers};
pub use frequency::{Frequencies, Frequency};
pub use order::{Blocked, Kept, Move, MoveTo, Order};
pub use reason::{sentence, when};
pub use rules::{RULES, by_name, is_about_order};
pub use sizes::{Measured, Size, Sizes};
pub use texts::Search;
pub use waive::{Use, Waived, Waivers};

use crate::compile::Plan;
pub use crate::diagnostic::DocumentPlace;
use crate::diagnostic::span::Files;
use crate::diagnostic::{Code, Diagnostic, ExitClass, Severity};
use crate::prompt::Prompt;
use crate::request::cost::CostQuery;
use crate::world::threads;
use page::Page;
use std::sync::OnceLock;

/// One of the things that a rule looks at.
#[derive(Debug, Clone, Copy)]
pub enum RuleInput {
    /// The plan: manifest and templates, and what its programs do.
    Plan(fn(&Context<'_>, &mut FindingSet)),
    /// The plan and how much text each layer is, where that is known.
    Sizes(fn(&Context<'_>, &Sizes, &mut FindingSet)),
    /// The plan and how often each layer changed in requests that were sent, where that is known.
    Frequencies(fn(&Context<'_>, &Frequencies, &mut FindingSet)),
    /// A prompt that was built: the texts of sources.
    Sources(fn(&Context<'_>, &Build, &mut FindingSet)),
    /// The texts of sources in a prompt that was built, searched.
    Text(&'static Search),
    /// The warnings of its code that a build gave.
    Warnings,
    /// The findings of the other rules, and the waivers.
    Waivers(fn(&Context<'_>, &Waivers<'_>, &mut FindingSet)),
}

impl RuleInput {
    /// Whether it is there only where sources are read.
    fn reads_sources(&self) -> bool {
        matches!(self, Self::Sources(_) | Self::Text(_) | Self::Warnings)
    }
}

/// A kind of finding.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its name, its summary in one sentence, and the reason with the fix.
    pub code: Code,
    /// Its severity.
    pub severity: Severity,
    /// Whether `waive` may silence it.
    pub waivable: bool,
    /// Its inputs.
    pub looks: &'static [RuleInput],
}

impl Rule {
    /// Whether it sees more where sources are read.
    #[must_use]
    pub fn reads_sources(&self) -> bool {
        self.looks.iter().any(RuleInput::reads_sources)
    }

    /// Whether it sees anything only where sizes are known.
    #[must_use]
    pub fn needs_sizes(&self) -> bool {
        let mut looks = self.looks.iter();
        looks.any(|look| matches!(look, RuleInput::Sizes(_)))
    }

    /// Whether it sees anything only where sources are read.
    #[must_use]
    pub fn needs_sources(&self) -> bool {
        let mut looks = self.looks.iter();
        looks.all(RuleInput::reads_sources)
    }

    /// Whether a build that keeps its inputs fails for its findings.
    #[must_use]
    pub fn fails_builds(&self) -> bool {
        self.code.exit != ExitClass::Success
    }

    /// Whether it sees anything only where requests were read.
    #[must_use]
    pub fn needs_requests(&self) -> bool {
        let mut looks = self.looks.iter();
        looks.any(|look| matches!(look, RuleInput::Frequencies(_)))
    }
}

/// The data that a check may use besides the plan.
#[derive(Debug, Clone)]
pub struct Options {
    /// Sizes of accepted prompts, used where none is built.
    pub recorded: Option<Sizes>,
    /// How often layers changed in requests that were sent, if some were read.
    pub frequencies: Option<Frequencies>,
    /// The minimum prefix that a provider caches, in tokens.
    pub min_prefix: usize,
    /// The model that figures are for, if one is named.
    pub asked: Option<CostQuery>,
    /// The requested base that the manifest does not extend.
    pub missing_base: Option<String>,
}

impl Default for Options {
    /// No sizes; the lowest minimum that is documented for the larger providers' common models.
    fn default() -> Self {
        Self {
            recorded: None,
            frequencies: None,
            min_prefix: MIN_PREFIX,
            asked: None,
            missing_base: None,
        }
    }
}

/// The minimum prefix of OpenAI and of the lowest common model of Anthropic, in tokens.
pub const MIN_PREFIX: usize = 1024;

/// A prompt that was built for rules that read sources.
#[derive(Debug)]
pub struct Build {
    /// The scenario, if one was built.
    pub scenario: Option<String>,
    /// The built prompt.
    pub prompt: Prompt,
    /// The warnings that it gave and that rules report.
    pub warnings: Vec<Diagnostic>,
    /// Its layers, ready to be searched.
    pages: OnceLock<Vec<Page>>,
}

impl Build {
    /// A prompt, and the scenario that it was built for.
    #[must_use]
    pub fn new(scenario: Option<String>, prompt: Prompt) -> Self {
        Self {
            scenario,
            prompt,
            warnings: Vec::new(),
            pages: OnceLock::new(),
        }
    }

    fn pages(&self) -> &[Page] {
        self.pages.get_or_init(|| page::pages(&self.prompt))
    }
}

/// The result of a check.
#[derive(Debug)]
pub struct Report {
    /// The open findings, in the order of the files.
    pub findings: Vec<Finding>,
    /// The waived findings, with reasons.
    pub waived: Vec<Waived>,
    /// The moves of tiers that save most; none if nothing should move.
    pub order: Option<Order>,
}

/// Runs every rule over `plan`; those that read sources over each of `builds`.
#[must_use]
pub fn check(plan: &Plan, files: &Files, builds: &[Build], options: &Options) -> Report {
    let context = Context::new(plan, files, builds, options);
    let mut found = FindingSet::default();
    let mut searched = searched(&context, builds).into_iter();
    for (rule, look) in looks() {
        match look {
            RuleInput::Plan(run) => run(&context, &mut found),
            RuleInput::Sizes(run) => {
                if let Some(sizes) = &context.sizes {
                    run(&context, sizes, &mut found);
                }
            }
            RuleInput::Frequencies(run) => {
                if let Some(frequencies) = context.frequencies {
                    run(&context, frequencies, &mut found);
                }
            }
            RuleInput::Sources(run) => builds.iter().for_each(|b| run(&context, b, &mut found)),
            RuleInput::Text(_) => {
                let findings = searched.next().unwrap_or_default();
                findings.into_iter().for_each(|one| found.push(one));
            }
            RuleInput::Warnings => {
                let one = |build| warnings::report(&context, build, rule, &mut found);
                builds.iter().for_each(one);
            }
            RuleInput::Waivers(_) => {}
        }
    }
    let mut waivers = Waivers::new(&context, !builds.is_empty());
    let (mut findings, waived) = waivers.split(found.into_findings());
    let mut of_waivers = FindingSet::default();
    for (_, look) in looks() {
        if let RuleInput::Waivers(run) = look {
            run(&context, &waivers, &mut of_waivers);
        }
    }
    findings.extend(of_waivers.into_findings());
    findings.sort_by_key(Finding::place);
    Report {
        findings,
        waived,
        order: context.order,
    }
}

/// The findings of each rule that searches texts, in order. Threads share them: most of the time goes into compiling their patterns.
fn searched(context: &Context<'_>, builds: &[Build]) -> Vec<Vec<Finding>> {
    let searches = looks().filter_map(|(rule, look)| match look {
        RuleInput::Text(search) => Some((rule, *search)),
        _ => None,
    });
    let searches: Vec<(&'static Rule, &Search)> = searches.collect();
    if builds.is_empty() {
        return Vec::new();
    }
    threads::map(&searches, |search| {
        let mut found = FindingSet::default();
        for build in builds {
            texts::search(context, build, &mut found, *search);
        }
        found.into_findings()
    })
}

/// The open findings for which a build fails that keeps its inputs: those inputs have the whole manifest.
#[must_use]
pub fn of_kept_inputs(plan: &Plan, files: &Files) -> Vec<Finding> {
    let options = Options::default();
    let context = Context::new(plan, files, &[], &options);
    let mut found = FindingSet::default();
    for (rule, look) in looks() {
        if let RuleInput::Plan(run) = look
            && rule.fails_builds()
        {
            run(&context, &mut found);
        }
    }
    let mut waivers = Waivers::new(&context, false);
    waivers.split(found.into_findings()).0
}

fn looks() -> impl Iterator<Item = (&'static Rule, &'static RuleInput)> {
    let rules = RULES.iter().copied();
    rules.flat_map(|rule| rule.looks.iter().map(move |look| (rule, look)))
}
