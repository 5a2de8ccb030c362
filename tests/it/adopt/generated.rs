//! Folders made at random from names and texts that are hard to write into a manifest: what `init` writes builds, always,
//! and reads nothing that the report says is left out.
//!
//! `PROMPTC_FOLDERS` makes more of them.

use crate::run::{Place, run};
use promptc::adopt::look::look;
use promptc::world::MapWorld;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Names of folders and files.
const NAMES: &[&str] = &[
    "a",
    "b c",
    "o'x",
    "q\"u",
    "{x}",
    "{{y}}",
    "br{r}",
    "star*",
    "q?",
    "[z]",
    "new\nline",
    "tab\t",
    "back\\slash",
    "é",
    "日本",
    "-dash",
    "#h",
    ".hid",
    "..dots",
    "a,b",
    "~t",
    "$v",
    "`w`",
    "SKILL.md",
    "assets",
    "x\u{1}",
    "]",
    "', '",
    "*/",
];

/// Texts, some of them no text.
const TEXTS: &[&[u8]] = &[
    b"",
    b"\n",
    b"Run the linter.\n",
    b"a\0b\n",
    b"\xef\xbb\xbfA mark.\n",
    b"\xff\xfe\0",
    b"---\nname: x\ndescription: D\n---\nB\n",
    b"---\nname: [a]\ndescription: {b: c}\n---\n",
    b"---\nname: x\n",
    b"---\n- a\n---\nx",
    b"---\nname: \"a\\nb\"\n---\n",
    b"---\nname: ''\ndescription: |\n  a\n  b\n---\nx",
    b"---\nx: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n---\n",
    b"@AGENTS.md\n",
    b"@CLAUDE.local.md @docs/a.md\n",
    b"See AGENTS.md\n",
    b"{{ x }} {% if %}\n",
    "x\n§\ny\n§\nx".as_bytes(),
    b"[1, 2]",
    b"{\"a\": 1}",
    b"[{\"name\": \"t\", \"description\": \"d\", \"input_schema\": {\"type\": \"object\"}}]",
    b"\r\n\r\nCR\r\n",
    "\u{202e}\u{2028}\n".as_bytes(),
    b"a\n*\n!b\n/skills/{x}\n",
];

/// Names that `init` knows.
const KNOWN: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "SOUL.md",
    "tools.json",
    "functions.json",
    ".cursorrules",
    "CLAUDE.local.md",
    "AGENTS.override.md",
    "USER.md",
    "MEMORY.md",
    "memories/USER.md",
    "memory/MEMORY.md",
    "memory/x.md",
    "HEARTBEAT.md",
    ".claude/CLAUDE.md",
    ".github/copilot-instructions.md",
    ".mcp.json",
    ".claude/rules/r.md",
    "docs/a.md",
    ".gitignore",
    "tools/t.json",
    "tools/{x}.json",
];

const SKILLS: &[&str] = &["skills", ".agents/skills", ".claude/skills"];

const TARGETS: &[&str] = &[
    "AGENTS.md",
    "..",
    "../..",
    ".",
    "/etc",
    "/etc/hostname",
    "nowhere",
    "../skills",
    "../../skills/a",
    "../AGENTS.md",
    "../../.agents/skills",
    "SKILL.md",
    "a",
];

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most
    }

    fn one<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }
}

/// Puts something at a path: mostly a file, or a link, or nothing where the system does not take it.
fn put(place: &Place, path: &str, numbers: &mut Numbers) {
    let at = place.path().join(path);
    let Some(folder) = at.parent() else { return };
    if std::fs::create_dir_all(folder).is_err() || at.symlink_metadata().is_ok() {
        return;
    }
    // What the system refuses is not there.
    match numbers.below(8) {
        #[cfg(unix)]
        0 => _ = std::os::unix::fs::symlink(numbers.one(TARGETS), at),
        1 => _ = std::fs::create_dir(at),
        _ => _ = std::fs::write(at, numbers.one(TEXTS)),
    }
}

fn folder(seed: u64) -> Place {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let place = Place::new();
    for _ in 0..numbers.below(9) {
        put(&place, numbers.one(KNOWN), &mut numbers);
    }
    for base in SKILLS {
        for _ in 0..numbers.below(6) {
            let mut path = (*base).to_owned();
            for _ in 0..numbers.below(4) {
                path = format!("{path}/{}", numbers.one(NAMES));
            }
            // Half of them are no document, but a folder or link.
            if numbers.below(4) > 0 {
                path.push_str("/SKILL.md");
            }
            put(&place, &path, &mut numbers);
        }
    }
    for _ in 0..numbers.below(4) {
        let path = format!(
            "{}/{}",
            numbers.one(NAMES),
            numbers.one(&["AGENTS.md", "CLAUDE.md", "GEMINI.md"])
        );
        put(&place, &path, &mut numbers);
    }
    #[cfg(unix)]
    if numbers.below(4) == 0 {
        use std::os::unix::ffi::OsStringExt as _;
        let name = PathBuf::from(std::ffi::OsString::from_vec(
            b"skills/caf\xe9/SKILL.md".to_vec(),
        ));
        let at = place.path().join(name);
        let made = at
            .parent()
            .is_some_and(|folder| std::fs::create_dir_all(folder).is_ok());
        _ = made && std::fs::write(at, "x").is_ok();
    }
    place
}

/// The documents of the built prompt of which something is in it.
fn documents(place: &Place) -> BTreeSet<String> {
    let ran = place.run(&["build", "--format", "json"]).exits(0);
    let prompt: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let channels = prompt["channels"].as_array().unwrap().iter();
    let layers = channels.flat_map(|channel| channel["layers"].as_array().unwrap());
    let ingredients =
        layers.flat_map(|layer| layer["ingredients"].as_array().into_iter().flatten());
    let read = ingredients.filter(|i| i["sha256"].is_string() && i["path"].is_string());
    read.map(|i| i["path"].as_str().unwrap().to_owned())
        .collect()
}

/// Fails unless `init` is refused and writes nothing, or what it writes builds and reads nothing that is left out.
fn check(place: &Place, name: &str) -> bool {
    let ran = place.run(&["init", "--format", "json"]);
    if ran.code != 0 {
        assert!(ran.stderr.contains("error["), "{name}: {}", ran.stderr);
        assert!(!place.path().join("promptc.kdl").exists(), "{name}");
        return false;
    }
    let manifest = place.read("promptc.kdl");
    for args in [
        &["build"][..],
        &["check"],
        &["check", "--sources"],
        &["fmt", "--check"],
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 0, "{name}: {args:?}: {}\n{manifest}", ran.stderr);
    }
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let read = documents(place);
    for left in report["left_out"].as_array().unwrap() {
        let (path, reason) = (
            left["path"].as_str().unwrap(),
            left["reason"].as_str().unwrap(),
        );
        let is_read = read.contains(path) || read.contains(&format!("{path}/SKILL.md"));
        // A condition rules it out after it was read.
        let is_ruled_out = manifest.contains("path not in [");
        assert!(
            !is_read || reason.contains("imports") || is_ruled_out,
            "{name}: {path} is left out ({reason}) and read\n{manifest}"
        );
    }
    true
}

#[test]
fn what_is_written_builds() {
    let count = std::env::var("PROMPTC_FOLDERS").map_or(40, |n| n.parse().unwrap());
    let written = (0..count)
        .filter(|seed| check(&folder(*seed), &format!("folder {seed}")))
        .count();
    assert!(
        written * 10 > count as usize * 9,
        "only {written} of {count}"
    );
}

#[test]
fn large_files_and_a_thousand_skills_are_no_obstacle() {
    let place = Place::new();
    place.file("AGENTS.md", "Run the linter.\n".repeat(2_000));
    place.file("CLAUDE.md", "x".repeat(2 << 20));
    place.file("skills/huge/SKILL.md", "y".repeat(2 << 20));
    for number in 0..1_000 {
        let text = format!("---\nname: s{number}\ndescription: Does {number}.\n---\nx\n");
        place.file(&format!("skills/s{number}/SKILL.md"), &text);
        // Every tenth again in another folder.
        if number % 10 == 0 {
            place.file(&format!(".claude/skills/s{number}/SKILL.md"), &text);
        }
    }
    place.file(".claude/skills/own/SKILL.md", "Own.\n");
    assert!(check(&place, "a thousand skills"));
    let built = place.run(&["build"]).exits(0);
    assert_eq!(built.stdout().matches("/SKILL.md)").count(), 1_002);
}

/// Files that this user may not read: a test that runs as root could read them all.
#[test]
fn unreadable_skills_cost_no_others() {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Is {name}.\n---\n");
    let world = MapWorld::new()
        .file("/a/skills/one/SKILL.md", skill("one"))
        .file("/a/skills/locked/SKILL.md", skill("locked"))
        .file("/a/skills/two/SKILL.md", skill("two"))
        .file("/a/skills/shut/in/SKILL.md", skill("in"))
        .unreadable("/a/skills/locked/SKILL.md")
        .unreadable("/a/skills/shut");
    let found = look(&world, Path::new("/a")).unwrap();
    let left: Vec<&str> = found
        .report
        .left_out
        .iter()
        .map(|left| left.path.as_str())
        .collect();
    assert_eq!(left, ["skills/locked", "skills/shut"]);
    let manifest = found.manifest.unwrap();
    assert!(
        manifest.contains("skills \"skills\" { exclude \"locked\" \"shut\" }"),
        "{manifest}"
    );
}

/// Of two in one folder, the one that is no link is listed.
#[test]
fn a_link_gives_way_to_what_it_leads_to() {
    let world = MapWorld::new()
        .file("/a/skills/tide/SKILL.md", "Tide.\n")
        .link("/a/skills/a-link", "tide")
        .link("/a/skills/z-link", "tide");
    let manifest = look(&world, Path::new("/a")).unwrap().manifest.unwrap();
    assert!(
        manifest.contains("{ exclude \"a-link\" \"z-link\" }"),
        "{manifest}"
    );
}

/// An empty CLAUDE.md is none, and a folder above counts as the working folder does.
#[test]
fn the_preset_of_claude_code_reads_agents_md_where_no_claude_md_is() {
    for (files, expected) in [
        (
            &["AGENTS.md", "in/AGENTS.md"][..],
            &["AGENTS.md", "in/AGENTS.md"][..],
        ),
        (&["AGENTS.md", "in/CLAUDE.md"], &["in/CLAUDE.md"]),
        (&["CLAUDE.md", "in/AGENTS.md"], &["CLAUDE.md"]),
        (
            &[".claude/CLAUDE.md", "in/AGENTS.md"],
            &[".claude/CLAUDE.md"],
        ),
        (&["CLAUDE.local.md", "in/AGENTS.md"], &["CLAUDE.local.md"]),
        (
            &[".claude/rules/r.md", "in/AGENTS.md"],
            &[".claude/rules/r.md", "in/AGENTS.md"],
        ),
        // What is below the working folder does not count.
        (&["in/AGENTS.md", "in/deep/CLAUDE.md"], &["in/AGENTS.md"]),
    ] {
        let place = Place::new();
        for file in files {
            place.file(file, format!("This is {file}.\n"));
        }
        place
            .run(&["init", "in", "--preset", "claude-code"])
            .exits(0);
        let mut build = place.command(&[
            "build",
            "-m",
            "in/promptc.kdl",
            "--root",
            "disk=.",
            "--root",
            "managed=none",
        ]);
        build.env("HOME", place.path().join("none"));
        let built = run(build, b"").exits(0);
        let read: Vec<&str> = built
            .stdout()
            .lines()
            .filter_map(|line| line.strip_prefix("This is "))
            .collect();
        let expected: Vec<String> = expected.iter().map(|file| format!("{file}.")).collect();
        assert_eq!(read, expected, "{files:?}");
    }
}
