//! What the commands of `session` write, as JSON Schemas.

use super::{drift, gc, import, list, rm, show, transfer, verify};
use crate::cli::schema::of_report;
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
    /// What `session show --format json` writes of a session
    #[command(after_help = "\
Examples:
  promptc schema session show > session-show.schema.json")]
    Show,
    /// What `session drift --format json` writes of changes
    #[command(after_help = "\
Examples:
  promptc schema session drift > session-drift.schema.json")]
    Drift,
    /// What `session rm --format json` removed
    #[command(after_help = "\
Examples:
  promptc schema session rm > session-rm.schema.json")]
    Rm,
    /// What `session gc --format json` took away
    #[command(after_help = "\
Examples:
  promptc schema session gc > session-gc.schema.json")]
    Gc,
    /// The document that `session export` writes and `session import` reads
    #[command(after_help = "\
Examples:
  promptc schema session export > session-export.schema.json")]
    Export,
    /// What `session import --format json` added
    #[command(after_help = "\
Examples:
  promptc schema session import > session-import.schema.json")]
    Import,
    /// What `session move --format json` moved
    #[command(after_help = "\
Examples:
  promptc schema session move > session-move.schema.json")]
    Move,
    /// What `session verify --format json` found
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
            Self::List => of_report::<list::Report>(),
            Self::Show => of_report::<show::Report>(),
            Self::Drift => of_report::<drift::Report<'_>>(),
            Self::Rm => of_report::<rm::Report>(),
            Self::Gc => of_report::<gc::Report>(),
            Self::Export => of_report::<Export>(),
            Self::Import => of_report::<import::Report>(),
            Self::Move => of_report::<transfer::Report>(),
            Self::Verify => of_report::<verify::Report>(),
            Self::History => of_report::<History>(),
        }
    }
}
