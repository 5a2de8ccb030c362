//! Work dealt to threads in turn, so that its results come back in the order of the items without being sorted.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, JoinHandle};

/// The most items that may wait before each thread, and results after it: this bounds the memory.
const WAITING: usize = 4;

/// Threads at work. Item n is the one of chain n modulo their number.
pub(crate) struct OrderedPool<R> {
    chains: Vec<(Receiver<R>, JoinHandle<()>)>,
    turn: usize,
}

impl<R: Send + 'static> OrderedPool<R> {
    /// Does `work` on each item, in `number` threads. They are never joined, so a caller with enough results may leave
    /// while the items still wait for input.
    pub(crate) fn start<T: Send + 'static>(
        number: usize,
        items: impl Iterator<Item = T> + Send + 'static,
        work: impl FnMut(T) -> R + Clone + Send + 'static,
    ) -> io::Result<Self> {
        let (mut doors, mut chains) = (Vec::new(), Vec::new());
        for _ in 0..number.max(1) {
            let (door, waiting) = sync_channel(WAITING);
            let (exit, results) = sync_channel(WAITING);
            let work = work.clone();
            let started = thread::Builder::new().spawn(move || run(waiting, exit, work));
            match started {
                Ok(thread) => chains.push((results, thread)),
                Err(error) if chains.is_empty() => return Err(error),
                // With fewer threads it takes longer, and that is all.
                Err(_) => break,
            }
            doors.push(door);
        }
        thread::Builder::new().spawn(move || deal(items, &doors))?;
        Ok(Self { chains, turn: 0 })
    }

    /// The next result; `None` after the last. `idle` is called before waiting for it.
    pub(crate) fn next(&mut self, idle: impl FnOnce()) -> Option<R> {
        let (results, _) = self.chains.get(self.turn)?;
        let result = match results.try_recv() {
            Err(TryRecvError::Empty) => {
                idle();
                results.recv().ok()
            }
            result => result.ok(),
        };
        if result.is_none() {
            // The end, unless the thread fell.
            let (_, thread) = self.chains.swap_remove(self.turn);
            self.chains.clear();
            if let Err(fall) = thread.join() {
                std::panic::resume_unwind(fall);
            }
            return None;
        }
        self.turn = (self.turn + 1) % self.chains.len();
        result
    }
}

/// The loop of a thread until no items are left, or no receiver.
fn run<T, R>(waiting: Receiver<T>, exit: SyncSender<R>, mut work: impl FnMut(T) -> R) {
    for item in waiting {
        if exit.send(work(item)).is_err() {
            return;
        }
    }
}

fn deal<T>(items: impl Iterator<Item = T>, doors: &[SyncSender<T>]) {
    for (item, door) in items.zip(doors.iter().cycle()) {
        if door.send(item).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OrderedPool, WAITING};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    fn all<R: Send + 'static>(mut chains: OrderedPool<R>) -> Vec<R> {
        std::iter::from_fn(|| chains.next(|| {})).collect()
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for (number, items) in [(1, 50), (3, 0), (3, 1), (3, 50), (8, 5), (0, 3)] {
            let work = |n: u64| {
                // The first ones are the slowest.
                std::thread::sleep(Duration::from_micros(500 / (n + 1)));
                n * n
            };
            let squares: Vec<u64> = (0..items).map(|n| n * n).collect();
            assert_eq!(
                all(OrderedPool::start(number, 0..items, work).unwrap()),
                squares
            );
        }
    }

    #[test]
    fn no_more_is_read_than_there_is_room_for() {
        let read = Arc::new(AtomicUsize::new(0));
        let count = read.clone();
        let items = std::iter::repeat_with(move || count.fetch_add(1, Ordering::SeqCst));
        let mut chains = OrderedPool::start(2, items, |n| n).unwrap();
        for n in 0..100 {
            assert_eq!(chains.next(|| {}), Some(n));
            // For each chain: waiting, at work, done; and the one in the dealer's hand.
            assert!(read.load(Ordering::SeqCst) <= n + 1 + 2 * (2 * WAITING + 1) + 1);
        }
    }

    #[test]
    #[should_panic(expected = "fell")]
    fn a_thread_that_falls_is_no_end() {
        all(OrderedPool::start(2, 0..5, |n| assert_ne!(n, 3, "fell")).unwrap());
    }
}
