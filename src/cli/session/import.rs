//! `promptc session import`.

use super::Format;
use crate::cli::given::ManifestArgs;
use crate::cli::store::StoreArgs;
use crate::cli::ui::{Page, answer};
use crate::cli::{Context, store};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::artifact;
use crate::project::artifact::FILE;
use crate::project::input::{self, Input, What};
use crate::project::sessions::location::{refuse, shown};
use crate::project::sessions::place::ManifestLocation;
use crate::report::words;
use crate::session::store::SessionId;
use crate::session::{EXPORT, Imported, NoImport};
use crate::world::DiskWorld;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Where a document comes from.
const HOW: &str = "`promptc session export ID -o FILE` writes one, whole or not at all";

/// The wording for a document in messages.
const EXPORTED: What = What { help: HOW, ..FILE };

/// Add an exported session
///
/// The import is atomic: every hash is computed again, and a changed document is refused. A missing store is
/// created.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session import chat-7.json --store backup.db   # under the ID that it had
  promptc session import chat-7.json --id chat-70        # under another
  promptc session export chat-7 | promptc session import - --id chat-71")]
pub(super) struct Args {
    /// The document, `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Add it under this ID
    #[arg(long = "id", value_name = "ID", value_parser = store::id)]
    name: Option<SessionId>,
    #[command(flatten)]
    source: ManifestArgs,
    #[command(flatten)]
    store: StoreArgs,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// The output of `session import --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report {
    /// The store, as messages call it.
    store: String,
    /// The ID that the session has there.
    session: String,
    /// The number of its builds.
    builds: usize,
    /// The number of the newest.
    build: u64,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let read = read(&args.file);
    let imported = read.map_err(|problem| context.run.diags.push(*problem))?;
    let needless = args.store.options().is_named();
    let place = ManifestLocation::standing(
        &args.source.project(),
        needless,
        &DiskWorld,
        &mut context.run.diags,
    )?;
    context.run.walls.add(&place.folder);
    let location = args
        .store
        .options()
        .location(&place.folder, &mut context.run.diags)?;
    let mut opened = args.store.options().open(&location, &mut context.run)?;
    let id = args.name.as_ref().unwrap_or(&imported.id);
    let added = opened.import(id, imported.used, &imported.builds);
    let added = added.map_err(|error| context.run.diags.push(refuse(&error, &location)))?;
    let name = shown(&location);
    if !added {
        let message = format!("the store `{name}` already has a session `{id}`");
        let found = Diagnostic::error(diagnostic::SESSION_EXISTS, message);
        let help =
            "--id NEWID adds it under another ID, `promptc session rm` removes the existing one";
        return Err(context.run.diags.push(found.help(help)));
    }
    let report = Report {
        store: name,
        session: id.to_string(),
        builds: imported.builds.len(),
        build: imported.builds.last().map_or(0, |(number, _)| *number),
    };
    let text = match args.format {
        Format::Json => answer::page(&report),
        Format::Human => {
            let builds = words::count(report.builds, "build");
            let session = words::plain(&report.session);
            Page::drawn(format!("imported {session} ({builds})\n"))
        }
    };
    context.done = Some(format!("the session `{id}` was imported"));
    context.ui.result(&text, &mut context.run.diags)
}

fn read(path: &Path) -> Result<Imported, Box<Diagnostic>> {
    let Input { name, bytes } = input::read(&DiskWorld, path, &EXPORTED)?;
    let imported = match std::str::from_utf8(artifact::unmarked(&bytes)) {
        Ok(text) => Imported::parse(text),
        Err(_) => Err(NoImport::NoExport("it is not UTF-8".to_owned())),
    };
    imported.map_err(|why| Box::new(refused(&name, why)))
}

fn refused(name: &str, why: NoImport) -> Diagnostic {
    match why {
        NoImport::NoExport(why) => {
            let message = format!("`{name}` is not an exported session: {why}");
            Diagnostic::error(diagnostic::EXPORT_SYNTAX, message).help(HOW)
        }
        NoImport::OtherRelease { schema, promptc } => {
            let message = format!(
                "`{name}` has schema {schema}, made by promptc {}; this is promptc {} and reads schema {EXPORT}",
                words::plain(&promptc),
                env!("CARGO_PKG_VERSION")
            );
            let (code, help) = if schema > EXPORT {
                (
                    diagnostic::EXPORT_TOO_NEW,
                    "import it with the release that made it, or with a later one",
                )
            } else {
                (
                    diagnostic::EXPORT_TOO_OLD,
                    "import it with the release that made it; here `promptc build --session ID` builds the session again",
                )
            };
            Diagnostic::error(code, message).help(help)
        }
        NoImport::Changed(why) => {
            let message = format!("`{name}` was changed after it was exported: {why}");
            let help = "a changed document is refused, because a session is restored byte for byte; export it again";
            Diagnostic::error(diagnostic::EXPORT_CHANGED, message).help(help)
        }
    }
}
