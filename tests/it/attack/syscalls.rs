//! System calls that fail, by strace's fault injection. `PROMPTC_FAULTS` says how many.

use super::disturbed::{Call, Outcome, Undisturbed, calls, strace, strace_of};
use super::lines::{READERS, Task, WRITERS};
use super::snapshot::{Snapshot, is_stray};
use super::yard::Yard;
use crate::run::{PROGRAM, Place, Ran, run};
use crate::session::builds::{Dice, number};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The calls that may fail in a world that is out of space, rights, files or luck.
const FAULTY: &[&str] = &[
    "open",
    "openat",
    "read",
    "write",
    "pread64",
    "pwrite64",
    "fsync",
    "fdatasync",
    "ftruncate",
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
    "stat",
    "lstat",
    "fstat",
    "newfstatat",
    "statx",
    "access",
    "faccessat2",
    "getdents64",
    "chmod",
    "fchmod",
    "fchmodat",
    "flock",
    "fcntl",
    "lseek",
    "readlink",
    "readlinkat",
    "getcwd",
    "copy_file_range",
    "sendfile",
    "pipe2",
    "clone3",
    "execve",
    "inotify_init1",
    "inotify_add_watch",
];

const ERRORS: &[&str] = &[
    "EIO", "ENOSPC", "EACCES", "EMFILE", "EINTR", "EDQUOT", "EROFS",
];

/// Whether the fall of a run is that of another's code, on a call that fails nowhere but here: the pipe by which the standard
/// library learns whether a child was started, and the counter by which `notify` wakes its thread.
fn is_of_others(stderr: &str) -> bool {
    stderr.contains("/library/std/src/sys/process/") || stderr.contains("/notify-")
}

/// Whether a run that says that it is done may have done less, as the pages say. `log`: the calls of the name that failed.
fn may_do_less(line: &str, log: &str, [did, undisturbed]: [&Outcome; 2]) -> bool {
    // A session is restored from a store that nothing can be written to: when it was asked for is then not noted.
    let restored = line.starts_with("build --session chat-1");
    // `check` takes sizes from the snapshots, if it can; `test` reports unreadable ones.
    let unsized_check = line.starts_with("check") && !line.contains("--sources");
    // `init` leaves unreadable files out of its proposal, and reports them.
    let forbidden = line == "init ws" && log.contains("= -1 EACCES");
    // A session and a snapshot keep the answers of the file system, also that the current directory could not be looked up by
    // its path; the manifest is then searched for from the folder above.
    let by_path = |call: &str| {
        let looks_up = ["faccessat2(", "readlink(", "getcwd("];
        call.contains("(INJECTED)") && looks_up.iter().any(|name| call.contains(name))
    };
    let keeps = line.starts_with("build --session") || line.contains("--accept");
    let kept = keeps && log.lines().any(by_path);
    // What a snapshot's inputs contained is asked of git. Without an answer the comparison knows only the map, and says so.
    let differs = |of: &Outcome| -> usize {
        let said = of.left.0.values().chain([&of.ran.stdout]);
        said.map(|text| String::from_utf8_lossy(text).matches("differs  ").count())
            .sum()
    };
    let compares = line.starts_with("diff") || line.starts_with("test");
    let without_inputs = compares && differs(did) > differs(undisturbed);
    restored || unsized_check || forbidden || kept || without_inputs
}

/// The properties of a run in which a call failed. `log`: the calls of that name.
fn check(undisturbed: &Undisturbed, place: &Yard, did: &Outcome, log: &str) -> Result<(), String> {
    let (ran, line) = (&did.ran, undisturbed.task.line);
    let stderr = &ran.stderr;
    if is_of_others(stderr) {
        return undisturbed.check(place);
    }
    if !(0..=3).contains(&ran.code) || stderr.contains("panicked") {
        return Err(format!("exit code {}\n{stderr}", ran.code));
    }
    if ran.code == undisturbed.first.ran.code {
        // Done, so all of it.
        let all = undisturbed.same(did, &undisturbed.first);
        return all.or_else(|wrong| {
            if may_do_less(line, log, [did, &undisturbed.first]) {
                Ok(())
            } else {
                Err(wrong)
            }
        });
    }
    // A page of the store that cannot be read is what `session verify` is to find.
    let found = line.starts_with("session verify") && ran.code == 1;
    // Else it is an error, which is neither an answer nor a verdict.
    if ran.code < 2 && !found {
        return Err(format!(
            "the exit code {} is another answer\n{stderr}",
            ran.code
        ));
    }
    let failed = |what: &str| {
        log.lines()
            .any(|line| line.contains("(INJECTED)") && line.contains(what))
    };
    // Which it says on stdout.
    if stderr.is_empty() && !found && !failed("write(2,") {
        return Err(format!("exit code {} without a word", ran.code));
    }
    let left = Snapshot::of(place.path());
    if let Some(stray) = left
        .0
        .keys()
        .find(|path| is_stray(path) && !failed("unlink"))
    {
        return Err(format!("{stray} stays behind"));
    }
    undisturbed.check(place)
}

#[test]
fn a_system_call_that_fails_is_an_error_or_does_no_harm() {
    if !strace() {
        return;
    }
    let yard = Yard::new();
    let faults = number("PROMPTC_FAULTS", 30);
    let mut dice = Dice::new(23);
    let tasks: Vec<&'static Task> = WRITERS.iter().chain(READERS).collect();
    let mut known: BTreeMap<usize, (Undisturbed, Vec<Call>)> = BTreeMap::new();
    let (mut wrong, mut injected, mut kinds) = (Vec::new(), 0, BTreeSet::new());
    for fault in 0..faults {
        // Every line once, then again; neighbours are alike.
        let at = fault * 11 % tasks.len();
        let (undisturbed, calls) = known.entry(at).or_insert_with(|| {
            let undisturbed = Undisturbed::of(tasks[at], &yard);
            let calls = calls(&undisturbed, &yard, FAULTY);
            (undisturbed, calls)
        });
        let call = &calls[dice.below(calls.len() as u64) as usize];
        let error = ERRORS[dice.below(ERRORS.len() as u64) as usize];
        let place = yard.fresh();
        let log = place.path().join("home/log");
        let runner = call.runner(&format!("error={error}"), log.to_str().unwrap());
        let mut did = undisturbed.ran(place, &runner);
        let text = fs::read_to_string(&log).unwrap_or_default();
        fs::remove_file(&log).unwrap();
        did.left.0.remove("home/log");
        if text.contains("(INJECTED)") {
            injected += 1;
            kinds.insert(format!("{} {error}", call.name));
        }
        if let Err(found) = check(undisturbed, place, &did, &text) {
            let failed: Vec<&str> = text
                .lines()
                .filter(|line| line.contains("(INJECTED)"))
                .collect();
            wrong.push(format!(
                "`{}`, {} {} {error}: {found}\n{}",
                undisturbed.task.line,
                call.name,
                call.number,
                failed.join("\n")
            ));
        }
    }
    println!(
        "{injected} of {faults} calls failed, {} kinds, {} lines, {} wrong",
        kinds.len(),
        known.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn without_more_threads_the_work_is_done_or_refused() {
    if !strace() {
        return;
    }
    let yard = Yard::new();
    let lines = [
        "build --batch facts.jsonl -o out.txt @",
        "test -m promptc.kdl --accept",
    ];
    for task in WRITERS.iter().filter(|task| lines.contains(&task.line)) {
        let undisturbed = Undisturbed::of(task, &yard);
        // All, then all but the first.
        for first in [1, 2] {
            let how = format!("error=EAGAIN:when={first}+");
            let runner = strace_of("?clone,?clone3", Some(&how), "/dev/null");
            let did = undisturbed.ran(yard.fresh(), &runner);
            let same = undisturbed.same(&did, &undisturbed.first);
            let refused =
                did.ran.code == 3 && did.ran.stderr.contains("no thread could be started");
            assert!(
                refused || same.is_ok(),
                "`{}`: {}\n{}",
                task.line,
                same.unwrap_err(),
                did.ran.stderr
            );
        }
    }
}

/// The thread that reads the output of git next to its answer: the second new one, after git itself.
#[test]
fn without_a_thread_git_is_not_read() {
    if !strace() {
        return;
    }
    let yard = Yard::new();
    let is = |task: &&Task| task.line == "diff git:HEAD --format markdown";
    let undisturbed = Undisturbed::of(READERS.iter().find(is).unwrap(), &yard);
    let mut said = Vec::new();
    for first in 1..=4 {
        let how = format!("error=EAGAIN:when={first}+");
        let runner = strace_of("?clone,?clone3", Some(&how), "/dev/null");
        let ran = undisturbed.ran(yard.fresh(), &runner).ran;
        let same = ran.code == undisturbed.first.ran.code;
        assert!(
            ran.code == 3 || same,
            "{first}: {}\n{}",
            ran.code,
            ran.stderr
        );
        said.push(ran.stderr);
    }
    let thread = |said: &String| said.contains("no thread could be started");
    assert!(said.iter().any(thread), "{said:?}");
}

/// SQLite says nothing when the log of a new store cannot be taken into its file, which then has nothing in it.
#[test]
fn a_new_empty_store_is_removed() {
    if !strace() {
        return;
    }
    let yard = Yard::new();
    let is = |task: &&Task| task.line == "session import chat.json --store other/new.db";
    let undisturbed = Undisturbed::of(WRITERS.iter().find(is).unwrap(), &yard);
    let calls = calls(&undisturbed, &yard, &["fcntl"]);
    // The lock that none but who takes the log in needs: all that is shared, for writing.
    let alone = |call: &&Call| {
        ["F_WRLCK", "l_start=1073741826"]
            .iter()
            .all(|part| call.arguments.contains(part))
    };
    let locks: Vec<&Call> = calls.iter().filter(alone).collect();
    assert!(!locks.is_empty());
    for call in locks {
        let runner = call.runner("error=EDQUOT", "/dev/null");
        undisturbed.ran(yard.fresh(), &runner);
        let goes_on = undisturbed.check(&yard);
        assert!(goes_on.is_ok(), "{call:?}: {}", goes_on.unwrap_err());
    }
}

/// That a manifest cannot be read a second time says nothing of the edits.
#[test]
fn a_fix_that_cannot_be_checked_is_no_verdict() {
    if !strace() {
        return;
    }
    let yard = Yard::new();
    let is = |task: &&Task| task.line == "check --diff -m fixable.kdl";
    let undisturbed = Undisturbed::of(READERS.iter().find(is).unwrap(), &yard);
    let calls = calls(
        &undisturbed,
        &yard,
        &["stat", "statx", "readlink", "getcwd"],
    );
    let reads = |call: &&Call| call.name == "getcwd" || call.arguments.contains("fixable.kdl");
    let names: BTreeSet<&str> = calls.iter().filter(reads).map(|c| &*c.name).collect();
    assert!(
        names.contains("readlink") && names.contains("getcwd"),
        "{names:?}"
    );
    for call in calls.iter().filter(reads) {
        let runner = call.runner("error=EACCES", "/dev/null");
        let ran = undisturbed.ran(yard.fresh(), &runner).ran;
        assert!(
            [0, 3].contains(&ran.code),
            "{call:?}: {}\n{}",
            ran.code,
            ran.stderr
        );
    }
}

/// Runs a command once for each of its calls of these names whose arguments have `part`, and makes that call fail: the
/// run ends with an error of the world, or `fits`.
fn each_fails(
    line: &str,
    (names, part, errors): (&[&str], &str, &[&str]),
    fits: impl Fn(&Undisturbed, &Outcome) -> Result<(), String>,
) {
    if !strace() {
        return;
    }
    let yard = Yard::new();
    let task = WRITERS.iter().chain(READERS).find(|task| task.line == line);
    let undisturbed = Undisturbed::of(task.unwrap(), &yard);
    let calls = calls(&undisturbed, &yard, names);
    let calls = calls.iter().filter(|call| call.arguments.contains(part));
    let (mut refused, mut wrong) = (0, Vec::new());
    for call in calls {
        for error in errors {
            let runner = call.runner(&format!("error={error}"), "/dev/null");
            let did = undisturbed.ran(yard.fresh(), &runner);
            match (did.ran.code, fits(&undisturbed, &did)) {
                (3, _) => refused += 1,
                (_, Ok(())) => {}
                (_, Err(why)) => wrong.push(format!("{call:?} {error}: {why}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(refused > 0, "no call of `{line}` is needed");
}

/// The stored manifest of a session means the same in any folder.
#[test]
fn a_session_remembers_no_relative_manifest() {
    let line = "build --session chat-2 --refresh --set user=Cid @";
    let faults: (&[&str], &str, &[&str]) = (&["getcwd", "readlink"], "", &["ENOENT", "EACCES"]);
    each_fails(line, faults, |_, did| {
        let store = String::from_utf8_lossy(&did.left.0["work/.promptc/store.db"]);
        if store.contains(r#"\"manifest\":\"promptc.kdl\""#) {
            Err("it remembers `promptc.kdl`".to_owned())
        } else {
            Ok(())
        }
    });
}

/// That a folder cannot be looked at does not say that it is not there.
#[test]
fn an_unreadable_folder_is_reported() {
    let line = "agent rules src/x.rs --session chat-2";
    let names: &[&str] = &["stat", "statx", "readlink"];
    let faults: (_, _, &[&str]) = (names, "src", &["EIO", "EACCES"]);
    each_fails(line, faults, |undisturbed, did| {
        undisturbed.same(did, &undisturbed.first)
    });
}

/// That a manifest cannot be looked at does not say that it has one scenario.
#[test]
fn a_report_of_an_unreadable_manifest_is_an_error() {
    let faults: (&[&str], _, &[&str]) = (&["stat", "statx"], "promptc.kdl", &["EIO", "EACCES"]);
    each_fails("report -o out.txt @", faults, |undisturbed, did| {
        undisturbed.same(did, &undisturbed.first)
    });
}

/// That a prompt cannot be built a second time does not say that it would be another.
#[test]
fn a_failed_second_build_is_no_verdict() {
    if !strace() {
        return;
    }
    let yard = Yard::new();
    let is = |task: &&Task| task.line == "test -m promptc.kdl --twice";
    let undisturbed = Undisturbed::of(READERS.iter().find(is).unwrap(), &yard);
    // The second program that each child becomes.
    let runner = strace_of("execve", Some("error=EACCES:when=2"), "/dev/null");
    let ran = undisturbed.ran(yard.fresh(), &runner).ran;
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    ran.says("could not be built a second time");
}

/// A pipe of the second build that cannot be waited for ends no program in a panic, as it does in `std`.
#[test]
fn a_second_build_whose_pipes_cannot_be_waited_for_does_not_panic() {
    let Some(place) = small() else { return };
    // The first one is of the start of each program.
    let inject = Some("error=EIO:when=2+");
    traced(&place, "poll", None, "test --accept").0.exits(0);
    let (ran, _) = traced(&place, "poll", inject, "test --twice");
    assert!([0, 3].contains(&ran.code), "{}: {}", ran.code, ran.stderr);
}

/// The output of a program under strace, with `how` injected into its `calls`, and the log of them.
fn traced(place: &Place, calls: &str, how: Option<&str>, line: &str) -> (Ran, String) {
    let log = place.path().join("log");
    let mut command = std::process::Command::new("timeout");
    command
        .arg("60")
        .args(strace_of(calls, how, log.to_str().unwrap()));
    command.arg(PROGRAM).args(line.split(' '));
    command.current_dir(place.path());
    let ran = run(command, b"");
    (ran, fs::read_to_string(log).unwrap_or_default())
}

/// A place with a small manifest, where strace is installed.
fn small() -> Option<Place> {
    let place = strace().then(Place::new)?;
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer l { text \"hi\" } }\n",
    );
    Some(place)
}

/// Some file systems know no such locks.
#[test]
fn a_store_is_created_without_file_locks() {
    for error in ["ENOLCK", "ENOSYS", "EOPNOTSUPP"] {
        let Some(place) = small() else { return };
        let inject = format!("error={error}");
        for line in ["build --session a", "build -o out", "session gc"] {
            let (ran, log) = traced(&place, "flock", Some(&inject), line);
            assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
            assert!(line.ends_with("gc") || log.contains("INJECTED"), "{line}");
        }
    }
}

/// The pieces of a batch wait in the folder that is held open, not in what has its path by then.
#[test]
fn incomplete_files_are_created_in_the_locked_folder() {
    let Some(place) = small() else { return };
    place.file("lines", "{}\n{}\n");
    place.file("sub/old", "");
    let line = "build --batch lines -o sub/out";
    let (ran, log) = traced(&place, "open,openat", None, line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.read("sub/out").lines().count(), 2);
    let made: Vec<&str> = log.lines().filter(|l| l.contains("O_TMPFILE")).collect();
    let by_path = made.iter().filter(|l| !l.contains(", \".\","));
    assert_eq!(by_path.collect::<Vec<_>>(), Vec::<&&str>::new());
    assert!(!made.is_empty() || log.contains(".promptc-unfinished-"));
}
