//! Clocks that are wrong: one call with a clock ahead must not keep a session as it is for good.

use super::Desk;

const MANIFEST: &str = r#"promptc 1
name clock
session {
    refresh idle="1h"
}
tier stable changes=session {
    layer text {
        text "Text."
    }
}
"#;

/// The result for the session at that time, and the reason for its build.
fn at(desk: &Desk, now: &str, more: &[&str]) -> (String, String) {
    let told = desk.told("s", &[&["--now", now], more].concat());
    (told.state, told.reason)
}

fn wanted(state: &str, reason: &str) -> (String, String) {
    (state.to_owned(), reason.to_owned())
}

#[test]
fn a_use_that_is_still_to_come_does_not_count() {
    let desk = Desk::new(MANIFEST);
    assert_eq!(at(&desk, "2026-03-30T09:00:00Z", &[]).0, "built");
    let ahead = at(&desk, "2099-01-01T00:00:00Z", &[]);
    assert_eq!(ahead.0, "refreshed");
    // Its build is of that clock, so nothing says how long ago it was.
    let restored = at(&desk, "2026-03-30T10:00:00Z", &[]);
    assert_eq!(restored.0, "restored");
    // But from this call on it is known when it was used.
    let again = at(&desk, "2026-03-30T12:00:00Z", &[]);
    assert_eq!(again, wanted("refreshed", "idle:7200"));
}

#[test]
fn the_time_runs_from_the_build_if_the_last_use_is_not_known() {
    let desk = Desk::new(&MANIFEST.replace("1h", "365d"));
    assert_eq!(at(&desk, "2026-03-30T09:00:00Z", &[]).0, "built");
    assert_eq!(at(&desk, "2027-03-29T09:00:00Z", &[]).0, "restored");
    assert_eq!(at(&desk, "2026-04-30T09:00:00Z", &[]).0, "restored");
    // More than a year after that use, less than one after the one that never was.
    let late = at(&desk, "2027-05-01T09:00:00Z", &[]);
    assert_eq!(late, wanted("refreshed", "idle:31622400"));
}

#[test]
fn a_refresh_is_used_when_it_is_built() {
    let desk = Desk::new(MANIFEST);
    at(&desk, "2026-03-30T09:00:00Z", &[]);
    at(&desk, "2026-03-30T09:30:00Z", &[]);
    assert_eq!(
        at(&desk, "2026-03-30T09:29:00Z", &["--refresh"]).0,
        "refreshed"
    );
    // An hour from then.
    assert_eq!(
        at(&desk, "2026-03-30T10:29:00Z", &[]),
        wanted("refreshed", "idle:3600")
    );
}

#[test]
fn clocks_of_two_machines_may_differ_by_minutes() {
    let desk = Desk::new(MANIFEST);
    at(&desk, "2026-03-30T09:00:00Z", &[]);
    assert_eq!(at(&desk, "2026-03-30T09:58:00Z", &[]).0, "restored");
    // Five minutes back is ignored: the later time stays noted.
    assert_eq!(at(&desk, "2026-03-30T09:53:00Z", &[]).0, "restored");
    assert_eq!(at(&desk, "2026-03-30T10:57:00Z", &[]).0, "restored");
}

#[test]
fn a_session_of_a_clock_ahead_is_collected_in_the_end() {
    let desk = Desk::new(MANIFEST);
    at(&desk, "2026-03-30T09:00:00Z", &[]);
    at(&desk, "2026-03-30T09:30:00Z", &[]);
    at(&desk, "2099-01-01T00:00:00Z", &[]);
    at(&desk, "2026-03-30T09:31:00Z", &[]);
    let args = ["session", "gc", "--unused", "30d", "--now"];
    let gc = |now: &str| {
        let ran = desk.place.run(&[&args[..], &[now]].concat()).exits(0);
        ran.stdout().lines().next().unwrap().to_owned()
    };
    assert!(gc("2026-04-20T09:31:00Z").starts_with("freed "));
    assert_eq!(gc("2026-04-30T09:31:00Z"), "removed s");
}
