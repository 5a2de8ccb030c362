//! When files are written, how large they are, and which are next to the store.

use super::{Place, build, frozen, id, open};
use promptc::session::store::{Store, Unwanted};
use std::fs;

/// The file and the log of changes.
fn bytes(place: &Place) -> (Vec<u8>, Option<Vec<u8>>) {
    let log = fs::read(place.beside("-wal")).ok();
    (fs::read(place.file()).unwrap(), log)
}

#[test]
fn frozen_data_is_in_the_file_itself_after_the_last_close() {
    let place = Place::new();
    for name in ["a", "b"] {
        frozen(
            place
                .open()
                .freeze(&id(name), None, &build(name, 1))
                .unwrap(),
        );
        assert_eq!(bytes(&place).1, None);
    }
    // A copy of the file alone has all of it.
    let copy = place.0.path().join("copy.db");
    fs::copy(place.file(), &copy).unwrap();
    assert_eq!(open(&copy).sessions().unwrap().len(), 2);
}

#[test]
fn reading_writes_nothing() {
    let place = Place::new();
    let mut store = place.open();
    frozen(store.freeze(&id("a"), None, &build("a", 5)).unwrap());
    store.folder_rules(&id("a"), &["x".into()], 5).unwrap();
    drop(store);
    let before = bytes(&place).0;
    let mut store = place.open();
    let session = store.session(&id("a")).unwrap().unwrap();
    store.content(&session.build.map).unwrap();
    store.sessions().unwrap();
    store.builds(&id("a")).unwrap();
    store.verify().unwrap();
    store.collect(Default::default(), true).unwrap();
    // Nor does what changes nothing.
    assert!(store.touch(&id("a"), 5).unwrap());
    assert!(!store.touch(&id("never"), 5).unwrap());
    assert_eq!(
        store.folder_rules(&id("a"), &["x".into()], 9).unwrap(),
        [""; 0]
    );
    drop(store);
    let (file, log) = bytes(&place);
    assert!(file == before, "the file was written");
    assert!(log.is_none_or(|log| log.is_empty()), "the log was written");
}

#[test]
fn a_touch_is_logged_and_seen_by_others() {
    let place = Place::new();
    frozen(place.open().freeze(&id("a"), None, &build("a", 5)).unwrap());
    let before = bytes(&place).0;
    assert!(place.open().touch(&id("a"), 6).unwrap());
    assert!(bytes(&place).0 == before, "a touch waits for the disk");
    assert_eq!(place.open().session(&id("a")).unwrap().unwrap().used, 6);
}

#[test]
fn the_log_stays_short_during_reads() {
    let place = Place::new();
    let mut store = place.open();
    frozen(store.freeze(&id("a"), None, &build("a", 0)).unwrap());
    let reader = rusqlite::Connection::open(place.file()).unwrap();
    for round in 0..1500 {
        // There is always one who reads, and never one for long.
        let _ = reader.execute_batch("COMMIT");
        reader
            .execute_batch("BEGIN; SELECT * FROM sqlite_schema")
            .unwrap();
        if round % 300 == 299 {
            reader.execute_batch("COMMIT").unwrap();
        }
        store.touch(&id("a"), round).unwrap();
    }
    let length = place.beside("-wal").metadata().unwrap().len();
    assert!(length < 5 << 20, "{length}");
}

#[test]
fn a_stale_shared_file_is_harmless() {
    let place = Place::new();
    frozen(place.open().freeze(&id("a"), None, &build("a", 5)).unwrap());
    assert!(place.open().touch(&id("a"), 6).unwrap());
    for garbage in [vec![], vec![0xff; 32768], vec![0; 32768], vec![7; 100]] {
        fs::write(place.beside("-shm"), garbage).unwrap();
        assert_eq!(place.open().session(&id("a")).unwrap().unwrap().used, 6);
    }
}

#[test]
#[cfg(unix)]
fn a_link_leads_to_the_store_with_its_log() {
    let place = Place::new();
    let link = place.0.path().join("link.db");
    std::os::unix::fs::symlink(place.file(), &link).unwrap();
    fs::create_dir(place.folder()).unwrap();
    frozen(open(&link).freeze(&id("a"), None, &build("a", 5)).unwrap());
    assert!(open(&link).touch(&id("a"), 6).unwrap());
    assert_eq!(place.open().session(&id("a")).unwrap().unwrap().used, 6);
    assert!(fs::symlink_metadata(link).unwrap().is_symlink());
}

#[test]
fn a_collection_gives_room_back() {
    let place = Place::new();
    let mut store = place.open();
    for n in 0..200 {
        let given = build(&format!("session {n}"), n);
        frozen(store.freeze(&id(&format!("s{n}")), None, &given).unwrap());
    }
    drop(store);
    let size = || place.file().metadata().unwrap().len();
    let full = size();
    let mut store = place.open();
    let unwanted = Unwanted {
        unused_since: Some(190),
        builds_beyond: None,
    };
    assert_eq!(store.collect(unwanted, false).unwrap().sessions.len(), 190);
    drop(store);
    assert!(size() < full / 4, "{} of {full}", size());
    assert_eq!(place.open().sessions().unwrap().len(), 10);
}

#[test]
fn a_content_is_stored_once() {
    let place = Place::new();
    let mut store = place.open();
    let mut one = build("one", 1);
    one.map = "m".repeat(1_000_000);
    for n in 0..10 {
        frozen(store.freeze(&id(&n.to_string()), None, &one).unwrap());
    }
    drop(store);
    assert!(place.file().metadata().unwrap().len() < 2_000_000);
}
