//! `promptc scan`.

mod human;
mod json;
mod read;
mod sarif;

use super::Context;
use crate::cli::ui::Page;
use crate::compile::{RuleSet, rule_sets};
use crate::diagnostic::span::FileId;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest;
use crate::project::{Run, input};
use crate::text::scan::{self, INVISIBLE, Rule};
use crate::world::DiskWorld;
use clap::ValueEnum;
use std::path::PathBuf;

pub(super) use json::Report as JsonReport;

/// The manifest with the rules that are shipped.
const SHIPPED: &str = "builtin:scan@1";

/// The default set of a manifest with several.
const USUAL_SET: &str = "untrusted";

/// Find prompt injections, hidden text and leaks in files
///
/// Scans like `scan` in a manifest, with the built-in rules or those of a manifest, and exits with 1 if anything is
/// found. Rules are a tripwire: a text without findings is not proven harmless.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc scan workspace/AGENTS.md                     # with the built-in rules
  promptc scan workspace/*.md workspace/rules/*.md     # several files
  cat workspace/AGENTS.md | promptc scan -             # standard input
  promptc scan --scope context workspace/AGENTS.md     # fewer rules: those for files of a project
  promptc scan -m builtin:hermes@1 --rules hermes workspace/AGENTS.md  # a manifest's rules
  promptc scan --format sarif workspace/AGENTS.md      # for code scanning
  promptc scan --list-rules                                  # the rules")]
pub(super) struct Args {
    /// The files, `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "list_rules")]
    files: Vec<PathBuf>,
    /// The manifest, for its rules: a file, a folder with a promptc.kdl, or builtin:NAME@N
    #[arg(short, long, value_name = "FILE", default_value = SHIPPED)]
    manifest: String,
    /// The rule set [default: the only one, or `untrusted`]
    #[arg(long, value_name = "NAME")]
    rules: Option<String>,
    /// Run the rules up to this scope [default: the last]
    #[arg(long, value_name = "NAME")]
    scope: Option<String>,
    /// List the rules instead
    #[arg(long, conflicts_with_all = ["files", "format"])]
    list_rules: bool,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// The rules and scopes of a scan.
struct Rules {
    set: RuleSet,
    name: String,
    /// The place of the scope among those of the set.
    scope: usize,
}

/// A file and what was found in it.
struct Scanned {
    /// Its name among the files of the run.
    file: FileId,
    findings: Vec<scan::Finding>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let rules = rules(args, &mut context.run)?;
    if args.list_rules {
        let page = context.ui.drawn(&human::list(&rules));
        return context.ui.result(&page, &mut context.run.diags);
    }
    input::one_stdin(&args.files, &mut context.run.diags)?;
    let mut all = Vec::new();
    for path in &args.files {
        let read = read::file(
            &DiskWorld,
            path,
            &mut context.run.files,
            &mut context.run.diags,
        );
        // An unreadable file is reported; the others are still scanned.
        let Ok(file) = read else { continue };
        let text = context.run.files.get(file).text.clone();
        let findings = rules.set.rules.scan(&text, rules.scope);
        if !findings.is_empty() {
            // Every secret, not only the first: another finding may be next to the next one, or contain it.
            context
                .run
                .files
                .hide(file, &rules.set.rules.private(&text));
        }
        all.push(Scanned { file, findings });
    }
    context.verdict = all.iter().all(|scanned| scanned.findings.is_empty());
    let text = match args.format {
        Format::Human => Page::drawn(human::draw(&rules, &all, &context.run.files)),
        Format::Json => json::write(&rules, &all, &context.run.files),
        Format::Sarif => Page::json(&sarif::write(&rules, &all, &context.run.files)),
    };
    context.ui.result(&text, &mut context.run.diags)?;
    // The findings were still written.
    context.run.wrote = true;
    context.run.diags.check()
}

fn rules(args: &Args, run: &mut Run) -> Result<Rules, ErrorReported> {
    let Run { files, diags, .. } = &mut *run;
    let name = manifest::in_folder(&DiskWorld, &args.manifest);
    let manifest = manifest::open(&DiskWorld, Some(&name), files, diags)?;
    let mut sets = rule_sets(&manifest, diags);
    diags.check()?;
    let name = match &args.rules {
        Some(name) => name.clone(),
        None => match sets.len() {
            1 => sets.keys().next().cloned().unwrap_or_default(),
            _ => USUAL_SET.to_owned(),
        },
    };
    let Some(set) = sets.remove(&name) else {
        let names = || sets.keys().map(String::as_str);
        return Err(unknown(
            "rule set",
            &name,
            names(),
            codes::UNKNOWN_SCAN,
            diags,
        ));
    };
    let scope = match &args.scope {
        None => set.scopes.len().saturating_sub(1),
        Some(scope) => match set.scopes.iter().position(|s| **s == **scope) {
            Some(at) => at,
            None => {
                let names = set.scopes.iter().map(|s| &**s);
                return Err(unknown("scope", scope, names, codes::UNKNOWN_SCOPE, diags));
            }
        },
    };
    Ok(Rules { set, name, scope })
}

fn unknown<'n>(
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'n str> + Clone,
    code: codes::Code,
    diags: &mut Diagnostics,
) -> ErrorReported {
    let message = format!("there is no {what} `{name}`");
    let found = Diagnostic::error(code, message);
    diags.push(
        match (suggest::nearest(name, names.clone()), names.clone().next()) {
            (Some(near), _) => found.help(format!("did you mean `{near}`?")),
            (None, Some(_)) => found.help(format!("the {what}s are {}", suggest::list(names))),
            (None, None) => {
                found.help("the manifest has none; remove -m to use the built-in rules")
            }
        },
    )
}

impl Rules {
    /// The rules that are run, in the order in which they report.
    fn run(&self) -> impl Iterator<Item = &Rule> {
        let all = self.set.rules.definition().rules.iter();
        all.filter(|rule| rule.scope <= self.scope)
    }

    fn rule(&self, finding: &scan::Finding) -> Option<&Rule> {
        self.run().find(|rule| rule.id == finding.rule)
    }

    fn is_private(&self, finding: &scan::Finding) -> bool {
        self.rule(finding).is_some_and(|rule| rule.private)
    }

    /// The description of a rule.
    fn about(&self, rule: &str) -> &str {
        let of_rule = self.run().find(|r| *r.id == *rule).map(|r| &*r.about);
        match of_rule {
            Some("") => "a pattern of the rule set",
            Some(about) => about,
            None if rule == INVISIBLE => {
                "a character that is invisible to people and read by a model"
            }
            None => "",
        }
    }

    fn scope_of(&self, rule: &str) -> &str {
        let at = self.run().find(|r| *r.id == *rule).map_or(0, |r| r.scope);
        self.set.scopes.get(at).map_or("", |scope| scope)
    }
}
