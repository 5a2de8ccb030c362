//! Makes a log of what a command sends while it runs.

use super::import::key;
use crate::diagnostic::{self, Code, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::output::{self, Growing};
use crate::recorder::{self, Exchanges, Failed, For, Routes, Tally};
use crate::request::whole::Redactor;
use crate::request::whole::log::{Cleaner, LogWriter, Refused};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::ExitStatus;

/// The number of recorded bytes that are remembered for later requests: about the size of one conversation.
const REMEMBERED: usize = 4 << 20;

/// The input of a recording.
pub(crate) struct RecordCall<'a> {
    /// Where requests go.
    pub(crate) routes: Routes,
    /// The port; 0 is one that is free.
    pub(crate) port: u16,
    /// The file of the key of hashes, which is made if it is missing.
    pub(crate) key: Option<&'a Path>,
    /// Whether each line of text is hashed.
    pub(crate) hash_lines: bool,
    /// The log.
    pub(crate) output: &'a Path,
}

/// The result of a recording.
pub(crate) struct Recorded {
    /// The requests in the log.
    pub(crate) requests: usize,
    /// The exit status of the command, if there was one.
    pub(crate) ended: Option<ExitStatus>,
}

/// Records the requests of a command, or of any caller.
pub(crate) fn record(
    call: RecordCall<'_>,
    what: For<'_>,
    run: &mut Run,
) -> Result<Recorded, ErrorReported> {
    let mut redactor = Redactor::new(key(call.key, run)?);
    redactor.lines = call.hash_lines;
    output::check_unread(call.output, ("this log", "-o"), run)?;
    let (path, walls) = (call.output, &run.walls);
    if let Err(error) = Growing::check(path, walls) {
        return Err(run.diags.push(output::not_written(Some(path), &error)));
    }
    let (port, is_command) = (call.port, matches!(what, For::Command { .. }));
    let mut start = Vec::new();
    let mut write = |line: &[u8]| {
        start.extend_from_slice(line);
        Ok(())
    };
    let begun = LogWriter::lines(&mut write, redactor.clone()).begin();
    // An old log is replaced when there is something to record, by an empty one.
    let open = || begun.and_then(|()| Growing::open(path, &start, walls));
    let keep = |log: io::Result<Growing>, exchanges: Exchanges<'_>| kept(exchanges, log, redactor);
    let served = recorder::record(call.routes, port, what, open, keep);
    let served = served.map_err(|failed| run.diags.push(not_served(failed, port)))?;
    run.wrote = true;
    let kept = served.kept;
    kept.report(call.output, run);
    report(&served.tally, run);
    if kept.requests == 0 && is_command && run.diags.is_empty() {
        let message = "no call of a model came to the recorder";
        let found = Diagnostic::warning(diagnostic::NOTHING_RECORDED, message);
        let help =
            "`promptc capture run --print-env` lists the variables that the command was given";
        run.diags.push(found.help(help));
    }
    Ok(Recorded {
        requests: kept.requests,
        ended: served.ended,
    })
}

/// The results of the exchanges.
#[derive(Default)]
struct Kept {
    /// The requests in the log.
    requests: usize,
    /// Why the log ends before its time.
    failed: Option<io::Error>,
    /// The number of those that are not in it, by reason.
    lost: BTreeMap<String, usize>,
}

/// Writes exchanges into a log. After an error of the log nothing more is added to it: later lines would name earlier ones.
fn kept(exchanges: Exchanges<'_>, log: io::Result<Growing>, redactor: Redactor) -> Kept {
    let mut kept = Kept::default();
    let (mut log, failed) = match log {
        Ok(log) => (Some(log), None),
        Err(error) => (None, Some(error)),
    };
    kept.failed = failed;
    let mut add = |piece: &[u8]| log.as_mut().map_or(Ok(()), |log| log.add(piece));
    // All lines of an exchange come into the log at once.
    let piece = RefCell::new(Vec::new());
    let mut write = |line: &[u8]| {
        piece.borrow_mut().extend_from_slice(line);
        Ok(())
    };
    let mut cleaner = Cleaner::new(redactor.clone(), REMEMBERED);
    let mut writer = LogWriter::live(&mut write, redactor);
    // The log has its first line.
    _ = writer.begin();
    piece.take();
    for found in exchanges {
        let added = match (found, &kept.failed) {
            (_, Some(_)) => Err("the log could not be written".to_owned()),
            (Err(why), None) => Err(why),
            (Ok(exchange), None) => match writer.add(cleaner.clean(exchange)) {
                Ok(_) => Ok(()),
                Err(Refused::Twice) => Err("it is in the log already".to_owned()),
                Err(Refused::Body(error)) => Err(error.reason().to_owned()),
                Err(Refused::Output(error)) => Err(error.to_string()),
            },
        };
        let added = added.and_then(|()| {
            let piece = piece.replace(Vec::new());
            add(&piece).map_err(|error| {
                kept.failed = Some(error);
                "the log could not be written".to_owned()
            })
        });
        match added {
            Ok(()) => kept.requests += 1,
            Err(why) => *kept.lost.entry(why).or_default() += 1,
        }
    }
    kept
}

/// A warning with a count.
fn counted(code: Code, count: usize, what: &str) -> Diagnostic {
    let message = match count {
        1 => format!("1 request {what}"),
        more => format!("{more} requests {what}"),
    };
    Diagnostic::warning(code, message)
}

impl Kept {
    fn report(&self, log: &Path, run: &mut Run) {
        for (why, count) in &self.lost {
            let what = format!("went through and not into the log: {why}");
            let found = counted(diagnostic::NOT_RECORDED, *count, &what);
            run.diags.push(match &self.failed {
                Some(error) => {
                    let why = output::reason(error);
                    found.help(format!(
                        "`{}`: {why}; {}",
                        log.display(),
                        output::way_out(error)
                    ))
                }
                None => found,
            });
        }
    }
}

/// Reports the requests that were not forwarded, or not recorded.
fn report(tally: &Tally, run: &mut Run) {
    for (refusal, count) in &tally.refused {
        let what = format!("refused: {}", refusal.reason());
        run.diags
            .push(counted(diagnostic::REQUESTS_REFUSED, *count, &what));
    }
    for (url, (count, why)) in &tally.failed {
        let what = format!("not taken by {url}: {why}");
        run.diags
            .push(counted(diagnostic::UPSTREAM_FAILED, *count, &what));
    }
}

/// The error that nothing could be served.
fn not_served(failed: Failed, port: u16) -> Diagnostic {
    match failed {
        Failed::Port(error) => {
            let message = format!("127.0.0.1:{port} is not available: {}", error.kind());
            Diagnostic::error(diagnostic::PORT_TAKEN, message)
                .help("name another port, or leave --port out for one that is free")
        }
        Failed::Command(error) => {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "there is no such program".to_owned(),
                other => other.to_string(),
            };
            let message = format!("the command could not be started: {why}");
            Diagnostic::error(diagnostic::COMMAND_NOT_STARTED, message)
                .help("it is run without a shell; `sh -c '…'` has one")
        }
        Failed::System(error) => {
            let message = format!("the recorder could not be started: {error}");
            Diagnostic::error(diagnostic::NO_RECORDER, message).help(
                "certificates are those of the system, or of the file that SSL_CERT_FILE names",
            )
        }
    }
}
