//! The current time of a call.

use super::Run;
use crate::diagnostic::ErrorReported;
use crate::template::fact;
use crate::world::{DiskWorld, World as _};

/// The time of a call, in seconds since 1970-01-01 UTC: `--now`, else the clock.
pub(crate) fn time(now: Option<&str>, run: &mut Run) -> Result<i64, ErrorReported> {
    match now {
        Some(text) => fact::now(text).map_err(|found| run.diags.push(*found)),
        None => Ok(DiskWorld.now()),
    }
}
