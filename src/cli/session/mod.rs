//! `promptc session`, and what other commands need of sessions: where their store is, and what a build would be now.

pub(crate) mod clock;
pub(crate) mod now;
pub(crate) mod place;
pub(crate) mod same;
pub(crate) mod stored;
mod list;
mod drift;

pub(in crate::cli) use drift::Report as DriftReport;

use super::Context;
use crate::diagnostic::Reported;
use clap::{Subcommand, ValueEnum};

/// Look at what sessions keep
///
/// `promptc build --session ID` makes sessions and restores them. Nothing here makes a store: where there is none, there
/// are no sessions.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session list                # every session
  promptc session drift chat-7        # what a rebuild of one would change")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::Args),
    Drift(Box<drift::Args>),
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}

/// An answer for programs.
fn json(answer: &impl serde::Serialize) -> String {
    // Strings, numbers and lists always have a JSON form.
    let text = serde_json::to_string_pretty(answer).unwrap_or_default();
    format!("{text}\n")
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    match &args.action {
        Action::List(args) => list::run(args, context),
        Action::Drift(args) => drift::run(args, context),
    }
}
