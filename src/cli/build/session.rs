//! The options of a build for a session.

use crate::cli::store::{self, StoreArgs};
use crate::session::store::SessionId;

/// What the help puts these options under.
const SESSION: &str = "Session";

#[derive(Debug, clap::Args)]
pub(super) struct SessionArgs {
    /// Restore what this session keeps; build and keep it if there is none
    #[arg(help_heading = SESSION, long, value_name = "ID", value_parser = store::id, conflicts_with = "batch")]
    pub(super) session: Option<SessionId>,
    /// What has happened to the session; it is built anew if its manifest has `refresh event=NAME`
    #[arg(help_heading = SESSION, long, value_name = "NAME", requires = "session")]
    pub(super) event: Option<String>,
    /// Build the session anew in any case
    #[arg(help_heading = SESSION, long, requires = "session")]
    pub(super) refresh: bool,
    #[command(flatten)]
    pub(super) store: StoreArgs,
}

impl SessionArgs {
    /// What the call says of a store, which only a session has a use for. The environment is there for other calls too.
    pub(super) fn stray(&self) -> Option<&'static str> {
        self.store.options().stray()
    }
}
