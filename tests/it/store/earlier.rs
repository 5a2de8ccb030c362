//! Stores that earlier releases wrote. Each version of the tables has one in `tests/stores`, and it is never written again.
//!
//! `UPDATE_STORES=1` writes that of a version that has none yet.

use super::{Place, build, contents, frozen, id};
use promptc::store::{NewBuild, Reason, Store};
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores")
}

/// A short build, so that the file is small.
fn short(word: &str, reason: Reason, at: i64) -> NewBuild {
    let mut short = build(word, at);
    for text in short.texts.values_mut() {
        text.truncate(40);
    }
    NewBuild { reason, ..short }
}

fn first() -> NewBuild {
    short("first", Reason::First, 1_700_000_000)
}

fn second() -> NewBuild {
    short("second", Reason::Idle(300), 1_700_000_500)
}

/// Puts into a store what each of them holds.
fn fill(store: &mut impl Store) {
    frozen(store.freeze(&id("a"), None, &first()).unwrap());
    frozen(store.freeze(&id("a"), Some(1), &second()).unwrap());
    frozen(store.freeze(&id("é b"), None, &first()).unwrap());
    store.deliver(&id("a"), 2, 1_700_000_600, "told").unwrap();
    store.touch(&id("a"), 1_700_000_700).unwrap();
    store
        .hint(&id("a"), &["src".into(), "docs".into()], 1_700_000_800)
        .unwrap();
}

#[test]
fn a_store_of_each_version_is_read_and_written() {
    let made = Place::new();
    let mut store = made.open();
    fill(&mut store);
    let expected = store.sessions().unwrap();
    drop(store);
    let newest = rusqlite::Connection::open(made.file()).unwrap();
    let newest: u32 = newest
        .pragma_query_value(None, "user_version", |r| r.get(0))
        .unwrap();
    let file = folder().join(format!("{newest}.db"));
    if std::env::var_os("UPDATE_STORES").is_some() && !file.exists() {
        fs::create_dir_all(folder()).unwrap();
        let copy = rusqlite::Connection::open(made.file()).unwrap();
        copy.execute("VACUUM INTO ?1", [file.to_str().unwrap()])
            .unwrap();
    }
    for version in 1..=newest {
        let place = Place::new();
        fs::create_dir(place.folder()).unwrap();
        fs::copy(folder().join(format!("{version}.db")), place.file()).unwrap();
        let mut store = place.open();
        assert_eq!(store.verify().unwrap(), [""; 0], "{version}");
        assert_eq!(store.sessions().unwrap(), expected, "{version}");
        let builds = store.builds(&id("a")).unwrap();
        assert_eq!(contents(&mut store, &builds[0]), first());
        assert_eq!(contents(&mut store, &builds[1]), second());
        assert_eq!(store.hinted(&id("a")).unwrap(), ["docs", "src"]);
        let session = frozen(store.freeze(&id("a"), Some(2), &build("new", 1)).unwrap());
        assert_eq!(place.open().session(&id("a")).unwrap(), Some(session));
        assert_eq!(store.verify().unwrap(), [""; 0]);
    }
}
