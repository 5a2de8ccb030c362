//! `promptc test`.

mod accept;
mod picture;
mod twice;
mod report;
mod junit;
mod review;

use super::Context;
use crate::cli::format::Format;
use crate::cli::ui::Page;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest;
use crate::project::snapshots::accepted::stale;
use crate::project::snapshots::find::Home;
use crate::project::snapshots::held::{self, FamilyOutcome, FamilyStatus};
use crate::project::snapshots::outcome::{self, Outcome, Snapshots, Status};
use crate::project::snapshots::units::{self, Wanted};
use crate::project::snapshots::{find, open, orphans};
use crate::project::{Run, output};
use crate::template::fact;
use crate::world::git::{Repository, Revision};
use crate::world::{DiskWorld, World};
use clap::builder::{PathBufValueParser, TypedValueParser as _};
use std::path::{Path, PathBuf};

pub(super) use report::Report as JsonReport;

const WAY_OUT: &str = "help: if this is intended: promptc test --accept, with --because \"WHY\" where the prefix breaks\n";
const WAY_OUT_OF_FOLDER: &str = "help: if this is intended: add --accept\n";

/// Compare builds of scenarios with their snapshots
///
/// Builds every scenario of every manifest in the current directory and below, and compares it with its snapshot: the lock
/// next to the manifest and the texts in `snapshots`. Manifests in folders above are ignored. Exits with 1 if any
/// differs, is new, or has no scenario any more, and if the members of a prefix family (`expect`) do not share what they must.
///
/// A manifest is a `.kdl` file whose first node is `promptc`. Hidden folders, `target` and `node_modules` are skipped. A filter
/// that selects nothing is an error. If a snapshot cannot be used or a scenario does not build, stdout stays empty, the answer
/// goes to stderr, and the exit code is that of the error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc test --accept                # write the snapshots
  promptc test --accept --because 'Support asked for it'  # and why the prefix breaks
  promptc test                         # compare with them
  promptc test cli                     # only where `cli` is in the path or the name of the scenario
  promptc test --twice                 # build each again, in another process and surroundings
  promptc test --junit report.xml      # also a report for CI
  promptc test --accept --snapshots kept # keep all snapshots in one folder
  promptc test --review < /dev/null    # go through the changes one by one

The first word of each line:
  ok        as accepted
  differs   another prompt, or another map
  new       no snapshot exists
  stale     the manifest no longer declares the scenario
  orphaned  the manifest of the lock is gone
  broken    the snapshot cannot be used; an error says why
  failed    the scenario does not build; an error says why
  unstable  with --twice: the second build differs
  accepted  written or removed by this run")]
pub(super) struct Args {
    /// Only snapshots with this in the manifest's path or the scenario's name
    filter: Option<String>,
    /// The manifest, or a folder below which all are tested; repeatable [default: the current folder]
    #[arg(short, long = "manifest", value_name = "FILE", default_value = ".")]
    manifests: Vec<PathBuf>,
    /// Keep the snapshots in this folder, at the path of each manifest, instead of next to it
    #[arg(long, value_name = "FOLDER", conflicts_with = "because")]
    snapshots: Option<PathBuf>,
    /// Rewrite the snapshots, and remove those without a scenario
    #[arg(long, conflicts_with_all = ["review", "twice"])]
    accept: bool,
    /// Also note why the prefix may break since the default branch: it then passes `diff --fail-on break`
    #[arg(long, value_name = "TEXT", requires = "accept", value_parser = reason)]
    because: Option<String>,
    /// Go through the changes: accept, reject, show
    #[arg(long, conflicts_with_all = ["twice", "against", "format"])]
    review: bool,
    /// Build each scenario again in other surroundings; any byte that differs fails
    #[arg(long)]
    twice: bool,
    /// Compare with the snapshots committed at this revision; with --because, accept the breaks since then
    #[arg(long, value_name = "REV")]
    against: Option<String>,
    /// Also write a JUnit report
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(crate::cli::stdout::file_alone))]
    junit: Option<PathBuf>,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// The current time, RFC 3339, for manifests without scenarios [default: the clock]
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

impl Args {
    /// Where the snapshots are. A folder that is named must not be reached by a link below a wall.
    fn home(&self, run: &mut Run) -> Result<Home, ErrorReported> {
        let home = Home::named(self.snapshots.as_deref());
        home.check(run)?;
        Ok(home)
    }

    /// The snapshots to compare with.
    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            filter: self.filter.as_deref(),
            now: self.now.as_deref(),
        }
    }

    /// Fails if the report for CI cannot be written, as far as is known: a link is on the way, or it would replace a file that was read.
    fn check_junit(&self, run: &mut Run) -> Result<(), ErrorReported> {
        let Some(path) = &self.junit else {
            return Ok(());
        };
        output::check(path, run)?;
        output::check_unread(path, ("these snapshots", "--junit"), run)
    }

    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        self.accept || self.review || self.junit.is_some()
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    if args.accept && args.against.is_some() && args.because.is_none() {
        let message = "--accept writes the current snapshots, but --against names others";
        let found = Diagnostic::error(diagnostic::USAGE, message);
        let help = "add --because TEXT to accept the breaks since then, or remove one of them";
        return Err(context.run.diags.push(found.help(help)));
    }
    if let Some(now) = &args.now {
        fact::now(now).map_err(|error| context.run.diags.push(*error))?;
    }
    let home = args.home(&mut context.run)?;
    let found = find::find_snapshots(&DiskWorld, &args.manifests, &home, &mut context.run.diags);
    context.run.diags.check()?;
    let wanted = args.wanted();
    let (opened, unread) = open::open(&found, wanted, &mut context.run);
    let kept = found.manifests.iter().chain(&found.locks);
    kept.for_each(|path| context.run.walls.add_around(path));
    context.run.read.extend(found.all_locks(&home));
    args.check_junit(&mut context.run)?;
    let units = units::units(&opened, wanted);
    let since = args.against.as_deref().map(revision).transpose();
    let since = since.map_err(|error| context.run.diags.push(*error))?;
    // The snapshots that are written are those here.
    let revision = since.as_ref().filter(|_| !args.accept);
    let world: &dyn World = revision.map_or(&DiskWorld, |revision| revision);
    let snapshots = Snapshots::read(world, home, &opened);
    if let (Some(revision), Some(name)) = (revision, &args.against) {
        open::some_snapshot(&units, &snapshots, revision, name, &mut context.run.diags)?;
    }
    let selected = units::selected(&units);
    let mut outcomes = outcome::all(world, &selected, &snapshots, &mut context.run);
    let mut left = match revision {
        None => orphans::all(&found, &opened, &units, &snapshots, &mut context.run),
        Some(_) => orphans::scenarios(&opened, &units, &snapshots),
    };
    left.retain(|o| units::selects(wanted, &o.shown, &o.scenario));
    outcomes.extend(left);
    outcomes.sort_by(|a, b| (&a.path, a.rank).cmp(&(&b.path, b.rank)));
    let families = held::all(&opened, &units, &outcomes, wanted, &mut context.run);
    args.check_junit(&mut context.run)?;
    if outcomes.is_empty() && families.is_empty() {
        if !unread.is_empty() {
            write_junit(args, (&outcomes, &families), &unread, context)?;
        }
        context.run.diags.check()?;
        return Err(context.run.diags.push(nothing(args, &opened)));
    }
    if args.twice {
        twice::check(&units, &mut outcomes, &mut context.run.diags)?;
    }
    if let (Some(since), false) = (&since, args.accept) {
        let stale = stale(since, &outcomes, &mut context.run)?;
        if !stale.is_empty() {
            context.ui.remark(&report::stale(&stale));
        }
    }
    if args.review {
        return review::run(outcomes, &families, &units, &snapshots, context);
    }
    if args.accept {
        let of = (&*opened, &*units, &snapshots);
        accept::run(args, since, &mut outcomes, of, context)?;
    }
    finish(args, (&outcomes, &families), &unread, context)
}

/// The text of `--because`.
fn reason(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("write a reason for the next reader".to_owned()),
        reason => Ok(reason.to_owned()),
    }
}

/// Writes the report for CI, if it is asked for. A manifest that cannot be read is a case of it.
fn write_junit(
    args: &Args,
    (outcomes, families): (&[Outcome], &[FamilyOutcome]),
    unread: &[Outcome],
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let Some(path) = &args.junit else {
        return Ok(());
    };
    let cases: Vec<&Outcome> = outcomes.iter().chain(unread).collect();
    let report = junit::report(&cases, families, &context.run.files);
    output::to_file(path, &report, &mut context.run)?;
    context.run.wrote = true;
    Ok(())
}

/// Shows the outcomes; the exit code is that of the worst one.
fn finish(
    args: &Args,
    (outcomes, families): (&[Outcome], &[FamilyOutcome]),
    unread: &[Outcome],
    context: &mut Context,
) -> Result<(), ErrorReported> {
    for outcome in outcomes {
        if let Some(error) = outcome
            .broken
            .as_deref()
            .filter(|_| outcome.status == Status::Broken)
        {
            context.run.diags.push(error.clone());
        }
    }
    context.verdict = is_good(outcomes, families);
    write_junit(args, (outcomes, families), unread, context)?;
    let text = match args.format {
        Format::Human => Page::drawn(picture::LOG.draw(&report::human(outcomes, families))),
        Format::Json => report::json(outcomes, families),
    };
    if let Err(reported) = context.run.diags.check() {
        // A result is written whole or not at all; what is known is still worth a look.
        if args.format == Format::Human {
            context.ui.remark_page(&text);
        }
        return Err(reported);
    }
    context.ui.result(&text, &mut context.run.diags)?;
    let open = |o: &Outcome| o.is_change() && o.status != Status::Broken;
    if args.against.is_none() && outcomes.iter().any(open) {
        context.ui.remark(match args.snapshots {
            None => WAY_OUT,
            Some(_) => WAY_OUT_OF_FOLDER,
        });
    }
    Ok(())
}

/// Whether all is as it should be.
fn is_good(outcomes: &[Outcome], families: &[FamilyOutcome]) -> bool {
    outcomes.iter().all(|o| o.status.is_good())
        && families.iter().all(|f| f.status == FamilyStatus::Ok)
}

fn nothing(args: &Args, opened: &[units::Opened]) -> Diagnostic {
    let message = match &args.filter {
        Some(filter) => format!("no snapshot has `{filter}` in its path or name"),
        None => "there is no manifest here or below".to_owned(),
    };
    let layers = opened
        .iter()
        .flat_map(|opened| &opened.manifest.tiers)
        .flat_map(|tier| &tier.layers);
    let found = Diagnostic::error(diagnostic::NOTHING_SELECTED, message);
    match args.filter.as_deref() {
        Some(name) if { layers }.any(|layer| layer.name.value == *name) => found.help(format!(
            "`{name}` is a layer: `promptc explain {name}` shows it"
        )),
        Some(_) => found.help("`promptc test` without a filter shows all"),
        None => match manifest::nearest(&DiskWorld, &mut Diagnostics::default()) {
            Ok(above) => found.help(format!(
                "the nearest is in a folder above: promptc test -m {}",
                above.display()
            )),
            Err(_) => {
                found.help("`promptc init` writes one; -m names another folder, or a manifest")
            }
        },
    }
}

fn revision(name: &str) -> Result<Revision, Box<Diagnostic>> {
    Repository::open(Path::new("."))?.revision(name)
}
