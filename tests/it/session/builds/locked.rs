//! Another process holds the store for longer than a call waits.

use super::{Desk, codes_in, ended, open};
use promptc::session::store::Store as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

const MANIFEST: &str = r#"promptc 1
name locked
session {
    refresh idle="1h"
}
fact who string default=nobody
tier stable changes=session {
    layer who {
        template "For {{ who }}."
    }
}
"#;

const BEGIN: &str = "2026-03-30T09:00:00Z";
const SOON: &str = "2026-03-30T09:01:00Z";
const LATER: &str = "2026-03-30T11:00:00Z";

#[test]
fn a_timed_out_writer_gets_an_error_and_has_written_nothing() {
    let desk = Desk::new(MANIFEST);
    desk.text("s", &["--now", BEGIN]);
    let holder = rusqlite::Connection::open(desk.store()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let said = vec!["store-busy".to_owned()];
    let start = Instant::now();
    let call = |id: &str, more: &[&str]| desk.codes(id, more);
    assert_eq!(call("new", &["--wait", "1"]), (3, said.clone()));
    assert!(
        start.elapsed() >= Duration::from_secs(1),
        "it waits as long as it is told to"
    );
    assert_eq!(
        call("s", &["--now", BEGIN, "--refresh", "--wait", "1"]),
        (3, said.clone())
    );
    assert_eq!(
        call("s", &["--now", LATER, "--wait", "1"]),
        (3, said.clone())
    );
    // The frozen text is still read; only its use is not noted.
    assert_eq!(
        desk.text("s", &["--now", SOON, "--wait", "1"]),
        "For nobody."
    );
    assert_eq!(call("s", &["--now", SOON, "--wait", "0"]), (0, said));
    // Nothing is to be noted.
    assert_eq!(call("s", &["--now", BEGIN, "--wait", "1"]), (0, vec![]));
    holder.execute_batch("ROLLBACK").unwrap();
    assert_eq!(call("new", &[]), (0, vec![]));
    let mut store = open(&desk.store());
    let session = store.session(&super::id("s")).unwrap().unwrap();
    assert_eq!(session.build.number, 1);
    assert_eq!(store.verify().unwrap(), []);
}

#[test]
fn a_writer_within_its_timeout_does_not_notice() {
    let desk = Desk::new(MANIFEST);
    desk.text("s", &[]);
    let holder = rusqlite::Connection::open(desk.store()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| desk.codes("new", &["--wait", "60"]));
        std::thread::sleep(Duration::from_millis(300));
        assert!(!waiting.is_finished());
        holder.execute_batch("COMMIT").unwrap();
        assert_eq!(waiting.join().unwrap(), (0, vec![]));
    });
}

/// The note of a use is worth no wait: what is kept is there to be given.
#[test]
fn a_restore_does_not_wait_to_note_its_use() {
    let desk = Desk::new(MANIFEST);
    desk.text("s", &["--now", BEGIN]);
    let holder = rusqlite::Connection::open(desk.store()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut command = desk.command("s", &["--now", SOON, "--wait", "100000"]);
    command.args(["--message-format", "json"]);
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    // Far less than it may wait; the lock is held until then.
    let output = ended(child, Duration::from_secs(120));
    holder.execute_batch("ROLLBACK").unwrap();
    assert_eq!(output.stdout, b"For nobody.");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(codes_in(&stderr), ["store-busy"], "{stderr}");
    assert!(stderr.contains("another process has locked it"), "{stderr}");
}
