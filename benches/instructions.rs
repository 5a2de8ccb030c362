//! Whole processes by the instructions that they execute, which no other process on the machine can change.

use super::{EXAMPLE, PROMPTC, check, in_turn, ms, skills, words};
use std::path::Path;
use std::process::{Command, Stdio};

/// The additions of a folder with files to `builtin:hermes@1`: these have so many bytes each.
const BYTES: usize = 10_000;

/// Times and instructions of builds and of a check.
pub(super) fn figures() {
    println!("\ninstructions of whole processes (valgrind), and medians of 40 in turn");
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for name in ["empty", "large", "workspace"] {
        std::fs::create_dir(path(name)).unwrap();
    }
    skills::lay_out(dir.path(), 100);
    write_prose(&dir.path().join("workspace/AGENTS.md"));
    write_prose(&dir.path().join("home/SOUL.md"));
    std::fs::write(path("large/promptc.kdl"), check::thousand_lines()).unwrap();
    let hermes = |home: &str, workspace: &str| {
        let roots = [("home", home), ("workspace", workspace)];
        let roots = roots.map(|(root, at)| ["--root".to_owned(), format!("{root}={}", path(at))]);
        let build = words(&[
            PROMPTC,
            "build",
            "-q",
            "--hermetic",
            "--now",
            "2026-03-30T09:00:00Z",
            "-m",
            "builtin:hermes@1",
        ]);
        [build, roots.concat()].concat()
    };
    let rows = [
        ("promptc --version", words(&[PROMPTC, "--version"])),
        (
            "build, the example",
            words(&[PROMPTC, "build", "-q", "-m", EXAMPLE]),
        ),
        (
            "build, hermes@1 in an empty workspace",
            hermes("empty", "empty"),
        ),
        (
            "the same, 100 skills and two files of 10 KB",
            hermes("home", "workspace"),
        ),
        (
            "check, a manifest of 1,000 lines",
            words(&[PROMPTC, "check", "-m", &path("large/promptc.kdl")]),
        ),
    ];
    let commands: Vec<_> = rows.iter().map(|(_, command)| command.clone()).collect();
    for ((name, command), (time, ratio)) in rows.iter().zip(in_turn(&commands, 40)) {
        let counted = instructions(command).map_or("valgrind is not installed".to_owned(), |n| {
            format!("{:.1} M", f64::from(n) / 1e6)
        });
        println!(
            "  {name:<44} {:>7.2} ms {ratio:>5.1} x --version   {counted:>8}",
            ms(time)
        );
    }
}

/// Prose as people write it, with what is beyond ASCII in it.
fn write_prose(file: &Path) {
    let line = "- Read the file first — then “change” it, add a test, and say which previous rules you ignore.\n";
    std::fs::write(file, line.repeat(BYTES / line.len())).unwrap();
}

fn instructions(command: &[String]) -> Option<u32> {
    let counting = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let mut run = Command::new("valgrind");
    run.args(counting).args(command);
    let output = run.stdin(Stdio::null()).output().ok()?;
    let told = String::from_utf8_lossy(&output.stderr);
    told.split("Collected : ")
        .nth(1)?
        .lines()
        .next()?
        .parse()
        .ok()
}
