//! The notes about hints: when a session last asked, and which hints were taken back.

use super::kinds::KINDS;
use super::{build, frozen, id};
use promptc::session::store::{Store, StoreError, Unwanted};

const HOUR: i64 = 3600;

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// Whether hints of session `a` would be collected if those before `since` are not wanted.
fn is_unused(store: &mut dyn Store, since: i64) -> bool {
    let unwanted = Unwanted {
        unused_since: Some(since),
        builds_beyond: None,
    };
    store.collect(unwanted, true).unwrap().hints > 0
}

#[test]
fn the_last_use_of_hints_is_noted_to_the_hour() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        store.hint(&id("a"), &names(&["x"]), 10).unwrap();
        store.hint(&id("a"), &[], HOUR).unwrap();
        assert!(is_unused(store, 11), "not an hour later");
        store.hint(&id("a"), &names(&["x"]), HOUR + 10).unwrap();
        assert!(!is_unused(store, HOUR + 10));
        assert!(is_unused(store, HOUR + 11));
        // A clock that is behind by less does not turn it back, one that was ahead is corrected.
        store.hint(&id("a"), &names(&["y"]), 100).unwrap();
        assert!(!is_unused(store, HOUR + 10));
        store.hint(&id("a"), &[], i64::MAX).unwrap();
        store.hint(&id("a"), &[], 10).unwrap();
        assert!(is_unused(store, 11));
        // A session without hints leaves no trace.
        store.hint(&id("never"), &[], 10).unwrap();
        assert!(!store.remove(&id("never")).unwrap());
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn a_retracted_note_can_be_made_again() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        store.hint(&id("a"), &names(&["x"]), 1).unwrap();
        store.hint(&id("a"), &names(&["y", "z"]), 2).unwrap();
        store.unhint(&id("a"), &names(&["y", "z", "w"])).unwrap();
        assert_eq!(store.hinted(&id("a")).unwrap(), ["x"]);
        assert_eq!(store.hint(&id("a"), &names(&["y"]), 3).unwrap(), ["y"]);
        store.unhint(&id("a"), &names(&["x", "y"])).unwrap();
        assert!(!store.remove(&id("a")).unwrap(), "nothing is left of it");
        store.unhint(&id("b"), &names(&["x"])).unwrap();
        assert_eq!(store.verify().unwrap(), []);
    }
}

/// To ask for hints is to ask for the session.
#[test]
fn a_session_with_recent_hints_is_not_collected() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        for name in ["a", "b"] {
            frozen(store.freeze(&id(name), None, &build(name, 10)).unwrap());
        }
        store.hint(&id("a"), &names(&["x"]), 100).unwrap();
        let unwanted = Unwanted {
            unused_since: Some(50),
            builds_beyond: None,
        };
        let collected = store.collect(unwanted, false).unwrap();
        assert_eq!(collected.sessions, [id("b")]);
        assert_eq!(store.hinted(&id("a")).unwrap(), ["x"]);
    }
}

#[test]
fn a_session_of_hints_alone_is_removed() -> Result<(), StoreError> {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        store.hint(&id("a"), &names(&["x"]), 1)?;
        assert!(store.remove(&id("a"))?);
        assert!(!store.remove(&id("a"))?);
        assert_eq!(store.hinted(&id("a"))?, [""; 0]);
    }
    Ok(())
}
