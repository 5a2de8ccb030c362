//! Places that may only be read, and disks that are full.
#![cfg(unix)]

use super::{Place, build, child, frozen, id};
use crate::case::{copied, is_root};
use promptc::session::store::Store;
use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A user whom permissions concern.
const NOBODY: u32 = 65534;

/// The output of a process, which must have succeeded.
fn printed(mut command: Command) -> String {
    let out = command.output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(
        out.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&out.stderr)
    );
    text
}

/// Runs a role as a user who is not root.
fn as_somebody(role: &str, place: &Place) -> String {
    if !is_root() {
        return printed(child::child(role, &place.file()));
    }
    let own = |user| {
        for entry in walk(place.0.path()) {
            chown(entry, Some(user), Some(user)).unwrap();
        }
    };
    own(NOBODY);
    // The folder of the build may be closed to others.
    let open = TempDir::new().unwrap();
    set(open.path(), 0o755);
    let binary = open.path().join("it");
    copied(&env::current_exe().unwrap(), &binary);
    let mut command = child::child_from(&binary, role, &place.file());
    command.uid(NOBODY).gid(NOBODY).current_dir(open.path());
    let text = printed(command);
    own(0);
    text
}

/// Whether nothing uses folders for temporary files, or need not.
fn others_come() -> bool {
    let open = TempDir::new().unwrap();
    set(open.path(), 0o755);
    let mut look = Command::new("test");
    look.arg("-x").arg(open.path());
    let come = !is_root() || look.uid(NOBODY).gid(NOBODY).status().unwrap().success();
    if !come {
        println!("skipped: the folder for temporary files is closed to others");
    }
    come
}

fn walk(top: &Path) -> Vec<PathBuf> {
    let mut out = vec![top.to_owned()];
    if top.is_dir() {
        for entry in fs::read_dir(top).unwrap() {
            out.extend(walk(&entry.unwrap().path()));
        }
    }
    out
}

/// A store with a session, whose latest touch is in the log of changes if it is `open` that way.
fn place(logged: bool) -> Place {
    let place = Place::new();
    frozen(place.open().freeze(&id("a"), None, &build("a", 1)).unwrap());
    if logged {
        assert!(place.open().touch(&id("a"), 100).unwrap());
        assert!(place.beside("-wal").metadata().unwrap().len() > 0);
    } else {
        assert!(!place.beside("-wal").exists());
    }
    place
}

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Opens and reads a store of which the file has mode `file` and the folder mode `folder`.
fn read_with(logged: bool, shared: bool, file: u32, folder: u32) -> String {
    let place = place(logged);
    if !shared {
        let _ = fs::remove_file(place.beside("-shm"));
    }
    for entry in fs::read_dir(place.folder()).unwrap() {
        set(&entry.unwrap().path(), file);
    }
    set(&place.folder(), folder);
    let text = as_somebody("reader", &place);
    set(&place.folder(), 0o700);
    for entry in fs::read_dir(place.folder()).unwrap() {
        let entry = entry.unwrap();
        if file == 0o400 {
            assert_eq!(entry.metadata().unwrap().mode() & 0o777, file);
        }
        set(&entry.path(), 0o600);
    }
    // When it may be written again it is as good as before.
    let mut store = place.open();
    if text.contains("writes refused") {
        assert_eq!(store.sessions().unwrap().len(), 1);
        assert_eq!(
            store.session(&id("a")).unwrap().unwrap().used,
            if logged { 100 } else { 1 }
        );
    }
    frozen(store.freeze(&id("c"), None, &build("c", 1)).unwrap());
    assert_eq!(store.verify().unwrap(), []);
    text
}

#[test]
fn a_store_that_may_only_be_read_is_read_and_not_written() {
    if !others_come() {
        return;
    }
    for (file, folder) in [(0o400, 0o700), (0o600, 0o500), (0o400, 0o500)] {
        let text = read_with(false, false, file, folder);
        assert!(text.contains("used 1\n"), "{file:o} {folder:o}: {text}");
        assert!(
            text.contains("writes refused"),
            "{file:o} {folder:o}: {text}"
        );
    }
}

#[test]
fn the_last_notes_are_read_from_a_read_only_folder() {
    if !others_come() {
        return;
    }
    for shared in [true, false] {
        for (file, folder) in [(0o400, 0o700), (0o600, 0o500), (0o400, 0o500)] {
            let text = read_with(true, shared, file, folder);
            assert!(
                text.contains("used 100\n"),
                "{shared} {file:o} {folder:o}: {text}"
            );
        }
    }
}

#[test]
fn no_store_is_created_in_a_read_only_folder() {
    if !others_come() {
        return;
    }
    let place = Place::new();
    set(place.0.path(), 0o500);
    let text = as_somebody("maker", &place);
    set(place.0.path(), 0o700);
    assert!(text.contains("said Permission denied"), "{text}");
    assert!(!place.folder().exists());
}

/// Mounts a small disk for this process alone, where that is permitted.
const SMALL_DISK: &str = "mount -t tmpfs -o size=2m none \"$(dirname \"$STORE\")\" && exec \"$@\"";

#[test]
fn on_a_full_disk_nothing_is_lost() {
    let place = Place::new();
    fs::create_dir(place.folder()).unwrap();
    let unshare = ["unshare", "--user", "--map-root-user", "--mount"];
    let mut command = child::child_in(&unshare, SMALL_DISK, "filler", &place.file());
    let Some(out) = command.stderr(Stdio::piped()).output().ok() else {
        println!("there is no `unshare` here: skipped");
        return;
    };
    let text = String::from_utf8(out.stdout).unwrap();
    let why = String::from_utf8_lossy(&out.stderr);
    if !text.contains("running 1 test") {
        println!("no small disk can be mounted here: skipped: {why}");
        return;
    }
    assert!(out.status.success(), "{text}\n{why}");
    assert_eq!(text.matches("said Full\n").count(), 2, "{text}");
    let kept = text.split_once("kept ").unwrap().1.lines().next().unwrap();
    assert!(kept.parse::<u32>().unwrap() > 2, "{text}");
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_nothing_is_lost() {
    let place = Place::new();
    fs::create_dir(place.folder()).unwrap();
    // In blocks of 512 bytes or of 1 KiB, as the shell has it. The signal is ignored, so that writing fails instead.
    let script = "trap '' XFSZ; ulimit -f 2000; exec \"$@\"";
    let text = printed(child::child_in(&["env"], script, "limited", &place.file()));
    assert!(text.contains("said Io"), "{text}");
}
