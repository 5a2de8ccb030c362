//! Where walls stand that no link leads through.

use crate::run::{PROGRAM, Place, Ran, run};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const MANIFEST: &str = "promptc 1\ntier t { layer l { text \"hi\" } }\n";

fn call(folder: &Path, line: &str) -> Ran {
    let mut command = Command::new(PROGRAM);
    command.args(line.split(' ')).current_dir(folder);
    run(command, b"")
}

/// A repository whose `out` is a link to what is another's.
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
    assert!(ran.stderr.contains("error[linked-file]"), "{}", ran.stderr);
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
