//! `promptc session gc`.

use super::Format;
use super::clock::length;
use crate::cli::Context;
use crate::cli::store::StoredArgs;
use crate::cli::store::positive;
use crate::cli::ui::{Page, answer};
use crate::diagnostic::ErrorReported;
use crate::project::sessions::location::sweep;
use crate::project::time;
use crate::report::words;
use crate::session::store::{Collected, Shortened, Unwanted};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;

/// Remove unused sessions and old builds
///
/// The newest build of a remaining session is never removed, so every call restores the same prompt as before.
/// Without options only unreferenced texts are removed. If a session is damaged, nothing is removed, because a repair
/// might need it; `session verify` finds damaged texts too. Files that killed processes left in the store's folder are
/// removed too. All of this works on a full disk.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session gc --unused 30d                # sessions that were not used for 30 days
  promptc session gc --unused 30d --dry-run      # what that would remove
  promptc session gc --keep 5                    # all builds of a session but the last five")]
pub(super) struct Args {
    #[command(flatten)]
    stored: StoredArgs,
    /// Sessions that were not used during this time, such as 30d
    #[arg(long, value_name = "TIME", value_parser = length)]
    unused: Option<u64>,
    /// Remove all builds of each session but this many of the newest
    #[arg(long, value_name = "N", value_parser = positive::<u64>)]
    keep: Option<u64>,
    /// Only show what would be removed
    #[arg(long)]
    dry_run: bool,
    /// The current time, RFC 3339 [default: the clock]
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// The output of `session gc --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report<'a> {
    /// The store, as messages call it.
    store: String,
    /// Whether there is one.
    exists: bool,
    /// Whether nothing was taken away, and this is what would be.
    dry_run: bool,
    /// The removed items.
    #[serde(flatten)]
    collected: &'a Collected,
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        !self.dry_run
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let now = time(args.now.as_deref(), &mut context.run)?;
    let unwanted = Unwanted {
        unused_since: args
            .unused
            .map(|unused| now.saturating_sub_unsigned(unused)),
        builds_beyond: args.keep,
    };
    let call = args.stored.call();
    let mut stored = call.find(&mut context.run)?;
    let collect =
        |store: &mut dyn crate::session::store::Store| store.collect(unwanted, args.dry_run);
    let collected = stored.step(Collected::default(), collect, &mut context.run)?;
    if !args.dry_run {
        sweep(&stored.location, &mut context.run);
    }
    // What killed writers left goes also where there is no store.
    let mut stored = call.required(stored, &mut context.run)?;
    if !args.dry_run && collected != Collected::default() {
        context.done = Some("the collection was made".to_owned());
    }
    let text = match args.format {
        Format::Json => answer::page(&Report {
            store: stored.name(),
            exists: stored.get().is_some(),
            dry_run: args.dry_run,
            collected: &collected,
        }),
        Format::Human if stored.get().is_none() => {
            let name = stored.name();
            context.ui.remark(&format!("there is no store `{name}`\n"));
            return Ok(());
        }
        Format::Human => Page::drawn(draw(&collected, args.dry_run)),
    };
    context.ui.result(&text, &mut context.run.diags)
}

/// The sessions, one a line, then the sums.
fn draw(collected: &Collected, dry: bool) -> String {
    let mut out = String::new();
    let (verb, sum) = if dry {
        ("would remove", "it would free")
    } else {
        ("removed", "freed")
    };
    let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    for Shortened { session, builds } in &collected.shortened {
        let builds = words::count(number(*builds), "build");
        let _ = writeln!(out, "{verb} {builds} of {}", words::plain(session.as_str()));
    }
    for id in &collected.sessions {
        let _ = writeln!(out, "{verb} {}", words::plain(id.as_str()));
    }
    let _ = write!(
        out,
        "{sum} {}: {}, {}",
        words::count(number(collected.bytes), "byte"),
        words::count(collected.sessions.len(), "session"),
        words::count(number(collected.builds), "build"),
    );
    if collected.directory_rules > 0 {
        let _ = write!(
            out,
            ", rules of {}",
            words::count(number(collected.directory_rules), "folder")
        );
    }
    out.push('\n');
    out
}
