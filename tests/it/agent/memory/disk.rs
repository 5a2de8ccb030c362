//! The effects of a disk on writers, and limits of writers: links, modes, no room.

use super::Desk;
use crate::case::{as_nobody, is_root};
use crate::run::{PROGRAM, Ran, run};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::PathBuf;
use std::process::Command;

fn home(desk: &Desk, name: &str) -> PathBuf {
    desk.place.path().join("home").join(name)
}

fn mode(desk: &Desk, name: &str, mode: u32) {
    fs::set_permissions(home(desk, name), Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_link_stays_and_its_target_is_written_if_the_root_follows_links() {
    let desk = Desk::manifest(
        "root home default=\"home\" links=follow\ntier t { layer notes { memory \"NOTES.md\" root=home } }\n",
    );
    desk.place.file("home/kept/real.md", "a");
    symlink("kept/real.md", home(&desk, "NOTES.md")).unwrap();
    assert_eq!(desk.answer(&["add", "b"])["count"], 2);
    assert_eq!(
        fs::read_link(home(&desk, "NOTES.md")).unwrap(),
        PathBuf::from("kept/real.md")
    );
    assert_eq!(desk.place.read("home/kept/real.md"), "a\n§\nb");
    assert!(home(&desk, "kept/real.md.lock").exists() && !home(&desk, "NOTES.md.lock").exists());
    // Its copy is next to it, too.
    desk.place.file("home/kept/real.md", "a\n§\n");
    let backup = desk.answer(&["remove", "a"])["backup"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(desk.place.read(&format!("home/kept/{backup}")), "a\n§\n");
}

#[test]
fn roots_are_walls_for_writers() {
    let source =
        "root home default=\"home\"\ntier t { layer notes { memory \"m/NOTES.md\" root=home } }\n";
    for (link, target, file) in [
        (
            "home/m/NOTES.md",
            "../../outside/NOTES.md",
            "outside/NOTES.md",
        ),
        ("home/m", "../outside", "outside/NOTES.md"),
        ("home/m", "../outside", "outside/none.md"),
    ] {
        let desk = Desk::manifest(source);
        desk.place.file(file, "theirs");
        let link = desk.place.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
        for args in [&["add", "a"][..], &["list"]] {
            let ran = desk.run(args).exits(2);
            ran.says("link-leaves-root");
        }
        assert_eq!(
            fs::read_dir(desk.place.path().join("outside"))
                .unwrap()
                .count(),
            1
        );
        assert_eq!(desk.place.read(file), "theirs");
        let follows = source.replace("default=\"home\"", "default=\"home\" links=follow");
        desk.place
            .file("promptc.kdl", format!("promptc 1\n{follows}"));
        assert_eq!(desk.answer(&["add", "a"])["code"], "added");
    }
    // A link without a target names no place, and is no valid lock either.
    let desk = Desk::with("");
    symlink("../made.md", home(&desk, "NOTES.md")).unwrap();
    let ran = desk.run(&["add", "a"]).exits(2);
    ran.says("is a link that leads nowhere");
    let desk = Desk::with("").holding("a");
    symlink("../made.lock", home(&desk, "NOTES.md.lock")).unwrap();
    let ran = desk.run(&["add", "b"]).exits(2);
    assert!(
        ran.stderr
            .contains("the lock `NOTES.md.lock` is not a regular file"),
        "{}",
        ran.stderr
    );
    // An entry at the path of a new file is not written through.
    let desk = Desk::with("").holding("a");
    desk.place.file("theirs", "theirs");
    symlink("../theirs", home(&desk, ".NOTES.md.promptc-new")).unwrap();
    assert_eq!(desk.answer(&["add", "b"])["code"], "added");
    assert_eq!(desk.place.read("theirs"), "theirs");
}

#[test]
fn mode_and_owner_stay() {
    let desk = Desk::with("").holding("a");
    mode(&desk, "NOTES.md", 0o640);
    if is_root() {
        chown(home(&desk, "NOTES.md"), Some(65534), Some(65534)).unwrap();
    }
    let before = fs::metadata(home(&desk, "NOTES.md")).unwrap();
    desk.answer(&["add", "b"]);
    let after = fs::metadata(home(&desk, "NOTES.md")).unwrap();
    assert_ne!(after.ino(), before.ino(), "it was replaced");
    let owner = |meta: &fs::Metadata| (meta.mode(), meta.uid(), meta.gid());
    assert_eq!(owner(&after), owner(&before));
}

/// A run without privileges; none where there is no way to get rid of them.
fn unprivileged(desk: &Desk, args: &[&str]) -> Option<Ran> {
    let args = [&["agent", "memory"], args].concat();
    if is_root() {
        as_nobody(&args, &desk.place).map(|command| run(command, b""))
    } else {
        Some(run(desk.place.command(&args), b""))
    }
}

#[test]
fn a_read_only_file_is_not_written() {
    let desk = Desk::with("").holding("a");
    mode(&desk, "", 0o555);
    let Some(ran) = unprivileged(&desk, &["add", "b"]) else {
        return println!("skipped: no setpriv");
    };
    assert!(
        ran.stderr
            .contains("the lock `NOTES.md.lock` cannot be opened: permission denied"),
        "{}",
        ran.stderr
    );
    assert_eq!((ran.code, ran.stdout()), (3, ""));
    // To say no takes no right to write.
    assert_eq!(unprivileged(&desk, &["remove", "x"]).unwrap().code, 1);
    assert_eq!(unprivileged(&desk, &["list"]).unwrap().code, 0);
    // In a folder that all may write, a file that its owner has closed.
    mode(&desk, "", 0o777);
    mode(&desk, "NOTES.md", 0o444);
    assert_eq!(unprivileged(&desk, &["add", "b"]).unwrap().code, 3);
    assert_eq!(desk.text(), "a");
    assert_eq!(desk.names(), ["NOTES.md", "NOTES.md.lock"]);
}

/// The owner and the mode of the home's content.
fn owned(desk: &Desk, name: &str) -> (u32, u32) {
    let meta = fs::metadata(home(desk, name)).unwrap();
    (meta.uid(), meta.mode() & 0o777)
}

#[test]
fn a_writer_for_another_user_leaves_no_obstacle() {
    let nobody = 65534;
    let near = Desk::with("").holding("a");
    let far = "root home default=\"home\"\ntier t { layer notes { memory \"m/deep/NOTES.md\" root=home } }\n";
    let far = Desk::manifest(far);
    let add = |desk: &Desk, text: &str| unprivileged(desk, &["add", text]);
    if !is_root() || add(&Desk::with(""), "x").is_none() {
        return println!("skipped: nobody else to be here");
    }
    mode(&near, "NOTES.md", 0o640);
    for (desk, name) in [(&near, "NOTES.md"), (&near, ""), (&far, "")] {
        chown(home(desk, name), Some(nobody), Some(nobody)).unwrap();
    }
    near.answer(&["add", "b"]);
    assert_eq!(owned(&near, "NOTES.md.lock"), (nobody, 0o640));
    far.answer(&["add", "b"]);
    for name in ["m", "m/deep", "m/deep/NOTES.md", "m/deep/NOTES.md.lock"] {
        assert_eq!(owned(&far, name).0, nobody, "{name}");
    }
    for desk in [&near, &far] {
        let ran = add(desk, "c").unwrap();
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
    }
    // One that root left there before is good enough, if it can be read at all.
    let lock = home(&near, "NOTES.md.lock");
    chown(&lock, Some(0), Some(0)).unwrap();
    mode(&near, "NOTES.md.lock", 0o644);
    assert_eq!(add(&near, "d").unwrap().code, 0);
    mode(&near, "NOTES.md.lock", 0o600);
    let ran = add(&near, "e").unwrap();
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr
            .contains("the lock `NOTES.md.lock` cannot be opened: permission denied"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_read_only_lock_is_still_acquired() {
    let desk = Desk::with("").holding("a");
    desk.place.file("home/NOTES.md.lock", "");
    mode(&desk, "NOTES.md.lock", 0o444);
    mode(&desk, "", 0o777);
    if is_root() {
        chown(home(&desk, "NOTES.md"), Some(65534), Some(65534)).unwrap();
    }
    let Some(ran) = unprivileged(&desk, &["add", "b"]) else {
        return println!("skipped: no setpriv");
    };
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let held = fs::File::open(home(&desk, "NOTES.md.lock")).unwrap();
    held.lock().unwrap();
    let ran = unprivileged(&desk, &["add", "c", "--wait", "0"]).unwrap();
    ran.says("memory-locked");
}

/// The folder of each new file is synced after the file: seen in the system calls, which is the only way to see it
/// without a power cut.
#[test]
fn a_write_is_synced_with_its_folder() {
    for (args, file) in [
        (&["add", "b"][..], "NOTES.md"),
        (&["remove", "a"], "NOTES.md.bak."),
    ] {
        let desk = Desk::with("").holding(match file {
            "NOTES.md" => "a",
            _ => "a\n§\nb\n§\n",
        });
        let mut command = Command::new("strace");
        let calls = "-etrace=openat,open,rename,renameat,renameat2,linkat,fsync,fdatasync";
        command.args(["-f", "-y", "-o", "calls", calls, PROGRAM, "agent", "memory"]);
        command.args(args).current_dir(desk.place.path());
        let Ok(told) = command.output() else {
            return println!("skipped: there is no program `strace`");
        };
        let Ok(calls) = fs::read_to_string(desk.place.path().join("calls")) else {
            return println!("skipped: strace may not look here");
        };
        let lines: Vec<&str> = calls.lines().collect();
        let made = lines.iter().rposition(|line| {
            let is_made = ["O_CREAT", "rename", "linkat("]
                .iter()
                .any(|c| line.contains(c));
            is_made && line.contains(&format!("\"{file}")) && !line.contains(".lock")
        });
        let Some(made) = made else {
            panic!("{file} is not made: {told:?}\n{calls}");
        };
        let folder = |line: &&&str| line.contains("sync(") && line.contains("/home>)");
        assert!(lines[made..].iter().any(|l| folder(&l)), "{file}:\n{calls}");
    }
}

/// A shell that runs `script` with the program as `$1`.
fn shell(desk: &Desk, before: &[&str], script: &str) -> Ran {
    let words = [before, &["sh", "-c", script, "sh", PROGRAM]].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(desk.place.path());
    run(command, b"")
}

#[test]
fn the_old_file_stays_if_the_disk_is_full() {
    let desk = Desk::with("").holding("a");
    desk.place.file("long", "x".repeat(9000));
    // A limit on the size of files: the write fails.
    let ran = shell(
        &desk,
        &[],
        "ulimit -f 2; trap '' XFSZ; exec \"$1\" agent memory add - < long",
    );
    ran.says("`NOTES.md` could not be written");
    assert_eq!((ran.code, desk.text().as_str()), (3, "a"));
    assert_eq!(desk.names(), ["NOTES.md", "NOTES.md.lock"]);
    // The same where the caller leaves the signal as it is.
    let ran = shell(
        &desk,
        &[],
        "ulimit -f 2; exec \"$1\" agent memory add - < long",
    );
    assert_eq!((ran.code, desk.text().as_str()), (3, "a"));
    assert_eq!(desk.names(), ["NOTES.md", "NOTES.md.lock"]);
    assert_eq!(desk.answer(&["add", "b"])["code"], "added");
    assert_eq!(desk.names(), ["NOTES.md", "NOTES.md.lock"]);
}

#[test]
fn a_full_disk_and_a_file_that_is_mounted_alone() {
    let desk = Desk::with("").holding("a");
    desk.place.file("long", "x".repeat(90_000));
    desk.place.file("alone", "a");
    let full = "mount -t tmpfs -o size=64k none home || exit 77; printf a > home/NOTES.md; \
                \"$1\" agent memory add - < long; echo \"code $?\"; cat home/NOTES.md; echo; ls -A home";
    let ran = shell(&desk, &["unshare", "-rm"], full);
    if ran.code != 0 {
        return println!("skipped: no mounts of its own here");
    }
    assert_eq!(ran.stdout(), "code 3\na\nNOTES.md\nNOTES.md.lock\n");
    ran.says("no space is left on the device");
    let alone = "mount --bind alone home/NOTES.md || exit 77; \"$1\" agent memory add b; echo \"code $?\"; cat home/NOTES.md";
    let ran = shell(&desk, &["unshare", "-rm"], alone);
    assert_eq!(ran.stdout(), "code 3\na");
    ran.says("mount its folder");
}
