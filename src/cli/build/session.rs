//! The options of a build for a session.

use crate::cli::store::{self, StoreArgs};
use crate::session::store::SessionId;

/// The help heading of these options.
const SESSION: &str = "Session";

#[derive(Debug, clap::Args)]
pub(super) struct SessionArgs {
    /// The session; its prompt is restored, or built and stored if there is none
    #[arg(help_heading = SESSION, long, value_name = "ID", value_parser = store::id, conflicts_with = "batch")]
    pub(super) session: Option<SessionId>,
    /// An event of the session: `compaction`, or another that its manifest names; it is rebuilt if that has `refresh event=NAME`
    #[arg(help_heading = SESSION, long, value_name = "NAME", requires = "session", conflicts_with_all = ["batch", "each_without"])]
    pub(super) event: Option<String>,
    /// Rebuild the session in any case
    #[arg(help_heading = SESSION, long, requires = "session", conflicts_with_all = ["batch", "each_without"])]
    pub(super) refresh: bool,
    #[command(flatten)]
    pub(super) store: StoreArgs,
}

impl SessionArgs {
    /// The store option that only makes sense with a session. The environment variable does not count, since
    /// other calls use it too.
    pub(super) fn stray(&self) -> Option<&'static str> {
        self.store.options().stray()
    }
}
