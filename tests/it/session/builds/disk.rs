//! Disks that are full or may only be read.
//!
//! Root is bound by no permission, and only root may mount: what cannot be tried here is said and left out.

use super::{Desk, codes, id, open};
use crate::case::{as_nobody, is_root};
use promptc::session::store::Store as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const MANIFEST: &str = r#"promptc 1
name disk
root workspace default="."
session {
    refresh idle="1h"
}
fact who string default=nobody
tier stable changes=session {
    layer who {
        template "For {{ who }}."
    }
    layer rules {
        file "rules.md"
    }
}
"#;

const BEGIN: &str = "2026-03-30T09:00:00Z";
const SOON: &str = "2026-03-30T09:01:00Z";
const LATER: &str = "2026-03-30T11:00:00Z";

fn desk() -> Desk {
    let desk = Desk::new(MANIFEST);
    desk.place.file(
        "rules.md",
        "Keep to the rules of this house.\n".repeat(1000),
    );
    desk
}

/// A small disk of its own, as long as it lives.
pub(crate) struct Disk(pub(crate) PathBuf);

impl Disk {
    pub(crate) fn new(path: PathBuf, size: &str) -> Option<Self> {
        fs::create_dir(&path).unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(&path);
        if is_root() && mount.output().is_ok_and(|m| m.status.success()) {
            return Some(Self(path));
        }
        println!("skipped: nothing can be mounted here");
        None
    }

    fn remount(&self, options: &str) {
        let mut mount = Command::new("mount");
        mount
            .args(["-o", &format!("remount,{options}")])
            .arg(&self.0);
        assert!(mount.status().unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.0).status();
        assert!(unmounted.unwrap().success());
    }
}

/// Builds sessions until one does not fit; how many were stored, and the message about the one that was not.
fn fill(
    desk: &Desk,
    store: &str,
    command: impl Fn(&str, &[&str]) -> Command,
) -> (usize, Vec<String>) {
    for n in 0..400 {
        let who = format!("who={n}");
        let args = ["--set", &who, "--store", store, "--now", BEGIN];
        // Each with a text of its own.
        let rules = format!("Rule {n} of this house.\n").repeat(1500);
        desk.place.file("rules.md", rules);
        let (code, told) = codes(command(&format!("s{n}"), &args));
        if code != 0 {
            assert_eq!(code, 3, "{told:?}");
            return (n, told);
        }
        assert_eq!(told, [""; 0]);
    }
    panic!("there is room for all");
}

fn check_all(desk: &Desk, store: &str, kept: usize) {
    for n in 0..kept {
        let text = desk.text(&format!("s{n}"), &["--store", store, "--now", SOON]);
        let rules = format!("Rule {n} of this house.\n").repeat(1500);
        assert!(text == format!("For {n}.\n\n{}", rules.trim_end()), "s{n}");
    }
    let mut opened = open(Path::new(store));
    assert_eq!(opened.verify().unwrap(), []);
    let sessions = opened.sessions().unwrap();
    assert_eq!(sessions.len(), kept, "what did not fit is absent");
}

#[test]
fn a_full_disk_keeps_its_sessions_and_reports_the_rest() {
    let desk = desk();
    let Some(disk) = Disk::new(desk.place.path().join("disk"), "1M") else {
        return;
    };
    let store = disk.0.join("store.db");
    let store = store.to_str().unwrap();
    let (kept, told) = fill(&desk, store, |id, args| desk.command(id, args));
    assert_eq!(told, ["store-full"]);
    assert!(kept > 3, "{kept}");
    // Not even a note of the use.
    fs::write(disk.0.join("rest"), vec![0; 1 << 20]).unwrap_err();
    for n in 0..kept {
        let args = ["--store", store, "--now", SOON];
        let (code, told) = desk.codes(&format!("s{n}"), &args);
        assert_eq!(code, 0, "what is kept is given: {told:?}");
        assert!(told.iter().all(|t| t == "store-full"), "{told:?}");
    }
    fs::remove_file(disk.0.join("rest")).unwrap();
    disk.remount("size=4M");
    check_all(&desk, store, kept);
    desk.text(&format!("s{kept}"), &["--store", store]);
}

/// There is room for an empty store, and none for the session.
#[test]
fn a_first_build_on_a_full_disk_leaves_nothing() {
    let desk = desk();
    let Some(disk) = Disk::new(desk.place.path().join("disk"), "64k") else {
        return;
    };
    let store = disk.0.join("new/store.db");
    let (code, told) = desk.codes("s", &["--store", store.to_str().unwrap()]);
    assert_eq!((code, told), (3, vec!["store-full".to_owned()]));
    assert_eq!(fs::read_dir(&disk.0).unwrap().count(), 0);
}

#[test]
fn a_store_at_a_file_size_limit_keeps_its_sessions() {
    let desk = desk();
    let store = desk.store();
    let store = store.to_str().unwrap();
    // The limit is one of the shell's, in kilobytes; a process that ignores the signal gets an error.
    let limited = |id: &str, args: &[&str]| {
        let program = desk.command(id, args);
        let mut shell = Command::new("bash");
        shell.args(["-c", "trap '' XFSZ; ulimit -f 300; exec \"$0\" \"$@\""]);
        shell.arg(program.get_program()).args(program.get_args());
        shell.current_dir(desk.place.path()).env_clear();
        shell
    };
    let (kept, told) = fill(&desk, store, limited);
    assert!(kept > 0);
    let declared = ["store-full", "store-unusable"];
    assert!(told.len() == 1 && declared.contains(&&*told[0]), "{told:?}");
    check_all(&desk, store, kept);
}

#[test]
fn a_read_only_disk_gives_its_sessions() {
    let desk = desk();
    let Some(disk) = Disk::new(desk.place.path().join("disk"), "4M") else {
        return;
    };
    let store = disk.0.join("store.db");
    let store = store.to_str().unwrap();
    let text = desk.text("s", &["--store", store, "--now", BEGIN]);
    disk.remount("ro");
    reads_only(store, &text, |id, args| desk.command(id, args));
    disk.remount("rw");
    assert_eq!(
        desk.codes("s", &["--store", store, "--now", LATER]),
        (0, vec![])
    );
}

/// The properties of a store with session `s` that is read-only.
fn reads_only(store: &str, text: &str, command: impl Fn(&str, &[&str]) -> Command) {
    let call = |id: &str, more: &[&str]| codes(command(id, &[&["--store", store], more].concat()));
    let ran = crate::run::run(command("s", &["--store", store, "--now", SOON]), b"");
    assert!(ran.exits(0).stdout() == text);
    // Said, as the time of `refresh idle=` runs on.
    let said = vec!["store-read-only".to_owned()];
    assert_eq!(call("s", &["--now", SOON]), (0, said.clone()));
    assert_eq!(call("s", &["--now", LATER]), (3, said.clone()));
    assert_eq!(call("s", &["--now", SOON, "--refresh"]), (3, said.clone()));
    assert_eq!(call("new", &["--now", SOON]), (3, said));
    assert_eq!(open(Path::new(store)).builds(&id("s")).unwrap().len(), 1);
}

#[test]
fn a_store_of_another_user_gives_its_sessions() {
    let desk = desk();
    let store = desk.place.path().join("theirs/store.db");
    let path = store.to_str().unwrap();
    let text = desk.text("s", &["--store", path, "--now", BEGIN]);
    let folder = store.parent().unwrap();
    let mode = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{path}{end}"));
    }
    mode(folder, 0o555);
    mode(&store, 0o444);
    let other = |id: &str, args: &[&str]| {
        if is_root() {
            as_nobody(&[&["build", "--session", id], args].concat(), &desk.place)
        } else {
            Some(desk.command(id, args))
        }
    };
    if other("s", &[]).is_none() {
        println!("skipped: the program cannot be run as another user");
    } else {
        let other = |id: &str, args: &[&str]| other(id, args).unwrap();
        reads_only(path, &text, other);
        // A folder that cannot even be looked into.
        mode(folder, 0o000);
        let (code, told) = codes(other("s", &["--store", path, "--now", SOON]));
        assert_eq!((code, told.len()), (3, 1), "{told:?}");
    }
    mode(folder, 0o755);
}
