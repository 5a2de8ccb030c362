//! What is compared: a file, a build now, a record, or what git has of them.

use super::CompareCall;
use super::frozen::{self, Frozen};
use super::revision;
use crate::compile::{self, Given, Plan};
use crate::diagnostic::{self as codes, Diagnostic, Reported, suggest};
use crate::diff;
use crate::manifest::{self, Manifest};
use crate::project::artifact::FILE;
use crate::project::input::{self, Input, What};
use crate::project::{Run, artifact, records};
use crate::prompt::Prompt;
use crate::record::{DEFAULT, Lock};
use crate::text::normalise;
use crate::world::{DiskWorld, Hermetic, Noted, World};
use serde::de::IgnoredAny;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An operand as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand<'a> {
    /// `.`
    Here,
    /// `record:NAME`
    Record(&'a str),
    /// `git:REV`
    Git(&'a str),
    /// `session:ID` or `session:ID@N`
    Session(&'a str),
    /// A file.
    File(&'a str),
}

/// One side of a comparison, with its name.
#[derive(Clone)]
pub(super) enum Side {
    /// A prompt with its map; whether its text is known.
    Artifact(String, Box<Prompt>, bool),
    /// Only a text.
    Text(String, String),
}

/// What an operand stands for.
pub(super) enum Sides {
    /// One prompt.
    One(Box<Side>),
    /// Records by the name of their scenario.
    Many(Vec<(String, Side)>),
    /// What a session keeps.
    Frozen(Box<Frozen>),
    /// A build now, which depends on what it is compared with.
    Now,
}

impl<'a> Operand<'a> {
    pub(super) fn parse(written: &'a str) -> Self {
        let (kind, rest) = written.split_once(':').unwrap_or((written, ""));
        match kind {
            "." => Self::Here,
            "record" if !rest.is_empty() => Self::Record(rest),
            "git" if !rest.is_empty() => Self::Git(rest),
            "session" if !rest.is_empty() => Self::Session(rest),
            _ => Self::File(written),
        }
    }

    pub(super) fn read(self, args: &CompareCall, run: &mut Run) -> Result<Sides, Reported> {
        match self {
            Self::Here => Ok(Sides::Now),
            Self::File(path) => file(path, run).map(|side| Sides::One(Box::new(side))),
            Self::Session(written) => {
                frozen::read(written, args, run).map(|f| Sides::Frozen(Box::new(f)))
            }
            Self::Record(name) => recorded(args, &DiskWorld, "", Some(name), run).map(Sides::Many),
            Self::Git(rev) => {
                let revision = revision::open(rev, run)?;
                // What is wrong with the call itself is not the revision's.
                args.build.inputs.read(&DiskWorld, &mut run.diags);
                run.diags.check()?;
                let read = |run: &mut Run| match args.rebuild {
                    true => revision::rebuilt(args, rev, &revision, run),
                    false => {
                        let of = format!("git:{rev} ");
                        recorded(
                            args,
                            &revision,
                            &of,
                            args.build.inputs.scenario.as_deref(),
                            run,
                        )
                    }
                };
                revision::told(rev, run, read).map(Sides::Many)
            }
        }
    }
}

/// All records of the manifest, or one, as `world` has them.
pub(super) fn recorded(
    args: &CompareCall,
    world: &dyn World,
    of: &str,
    wanted: Option<&str>,
    run: &mut Run,
) -> Result<Vec<(String, Side)>, Reported> {
    let path = path(args, world, run)?;
    let noted = Noted::new(world);
    let world: &dyn World = &noted;
    let lock = match records::read_lock(world, &path) {
        Err(error) if error.code == codes::LOCK_OLDER && !of.is_empty() => {
            return older(world, &path, of, wanted, *error, run);
        }
        lock => lock.map_err(|e| run.diags.push(*e))?,
    };
    let lock = lock.unwrap_or_else(|| Lock::new(""));
    let mut out = Vec::new();
    for (name, record) in &lock.records {
        if wanted.is_some_and(|w| w != name) {
            continue;
        }
        match records::restore(world, &path, name, record) {
            Ok(found) => {
                let shown = format!("{of}record:{name}");
                let side = Side::Artifact(shown, Box::new(found.prompt), found.text);
                out.push((name.clone(), side));
            }
            Err(error) => _ = run.diags.push(*error),
        }
    }
    run.diags.check()?;
    run.read.extend(noted.into_read());
    if out.is_empty() {
        return Err(run.diags.push(no_record(&lock, wanted, &path, of)));
    }
    Ok(out)
}

/// The snapshots of a lock of an earlier release, as texts: what a pull request which upgrades promptc is compared with.
fn older(
    world: &dyn World,
    manifest: &Path,
    of: &str,
    wanted: Option<&str>,
    error: Diagnostic,
    run: &mut Run,
) -> Result<Vec<(String, Side)>, Reported> {
    let texts = records::older_texts(world, manifest).map_err(|e| run.diags.push(*e))?;
    let texts = texts.into_iter();
    let texts = texts.filter(|(name, _)| wanted.is_none_or(|wanted| wanted == name));
    let side = |(name, text): (String, String)| {
        let shown = format!("{of}snapshot:{name}");
        (name, Side::Text(shown, text))
    };
    let out: Vec<_> = texts.map(side).collect();
    const REBUILD: &str = "--rebuild builds what the revision has instead";
    if out.is_empty() {
        return Err(run.diags.push(error.help(REBUILD)));
    }
    let message = format!("{}: its snapshots are compared as texts", error.message);
    run.diags
        .push(Diagnostic::warning(codes::LOCK_OLDER, message).help(REBUILD));
    Ok(out)
}

fn no_record(lock: &Lock, wanted: Option<&str>, path: &Path, of: &str) -> Diagnostic {
    let shown = path.display();
    let known = || lock.records.keys().map(String::as_str);
    let message = match wanted {
        Some(name) => format!("`{shown}` has no record `{name}`"),
        None => format!("`{shown}` has no records"),
    };
    const ACCEPT: &str = "`promptc test --accept` writes records";
    let found = Diagnostic::error(codes::NOTHING_SELECTED, message);
    match wanted.and_then(|w| suggest::nearest(w, known())) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None if lock.records.is_empty() && of.is_empty() => found.help(ACCEPT),
        None if lock.records.is_empty() => found.help(format!(
            "{ACCEPT}, and a commit keeps them; --rebuild builds what the revision has instead"
        )),
        None => found.help(format!("the records are {}", suggest::list(known()))),
    }
}

/// The manifest's path; records are of files only.
fn path(args: &CompareCall, world: &dyn World, run: &mut Run) -> Result<PathBuf, Reported> {
    let named = args.build.project.name();
    if let Some(builtin) = named.filter(|n| n.starts_with("builtin:")) {
        let message = format!("`{builtin}` has no records: they stand beside a manifest");
        return Err(run
            .diags
            .push(Diagnostic::error(codes::NOTHING_SELECTED, message).help(
                "`promptc init` writes a manifest, and `promptc test --accept` its records",
            )));
    }
    match named {
        Some(path) => Ok(PathBuf::from(path)),
        None => manifest::nearest(world, &mut run.diags),
    }
}

/// A build now, of what the call gives.
pub(super) fn now(args: &CompareCall, run: &mut Run) -> Result<Side, Reported> {
    let prompt = Box::new(args.build.build(run)?.prompt);
    Ok(Side::Artifact("a build now".to_owned(), prompt, true))
}

/// Whether a record's name stands for something that the manifest can build: a scenario, or what is built without one.
pub(super) fn stands(args: &CompareCall, manifest: &Manifest, name: &str) -> bool {
    declares(manifest, name) || is_bare(args, manifest, name)
}

fn declares(manifest: &Manifest, name: &str) -> bool {
    manifest.scenarios.iter().any(|s| s.name.value == name)
}

/// Whether a name stands for a build without any scenario. Where there are scenarios, who asks for it by name means one.
fn is_bare(args: &CompareCall, manifest: &Manifest, name: &str) -> bool {
    let asked = args.build.inputs.scenario.as_deref().is_some() && !manifest.scenarios.is_empty();
    name == DEFAULT && !declares(manifest, name) && !asked
}

/// Builds scenarios of a manifest, as `promptc test` does.
pub(super) struct Builds<'a> {
    args: &'a CompareCall,
    world: &'a dyn World,
    manifest: &'a Arc<Manifest>,
    /// That of all scenarios which write neither roots nor variables, once one of them was built.
    plan: Option<Plan>,
}

impl<'a> Builds<'a> {
    pub(super) fn new(
        args: &'a CompareCall,
        world: &'a dyn World,
        manifest: &'a Arc<Manifest>,
    ) -> Self {
        Self {
            args,
            world,
            manifest,
            plan: None,
        }
    }

    /// Builds the scenario of that name; one that is not declared is an error.
    pub(super) fn scenario(&mut self, name: &str, run: &mut Run) -> Result<Prompt, Reported> {
        let bare = is_bare(self.args, self.manifest, name);
        let given = Given {
            scenario: (!bare).then(|| name.to_owned()),
            ..self.args.build.inputs.read(&DiskWorld, &mut run.diags)
        };
        let hermetic = Hermetic { world: self.world };
        let world: &dyn World = match bare {
            true => &hermetic,
            false => self.world,
        };
        let noted = Noted::new(world);
        let prompt = self.build(&given, &noted, run);
        run.read.extend(noted.into_read());
        prompt
    }

    fn build(
        &mut self,
        given: &Given,
        world: &dyn World,
        run: &mut Run,
    ) -> Result<Prompt, Reported> {
        let mut scenarios = self.manifest.scenarios.iter();
        let shares = scenarios
            .find(|s| Some(&s.name.value) == given.scenario.as_ref())
            .is_some_and(|s| s.roots.is_empty() && s.env.is_empty());
        let Run { files, diags, .. } = &mut *run;
        if !shares {
            return compile::compile(self.manifest, given, world, files, diags);
        }
        let plan = match &self.plan {
            Some(plan) => plan,
            None => {
                let plan = compile::prepare(self.manifest, given, world, files, diags)?;
                self.plan.insert(plan)
            }
        };
        compile::build(plan, given, world, diags)
    }
}

/// How a file is told of.
const OPERAND: What = What {
    help: "an operand is a FILE, record:NAME, git:REV, session:ID, or `.` for a build now",
    ..FILE
};

/// A file: an artifact if it is one, else a text.
fn file(path: &str, run: &mut Run) -> Result<Side, Reported> {
    let read = input::read(&DiskWorld, Path::new(path), &OPERAND);
    let Input { name, bytes } = read.map_err(|problem| run.diags.push(*problem))?;
    run.read.insert(PathBuf::from(path));
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("`{name}` is no text: byte {at} begins no character of UTF-8");
        let found = Diagnostic::error(codes::INVALID_UTF8, message);
        run.diags
            .push(found.help("diff takes texts, and artifacts of `promptc build --format json`"))
    })?;
    if !begins_as_artifact(&text) {
        return match foreign(path, &text) {
            Some(what) => Err(run.diags.push(artifact::other(&name, what))),
            None => Ok(Side::Text(name, text)),
        };
    }
    match artifact::parse(&name, text.as_bytes()) {
        Ok(prompt) => Ok(Side::Artifact(name, Box::new(prompt), true)),
        Err(error) => Err(run.diags.push(*error)),
    }
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

/// What a file is that promptc or another program wrote for programs: taken for a prompt it would be another one, and not a
/// word said. One that is named as a text is a text.
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
    serde_json::from_str::<IgnoredAny>(json).ok().map(|_| what)
}

/// The comparison of two prompts; one whose text is not known is compared by the hashes of its layers.
pub(crate) fn compared(a: (&Prompt, bool), b: (&Prompt, bool)) -> (Prompt, Prompt, diff::Diff) {
    let stand_in = |(prompt, known): (&Prompt, bool), other: &Prompt| match known {
        true => prompt.clone(),
        false => crate::record::stand_in(prompt, other),
    };
    let (x, y) = (stand_in(a, b.0), stand_in(b, a.0));
    let diff = match a.1 && b.1 {
        true => diff::diff(&x, &y),
        false => diff::hashed(&x, &y),
    };
    (x, y, diff)
}
