//! `promptc session rm`.

use super::Format;
use crate::cli::store::StoredArgs;
use crate::cli::ui::{Page, answer};
use crate::cli::{Context, store};
use crate::diagnostic::ErrorReported;
use crate::report::words;
use crate::session::store::{SessionId, Store, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

/// Remove sessions with all their builds and directory rules
///
/// All of them must exist; otherwise nothing is removed. The next `promptc build --session` with such an ID builds
/// a new session. `promptc session gc` frees the room of their texts. Both work on a full disk.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session rm chat-7                # one
  promptc session rm chat-8 chat-9         # several")]
pub(super) struct Args {
    /// The sessions
    #[arg(value_name = "ID", required = true, value_parser = store::known_id)]
    ids: Vec<SessionId>,
    #[command(flatten)]
    stored: StoredArgs,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// The output of `session rm --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report {
    /// The store, as messages call it.
    store: String,
    /// The removed sessions, in the order of the arguments.
    removed: Vec<Removed>,
}

/// A session that is gone.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Removed {
    /// Its ID.
    session: String,
    /// The number of its builds; null if they are damaged.
    builds: Option<usize>,
    /// The number of notes of folders for which it had asked for directory rules.
    directory_rules: usize,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let mut stored = args.stored.call().open(&mut context.run)?;
    let mut wanted: Vec<(&SessionId, Option<usize>, usize)> = Vec::new();
    for id in &args.ids {
        if wanted.iter().any(|(known, ..)| *known == id) {
            continue;
        }
        // A session with damaged builds can be removed; the removal shows whether it exists.
        let count = |store: &mut dyn Store| match store.builds(id) {
            Err(StoreError::Damaged(_)) => Ok(None),
            other => other.map(|builds| Some(builds.len())),
        };
        let builds = stored.step(Some(0), count, &mut context.run)?;
        // Of a session that was never frozen there may be directory rules alone.
        let directory_rules = stored.step(
            Vec::new(),
            |store| store.directory_rules(id),
            &mut context.run,
        )?;
        if builds == Some(0) && directory_rules.is_empty() {
            stored.unknown(id, &mut context.run);
        }
        wanted.push((id, builds, directory_rules.len()));
    }
    context.run.diags.check()?;
    let mut removed = Vec::new();
    for (id, builds, directory_rules) in wanted {
        // Another process may have removed it first, which is fine.
        let done = stored.step(false, |store| store.remove(id), &mut context.run);
        let Ok(done) = done else { break };
        if done {
            context.done = Some("the sessions were removed".to_owned());
        }
        removed.extend(done.then(|| Removed {
            session: id.to_string(),
            builds,
            directory_rules,
        }));
    }
    let text = match args.format {
        Format::Human => Page::drawn(removed.iter().map(line).collect::<String>()),
        Format::Json => answer::page(&Report {
            store: stored.name(),
            removed,
        }),
    };
    context.ui.result(&text, &mut context.run.diags)?;
    context.run.diags.check()
}

fn line(removed: &Removed) -> String {
    let mut counts = Vec::new();
    match removed.builds {
        Some(0) => {}
        Some(builds) => counts.push(words::count(builds, "build")),
        None => counts.push("damaged builds".to_owned()),
    }
    if removed.directory_rules > 0 {
        let folders = words::count(removed.directory_rules, "folder");
        counts.push(format!("rules of {folders}"));
    }
    let id = words::plain(&removed.session);
    format!("removed {id} ({})\n", counts.join(", "))
}
