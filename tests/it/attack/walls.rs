//! The walls that no link leads through, and the owner of a private file.

use crate::run::{PROGRAM, Place, Ran, run};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown, symlink};
use std::path::Path;
use std::process::Command;

const MANIFEST: &str = "promptc 1\ntier t { layer l { text \"hi\" } }\n";

fn call(folder: &Path, line: &str) -> Ran {
    let mut command = Command::new(PROGRAM);
    command.args(line.split(' ')).current_dir(folder);
    run(command, b"")
}

/// A repository whose `out` is a link to another user's folder.
fn repository(at: &Path) {
    for folder in ["repo", "victim", "here"] {
        fs::create_dir(at.join(folder)).unwrap();
    }
    fs::write(at.join("repo/promptc.kdl"), MANIFEST).unwrap();
    fs::write(at.join("victim/keep.txt"), "theirs").unwrap();
    symlink("../victim/keep.txt", at.join("repo/out")).unwrap();
}

fn refused(at: &Path, ran: &Ran) {
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    ran.says("error[linked-file]");
    let kept = fs::read_to_string(at.join("victim/keep.txt")).unwrap();
    assert_eq!(kept, "theirs");
}

#[test]
fn a_repository_among_the_devices_has_walls_too() {
    let temp = tempfile::Builder::new()
        .prefix("it-")
        .tempdir_in("/dev/shm");
    let Ok(temp) = temp else {
        println!("skipped: nothing can be made in /dev/shm");
        return;
    };
    let at = temp.path();
    repository(at);
    let repo = at.join("repo");
    refused(at, &call(&repo, "build -o out"));
    refused(
        at,
        &call(
            &at.join("here"),
            "build -m ../repo/promptc.kdl -o ../repo/out",
        ),
    );
    // The devices themselves are the system's.
    for folder in [&*repo, Path::new("/dev")] {
        let line = format!("build -m {}/promptc.kdl -o /dev/stdout", repo.display());
        assert_eq!(call(folder, &line).exits(0).stdout(), "hi");
    }
}

#[test]
fn the_folder_of_the_manifest_is_a_wall_whatever_store_is_named() {
    let place = Place::new();
    let at = place.path();
    repository(at);
    let here = at.join("here");
    let source = "-m ../repo/promptc.kdl";
    call(&here, &format!("build --session a --store s.db {source}")).exits(0);
    call(&here, &format!("build --format json -o a.json {source}")).exits(0);
    for line in [
        "session export a --store s.db",
        "report --session a --store s.db",
        "report a.json a.json",
    ] {
        let line = format!("{line} {source} -o ../repo/out");
        refused(at, &call(&here, &line));
    }
}

#[test]
fn a_private_file_belongs_to_its_writer() {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    call(place.path(), "build --session a").exits(0);
    let made = place.file("made", "");
    let own = fs::metadata(&made).unwrap().uid();
    for mode in [0o644, 0o400, 0o777] {
        let out = place.file("out", "old");
        let rights = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(&out, rights).unwrap();
        // Without root there is no other user's file to replace.
        let _ = chown(&out, Some(65534), Some(65534));
        let ran = call(place.path(), "session export a -o out");
        if ran.code != 0 {
            assert!(own != 0 && mode == 0o400, "{}", ran.stderr);
            continue;
        }
        let meta = fs::metadata(&out).unwrap();
        assert_eq!((meta.uid(), meta.mode() & 0o777), (own, 0o600), "{mode:o}");
        fs::remove_file(&out).unwrap();
    }
}

/// The content of the file behind standard output stays, and so do later writes.
#[test]
fn standard_output_by_its_name_is_not_replaced() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer l { text prompt } }\n",
    );
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let script = format!("(echo head; \"$0\" build -q -o {name}; echo foot) > out.txt");
        let mut command = Command::new("sh");
        command
            .args(["-c", &script, PROGRAM])
            .current_dir(place.path());
        run(command, b"").exits(0);
        assert_eq!(place.read("out.txt"), "head\npromptfoot\n", "{name}");
    }
}

/// A service that works in the root of the file system, and a release that a link leads to.
#[test]
fn the_root_of_the_file_system_is_no_wall() {
    let place = Place::new();
    place.file("one/promptc.kdl", "promptc 1\nname   x\n");
    symlink("one", place.path().join("now")).unwrap();
    let line = format!("fmt {}/now/promptc.kdl", place.path().display());
    let ran = call(Path::new("/"), &line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.read("one/promptc.kdl"), "promptc 1\nname x\n");
}
