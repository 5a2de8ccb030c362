//! Many writers at once, and writers that are ended in the middle.
//!
//! `PROMPTC_WRITERS`, `PROMPTC_ADDS` and `PROMPTC_KILLS` make more of it; `.ci/full` does.

use super::Desk;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

fn number(variable: &str, usual: u64) -> u64 {
    let given = std::env::var(variable).ok();
    given.map_or(usual, |n| n.parse().unwrap())
}

/// Long enough that its writing takes a while.
fn entry(writer: u64, n: u64) -> String {
    format!("writer {writer} entry {n} {}", "é".repeat(20))
}

#[test]
fn every_entry_of_many_processes_is_added_once() {
    let (writers, adds) = (number("PROMPTC_WRITERS", 4), number("PROMPTC_ADDS", 8));
    let desk = Desk::with("");
    let done = AtomicBool::new(false);
    let started = Instant::now();
    let reads = thread::scope(|scope| {
        let reader = scope.spawn(|| read_along(&desk, &done));
        let add = |writer| {
            for n in 0..adds {
                let answer = desk.answer(&["add", &entry(writer, n), "--wait", "600"]);
                assert_eq!(answer["code"], "added", "{answer}");
            }
        };
        let all: Vec<_> = (0..writers).map(|w| scope.spawn(move || add(w))).collect();
        let ended: Vec<_> = all
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        done.store(true, Ordering::Relaxed);
        assert!(ended.into_iter().all(|e| e.is_ok()));
        reader.join().unwrap()
    });
    let text = desk.text();
    let found: Vec<&str> = text.split("\n§\n").collect();
    let wanted: BTreeSet<String> = (0..writers)
        .flat_map(|w| (0..adds).map(move |n| entry(w, n)))
        .collect();
    assert_eq!(found.len(), wanted.len());
    assert_eq!(
        found
            .into_iter()
            .map(str::to_owned)
            .collect::<BTreeSet<_>>(),
        wanted
    );
    assert_eq!(desk.names(), ["NOTES.md", "NOTES.md.lock"]);
    println!(
        "{writers} writers, {adds} adds each: all of {} entries once, in {:.1} s; {reads} reads in between were whole",
        wanted.len(),
        started.elapsed().as_secs_f64()
    );
}

/// Reads the file while it is written: it is never anything but entries, and loses none.
fn read_along(desk: &Desk, done: &AtomicBool) -> usize {
    let (mut reads, mut most) = (0, 0);
    while !done.load(Ordering::Relaxed) {
        let text = match fs::read_to_string(desk.place.path().join("home/NOTES.md")) {
            Ok(text) => text,
            // Once it is there, it is there: no writer takes it away first.
            Err(error) if error.kind() == ErrorKind::NotFound && reads == 0 => continue,
            Err(error) => panic!("after {reads} reads: {error}"),
        };
        let whole = |entry: &&str| entry.starts_with("writer ") && entry.ends_with(&"é".repeat(20));
        let entries = text.split("\n§\n").filter(whole).count();
        assert_eq!(
            entries,
            text.matches("writer ").count(),
            "a part of an entry"
        );
        assert!(entries >= most, "{entries} entries after {most}");
        (reads, most) = (reads + 1, entries);
        thread::sleep(Duration::from_millis(1));
    }
    reads
}

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u128) -> u128 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (u128::from(self.0 >> 33) * most) >> 31
    }
}

#[test]
fn a_writer_that_is_killed_leaves_the_old_or_the_new_file() {
    let kills = number("PROMPTC_KILLS", 10);
    let texts = ["a".repeat(1 << 20), "b".repeat(1 << 20)];
    let desk = Desk::with("").holding(&texts[0]);
    for (at, text) in texts.iter().enumerate() {
        let old = &texts[1 - at][..9];
        let call = json!({"action": "replace", "old_text": old, "content": text});
        desk.place.file(&format!("to-{at}.json"), call.to_string());
    }
    let calls = ["to-0.json", "to-1.json"];
    let spawn = |at: usize| -> Child {
        let mut command = desk.command(&["apply", calls[at], "--wait", "60"]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    };
    // How long a writer takes that is left alone.
    let started = Instant::now();
    assert!(spawn(1).wait().unwrap().success());
    let whole = started.elapsed();
    let temporary = desk.place.path().join("home/.promptc-unfinished-0");
    let (mut now, mut random) = (1, Numbers(7));
    let (mut old, mut new, mut left) = (0, 0, 0);
    for _ in 0..kills {
        let mut writer = spawn(1 - now);
        let after = random.below(whole.as_micros() * 11 / 10);
        thread::sleep(Duration::from_micros(u64::try_from(after).unwrap()));
        writer.kill().unwrap();
        writer.wait().unwrap();
        left += usize::from(temporary.exists());
        let text = desk.text();
        match texts.iter().position(|t| *t == text) {
            Some(at) if at == now => old += 1,
            Some(at) => (now, new) = (at, new + 1),
            None => panic!(
                "{} bytes that are neither the old nor the new text",
                text.len()
            ),
        }
    }
    // So many cannot all miss the moment.
    assert!(kills < 100 || (old > 0 && new > 0), "{old} and {new}");
    // Their leftovers stop no other writer, and are removed.
    assert!(spawn(1 - now).wait().unwrap().success());
    assert_eq!(desk.text(), texts[1 - now]);
    assert_eq!(desk.names(), ["NOTES.md", "NOTES.md.lock"]);
    println!(
        "{kills} writers killed within {whole:.0?} of their start: {old} times the old file, {new} times the new one; \
         {left} left a temporary file"
    );
}

#[test]
fn a_lock_is_waited_for_and_not_for_ever() {
    let desk = Desk::with("").holding("a");
    let lock = desk.place.file("home/NOTES.md.lock", "");
    let held = File::options().write(true).open(lock).unwrap();
    held.lock().unwrap();
    for (wait, said) in [
        ("0", "another process is writing `NOTES.md`"),
        ("1", "for more than 1 s"),
    ] {
        let started = Instant::now();
        let ran = desk.run(&["add", "b", "--wait", wait]).exits(3);
        assert!(
            ran.stderr.contains("error[memory-locked]") && ran.stderr.contains(said),
            "{}",
            ran.stderr
        );
        assert_eq!((ran.stdout(), desk.text().as_str()), ("", "a"));
        let waited = started.elapsed();
        assert!(
            waited >= Duration::from_secs(wait.parse().unwrap()),
            "{waited:?}"
        );
    }
    // A call that writes nothing waits for no lock.
    assert_eq!(
        desk.answer(&["add", "a", "--wait", "0"])["code"],
        "duplicate"
    );
    assert_eq!(
        desk.answer(&["remove", "x", "--wait", "0"])["code"],
        "no-match"
    );
    desk.run(&["list"]).exits(0);
    // A waiting writer gets the lock once it is free, and sees the text written in the meantime.
    thread::scope(|scope| {
        let waiting = scope.spawn(|| desk.answer(&["add", "c", "--wait", "60"]));
        thread::sleep(Duration::from_millis(300));
        fs::write(desk.place.path().join("home/NOTES.md"), "a\n§\nb").unwrap();
        held.unlock().unwrap();
        assert_eq!(waiting.join().unwrap()["count"], 3);
    });
    assert_eq!(desk.text(), "a\n§\nb\n§\nc");
}

/// Other programs hold it by the system's own call, `flock`, as Hermes' tool does.
#[cfg(unix)]
#[test]
fn the_lock_is_visible_to_other_programs() {
    let desk = Desk::with("").holding("a");
    desk.place.file("home/NOTES.md.lock", "");
    let mut other = Command::new("flock");
    other.args(["home/NOTES.md.lock", "-c", "echo held; read line"]);
    other.current_dir(desk.place.path());
    let Ok(mut other) = other.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        return println!("skipped: there is no program `flock`");
    };
    let mut said = String::new();
    BufReader::new(other.stdout.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    assert_eq!(said, "held\n");
    desk.run(&["add", "b", "--wait", "0"]).exits(3);
    drop(other.stdin.take());
    other.wait().unwrap();
    assert_eq!(desk.answer(&["add", "b", "--wait", "0"])["count"], 2);
}
