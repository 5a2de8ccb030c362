//! Many processes at once: one result for all, nothing lost, nothing twice.
//!
//! `PROMPTC_CROWD` says how many operations each of 16 processes takes.

use super::{Desk, Dice, Told, ended, id, number, open};
use promptc::prompt::Deliver;
use promptc::session::store::{NewBuild, Reason, Store as _, Unwanted};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const MANIFEST: &str = r#"promptc 1
name crowd
root workspace default="."
fact stamp string
tier stable changes=session {
    layer stamp {
        template "This is {{ stamp }}."
    }
    layer body {
        file "body.md"
    }
}
"#;

/// How many work at once.
const CROWD: usize = 16;

/// Longer than any wait for the store.
const PATIENCE: Duration = Duration::from_secs(180);

fn desk() -> Desk {
    let desk = Desk::new(MANIFEST);
    desk.place
        .file("body.md", "Whatever else is said.\n".repeat(40));
    desk
}

fn text(stamp: &str) -> String {
    let body = "Whatever else is said.\n".repeat(40);
    format!("This is {stamp}.\n\n{}", body.trim_end())
}

/// Takes a call; what it prints, or the code of its error.
fn call(desk: &Desk, session: &str, stamp: &str, more: &[&str]) -> Result<Told, String> {
    let set = format!("stamp={stamp}");
    let args = [
        "--format",
        "json",
        "--set",
        &set,
        "--wait",
        "60",
        "--message-format",
        "json",
    ];
    let mut command = desk.command(session, &[&args, more].concat());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let output = ended(command.spawn().unwrap(), PATIENCE);
    let stderr = String::from_utf8(output.stderr).unwrap();
    match output.status.code() {
        Some(0) => Ok(Told::read(&output.stdout)),
        _ => Err(stderr),
    }
}

#[test]
fn concurrent_first_builds_have_one_result() {
    let rounds = number("PROMPTC_FIRST", 3);
    for round in 0..rounds {
        let desk = desk();
        let start = Barrier::new(CROWD);
        let told: Vec<Told> = thread::scope(|scope| {
            let ask = |n: usize| {
                let (desk, start) = (&desk, &start);
                scope.spawn(move || {
                    start.wait();
                    call(desk, "s", &format!("value {n}"), &[]).unwrap()
                })
            };
            let asked: Vec<_> = (0..CROWD).map(ask).collect();
            asked.into_iter().map(|a| a.join().unwrap()).collect()
        });
        let texts: BTreeSet<&str> = told.iter().map(|t| t.system.as_str()).collect();
        assert_eq!(texts.len(), 1, "round {round}");
        let (text_of_all, built) = (told[0].system.clone(), |t: &&Told| t.state == "built");
        assert_eq!(told.iter().filter(built).count(), 1);
        let possible = (0..CROWD).any(|n| text_of_all == text(&format!("value {n}")));
        assert!(possible, "{text_of_all}");
        assert!(told.iter().all(|t| (t.number, &*t.reason) == (1, "first")));
        let builds = open(&desk.store()).builds(&id("s")).unwrap();
        assert_eq!(builds.len(), 1);
    }
}

/// One call of the crowd and what came of it.
struct Done {
    session: String,
    stamp: String,
    told: Told,
}

#[derive(Default)]
struct Log {
    done: Vec<Done>,
    /// How often each session was removed.
    removed: BTreeMap<String, usize>,
    busy: usize,
    listed: usize,
    collected: usize,
}

/// Sessions that are never removed, and sessions that are.
const STAY: [&str; 6] = ["a0", "a1", "a2", "a3", "a4", "a5"];
const COME_AND_GO: [&str; 4] = ["b0", "b1", "b2", "b3"];

/// Takes a command of `promptc session`; its exit code and what it prints.
fn command(desk: &Desk, args: &[&str]) -> (i32, Vec<u8>) {
    let mut command = desk.place.command(&[&["session"], args].concat());
    command.args(["--wait", "60"]).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let output = ended(command.spawn().unwrap(), PATIENCE);
    (output.status.code().unwrap_or(-1), output.stdout)
}

/// One operation of member `member` of the crowd.
fn operation(desk: &Desk, dice: &mut Dice, stamp: String, log: &Mutex<Log>) {
    let all = [&STAY[..], &COME_AND_GO].concat();
    let session = all[usize::try_from(dice.below(all.len() as u64)).unwrap()];
    let more: &[&str] = match dice.below(10) {
        0..5 => &[],
        5 => &["--refresh"],
        6 | 7 => &["--event", "compaction"],
        8 => {
            let away = COME_AND_GO[usize::try_from(dice.below(4)).unwrap()];
            let (code, told) = command(desk, &["rm", away, "--format", "json"]);
            // It may not be there; and of two who find it, one removes it.
            assert!(code == 0 || code == 2, "{code}");
            let told: serde_json::Value = serde_json::from_slice(&told).unwrap_or_default();
            let was = told["removed"].as_array().map_or(0, Vec::len);
            let mut log = log.lock().unwrap();
            *log.removed.entry(away.to_owned()).or_default() += was;
            return;
        }
        _ if dice.once_in(2) => {
            let (code, listed) = command(desk, &["list", "--format", "json"]);
            assert_eq!(code, 0);
            let listed: serde_json::Value = serde_json::from_slice(&listed).unwrap();
            let sessions = listed["sessions"].as_array().unwrap().iter();
            let ids: Vec<&str> = sessions.map(|s| s["session"].as_str().unwrap()).collect();
            assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
            log.lock().unwrap().listed += 1;
            return;
        }
        // It takes texts away that others may be about to read.
        _ => {
            assert_eq!(command(desk, &["gc", "--keep", "1"]).0, 0);
            log.lock().unwrap().collected += 1;
            return;
        }
    };
    let told = call(desk, session, &stamp, more);
    let mut log = log.lock().unwrap();
    match told {
        Ok(told) => log.done.push(Done {
            session: session.to_owned(),
            stamp,
            told,
        }),
        // The only failure that is declared here.
        Err(stderr) if stderr.contains("\"store-busy\"") => log.busy += 1,
        Err(stderr) => panic!("{session}: {stderr}"),
    }
}

fn work(desk: &Desk, each: u32) -> Log {
    let (log, start) = (Mutex::new(Log::default()), Barrier::new(CROWD));
    thread::scope(|scope| {
        for member in 0..CROWD {
            let (log, start) = (&log, &start);
            scope.spawn(move || {
                let mut dice = Dice::new(100 + member as u64);
                start.wait();
                for n in 0..each {
                    operation(desk, &mut dice, format!("{member}-{n}"), log);
                }
            });
        }
    });
    log.into_inner().unwrap()
}

/// The stamp of a text, which is one of the given ones.
fn stamp_of(told: &Told) -> String {
    let rest = told.system.strip_prefix("This is ").unwrap();
    let stamp = rest.split_once('.').unwrap().0.to_owned();
    assert_eq!(told.system, text(&stamp));
    stamp
}

#[test]
fn mixed_operations_lose_no_session_and_give_no_two_texts_for_one_build() {
    let each = number("PROMPTC_CROWD", 6);
    let desk = desk();
    let start = Instant::now();
    let log = work(&desk, each);
    let took = start.elapsed();
    let mut store = open(&desk.store());
    assert_eq!(store.verify().unwrap(), []);
    let there: BTreeSet<String> = (store.sessions().unwrap().iter())
        .map(|s| s.id.to_string())
        .collect();
    for session in STAY.iter().chain(&COME_AND_GO) {
        let done: Vec<&Done> = log.done.iter().filter(|d| d.session == *session).collect();
        let removed = log.removed.get(*session).copied().unwrap_or_default();
        let is_there = there.contains(*session);
        judge(session, &done, removed, is_there);
        if removed == 0 && is_there {
            // Those that were collected are counted too: numbers are not used twice.
            let builds = store.builds(&id(session)).unwrap();
            let made = done.iter().filter(|d| d.told.state != "restored").count() as u64;
            assert_eq!(builds.last().unwrap().number, made, "{session}");
        }
    }
    let Log {
        done,
        busy,
        listed,
        collected,
        removed,
    } = &log;
    let removed: usize = removed.values().sum();
    // Each waits for a minute, which is longer than all of them take.
    assert_eq!(*busy, 0, "calls that were told that the store is busy");
    println!(
        "{CROWD} x {each} operations in {took:.1?}: {} calls, {removed} removals, {listed} lists, {collected} collections, {busy} told that the store is busy",
        done.len(),
    );
}

/// The properties of all output of one session.
fn judge(session: &str, done: &[&Done], removed: usize, is_there: bool) {
    let lives = done.iter().filter(|d| d.told.state == "built").count();
    // Each life but the last was ended; none is lost.
    assert_eq!(lives, removed + usize::from(is_there), "{session}");
    let mut builds: BTreeMap<String, (u64, String, String)> = BTreeMap::new();
    let mut numbers: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for Done { stamp, told, .. } in done {
        let shown = stamp_of(told);
        // Only the process that made the build has its own text.
        assert_eq!(
            shown == *stamp,
            told.state != "restored",
            "{session} {told:?}"
        );
        assert_eq!(told.reason == "first", told.number == 1);
        let build = (told.number, told.at.clone(), told.reason.clone());
        let known = builds.entry(shown.clone()).or_insert_with(|| build.clone());
        assert_eq!(*known, build, "{session}: one text is two builds");
        numbers.entry(told.number).or_default().insert(shown);
    }
    for (number, stamps) in numbers {
        assert!(stamps.len() <= lives, "{session}@{number} has {stamps:?}");
    }
}

/// The frozen prompt of the newest build of a session.
fn newest(desk: &Desk) -> NewBuild {
    let mut store = open(&desk.store());
    let build = store.session(&id("s")).unwrap().unwrap().build;
    let mut content = |key| store.content(key).unwrap();
    NewBuild {
        at: build.at,
        reason: Reason::Asked,
        terms: build.terms.clone(),
        texts: BTreeMap::from([(Deliver::System, content(&build.texts[&Deliver::System]))]),
        map: content(&build.map),
        plan: content(&build.plan),
        files: build.files.iter().map(&mut content).collect(),
        inputs: content(&build.inputs),
        record: build.record.iter().map(&mut content).collect(),
        imported: false,
    }
}

#[test]
fn a_build_collected_while_it_is_read_is_read_again() {
    let desk = desk();
    // Two builds that differ in all that is kept; they take turns, and what the other one had is taken away.
    let both = ["0", "1"].map(|stamp| {
        call(&desk, "s", stamp, &["--refresh"]).unwrap();
        newest(&desk)
    });
    let end = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut store = open(&desk.store());
            let mut n = 0_usize;
            while !end.load(Ordering::Relaxed) {
                n += 1;
                let newest = store.session(&id("s")).unwrap().unwrap().build;
                store.freeze(&id("s"), Some(&newest), &both[n % 2]).unwrap();
                let unwanted = Unwanted {
                    builds_beyond: Some(1),
                    ..Unwanted::default()
                };
                store.collect(unwanted, false).unwrap();
            }
        });
        // All that read what a session keeps.
        let readers: [(&[&str], &str); 6] = [
            (&["build", "--session", "s"], "This is "),
            (&["session", "show", "s", "--format", "text"], "This is "),
            (&["session", "show", "s", "--format", "artifact"], "{"),
            (&["session", "export", "s"], "{"),
            (&["diff", "session:s", "."], "same"),
            (&["session", "drift", "s"], "same"),
        ];
        for n in 0..number::<usize>("PROMPTC_COLLECTED", 60) {
            let (args, start) = readers[n % readers.len()];
            let ran = desk.place.run(args);
            if ran.code != 0 || !ran.stdout().starts_with(start) {
                end.store(true, Ordering::Relaxed);
                panic!("{args:?}: {} {}", ran.stdout(), ran.stderr);
            }
        }
        end.store(true, Ordering::Relaxed);
        writer.join().unwrap();
    });
}
