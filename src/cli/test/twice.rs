//! Builds again, in another process with other surroundings: nothing of them may reach a prompt.

use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, ExitClass};
use crate::project::snapshots::outcome::{Difference, Outcome, Status};
use crate::project::snapshots::units::Unit;
use crate::prompt::{Ingredient, Prompt};
use crate::report::words::entry;
use crate::world::threads;
use crate::world::{DiskWorld, World as _, output};
use std::path::Path;
use std::process::{Command, Stdio};

/// The order in which the other process sees folders.
const SEED: &str = "20260330";

/// Marks what is another prompt the second time.
pub(super) fn check(
    units: &[Unit<'_>],
    outcomes: &mut [Outcome],
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    let failed = |what: &str, error: &std::io::Error| {
        let message = format!("{what}: {}", error.kind());
        Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)
            .help("free some space there, or set another folder with TMPDIR")
    };
    let elsewhere = tempfile::Builder::new().prefix("promptc-").tempdir();
    let elsewhere = elsewhere.map_err(|error| {
        diags.push(failed(
            "the folder for the build could not be created",
            &error,
        ))
    })?;
    let pairs: Vec<(&Unit<'_>, &Prompt)> = outcomes.iter().filter_map(|o| pair(units, o)).collect();
    let found = threads::map(&pairs, |(unit, prompt)| {
        second(unit, prompt, elsewhere.path())
    });
    let mut found = found.into_iter();
    for outcome in outcomes.iter_mut().filter(|o| pair(units, o).is_some()) {
        match found.next() {
            Some(Err(Wrong::Unstable(why))) => {
                outcome.status = Status::Unstable;
                outcome.difference = Difference::words(why);
            }
            Some(Err(Wrong::World(error))) => _ = diags.push(*error),
            _ => {}
        }
    }
    diags.check()
}

/// The problem of a second build.
enum Wrong {
    /// It differs, or fails for a reason in its inputs.
    Unstable(String),
    /// It could not run, which says nothing about the prompt.
    World(Box<Diagnostic>),
}

impl Wrong {
    /// The error of a second build that could not run and ended with `said`.
    fn world(unit: &Unit<'_>, said: &str) -> Self {
        let named = said.strip_prefix("error[");
        let (name, why) = named
            .and_then(|said| said.split_once("]: "))
            .unwrap_or(("", said));
        let code = diagnostic::by_name(name).filter(|code| code.exit == ExitClass::World);
        let (shown, scenario) = (unit.shown, &unit.scenario);
        let message = format!("`{shown}`, {scenario}, could not be built a second time: {why}");
        let code = code.unwrap_or(diagnostic::UNREADABLE_PROGRAM);
        let found = Diagnostic::error(code, message);
        Self::World(Box::new(found.help("its stability is unknown; try again")))
    }
}

/// The two prompts of a scenario, with their inputs.
fn pair<'a>(units: &'a [Unit<'a>], outcome: &'a Outcome) -> Option<(&'a Unit<'a>, &'a Prompt)> {
    let (_, prompt) = outcome.now.as_ref()?;
    let mut units = units.iter();
    let unit = units.find(|u| u.path == outcome.path && u.scenario == outcome.scenario)?;
    Some((unit, prompt))
}

/// Fails with what differs.
fn second(unit: &Unit<'_>, first: &Prompt, elsewhere: &Path) -> Result<(), Wrong> {
    let cannot = |error: std::io::Error| Wrong::world(unit, &error.kind().to_string());
    let program = std::env::current_exe().map_err(cannot)?;
    let manifest = DiskWorld.canonical(unit.path).map_err(cannot)?;
    let mut command = with_umask(&program);
    command.args(["build", "--format", "json", "--no-inputs", "--quiet"]);
    command.args(["--shuffle-listings", SEED]);
    command.arg("--manifest").arg(manifest);
    if unit.declared {
        command.args(["--scenario", &unit.scenario])
    } else {
        command.arg("--as-snapshot")
    };
    command.args(unit.now.iter().flat_map(|now| ["--now", now]));
    let output = command
        .current_dir(elsewhere)
        .env_clear()
        .env("HOME", elsewhere)
        .env("TZ", "Pacific/Kiritimati")
        .env("LANG", "tr_TR.UTF-8")
        .env("LC_ALL", "de_DE.ISO-8859-1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .and_then(output)
        .map_err(cannot)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = said.lines().next().unwrap_or("it said nothing").to_owned();
        return Err(match output.status.code() {
            Some(1 | 2) => Wrong::Unstable(format!("the second build fails: {said}")),
            _ => Wrong::world(unit, &said),
        });
    }
    let first = &Prompt {
        inputs: None,
        ..first.clone()
    };
    if output.stdout == first.to_json().as_bytes() {
        return Ok(());
    }
    let again: Option<Prompt> = serde_json::from_slice(&output.stdout).ok();
    Err(Wrong::Unstable(again.map_or_else(
        || "the second build is not an artifact".to_owned(),
        |again| format!("the second build differs: {}", difference(first, &again)),
    )))
}

/// The program with a mask that a second process would hardly have by chance.
#[cfg(unix)]
fn with_umask(program: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", "umask 077 && exec \"$@\"", "sh"])
        .arg(program);
    command
}

#[cfg(not(unix))]
fn with_umask(program: &Path) -> Command {
    Command::new(program)
}

/// The first layer that differs, and its first ingredient that does.
fn difference(first: &Prompt, again: &Prompt) -> String {
    for (a, b) in first.channels.iter().zip(&again.channels) {
        for (x, y) in a.layers.iter().zip(&b.layers) {
            let same_text = a.text.get(x.start..x.end) == b.text.get(y.start..y.end);
            if x != y || !same_text {
                return named(&x.name, &x.ingredients, &y.ingredients);
            }
        }
    }
    let mut absent = first.absent.iter().zip(&again.absent);
    match absent.find(|(x, y)| x != y) {
        Some((x, y)) => named(&x.layer, &x.ingredients, &y.ingredients),
        None => "another layer is absent, or a notice differs".to_owned(),
    }
}

fn named(layer: &str, first: &[Ingredient], again: &[Ingredient]) -> String {
    let mut pairs = first.iter().zip(again);
    let longer = || first.get(again.len()).or_else(|| again.get(first.len()));
    let ingredient = pairs.find(|(x, y)| x != y).map(|(x, _)| x).or_else(longer);
    match ingredient {
        Some(ingredient) => format!("layer `{layer}`, {}", described(ingredient)),
        None => format!("layer `{layer}`"),
    }
}

fn described(ingredient: &Ingredient) -> String {
    match ingredient {
        Ingredient::Document {
            root, path, item, ..
        } => format!("document {root}:{path}{}", entry(item.as_deref())),
        Ingredient::Fact { name, .. } => format!("fact {name}"),
        Ingredient::Let { name, .. } => format!("let {name}"),
        Ingredient::Template { file, .. } => format!("template {file}"),
        Ingredient::Literal { line, .. } => format!("text of line {line}"),
        Ingredient::Root { name, .. } => format!("root {name}"),
        Ingredient::Condition { expression, .. } => format!("condition {expression}"),
        Ingredient::Budget { of, .. } => format!("budget of {of}"),
        Ingredient::Exists { root, path, .. } => format!("exists {root}:{path}"),
        Ingredient::Loaded { layer, .. } => format!("loaded {layer}"),
    }
}
