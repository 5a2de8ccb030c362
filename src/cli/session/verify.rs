//! `promptc session verify`.

use super::Format;
use super::stored::StoredArgs;
use crate::cli::Context;
use crate::cli::ui::words;
use crate::diagnostic::{self, Diagnostic, Reported};
use crate::store::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

/// Read a store as a whole and say what is damaged
///
/// Every hash is computed again. Exits 1 if anything is damaged; nothing is repaired.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session verify                         # the store of the manifest here or above
  promptc session verify --store sessions.db     # another, such as a backup")]
pub(super) struct Args {
    #[command(flatten)]
    stored: StoredArgs,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// What `session verify --format json` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report {
    /// The store, as messages call it.
    store: String,
    /// How many sessions it keeps; null if that cannot be told.
    sessions: Option<usize>,
    /// What is damaged, without contents; empty if nothing is.
    damage: Vec<String>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    let report = report(args, context)?;
    context.verdict = report.damage.is_empty();
    let text = match args.format {
        Format::Json => super::json(&report),
        Format::Human => draw(&report),
    };
    context.ui.result(&text, &mut context.diags)
}

fn report(args: &Args, context: &mut Context) -> Result<Report, Reported> {
    let mut stored = match args.stored.try_open(context)? {
        (_, Ok(stored)) => stored,
        // That it cannot even be opened is a verdict too.
        (name, Err(damage)) => {
            return Ok(Report {
                store: name,
                sessions: None,
                damage: vec![damage],
            });
        }
    };
    let name = stored.name();
    if stored.get().is_none() {
        let message = format!("there is no store `{name}`");
        let found = Diagnostic::error(diagnostic::NO_STORE, message);
        let help = "--store FILE or PROMPTC_STORE names another place";
        return Err(context.diags.push(found.help(help)));
    }
    let verify = |store: &mut dyn crate::store::Store| match store.verify() {
        Err(StoreError::Damaged(what)) => Ok(vec![what]),
        other => other,
    };
    let damage = stored.step(Vec::new(), verify, context)?;
    let sessions = match damage.is_empty() {
        true => Some(
            stored
                .step(Vec::new(), |store| store.sessions(), context)?
                .len(),
        ),
        false => None,
    };
    Ok(Report {
        store: name,
        sessions,
        damage,
    })
}

fn draw(report: &Report) -> String {
    let name = words::plain(&report.store);
    if report.damage.is_empty() {
        let sessions = words::count(report.sessions.unwrap_or(0), "session");
        return format!("{name} is whole: {sessions}\n");
    }
    let lines = report
        .damage
        .iter()
        .map(|what| format!("{}\n", words::plain(what)));
    let count = words::count(report.damage.len(), "fault");
    format!("{}{name} is damaged: {count}\n", lines.collect::<String>())
}
