//! Links that a repository holds, in the way of each command that writes: an error names the link, and nothing changes.

use crate::docs::commands::helps;
use crate::run::{Place, Ran, run};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const MANIFEST: &str = "promptc 1\nroot workspace default=\"home\"\n\
    tier t { layer l { text \"hi\" }; layer notes { memory \"NOTES.md\" root=workspace } }\n\
    directory-rules { file \"AGENTS.md\" }\nscenario ann\n";

/// One that `fmt` lays out and `check --fix` puts in order.
const MESSY: &str = "promptc 1\nfact today date default=\"2026-03-30\" changes=day\n\
    tier a changes=day { layer a { template \"{{ today }}\" } }\ntier b changes=deploy { layer b { text \"Be brief.\" } }\n";

const PRICES: &str = r#"{"claude-opus-5-5": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 4e-06}}"#;

/// Links in the folder of the manifest, and where they lead.
type Links = &'static [(&'static str, &'static str)];

/// An output of this name is behind a link: to a file, to a missing target, in a folder that is a link.
const OUTPUTS: [(&str, (&str, &str)); 4] = [
    ("out", ("out", "../victim/keep.txt")),
    ("out", ("out", "../victim/none.txt")),
    ("sub/out", ("sub", "../victim")),
    ("sub/deep/out", ("sub", "../victim")),
];

/// The commands with an option that names their output, which is `OUT` here.
const WITH_OUTPUT: [(&str, &str); 16] = [
    ("capture run", "capture run -o OUT -- true"),
    ("capture serve", "capture serve -o OUT"),
    ("capture import", "capture import bodies -o OUT"),
    ("capture export", "capture export log --inline -o OUT"),
    ("build", "build -o OUT"),
    ("build", "build --format json -o OUT"),
    ("build", "build --batch lines -o OUT"),
    ("build", "build --each-without -o OUT"),
    ("build", "build --session new -o OUT"),
    ("report", "report -o OUT"),
    ("capture report", "capture report --bill log -o OUT"),
    ("emit", "emit anthropic --model claude-opus-5 -o OUT"),
    ("watch", "watch --builds 1 -o OUT"),
    ("test", "test --accept --junit OUT"),
    ("session export", "session export old -o OUT"),
    (
        "providers import",
        "providers import prices --as-of 2026-03-30 -o OUT",
    ),
];

/// The store of sessions is behind a link.
const STORES: [Links; 2] = [
    &[(".promptc", "../victim/store")],
    &[(".promptc/store.db", "../../victim/store/store.db")],
];

pub(super) const WITH_STORE: [(&str, &str); 11] = [
    ("build", "build --session new"),
    ("agent rules", "agent rules home --session new"),
    ("session import", "session import export"),
    ("session rm", "session rm old"),
    ("session move", "session move old --to elsewhere.db"),
    ("session gc", "session gc"),
    ("session drift", "session drift old"),
    ("session list", "session list"),
    ("session show", "session show old"),
    ("session history", "session history old"),
    ("session verify", "session verify"),
];

const RECORDS: [Links; 6] = [
    &[("snapshots", "../victim")],
    &[("snapshots/ann.txt", "../../victim/keep.txt")],
    &[("snapshots/ann.txt", "../../victim/none.txt")],
    &[("promptc.lock", "../victim/keep.txt")],
    &[("promptc.lock", "../victim/promptc.lock")],
    &[("promptc.lock", "../victim/none.txt")],
];

const MEMORIES: [Links; 4] = [
    &[("home", "../victim")],
    &[("home/NOTES.md", "../../victim/NOTES.md")],
    &[("home/NOTES.md", "kept.md")],
    &[("home/NOTES.md.lock", "../../victim/none.txt")],
];

/// The other writers, and the links in their way.
const OTHERS: [(&str, &str, &[Links]); 14] = [
    ("test", "test --accept", &RECORDS),
    ("test", "test --review", &RECORDS),
    ("agent memory add", "agent memory add b", &MEMORIES),
    (
        "agent memory replace",
        "agent memory replace a b",
        &MEMORIES,
    ),
    ("agent memory remove", "agent memory remove a", &MEMORIES),
    ("agent memory apply", "agent memory apply call", &MEMORIES),
    (
        "fmt",
        "fmt link.kdl",
        &[&[("link.kdl", "../victim/messy.kdl")]],
    ),
    (
        "fmt",
        "fmt messy.kdl sub/messy.kdl",
        &[&[("sub", "../victim")]],
    ),
    (
        "check",
        "check --fix -m link.kdl",
        &[&[("link.kdl", "../victim/messy.kdl")]],
    ),
    (
        "check",
        "check --fix -m sub/messy.kdl",
        &[&[("sub", "../victim")]],
    ),
    (
        "init",
        "init new --preset mushroom",
        &[
            &[("new", "../victim")],
            &[("new/text", "../../victim")],
            &[("new/promptc.kdl", "../../victim/none.kdl")],
        ],
    ),
    (
        "init",
        "init new",
        &[
            &[("new", "../victim")],
            &[("new/promptc.kdl", "../../victim/none.kdl")],
        ],
    ),
    (
        "init",
        "init new --from dump",
        &[
            &[("new", "../victim")],
            &[("new/promptc.kdl", "../../victim/none.kdl")],
        ],
    ),
    (
        "man",
        "man pages",
        &[
            &[("pages", "../victim")],
            &[("pages/promptc.1", "../../victim/keep.txt")],
            &[("pages/promptc-watch.1", "../../victim/none.txt")],
        ],
    ),
];

/// The commands that write no file.
const READ_ONLY: [&str; 23] = [
    "capture show",
    "capture diff",
    "usage",
    "explain",
    "scan",
    "agent skills list",
    "agent skills show",
    "agent memory list",
    "agent memory schema",
    "blame",
    "diff",
    "providers list",
    "providers show",
    "completions",
    "schema batch",
    "schema check",
    "schema diff",
    "schema facts",
    "schema directory-rules",
    "schema memory",
    "schema prompt",
    "schema providers",
    "schema *",
];

/// A repository, and next to it files that no command may change.
pub(super) fn repository() -> Place {
    static MODEL: OnceLock<Place> = OnceLock::new();
    let model = MODEL.get_or_init(model);
    let place = Place::new();
    let names = ["repo", "victim"].map(|name| model.path().join(name));
    let mut copy = Command::new("cp");
    copy.arg("-R").args(names).arg(place.path());
    assert!(copy.status().unwrap().success());
    place
}

fn model() -> Place {
    let place = Place::new();
    let repository = [
        ("promptc.kdl", MANIFEST),
        ("messy.kdl", MESSY),
        ("lines", "{}\n"),
        (
            "bodies",
            "{\"model\":\"claude-opus-5\",\"max_tokens\":9,\"system\":\"x\",\"messages\":[]}\n",
        ),
        (
            "log",
            "{\"kind\":\"log\",\"version\":1,\"promptc\":\"0.1.0\"}\n",
        ),
        ("prices", PRICES),
        ("home/AGENTS.md", "a"),
        ("home/NOTES.md", "a"),
        ("home/kept.md", "a"),
        ("call", "{\"action\":\"add\",\"content\":\"b\"}"),
        ("dump", "# A\n\nBe brief.\n\n# B\n\nBe kind.\n"),
    ];
    for (path, text) in repository {
        place.file(&format!("repo/{path}"), text);
    }
    let victim = [
        ("keep.txt", "theirs"),
        ("ann.txt", "theirs"),
        ("deep/keep.txt", "theirs"),
        ("messy.kdl", MESSY),
        ("NOTES.md", "a"),
        ("AGENTS.md", "a"),
    ];
    for (path, text) in victim {
        place.file(&format!("victim/{path}"), text);
    }
    in_repository(&place, "build --session old").exits(0);
    in_repository(&place, "session export old -o export").exits(0);
    let store = place.path().join("victim/store");
    fs::rename(place.path().join("repo/.promptc"), store).unwrap();
    place
}

fn in_repository(place: &Place, line: &str) -> Ran {
    let args: Vec<&str> = line.split(' ').collect();
    let mut command = place.command(&args);
    command.current_dir(place.path().join("repo"));
    run(command, b"A\n")
}

/// All names below a folder, with their content; without the files that SQLite keeps next to a store.
fn tree(top: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut out, mut open) = (BTreeMap::new(), vec![top.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap();
            let content = if kind.is_file() {
                fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            if kind.is_dir() {
                open.push(path.clone());
            }
            out.insert(path, content);
        }
    }
    out
}

/// Runs a command with links in its way. It names the link, and changes nothing.
fn is_refused(line: &str, links: Links) {
    let place = repository();
    for (link, target) in links {
        let link = place.path().join("repo").join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let _ = fs::rename(&link, place.path().join("aside"));
        symlink(target, link).unwrap();
    }
    refused(&place, line, links[0].0);
}

/// Runs a command in the repository: it names the link in its way, and changes nothing.
pub(super) fn refused(place: &Place, line: &str, link: &str) {
    let before = tree(place.path());
    let ran = in_repository(place, line);
    let told = ["linked-file", "link-leaves-root", "memory-not-writable"];
    let told = told
        .iter()
        .any(|code| ran.stderr.contains(&format!("error[{code}]")));
    assert!(
        told && ran.code == 2,
        "{line}, {link}: {}\n{}",
        ran.code,
        ran.stderr
    );
    let name = link.rsplit('/').next().unwrap();
    assert!(ran.stderr.contains(name), "{line}, {link}:\n{}", ran.stderr);
    let after = tree(place.path());
    let all: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let changed: Vec<_> = all
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    assert!(changed.is_empty(), "{line}, {link}: {changed:?}");
}

#[test]
fn no_output_goes_through_a_link() {
    for (_, line) in WITH_OUTPUT {
        for (output, (link, target)) in OUTPUTS {
            let place = repository();
            if line.starts_with("session") {
                fs::rename(
                    place.path().join("victim/store"),
                    place.path().join("repo/.promptc"),
                )
                .unwrap();
            }
            symlink(target, place.path().join("repo").join(link)).unwrap();
            if line.starts_with("session") {
                // Nothing of the store changes either, but for what SQLite does in its own files.
                let ran = in_repository(&place, &line.replace("OUT", output)).exits(2);
                ran.says("error[linked-file]");
                assert_eq!(place.read("victim/keep.txt"), "theirs");
                assert!(
                    !place.path().join("victim/none.txt").exists()
                        && !place.path().join("victim/out").exists()
                );
            } else {
                refused(&place, &line.replace("OUT", output), link);
            }
        }
    }
}

#[test]
fn records_memories_layouts_and_new_files_go_through_no_link() {
    for (_, line, all) in OTHERS {
        for links in all {
            is_refused(line, links);
        }
    }
}

#[test]
fn no_store_is_opened_through_a_link() {
    for (_, line) in WITH_STORE {
        for links in STORES {
            is_refused(line, links);
        }
    }
}

#[test]
fn each_command_is_known_to_write_or_not_to() {
    let all: Vec<String> = helps().into_iter().map(|(command, _)| command).collect();
    let is_group =
        |c: &&String| !c.is_empty() && !all.iter().any(|other| other.starts_with(&format!("{c} ")));
    let known = |c: &str| {
        let written = WITH_OUTPUT
            .iter()
            .chain(&WITH_STORE)
            .map(|(command, _)| *command);
        let mut written = written.chain(OTHERS.iter().map(|(command, ..)| *command));
        let mut read = READ_ONLY.iter();
        (
            written.any(|w| w == c),
            read.any(|r| *r == c || r.strip_suffix('*').is_some_and(|r| c.starts_with(r))),
        )
    };
    for command in all.iter().filter(is_group) {
        let (writes, reads) = known(command);
        assert!(
            writes != reads,
            "`{command}` is in {} lists",
            u8::from(writes) + u8::from(reads)
        );
    }
}

#[test]
fn the_folder_of_a_manifest_elsewhere_is_a_wall_too() {
    let place = repository();
    symlink("../victim/keep.txt", place.path().join("repo/out")).unwrap();
    place.file("here/file", "");
    let build = |output: &str| {
        let mut command = place.command(&["build", "-m", "../repo/promptc.kdl", "-o", output]);
        command.current_dir(place.path().join("here"));
        run(command, b"")
    };
    // Also by a way through a link outside.
    symlink("repo", place.path().join("other")).unwrap();
    for output in ["../repo/out", "../other/out", "../here/../other/out"] {
        let ran = build(output).exits(2);
        assert!(
            ran.stderr.contains("error[linked-file]") && ran.stderr.contains("repo/out"),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(place.read("victim/keep.txt"), "theirs");
    build("../other/plain").exits(0);
    assert_eq!(place.read("repo/plain"), "hi\n\na");
}

#[test]
fn a_link_named_outside_the_walls_is_followed() {
    let place = repository();
    let at = |name: &str| place.path().join(name);
    symlink("victim/keep.txt", at("link")).unwrap();
    symlink("victim/new.txt", at("lost")).unwrap();
    symlink("victim", at("folder")).unwrap();
    symlink("repo", at("project")).unwrap();
    for output in ["../link", "../lost", "../folder/other.txt"] {
        in_repository(&place, &format!("build -o {output}")).exits(0);
    }
    for written in ["keep.txt", "new.txt", "other.txt"] {
        assert_eq!(place.read(&format!("victim/{written}")), "hi\n\na");
    }
    assert!(at("link").is_symlink() && at("lost").is_symlink());
    // Links above the folder of the manifest are no matter.
    let mut command = place.command(&["test", "--accept", "-m", "project/promptc.kdl"]);
    command.current_dir(place.path());
    // The current directory is a wall as well, and that link is in it.
    run(command, b"").exits(2);
    let mut command = place.command(&["test", "--accept", "-m", "../project/promptc.kdl"]);
    command.current_dir(at("victim"));
    run(command, b"").exits(0);
    assert!(at("repo/promptc.lock").is_file() && at("repo/snapshots/ann.txt").is_file());
}

#[test]
fn an_output_elsewhere_that_leads_to_an_input_is_refused() {
    let place = repository();
    symlink("repo/home/NOTES.md", place.path().join("link")).unwrap();
    for line in ["build -o ../link", "build --batch lines -o ../link"] {
        let ran = in_repository(&place, line).exits(2);
        let expected = "error[output-is-input]: `../link`";
        assert!(ran.stderr.starts_with(expected), "{line}:\n{}", ran.stderr);
        assert_eq!(place.read("repo/home/NOTES.md"), "a");
    }
}

/// Runs rounds while `link` and what is at `path` swap places: at least `least`, and on until one met the link.
#[cfg(target_os = "linux")]
fn rounds_with_swaps(place: &Place, path: &str, least: usize, mut round: impl FnMut(usize) -> Ran) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::{sync::Arc, thread, time::Duration};
    let least = std::env::var("PROMPTC_RACES").map_or(least, |n| n.parse().unwrap());
    let (link, path) = (place.path().join("link"), place.path().join(path));
    // It ends with the rounds, also where one panics.
    let rounds = Arc::new(());
    let alive = Arc::downgrade(&rounds);
    let swapper = thread::spawn(move || {
        while alive.strong_count() > 0 {
            let _ = renameat_with(CWD, &link, CWD, &path, RenameFlags::EXCHANGE);
            thread::sleep(Duration::from_micros(200));
        }
    });
    let (mut codes, mut met) = (Vec::new(), false);
    while codes.len() < least || !met && codes.len() < 20 * least {
        let ran = round(codes.len());
        met |= ran.stderr.contains("error[linked-file]");
        codes.push(ran.code);
    }
    drop(rounds);
    swapper.join().unwrap();
    assert!(codes.iter().all(|code| (0..=3).contains(code)), "{codes:?}");
    assert!(met, "no round met the link: {codes:?}");
}

/// Whatever the moment at which a link takes the place of the folder of snapshots, nothing is written where it leads.
#[cfg(target_os = "linux")]
#[test]
fn no_link_created_in_between_is_followed() {
    let place = repository();
    let at = |name: &str| place.path().join(name);
    in_repository(&place, "test --accept").exits(0);
    symlink(at("victim"), at("link")).unwrap();
    let before = tree(&at("victim"));
    rounds_with_swaps(&place, "repo/snapshots", 30, |round| {
        let manifest = MANIFEST.replace("\"hi\"", &format!("\"{round}\""));
        place.file("repo/promptc.kdl", manifest);
        in_repository(&place, "test --accept")
    });
    assert!(
        tree(&at("victim")) == before,
        "a file behind the link is another"
    );
}

/// SQLite opens the file of the store by its path.
#[cfg(target_os = "linux")]
#[test]
fn no_link_in_the_place_of_a_store_is_opened() {
    let place = repository();
    let at = |name: &str| place.path().join(name);
    let build = |id: &str, more: &str| {
        in_repository(
            &place,
            &format!("build --session {id} --scenario ann{more}"),
        )
    };
    build("a", "").exits(0);
    build("v", " --store ../victim/store.db").exits(0);
    symlink(at("victim/store.db"), at("link")).unwrap();
    let before = tree(&at("victim"));
    rounds_with_swaps(&place, "repo/.promptc/store.db", 60, |round| {
        build(&format!("s{round}"), "")
    });
    assert!(
        tree(&at("victim")) == before,
        "the store behind the link is another"
    );
}
