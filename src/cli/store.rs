//! The options that select the session store.

use super::given::ManifestArgs;
use crate::project::sessions::location::StoreOptions;
use crate::project::sessions::stored::StoreCall;
use crate::session::store::SessionId;
use std::path::PathBuf;
use std::str::FromStr;

/// The help heading of these options.
const SESSION: &str = "Session";

#[derive(Debug, clap::Args)]
pub(crate) struct StoreArgs {
    /// The session store [default: PROMPTC_STORE, else .promptc/store.db next to the manifest]
    #[arg(help_heading = SESSION, long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// How long to wait for other processes
    ///
    /// [default: 10]
    #[arg(help_heading = SESSION, long, value_name = "SECONDS", value_parser = seconds)]
    wait: Option<u64>,
}

impl StoreArgs {
    /// Where the sessions are.
    pub(crate) fn options(&self) -> StoreOptions {
        StoreOptions {
            location: self.store.clone(),
            wait: self.wait,
        }
    }
}

/// The path of the store, for a command that needs the manifest only to find it.
#[derive(Debug, clap::Args)]
pub(crate) struct StoredArgs {
    #[command(flatten)]
    source: ManifestArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl StoredArgs {
    /// The store of the call.
    pub(crate) fn call(&self) -> StoreCall {
        StoreCall {
            project: self.source.project(),
            store: self.store.options(),
        }
    }
}

/// A number of seconds, as an argument.
pub(crate) fn seconds(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "write a whole number of seconds".to_owned())
}

/// A number that is not 0, as an argument.
pub(crate) fn positive<T: FromStr + PartialOrd + From<bool>>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|n| *n >= T::from(true));
    number.ok_or_else(|| "write a whole number, 1 or more".to_owned())
}

/// The ID of an existing session, as an argument.
pub(crate) fn known_id(text: &str) -> Result<SessionId, String> {
    SessionId::known(text).map_err(|why| why.to_string())
}

/// A session's name, as an argument.
pub(crate) fn id(text: &str) -> Result<SessionId, String> {
    SessionId::parse(text).map_err(|why| why.to_string())
}
