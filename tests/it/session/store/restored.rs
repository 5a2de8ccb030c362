//! A session with what it keeps, read at one time.

use super::kinds::KINDS;
use super::{Place, again, build, frozen, id, tell};
use promptc::session::store::{Build, Key, Session, Store, StoreError, Unwanted};
use std::fs;

fn all(_: &Session, build: &Build) -> Vec<Key> {
    build.contents()
}

#[test]
fn a_build_is_read_with_the_requested_parts() {
    for kind in KINDS {
        let place = kind.empty();
        let store = &mut *place.open();
        assert_eq!(store.restore(&id("a"), None, &all).unwrap(), None);
        frozen(store.freeze(&id("a"), None, &build("one", 1)).unwrap());
        let session = again(store, &id("a"), &build("two", 2));
        tell(store, &id("a"), 3, "told");
        for (number, word) in [(None, "two"), (Some(2), "two"), (Some(1), "one")] {
            let restored = store.restore(&id("a"), number, &all).unwrap().unwrap();
            assert_eq!(restored.session.build, session.build);
            assert_eq!(restored.build.number, number.unwrap_or(2));
            assert_eq!(restored.contents.len(), 9);
            let given = build(word, 0);
            assert_eq!(restored.content(&restored.build.map).unwrap(), given.map);
            for (deliver, key) in &restored.build.texts {
                assert_eq!(restored.content(key).unwrap(), given.texts[deliver]);
            }
            let other = restored.content(&Key::of("told"));
            assert!(matches!(other, Err(StoreError::Other(_))), "{other:?}");
        }
        assert_eq!(store.restore(&id("a"), Some(3), &all).unwrap(), None);
        assert_eq!(store.restore(&id("a"), Some(u64::MAX), &all).unwrap(), None);
        let told = |session: &Session, _: &Build| {
            let told = session.delivered.as_ref();
            told.map_or_else(Vec::new, |told| told.prompt.clone())
        };
        let restored = store.restore(&id("a"), None, &told).unwrap().unwrap();
        assert_eq!(restored.contents, [(Key::of("told"), "told".into())].into());
        let nothing = store.restore(&id("a"), None, &|_, _| Vec::new());
        assert!(nothing.unwrap().unwrap().contents.is_empty());
    }
}

/// That a content is gone since its name was read is no damage, whatever else is damaged in the store.
#[test]
fn damage_elsewhere_does_not_affect_removed_data() {
    let place = Place::new();
    let mut store = place.open();
    frozen(store.freeze(&id("damaged"), None, &build("d", 1)).unwrap());
    let old = frozen(store.freeze(&id("a"), None, &build("one", 1)).unwrap());
    again(&mut store, &id("a"), &build("two", 2));
    let unwanted = Unwanted {
        builds_beyond: Some(1),
        ..Unwanted::default()
    };
    store.collect(unwanted, false).unwrap();
    drop(store);
    let text = b"terms d";
    let mut bytes = fs::read(place.file()).unwrap();
    let at = bytes.windows(text.len()).position(|w| w == text);
    let at = at.expect("the log is worked into the file");
    bytes[at] ^= 1;
    fs::write(place.file(), bytes).unwrap();
    let mut store = place.open();
    let damaged = store.session(&id("damaged"));
    assert!(
        matches!(damaged, Err(StoreError::Damaged(_))),
        "{damaged:?}"
    );
    let read = store.content(&old.build.map);
    assert!(matches!(read, Err(StoreError::Gone)), "{read:?}");
    let restored = store.restore(&id("a"), None, &all).unwrap().unwrap();
    assert_eq!(restored.build.number, 2);
}

/// A content that is referred to and not there is damage, also among others.
#[test]
fn missing_parts_of_a_build_are_damage() {
    let place = Place::new();
    let mut store = place.open();
    let kept = frozen(store.freeze(&id("a"), None, &build("one", 1)).unwrap()).build;
    let raw = rusqlite::Connection::open(place.file()).unwrap();
    raw.execute("DELETE FROM content WHERE text = ?1", ["map one"])
        .unwrap();
    for read in [
        store.restore(&id("a"), None, &all).map(drop),
        store.content(&kept.map).map(drop),
    ] {
        assert!(matches!(read, Err(StoreError::Damaged(_))), "{read:?}");
    }
    let texts = |_: &Session, build: &Build| build.texts.values().cloned().collect();
    assert!(store.restore(&id("a"), None, &texts).is_ok());
}
