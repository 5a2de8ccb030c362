//! Sessions that are moved from store to store: killed, at once, and in opposite directions.

use super::imports::{OWN, refused};
use crate::run::{Place, Ran};
use serde_json::{Value as Json, json};
use std::fs;
use std::process::Stdio;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

fn own(place: &Place, id: &str, more: &[&str]) -> String {
    let args = ["build", "--session", id, "--now", "2026-11-21T10:00:00Z"];
    let ran = place.run(&[&args, more].concat()).exits(0);
    ran.stdout().to_owned()
}

#[test]
fn a_moved_session_works_as_before() {
    let place = Place::new();
    place.file("promptc.kdl", OWN);
    place.file("AGENTS.md", "Be brief.\n");
    own(&place, "a", &["--set", "user=Ann"]);
    own(&place, "a", &["--event", "compaction"]);
    own(&place, "b", &[]);
    let show = |store: &str| {
        let args = ["session", "show", "a", "--format", "json", "--store", store];
        let mut shown: Json = serde_json::from_slice(&place.run(&args).exits(0).stdout).unwrap();
        shown["store"].take();
        shown
    };
    let before = show(".promptc/store.db");
    let ran = place
        .run(&["session", "move", "a", "--to", "new/s.db"])
        .exits(0);
    assert_eq!(ran.stdout(), "moved a (2 builds)\n");
    assert_eq!(show("new/s.db"), before);
    let there = ["--store", "new/s.db", "--set", "hot=x"];
    assert_eq!(
        own(&place, "a", &there),
        "Be brief.\n\nYou talk to Ann.\n\nNow x."
    );
    place.run(&["session", "show", "a"]).exits(2);
    place
        .run(&["session", "verify", "--store", "new/s.db"])
        .exits(0);
    // All or nothing, and nothing over another.
    own(&place, "a", &[]);
    let ran = place.run(&["session", "move", "b", "a", "--to", "new/s.db"]);
    refused(&ran, "session-exists");
    refused(
        &place.run(&["session", "move", "--all", "--to", "new/s.db"]),
        "session-exists",
    );
    refused(
        &place.run(&["session", "move", "b", "c", "--to", "new/s.db"]),
        "unknown-session",
    );
    refused(
        &place.run(&["session", "move", "b", "--to", ".promptc/store.db"]),
        "usage",
    );
    refused(
        &place.run(&["session", "move", "b", "--to", "postgres://h/db"]),
        "unknown-store-kind",
    );
    place.run(&["session", "show", "b"]).exits(0);
    place.run(&["session", "rm", "a"]).exits(0);
    let args = [
        "session", "move", "--all", "--to", "new/s.db", "--format", "json",
    ];
    let report: Json = serde_json::from_slice(&place.run(&args).exits(0).stdout).unwrap();
    assert_eq!(report["moved"], json!([{"session": "b", "builds": 1}]));
}

#[test]
fn a_move_that_was_stopped_is_ended_by_the_next() {
    let place = Place::new();
    place.file("promptc.kdl", OWN);
    place.file("AGENTS.md", "Be brief.\n");
    own(&place, "a", &[]);
    // As one leaves it that was ended between its two steps.
    fs::copy(
        place.path().join(".promptc/store.db"),
        place.path().join("copy.db"),
    )
    .unwrap();
    let ran = place
        .run(&["session", "move", "a", "--to", "copy.db"])
        .exits(0);
    assert_eq!(ran.stdout(), "moved a (1 build)\n");
    place.run(&["session", "show", "a"]).exits(2);
    own(&place, "a", &["--store", "copy.db"]);
}

/// `PROMPTC_KILLS` says how many moves are killed.
#[test]
fn a_move_that_is_killed_leaves_each_session_whole_in_one_store_at_least() {
    let kills: usize = std::env::var("PROMPTC_KILLS").map_or(12, |n| n.parse().unwrap());
    let place = Place::new();
    place.file("promptc.kdl", OWN);
    place.file("AGENTS.md", "Be brief.\n".repeat(2000));
    let ids: Vec<String> = (0..4).map(|n| format!("s{n}")).collect();
    for id in &ids {
        own(&place, id, &[]);
    }
    let text = own(&place, "s0", &[]);
    let mut stores = ["one.db", "two.db"];
    place
        .run(&["session", "move", "--all", "--to", stores[0]])
        .exits(0);
    for kill in 0..kills {
        let args = [
            "session", "move", "--all", "--store", stores[0], "--to", stores[1],
        ];
        let mut command = place.command(&args);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        thread::sleep(Duration::from_millis((kill as u64 * 13) % 60));
        let _ = child.kill();
        child.wait().unwrap();
        for id in &ids {
            let shown = stores.map(|store| {
                let ran = place.run(&["session", "show", id, "--format", "text", "--store", store]);
                (ran.code == 0).then_some(ran.stdout)
            });
            let there: Vec<Vec<u8>> = shown.into_iter().flatten().collect();
            assert!(!there.is_empty(), "{id} is lost");
            let kept = text.strip_suffix("\n\nNow .").unwrap().as_bytes();
            assert!(there.iter().all(|text| text == kept));
        }
        place.run(&args).exits(0);
        for store in stores {
            place.run(&["session", "verify", "--store", store]).exits(0);
        }
        stores.reverse();
    }
}

/// Moves the session `a` at once: each from a store to another.
fn at_once(place: &Place, moves: &[(&str, &str)]) -> Vec<Ran> {
    let start = Barrier::new(moves.len());
    thread::scope(|scope| {
        let call = |(from, to): &(&str, &str)| {
            let (start, from, to) = (&start, (*from).to_owned(), (*to).to_owned());
            scope.spawn(move || {
                let args = ["session", "move", "a", "--store", &from, "--to", &to];
                start.wait();
                place.run(&args)
            })
        };
        let calls: Vec<_> = moves.iter().map(call).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    })
}

/// `PROMPTC_RACES` says how often they meet.
#[test]
fn simultaneous_moves_lose_no_session() {
    let races = std::env::var("PROMPTC_RACES").map_or(12, |n| n.parse().unwrap());
    let place = Place::new();
    place.file("promptc.kdl", OWN);
    place.file("AGENTS.md", "Be brief.\n");
    let text = own(&place, "a", &["--store", "model.db"]);
    let model = place.path().join("model.db");
    for race in 0..races {
        let stores = ["one", "two", "three"].map(|name| format!("{name}{race}.db"));
        let [one, two, three] = stores.each_ref().map(String::as_str);
        let copy = |store: &str| fs::copy(&model, place.path().join(store)).unwrap();
        copy(one);
        let moves = match race % 3 {
            // The same way.
            0 => vec![(one, two); 4],
            // Each the other's way, as after a move that was stopped.
            1 => {
                copy(two);
                vec![(one, two), (two, one)]
            }
            _ => {
                copy(two);
                vec![(one, two), (two, three), (one, three), (two, one)]
            }
        };
        let ran = at_once(&place, &moves);
        let codes: Vec<i32> = ran.iter().map(|ran| ran.code).collect();
        assert!(
            codes.iter().all(|code| [0, 2, 3].contains(code)),
            "{codes:?}"
        );
        let shown = stores.each_ref().map(|store| {
            let ran = place.run(&["session", "show", "a", "--format", "text", "--store", store]);
            (ran.code == 0).then_some(ran.stdout)
        });
        let there: Vec<&Vec<u8>> = shown.iter().flatten().collect();
        assert!(!there.is_empty(), "{moves:?} lost it: {codes:?}");
        let kept = text.strip_suffix("\n\nNow .").unwrap().as_bytes();
        assert!(there.iter().all(|text| *text == kept));
    }
}
