//! Bad input and a world that fails: a clear error with the right exit code, nothing half-written, bounded memory.

use crate::case::{as_nobody, is_root};
use crate::run::{PROGRAM, Place, Ran, run};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A place whose manifest has one layer with this content.
fn place_with(content: &str) -> Place {
    let place = Place::new();
    let manifest =
        format!("promptc 1\nroot workspace default=\"ws\"\ntier t {{ layer l {{ {content} }} }}\n");
    place.file("promptc.kdl", manifest);
    place
}

/// Every file below `folder` with its size.
fn listed(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            out.extend(listed(&entry.path()));
        }
        out.insert(
            entry.path(),
            entry
                .metadata()
                .map_or(0, |m| if kind.is_dir() { 0 } else { m.len() }),
        );
    }
    out
}

/// A build that fails with this exit code and diagnostic, reports it on stderr only, and leaves no files.
fn fails(place: &Place, command: Command, code: i32, diagnostic: &str) -> Ran {
    let before = listed(place.path());
    let ran = run(command, b"").exits(code);
    assert!(ran.stdout.is_empty());
    ran.says(&format!("error[{diagnostic}]"));
    assert!(
        ran.stderr.len() < 20_000,
        "{} bytes of complaints",
        ran.stderr.len()
    );
    assert_eq!(listed(place.path()), before, "something was left behind");
    ran
}

/// As [`fails`], for input that is the user's to fix. With `-o` the old output stays too.
fn refused(place: &Place, diagnostic: &str) -> Ran {
    place.file("out.txt", "old");
    fails(
        place,
        place.command(&["build", "-o", "out.txt"]),
        2,
        diagnostic,
    );
    assert_eq!(place.read("out.txt"), "old");
    fails(place, place.command(&["build"]), 2, diagnostic)
}

/// The program's peak memory in MiB, where a tool is there to measure it.
fn peak(place: &Place) -> Option<u64> {
    let time = "/usr/bin/time";
    if fs::metadata(time).is_err() {
        println!("not measured: there is no {time}");
        return None;
    }
    let mut command = Command::new(time);
    command
        .args(["-f", "peak %M", PROGRAM, "build"])
        .current_dir(place.path())
        .env_clear();
    let ran = run(command, b"");
    let line = ran
        .stderr
        .lines()
        .rev()
        .find_map(|l| l.strip_prefix("peak "))?;
    Some(line.parse::<u64>().unwrap() / 1024)
}

#[test]
fn invalid_utf8_is_reported_with_its_position() {
    let place = place_with("file \"a.md\"");
    place.file("ws/a.md", b"0123456789\xff\xfe".as_slice());
    let ran = refused(&place, "invalid-utf8");
    ran.says("byte 10");
    place.file("promptc.kdl", b"promptc 1\nname \xff".as_slice());
    let ran = refused(&place, "program-not-utf8");
    ran.says("15");
}

#[test]
fn a_document_of_100_mb_is_refused_in_bounded_memory() {
    for source in ["file \"a.md\"", "glob \"*\"", "json \"a.md\""] {
        let place = place_with(source);
        let file = fs::File::create(place.file("ws/a.md", "")).unwrap();
        file.set_len(100_000_000).unwrap();
        refused(&place, "document-too-large");
        if let Some(peak) = peak(&place) {
            assert!(peak < 160, "{source}: {peak} MiB");
        }
    }
}

#[test]
fn a_hundred_thousand_files_are_refused_in_bounded_memory() {
    let place = place_with("glob \"**/*.md\"");
    let first = place.file("ws/0.md", "text");
    for folder in 0..10 {
        let folder = place.path().join(format!("ws/f{folder}"));
        fs::create_dir(&folder).unwrap();
        for n in 0..10_000 {
            let path = folder.join(format!("{n}.md"));
            // Links are made faster than files; some systems allow only so many.
            if fs::hard_link(&first, &path).is_err() {
                fs::write(&path, "text").unwrap();
            }
        }
    }
    let ran = run(place.command(&["build"]), b"").exits(2);
    assert!(ran.stdout.is_empty());
    assert!(
        ran.stderr.contains("error[too-many-documents]") && ran.stderr.contains("2,000"),
        "{}",
        ran.stderr
    );
    if let Some(peak) = peak(&place) {
        assert!(peak < 100, "{peak} MiB");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let levels = 4_000;
    for (open, close) in [
        ("a {", "}"),
        ("a {\n", "}\n"),
        ("tier t { layer l { all {", "} } }"),
        ("/- a {", "}"),
        ("/*", "*/"),
    ] {
        let place = Place::new();
        place.file(
            "promptc.kdl",
            format!(
                "promptc 1\n{}{}\n",
                open.repeat(levels),
                close.repeat(levels)
            ),
        );
        refused(&place, "nesting-too-deep");
        // Never closed is no better.
        place.file("promptc.kdl", format!("promptc 1\n{}", open.repeat(levels)));
        refused(&place, "nesting-too-deep");
    }
}

#[test]
fn a_manifest_of_2_mb_is_refused() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        format!("promptc 1\n{}", "// a comment\n".repeat(160_000)),
    );
    refused(&place, "program-too-large");
    if let Some(peak) = peak(&place) {
        assert!(peak < 60, "{peak} MiB");
    }
}

/// A manifest in one line, a little under 1 MiB, made of `piece` (`{}` in it is a number) between two ends.
fn in_one_line(start: &str, piece: &str, end: &str) -> String {
    let mut out = start.to_owned();
    for n in 0.. {
        let next = piece.replace("{}", &n.to_string());
        if out.len() + next.len() + end.len() + 16 > 1024 * 1024 {
            break;
        }
        out.push_str(&next);
    }
    out + end
}

#[test]
fn a_line_of_1_mb_is_no_problem() {
    let text = "x".repeat(1024 * 1024 - 100);
    for manifest in [
        format!("promptc 1; tier t {{ layer l {{ text \"{text}\" }} }}"),
        in_one_line(
            "promptc 1; tier t { layer l { all join=\"\" {",
            " text x{};",
            "} } }",
        ),
        in_one_line("promptc 1; tier t {", " layer l{} { text word; };", " }"),
        in_one_line(
            "promptc 1; tier t { layer l { text x } };",
            " let l{} \"1\";",
            "",
        ),
        in_one_line("promptc 1; /*", " x", "*/ tier t { layer l { text x } }"),
    ] {
        let place = Place::new();
        place.file("promptc.kdl", &manifest);
        let ran = place.run(&["build"]).exits(0);
        assert!(!ran.stdout.is_empty());
    }
}

#[test]
fn a_manifest_full_of_errors_ends() {
    let place = Place::new();
    place.file("promptc.kdl", in_one_line("promptc 1;", " x{};", ""));
    for format in ["human", "json"] {
        let args = ["build", "--message-format", format];
        let ran = run(place.command(&args), b"").exits(2);
        assert!(ran.stdout.is_empty() && ran.stderr.len() < 200_000);
        assert!(ran.stderr.contains("unknown-node"));
        assert!(ran.stderr.contains("more than 100 errors") || format == "json");
    }
}

#[test]
fn templates_end() {
    for (template, diagnostic) in [
        (
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "template-limit",
        ),
        (
            "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
            "template-limit",
        ),
        (
            "{% for i in range(10000) %}{{ 'x' * 100000 }}{% endfor %}",
            "template-limit",
        ),
        ("{% include 'self.j2' %}", "template-limit"),
        ("{% include 'ping.j2' %}", "template-limit"),
    ] {
        let place = place_with(&format!("template \"{template}\""));
        place.file("self.j2", "{% include 'self.j2' %}");
        place.file("ping.j2", "{% include 'pong.j2' %}");
        place.file("pong.j2", "{% include 'ping.j2' %}");
        refused(&place, diagnostic);
    }
}

#[test]
fn imports_end() {
    // A chain that is deeper than imports go: the last that is followed keeps its text.
    let place = place_with("file \"0.md\" { imports at depth=100 limit=10000 }");
    for n in 0..10_000 {
        place.file(&format!("ws/{n}.md"), format!("{n} @{}.md", n + 1));
    }
    let ran = place.run(&["build"]).exits(0);
    let told: Vec<String> = (0..=100).map(|n| n.to_string()).collect();
    assert_eq!(ran.stdout(), format!("{} @101.md", told.join(" ")));

    // Ten thousand files of one document.
    let place = place_with("file \"a.md\" { imports at depth=1 limit=10000 }");
    let all: Vec<String> = (0..10_000).map(|n| format!("@x/{n}.md")).collect();
    place.file("ws/a.md", all.join("\n"));
    for n in 0..10_000 {
        place.file(&format!("ws/x/{n}.md"), n.to_string());
    }
    let numbers: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
    assert_eq!(place.run(&["build"]).exits(0).stdout(), numbers.join("\n"));
    place.file("ws/a.md", format!("{}\n@x/0.md", all.join("\n")));
    refused(&place, "too-many-imports");

    // Ten thousand that are not there stay as they are; more are refused.
    let none: Vec<String> = (0..10_000).map(|n| format!("@no/{n}.md")).collect();
    place.file("ws/a.md", none.join("\n"));
    assert_eq!(place.run(&["build"]).exits(0).stdout(), none.join("\n"));
    place.file("ws/a.md", format!("{}\n@one_more", none.join("\n")));
    refused(&place, "too-many-imports");

    // Circles of any length.
    let place = place_with("file \"a.md\" { imports at depth=100 limit=10000 }");
    place.file("ws/a.md", "a @b.md @a.md");
    place.file("ws/b.md", "b @a.md @./b.md @c/../b.md");
    let ran = place.run(&["build"]).exits(0);
    assert_eq!(ran.stdout(), "a b @a.md @./b.md @c/../b.md @a.md");
}

#[test]
fn a_missing_required_file_is_reported() {
    let place = place_with("file \"a.md\" \"b.md\" missing=error");
    let ran = refused(&place, "missing-file");
    assert!(
        ran.stderr.contains("a.md") && ran.stderr.contains("b.md"),
        "{}",
        ran.stderr
    );
    let place = Place::new();
    place.file("promptc.kdl", "promptc 1\nroot workspace default=\".\"\ntier t { layer l required=#true { file \"a.md\" } }");
    refused(&place, "required-layer-absent");
    let place = place_with("file \"a.md\"; template file=\"x.j2\"");
    refused(&place, "template-not-found");
}

#[test]
fn a_root_folder_that_does_not_exist_is_empty() {
    let place = place_with("first { file \"a.md\"; glob \"*\"; text \"nothing there\" }");
    assert_eq!(place.run(&["build"]).exits(0).stdout(), "nothing there");
    let place = place_with("file \"a.md\"");
    let ran = place.run(&["build"]).exits(0);
    assert!(ran.stdout.is_empty());
}

#[test]
fn a_reader_that_leaves_in_the_middle_is_no_error() {
    let place = place_with(&format!("text \"{}\"", "0123456789".repeat(100_000)));
    for format in ["text", "json"] {
        let mut child = place
            .command(&["build", "--format", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut some = [0; 100];
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut some).unwrap();
        drop(out);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.is_empty(), "{:?}", output.stderr);
    }
}

#[cfg(unix)]
mod world {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The command as someone whom permissions bind; none, with a word why, if it cannot be had.
    fn bound(place: &Place, args: &[&str]) -> Option<Command> {
        if !is_root() {
            return Some(place.command(args));
        }
        let command = as_nobody(args, place);
        if command.is_none() {
            println!("not tested: permissions bind nothing here, and there is no setpriv");
        }
        command
    }

    #[test]
    fn a_file_that_may_not_be_read_is_an_error() {
        for source in [
            "file \"a.md\"",
            "glob \"*.md\"",
            "file \"locked/b.md\"",
            "glob \"**/*.txt\"",
        ] {
            let place = place_with(source);
            set_mode(&place.file("ws/a.md", "secret"), 0o000);
            place.file("ws/locked/b.md", "secret");
            set_mode(&place.path().join("ws/locked"), 0o000);
            if let Some(command) = bound(&place, &["build"]) {
                fails(&place, command, 3, "unreadable-file");
            }
            set_mode(&place.path().join("ws/locked"), 0o755);
        }
    }

    /// The folder of a root too, which the manifest may not write.
    #[test]
    fn a_folder_that_may_not_be_read_is_named() {
        for (source, locked) in [
            ("glob \"*.md\"", "ws"),
            ("glob \"**/*.md\"", "ws/sub"),
            ("skills \".\"", "ws"),
            ("skills \".\"", "ws/sub"),
            ("skills \"sub\"", "ws/sub"),
        ] {
            let place = place_with(source);
            place.file("ws/sub/a.md", "secret");
            let folder = place.path().join(locked);
            set_mode(&folder, 0o000);
            if let Some(command) = bound(&place, &["build"]) {
                let ran = run(command, b"").exits(3);
                let shown = match locked {
                    "ws" => folder.canonicalize().unwrap().display().to_string(),
                    _ => "sub".to_owned(),
                };
                let said = format!("error[unreadable-file]: `{shown}` cannot be read");
                assert!(ran.stderr.starts_with(&said), "{source}: {}", ran.stderr);
            }
            set_mode(&folder, 0o755);
        }
    }

    #[test]
    fn a_manifest_that_may_not_be_read_is_an_error() {
        let place = place_with("text x");
        set_mode(&place.path().join("promptc.kdl"), 0o000);
        if let Some(command) = bound(&place, &["build"]) {
            fails(&place, command, 3, "unreadable-program");
        }
    }

    #[test]
    fn a_read_only_output_keeps_its_content() {
        // In a folder that may not be written, a file that may: it could not be replaced in one step.
        for (folder, file) in [(0o555, 0o666), (0o777, 0o444), (0o555, 0o444)] {
            let place = place_with("text new");
            let out = place.file("out/out.txt", "old");
            set_mode(&out, file);
            set_mode(out.parent().unwrap(), folder);
            for format in ["text", "json"] {
                if let Some(command) =
                    bound(&place, &["build", "-o", "out/out.txt", "--format", format])
                {
                    fails(&place, command, 3, "output-not-written");
                    assert_eq!(fs::read_to_string(&out).unwrap(), "old");
                }
            }
            if let Some(command) =
                bound(&place, &["build", "-o", "out/new.txt"]).filter(|_| folder == 0o555)
            {
                fails(&place, command, 3, "output-not-written");
            }
            set_mode(out.parent().unwrap(), 0o755);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error() {
        let place = place_with("text new");
        fails(
            &place,
            place.command(&["build", "-o", "/dev/full"]),
            3,
            "output-not-written",
        );
        let mut command = place.command(&["build"]);
        command.stdin(Stdio::null()).stdout(
            fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        );
        let output = command.stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("error[output-not-written]"), "{stderr}");
    }

    /// The largest file that a process may write simulates a full disk where none can be created.
    #[test]
    fn a_write_that_stops_in_the_middle_leaves_the_old_file() {
        let place = place_with(&format!("text \"{}\"", "0123456789".repeat(90_000)));
        place.file("out.txt", "old");
        let mut command = Command::new("sh");
        let script = "trap '' XFSZ; ulimit -f 100 || exit 9; exec \"$@\"";
        command
            .args(["-c", script, "sh", PROGRAM, "build", "-o", "out.txt"])
            .current_dir(place.path());
        fails(&place, command, 3, "output-not-written");
        assert_eq!(place.read("out.txt"), "old");
    }

    /// A small file system, taken away again at the end.
    struct Small(Place);

    impl Small {
        fn new() -> Option<Self> {
            let place = Place::new();
            fs::create_dir(place.path().join("full")).unwrap();
            let mut mount = Command::new("mount");
            mount
                .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
                .arg(place.path().join("full"));
            let mounted = mount
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|s| s.success());
            mounted.then_some(Self(place))
        }
    }

    impl Drop for Small {
        fn drop(&mut self) {
            _ = Command::new("umount")
                .arg(self.0.path().join("full"))
                .status();
        }
    }

    #[test]
    fn a_full_file_system_leaves_the_old_file() {
        let Some(small) = Small::new() else {
            println!("not tested: no small file system can be mounted here");
            return;
        };
        let place = &small.0;
        let text = "0123456789".repeat(90_000);
        place.file(
            "promptc.kdl",
            format!("promptc 1\ntier t {{ layer l {{ text \"{text}\" }} }}"),
        );
        let out = place.file("full/out.txt", "old");
        fails(
            place,
            place.command(&["build", "-o", "full/out.txt"]),
            3,
            "output-not-written",
        );
        assert_eq!(fs::read_to_string(out).unwrap(), "old");
    }
}
