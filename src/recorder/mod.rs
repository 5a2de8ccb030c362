//! The recorder: a reverse proxy on 127.0.0.1 that sends requests on unchanged, and records a copy of the calls of
//! models.
//!
//! It is the only part of promptc that has to do with a network. It records exchanges in the form that an import reads.
//! The writer of the log redacts them on a thread of its own, so that no request waits for it.

mod table;
mod spool;
mod decode;
mod headers;
mod exchange;
mod ways;
mod proxy;
mod serve;

pub(crate) use proxy::Tally;
pub(crate) use serve::{Failed, For};
pub(crate) use table::{Routes, Setting, Upstream, agent};

use crate::request::whole::log::Exchange;
use crate::world::threads;
use exchange::Recorded;
use std::io;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, mpsc};

/// The result of recording.
pub(crate) struct Served<K> {
    /// The exit status of the command, if there was one.
    pub(crate) ended: Option<ExitStatus>,
    /// The exchanges that are not in the log.
    pub(crate) tally: Tally,
    /// The results of the exchanges.
    pub(crate) kept: K,
}

/// Exchanges as they end, or why one cannot be recorded.
pub(crate) type Exchanges<'a> = &'a mut dyn Iterator<Item = Result<Exchange, String>>;

/// Serves, while `keep` takes the exchanges on a thread of its own, with the log that `open` opens when it serves.
///
/// # Errors
/// When nothing could be served.
pub(crate) fn record<L: Send, K: Send>(
    routes: Routes,
    port: u16,
    what: For<'_>,
    open: impl FnOnce() -> L,
    keep: impl FnOnce(L, Exchanges<'_>) -> K + Send,
) -> Result<Served<K>, Failed> {
    let tally = Arc::new(Mutex::new(Tally::default()));
    let (to, from) = mpsc::channel();
    let (log_to, log_from) = mpsc::channel();
    // The receiver is gone only where nothing is served.
    let begun = move || _ = log_to.send(open());
    let both = threads::both(
        || serve::serve(routes, port, what, tally.clone(), to, begun),
        move || {
            let log = log_from.recv().ok()?;
            Some(keep(log, &mut from.into_iter().map(Recorded::exchange)))
        },
    );
    let (ended, kept) = both.map_err(Failed::System)?;
    let ended = ended?;
    let kept = kept.ok_or_else(|| Failed::System(io::ErrorKind::BrokenPipe.into()))?;
    let tally = tally.lock().map(|mut tally| std::mem::take(&mut *tally));
    Ok(Served {
        ended,
        tally: tally.unwrap_or_default(),
        kept,
    })
}
