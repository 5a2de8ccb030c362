//! Commands that remove sessions work on a full disk.
//!
//! Only root may mount a small disk: elsewhere this is said and left out.

use super::disturbed::{strace, strace_of};
use crate::run::{PROGRAM, Place, Ran, run};
use crate::session::builds::disk::Disk;
use promptc::prompt::Deliver;
use promptc::session::store::{Freeze, NewBuild, Reason, SessionId, Store, StoreError, sqlite};
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Command;

/// The size that a whole reserve has.
const RESERVE: u64 = 1 << 20;

/// A place with a small disk and a store on it.
struct Small {
    place: Place,
    disk: Disk,
}

impl Small {
    fn new(size: &str) -> Option<Self> {
        let place = Place::new();
        let disk = Disk::new(place.path().join("disk"), size)?;
        Some(Self { place, disk })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.disk.0.join(name)
    }

    fn command(&self, runner: &[String], args: &[&str]) -> Command {
        let words: Vec<&str> = runner
            .iter()
            .map(String::as_str)
            .chain([PROGRAM, "session"])
            .collect();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .args(args)
            .args(["--store", "disk/store.db"])
            .current_dir(self.place.path());
        command
    }

    fn session(&self, args: &[&str]) -> Ran {
        run(self.command(&[], args), b"")
    }

    fn store(&self) -> impl Store {
        sqlite::open(&self.path("store.db"), 10).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.disk.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
        names.sort();
        names
    }

    /// Takes all room that is left.
    fn fill(&self) {
        let mut rest = File::options()
            .append(true)
            .create(true)
            .open(self.path("rest"))
            .unwrap();
        while rest.write_all(&[0; 512]).is_ok() || rest.write_all(&[0]).is_ok() {}
    }

    /// Builds so many sessions, or fewer if one does not fit; how many are kept.
    fn sessions(&self, most: usize) -> usize {
        let mut store = self.store();
        for n in 0..most {
            match store.freeze(&id(&format!("s{n}")), None, &build(n)) {
                Ok(_) => {}
                Err(StoreError::Full) => return n,
                Err(error) => panic!("{error}"),
            }
        }
        most
    }

    fn whole(&self) -> usize {
        self.session(&["verify"]).exits(0);
        self.store().sessions().unwrap().len()
    }
}

fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

fn build(n: usize) -> NewBuild {
    NewBuild {
        at: 1,
        reason: Reason::First,
        terms: "terms".into(),
        texts: [(Deliver::System, format!("Rule {n}. ").repeat(3000))].into(),
        map: "map".into(),
        plan: "plan".into(),
        files: vec!["manifest".into(), "template".into()],
        inputs: "inputs".into(),
        record: vec!["record".into(), "document".into()],
        imported: false,
    }
}

#[test]
fn sessions_are_removed_and_collected_on_a_full_disk() {
    let Some(small) = Small::new("24M") else {
        return;
    };
    // A session of more builds than the reserve has room for, and one of a text that is larger than it.
    let mut store = small.store();
    let mut newest = None;
    for n in 0..4000 {
        let terms = "terms ".repeat(60);
        let build = NewBuild {
            terms,
            ..build(n % 2)
        };
        match store.freeze(&id("long"), newest.as_ref(), &build).unwrap() {
            Freeze::Frozen(session) => newest = Some(session.build),
            other => panic!("{other:?}"),
        }
    }
    let map = "large ".repeat(400_000);
    let large = NewBuild { map, ..build(0) };
    store.freeze(&id("wide"), None, &large).unwrap();
    drop(store);
    let reserve = small.path("store.db-reserve").metadata().unwrap();
    assert_eq!(reserve.permissions().mode() & 0o777, 0o600);
    assert_eq!(reserve.len(), RESERVE);
    assert!(reserve.blocks() * 512 >= RESERVE, "its room is taken");
    let kept = small.sessions(usize::MAX);
    small.fill();
    assert!(kept > 100, "{kept}");
    assert_eq!(small.whole(), kept + 2);
    // Each alone, more often than the reserve would have room for.
    for n in 0..20 {
        small.session(&["rm", &format!("s{n}")]).exits(0);
        small.fill_all_but_the_reserve();
    }
    small.session(&["rm", "long"]).exits(0);
    assert_eq!(small.whole(), kept + 1 - 20);
    let size = || small.path("store.db").metadata().unwrap().len();
    let before = size();
    let ran = small.session(&["gc", "--unused", "1d"]).exits(0);
    let sum = format!("{} sessions", kept + 1 - 20);
    ran.shows(&sum);
    assert_eq!(small.whole(), 0);
    assert!(size() < before / 4, "{before} bytes became {}", size());
    assert_eq!(small.names(), ["rest", "store.db", "store.db-reserve"]);
    let reserve = small.path("store.db-reserve").metadata().unwrap();
    assert_eq!(reserve.len(), RESERVE, "there is room for it again");
    let bytes = fs::read(small.path("store.db")).unwrap();
    assert!(
        !bytes.windows(6).any(|w| w == b"large " || w == b"Rule 1"),
        "a text that was collected is not left"
    );
}

impl Small {
    /// Takes what room there is, as other programs do, while the reserve stays what it is.
    fn fill_all_but_the_reserve(&self) {
        let reserve = self.path("store.db-reserve").metadata().unwrap();
        assert!(reserve.len() > RESERVE / 2, "{}", reserve.len());
        self.fill();
    }
}

/// Whatever call it is killed before, the store is whole, and the same command goes on.
#[test]
fn a_process_killed_on_a_full_disk_leaves_an_intact_store() {
    if !strace() {
        return;
    }
    let mut killed = 0;
    for args in [&["rm", "s1"][..], &["gc", "--unused", "1d"]] {
        for (calls, step) in [
            ("pwrite64", 29),
            ("unlink", 1),
            ("ftruncate", 5),
            ("fdatasync", 9),
        ] {
            let Some(small) = Small::new("6M") else {
                return;
            };
            let made = small.sessions(usize::MAX);
            small.fill();
            for number in (1..).step_by(step) {
                let how = format!("signal=KILL:when={number}");
                let runner = strace_of(calls, Some(&how), "/dev/null");
                let ran = run(small.command(&runner, args), b"");
                let left = small.whole();
                assert!(left <= made, "{args:?}, before {calls} {number}");
                if ran.code != -1 {
                    // One that is gone already is unknown.
                    assert!(ran.code == 0 || left < made, "{args:?}:\n{}", ran.stderr);
                    break;
                }
                killed += 1;
            }
            small.session(&["gc", "--unused", "1d"]).exits(0);
            assert_eq!(small.whole(), 0);
            assert_eq!(small.names(), ["rest", "store.db", "store.db-reserve"]);
        }
    }
    assert!(killed > 20, "{killed}");
}

#[test]
fn a_reserve_is_a_file_of_the_stores_own() {
    let Some(small) = Small::new("8M") else {
        return;
    };
    let reserve = small.path("store.db-reserve");
    let secret = small.place.file("secret", "theirs");
    symlink(&secret, &reserve).unwrap();
    let kept = small.sessions(30);
    small.fill();
    small.session(&["rm", "s0"]).exits(3);
    assert_eq!(small.whole(), kept);
    assert!(reserve.is_symlink());
    assert_eq!(fs::read_to_string(secret).unwrap(), "theirs");
    // Nor does a file go that is something else.
    fs::remove_file(&reserve).unwrap();
    fs::remove_file(small.path("rest")).unwrap();
    fs::write(&reserve, "theirs").unwrap();
    small.session(&["rm", "s1"]).exits(0);
    assert_eq!(fs::read_to_string(&reserve).unwrap(), "theirs");
    // The unfinished work of a killed process is finished.
    fs::write(&reserve, "promptc keeps").unwrap();
    small.session(&["gc", "--unused", "1d"]).exits(0);
    small.store().freeze(&id("a"), None, &build(1)).unwrap();
    assert_eq!(reserve.metadata().unwrap().len(), RESERVE);
}

/// Each transaction waits for the disk, so a page must not be one.
#[test]
fn room_is_given_back_in_few_transactions() {
    if !strace() {
        return;
    }
    let Some(small) = Small::new("12M") else {
        return;
    };
    small.sessions(200);
    let pages = small.path("store.db").metadata().unwrap().len() / 4096;
    let log = small.place.path().join("log");
    let log = log.to_str().unwrap();
    let runner = strace_of("fsync,fdatasync", None, log);
    let args = ["gc", "--unused", "1d"];
    run(small.command(&runner, &args), b"").exits(0);
    let waits = fs::read_to_string(log).unwrap().lines().count();
    assert!(pages > 1000 && waits < 50, "{waits} for {pages} pages");
}
