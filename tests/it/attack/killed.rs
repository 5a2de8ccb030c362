//! Writers that are killed: at a random moment, and before each system call that changes something. `PROMPTC_KILLS` says
//! how many are killed.

use super::disturbed::{Call, Undisturbed, calls, strace};
use super::lines::WRITERS;
use super::snapshot::{Snapshot, is_stray};
use super::yard::Yard;
use crate::session::builds::{Dice, number};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

/// The calls that change a file or a folder, or come between two of them; and the end.
const CHANGES: &[&str] = &[
    "open",
    "openat",
    "write",
    "pwrite64",
    "ftruncate",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "chmod",
    "fchmod",
    "fchmodat",
    "flock",
    "fcntl",
    "copy_file_range",
    "sendfile",
    "exit_group",
];

/// Starts the command and kills it after this time. Whether it was killed in time.
fn kill_after(undisturbed: &Undisturbed, place: &Yard, delay: Duration) -> bool {
    let mut command = undisturbed.command(place, &[]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    // One that was killed, or reads nothing, takes nothing.
    let _ = child
        .stdin
        .take()
        .unwrap()
        .write_all(&undisturbed.stdin(place));
    thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

/// Runs the command, which is killed before this call.
fn kill_before(undisturbed: &Undisturbed, place: &Yard, call: &Call) -> bool {
    // Where only some calls are looked at (`--seccomp-bpf`), the signal is lost.
    let runner = call.runner("signal=KILL", "/dev/null");
    undisturbed.ran(place, &runner).ran.code == -1
}

#[test]
fn a_killed_writer_leaves_whole_files_and_the_next_one_goes_on() {
    let (kills, traces) = (number("PROMPTC_KILLS", 24), strace());
    let yard = Yard::new();
    let mut dice = Dice::new(19);
    let mut known: BTreeMap<usize, (Undisturbed, Vec<Call>)> = BTreeMap::new();
    let (mut wrong, mut tried, mut killed) = (Vec::new(), 0, 0);
    for kill in 0..kills {
        // Every writer once, then again; neighbours are alike.
        let at = kill * 7 % WRITERS.len();
        let (undisturbed, calls) = known.entry(at).or_insert_with(|| {
            let undisturbed = Undisturbed::of(&WRITERS[at], &yard);
            let calls = if traces {
                calls(&undisturbed, &yard, CHANGES)
            } else {
                Vec::new()
            };
            (undisturbed, calls)
        });
        let place = yard.fresh();
        let (when, was_killed) = if calls.is_empty() || dice.once_in(3) {
            let delay = Duration::from_micros(dice.below(undisturbed.took.as_micros() as u64 + 1));
            (
                format!("after {delay:?}"),
                kill_after(undisturbed, place, delay),
            )
        } else {
            let call = &calls[dice.below(calls.len() as u64) as usize];
            (
                format!("before {} {}", call.name, call.number),
                kill_before(undisturbed, place, call),
            )
        };
        tried += 1;
        killed += usize::from(was_killed);
        // Which runs the command again: the next writer.
        let checked = undisturbed.check(place);
        let left = Snapshot::of(place.path());
        let stray = left.0.into_keys().find(|path| is_stray(path));
        let swept = stray.map_or(Ok(()), |path| Err(format!("{path} stays behind")));
        if let Err(found) = checked.and(swept) {
            wrong.push(format!(
                "`{}`, killed {when}: {found}",
                undisturbed.task.line
            ));
        }
    }
    println!(
        "{killed} of {tried} runs killed, {} lines, {} wrong",
        known.len(),
        wrong.len()
    );
    assert!(2 * killed >= tried, "only {killed} of {tried} were killed");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
