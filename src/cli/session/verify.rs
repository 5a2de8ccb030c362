//! `promptc session verify`.

use super::Format;
use crate::cli::Context;
use crate::cli::store::StoredArgs;
use crate::cli::ui::{Page, answer};
use crate::diagnostic::ErrorReported;
use crate::project::Run;
use crate::report::words;
use crate::session::store::{Damage, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

/// The most sessions that a line names: a text may be that of thousands.
const MOST: usize = 8;

/// Check a whole store for damage
///
/// Every hash is computed again. Exits with 1 if anything is damaged, and names the affected sessions where they
/// are known. `session rm` removes one; the others still work. Nothing is repaired.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session verify                         # the store of the manifest here or above
  promptc session verify --store sessions.db     # another, such as a backup")]
pub(super) struct Args {
    #[command(flatten)]
    stored: StoredArgs,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// The output of `session verify --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report {
    /// The store, as messages call it.
    store: String,
    /// The number of sessions in the store; null if it is unknown.
    sessions: Option<usize>,
    /// The damaged parts; empty if there are none.
    damage: Vec<Damage>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let report = report(args, &mut context.run)?;
    context.verdict = report.damage.is_empty();
    let text = match args.format {
        Format::Json => answer::page(&report),
        Format::Human => Page::drawn(draw(&report)),
    };
    context.ui.result(&text, &mut context.run.diags)
}

fn report(args: &Args, run: &mut Run) -> Result<Report, ErrorReported> {
    let stored = match args.stored.call().try_open(run)? {
        (_, Ok(stored)) => stored,
        // That it cannot even be opened is a verdict too.
        (name, Err(damage)) => {
            return Ok(Report {
                store: name,
                sessions: None,
                damage: vec![bare(damage)],
            });
        }
    };
    let mut stored = stored.existing(run)?;
    let name = stored.name();
    let verify = |store: &mut dyn crate::session::store::Store| match store.verify() {
        Err(StoreError::Damaged(what)) => Ok(vec![bare(what)]),
        other => other,
    };
    let damage = stored.step(Vec::new(), verify, run)?;
    let sessions = |store: &mut dyn crate::session::store::Store| match store.sessions() {
        Err(StoreError::Damaged(_)) => Ok(None),
        other => other.map(|sessions| Some(sessions.len())),
    };
    Ok(Report {
        store: name,
        sessions: stored.step(None, sessions, run)?,
        damage,
    })
}

/// Damage without further details.
fn bare(what: String) -> Damage {
    Damage {
        what,
        sessions: Vec::new(),
    }
}

fn draw(report: &Report) -> String {
    let name = words::plain(&report.store);
    if report.damage.is_empty() {
        let sessions = words::count(report.sessions.unwrap_or(0), "session");
        return format!("{name} is intact: {sessions}\n");
    }
    let lines = report.damage.iter().map(line);
    let count = words::count(report.damage.len(), "fault");
    format!("{}{name} is damaged: {count}\n", lines.collect::<String>())
}

/// "the content sha256:…: session a (build 1), session b (builds 2, 3)".
fn line(damage: &Damage) -> String {
    let mut line = words::plain(&damage.what);
    let mut mark = ": ";
    for concerned in damage.sessions.iter().take(MOST) {
        let numbers: Vec<String> = concerned.builds.iter().map(u64::to_string).collect();
        let builds = match numbers.as_slice() {
            [] => String::new(),
            [one] => format!(" (build {one})"),
            more => format!(" (builds {})", more.join(", ")),
        };
        let id = words::plain(concerned.session.as_str());
        line.push_str(&format!("{mark}session {id}{builds}"));
        mark = ", ";
    }
    let more = damage.sessions.len().saturating_sub(MOST);
    if more > 0 {
        line.push_str(&format!(" and {}", words::count(more, "more session")));
    }
    line.push('\n');
    line
}
