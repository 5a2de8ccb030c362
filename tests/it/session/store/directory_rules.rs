//! The notes about directory rules: when a session last asked, and which directory rules were taken back.

use super::kinds::KINDS;
use super::{build, frozen, id};
use promptc::session::store::{Store, StoreError, Unwanted};

const HOUR: i64 = 3600;

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// Whether directory rules of session `a` would be collected if those before `since` are not wanted.
fn is_unused(store: &mut dyn Store, since: i64) -> bool {
    let unwanted = Unwanted {
        unused_since: Some(since),
        builds_beyond: None,
    };
    store.collect(unwanted, true).unwrap().directory_rules > 0
}

#[test]
fn the_last_use_of_hints_is_noted_to_the_hour() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        store.folder_rules(&id("a"), &names(&["x"]), 10).unwrap();
        store.folder_rules(&id("a"), &[], HOUR).unwrap();
        assert!(is_unused(store, 11), "not an hour later");
        store
            .folder_rules(&id("a"), &names(&["x"]), HOUR + 10)
            .unwrap();
        assert!(!is_unused(store, HOUR + 10));
        assert!(is_unused(store, HOUR + 11));
        // A clock that is behind by less does not turn it back, one that was ahead is corrected.
        store.folder_rules(&id("a"), &names(&["y"]), 100).unwrap();
        assert!(!is_unused(store, HOUR + 10));
        store.folder_rules(&id("a"), &[], i64::MAX).unwrap();
        store.folder_rules(&id("a"), &[], 10).unwrap();
        assert!(is_unused(store, 11));
        // A session without directory rules leaves no trace.
        store.folder_rules(&id("never"), &[], 10).unwrap();
        assert!(!store.remove(&id("never")).unwrap());
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn a_retracted_note_can_be_made_again() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        store.folder_rules(&id("a"), &names(&["x"]), 1).unwrap();
        store
            .folder_rules(&id("a"), &names(&["y", "z"]), 2)
            .unwrap();
        store
            .forget_directory_rules(&id("a"), &names(&["y", "z", "w"]))
            .unwrap();
        assert_eq!(store.directory_rules(&id("a")).unwrap(), ["x"]);
        assert_eq!(
            store.folder_rules(&id("a"), &names(&["y"]), 3).unwrap(),
            ["y"]
        );
        store
            .forget_directory_rules(&id("a"), &names(&["x", "y"]))
            .unwrap();
        assert!(!store.remove(&id("a")).unwrap(), "nothing is left of it");
        store
            .forget_directory_rules(&id("b"), &names(&["x"]))
            .unwrap();
        assert_eq!(store.verify().unwrap(), []);
    }
}

/// To ask for directory rules are to ask for the session.
#[test]
fn a_session_with_recent_hints_is_not_collected() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        for name in ["a", "b"] {
            frozen(store.freeze(&id(name), None, &build(name, 10)).unwrap());
        }
        store.folder_rules(&id("a"), &names(&["x"]), 100).unwrap();
        let unwanted = Unwanted {
            unused_since: Some(50),
            builds_beyond: None,
        };
        let collected = store.collect(unwanted, false).unwrap();
        assert_eq!(collected.sessions, [id("b")]);
        assert_eq!(store.directory_rules(&id("a")).unwrap(), ["x"]);
    }
}

#[test]
fn a_session_of_hints_alone_is_removed() -> Result<(), StoreError> {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        store.folder_rules(&id("a"), &names(&["x"]), 1)?;
        assert!(store.remove(&id("a"))?);
        assert!(!store.remove(&id("a"))?);
        assert_eq!(store.directory_rules(&id("a"))?, [""; 0]);
    }
    Ok(())
}
