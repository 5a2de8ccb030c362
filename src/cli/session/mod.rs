//! `promptc session`, and what other commands need of sessions: where their store is, and what a build would be now.

pub(crate) mod clock;
mod show;
mod list;
mod drift;
mod rm;
mod gc;
mod export;
mod import;
mod transfer;
mod verify;
pub(crate) mod history;
mod schema;

pub(super) use schema::Answer;

use super::Context;
use crate::cli::format::Format;
use crate::diagnostic::ErrorReported;
use clap::Subcommand;

/// Inspect stored sessions and maintain their store
///
/// `promptc build --session ID` creates and restores sessions. Of the commands here only `import` and `move`
/// create a store.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session list                           # every session
  promptc session show chat-7                    # one session, and why it was built
  promptc session drift chat-7                   # what a rebuild would change
  promptc session rm chat-7                      # forget it
  promptc session gc --unused 30d                # remove unused sessions
  promptc session move --all --to backup.db      # to another store
  promptc session verify                         # is the store intact?
  promptc session history                        # which layers broke the prefix how often")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::Args),
    Show(show::Args),
    Drift(Box<drift::Args>),
    Rm(rm::Args),
    Gc(gc::Args),
    Export(export::Args),
    Import(import::Args),
    Move(transfer::Args),
    Verify(verify::Args),
    History(history::Args),
}

/// An answer for programs.
fn json(answer: &impl serde::Serialize) -> String {
    // Strings, numbers and lists always have a JSON form.
    let text = serde_json::to_string_pretty(answer).unwrap_or_default();
    format!("{text}\n")
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        match &self.action {
            Action::Drift(args) => args.writes(),
            Action::Gc(args) => args.writes(),
            Action::Rm(_) | Action::Export(_) | Action::Import(_) | Action::Move(_) => true,
            Action::List(_) | Action::Show(_) | Action::Verify(_) | Action::History(_) => false,
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    match &args.action {
        Action::List(args) => list::run(args, context),
        Action::Show(args) => show::run(args, context),
        Action::Drift(args) => drift::run(args, context),
        Action::Rm(args) => rm::run(args, context),
        Action::Gc(args) => gc::run(args, context),
        Action::Export(args) => export::run(args, context),
        Action::Import(args) => import::run(args, context),
        Action::Move(args) => transfer::run(args, context),
        Action::Verify(args) => verify::run(args, context),
        Action::History(args) => history::run(args, context),
    }
}
