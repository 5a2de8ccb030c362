//! Others hold the store.

use super::kinds::KINDS;
use super::{Place, build, frozen, id};
use promptc::session::store::{Freeze, Store, StoreError, sqlite};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// A process that holds the store for writing.
fn holder(place: &Place) -> rusqlite::Connection {
    let holder = rusqlite::Connection::open(place.file()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    holder
}

#[test]
fn a_timed_out_call_fails_and_has_changed_nothing() {
    let place = Place::new();
    let before = frozen(place.open().freeze(&id("a"), None, &build("a", 1)).unwrap());
    let mut store = sqlite::open(&place.file(), 1).unwrap();
    let holder = holder(&place);
    let start = Instant::now();
    let frozen = store.freeze(&id("b"), None, &build("b", 1));
    assert!(matches!(frozen, Err(StoreError::Busy(1))), "{frozen:?}");
    let waited = start.elapsed();
    assert!(waited >= Duration::from_millis(900), "{waited:?}");
    let touched = store.touch(&id("a"), 9);
    // It is worth no wait.
    assert!(matches!(touched, Err(StoreError::Busy(0))), "{touched:?}");
    // A reader does not wait.
    assert_eq!(store.session(&id("a")).unwrap().as_ref(), Some(&before));
    assert!(store.touch(&id("a"), 1).unwrap());
    let mut other = sqlite::open(&place.file(), 0).unwrap();
    assert_eq!(other.session(&id("a")).unwrap(), Some(before));
    drop(holder);
    assert_eq!(store.session(&id("b")).unwrap(), None);
    assert!(store.touch(&id("a"), 9).unwrap());
}

#[test]
fn a_call_with_a_long_enough_timeout_succeeds() {
    let place = Place::new();
    let mut store = place.open();
    let holder = holder(&place);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| store.freeze(&id("a"), None, &build("a", 1)).unwrap());
        thread::sleep(Duration::from_millis(300));
        holder.execute_batch("COMMIT").unwrap();
        assert!(matches!(waiting.join().unwrap(), Freeze::Frozen(_)));
    });
}

#[test]
fn of_two_simultaneous_freezes_one_is_first() {
    for kind in KINDS {
        let place = kind.empty();
        for _ in 0..20 {
            let known = place.open().session(&id("a")).unwrap();
            let after = known.map(|session| session.build);
            let barrier = Barrier::new(2);
            let freeze = |word: &str| {
                barrier.wait();
                let store = &mut *place.open();
                store
                    .freeze(&id("a"), after.as_ref(), &build(word, 1))
                    .unwrap()
            };
            let (one, two) = thread::scope(|scope| {
                let one = scope.spawn(|| freeze("one"));
                let two = scope.spawn(|| freeze("two"));
                (one.join().unwrap(), two.join().unwrap())
            });
            match (one, two) {
                (Freeze::Frozen(first), Freeze::Overtaken(second))
                | (Freeze::Overtaken(second), Freeze::Frozen(first)) => assert_eq!(first, second),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(place.open().builds(&id("a")).unwrap().len(), 20);
    }
}
