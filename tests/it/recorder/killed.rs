//! A recorder that is killed leaves whole lines, and a client that sees a closed connection at worst. The system may end a write of many
//! pages in the middle: what is there of it then is no line, and readers pass it over.

use super::provider::Provider;
use super::{Client, body, recorder};
use crate::run::Place;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

/// How often one is killed.
fn kills() -> u64 {
    let kills = std::env::var("PROMPTC_KILLS").ok();
    kills.and_then(|kills| kills.parse().ok()).unwrap_or(8)
}

/// The requests in a log, each line of which is complete, and whether text after the last line is skipped: a whole line lacks only its end.
fn requests(place: &Place, log: &str) -> (usize, bool) {
    let bytes = std::fs::read(place.path().join(log)).unwrap();
    let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap();
    let lines = bytes[..end].split(|byte| *byte == b'\n');
    let read = serde_json::from_slice::<serde_json::Value>;
    let lines = lines.map(|line| read(line).unwrap());
    let count = lines.filter(|line| line["kind"] == "request").count();
    let rest = &bytes[end + 1..];
    (count, !rest.is_empty() && read(rest).is_err())
}

#[test]
fn a_killed_recorder_leaves_whole_lines() {
    let provider = Provider::new();
    let (mut recorded, mut cut) = (0, 0);
    for round in 0..kills() {
        let place = Place::new();
        let mut recorder = recorder(&place, &provider, &["-o", "log.jsonl"]);
        let port = recorder.port;
        thread::scope(|scope| {
            for chain in 0..4 {
                scope.spawn(move || {
                    for i in 0.. {
                        let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) else {
                            return;
                        };
                        drop(stream);
                        let large = format!("{chain} {i} ").repeat(5_000);
                        let sent = std::panic::catch_unwind(|| {
                            let path = "/anthropic/v1/messages";
                            Client::to(port).send(port, path, "", &body("Be brief.", &large))
                        });
                        match sent {
                            Ok(answer) => assert_eq!(answer.status(), 200),
                            Err(_) => return,
                        }
                    }
                });
            }
            thread::sleep(Duration::from_millis(round * 37 % 400));
            recorder.child.kill().unwrap();
            recorder.child.wait().unwrap();
        });
        let (count, is_cut) = requests(&place, "log.jsonl");
        recorded += count;
        cut += usize::from(is_cut);
        let ran = place.run(&["capture", "diff", "log.jsonl"]).exits(0);
        assert_eq!(ran.stderr.contains("warning[passed-over]"), is_cut);
    }
    println!("{} kills, {recorded} requests, {cut} cut", kills());
    assert!(recorded > 0);
}

#[test]
fn a_cut_last_line_is_skipped_by_each_reader() {
    let (place, provider) = (Place::new(), Provider::new());
    let recorder = recorder(&place, &provider, &["-o", "log.jsonl"]);
    for system in ["Für 12 m: №1 ✓.", "Für 20 m: №2 ✓."] {
        let path = "/anthropic/v1/messages";
        recorder.send(path, "", &body(system, "Ist ein Platz frei?"));
    }
    recorder.end();
    let log = std::fs::read(place.path().join("log.jsonl")).unwrap();
    let head = log.iter().position(|byte| *byte == b'\n').unwrap();
    // In the middle of letters, and here and there.
    let inside = |at: &usize| (0x80..0xc0).contains(&log[*at]);
    let cuts = (head..log.len()).filter(|at| inside(at) || at % 97 == 0);
    for (i, at) in cuts.enumerate() {
        std::fs::write(place.path().join("cut.jsonl"), &log[..at]).unwrap();
        let (_, is_cut) = requests(&place, "cut.jsonl");
        let reader = [
            &["capture", "diff", "cut.jsonl"][..],
            &["usage", "cut.jsonl"],
            &["capture", "report", "cut.jsonl", "-o", "page.html"],
            &["capture", "show", "cut.jsonl"],
            &["capture", "export", "cut.jsonl", "--inline", "-o", "whole"],
        ][i % 5];
        let ran = place.run(reader).exits(0);
        let is_said = ran
            .stderr
            .contains("warning[passed-over]: the last line of `cut.jsonl` was cut");
        assert_eq!(is_said, is_cut, "{reader:?} {at}: {}", ran.stderr);
    }
}
