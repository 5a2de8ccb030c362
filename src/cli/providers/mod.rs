//! `promptc providers`.

mod human;
mod json;
mod import;

use super::Context;
use super::model::TableArgs;
use crate::cli::format::Format;
use crate::diagnostic::{self, Diagnostic, ErrorReported, suggest::nearest};
use crate::project::Run;
use crate::project::model;
use crate::request::provider::{Catalog, rows};
use crate::world::DiskWorld;
use clap::Subcommand;
use jiff::civil::Date;

pub(super) use json::Report as JsonReport;

/// Show the data on providers and their models
///
/// The built-in table has what providers cache of a request and what their models cost. Each row has its source and
/// the day on which it was read. Your own table overrides it. Nothing is fetched.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc providers list                                # all models that have a row
  promptc providers list --provider anthropic           # those of one provider
  promptc providers show claude-opus-5-5                # all data on a model
  promptc providers import prices.json -o table.kdl     # litellm's prices as a table
  promptc providers show claude-opus-5-5 --providers table.kdl")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the models that have a row: their rule, prices and the day they were read
    #[command(after_help = "\
Examples:
  promptc providers list
  promptc providers list --provider 'openai>=5.6'
  promptc providers list --format json
  promptc providers list --now 2026-12-01T00:00:00Z    # as on that day")]
    List(ListArgs),
    /// Show all data on a model and its provider
    #[command(after_help = "\
Examples:
  promptc providers show claude-opus-5-5
  promptc providers show openrouter/anthropic/claude-opus-5-5
  promptc providers show vllm/qwen3 --format json
  promptc providers show gemini-4-argon --now 2026-12-01T00:00:00Z")]
    Show(ShowArgs),
    Import(import::Args),
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    /// The provider
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    #[command(flatten)]
    of: Of,
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// The model, as requests name it; `PROVIDER/MODEL` names its provider
    #[arg(value_name = "MODEL")]
    model: String,
    #[command(flatten)]
    of: Of,
}

/// The options of both commands.
#[derive(Debug, clap::Args)]
struct Of {
    #[command(flatten)]
    tables: TableArgs,
    /// The current time, RFC 3339, or a day, YYYY-MM-DD [default: the clock]
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        matches!(self.what, What::Import(_))
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    match &args.what {
        What::List(args) => list(args, context),
        What::Show(args) => show(args, context),
        What::Import(args) => import::run(args, context),
    }
}

impl Of {
    fn open(&self, run: &mut Run) -> Result<(Catalog, Date), ErrorReported> {
        let catalog = self.tables.catalog(&DiskWorld, run)?;
        let now = self.now.as_deref();
        // A row counts on days, so a day says all.
        let today = match now.and_then(|now| now.parse::<Date>().ok().filter(|_| now.len() == 10)) {
            Some(day) => day,
            None => model::day(now, run)?,
        };
        model::tell_future(&catalog, today, &mut run.diags);
        Ok((catalog, today))
    }
}

fn list(args: &ListArgs, context: &mut Context) -> Result<(), ErrorReported> {
    let (catalog, today) = args.of.open(&mut context.run)?;
    let mut rows = rows::all(&catalog, today);
    if let Some(name) = &args.provider {
        if catalog.provider(name).is_none() {
            let names = rows.providers.iter().map(|p| p.name.as_str());
            let message = format!("there is no provider `{}`", name.escape_debug());
            let found = Diagnostic::error(diagnostic::UNKNOWN_PROVIDER, message);
            let family = names.clone().filter(|n| {
                let rest = n.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.starts_with(['<', '>']))
            });
            let family: Vec<String> = family.map(|n| format!("`{n}`")).collect();
            return Err(context.run.diags.push(match nearest(name, names) {
                _ if !family.is_empty() => {
                    found.help(format!("did you mean {}?", family.join(" or ")))
                }
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => found.help("`promptc providers list` shows all"),
            }));
        }
        rows.only(name);
    }
    let priced = rows.models.iter().filter(|row| row.prices.is_some());
    let old = priced.filter(|row| model::is_stale(row.source.as_of, today));
    let oldest = old.clone().map(|row| row.source.as_of).min();
    if let Some(oldest) = oldest {
        let message = format!(
            "{} of these prices are old, the oldest of {oldest}",
            old.count()
        );
        context.run.diags.push(model::stale(message));
    }
    let text = match args.of.format {
        Format::Human => context.ui.drawn(&human::list(&rows)),
        Format::Json => json::list(&rows, today),
    };
    context.ui.result(&text, &mut context.run.diags)
}

fn show(args: &ShowArgs, context: &mut Context) -> Result<(), ErrorReported> {
    let (catalog, today) = args.of.open(&mut context.run)?;
    let found = model::need(&args.model, &catalog, today, &mut context.run.diags)?;
    model::warn_stale(&args.model, &found, today, &mut context.run.diags);
    let text = match args.of.format {
        Format::Human => context.ui.drawn(&human::show(&args.model, &found)),
        Format::Json => json::show(&args.model, &found, today),
    };
    context.ui.result(&text, &mut context.run.diags)
}
