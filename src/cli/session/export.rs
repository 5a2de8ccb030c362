//! `promptc session export`.

use crate::cli::store::StoredArgs;
use crate::cli::ui::Page;
use crate::cli::{Context, store};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::output;
use crate::session;
use crate::session::store::SessionId;
use std::path::{Path, PathBuf};

/// Write a session as one JSON document, for an import elsewhere
///
/// The document has all builds: texts, maps, plans and what they remember. It does not have the values of private facts,
/// because no store holds them, unless a template printed one. Values that the manifest itself has, such as
/// defaults, are included.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session export chat-7 -o chat-7.json       # to a file
  promptc session export chat-7 --inputs -o all.json # with its inputs
  promptc session export chat-7 | promptc session import - --id chat-70  # a copy")]
pub(super) struct Args {
    /// The session
    #[arg(value_name = "ID", value_parser = store::known_id)]
    id: SessionId,
    /// Add the inputs of its builds: the documents that were read, the lists of folders and the values of facts
    #[arg(long)]
    inputs: bool,
    #[command(flatten)]
    stored: StoredArgs,
    /// Write to a file, atomically, instead of stdout (`-`)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let mut stored = args.stored.call().open(&mut context.run)?;
    let export = stored.step(
        None,
        |store| session::export(store, &args.id, args.inputs),
        &mut context.run,
    )?;
    let Some(export) = export else {
        return Err(stored.unknown(&args.id, &mut context.run));
    };
    let text = super::json(&export);
    match crate::cli::stdout::named(args.output.as_ref()) {
        Some(path) if output::is_among(path, &args.stored.call().sources(&export)) => {
            Err(context.run.diags.push(output::is_input(path)))
        }
        Some(path) if stored.location.owns(path) => Err(context.run.diags.push(over_store(path))),
        Some(path) => output::to_private_file(path, text.as_bytes(), &mut context.run),
        None => context
            .ui
            .product(&text, Page::json, &mut context.run.diags),
    }
}

fn over_store(path: &Path) -> Diagnostic {
    let message = format!("`{}` is the store, and -o would replace it", path.display());
    Diagnostic::error(diagnostic::OUTPUT_IS_INPUT, message).help("name another file")
}
