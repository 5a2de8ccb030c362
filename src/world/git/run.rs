//! Starting git.

use crate::diagnostic::{self, Diagnostic};
use crate::world::{DiskWorld, World as _, output};
use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The result of a run of git.
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
            "another user owns the repository; if you trust it: git config --global --add safe.directory FOLDER",
        ),
        _ => found.help("run it by hand in that repository, or see what `git fsck` says"),
    })
}

/// Runs git to its end.
pub(super) fn git<'a>(
    folder: &Path,
    args: impl IntoIterator<Item = &'a OsStr>,
) -> Result<Ran, Box<Diagnostic>> {
    let child = command(folder, args)?
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(&error))?;
    let ran = output(child).map_err(|error| unread(&error))?;
    Ok(Ran {
        success: ran.status.success(),
        killed: ran.status.code().is_none(),
        stdout: ran.stdout,
        stderr: String::from_utf8_lossy(&ran.stderr).into_owned(),
    })
}

fn unread(error: &io::Error) -> Box<Diagnostic> {
    let message = format!("the output of git cannot be read: {error}");
    let found = Diagnostic::error(diagnostic::GIT_FAILED, message);
    Box::new(
        found.help("give promptc more memory and threads, or name a revision with fewer files"),
    )
}

/// The arguments before each command. `-c` takes precedence over each file of settings, the repository's too.
const SETTINGS: [&str; 10] = [
    "--no-pager",
    "--no-optional-locks",
    // A folder that a commit laid out like a repository is none. Git knows this since 2.38; `top` does without.
    "-c",
    "safe.bareRepository=explicit",
    // Programs: the first is run where the index is read, the others where something is written. None of it happens here.
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    // An object that is larger is not held in memory whole.
    "-c",
    "core.bigFileThreshold=512m",
];

/// Objects that a clone lacks are not fetched: its settings decide where from, and by which program. Git has the first
/// option since 2.44; before, the second ends each fetch, since it takes precedence over all settings and PATH has no
/// program for such a protocol.
const VARIABLES: [(&str, &str); 4] = [
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // Its messages are looked at.
    ("LC_ALL", "C"),
];

/// Git with these arguments, ready to be started, so that it runs nothing that a repository names.
pub(super) fn command<'a>(
    folder: &Path,
    args: impl IntoIterator<Item = &'a OsStr>,
) -> Result<Command, Box<Diagnostic>> {
    let mut command = program().map_err(|error| not_started(&error))?;
    let args = SETTINGS.into_iter().map(OsStr::new).chain(args);
    command.args(args).current_dir(folder).envs(VARIABLES);
    Ok(command)
}

/// The first git in PATH, without the relative folders in it: they count from the current directory, which may be that of a
/// stranger's repository.
fn program() -> io::Result<Command> {
    let name = format!("git{}", env::consts::EXE_SUFFIX);
    let Some(path) = DiskWorld.env("PATH") else {
        return Ok(Command::new(name));
    };
    let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    let folders: Vec<PathBuf> = folders.collect();
    let mut files = folders.iter().map(|folder| folder.join(&name));
    let found = files.find(|file| is_program(file));
    let mut command = Command::new(found.ok_or(io::ErrorKind::NotFound)?);
    command.env("PATH", env::join_paths(&folders).map_err(io::Error::other)?);
    Ok(command)
}

/// Whether this is an executable file.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "a World knows no modes")]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file)
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether this is an executable file.
#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    use crate::world::Kind;
    DiskWorld.kind(file).is_ok_and(|kind| kind == Kind::File)
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
