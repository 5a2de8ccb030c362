//! A recorder that is killed leaves whole lines, but for a last one that it was in the middle of, and a client that sees a closed connection
//! at worst.

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

#[test]
fn a_killed_recorder_leaves_whole_lines() {
    let provider = Provider::new();
    let mut recorded = 0;
    for round in 0..kills() {
        let place = Place::new();
        let mut recorder = recorder(&place, &provider, &["-o", "log.jsonl"]);
        let port = recorder.port;
        thread::scope(|scope| {
            for lane in 0..4 {
                scope.spawn(move || {
                    for i in 0.. {
                        let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) else {
                            return;
                        };
                        drop(stream);
                        let large = format!("{lane} {i} ").repeat(5_000);
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
            thread::sleep(Duration::from_millis(30 + round * 37 % 400));
            recorder.child.kill().unwrap();
            recorder.child.wait().unwrap();
        });
        let log = place.read("log.jsonl");
        let (whole, cut) = log.rsplit_once('\n').unwrap_or_default();
        for line in whole.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            recorded += usize::from(line["kind"] == "request");
        }
        let ran = place.run(&["diff", "log.jsonl"]).exits(0);
        // The system may end a write of many pages in the middle.
        assert_eq!(ran.stderr.contains("warning[passed-over]"), !cut.is_empty());
    }
    assert!(recorded > 0);
}
