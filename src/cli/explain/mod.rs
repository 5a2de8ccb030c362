//! `promptc explain`.

mod codes;

use super::Context;
use super::given::BuildArgs;
use super::model::TableArgs;
use crate::cli::format::Format;
use crate::cli::ui::{Page, answer};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::manifest::{Manifest, merged};
use crate::project::artifact;
use crate::project::model::{need, no_messages};
use crate::prompt::Prompt;
use crate::report::explain;
pub(super) use crate::report::explain::json::Report;
use crate::report::explain::provider::Kept;
use crate::world::DiskWorld;
use std::path::PathBuf;
use std::sync::Arc;

/// Show the contents of the prompt, and why layers are absent
///
/// Builds the prompt, or reads an artifact, and shows for each layer its documents, facts, conditions, templates
/// and budgets, and the documents that were found but not used.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc explain                                          # every layer, in order
  promptc explain identity                                 # one layer, with who owns its bytes
  promptc explain --budget                                 # the sums of all budgets
  promptc build --format json | promptc explain --artifact -   # of a prompt that was built before
  promptc explain --format json                            # the same for programs
  promptc explain --model claude-opus-5-5                  # the breakpoints for a model
  promptc explain --merged                                 # the manifest, its bases merged
  promptc explain --code missing-fact                      # what a diagnostic means
  promptc explain --code list                              # all of them")]
pub(super) struct Args {
    /// Only this layer; it may be absent
    layer: Option<String>,
    /// Show only the sizes of budgets
    #[arg(long)]
    budget: bool,
    /// The model whose rules and prices apply; `PROVIDER/MODEL` names its provider: shows its breakpoints, and why
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["layer", "budget", "merged", "code"]
    )]
    model: Option<String>,
    /// Assume requests without messages [default: a conversation, whose messages have some of the breakpoints]
    #[arg(long, requires = "model")]
    no_messages: bool,
    #[command(flatten)]
    tables: TableArgs,
    /// The prompt in this artifact, `-` for standard input, instead of a build now
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["manifest", "roots", "facts", "sets", "scenario", "now"]
    )]
    artifact: Option<PathBuf>,
    #[command(flatten)]
    given: BuildArgs,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Show the manifest instead, merged with what it extends and includes, with the file that wrote each part
    #[arg(long, conflicts_with_all = ["layer", "budget", "artifact", "code"])]
    merged: bool,
    /// Explain a diagnostic instead; `list` shows all codes
    #[arg(long, value_name = "CODE", conflicts_with_all = ["layer", "budget", "artifact"])]
    code: Option<String>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let json = args.format == Format::Json;
    if let Some(code) = &args.code {
        let page = codes::explain(code, json, &context.ui, &mut context.run.diags)?;
        return context.ui.result(&page, &mut context.run.diags);
    }
    if args.tables.are_given() && args.model.is_none() {
        let message = "--providers needs --model MODEL";
        let found = Diagnostic::error(diagnostic::USAGE, message);
        let help = "name the model, or remove --providers";
        return Err(context.run.diags.push(found.help(help)));
    }
    if args.merged {
        let manifest = args.given.project().read(&mut context.run)?;
        let page = if json {
            answer::page(&Report::Merged(merged::report(
                &manifest,
                &context.run.files,
            )))
        } else {
            Page::drawn(merged::kdl(&manifest, &context.run.files))
        };
        return context.ui.result(&page, &mut context.run.diags);
    }
    let (mut prompt, manifest) = prompt(args, context)?;
    if let Some(name) = &args.model {
        let page = kept(args, name, &prompt, context)?;
        return context.ui.result(&page, &mut context.run.diags);
    }
    prompt.estimate_tokens();
    let fates = explain::chosen(
        args.layer.as_deref(),
        &prompt,
        manifest.as_deref(),
        &mut context.run.diags,
    )?;
    let page = if json {
        answer::page(&Report::of(
            &prompt,
            &fates,
            args.layer.is_some(),
            args.budget,
        ))
    } else {
        context.ui.drawn(&match fates[..] {
            _ if args.budget => explain::budgets(&prompt, &fates),
            [fate] if args.layer.is_some() => explain::layer(fate),
            _ => explain::prompt(&prompt, &fates),
        })
    };
    context.ui.result(&page, &mut context.run.diags)
}

/// The prompt, with its manifest if it is built now.
fn prompt(
    args: &Args,
    context: &mut Context,
) -> Result<(Prompt, Option<Arc<Manifest>>), ErrorReported> {
    if let Some(path) = &args.artifact {
        let mut prompt = artifact::read(&DiskWorld, path, &mut context.run.diags)?;
        if let Some(tokenizer) = args.given.tokenizer() {
            prompt.count_tokens(tokenizer);
        }
        return Ok((prompt, None));
    }
    let built = args.given.build(&mut context.run)?;
    Ok((built.prompt, Some(built.manifest)))
}

/// The breakpoints for a model.
fn kept(
    args: &Args,
    name: &str,
    prompt: &Prompt,
    context: &mut Context,
) -> Result<Page, ErrorReported> {
    let run = &mut context.run;
    let catalog = args.tables.catalog(&DiskWorld, run)?;
    let today = super::model::today(&args.given, run)?;
    let found = need(name, &catalog, today, &mut run.diags)?;
    let messages = no_messages(args.no_messages, name, &found, &mut run.diags)?;
    let kept = Kept::of(prompt, name, &found, args.given.tokenizer(), messages);
    Ok(match args.format {
        Format::Human => context.ui.drawn(&kept.document()),
        Format::Json => answer::page(&Report::Provider(kept.report())),
    })
}
