//! Starting git.

use crate::diagnostic::{self, Diagnostic};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run of git gave.
pub(super) struct Ran {
    pub(super) success: bool,
    /// Whether it was ended from outside.
    pub(super) killed: bool,
    pub(super) stdout: Vec<u8>,
    stderr: String,
}

impl Ran {
    /// The output without its line end.
    pub(super) fn line(&self) -> &[u8] {
        let line = self.stdout.strip_suffix(b"\n").unwrap_or(&self.stdout);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    pub(super) fn says(&self, words: &str) -> bool {
        self.stderr.contains(words)
    }

    /// The error if it should not have failed.
    pub(super) fn failed(&self, command: &str) -> Box<Diagnostic> {
        let said = self.stderr.lines().find(|line| !line.trim().is_empty());
        failed(command, self.killed, said)
    }
}

/// `git command` failed; `said` is what it wrote first.
pub(super) fn failed(command: &str, killed: bool, said: Option<&str>) -> Box<Diagnostic> {
    let message = match (killed, said) {
        (true, _) => format!("`git {command}` was ended before it was done"),
        (false, Some(said)) => format!("`git {command}` failed: {said}"),
        (false, None) => format!("`git {command}` failed and said nothing"),
    };
    let found = Diagnostic::error(diagnostic::GIT_FAILED, message);
    Box::new(match said {
        Some(said) if said.contains("dubious ownership") => found.help(
            "somebody else owns the repository; if you trust it: git config --global --add safe.directory FOLDER",
        ),
        _ => found.help("run it by hand in that repository, or see what `git fsck` says"),
    })
}

/// Runs git to its end.
pub(super) fn git<'a>(
    folder: &Path,
    args: impl IntoIterator<Item = &'a OsStr>,
) -> Result<Ran, Box<Diagnostic>> {
    let Output {
        status,
        stdout,
        stderr,
    } = command(folder, args)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| not_started(&error))?;
    Ok(Ran {
        success: status.success(),
        killed: status.code().is_none(),
        stdout,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    })
}

/// Git with these arguments, ready to be started. Its messages are English, since they are looked at.
pub(super) fn command<'a>(folder: &Path, args: impl IntoIterator<Item = &'a OsStr>) -> Command {
    let mut command = Command::new("git");
    command
        .args(["--no-pager", "--no-optional-locks"])
        .args(args)
        .current_dir(folder)
        .env("LC_ALL", "C");
    command
}

pub(super) fn not_started(error: &io::Error) -> Box<Diagnostic> {
    let message = format!("the program `git` cannot be run: {}", error.kind());
    let missing = Diagnostic::error(diagnostic::NO_GIT, message);
    Box::new(missing.help("revisions are read with git; install it, or see that it is in PATH"))
}

/// A path as git writes it.
#[cfg(unix)]
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// A path as git writes it.
#[cfg(not(unix))]
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
