//! Steps that depend on earlier reads, after another process was there.

use super::kinds::KINDS;
use super::{again, build, frozen, id, tell};
use promptc::session::store::{Freeze, Key, Store};

#[test]
fn a_concurrent_report_is_not_overwritten() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        frozen(store.freeze(&id("a"), None, &build("one", 1)).unwrap());
        // One process reads and is slow; another reads newer data, and reports it.
        let slow = store.session(&id("a")).unwrap().unwrap();
        tell(store, &id("a"), 5, "three");
        let deliver = |store: &mut dyn Store, told: Option<_>| {
            store.deliver(&id("a"), &slow.build, told, 6, &["two".into()])
        };
        assert!(!deliver(store, slow.delivered.as_ref()).unwrap());
        let told = store.session(&id("a")).unwrap().unwrap().delivered;
        assert_eq!(told.as_ref().unwrap().prompt, [Key::of("three")]);
        // A process that knows of that may report more.
        assert!(deliver(store, told.as_ref()).unwrap());
        assert!(!deliver(store, told.as_ref()).unwrap());
        assert!(!deliver(store, None).unwrap());
        assert_eq!(store.verify().unwrap(), []);
    }
}

/// Removed and built again in the same second, from the same, a session is another one.
#[test]
fn a_session_that_replaces_another_is_distinguished_from_it() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        let new = build("one", 1);
        let was = frozen(store.freeze(&id("a"), None, &new).unwrap());
        assert!(store.remove(&id("a")).unwrap());
        let is = frozen(store.freeze(&id("a"), None, &new).unwrap());
        assert_ne!(was.build.id, is.build.id);
        let same = super::Build {
            id: was.build.id.clone(),
            ..is.build.clone()
        };
        assert_eq!(same, was.build);
        let told = store.deliver(&id("a"), &was.build, None, 2, &["told".into()]);
        assert!(!told.unwrap(), "nobody told the new one");
        let refreshed = store.freeze(&id("a"), Some(&was.build), &build("two", 2));
        assert_eq!(refreshed.unwrap(), Freeze::Overtaken(is.clone()));
        assert_eq!(again(store, &id("a"), &build("two", 2)).build.number, 2);
        // So is one that was imported.
        assert!(store.remove(&id("a")).unwrap());
        assert!(store.import(&id("a"), 1, &[(1, new)]).unwrap());
        let told = store.deliver(&id("a"), &is.build, None, 2, &["told".into()]);
        assert!(!told.unwrap());
        assert_eq!(store.verify().unwrap(), []);
    }
}
