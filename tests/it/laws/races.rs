//! Law 9 while another process writes: files and folders become links out of the root between the look and the reading.
#![cfg(target_os = "linux")]

use super::build;
use crate::run::{Place, run};
use crate::through::{Between, Through};
use promptc::compile::GivenInputs;
use promptc::world::{DiskWorld, TracingWorld, World};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The text of all files outside of the root, and of none inside.
const SECRET: &str = "S3CRET";

/// One source each, so that what stops one does not keep the others from being tried.
const SOURCES: &[&str] = &[
    "file \"a.md\"",
    "file \"sub/b.md\"",
    "file \"deep/sub/b.md\"",
    "glob \"**/*.md\"",
    "glob \"sub/*.md\"",
    "json \"sub/c.json\"",
    "memory \"sub/b.md\" capacity=1000",
    "skills \"skills\"",
    "file \"imports.md\" { imports at depth=2 missing=drop }",
    "template file=\"sub/b.md\" root=workspace",
];

/// A root next to files that must not be read, and a manifest for each source.
struct Ground {
    place: Place,
    manifests: Vec<PathBuf>,
}

impl Ground {
    fn new() -> Self {
        let place = Place::new();
        for (folder, text) in [("root", "inside"), ("outside", SECRET)] {
            for name in ["a.md", "sub/b.md", "deep/sub/b.md"] {
                place.file(&format!("{folder}/{name}"), text);
            }
            place.file(
                &format!("{folder}/sub/c.json"),
                format!("{{\"k\":\"{text}\"}}"),
            );
            place.file(
                &format!("{folder}/skills/one/SKILL.md"),
                format!("---\nname: one\ndescription: {text}\n---\n{text}\n"),
            );
        }
        place.file("root/imports.md", "@a.md\n@sub/b.md\n");
        let manifests = (SOURCES.iter().zip(0..)).map(|(source, number): (_, u32)| {
            let mut text = "promptc 1\nroot workspace default=\"root\"\n".to_owned();
            // Facts that nothing asks for would be an error in a batch.
            _ = write!(
                text,
                "fact n int\ntier t {{\nlayer a {{\nall {{\n{source}\ntemplate \"{{{{ n }}}}\"\n}}\n}}\n}}\n"
            );
            place.file(&format!("m{number}.kdl"), text)
        });
        let manifests = manifests.collect();
        Self { place, manifests }
    }

    /// Does `work` while a file and two folders are swapped for links out of the root and back, as often as that can be done.
    fn attacked<T>(&self, work: impl FnOnce() -> T) -> T {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let swap = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    for name in ["a.md", "sub", "deep", "skills/one", "skills"] {
                        swap_and_back(self.place.path(), name);
                    }
                }
            });
            // It ends also where the work fails.
            let ends = Ends(&done);
            let out = work();
            drop(ends);
            swap.join().unwrap();
            out
        })
    }
}

/// Says that it is done when it goes.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Puts a link to what is called the same outside in the place of a file or folder, and takes it away again.
fn swap_and_back(place: &Path, name: &str) {
    swap(place, name);
    std::thread::yield_now();
    swap_back(place, name);
}

fn swap(place: &Path, name: &str) {
    let inside = place.join("root").join(name);
    fs::rename(&inside, place.join("aside")).unwrap();
    symlink(place.join("outside").join(name), &inside).unwrap();
}

fn swap_back(place: &Path, name: &str) {
    let inside = place.join("root").join(name);
    fs::remove_file(&inside).unwrap();
    fs::rename(place.join("aside"), &inside).unwrap();
}

/// A world in which the link comes at the worst moment: when everything was looked up and nothing is opened yet.
struct Worst<'a> {
    place: &'a Path,
    name: &'static str,
}

impl Between for Worst<'_> {
    fn ask<T>(&self, what: &str, _: &Path, ask: impl FnOnce(&dyn World) -> T) -> T {
        if what != "read_found" {
            return ask(&DiskWorld);
        }
        swap(self.place, self.name);
        let read = ask(&DiskWorld);
        swap_back(self.place, self.name);
        read
    }
}

#[test]
fn a_link_created_at_the_worst_moment_is_an_error() {
    let ground = Ground::new();
    let given = GivenInputs {
        sets: vec![("n".into(), "1".into())],
        ..GivenInputs::default()
    };
    const LEAVES: Result<&str, &[&str]> = Err(&["link-leaves-root"]);
    for (source, name, becomes) in [
        (0, "a.md", LEAVES),
        (1, "sub", LEAVES),
        (1, "sub/b.md", LEAVES),
        (2, "deep", LEAVES),
        (3, "deep/sub", LEAVES),
        (4, "sub/b.md", LEAVES),
        (5, "sub", LEAVES),
        (6, "sub/b.md", LEAVES),
        (7, "skills/one", LEAVES),
        // An import from outside is never made.
        (8, "sub", Ok("inside\n\n1")),
        (9, "sub", Err(&["unreadable-program"])),
    ] {
        let world = Through(Worst {
            place: ground.place.path(),
            name,
        });
        let built = build(&world, &ground.manifests[source], &given);
        let built = built.map(|prompt| prompt.channels[0].text.clone());
        let built = match &built {
            Ok(text) => Ok(text.as_str()),
            Err(codes) => Err(codes.as_slice()),
        };
        assert_eq!(built, becomes, "{} {name}", SOURCES[source]);
        // Without it, all is as it was.
        let built = build(&DiskWorld, &ground.manifests[source], &given);
        let text = built.unwrap().channels[0].text.clone();
        assert!(text.contains("inside"), "{}: {text}", SOURCES[source]);
    }
}

/// How many builds are tried of each source: `PROMPTC_RACES` sets another number.
fn rounds(usual: u32) -> u32 {
    let asked = std::env::var("PROMPTC_RACES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn no_build_has_text_from_a_link_created_while_it_reads() {
    let ground = Ground::new();
    let given = GivenInputs {
        sets: vec![("n".into(), "1".into())],
        ..GivenInputs::default()
    };
    let mut built = 0;
    let mut leaks = Vec::new();
    ground.attacked(|| {
        for _ in 0..rounds(10) {
            for (manifest, source) in ground.manifests.iter().zip(SOURCES) {
                // As the program reads, and as a caller of the library does.
                let noted = TracingWorld::new(&DiskWorld);
                for prompt in [
                    build(&DiskWorld, manifest, &given),
                    build(&noted, manifest, &given),
                ] {
                    let Ok(prompt) = prompt else { continue };
                    built += 1;
                    if serde_json::to_string(&prompt).unwrap().contains(SECRET) {
                        leaks.push(*source);
                    }
                }
            }
        }
    });
    assert!(
        leaks.is_empty(),
        "{} of {built} builds: {leaks:?}",
        leaks.len()
    );
    assert!(built > 0, "nothing could be built");
}

#[test]
fn no_program_has_one_either() {
    let ground = Ground::new();
    let lines: String = (0..rounds(20))
        .map(|n| format!("{{\"n\": {n}}}\n"))
        .collect();
    ground.attacked(|| {
        for (manifest, source) in ground.manifests.iter().zip(SOURCES) {
            let manifest = manifest.to_str().unwrap();
            // Many builds of one process, and one that a session keeps.
            for args in [
                &["build", "-m", manifest, "--batch", "-"][..],
                &["build", "-m", manifest, "--set", "n=1", "--session", "s"],
            ] {
                let ran = run(ground.place.command(args), lines.as_bytes());
                let told = format!("{}{}", ran.stdout(), ran.stderr);
                assert!(!told.contains(SECRET), "{source}: {told}");
            }
        }
    });
}
