//! Work shared among threads; what it gives does not depend on which of them was faster.

mod pool;
mod stream;

pub(crate) use pool::OrderedPool;
pub(crate) use stream::stream;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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
    let most = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 1..most.min(items.len()) {
            // With fewer threads it takes longer, and that is all.
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    // A thread that panicked has made the scope panic.
    let results = places.into_iter().map(Mutex::into_inner);
    results.filter_map(|result| result.ok().flatten()).collect()
}
