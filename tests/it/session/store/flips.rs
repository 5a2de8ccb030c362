//! A changed byte anywhere in the file is harmless, or it is said. Nothing is read as absent, and nothing as something else.

use super::{Place, build, frozen, id, tell};
use promptc::session::store::{
    Build, Freeze, Key, NewBuild, Reason, Session, SessionId, Store, StoreError, sqlite,
};
use std::fs;
use std::path::Path;
use std::thread;

/// The size of a page of the file.
const PAGE: usize = 4096;

/// The data that a store must return.
struct Known {
    session: Session,
    builds: Vec<Build>,
    contents: Vec<(Key, String)>,
    directory_rules: Vec<String>,
}

/// A store with some of everything, closed.
struct Sample {
    place: Place,
    bytes: Vec<u8>,
    known: Vec<Known>,
}

/// Enough sessions that no table fits one page.
fn sample() -> Sample {
    let place = Place::new();
    let mut store = place.open();
    let names: Vec<SessionId> = (0..16)
        .map(|n| id(&format!("{n} {}", "name ".repeat(48))))
        .collect();
    for (n, name) in names.iter().enumerate() {
        let new = |number: usize| NewBuild {
            reason: Reason::Event("compaction".into()),
            ..build(&format!("{n} {number}"), (100 * n + number) as i64)
        };
        for number in 0..=n % 3 {
            let after = store.session(name).unwrap().map(|s| s.build);
            frozen(store.freeze(name, after.as_ref(), &new(number)).unwrap());
        }
        if n % 4 == 0 {
            tell(&mut store, name, 5000, &format!("told {n}"));
        }
        store
            .folder_rules(name, &[format!("folder {n}"), "x".into()], 7000)
            .unwrap();
        store.touch(name, 8000 + n as i64).unwrap();
    }
    // Rows that were moved and removed leave their places behind.
    for name in &names[13..] {
        store.remove(name).unwrap();
    }
    frozen(
        store
            .freeze(&names[14], None, &build("again", 9000))
            .unwrap(),
    );
    let known = names.iter().filter_map(|name| known(&mut store, name));
    let mut known: Vec<Known> = known.collect();
    known.sort_by(|a, b| a.session.id.cmp(&b.session.id));
    assert_eq!(known.len(), 14);
    drop(store);
    let bytes = fs::read(place.file()).unwrap();
    Sample {
        place,
        bytes,
        known,
    }
}

fn known(store: &mut dyn Store, name: &SessionId) -> Option<Known> {
    let session = store.session(name).unwrap()?;
    let builds = store.builds(name).unwrap();
    let build = &session.build;
    let told = session.delivered.iter().flat_map(|d| &d.prompt);
    let keys = build
        .texts
        .values()
        .chain([&build.map, &build.plan, &build.inputs])
        .chain(&build.files)
        .chain(&build.record);
    let contents = keys
        .chain(told)
        .map(|key| (key.clone(), store.content(key).unwrap()));
    Some(Known {
        contents: contents.collect(),
        directory_rules: store.directory_rules(name).unwrap(),
        builds,
        session,
    })
}

/// Reads everything of a store that may be damaged. Whether that was said; fails if anything else comes than was put in.
fn said(path: &Path, known: &[Known], at: &str) -> bool {
    let mut store = match sqlite::open(path, 0) {
        Ok(store) => store,
        Err(_) => return true,
    };
    let mut said = false;
    let mut sound = |right: Option<bool>, what: &str| match right {
        Some(right) => assert!(right, "{at}: {what} is another"),
        None => said = true,
    };
    for one in known {
        let id = &one.session.id;
        let session = store.session(id).ok();
        sound(
            session.map(|s| s.as_ref() == Some(&one.session)),
            "a session",
        );
        sound(store.builds(id).ok().map(|b| b == one.builds), "a build");
        sound(
            store
                .directory_rules(id)
                .ok()
                .map(|h| h == one.directory_rules),
            "directory rules",
        );
        for (key, text) in &one.contents {
            sound(store.content(key).ok().map(|t| t == *text), "a content");
        }
    }
    let sessions = store.sessions().ok();
    let right = sessions.map(|mut list| {
        // The addition of `written`.
        list.retain(|s| s.id.as_str() != "new");
        list.iter().eq(known.iter().map(|k| &k.session))
    });
    sound(right, "the list");
    let never = store.session(&id("never")).ok();
    sound(never.map(|s| s.is_none()), "what was never there");
    said
}

/// A store with unreadable parts: queries report it, and nothing is rebuilt.
fn told(path: &Path, known: &[Known], at: &str) {
    let Ok(mut store) = sqlite::open(path, 0) else {
        return;
    };
    if let Ok(found) = store.verify() {
        assert!(!found.is_empty(), "{at}: verify finds nothing");
    }
    for one in known {
        let frozen = store.freeze(&one.session.id, None, &build("silent", 1));
        assert!(!matches!(frozen, Ok(Freeze::Frozen(_))), "{at}: built anew");
    }
}

/// A write into a damaged store loses nothing silently, and is itself stored or not.
fn written(path: &Path, known: &[Known], at: &str) {
    let given = build("new", 1);
    let (mut made, name) = (false, id("new"));
    if let Ok(mut store) = sqlite::open(path, 0) {
        let new = store.freeze(&name, None, &given);
        made = new.is_ok();
        if let Ok(Freeze::Frozen(new)) = new {
            let _ = store.freeze(&name, Some(&new.build), &build("newer", 2));
        }
        let _ = store.folder_rules(&name, &["x".into()], 1);
        let _ = store.remove(&id("never"));
    }
    said(path, known, &format!("{at}, then written"));
    if let (true, Ok(mut store)) = (made, sqlite::open(path, 0)) {
        let session = store.session(&name);
        assert!(!matches!(session, Ok(None)), "{at}: the new one is lost");
    }
}

/// The positions to change: with `all`, every one of a page that leads to others; else of these some, and few elsewhere.
fn positions(bytes: &[u8], all: bool) -> Vec<usize> {
    let mut out = Vec::new();
    for (number, page) in bytes.chunks(PAGE).enumerate() {
        let head = if number == 0 { 100 } else { 0 };
        // Trees, and the page that says what each page is.
        let leads = matches!(page[head], 2 | 5 | 10 | 13) || number == 1;
        for (at, byte) in page.iter().enumerate() {
            let front = at < head + 24;
            let some = match (leads, all) {
                (true, true) => true,
                (true, false) => {
                    front || (*byte != 0 && at % 821 == number % 821) || at % 3181 == 0
                }
                (false, true) => at < 4 || at % 61 == 0,
                (false, false) => at < 4 || at % 3181 == 0,
            };
            if some {
                out.push(number * PAGE + at);
            }
        }
    }
    out
}

#[test]
fn a_changed_byte_is_harmless_or_reported() {
    let sample = sample();
    assert!(!said(&sample.place.file(), &sample.known, "unchanged"));
    let all = std::env::var("PROMPTC_FLIPS").is_ok_and(|f| f == "all");
    let positions = positions(&sample.bytes, all);
    let workers = if all {
        thread::available_parallelism().map_or(1, usize::from)
    } else {
        1
    };
    let share = positions.len().div_ceil(workers);
    let (mut harmless, mut noticed) = (0, 0);
    thread::scope(|scope| {
        let shares = positions.chunks(share);
        let working: Vec<_> = shares
            .map(|own| scope.spawn(|| flipped(&sample, own, all)))
            .collect();
        for worker in working {
            let counts = worker.join().unwrap();
            harmless += counts.0;
            noticed += counts.1;
        }
    });
    println!("{harmless} harmless, {noticed} noticed");
    assert!(noticed > harmless / 4 && noticed > 300, "{noticed}");
}

/// Changes the bytes at these places, one at a time, in a store of its own: how many changes are harmless, and how many said.
fn flipped(sample: &Sample, positions: &[usize], all: bool) -> (usize, usize) {
    let place = Place::new();
    fs::create_dir_all(place.folder()).unwrap();
    let (path, known) = (place.file(), &sample.known);
    let (mut harmless, mut noticed) = (0, 0);
    for &at in positions {
        let changes: &[u8] = if all {
            &[0x01, 0x80, 0xff]
        } else {
            &[[0x01, 0x80, 0xff, 0x10][at % 4]]
        };
        for change in changes {
            let mut bytes = sample.bytes.clone();
            bytes[at] ^= change;
            put(&path, &bytes);
            let name = format!("byte {at} ^ {change:#x}");
            let said = said(&path, known, &name);
            *(if said { &mut noticed } else { &mut harmless }) += 1;
            match (harmless + noticed) % 16 {
                0 if said => told(&path, known, &name),
                1 | 2 => written(&path, known, &name),
                _ => {}
            }
        }
    }
    (harmless, noticed)
}

/// Replaces a store with a file, without the files that others left next to it.
fn put(path: &Path, bytes: &[u8]) {
    for beside in ["-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(beside);
        let _ = fs::remove_file(name);
    }
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_truncated_file_is_reported() {
    let sample = sample();
    let path = sample.place.file();
    for length in (1..sample.bytes.len()).step_by(1024) {
        put(&path, &sample.bytes[..length]);
        let name = format!("cut to {length}");
        // The last page may be a free one, whose bytes nothing reads.
        let is_last = length > sample.bytes.len() - PAGE;
        assert!(said(&path, &sample.known, &name) || is_last, "{name}");
    }
}

#[test]
fn two_swapped_pages_are_reported_or_harmless() {
    let sample = sample();
    let path = sample.place.file();
    let pages = sample.bytes.len() / PAGE;
    for step in [1, 3, 7] {
        for page in 0..pages - step {
            let mut bytes = sample.bytes.clone();
            let (a, b) = bytes.split_at_mut((page + step) * PAGE);
            a[page * PAGE..][..PAGE].swap_with_slice(&mut b[..PAGE]);
            put(&path, &bytes);
            said(
                &path,
                &sample.known,
                &format!("pages {page} and {}", page + step),
            );
        }
    }
}

#[test]
fn a_changed_byte_in_the_log_costs_no_frozen_text() {
    let sample = sample();
    let path = sample.place.file();
    let mut store = place_touched(&sample);
    let touched: Vec<Session> = store.sessions().unwrap();
    drop(store);
    let mut log = path.clone().into_os_string();
    log.push("-wal");
    let (file, whole) = (fs::read(&path).unwrap(), fs::read(&log).unwrap());
    assert!(whole.len() > 5 * PAGE, "the log holds what was noted last");
    for at in (0..whole.len()).step_by(307) {
        put(&path, &file);
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&log, &bytes).unwrap();
        let Ok(mut store) = sqlite::open(&path, 0) else {
            continue;
        };
        for (one, touched) in sample.known.iter().zip(&touched) {
            // The time may be the one before: a log that ends early looks as after a power cut.
            match store.session(&touched.id) {
                Ok(Some(s)) => assert!(s == *touched || s == one.session, "byte {at}: {s:?}"),
                Ok(None) => panic!("byte {at}: absent"),
                Err(_) => continue,
            }
            for (key, text) in &one.contents {
                let read = store.content(key);
                assert!(read.is_err() || read.is_ok_and(|t| t == *text), "byte {at}");
            }
        }
    }
}

fn place_touched(sample: &Sample) -> sqlite::Sqlite {
    let mut store = sample.place.open();
    for one in &sample.known {
        store.touch(&one.session.id, 10_000).unwrap();
    }
    store
}

#[test]
fn a_report_of_damage_names_no_content() {
    let sample = sample();
    let mut bytes = sample.bytes.clone();
    let text = b"system 3 0 ";
    let at = bytes.windows(text.len()).position(|w| w == text).unwrap();
    bytes[at] ^= 1;
    put(&sample.place.file(), &bytes);
    let mut store = sample.place.open();
    let session = sample
        .known
        .iter()
        .find(|k| k.session.id.as_str().starts_with("3 "));
    let builds = store.builds(&session.unwrap().session.id).unwrap();
    let first = builds[0].texts.values();
    let read: Vec<_> = first.map(|key| store.content(key)).collect();
    let said: Vec<String> = read
        .iter()
        .filter_map(|r| r.as_ref().err())
        .map(ToString::to_string)
        .collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("it is damaged: the content sha256:"),
        "{}",
        said[0]
    );
    assert_eq!(store.verify().unwrap().len(), 1);
    let collected = store.collect(promptc::session::store::Unwanted::default(), false);
    assert!(
        collected.is_ok(),
        "what is wanted is not read: {collected:?}"
    );
    assert!(!matches!(read[0], Err(StoreError::Gone)));
}
