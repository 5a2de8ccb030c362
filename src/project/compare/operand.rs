//! An operand of a comparison: a file, a build now, a snapshot, or a version of them in git.

use super::side::{CompareCall, Side, Sides};
use super::{frozen, revision};
use crate::compare::snapshot::{Lock, SnapshotPaths};
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported, suggest};
use crate::project::artifact::FILE;
use crate::project::capture::{self, LogOperand};
use crate::project::input::{self, Input, What};
use crate::project::snapshots::InputContents;
use crate::project::{Run, artifact, snapshots};
use crate::text::normalise;
use crate::world::git::Repository;
use crate::world::{DiskWorld, TracingWorld, World};
use serde::de::IgnoredAny;
use std::path::{Path, PathBuf};

/// An operand as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand<'a> {
    /// `.`
    Here,
    /// `snapshot:NAME`
    Snapshot(&'a str),
    /// `git:REV`
    Git(&'a str),
    /// `session:ID` or `session:ID@N`
    Session(&'a str),
    /// A file.
    File(&'a str),
}

impl<'a> Operand<'a> {
    pub(super) fn parse(written: &'a str) -> Self {
        let (kind, rest) = written.split_once(':').unwrap_or((written, ""));
        match kind {
            "." => Self::Here,
            "snapshot" if !rest.is_empty() => Self::Snapshot(rest),
            "git" if !rest.is_empty() => Self::Git(rest),
            "session" if !rest.is_empty() => Self::Session(rest),
            _ => Self::File(written),
        }
    }

    pub(super) fn read(self, args: &CompareCall, run: &mut Run) -> Result<Sides, ErrorReported> {
        match self {
            Self::Here => Ok(Sides::Now),
            Self::File(path) => {
                if let Some((log, number)) = LogOperand::one(path) {
                    let text = capture::system_text(&log, number, run)?;
                    return Ok(Sides::One(Box::new(Side::Text(path.to_owned(), text))));
                }
                if LogOperand::of(path).is_some() {
                    return Err(run.diags.push(is_log(path)));
                }
                run.read.insert(PathBuf::from(path));
                let side = file(path).map_err(|problem| run.diags.push(*problem))?;
                Ok(Sides::One(Box::new(side)))
            }
            Self::Session(written) => {
                frozen::read(written, args, run).map(|f| Sides::Frozen(Box::new(f)))
            }
            Self::Snapshot(name) => {
                recorded(args, &DiskWorld, "", Some(name), run).map(Sides::Many)
            }
            Self::Git(rev) => {
                let revision = revision::open(rev, run)?;
                // Errors of the call itself are not the revision's.
                args.build.inputs.read(&DiskWorld, &mut run.diags);
                run.diags.check()?;
                let wanted = args.build.inputs.scenario.as_deref();
                let read = |run: &mut Run| {
                    if args.options.recorded {
                        recorded(args, &revision, &format!("git:{rev} "), wanted, run)
                    } else {
                        revision::built(args, rev, &revision, run)
                    }
                };
                revision::told(rev, run, read).map(Sides::Many)
            }
        }
    }
}

/// All snapshots of the manifest, or one, as `world` has them.
pub(super) fn recorded(
    args: &CompareCall,
    world: &dyn World,
    of: &str,
    wanted: Option<&str>,
    run: &mut Run,
) -> Result<Vec<(String, Side)>, ErrorReported> {
    let path = args.manifest(world, run)?;
    let paths = SnapshotPaths::beside(&path);
    let noted = TracingWorld::new(world);
    let world: &dyn World = &noted;
    let lock = match snapshots::read_lock(world, &paths) {
        Err(error) if error.code == codes::LOCK_OLDER && !of.is_empty() => {
            return older(world, &paths, of, wanted, *error, run);
        }
        lock => lock.map_err(|e| run.diags.push(*e))?,
    };
    let lock = lock.unwrap_or_else(|| Lock::new(""));
    let mut out = Vec::new();
    let mut contents = None;
    for (name, snapshot) in &lock.snapshots {
        if wanted.is_some_and(|w| w != name) {
            continue;
        }
        match snapshots::restore(world, &paths, name, snapshot) {
            Ok(mut found) => {
                let contents = contents.get_or_insert_with(|| InputContents::around(world, &path));
                let inputs = contents.as_mut().and_then(|all| all.inputs(snapshot));
                found.prompt.inputs = inputs;
                let shown = format!("{of}snapshot:{name}");
                let side = Side::Artifact(shown, Box::new(found.prompt), found.text);
                out.push((name.clone(), side));
            }
            Err(error) => _ = run.diags.push(*error),
        }
    }
    run.diags.check()?;
    run.read.extend(noted.into_read());
    if out.is_empty() {
        return Err(run.diags.push(no_snapshot(&lock, wanted, &path, of)));
    }
    Ok(out)
}

/// The snapshots of a lock of an earlier release, as texts: what a pull request which upgrades promptc is compared with.
fn older(
    world: &dyn World,
    paths: &SnapshotPaths,
    of: &str,
    wanted: Option<&str>,
    error: Diagnostic,
    run: &mut Run,
) -> Result<Vec<(String, Side)>, ErrorReported> {
    let texts = snapshots::older_texts(world, paths).map_err(|e| run.diags.push(*e))?;
    let texts = texts.into_iter();
    let texts = texts.filter(|(name, _)| wanted.is_none_or(|wanted| wanted == name));
    let side = |(name, text): (String, String)| {
        let shown = format!("{of}snapshot:{name}");
        (name, Side::Text(shown, text))
    };
    let out: Vec<_> = texts.map(side).collect();
    const BUILD: &str = "without --recorded the revision is built";
    if out.is_empty() {
        return Err(run.diags.push(error.help(BUILD)));
    }
    let message = format!("{}: its snapshots are compared as texts", error.message);
    run.diags
        .push(Diagnostic::warning(codes::LOCK_OLDER, message).help(BUILD));
    Ok(out)
}

fn no_snapshot(lock: &Lock, wanted: Option<&str>, path: &Path, of: &str) -> Diagnostic {
    let shown = path.display();
    let known = || lock.snapshots.keys().map(String::as_str);
    let message = match wanted {
        Some(name) => format!("`{shown}` has no snapshot `{name}`"),
        None => format!("`{shown}` has no snapshots"),
    };
    const ACCEPT: &str = "`promptc test --accept` writes snapshots";
    let found = Diagnostic::error(codes::NOTHING_SELECTED, message);
    match wanted.and_then(|w| suggest::nearest(w, known())) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None if lock.snapshots.is_empty() && of.is_empty() => found.help(ACCEPT),
        None if lock.snapshots.is_empty() => found.help(format!(
            "{ACCEPT}, and a commit keeps them; without --recorded the revision is built"
        )),
        None => found.help(format!("the snapshots are {}", suggest::list(known()))),
    }
}

/// A build now, of what the call gives.
pub(super) fn now(args: &CompareCall, run: &mut Run) -> Result<Side, ErrorReported> {
    let prompt = Box::new(args.build.build_comparable(run)?.prompt);
    Ok(Side::Artifact("a build now".to_owned(), prompt, true))
}

/// The wording of errors about a file.
const OPERAND: What = What {
    help: "an operand is a FILE, snapshot:NAME, git:REV, session:ID, or `.` for a build now",
    ..FILE
};

/// A file: an artifact if it is one, else a text.
fn file(path: &str) -> Result<Side, Box<Diagnostic>> {
    let read = input::read(&DiskWorld, Path::new(path), &OPERAND);
    let Input { name, bytes } = read.map_err(|problem| {
        if let Some((log, number)) = path.rsplit_once('#')
            && DiskWorld.kind(Path::new(log)).is_ok()
        {
            let message = format!("`{log}` is no log of requests, so it has no request {number}");
            let found = Diagnostic::error(codes::BAD_LOG, message);
            let help = format!("`promptc capture import {log} -o LOG` makes a log");
            return Box::new(found.help(help));
        }
        let named = problem.code == codes::OPERAND_NOT_FOUND && is_revision(path);
        if named {
            Box::new(problem.help(format!("did you mean `git:{path}`?")))
        } else {
            problem
        }
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("`{name}` is not a text: byte {at} is not valid UTF-8");
        let found = Diagnostic::error(codes::INVALID_UTF8, message);
        found.help("diff takes texts, and artifacts of `promptc build --format json`")
    })?;
    if begins_as_artifact(&text) {
        let prompt = artifact::parse(&name, text.as_bytes())?;
        return Ok(Side::Artifact(name, Box::new(prompt), true));
    }
    // A part of a document for programs is not compared as a prompt.
    let is_json = Path::new(path).extension().is_some_and(|ext| ext == "json");
    if is_json && let Err(error) = serde_json::from_str::<IgnoredAny>(normalise::bom(&text)) {
        let message = format!("`{name}` is not JSON: {error}");
        let found = Diagnostic::error(codes::ARTIFACT_SYNTAX, message);
        return Err(Box::new(found.help(
            "a text is read from a file of another name, such as `.txt`",
        )));
    }
    match foreign(path, &text) {
        Some(what) => Err(Box::new(artifact::other(&name, what))),
        None => Ok(Side::Text(name, text)),
    }
}

/// Whether the repository here has a revision of that name.
fn is_revision(name: &str) -> bool {
    let revision = |repository: Repository| repository.revision(name);
    Repository::open(Path::new(".")).and_then(revision).is_ok()
}

/// No text that a model is given begins like this, and no artifact otherwise.
fn begins_as_artifact(text: &str) -> bool {
    let head = normalise::bom(text).trim_start();
    let near = head
        .char_indices()
        .nth(400)
        .map_or(head, |(at, _)| &head[..at]);
    head.starts_with('{') && near.contains("\"promptc\"") && near.contains("\"schema\"")
}

/// The kind of a file that promptc or another program wrote for programs. Without it, such a file would silently be
/// compared as a prompt. A file that is named as a text is a text.
fn foreign(path: &str, text: &str) -> Option<&'static str> {
    if Path::new(path).extension().is_some_and(|ext| ext == "txt") {
        return None;
    }
    let json = normalise::bom(text);
    let inner = json.trim_start().strip_prefix('[').map(str::trim_start);
    let what = match inner {
        Some(inner) if inner.starts_with(['{', ']']) => "a list",
        None if json.trim_start().starts_with('{') => "an object",
        _ => return None,
    };
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    let mut lines = json.lines().filter(|line| !line.trim().is_empty());
    if is_json(json) {
        Some(what)
    } else {
        (lines.all(is_json)).then_some("a list, on lines,")
    }
}

/// A log where a prompt is needed.
fn is_log(path: &str) -> Diagnostic {
    let message = format!("`{path}` is a log of requests, and no prompt");
    Diagnostic::error(codes::USAGE, message).help(format!(
        "`promptc capture diff {path}` compares its requests; `{path}#N` is the system prompt of one"
    ))
}
