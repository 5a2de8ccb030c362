//! A store that something else has changed: what is given is what was kept, or an error; never a silent new build.
//!
//! `PROMPTC_FLIPS` says how many times bytes are changed.

use super::{Desk, Dice, Told, codes, codes_in, number, open};
use promptc::session::store::Store as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MANIFEST: &str = r#"promptc 1
name damage
root workspace default="."
session {
    refresh idle="1h"
}
fact who string default=nobody
tier stable changes=session {
    layer who {
        template "For {{ who }}."
    }
    layer rules {
        file "rules.md"
    }
}
tier turn changes=turn deliver=user {
    layer turn {
        template "turn for {{ who }}"
    }
}
"#;

const SESSIONS: [&str; 4] = ["a", "b", "c", "d"];
const BEGIN: &str = "2026-03-30T09:00:00Z";
const SOON: &str = "2026-03-30T09:01:00Z";

/// The possible messages about a damaged store.
const TOLD: [&str; 3] = ["store-damaged", "not-a-store", "store-too-new"];

struct Kept {
    desk: Desk,
    told: BTreeMap<&'static str, Told>,
}

/// A store with a few sessions of several builds, all of it in one file.
fn kept() -> Kept {
    let desk = Desk::new(MANIFEST);
    desk.place
        .file("rules.md", "Keep to the rules.\n".repeat(300));
    let mut told = BTreeMap::new();
    for session in SESSIONS {
        let who = format!("who={session}");
        desk.told(session, &["--set", &who, "--now", BEGIN]);
        desk.place
            .file("rules.md", format!("Rules of {session}.\n").repeat(300));
        let last = ["--refresh", "--set", &who, "--now", BEGIN];
        told.insert(session, desk.told(session, &last));
    }
    let wal = desk.store().with_extension("db-wal");
    assert!(
        fs::metadata(wal).map_or(0, |m| m.len()) == 0,
        "a build is settled"
    );
    Kept { desk, told }
}

impl Kept {
    /// The call of a session in another store.
    fn command(&self, session: &str, store: &Path) -> Command {
        let store = store.to_str().unwrap();
        let args = ["--format", "json", "--now", SOON, "--store", store];
        self.desk.command(session, &args)
    }

    /// Asks for a session; the code of the error, if there is one. Anything but that and what was kept fails.
    fn ask(&self, session: &str, store: &Path) -> Option<String> {
        let mut command = self.command(session, store);
        command.args(["--message-format", "json"]);
        let ran = crate::run::run(command, b"");
        if ran.code == 0 {
            let told = Told::read(&ran.stdout);
            let was = &self.told[session];
            assert_eq!(told.state, "restored");
            let same = told.system == was.system && told.user == was.user;
            assert!(
                same && told.number == was.number && told.at == was.at,
                "{told:?}"
            );
            return None;
        }
        let codes = codes_in(&ran.stderr);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(ran.stdout.is_empty());
        let [code] = &codes[..] else {
            panic!("{}", ran.stderr)
        };
        assert!(TOLD.contains(&code.as_str()), "{}", ran.stderr);
        Some(code.clone())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.desk.place.path().join(name)
    }
}

/// Changes a few bytes at one place, each to another value.
fn flip(bytes: &mut [u8], dice: &mut Dice) {
    let many = if dice.once_in(3) {
        1 + dice.below(16)
    } else {
        1
    };
    let at = dice.below(bytes.len() as u64);
    for n in at..(at + many).min(bytes.len() as u64) {
        let byte = &mut bytes[usize::try_from(n).unwrap()];
        *byte ^= u8::try_from(1 + dice.below(255)).unwrap();
    }
}

#[test]
fn flipped_bytes_are_reported_and_never_overwritten() {
    let flips: u32 = number("PROMPTC_FLIPS", 60);
    let (kept, mut dice) = (kept(), Dice::new(2));
    let whole = fs::read(kept.desk.store()).unwrap();
    let mut tally: BTreeMap<String, u32> = BTreeMap::new();
    for n in 0..flips {
        let mut bytes = whole.clone();
        flip(&mut bytes, &mut dice);
        let store = kept.path(&format!("flipped/{n}.db"));
        fs::create_dir_all(store.parent().unwrap()).unwrap();
        fs::write(&store, &bytes).unwrap();
        let session = SESSIONS[usize::try_from(dice.below(4)).unwrap()];
        let said = kept.ask(session, &store);
        *tally
            .entry(said.unwrap_or_else(|| "what was kept".into()))
            .or_default() += 1;
        fs::remove_dir_all(store.parent().unwrap()).unwrap();
    }
    println!(
        "{flips} stores of {} bytes with flipped bytes: {tally:?}",
        whole.len()
    );
    assert!(tally.len() > 1, "{tally:?}");
}

#[test]
fn a_truncated_store_is_reported() {
    let kept = kept();
    let whole = fs::read(kept.desk.store()).unwrap();
    let ends = (1..24)
        .map(|n| whole.len() * n / 24)
        .chain([2, 15, 16, 99, 100, 511, 4095, 4096]);
    for end in ends.chain([whole.len() - 1]) {
        let store = kept.desk.place.file("cut/store.db", &whole[..end]);
        let said = kept.ask("a", &store);
        if said.is_none() {
            // The last page may end with bytes that nothing is kept in.
            assert!(end + 4096 > whole.len(), "{end} of {} bytes", whole.len());
            continue;
        }
        assert_eq!(
            fs::read(&store).unwrap(),
            &whole[..end],
            "nothing was repaired"
        );
        fs::remove_dir_all(store.parent().unwrap()).unwrap();
    }
}

#[test]
fn an_invalid_store_is_reported() {
    let kept = kept();
    let other = kept.path("other.db");
    let database = rusqlite::Connection::open(&other).unwrap();
    database
        .execute_batch("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
        .unwrap();
    drop(database);
    let text = kept.desk.place.file("text.db", "Dear diary,\n".repeat(600));
    let short = kept.desk.place.file("short.db", "xy");
    for store in [other, text, short] {
        let before = fs::read(&store).unwrap();
        assert_eq!(
            kept.ask("a", &store).as_deref(),
            Some("not-a-store"),
            "{store:?}"
        );
        assert_eq!(fs::read(&store).unwrap(), before);
    }
    let folder = kept.path("folder.db");
    fs::create_dir(&folder).unwrap();
    let (code, told) = codes(kept.command("a", &folder));
    assert_eq!((code, told.len()), (3, 1), "{told:?}");
}

#[test]
fn a_store_of_a_newer_release_is_left_alone() {
    let kept = kept();
    let newer = kept.path("newer.db");
    fs::copy(kept.desk.store(), &newer).unwrap();
    let database = rusqlite::Connection::open(&newer).unwrap();
    database.pragma_update(None, "user_version", 7).unwrap();
    drop(database);
    assert_eq!(kept.ask("a", &newer).as_deref(), Some("store-too-new"));
    let database = rusqlite::Connection::open(&newer).unwrap();
    let version: i64 = database
        .pragma_query_value(None, "user_version", |r| r.get(0))
        .unwrap();
    assert_eq!(version, 7);
}

#[test]
fn an_emptied_file_is_damage_and_none_is_a_new_store() {
    let kept = kept();
    let empty = kept.desk.place.file("empty.db", "");
    assert_eq!(kept.ask("a", &empty).as_deref(), Some("store-damaged"));
    fs::write(kept.desk.store(), "").unwrap();
    for args in [&["build", "--session", "a"][..], &["session", "list"]] {
        let ran = kept.desk.place.run(args).exits(3);
        ran.says("error[store-damaged]");
        ran.says("it is empty");
    }
    let ran = kept.desk.place.run(&["session", "verify"]).exits(1);
    ran.shows("it is empty");
    let none = kept.path("none/below/store.db");
    let args = ["--store", none.to_str().unwrap()];
    let told = kept.desk.told("a", &args);
    assert_eq!((&*told.state, told.number), ("built", 1));
    assert_eq!(kept.desk.told("a", &args).state, "restored");
    fs::remove_dir_all(kept.desk.store().parent().unwrap()).unwrap();
    let told = kept.desk.told("a", &[]);
    assert_eq!((&*told.state, told.number), ("built", 1));
}

#[test]
fn a_deleted_row_is_a_lost_session_and_not_a_new_one() {
    let kept = kept();
    let rows = rusqlite::Connection::open(kept.desk.store()).unwrap();
    rows.execute("DELETE FROM session WHERE id = 'b'", [])
        .unwrap();
    rows.execute("DELETE FROM build WHERE session = 'b'", [])
        .unwrap();
    drop(rows);
    let said = kept.ask("b", &kept.desk.store());
    assert_eq!(said.as_deref(), Some("store-damaged"));
    assert!(!open(&kept.desk.store()).verify().unwrap().is_empty());
}

#[test]
fn an_older_copy_of_a_row_is_reported() {
    let kept = kept();
    let rows = rusqlite::Connection::open(kept.desk.store()).unwrap();
    rows.execute("UPDATE session SET newest = 1 WHERE id = 'b'", [])
        .unwrap();
    drop(rows);
    let said = kept.ask("b", &kept.desk.store());
    assert_eq!(said.as_deref(), Some("store-damaged"));
}
