//! `promptc agent rules`.

mod json;

use crate::agent::directory_rules::NewRules;
use crate::cli::store::{self, StoreArgs};
use crate::cli::ui::Page;
use crate::cli::{Context, given::BuildArgs};
use crate::diagnostic::{self, Code, ErrorReported};
use crate::project::directory_rules::{GivenRules, RulesCall, folder_rules};
use crate::prompt::Notice;
use crate::session::store::SessionId;
use clap::ValueEnum;
use std::path::PathBuf;

pub(in crate::cli) use json::Report as JsonReport;

/// Give a session the directory rules of folders that it uses for the first time
///
/// Writes the text that `directory-rules` in the manifest makes for the folder of each path and the folders above it, inside
/// its root. Writes nothing if the session got all of them before. For an app, which adds the text to the result
/// of a tool.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc agent rules src/parser/lex.rs --session chat-7    # src and src/parser, if new
  promptc agent rules docs/ src/main.rs --session chat-7         # several paths, each folder once
  promptc agent rules /home/ann/app/src --session chat-7    # nothing: outside of the root
  promptc agent rules src/lex.rs --session chat-7 --format json  # with what the rules are made of
  promptc agent rules src/lex.rs --session chat-7 --root workspace=project")]
pub(super) struct Args {
    /// Files and folders, relative to the folder of the directory rules' root
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The session, which gets the directory rules once
    #[arg(long, value_name = "ID", value_parser = store::id)]
    session: SessionId,
    /// The output format; `text` is the text of the directory rules, `json` adds its sources
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
    let call = RulesCall {
        build: &args.given.call(),
        store: &args.store.options(),
        session: &args.session,
        paths: &args.paths,
    };
    let mut given = folder_rules(&call, &mut context.run)?;
    let GivenRules {
        directory_rules,
        told,
        ..
    } = &given;
    let text = told.text(directory_rules.join());
    let read = match args.format {
        Format::Text => context
            .ui
            .handed(&text, Page::foreign, &mut context.run.diags),
        Format::Json => {
            let page = json::write(&args.session, directory_rules, told, &text);
            context.ui.answer(&page, &mut context.run.diags)
        }
    };
    if !matches!(read, Ok(true)) {
        let taken = given.take_back(&args.session, &mut context.run);
        // Otherwise directory rules that no one has read would count as delivered.
        taken.inspect_err(|_| {
            context.done = Some("these folders were recorded as delivered".to_owned());
        })?;
    }
    read?;
    let GivenRules {
        directory_rules,
        told,
        ..
    } = &given;
    context.ui.notices(&notices(told, directory_rules.root()));
    Ok(())
}

/// The losses in directory rules, the paths that do not exist, and the folders without directory rules.
fn notices(told: &NewRules, root: &str) -> Vec<Notice> {
    let note = |code: Code, message: String| Notice {
        code: code.name.to_owned(),
        layer: None,
        message,
    };
    let new = told.folders.iter().filter(|f| !f.already);
    let directory_rules = new.filter_map(|f| f.folder_rules.as_ref());
    let mut out: Vec<Notice> = directory_rules.flat_map(|h| h.notices.clone()).collect();
    out.extend(told.missing.iter().map(|(path, folder)| {
        let path = path.display();
        let message = match folder.as_str() {
            "" => {
                format!("`{path}`: the root `{root}` has no folder, so it has no directory rules")
            }
            folder => format!("`{path}`: there is no folder `{folder}` in the root `{root}`"),
        };
        note(diagnostic::MISSING_FOLDER, message)
    }));
    out.extend(told.outside.iter().map(|path| {
        let path = path.display();
        let message =
            format!("`{path}` is not in the root `{root}`, so it gets no directory rules");
        note(diagnostic::OUTSIDE_ROOT, message)
    }));
    out.extend(told.top.iter().map(|path| {
        let path = path.display();
        let message = format!("`{path}`: the root's own folder has no directory rules");
        note(diagnostic::NOTHING_TOLD, message)
    }));
    let silent = told.folders.iter().filter(|f| f.text().is_empty());
    out.extend(silent.map(|folder| {
        let why = if folder.already {
            "the session already has its directory rules"
        } else {
            "it has no directory rules"
        };
        note(
            diagnostic::NOTHING_TOLD,
            format!("`{}`: {why}", folder.path),
        )
    }));
    out
}
