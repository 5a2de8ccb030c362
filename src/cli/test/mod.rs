//! `promptc test`.

mod find;
mod build;
mod picture;
mod judge;
mod leftover;
mod twice;
mod report;
mod junit;
mod accept;
mod review;

use super::Context;
use crate::cli::format::Format;
use crate::cli::ui::Page;
use crate::diagnostic::span::Files;
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use crate::manifest::{self, Manifest, Origin, Sheet};
use crate::project::Run;
use crate::project::output;
use crate::record::DEFAULT;
use crate::world::git::{Repository, Revision};
use crate::world::{DiskWorld, World};
use clap::builder::{PathBufValueParser, TypedValueParser as _};
use judge::{Outcome, Records, Status};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) use report::Report as JsonReport;

/// Compare what scenarios build now with their records
///
/// Builds every scenario of every manifest below the current directory and compares it with its record: the lock beside
/// the manifest and the texts in `snapshots`. Exits with 1 if any differs, is new, or has no scenario any more.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc test --accept                # write the records
  promptc test                         # compare with them
  promptc test cli                     # only where `cli` is in the path or the name of the scenario
  promptc test --twice                 # build each again, in another process and surroundings
  promptc test --junit report.xml      # also a report for CI
  promptc test --review < /dev/null    # go through the changes one by one")]
pub(super) struct Args {
    /// Only records with this in the manifest's path or the scenario's name
    filter: Option<String>,
    /// Look below this folder, or at this manifest, instead of the current directory; repeatable
    #[arg(long = "path", value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Write the records anew, and remove those of nothing
    #[arg(long, conflicts_with_all = ["review", "twice", "against"])]
    accept: bool,
    /// Go through the changes: accept, reject, show
    #[arg(long, conflicts_with_all = ["twice", "against", "format"])]
    review: bool,
    /// Build each scenario again in other surroundings; any byte that differs fails
    #[arg(long)]
    twice: bool,
    /// Compare with the records committed at this revision
    #[arg(long, value_name = "REV")]
    against: Option<String>,
    /// Also write a JUnit report
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(crate::cli::stdout::file_alone))]
    junit: Option<PathBuf>,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// What facts with a clock take as now in manifests without scenarios, RFC 3339
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// A manifest that was found.
struct Opened {
    path: PathBuf,
    /// The path as reports have it.
    shown: String,
    manifest: Arc<Manifest>,
    /// Whether another one extends it.
    extended: bool,
}

/// One record that there should be.
struct Unit<'a> {
    path: &'a Path,
    shown: &'a str,
    manifest: &'a Arc<Manifest>,
    scenario: String,
    /// Whether the manifest declares the scenario; else it declares none at all.
    declared: bool,
    /// Whether its plan is that of the manifest's other scenarios: it writes neither roots nor variables, which may lead to
    /// other templates.
    shares_plan: bool,
    /// Whether the record keeps the texts.
    snapshot: bool,
    now: Option<String>,
    /// Whether the filter takes it.
    selected: bool,
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        self.accept || self.review || self.junit.is_some()
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    if let Some(now) = &args.now {
        is_time(now).map_err(|error| context.run.diags.push(*error))?;
    }
    let found = find::find(&DiskWorld, &args.paths, &mut context.run.diags);
    context.run.diags.check()?;
    let (opened, unread) = open(&found, args, &mut context.run);
    let kept = found.manifests.iter().chain(&found.locks);
    kept.for_each(|path| context.run.walls.add_around(path));
    if let Some(junit) = &args.junit {
        output::check(junit, &mut context.run)?;
    }
    let units = units(&opened, args);
    let revision = args.against.as_deref().map(revision).transpose();
    let revision = revision.map_err(|error| context.run.diags.push(*error))?;
    let world: &dyn World = match &revision {
        Some(revision) => revision,
        None => &DiskWorld,
    };
    let records = Records::read(world, &opened);
    if let (Some(revision), Some(name)) = (&revision, &args.against) {
        some_record(&units, &records, revision, name, &mut context.run.diags)?;
    }
    let mut outcomes = judge::all(world, &selected(&units), &records, &mut context.run);
    let mut left = match revision {
        None => leftover::all(&found, &opened, &units, &records, &mut context.run),
        Some(_) => leftover::scenarios(&opened, &units, &records),
    };
    left.retain(|o| selects(args, &o.shown, &o.scenario));
    outcomes.extend(left);
    outcomes.sort_by(|a, b| (&a.path, a.rank).cmp(&(&b.path, b.rank)));
    if outcomes.is_empty() {
        if !unread.is_empty() {
            write_junit(args, &outcomes, &unread, context)?;
        }
        context.run.diags.check()?;
        return Err(context.run.diags.push(nothing(args)));
    }
    if args.twice {
        twice::check(&units, &mut outcomes, &mut context.run.diags)?;
    }
    if args.review {
        return review::run(outcomes, &units, &records, context);
    }
    if args.accept {
        accept::all(&mut outcomes, &units, &records, context)?;
    }
    finish(args, &outcomes, &unread, context)
}

/// Writes the report for CI, if it is asked for. A manifest that cannot be read is a case of it.
fn write_junit(
    args: &Args,
    outcomes: &[Outcome],
    unread: &[Outcome],
    context: &mut Context,
) -> Result<(), Reported> {
    let Some(path) = &args.junit else {
        return Ok(());
    };
    let mut cases: Vec<&Outcome> = outcomes.iter().chain(unread).collect();
    // The order of records is theirs already.
    cases.sort_by(|a, b| a.path.cmp(&b.path));
    let report = junit::report(&cases, &context.run.files);
    output::to_file(path, &report, &mut context.run)?;
    context.wrote = true;
    Ok(())
}

/// Whether `--now` is one: where all manifests have scenarios nothing reads it.
fn is_time(written: &str) -> Result<(), Box<Diagnostic>> {
    match written.parse::<jiff::Timestamp>() {
        Ok(_) => Ok(()),
        Err(_) => Err(Box::new(
            Diagnostic::error(diagnostic::INVALID_TIME, "--now is not a point in time")
                .help("write RFC 3339, such as 2026-03-30T09:00:00Z"),
        )),
    }
}

/// Shows the outcomes; the exit code tells the worst.
fn finish(
    args: &Args,
    outcomes: &[Outcome],
    unread: &[Outcome],
    context: &mut Context,
) -> Result<(), Reported> {
    for outcome in outcomes {
        if let Some(error) = outcome
            .broken
            .as_deref()
            .filter(|_| outcome.status == Status::Broken)
        {
            context.run.diags.push(error.clone());
        }
    }
    context.verdict = outcomes.iter().all(|o| o.status.is_good());
    write_junit(args, outcomes, unread, context)?;
    let text = match args.format {
        Format::Human => Page::drawn(report::human(outcomes)),
        Format::Json => report::json(outcomes),
    };
    if let Err(reported) = context.run.diags.check() {
        // A result is written whole or not at all; what is known is still worth a look.
        if args.format == Format::Human {
            context.ui.remark_page(&text);
        }
        return Err(reported);
    }
    context.ui.result(&text, &mut context.run.diags)
}

/// Reads the manifests. One that is broken is an error, unless the filter leaves it out or another one includes it: then it
/// is a part of that one.
fn open(found: &find::Found, args: &Args, run: &mut Run) -> (Vec<Opened>, Vec<Outcome>) {
    let mut out = Vec::new();
    let mut broken = Vec::new();
    let (mut parts, mut bases) = (BTreeSet::new(), BTreeSet::new());
    for path in &found.manifests {
        let mut diags = Diagnostics::default();
        let name = path.to_string_lossy();
        match manifest::open(&DiskWorld, Some(&name), &mut run.files, &mut diags) {
            Ok(manifest) => {
                for sheet in manifest.sheets.iter().skip(1) {
                    let below = if sheet.included {
                        &mut parts
                    } else {
                        &mut bases
                    };
                    below.extend(place(sheet, &run.files));
                }
                out.push(Opened {
                    path: path.clone(),
                    shown: shown(path),
                    manifest,
                    extended: false,
                });
            }
            Err(_) => broken.push((path, diags)),
        }
    }
    let is_in = |places: &BTreeSet<PathBuf>, path: &Path| {
        DiskWorld
            .canonical(path)
            .is_ok_and(|real| places.contains(&real))
    };
    let mut unread = Vec::new();
    for (path, diags) in broken {
        let left_out = args
            .filter
            .as_ref()
            .is_some_and(|f| !shown(path).contains(f));
        if !left_out && !is_in(&parts, path) {
            run.diags.extend(&diags);
            unread.push(Outcome::unread(path, diags));
        }
    }
    out.retain(|opened| !is_in(&parts, &opened.path));
    for opened in &mut out {
        opened.extended = is_in(&bases, &opened.path);
    }
    (out, unread)
}

/// Where a file of a manifest stands, links resolved; a built-in stands nowhere.
fn place(sheet: &Sheet, files: &Files) -> Option<PathBuf> {
    let Origin::Disk { folder } = &sheet.origin else {
        return None;
    };
    let name = Path::new(&*files.get(sheet.file).name).file_name()?;
    DiskWorld.canonical(&folder.join(name)).ok()
}

/// A path as reports have it, the same on every system.
fn shown(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .map(|c| c.as_os_str().to_string_lossy())
        .collect();
    parts.join("/").replacen("//", "/", 1)
}

/// Every record that there should be, in the order of the manifests.
fn units<'a>(opened: &'a [Opened], args: &Args) -> Vec<Unit<'a>> {
    let mut out = Vec::new();
    for Opened {
        path,
        shown,
        manifest,
        extended,
    } in opened
    {
        let unit = |scenario: &str, declared, shares_plan, snapshot| Unit {
            path,
            shown,
            manifest,
            scenario: scenario.to_owned(),
            declared,
            shares_plan,
            snapshot,
            now: args.now.clone(),
            selected: selects(args, shown, scenario),
        };
        // A base without scenarios is there to be extended, and tested with what extends it.
        if manifest.scenarios.is_empty() && !extended {
            out.push(unit(DEFAULT, false, false, true));
        }
        let scenarios = manifest.scenarios.iter();
        out.extend(scenarios.map(|s| {
            let shares = s.roots.is_empty() && s.env.is_empty();
            unit(&s.name.value, true, shares, s.snapshot)
        }));
    }
    out
}

fn selected<'a>(units: &'a [Unit<'a>]) -> Vec<&'a Unit<'a>> {
    units.iter().filter(|unit| unit.selected).collect()
}

fn selects(args: &Args, shown: &str, scenario: &str) -> bool {
    let filter = args.filter.as_deref().unwrap_or_default();
    shown.contains(filter) || scenario.contains(filter)
}

fn nothing(args: &Args) -> Diagnostic {
    let message = match &args.filter {
        Some(filter) => format!("no record has `{filter}` in its path or name"),
        None => "there is no manifest here or below".to_owned(),
    };
    Diagnostic::error(diagnostic::NOTHING_SELECTED, message).help(match args.filter {
        Some(_) => "`promptc test` without a filter shows all",
        None => "`promptc init` writes one; --path names another folder, or a manifest",
    })
}

fn revision(name: &str) -> Result<Revision, Box<Diagnostic>> {
    Repository::open(Path::new("."))?.revision(name)
}

/// Fails if the revision has no lock at all: then there is nothing to compare with.
fn some_record(
    units: &[Unit<'_>],
    records: &Records,
    revision: &Revision,
    name: &str,
    diags: &mut Diagnostics,
) -> Result<(), Reported> {
    let mut selected = units.iter().filter(|unit| unit.selected).peekable();
    let Some(first) = selected.peek().map(|unit| unit.path) else {
        return Ok(());
    };
    if selected.any(|unit| records.any(unit.path)) {
        return Ok(());
    }
    match revision.read_at(&crate::record::lock_path(first), 0) {
        Ok(_) => Ok(()),
        Err(error) => Err(diags.push(error.help(format!(
            "`{name}` has no records to compare with; `promptc test --accept` writes records, and a commit keeps them"
        )))),
    }
}
