//! `promptc session rm`.

use super::Format;
use super::stored::StoredArgs;
use crate::cli::ui::words;
use crate::cli::{Context, store};
use crate::diagnostic::Reported;
use crate::store::SessionId;
use schemars::JsonSchema;
use serde::Serialize;

/// Remove sessions with all their builds and hints
///
/// All of them must be there; otherwise nothing is removed. The next `promptc build --session` of such an ID builds it as
/// if it had never been. The room that their texts take is freed by `promptc session gc`.
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
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// What `session rm --format json` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report {
    /// The store, as messages call it.
    store: String,
    /// What was removed, in the order of the arguments.
    removed: Vec<Removed>,
}

/// A session that is gone.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Removed {
    /// Its ID.
    session: String,
    /// How many builds it had.
    builds: usize,
    /// How many notes of folders that it had asked hints of.
    hints: usize,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    let mut stored = args.stored.open(context)?;
    let mut wanted: Vec<(&SessionId, usize, usize)> = Vec::new();
    for id in &args.ids {
        if wanted.iter().any(|(known, ..)| *known == id) {
            continue;
        }
        let builds = stored.step(Vec::new(), |store| store.builds(id), context)?;
        // Of a session that was never frozen there may be hints alone.
        let hints = stored.step(Vec::new(), |store| store.hinted(id), context)?;
        if builds.is_empty() && hints.is_empty() {
            stored.unknown(id, context);
        }
        wanted.push((id, builds.len(), hints.len()));
    }
    context.diags.check()?;
    let mut removed = Vec::new();
    for (id, builds, hints) in wanted {
        // Somebody else may have been faster, which is as good.
        let done = stored.step(false, |store| store.remove(id), context);
        let Ok(done) = done else { break };
        if done {
            context.done = Some("the sessions were removed".to_owned());
        }
        removed.extend(done.then(|| Removed {
            session: id.to_string(),
            builds,
            hints,
        }));
    }
    let text = match args.format {
        Format::Human => removed.iter().map(line).collect(),
        Format::Json => super::json(&Report {
            store: stored.name(),
            removed,
        }),
    };
    context.ui.result(&text, &mut context.diags)?;
    context.diags.check()
}

fn line(removed: &Removed) -> String {
    let all = [(removed.builds, "build"), (removed.hints, "hint")];
    let counts = all.into_iter().filter(|(n, _)| *n > 0);
    let counts: Vec<String> = counts.map(|(n, what)| words::count(n, what)).collect();
    let id = words::plain(&removed.session);
    format!("removed {id} ({})\n", counts.join(", "))
}
