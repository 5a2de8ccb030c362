//! `promptc session drift`.

mod answer;

pub(super) use answer::Report;

use super::clock::rfc3339;
use crate::cli::Context;
use crate::cli::given::BuildArgs;
use crate::cli::store::{self, StoreArgs};
use crate::cli::ui::Page;
use crate::cli::ui::answer as json;
use crate::compile::reminder::{self, Reminder};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::sessions::drift::{self, DriftReport};
use crate::project::sessions::now::{self, Now};
use crate::project::sessions::place::ManifestLocation;
use crate::project::sessions::{same, stored};
use crate::project::time;
use crate::prompt::Prompt;
use crate::report;
use crate::session::store::{Session, SessionId};
use crate::session::{Drift, delivered};
use crate::world::{DiskWorld, RebasedWorld};
use clap::ValueEnum;
use stored::Stored;

/// Show what a rebuild of a session would change
///
/// Compares the stored tiers with a build now, from the remembered facts and the given ones. Nothing is rebuilt.
/// Exits with 1 if something would change, but with 0 if a reminder was written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session drift chat-7                              # which layers would change, and why
  promptc session drift chat-7 --reminder                   # a reminder for the conversation
  promptc session drift chat-7 --reminder --mark-delivered  # the same, delivered once
  promptc session drift chat-7 --since-frozen               # ignoring delivered reminders
  promptc session drift chat-7 --format json                # for programs")]
pub(super) struct Args {
    /// The session
    #[arg(value_name = "ID", value_parser = store::known_id)]
    id: SessionId,
    #[command(flatten)]
    given: BuildArgs,
    #[command(flatten)]
    store: StoreArgs,
    /// Print only a reminder for the conversation with the changes, as `session { reminder }` in the manifest
    /// describes
    #[arg(long)]
    reminder: bool,
    /// Snapshot that the reminder was delivered: from then on only newer changes count, until the session is
    /// rebuilt
    #[arg(long)]
    mark_delivered: bool,
    /// Compare with the frozen prompt, ignoring delivered reminders
    #[arg(long, conflicts_with = "mark_delivered")]
    since_frozen: bool,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    Markdown,
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        self.mark_delivered
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    if args.reminder && args.format == Format::Markdown {
        let message = "--reminder prints a reminder, but --format markdown requests a report";
        let found = Diagnostic::error(diagnostic::USAGE, message);
        let help = "--format json has both: the changes, and the reminder as `reminder`";
        return Err(context.run.diags.push(found.help(help)));
    }
    let at = time(args.given.now(), &mut context.run)?;
    // The session is read before anything is built, so that a rebuild in the meantime is noticed.
    let mut stored = stored::open(
        &args.given.project(),
        &args.store.options(),
        &mut context.run,
    )?;
    let remembered = drift::read(&args.id, &mut stored, &mut context.run)?;
    let place = ManifestLocation::of(
        &args.given.project(),
        true,
        &DiskWorld,
        &mut context.run.diags,
    )?;
    let here = place.manifest.as_deref();
    same::check(
        &args.given.call(),
        here,
        (&args.id, &remembered.terms),
        &mut context.run,
    )?
    .given(&mut context.run);
    let now = now::build(
        &args.given.call(),
        Some(&remembered.inputs),
        place.manifest,
        &mut context.run,
    )?;
    let found = drift::compare(remembered, &now, args.since_frozen);
    let note = if args.reminder {
        Some(note(args, &found.drift, &now, &mut context.run)?)
    } else {
        None
    };
    let taken = print(args, &found, note.as_ref(), context)?;
    if let Some(note) = &note {
        context.ui.notices(&note.notices);
    }
    if !found.drift.same {
        // A reminder is what was asked for, and no verdict.
        context.verdict = args.reminder;
        if args.mark_delivered {
            let prompt = &now.kept.made.frozen.prompt;
            mark(
                &found.session,
                taken,
                (at, prompt),
                &mut stored,
                &mut context.run,
            )?;
        }
    }
    Ok(())
}

/// The note for the conversation, as the manifest wants it now. Nothing of it depends on where it is shown.
fn note(args: &Args, drift: &Drift, now: &Now, run: &mut Run) -> Result<Reminder, ErrorReported> {
    let changes = drift.changes(report::sentence);
    let outside = args.given.world();
    let world = RebasedWorld {
        world: outside.as_ref(),
        folder: now.kept.inputs.folder.clone(),
    };
    reminder::render(&now.plan, &now.given, &world, &changes, &mut run.diags)
}

/// Writes the answer; returns whether a reader read it to the end.
fn print(
    args: &Args,
    found: &DriftReport,
    note: Option<&Reminder>,
    context: &mut Context,
) -> Result<bool, ErrorReported> {
    let page = match (args.format, note) {
        (Format::Json, note) => json::page(&Report::of(found, note)),
        (_, Some(note)) => {
            let taken = context
                .ui
                .handed(&note.text, Page::foreign, &mut context.run.diags)?;
            context.run.wrote = !note.text.is_empty();
            return Ok(taken);
        }
        (Format::Human, None) => {
            let terminal = context.ui.terminal(false);
            Page::drawn(terminal.draw(&report::drift(found, false)))
        }
        (Format::Markdown, None) => Page::markdown(&report::drift(found, true)),
    };
    let taken = context.ui.answer(&page, &mut context.run.diags)?;
    context.run.wrote = true;
    Ok(taken)
}

/// Snapshots that a conversation knows the state of a build at that time. This comes last: if the process ends before
/// it, a change is reported again, and none is lost.
fn mark(
    session: &Session,
    taken: bool,
    (at, prompt): (i64, &Prompt),
    stored: &mut Stored,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let id = &session.id;
    if !taken {
        let message =
            format!("the answer was not read to its end, so nothing is accepted for `{id}`");
        let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)
            .help("run it again, and read the answer to its end");
        return Err(run.diags.push(found));
    }
    let prompt = delivered(prompt.clone());
    let (build, before) = (&session.build, session.delivered.as_ref());
    let step = |store: &mut dyn crate::session::store::Store| {
        store.deliver(id, build, before, at, &prompt)
    };
    if stored.step(false, step, run)? {
        return Ok(());
    }
    let (number, of) = (build.number, rfc3339(build.at));
    let message = format!(
        "another process rebuilt or removed the session `{id}`, or marked a reminder as delivered, since its build {number} of {of} was read"
    );
    let found = Diagnostic::error(diagnostic::SESSION_REFRESHED, message);
    let help = "nothing was recorded; ignore the output and run it again";
    Err(run.diags.push(found.help(help)))
}
