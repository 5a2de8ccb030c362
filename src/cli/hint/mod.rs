//! `promptc hint`.

mod json;

use super::store::{self, StoreArgs};
use super::{Context, given::BuildArgs};
use crate::agent::hint::NewHints;
use crate::cli::ui::Page;
use crate::diagnostic::{self, Code, ErrorReported};
use crate::project::hint::{HintCall, Hinted, hint};
use crate::prompt::Notice;
use crate::session::store::SessionId;
use clap::ValueEnum;
use std::path::PathBuf;

pub(super) use json::Report as JsonReport;

/// Give a session the hints of folders that it uses for the first time
///
/// Writes the text that `hint` in the manifest makes for the folder of each path and the folders above it, inside
/// its root. Writes nothing if the session got all of them before. For a gateway, which adds the text to the result
/// of a tool.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc hint src/parser/lex.rs --session chat-7         # src and src/parser, if they are new
  promptc hint docs/ src/main.rs --session chat-7         # several paths, each folder once
  promptc hint /home/ann/app/src --session chat-7         # nothing if it is outside of the root
  promptc hint src/lex.rs --session chat-7 --format json  # with what each hint is made of
  promptc hint src/lex.rs --session chat-7 --root workspace=project")]
pub(super) struct Args {
    /// Files and folders, relative to the folder of the hint's root
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The conversation that gets the hints, by its ID at the gateway
    #[arg(long, value_name = "ID", value_parser = store::id)]
    session: SessionId,
    /// `text` is the text of the hints, `json` adds its sources
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    given: BuildArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let call = HintCall {
        build: &args.given.call(),
        store: &args.store.options(),
        session: &args.session,
        paths: &args.paths,
    };
    let mut hinted = hint(&call, &mut context.run)?;
    let Hinted { hints, told, .. } = &hinted;
    let text = told.text(hints.join());
    let read = match args.format {
        Format::Text => context
            .ui
            .handed(&text, Page::foreign, &mut context.run.diags),
        Format::Json => {
            let page = json::write(&args.session, hints, told, &text);
            context.ui.answer(&page, &mut context.run.diags)
        }
    };
    if !matches!(read, Ok(true)) {
        let taken = hinted.take_back(&args.session, &mut context.run);
        // Otherwise hints that no one has read would count as delivered.
        taken.inspect_err(|_| {
            context.done = Some("these folders were recorded as delivered".to_owned());
        })?;
    }
    read?;
    let Hinted { hints, told, .. } = &hinted;
    context.ui.notices(&notices(told, hints.root()));
    Ok(())
}

/// The losses in hints, the paths that do not exist, and the folders without a hint.
fn notices(told: &NewHints, root: &str) -> Vec<Notice> {
    let note = |code: Code, message: String| Notice {
        code: code.name.to_owned(),
        layer: None,
        message,
    };
    let new = told.folders.iter().filter(|f| !f.already);
    let hints = new.filter_map(|f| f.hint.as_ref());
    let mut out: Vec<Notice> = hints.flat_map(|h| h.notices.clone()).collect();
    out.extend(told.missing.iter().map(|(path, folder)| {
        let path = path.display();
        let message = match folder.as_str() {
            "" => format!("`{path}`: the root `{root}` has no folder, so it has no hints"),
            folder => format!("`{path}`: there is no folder `{folder}` in the root `{root}`"),
        };
        note(diagnostic::MISSING_FOLDER, message)
    }));
    out.extend(told.outside.iter().map(|path| {
        let path = path.display();
        let message = format!("`{path}` is not in the root `{root}`, so it gets no hint");
        note(diagnostic::OUTSIDE_ROOT, message)
    }));
    out.extend(told.top.iter().map(|path| {
        let path = path.display();
        let message = format!("`{path}`: the root's own folder has no hint");
        note(diagnostic::NOTHING_TOLD, message)
    }));
    let silent = told.folders.iter().filter(|f| f.text().is_empty());
    out.extend(silent.map(|folder| {
        let why = match folder.already {
            true => "the session already has its hint",
            false => "it has no hint",
        };
        note(
            diagnostic::NOTHING_TOLD,
            format!("`{}`: {why}", folder.path),
        )
    }));
    out
}
