//! Work shared among threads; what it gives does not depend on which of them was faster.

mod pool;
mod stream;

pub(crate) use pool::OrderedPool;
pub(crate) use stream::stream;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread;

/// Does both at once, the first of them on this thread.
///
/// # Errors
/// When there is no thread to be had.
#[cfg(feature = "capture")]
pub(crate) fn both<A, B: Send>(
    here: impl FnOnce() -> A,
    there: impl FnOnce() -> B + Send,
) -> std::io::Result<(A, B)> {
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, there)?;
        let done = here();
        match other.join() {
            Ok(other) => Ok((done, other)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The number of threads that run at once. The system reads files to find it, so it is asked only once.
static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// `work` on each item, in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let places: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(item), Some(place)) = (items.get(at), places.get(at)) else {
                break;
            };
            let result = work(item);
            if let Ok(mut place) = place.lock() {
                *place = Some(result);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..CORES.min(items.len()) {
            // With fewer threads it takes longer, and that is all.
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    // A thread that panicked has made the scope panic.
    let results = places.into_iter().map(Mutex::into_inner);
    results.filter_map(|result| result.ok().flatten()).collect()
}
