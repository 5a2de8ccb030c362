//! Items that give many results each, worked on by threads and taken in order while they come.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// The results that are handed over together: to wake a thread for each takes longer than most of them.
const BATCH: usize = 32;

/// The most batches of an item's results that may wait: this bounds the memory.
const WAITING: usize = 8;

/// The item that is next, and where its results are announced.
type Next<R> = Arc<Mutex<(usize, SyncSender<Receiver<Vec<R>>>)>>;

/// Does `work` on each item in threads, each with what `start` gives it. Results go to `each` in the order of the items, those of an item
/// in their own. Either says whether to go on.
pub(crate) fn stream<T: Sync, S, R: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T, &mut dyn FnMut(R) -> bool) + Sync,
    mut each: impl FnMut(R) -> bool,
) {
    let most = thread::available_parallelism().map_or(1, usize::from);
    let (announce, announced) = sync_channel(most);
    let next: Next<R> = Arc::new(Mutex::new((0, announce)));
    let run = |next: Next<R>| {
        let mut own = start();
        while let Some((item, out)) = taken(items, &next) {
            let mut batch = Vec::with_capacity(BATCH);
            work(&mut own, item, &mut |result| {
                batch.push(result);
                batch.len() < BATCH || {
                    let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                    out.send(full).is_ok()
                }
            });
            // Where no one receives them, no one wants the rest.
            let _ = out.send(batch);
        }
    };
    thread::scope(|scope| {
        let mut threads = 0;
        for _ in 0..most.min(items.len()) {
            let (run, next) = (&run, next.clone());
            let started = thread::Builder::new().spawn_scoped(scope, move || run(next));
            threads += usize::from(started.is_ok());
        }
        drop(next);
        if threads == 0 {
            let mut own = start();
            let mut goes_on = true;
            for item in items {
                work(&mut own, item, &mut |result| {
                    goes_on = goes_on && each(result);
                    goes_on
                });
            }
            return;
        }
        // Leaving ends the threads: no one receives their results.
        for results in announced {
            for result in results.into_iter().flatten() {
                if !each(result) {
                    return;
                }
            }
        }
    });
}

/// The next item, whose results are announced; none if there is none, or no one wants it.
fn taken<'t, T, R>(items: &'t [T], next: &Next<R>) -> Option<(&'t T, SyncSender<Vec<R>>)> {
    let mut next = next.lock().ok()?;
    let item = items.get(next.0)?;
    let (out, results) = sync_channel(WAITING);
    next.1.send(results).ok()?;
    next.0 += 1;
    Some((item, out))
}

#[cfg(test)]
mod tests {
    use super::stream;
    use std::time::Duration;

    #[test]
    fn results_come_in_order() {
        let items: Vec<usize> = (0..20).collect();
        let mut all = Vec::new();
        let work = |_: &mut (), item: &usize, give: &mut dyn FnMut((usize, usize)) -> bool| {
            // The first ones are the slowest, and have more results than may wait.
            std::thread::sleep(Duration::from_millis(20 - *item as u64));
            for n in 0..700 {
                give((*item, n));
            }
        };
        stream(
            &items,
            || (),
            work,
            |result| {
                all.push(result);
                true
            },
        );
        let wanted = (0..20).flat_map(|item| (0..700).map(move |n| (item, n)));
        assert!(all.into_iter().eq(wanted));
    }

    #[test]
    fn a_receiver_may_stop_early() {
        let items: Vec<usize> = (0..1_000).collect();
        let work = |_: &mut (), item: &usize, give: &mut dyn FnMut(usize) -> bool| {
            while give(*item) {}
        };
        let mut seen = 0;
        stream(
            &items,
            || (),
            work,
            |_| {
                seen += 1;
                seen < 1_000
            },
        );
        assert_eq!(seen, 1_000);
    }
}
