//! The store of sessions, through its trait.

mod behaviour;
mod beside;
mod child;
mod earlier;
mod flips;
mod directory_rules;
mod kinds;
mod laws;
mod location;
mod locked;
mod model;
mod moved;
mod numbers;
mod opening;
mod places;
mod restored;

use kinds::Kind;
use promptc::prompt::Deliver;
use promptc::session::store::sqlite::{self, Sqlite};
use promptc::session::store::{Build, Freeze, NewBuild, Reason, Session, SessionId, Store};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The location of a store in the tests: in a folder of its own.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join(".promptc")
    }

    fn file(&self) -> PathBuf {
        self.folder().join("store.db")
    }

    fn open(&self) -> Sqlite {
        open(&self.file())
    }

    /// A file that SQLite keeps next to the store.
    fn beside(&self, end: &str) -> PathBuf {
        self.folder().join(format!("store.db{end}"))
    }
}

fn open(path: &Path) -> Sqlite {
    sqlite::open(path, 10).unwrap()
}

fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

/// A build whose texts all contain `word`, a few kilobytes long.
fn build(word: &str, at: i64) -> NewBuild {
    let long = |what: &str| format!("{what} {word} ").repeat(200);
    NewBuild {
        at,
        reason: Reason::First,
        terms: format!("terms {word}"),
        texts: [
            (Deliver::System, long("system")),
            (Deliver::Tools, long("tools")),
        ]
        .into(),
        map: format!("map {word}"),
        plan: "plan".into(),
        files: vec!["manifest".into(), "template".into()],
        inputs: format!("inputs {word}"),
        record: vec!["record".into(), "document".into()],
        imported: false,
    }
}

fn frozen(freeze: Freeze) -> Session {
    match freeze {
        Freeze::Frozen(session) => session,
        other => panic!("{other:?}"),
    }
}

/// The newest build of a session.
fn newest(store: &mut dyn Store, name: &SessionId) -> Build {
    store.session(name).unwrap().unwrap().build
}

/// Rebuilds an existing session.
fn again(store: &mut dyn Store, name: &SessionId, build: &NewBuild) -> Session {
    let newest = newest(store, name);
    frozen(store.freeze(name, Some(&newest), build).unwrap())
}

/// Notes that the current drift of a session was reported.
fn tell(store: &mut dyn Store, name: &SessionId, at: i64, prompt: &str) {
    let Session {
        build, delivered, ..
    } = store.session(name).unwrap().unwrap();
    let told = store.deliver(name, &build, delivered.as_ref(), at, &[prompt.to_owned()]);
    assert!(told.unwrap());
}

/// A build that no other store has.
fn stranger(kind: &Kind) -> Build {
    let store = kind.empty();
    frozen(store.open().freeze(&id("a"), None, &build("s", 1)).unwrap()).build
}

/// All that a build refers to, read back.
fn contents(store: &mut dyn Store, build: &Build) -> NewBuild {
    let mut read = |key| store.content(key).unwrap();
    NewBuild {
        at: build.at,
        reason: build.reason.clone(),
        terms: build.terms.clone(),
        texts: build
            .texts
            .iter()
            .map(|(channel, key)| (*channel, read(key)))
            .collect(),
        map: read(&build.map),
        plan: read(&build.plan),
        files: build.files.iter().map(&mut read).collect(),
        inputs: read(&build.inputs),
        record: build.record.iter().map(&mut read).collect(),
        imported: build.imported,
    }
}
