//! Writes the requests of a log as whole bodies.

use super::log::Log;
use crate::diagnostic::ErrorReported;
use crate::project::Run;
use crate::project::output::{self, Output};
use crate::request::whole::inline;
use crate::request::whole::log::Entry;
use std::io;
use std::path::Path;

/// Writes a line for each request of a log, with its answer: to standard output, if no file is named. How many.
pub(crate) fn export(
    log: &Path,
    output: Option<&Path>,
    run: &mut Run,
) -> Result<usize, ErrorReported> {
    let log = Log::open(log, run)?;
    if let Some(path) = output {
        output::check_unread(path, ("this output", "-o"), run)?;
    }
    // Errors in the log are reported before anything is written.
    log.each(run, |_| {})?;
    let failed = |error: &io::Error| output::not_written(output, error);
    let mut out = match output {
        Some(path) => Output::open_private(path, &run.walls),
        None => Ok(Output::stdout()),
    }
    .map_err(|error| run.diags.push(failed(&error)))?;
    let (mut count, mut written) = (0, Ok(()));
    log.each(&mut Run::default(), |entry| {
        if let (Entry::Request(now, _), Ok(())) = (entry, &written) {
            let text = inline::line(&now) + "\n";
            written = out.write(text.as_bytes());
            count += 1;
        }
    })?;
    let written = written.and_then(|()| out.finish());
    written.map_err(|error| run.diags.push(failed(&error)))?;
    Ok(count)
}
