//! A revision as a world: the files in git, whatever is on the disk.

use crate::run::{Place, run};
use promptc::compile::{GivenInputs, compile};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::Deliver;
use promptc::world::git::{Repository, Revision};
use promptc::world::{DiskWorld, Kind, World, is_loop, is_missing};
use std::fs;
use std::path::Path;
use std::process::Command;

pub(crate) fn git(place: &Place, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .current_dir(place.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub(crate) fn repository() -> Place {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    place
}

pub(crate) fn commit(place: &Place) -> String {
    git(place, &["add", "."]);
    git(place, &["commit", "-q", "--allow-empty", "-m", "a commit"]);
    git(place, &["rev-parse", "HEAD"])
}

fn at(place: &Place, revision: &str) -> Revision {
    Repository::open(place.path())
        .unwrap()
        .revision(revision)
        .unwrap()
}

fn names(world: &dyn World, path: &Path) -> Vec<String> {
    let mut names: Vec<_> = world
        .list(path)
        .unwrap()
        .into_iter()
        .map(|e| format!("{} {:?}", e.name.to_str().unwrap(), e.kind))
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn the_tree_is_seen_and_the_disk_is_not() {
    let place = repository();
    place.file("a folder/ü.md", "old\r\n");
    place.file("a folder/deep/x.md", "x");
    place.file("b.md", "b");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, place.path().join(name)).unwrap()
    };
    link("a folder/ü.md", "link.md");
    link("../b.md", "a folder/up");
    link("a folder", "folder");
    link("nowhere", "lost");
    link("round", "round");
    let first = commit(&place);
    let module = format!("160000,{first},module");
    git(&place, &["update-index", "--add", "--cacheinfo", &module]);
    git(&place, &["commit", "-q", "-m", "with a submodule"]);
    // The state of the disk and the index does not matter.
    place.file("a folder/ü.md", "new");
    place.file("untracked.md", "u");
    git(&place, &["rm", "-q", "-f", "b.md", "link.md"]);

    let world = at(&place, "main");
    let top = fs::canonicalize(place.path()).unwrap();
    let here = |path: &str| top.join(path);
    assert_eq!(world.commit(), git(&place, &["rev-parse", "main"]));
    assert_eq!(
        names(&world, &top),
        [
            ".git Folder",
            "a folder Folder",
            "b.md File",
            "folder Link",
            "link.md Link",
            "lost Link",
            "module Folder",
            "round Link"
        ]
    );
    assert_eq!(
        names(&world, &here("folder")),
        ["deep Folder", "up Link", "ü.md File"]
    );
    assert!(names(&world, &here("module")).is_empty());
    assert_eq!(world.read(&here("link.md"), 99).unwrap(), b"old\r\n");
    assert_eq!(world.read(&here("folder/up"), 99).unwrap(), b"b");
    assert_eq!(world.read(&here("link.md"), 2).unwrap(), b"old");
    assert_eq!(
        world.read(&here("a folder/deep/../../b.md"), 0).unwrap(),
        b"b"
    );
    assert_eq!(world.canonical(&here("folder/up")).unwrap(), here("b.md"));
    assert_eq!(world.kind_of_name(&here("folder")).unwrap(), Kind::Link);
    assert_eq!(world.kind(&here("folder")).unwrap(), Kind::Folder);
    for missing in ["untracked.md", "lost", "b.md/x", "module/x", ".git/HEAD"] {
        assert!(
            is_missing(&world.kind(&here(missing)).unwrap_err()),
            "{missing}"
        );
    }
    assert!(is_loop(&world.kind(&here("round")).unwrap_err()));
    assert!(world.read(&here("folder"), 9).is_err());
    assert!(world.outside().is_empty());
    let missing = world.read_at(&here("untracked.md"), 9).unwrap_err();
    assert_eq!(missing.code.name, "not-in-revision");
    assert_eq!(world.read_at(&here("b.md"), 9).unwrap(), b"b");
    // Nothing was touched.
    assert_eq!(git(&place, &["status", "--short"]).lines().count(), 5);
}

#[cfg(unix)]
#[test]
fn files_outside_come_from_the_disk() {
    let (place, other) = (repository(), Place::new());
    place.file("sub/a.md", "committed");
    commit(&place);
    place.file("sub/a.md", "edited");
    other.file("out/b.md", "outside");
    std::os::unix::fs::symlink(place.path(), other.path().join("in")).unwrap();
    let world = at(&place, "HEAD");
    // A link from outside leads into the tree, not to the disk.
    let through = other.path().join("in/sub/a.md");
    assert_eq!(world.read(&through, 99).unwrap(), b"committed");
    assert!(world.outside().is_empty());
    let outside = other.path().join("out");
    assert_eq!(names(&world, &outside), ["b.md File"]);
    assert_eq!(world.read(&outside.join("b.md"), 99).unwrap(), b"outside");
    let real = fs::canonicalize(&outside).unwrap();
    assert_eq!(world.outside(), [real.clone(), real.join("b.md")]);
    assert_eq!(world.kind(&outside).unwrap(), Kind::Folder);
    assert!(is_missing(&world.kind(&outside.join("c.md")).unwrap_err()));
}

#[test]
fn a_revision_builds_the_committed_files() {
    let place = repository();
    let manifest = place.file(
        "agent/promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\ntier t { layer rules { glob \"*.md\" } }\n",
    );
    place.file("agent/a.md", "one");
    place.file("agent/b.md", "two");
    commit(&place);
    fs::remove_file(place.path().join("agent/b.md")).unwrap();
    place.file("agent/c.md", "three");
    let build = |world: &dyn World| {
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let manifest = manifest::open(world, manifest.to_str(), &mut files, &mut diags).unwrap();
        let prompt = compile(
            &manifest,
            &GivenInputs::default(),
            world,
            &mut files,
            &mut diags,
        )
        .unwrap();
        prompt.text(Deliver::System).to_owned()
    };
    assert_eq!(build(&DiskWorld), "one\n\nthree");
    assert_eq!(build(&at(&place, "HEAD")), "one\n\ntwo");
}

#[test]
fn missing_history_of_a_shallow_clone_is_reported() {
    let (place, other) = (repository(), Place::new());
    place.file("a.md", "one");
    let first = commit(&place);
    place.file("a.md", "two");
    commit(&place);
    let from = format!("file://{}", place.path().display());
    git(&other, &["clone", "-q", "--depth", "1", &from, "clone"]);
    let clone = other.path().join("clone");
    let repository = Repository::open(&clone).unwrap();
    let world = repository.revision("main").unwrap();
    assert_eq!(world.read(&clone.join("a.md"), 9).unwrap(), b"two");
    for missing in ["main~1", &first] {
        let error = repository.revision(missing).unwrap_err();
        assert_eq!(error.code.name, "unknown-revision");
        assert!(error.help.unwrap().contains("git fetch --unshallow"));
    }
    let error = Repository::open(place.path())
        .unwrap()
        .revision("nope")
        .unwrap_err();
    assert!(!error.help.unwrap().contains("shallow"));
    for odd in ["", "-v", "--all", "a\nb", "main:a.md"] {
        assert_eq!(
            repository.revision(odd).unwrap_err().code.name,
            "unknown-revision"
        );
    }
}

#[test]
fn large_and_many_files_are_read_in_turn() {
    let place = repository();
    place.file("large.md", "x".repeat(300_000));
    for n in 0..50 {
        place.file(&format!("many/{n}.md"), format!("{n}\n"));
    }
    commit(&place);
    let world = at(&place, "HEAD");
    // The unread rest of a large file must not be taken for the next one.
    assert_eq!(
        world.read(&place.path().join("large.md"), 9).unwrap().len(),
        10
    );
    for n in 0..50 {
        let read = world.read(&place.path().join(format!("many/{n}.md")), 99);
        assert_eq!(read.unwrap(), format!("{n}\n").into_bytes());
    }
    assert_eq!(
        world
            .read(&place.path().join("large.md"), 1 << 20)
            .unwrap()
            .len(),
        300_000
    );
}

/// Files outside of the repository are read from the disk, where a link can appear in a path after the lookup.
#[cfg(unix)]
#[test]
fn a_link_that_has_come_into_a_path_outside_is_an_error() {
    let place = repository();
    commit(&place);
    let beside = Place::new();
    let outside = fs::canonicalize(beside.path()).unwrap();
    beside.file("real/a.md", "outside");
    std::os::unix::fs::symlink(outside.join("real"), outside.join("docs")).unwrap();
    let revision = at(&place, "HEAD");
    let real = revision.read_found(&outside.join("real/a.md"), 100);
    assert_eq!(real.unwrap(), b"outside");
    let error = revision.read_found(&outside.join("docs/a.md"), 100);
    assert!(promptc::world::is_elsewhere(&error.unwrap_err()));
}

/// As a shell does it.
#[cfg(unix)]
#[test]
fn a_file_named_git_that_is_no_program_is_passed_over() {
    let (place, aside) = (repository(), Place::new());
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer l { text \"hi\" } }\n",
    );
    commit(&place);
    aside.file("first/git", "not a program");
    aside.file("second/git/kept", "");
    let folders = ["first", "second"].map(|name| aside.path().join(name));
    let usual = std::env::var_os("PATH").unwrap();
    let path = folders.into_iter().chain(std::env::split_paths(&usual));
    let mut command = place.command(&["diff", "git:HEAD"]);
    command.env("PATH", std::env::join_paths(path).unwrap());
    let ran = run(command, b"").exits(0);
    assert_eq!(ran.stderr, "");
}
