//! No command ends with a code that is not documented, or with another code than 0 and no word of why: each with closed or
//! full streams, in an empty folder, and in one without rights.

use super::lines::{READERS, Task, WRITERS};
use super::yard::{self, Yard};
use crate::case::{as_nobody, is_root};
use crate::docs::commands::helps;
use crate::run::{PROGRAM, Place};
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Redirections of a shell, and whether what a command prints is read.
const STREAMS: &[(&str, bool)] = &[
    ("<&-", true),
    (">&-", false),
    ("<&- >&-", false),
    #[cfg(target_os = "linux")]
    (">/dev/full", false),
    #[cfg(target_os = "linux")]
    ("<&- >/dev/full", false),
];

/// How a command ended.
struct Ended {
    /// None if it was ended by a signal.
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: String,
}

/// Runs a command to its end. The limit only keeps the tests from waiting for ever.
fn ended(mut command: Command, what: &str) -> Ended {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).unwrap();
        bytes
    });
    let err = thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).unwrap();
        text
    });
    for _ in 0..30_000 {
        if let Some(status) = child.try_wait().unwrap() {
            return Ended {
                code: status.code(),
                stdout: out.join().unwrap(),
                stderr: err.join().unwrap(),
            };
        }
        thread::sleep(Duration::from_millis(4));
    }
    child.kill().unwrap();
    panic!("{what} does not end");
}

/// What is wrong with an end. `answers`: whether the same call has an answer on standard output, such as a verdict.
fn wrong(ended: &Ended, answers: bool) -> Option<String> {
    let Ended { code, stderr, .. } = ended;
    if stderr.contains("panicked") || !matches!(code, Some(0..=3)) {
        return Some(format!("{code:?}\n{stderr}"));
    }
    let says = match code {
        Some(0) => true,
        Some(1) => answers || !stderr.is_empty(),
        _ => stderr.contains("error["),
    };
    (!says).then(|| format!("{code:?} without a word"))
}

/// The program with these arguments, started by a shell that redirects its streams.
fn redirected(streams: &str) -> Command {
    let mut command = Command::new("sh");
    let line = format!("exec \"$0\" \"$@\" {streams}");
    command.args(["-c", &line, PROGRAM]);
    command
}

/// Each command, and those that only list others, without arguments. A `watch` ends when it is told to.
fn bare() -> Vec<Vec<String>> {
    let words = |command: &str| -> Vec<String> {
        let words = command.split_whitespace().map(str::to_owned);
        words.collect()
    };
    let all = helps().into_iter().map(|(command, _)| words(&command));
    let all: Vec<Vec<String>> = all.collect();
    assert!(all.len() > 60, "{}", all.len());
    let ends = |args: Vec<String>| match args.first().map(String::as_str) {
        Some("watch") => [&args[..], &words("--builds 1")].concat(),
        _ => args,
    };
    all.into_iter().map(ends).collect()
}

fn tasks() -> impl Iterator<Item = &'static Task> {
    WRITERS.iter().chain(READERS)
}

#[test]
fn a_closed_or_full_stream_ends_no_command_without_a_word() {
    let yard = Yard::new();
    let mut bad = Vec::new();
    for task in tasks() {
        let line = task.parsed();
        let answers = {
            let mut command = yard::command(yard.fresh().path(), &line);
            command.stdin(Stdio::null());
            !ended(command, task.line).stdout.is_empty()
        };
        for (streams, _) in STREAMS {
            let place = yard.fresh();
            let what = format!("`{}` {streams}", task.line);
            let mut command = redirected(streams);
            command.args(&line.args).stdin(Stdio::null());
            let ended = ended(yard::within(place.path(), &line, command), &what);
            bad.extend(wrong(&ended, answers).map(|why| format!("{what}: {why}")));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn no_command_without_arguments_ends_without_a_word() {
    let mut bad = Vec::new();
    for args in bare() {
        for (streams, is_read) in STREAMS.iter().chain(&[("", true)]) {
            let place = Place::new();
            let what = format!("{args:?} {streams}");
            let mut command = redirected(streams);
            command.args(&args).current_dir(place.path()).env_clear();
            command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
            command.env("HOME", place.path()).stdin(Stdio::null());
            let ended = ended(command, &what);
            let answers = *is_read && !ended.stdout.is_empty();
            // The list of the commands is the word: it says which one is missing.
            let lists = ended.stderr.contains("Usage: ");
            let why = wrong(&ended, answers).filter(|_| !lists);
            bad.extend(why.map(|why| format!("{what}: {why}")));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn in_an_empty_folder_no_command_ends_without_a_word() {
    let mut bad = Vec::new();
    for task in tasks() {
        let place = Place::new();
        for folder in ["home", "tmp", "work"] {
            fs::create_dir(place.path().join(folder)).unwrap();
        }
        let mut command = yard::command(place.path(), &task.parsed());
        command.stdin(Stdio::null());
        let ended = ended(command, task.line);
        let answers = !ended.stdout.is_empty();
        bad.extend(wrong(&ended, answers).map(|why| format!("`{}`: {why}", task.line)));
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// The program in a folder that its user may not read, or not even enter. None where that cannot be.
fn without_rights(args: &[String], place: &Place, mode: u32) -> Option<Command> {
    let folder = place.path().join("closed");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut command = if is_root() {
        as_nobody(&args, place)?
    } else {
        place.command(&args)
    };
    fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    command.current_dir(folder).stdin(Stdio::null());
    Some(command)
}

#[test]
fn in_a_folder_without_rights_no_command_ends_without_a_word() {
    let mut bad = Vec::new();
    // Who is not root cannot go where the folder may not be entered.
    let modes: &[u32] = if is_root() { &[0o711, 0o700] } else { &[0o100] };
    let place = Place::new();
    let closed = place.file("closed/promptc.kdl", "promptc 1\n");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let lines = tasks().map(|task| task.parsed().args);
    for args in bare().into_iter().chain(lines) {
        for mode in modes {
            let Some(command) = without_rights(&args, &place, *mode) else {
                return;
            };
            let what = format!("{args:?} {mode:o}");
            let ended = ended(command, &what);
            let lists = ended.stderr.contains("Usage: ");
            let why = wrong(&ended, !ended.stdout.is_empty()).filter(|_| !lists);
            bad.extend(why.map(|why| format!("{what}: {why}")));
        }
    }
    open_again(&place.path().join("closed"));
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// So that the folder can be removed.
fn open_again(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
}
