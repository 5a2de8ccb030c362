//! The output of the commands of `session`, as JSON Schemas.

use super::{drift, gc, import, list, rm, show, transfer, verify};
use crate::cli::ui::answer;
use crate::session::Export;
use crate::session::history::History;
use clap::Subcommand;
use serde_json::Value;

/// An answer that has a schema.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Answer {
    /// The sessions that `session list --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema session list > session-list.schema.json")]
    List,
    /// The output of `session show --format json`
    #[command(after_help = "\
Examples:
  promptc schema session show > session-show.schema.json")]
    Show,
    /// The output of `session drift --format json`
    #[command(after_help = "\
Examples:
  promptc schema session drift > session-drift.schema.json")]
    Drift,
    /// The output of `session rm --format json`
    #[command(after_help = "\
Examples:
  promptc schema session rm > session-rm.schema.json")]
    Rm,
    /// The output of `session gc --format json`
    #[command(after_help = "\
Examples:
  promptc schema session gc > session-gc.schema.json")]
    Gc,
    /// The document that `session export` writes and `session import` reads
    #[command(after_help = "\
Examples:
  promptc schema session export > session-export.schema.json")]
    Export,
    /// The output of `session import --format json`
    #[command(after_help = "\
Examples:
  promptc schema session import > session-import.schema.json")]
    Import,
    /// The output of `session move --format json`
    #[command(after_help = "\
Examples:
  promptc schema session move > session-move.schema.json")]
    Move,
    /// The output of `session verify --format json`
    #[command(after_help = "\
Examples:
  promptc schema session verify > session-verify.schema.json")]
    Verify,
    /// The sums and rebuilds that `session history --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema session history > session-history.schema.json")]
    History,
}

impl Answer {
    /// The schema.
    pub(in crate::cli) fn schema(&self) -> Value {
        match self {
            Self::List => answer::schema::<list::Report>(),
            Self::Show => answer::schema::<show::Report>(),
            Self::Drift => answer::schema::<drift::Report<'_>>(),
            Self::Rm => answer::schema::<rm::Report>(),
            Self::Gc => answer::schema::<gc::Report>(),
            Self::Export => answer::schema::<Export>(),
            Self::Import => answer::schema::<import::Report>(),
            Self::Move => answer::schema::<transfer::Report>(),
            Self::Verify => answer::schema::<verify::Report>(),
            Self::History => answer::schema::<History>(),
        }
    }
}
