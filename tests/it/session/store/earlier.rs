//! Stores that earlier releases wrote. Each version of the tables has one in `tests/stores`, and it is never written again.
//!
//! `UPDATE_STORES=1` writes that of a version that has none yet.

use super::{Place, again, build, contents, frozen, id, tell};
use promptc::session::store::{NewBuild, Reason, Session, Store};
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
    // The first versions had neither.
    let (files, record) = (Vec::new(), Vec::new());
    NewBuild {
        reason,
        files,
        record,
        ..short
    }
}

fn first() -> NewBuild {
    short("first", Reason::First, 1_700_000_000)
}

fn second() -> NewBuild {
    short("second", Reason::Idle(300), 1_700_000_500)
}

/// Puts into a store what each of them holds.
fn fill(store: &mut dyn Store) {
    frozen(store.freeze(&id("a"), None, &first()).unwrap());
    again(store, &id("a"), &second());
    frozen(store.freeze(&id("é b"), None, &first()).unwrap());
    tell(store, &id("a"), 1_700_000_600, "told");
    store.touch(&id("a"), 1_700_000_700).unwrap();
    store
        .folder_rules(&id("a"), &["src".into(), "docs".into()], 1_700_000_800)
        .unwrap();
}

/// All of it but what is drawn by lot in each store.
fn sessions(store: &mut dyn Store) -> Vec<Session> {
    let mut sessions = store.sessions().unwrap();
    for session in &mut sessions {
        assert!(!std::mem::take(&mut session.build.id).is_empty());
    }
    sessions
}

#[test]
fn a_store_of_each_version_is_read_and_written() {
    let made = Place::new();
    let mut store = made.open();
    fill(&mut store);
    let expected = sessions(&mut store);
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
        assert_eq!(store.verify().unwrap(), [], "{version}");
        assert_eq!(sessions(&mut store), expected, "{version}");
        let builds = store.builds(&id("a")).unwrap();
        assert_eq!(contents(&mut store, &builds[0]), first());
        assert_eq!(contents(&mut store, &builds[1]), second());
        assert_eq!(store.directory_rules(&id("a")).unwrap(), ["docs", "src"]);
        tell(&mut store, &id("a"), 1, "told again");
        let session = again(&mut store, &id("a"), &build("new", 1));
        assert_eq!(place.open().session(&id("a")).unwrap(), Some(session));
        assert_eq!(store.verify().unwrap(), []);
    }
}
