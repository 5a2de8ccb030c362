//! The files in place of a store, and their handling.

use super::{Place, build, child, frozen, id, open};
use promptc::session::store::{Store, StoreError, sqlite};
use std::fs;

#[test]
fn a_store_is_made_with_its_folder_for_the_user_alone() {
    let place = Place::new();
    let file = place.0.path().join("above/.promptc/store.db");
    let mut store = open(&file);
    frozen(store.freeze(&id("a"), None, &build("a", 1)).unwrap());
    assert!(file.is_file());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(file.parent().unwrap()), 0o700);
        for entry in file.parent().unwrap().read_dir().unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
}

/// A store is put in its place whole, so that a file without anything in it was emptied by something else.
#[test]
fn an_emptied_file_is_no_new_store() {
    let place = Place::new();
    frozen(place.open().freeze(&id("a"), None, &build("a", 1)).unwrap());
    fs::write(place.file(), "").unwrap();
    for _ in 0..2 {
        assert!(sqlite::exists(&place.file()));
        let opened = sqlite::open(&place.file(), 1);
        assert!(matches!(opened, Err(StoreError::Damaged(_))), "{opened:?}");
    }
    assert_eq!(fs::read(place.file()).unwrap(), b"");
    fs::remove_file(place.file()).unwrap();
    assert!(!sqlite::exists(&place.file()));
    assert_eq!(place.open().sessions().unwrap(), []);
}

/// The last changes may be in the log of changes alone: it is not dropped with a missing file.
#[test]
fn a_log_without_its_file_is_left_alone() {
    for empty in [true, false] {
        let place = Place::new();
        let mut store = place.open();
        frozen(store.freeze(&id("a"), None, &build("a", 1)).unwrap());
        store.touch(&id("a"), 9).unwrap();
        let log = place.folder().join("store.db-wal");
        // By another process: one that closes a file loses all its locks on it.
        let copy = |from: &str, to: &str| {
            let mut cp = std::process::Command::new("cp");
            let ran = cp
                .arg(place.folder().join(from))
                .arg(place.0.path().join(to));
            assert!(ran.status().unwrap().success());
        };
        copy("store.db-wal", "kept");
        drop(store);
        fs::remove_file(place.file()).unwrap();
        let kept = fs::read(place.0.path().join("kept")).unwrap();
        assert!(!kept.is_empty());
        fs::write(&log, &kept).unwrap();
        if empty {
            fs::write(place.file(), "").unwrap();
        }
        assert!(sqlite::exists(&place.file()), "{empty}");
        let opened = sqlite::open(&place.file(), 1);
        assert!(matches!(opened, Err(StoreError::Damaged(_))), "{opened:?}");
        assert_eq!(fs::read(&log).unwrap(), kept);
        assert_eq!(place.file().exists(), empty);
    }
}

/// A process that looks while a store is created finds none or a complete one.
#[test]
fn a_store_is_made_out_of_sight() {
    for _ in 0..20 {
        let place = Place::new();
        let file = place.file();
        std::thread::scope(|scope| {
            let looked = scope.spawn(|| {
                while !file.exists() {}
                fs::metadata(&file).unwrap().len()
            });
            drop(place.open());
            assert!(looked.join().unwrap() >= 4096);
        });
        let names = place.folder().read_dir().unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let strange: Vec<String> = names
            .filter(|n| !n.starts_with("store.db") && n != ".gitignore")
            .collect();
        assert_eq!(strange, [""; 0]);
    }
}

#[cfg(unix)]
#[test]
fn a_dangling_link_decides_where_a_store_is_created() {
    let place = Place::new();
    fs::create_dir(place.folder()).unwrap();
    std::os::unix::fs::symlink("../real.db", place.file()).unwrap();
    frozen(place.open().freeze(&id("a"), None, &build("a", 1)).unwrap());
    assert!(place.file().is_symlink());
    assert!(place.0.path().join("real.db").is_file());
    assert_eq!(place.open().sessions().unwrap().len(), 1);
}

#[test]
fn a_name_is_never_read_as_an_address() {
    let place = Place::new();
    for name in ["file:memory?mode=memory", ":memory:", "a b%20c", "ü.db", ""] {
        let file = place.0.path().join(format!("{name}.db"));
        frozen(open(&file).freeze(&id("a"), None, &build("a", 1)).unwrap());
        assert!(file.is_file(), "{name}");
    }
}

#[test]
fn another_file_is_no_store_and_stays_unchanged() {
    let place = Place::new();
    fs::create_dir(place.folder()).unwrap();
    let other = place.0.path().join("other.db");
    let database = rusqlite::Connection::open(&other).unwrap();
    database
        .execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        .unwrap();
    drop(database);
    let database = fs::read(other).unwrap();
    let contents: [&[u8]; 5] = [b"\n", b"notes\n", &[0; 5000], &[b'x'; 5000], &database];
    for content in contents {
        fs::write(place.file(), content).unwrap();
        let opened = sqlite::open(&place.file(), 1);
        assert!(matches!(opened, Err(StoreError::NotAStore)), "{opened:?}");
        assert_eq!(fs::read(place.file()).unwrap(), content);
    }
}

#[test]
fn a_folder_in_its_place_is_an_error() {
    let place = Place::new();
    fs::create_dir_all(place.file()).unwrap();
    let opened = sqlite::open(&place.file(), 1);
    assert!(matches!(opened, Err(StoreError::Io(_))), "{opened:?}");
}

#[test]
fn a_newer_store_is_left_alone() {
    let place = Place::new();
    let mut early = place.open();
    frozen(early.freeze(&id("a"), None, &build("a", 1)).unwrap());
    let newer = rusqlite::Connection::open(place.file()).unwrap();
    newer.pragma_update(None, "user_version", 1000).unwrap();
    let is_newer = |e: Option<StoreError>| matches!(e, Some(StoreError::Newer { found: 1000, known }) if (1..1000).contains(&known));
    assert!(is_newer(sqlite::open(&place.file(), 1).err()));
    // One that was open before reads and writes nothing either.
    assert!(is_newer(early.session(&id("a")).err()));
    assert!(is_newer(early.touch(&id("a"), 9).err()));
    assert!(is_newer(early.freeze(&id("b"), None, &build("b", 1)).err()));
}

#[test]
fn many_processes_make_one_store_and_one_text() {
    for _ in 0..3 {
        let place = Place::new();
        let one = || {
            child::child("first_of_many", &place.file())
                .spawn()
                .unwrap()
        };
        let children: Vec<_> = (0..16).map(|_| one()).collect();
        fs::write(place.0.path().join("go"), "").unwrap();
        let mut got = Vec::new();
        for child in children {
            let out = child.wait_with_output().unwrap();
            let text = String::from_utf8(out.stdout).unwrap();
            assert!(out.status.success(), "{text}");
            let line = text
                .lines()
                .find_map(|l| Some(l.split_once("got ")?.1.to_owned()));
            got.push(line.unwrap());
        }
        got.dedup();
        assert_eq!(got.len(), 1, "{got:?}");
        let mut store = place.open();
        assert_eq!(store.builds(&id("one")).unwrap().len(), 1);
        assert_eq!(store.verify().unwrap(), []);
    }
}

#[test]
fn a_failed_creation_of_a_store_has_its_reason() {
    let place = Place::new();
    fs::write(place.folder(), "a file").unwrap();
    let opened = sqlite::open(&place.file(), 1);
    assert!(matches!(opened, Err(StoreError::Io(_))), "{opened:?}");
}

/// A disk that is full while a store is made: nothing of what was begun stays.
#[cfg(unix)]
#[test]
fn a_failed_creation_of_a_store_leaves_no_files() {
    let place = crate::run::Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer l { text \"hello\" } }\n",
    );
    let args = ["build", "--session", "s"];
    // Too little for the memory that processes share, for the log, and for the file.
    for bytes in [0, 4096, 16_384] {
        let command = crate::case::with_largest_file(&args, bytes, &place);
        crate::run::run(command, b"").exits(3);
        assert!(!place.path().join(".promptc").exists());
        // A folder that was there is as it was.
        fs::create_dir(place.path().join(".promptc")).unwrap();
        let command = crate::case::with_largest_file(&args, bytes, &place);
        crate::run::run(command, b"").exits(3);
        fs::remove_dir(place.path().join(".promptc")).unwrap();
    }
    assert_eq!(place.run(&args).exits(0).stdout(), "hello");
}
