//! `promptc hint`.

mod json;

use super::store::{self, StoreArgs};
use super::{Context, given::GivenArgs};
use crate::agent::hint::{self, Failure, Told};
use crate::cli::ui::Page;
use crate::compile::{Hints, prepare, watch};
use crate::diagnostic::{self, Diagnostic, Reported};
use crate::manifest::{self, Manifest};
use crate::project::Run;
use crate::project::sessions::place::Place;
use crate::project::sessions::{identity, now, stored};
use crate::project::time;
use crate::prompt::Notice;
use crate::session::Inputs;
use crate::session::store::{Build, Session, SessionId, Store};
use crate::world::{Anchored, World};
use clap::ValueEnum;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) use json::Report as JsonReport;

/// Tell a session of folders that it touches for the first time
///
/// Writes what `hint` in the manifest makes of the folder of each path and of those above it, inside of its root, and
/// nothing if the session was told of all of them before. For a gateway, which adds it to the result of a tool.
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
    /// The conversation that is told, by the name that its gateway has for it
    #[arg(long, value_name = "ID", value_parser = store::id)]
    session: SessionId,
    /// `text` is what there is to tell, `json` says what it is made of
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    given: GivenArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    let outside = args.given.world();
    let known = known(args, &mut context.run)?;
    let own = !args.given.project().is_found() && args.store.options().is_named();
    let before = known.as_ref().filter(|_| own);
    if let Some(before) = before {
        now::may_build(before, &args.given.call(), &mut context.run)?;
    }
    let world: Arc<dyn World> = match before {
        Some(before) => Arc::new(Anchored {
            world: outside.as_ref(),
            folder: before.folder.clone(),
        }),
        None => args.given.world(),
    };
    let hints = hints(args, known.as_ref(), own, world.as_ref(), &mut context.run)?;
    let at = time(args.given.now(), &mut context.run)?;
    let place = Place::of(
        &args.given.project(),
        before.is_some(),
        outside.as_ref(),
        &mut context.run.diags,
    )?;
    let path = args
        .store
        .options()
        .location(&place.folder, &mut context.run.diags)?;
    let mut store = args.store.options().open(&path, &mut context.run)?;
    let diags = &mut context.run.diags;
    let told = hint::hint(
        &hints,
        store.as_mut(),
        &args.session,
        &args.paths,
        at,
        world.as_ref(),
        diags,
    );
    let told = told.map_err(|failure| match failure {
        Failure::Reported(reported) => reported,
        Failure::Store(error) => {
            diags.push(crate::project::sessions::location::refuse(&error, &path))
        }
    })?;
    let text = told.text(hints.join());
    let read = match args.format {
        Format::Text => context
            .ui
            .handed(&text, Page::foreign, &mut context.run.diags),
        Format::Json => {
            let page = json::write(&args.session, &hints, &told, &text);
            context.ui.answer(&page, &mut context.run.diags)
        }
    };
    let whole = matches!(read, Ok(true));
    if !whole && let Err(error) = hint::take_back(&told, store.as_mut(), &args.session) {
        // Then what nobody has read counts as told.
        context.done = Some("that these folders were told of was noted".to_owned());
        return Err(context
            .run
            .diags
            .push(crate::project::sessions::location::refuse(&error, &path)));
    }
    read?;
    context.ui.notices(&notices(&told, hints.root()));
    Ok(())
}

/// What the session was given, if there is one. Its manifest is meant by a call that neither names nor finds one.
fn known(args: &Args, run: &mut Run) -> Result<Option<Inputs>, Reported> {
    let mut stored = stored::open(&args.given.project(), &args.store.options(), run)?;
    let wanted = |_: &Session, build: &Build| vec![build.inputs.clone()];
    let read = |store: &mut dyn Store| match store.restore(&args.session, None, &wanted)? {
        Some(kept) => Inputs::of(&mut |key| kept.content(key), &kept.build).map(Some),
        None => Ok(None),
    };
    stored.step(None, read, run)
}

/// The hints of the manifest.
fn hints(
    args: &Args,
    known: Option<&Inputs>,
    own: bool,
    world: &dyn World,
    run: &mut Run,
) -> Result<Hints, Reported> {
    let outside = args.given.world();
    let mut given = now::given(&args.given.call(), outside.as_ref(), run)?;
    let before = known.filter(|_| own);
    let name = match before {
        Some(before) => before.manifest.as_deref(),
        None => args.given.manifest(),
    };
    let Run { files, diags, .. } = &mut *run;
    let manifest = manifest::open(world, name, files, diags)?;
    if let Some(before) = before {
        before.remind(&manifest, &mut given);
    }
    let plan = prepare(&manifest, &given, world, files, diags)?;
    if let Some(known) = known.filter(|known| !known.identity.is_empty()) {
        let facts = known.identity.names();
        let facts = watch(&plan, &given, &facts, world, diags)?;
        identity::check(known, &facts.values, diags)?;
    }
    match Hints::bind(plan, &given, world, diags)? {
        Some(hints) => Ok(hints),
        None => Err(diags.push(no_hint(&manifest))),
    }
}

fn no_hint(manifest: &Manifest) -> Diagnostic {
    let name = manifest.name_of(manifest.file);
    let message = format!("`{name}` says nothing to tell of folders");
    Diagnostic::error(diagnostic::NO_HINT, message)
        .help("write it in the manifest, such as: hint { file \"AGENTS.md\" }")
}

/// What was lost of what is told, and which paths lead nowhere.
fn notices(told: &Told, root: &str) -> Vec<Notice> {
    let new = told.folders.iter().filter(|f| !f.already);
    let hints = new.filter_map(|f| f.hint.as_ref());
    let mut out: Vec<Notice> = hints.flat_map(|h| h.notices.clone()).collect();
    out.extend(told.outside.iter().map(|path| Notice {
        code: diagnostic::OUTSIDE_ROOT.name.to_owned(),
        layer: None,
        message: format!(
            "`{}` does not lie in the root `{root}`; nothing is told of it",
            path.display()
        ),
    }));
    out
}
