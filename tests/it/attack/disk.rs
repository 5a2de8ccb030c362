//! The leftovers of killed writers, modes of private files, and limits of the system.

#[cfg(target_os = "linux")]
use super::disturbed::strace;
use super::writers::{WITH_STORE, refused, repository};
use crate::run::{PROGRAM, Place, Ran, run};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::process::Stdio;

const MANIFEST: &str = "promptc 1\nfact x string\ntier t { layer l { template \"{{ x }}\" } }\nscenario s { set x a }\n";

fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Runs the program below a limit of the shell's.
fn limited(place: &Place, limit: &str, args: &[&str]) -> Ran {
    let mut command = Command::new("sh");
    let script = format!("{limit} || exit 9; umask 000; exec \"$@\"");
    command
        .args(["-c", &script, "sh", PROGRAM])
        .args(args)
        .current_dir(place.path());
    run(command, b"")
}

#[test]
fn an_export_is_for_its_owner_alone() {
    let place = place();
    place
        .run(&["build", "--session", "a", "--set", "x=1"])
        .exits(0);
    let mode = |name: &str| {
        fs::metadata(place.path().join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    let old = place.file("old.json", "{}");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o664)).unwrap();
    for name in ["new.json", "old.json"] {
        limited(&place, "true", &["session", "export", "a", "-o", name]).exits(0);
        assert_eq!(mode(name), 0o600, "{name}");
    }
    // Files that are not private keep the mode of the umask, and their own.
    limited(&place, "true", &["build", "--set", "x=1", "-o", "out"]).exits(0);
    assert_eq!(mode("out"), 0o666);
}

#[test]
fn leftovers_of_killed_writers_are_removed_by_the_next_one() {
    let place = place();
    let left = ["out/.promptc-unfinished-0", "out/.promptc-unfinished-3"];
    let others = [
        "out/.promptc-unfinished",
        "out/.promptc-other",
        "out/promptc-unfinished-0",
    ];
    for name in left.iter().chain(&others) {
        place.file(name, "");
    }
    let held = File::open(place.path().join(left[1])).unwrap();
    held.lock().unwrap();
    for _ in 0..2 {
        place
            .run(&["build", "--set", "x=1", "-o", "out/file"])
            .exits(0);
        let there = |name: &str| place.path().join(name).exists();
        assert!(!there(left[0]) && there(left[1]) && others.iter().copied().all(there));
    }
    drop(held);
    place
        .run(&["build", "--set", "x=1", "-o", "out/file"])
        .exits(0);
    assert!(!place.path().join(left[1]).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn leftovers_of_a_killed_store_are_removed_by_the_next_process() {
    let place = place();
    for command in [
        &["build", "--session", "a", "--set", "x=1"][..],
        &["session", "gc"],
    ] {
        for name in [
            ".store-aB3dEf",
            ".store-aB3dEf-wal",
            ".store-heLd00",
            ".store-name",
            "store-aB3dEf",
        ] {
            place.file(&format!(".promptc/{name}"), "");
        }
        let held = File::open(place.path().join(".promptc/.store-heLd00")).unwrap();
        // A process that another test starts holds it, too, until it runs its program.
        held.lock().unwrap();
        place.run(command).exits(0);
        let left = names(&place.path().join(".promptc"));
        let left: Vec<&str> = left
            .iter()
            .map(String::as_str)
            .filter(|name| name.contains("store-"))
            .collect();
        assert_eq!(left, [".store-heLd00", ".store-name", "store-aB3dEf"]);
    }
}

#[test]
fn leftovers_of_killed_processes_are_removed_without_a_store() {
    let place = place();
    let strays = [
        ".store-aB3dEf",
        ".store-aB3dEf-journal",
        ".promptc-unfinished-0",
    ];
    let gone = "store.db-reserve";
    let stay = ["other", "store.db-reserved"];
    let fill = |folder: &str| {
        for name in strays.iter().chain(&stay).chain([&gone]) {
            place.file(&format!("{folder}/{name}"), "");
        }
    };
    fill(".promptc");
    let all = names(&place.path().join(".promptc"));
    place.run(&["session", "gc", "--dry-run"]).exits(0);
    assert_eq!(names(&place.path().join(".promptc")), all);
    place.run(&["session", "gc"]).exits(0);
    assert_eq!(names(&place.path().join(".promptc")), stay);
    fill("elsewhere");
    let store = ["--store", "elsewhere/store.db"];
    place
        .run(&[&["session", "gc"][..], &store].concat())
        .exits(2);
    assert_eq!(names(&place.path().join("elsewhere")), stay);
    // Not through a link, nor where there is no folder.
    std::fs::remove_dir_all(place.path().join(".promptc")).unwrap();
    place.run(&["session", "gc"]).exits(0);
    fill("elsewhere");
    std::os::unix::fs::symlink("elsewhere", place.path().join(".promptc")).unwrap();
    place.run(&["session", "gc"]);
    let kept = names(&place.path().join("elsewhere"));
    assert_eq!(kept, all);
}

#[test]
fn git_does_not_take_the_sessions_of_a_folder() {
    let place = place();
    place
        .run(&["build", "--session", "a", "--set", "x=1"])
        .exits(0);
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(place.path());
        run(command, b"").exits(0)
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    assert_eq!(git(&["ls-files"]).stdout(), "promptc.kdl\n");
}

#[test]
fn git_does_not_take_the_sessions_of_a_folder_that_was_there() {
    let place = place();
    let build = |folder: &str| {
        let store = format!("{folder}/store.db");
        let args = ["build", "--session", "a", "--set", "x=1", "--store", &store];
        place.run(&args).exits(0);
        names(&place.path().join(folder))
    };
    let at = |name: &str| place.path().join(name);
    fs::create_dir_all(at("empty/.promptc")).unwrap();
    build("empty/.promptc");
    assert_eq!(place.read("empty/.promptc/.gitignore"), "*\n");
    // An existing file is left alone, also an empty one, and a link.
    place.file("own/.promptc/.gitignore", "");
    build("own/.promptc");
    assert_eq!(place.read("own/.promptc/.gitignore"), "");
    fs::create_dir_all(at("link/.promptc")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("link/.promptc/.gitignore")).unwrap();
    let left = build("link/.promptc");
    assert!(at("link/.promptc/.gitignore").is_symlink() && !left.contains(&"nowhere".to_owned()));
    // Another folder is not only for stores.
    fs::create_dir(at("other")).unwrap();
    assert!(!build("other").contains(&".gitignore".to_owned()));
}

/// A file of SQLite next to a store is a link.
const BESIDE: [(&str, &str); 4] = [
    ("-journal", "../../victim/keep.txt"),
    ("-wal", "../../victim/keep.txt"),
    ("-wal", "../../victim/none.txt"),
    ("-shm", "../../victim/none.txt"),
];

#[test]
fn no_link_next_to_a_store_is_followed() {
    // The first three also make one.
    let calls = WITH_STORE.iter().enumerate();
    for (fresh, (_, line)) in calls.flat_map(|(at, call)| [(at < 3, call), (false, call)]) {
        for (end, target) in BESIDE {
            let place = repository();
            let store = place.path().join("repo/.promptc");
            if fresh {
                fs::create_dir(&store).unwrap()
            } else {
                fs::rename(place.path().join("victim/store"), &store).unwrap()
            }
            let link = store.join(format!("store.db{end}"));
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(target, &link).unwrap();
            refused(&place, line, link.to_str().unwrap());
        }
    }
}

/// A process that opens a FIFO waits for its other end, for ever.
#[test]
fn a_non_file_in_place_of_a_store_file_is_an_error() {
    let build = ["build", "--session", "a", "--set", "x=1"];
    let list = ["session", "list", "--wait", "1"];
    for end in ["", "-journal", "-wal", "-shm"] {
        for is_there in [true, false] {
            let place = place();
            let name = format!("store.db{end}");
            let odd = place.path().join(".promptc").join(&name);
            fs::create_dir(place.path().join(".promptc")).unwrap();
            if is_there {
                place.run(&build).exits(0);
                let _ = fs::remove_file(&odd);
            }
            let made = Command::new("mkfifo").arg(&odd).status();
            assert!(made.unwrap().success());
            let before = names(&place.path().join(".promptc"));
            let fails = |args: &[&str]| {
                let ran = place.run(args).exits(3);
                let told = format!(
                    "error[store-unusable]: the store `.promptc/store.db` cannot be used: `{name}` is not"
                );
                assert!(ran.stderr.contains(&told), "{args:?}:\n{}", ran.stderr);
                assert_eq!(names(&place.path().join(".promptc")), before);
            };
            fails(&build);
            if is_there || end.is_empty() {
                fails(&list);
            }
        }
    }
}

#[test]
fn a_first_build_that_fails_leaves_no_store() {
    let place = place();
    let ran = place.run(&["build", "--session", "a"]).exits(2);
    ran.says("nothing was written");
    place
        .run(&["build", "--session", "a", "--store", "deep/er/store.db"])
        .exits(2);
    assert_eq!(names(place.path()), ["promptc.kdl"]);
    // Nor does one that cannot make it.
    let args = ["build", "--session", "a", "--set", "x=1"];
    limited(&place, "ulimit -f 8", &args).exits(3);
    limited(
        &place,
        "ulimit -f 8",
        &[&args[..], &["--store", "deep/er/store.db"]].concat(),
    )
    .exits(3);
    assert_eq!(names(place.path()), ["promptc.kdl"]);
    // Nor does one that has room for an empty store, and none for the session.
    place.file(
        "large",
        format!("{{\"x\":\"{}\"}}", "0123456789".repeat(60_000)),
    );
    for (limit, store) in [
        ("200", "store.db"),
        ("1000", "store.db"),
        ("200", "deep/store.db"),
    ] {
        let large = [
            "build",
            "--session",
            "a",
            "--facts",
            "large",
            "--store",
            store,
        ];
        let ran = limited(&place, &format!("ulimit -f {limit}"), &large).exits(3);
        ran.says("nothing was written");
        assert_eq!(names(place.path()), ["large", "promptc.kdl"]);
    }
    place.run(&args).exits(0);
}

#[test]
fn an_output_above_the_limit_for_files_ends_in_3() {
    let place = place();
    place.file(
        "large",
        format!("{{\"x\":\"{}\"}}", "0123456789".repeat(60_000)),
    );
    place.file(
        "promptc.kdl",
        MANIFEST.replace(
            "set x a",
            &format!("set x \"{}\"", "0123456789".repeat(60_000)),
        ),
    );
    place.file("lines", "{}\n");
    place.file("out", "old");
    for args in [
        &["build", "--facts", "large", "-o", "out"][..],
        &["build", "--facts", "large", "--batch", "lines", "-o", "out"],
        &["test", "--accept"],
        &["report", "--facts", "large", "-o", "out"],
    ] {
        let ran = limited(&place, "ulimit -f 200", args).exits(3);
        assert!(
            ran.stderr.contains("error[output-not-written]"),
            "{args:?}:\n{}",
            ran.stderr
        );
        assert_eq!(place.read("out"), "old");
    }
    let mut command = Command::new("sh");
    let script = format!("ulimit -f 200; {PROGRAM} build --facts large > printed");
    command.args(["-c", &script]).current_dir(place.path());
    run(command, b"").exits(3);
    assert_eq!(
        names(place.path()),
        ["large", "lines", "out", "printed", "promptc.kdl"]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_document_too_large_for_the_memory_ends_in_3() {
    let place = place();
    let manifest =
        "promptc 1\nroot workspace default=\".\"\ntier t { layer l { file \"large.md\" } }\n";
    place.file("promptc.kdl", manifest);
    place.file("large.md", "0123456789".repeat(3_000_000));
    let mut refused = 0;
    for limit in [150_000, 200_000, 250_000, 300_000, 400_000] {
        let limit = format!("ulimit -v {limit}");
        for args in [&["build", "-o", "out"][..], &["test"]] {
            let ran = limited(&place, &limit, args);
            assert!(
                (0..=3).contains(&ran.code),
                "{limit}: {}\n{}",
                ran.code,
                ran.stderr
            );
            refused += usize::from(ran.code == 3);
        }
    }
    assert!(refused > 0);
}

/// Ends the program at its `number`th call of these. Returns whether it had so many.
#[cfg(target_os = "linux")]
fn killed_at(place: &Place, calls: &str, number: usize, args: &[&str]) -> bool {
    let mut command = Command::new("strace");
    let inject = format!("inject={calls}:signal=KILL:when={number}");
    command.args([
        "-f",
        "-o",
        "/dev/null",
        "-e",
        &format!("trace={calls}"),
        "-e",
        &inject,
        PROGRAM,
    ]);
    command.args(args).current_dir(place.path());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        None => true,
        Some(code) => {
            assert_eq!(code, 0, "{args:?}, call {number} of {calls}:\n{stderr}");
            false
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn init_begins_again_wherever_it_was_killed() {
    if !strace() {
        return;
    }
    let new = |place: &Place| place.file("dump", "# A\n\nBe brief.\n\n# B\n\nBe kind.\n");
    for args in [
        &["init", "new", "--from", "dump"][..],
        &["init", "new", "--preset", "minimal"],
    ] {
        let whole = Place::new();
        new(&whole);
        whole.run(args).exits(0);
        for calls in ["linkat", "mkdirat", "fsync"] {
            for number in 1.. {
                let place = Place::new();
                new(&place);
                if !killed_at(&place, calls, number, args) {
                    break;
                }
                if !place.path().join("new/promptc.kdl").exists() {
                    place.run(args).exits(0);
                }
                assert_eq!(place.read("new/promptc.kdl"), whole.read("new/promptc.kdl"));
                assert_eq!(
                    names(&place.path().join("new")),
                    names(&whole.path().join("new"))
                );
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_writer_leaves_the_old_file_and_a_name_that_the_next_one_removes() {
    if !strace() {
        return;
    }
    for calls in ["fsync", "linkat", "renameat"] {
        for number in 1.. {
            let place = place();
            place.file("out", "old");
            let args = ["build", "--set", "x=new", "-o", "out"];
            if !killed_at(&place, calls, number, &args) {
                break;
            }
            assert!(["old", "new"].contains(&place.read("out").as_str()));
            place.run(&args).exits(0);
            assert_eq!(place.read("out"), "new");
            assert_eq!(names(place.path()), ["out", "promptc.kdl"]);
        }
    }
}
