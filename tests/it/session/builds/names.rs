//! Folders whose names are not UTF-8.
#![cfg(target_os = "linux")]

use super::codes;
use crate::run::{PROGRAM, Place};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

#[test]
fn a_folder_that_cannot_be_remembered_is_no_fault_of_the_store() {
    let place = Place::new();
    let folder = place.path().join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&folder).unwrap();
    let manifest = "promptc 1\nroot workspace default=\".\"\ntier t { layer l { text \"Hi\" } }\n";
    std::fs::write(folder.join("promptc.kdl"), manifest).unwrap();
    let build = |more: &[&str]| {
        let mut command = Command::new(PROGRAM);
        command
            .arg("build")
            .args(more)
            .current_dir(&folder)
            .env_clear();
        codes(command)
    };
    assert_eq!(build(&[]), (0, vec![]));
    let refused = vec!["unreadable-program".to_owned()];
    for _ in 0..2 {
        assert_eq!(build(&["--session", "s"]).1, refused);
    }
}
