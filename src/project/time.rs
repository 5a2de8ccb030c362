//! The current time of a call.

use super::Run;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::world::{DiskWorld, World as _};

/// The time of a call, in seconds since 1970-01-01 UTC: `--now`, else the clock.
pub(crate) fn time(now: Option<&str>, run: &mut Run) -> Result<i64, ErrorReported> {
    let Some(text) = now else {
        return Ok(DiskWorld.now());
    };
    text.parse::<jiff::Timestamp>()
        .map(jiff::Timestamp::as_second)
        .map_err(|_| {
            let message = "--now is not a point in time";
            let found = Diagnostic::error(diagnostic::INVALID_TIME, message);
            run.diags
                .push(found.help("write RFC 3339, such as 2026-03-30T09:00:00Z"))
        })
}
