//! `promptc session move`.

use super::Format;
use crate::cli::Context;
use crate::cli::store;
use crate::cli::store::StoredArgs;
use crate::cli::ui::{Page, answer};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::sessions::location::{refuse, shown};
use crate::project::sessions::stored::Stored;
use crate::report::words;
use crate::session::store::{Location, Session, SessionId, Store, StoreError, Whole};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// The most times that a session is copied again which others build while it is moved.
const TRIES: usize = 16;

/// Move sessions to another store
///
/// All data of the sessions moves, so that they continue there unchanged. Each is written to the other store before
/// it is removed from this one. If a move is stopped, a session is in one store or in both, and the same command
/// completes the move. If the other store has a different session with one of the IDs, nothing is moved.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session move chat-7 --to backup.db                # one, from the store of this manifest
  promptc session move chat-8 chat-9 --to backup.db         # several
  promptc session move --all --to /var/lib/agent/store.db   # all
  promptc session move chat-7 --store backup.db --to .promptc/store.db  # back again")]
pub(super) struct Args {
    /// The sessions
    #[arg(value_name = "ID", required_unless_present = "all", value_parser = store::known_id)]
    ids: Vec<SessionId>,
    /// Move all sessions
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// The target store; a missing one is created
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    #[command(flatten)]
    stored: StoredArgs,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// The output of `session move --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report {
    /// The store that they were in, as messages call it.
    store: String,
    /// The store that they are in now.
    to: String,
    /// The moved sessions, in order.
    moved: Vec<Moved>,
}

/// A session that was moved.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Moved {
    /// Its ID.
    session: String,
    /// The number of its builds.
    builds: usize,
}

/// The store that sessions come to.
struct Target {
    location: Location,
    store: Box<dyn Store>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let location =
        crate::project::sessions::location::named(args.to.clone(), &mut context.run.diags)?;
    let to = shown(&location);
    let mut stored = args.stored.call().open(&mut context.run)?;
    let ids = ids(args, &mut stored, &mut context.run)?;
    if stored.location.owns(&args.to) {
        let message = format!("`{to}` is their current store");
        let found = Diagnostic::error(diagnostic::USAGE, message);
        return Err(context
            .run
            .diags
            .push(found.help("--to names the target store, --store the current one")));
    }
    let mut moved = Vec::new();
    if !ids.is_empty() {
        let store = args.stored.call().open_at(&location, &mut context.run)?;
        let mut target = Target { location, store };
        for id in &ids {
            target.has_none(id, &mut stored, context)?;
        }
        context.run.diags.check()?;
        for id in &ids {
            let builds = target.take(id, &mut stored, context);
            let Ok(builds) = builds else { break };
            context.done = Some("sessions were moved".to_owned());
            moved.extend(builds.map(|builds| Moved {
                session: id.to_string(),
                builds,
            }));
        }
    }
    let text = match args.format {
        Format::Human => Page::drawn(moved.iter().map(line).collect::<String>()),
        Format::Json => answer::page(&Report {
            store: stored.name(),
            to,
            moved,
        }),
    };
    context.ui.result(&text, &mut context.run.diags)?;
    context.run.diags.check()
}

/// The sessions in question, each once. All that are named must be there.
fn ids(args: &Args, stored: &mut Stored, run: &mut Run) -> Result<Vec<SessionId>, ErrorReported> {
    if args.all {
        let all = stored.step(Vec::new(), |store| store.sessions(), run)?;
        return Ok(all.into_iter().map(|session| session.id).collect());
    }
    let mut ids: Vec<SessionId> = Vec::new();
    for id in &args.ids {
        if !ids.contains(id) {
            // Errors of the others are reported too.
            let _ = stored.session(id, run);
            ids.push(id.clone());
        }
    }
    run.diags.check()?;
    Ok(ids)
}

impl Target {
    fn reported<T>(
        &self,
        result: crate::session::store::Result<T>,
        run: &mut Run,
    ) -> Result<T, ErrorReported> {
        result.map_err(|error| run.diags.push(refuse(&error, &self.location)))
    }

    /// Fails if there is another session of that ID. The same one was left by a move that did not end.
    fn has_none(
        &mut self,
        id: &SessionId,
        stored: &mut Stored,
        context: &mut Context,
    ) -> Result<(), ErrorReported> {
        let there = self.store.whole(id);
        let Some((_, there)) = self.reported(there, &mut context.run)? else {
            return Ok(());
        };
        let here = stored.step(None, |store| store.whole(id), &mut context.run)?;
        if here.is_none_or(|(_, here)| !same(&here, &there)) {
            context.run.diags.push(exists(id, &self.location));
        }
        Ok(())
    }

    /// Moves a session: how many builds it has; none if others removed it meanwhile.
    fn take(
        &mut self,
        id: &SessionId,
        stored: &mut Stored,
        context: &mut Context,
    ) -> Result<Option<usize>, ErrorReported> {
        for _ in 0..TRIES {
            let Some((session, whole)) =
                stored.step(None, |store| store.whole(id), &mut context.run)?
            else {
                return Ok(None);
            };
            let newest = self.add(id, &whole, context)?;
            if stored.step(
                false,
                |store| store.leave(id, &session.build),
                &mut context.run,
            )? {
                self.hold(id, &whole, context)?;
                return Ok(Some(whole.builds.len()));
            }
            // Another process that moved it relies on the same copy.
            let builds = stored.step(Vec::new(), |store| store.builds(id), &mut context.run)?;
            if builds.iter().any(|build| build.id == session.build.id) {
                // It was rebuilt meanwhile: the copy is outdated, so the original must not be removed.
                let left = self.store.leave(id, &newest.build);
                self.reported(left, &mut context.run)?;
            }
        }
        Err(context
            .run
            .diags
            .push(refuse(&StoreError::Gone, &stored.location)))
    }

    /// Adds a session again that was removed from the other store if it is no longer there: who moves it the other way at this
    /// moment has taken the copy for what is moved. Of the two, the one that removes it last finds that out.
    fn hold(
        &mut self,
        id: &SessionId,
        whole: &Whole,
        context: &mut Context,
    ) -> Result<(), ErrorReported> {
        let there = self.store.session(id);
        if self.reported(there, &mut context.run)?.is_none() {
            let added = self.store.add(id, whole);
            self.reported(added, &mut context.run)?;
        }
        Ok(())
    }

    /// Adds a session as it is, unless the store already has it.
    fn add(
        &mut self,
        id: &SessionId,
        whole: &Whole,
        context: &mut Context,
    ) -> Result<Session, ErrorReported> {
        let added = self.store.add(id, whole);
        self.reported(added, &mut context.run)?;
        let there = self.store.whole(id);
        match self.reported(there, &mut context.run)? {
            Some((session, there)) if same(whole, &there) => Ok(session),
            _ => Err(context.run.diags.push(exists(id, &self.location))),
        }
    }
}

/// Whether both are one session. It may have been asked for since it was copied.
fn same(a: &Whole, b: &Whole) -> bool {
    (a.created, &a.builds) == (b.created, &b.builds)
}

fn exists(id: &SessionId, location: &Location) -> Diagnostic {
    let name = shown(location);
    let message = format!("the store `{name}` already has another session `{id}`");
    Diagnostic::error(diagnostic::SESSION_EXISTS, message).help(format!(
        "remove the unwanted one with `promptc session rm {id}` and its --store"
    ))
}

fn line(moved: &Moved) -> String {
    let builds = words::count(moved.builds, "build");
    format!("moved {} ({builds})\n", words::plain(&moved.session))
}
