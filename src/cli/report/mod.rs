//! `promptc report`.

use super::Context;
use super::diff::{self, SideArgs};
use super::model::CostArgs;
use super::session::history as history_command;
use super::store::id;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest;
use crate::project::Run;
use crate::project::advised;
use crate::project::check::of_build;
use crate::project::moment::{self, Moment};
use crate::project::sessions::place::ManifestLocation;
use crate::project::sessions::stored;
use crate::project::time;
use crate::project::{BuildCall, Compared};
use crate::project::{artifact, output};
use crate::report::explain::{fates, fates_of};
use crate::report::history::argument;
use crate::report::page::{self, PromptView};
use crate::report::scenarios;
use crate::request::cost::{CostQuery, count_for};
use crate::session::store::SessionId;
use crate::world::DiskWorld;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The page, if no file is named.
pub(super) const FILE: &str = "report.html";

/// The help heading of the options of histories.
const HISTORY: &str = "History";

/// Write an HTML page of a prompt, a comparison or a history
///
/// The page is one file without network access. It begins with the verdict: the share of the tokens that a cache can
/// reuse, the cost (--model), and the first fix. It shows the prompt with its layers by tier, the source of each part of its text, sizes and budgets, absent and lost layers, and the findings of `check`. For two prompts it
/// also shows where the prefix breaks and why; operands are those of `promptc diff`. With --session it shows the
/// rewrites of a session's rebuilds instead. `promptc capture report` is for the requests of a log.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc report                              # a build now, or one of each scenario, as report.html
  promptc report -o page.html                 # as another file
  promptc report --facts facts.json           # the same with facts
  promptc report --artifact prompt.json           # a prompt that was built before
  promptc report old.json new.json            # two prompts, and where the prefix breaks
  promptc report snapshot:cli                   # a record and a build now
  promptc report git:HEAD --scenario cli      # what a commit builds and a build now
  promptc report session:chat-7               # a stored session, and a build now
  promptc report --session chat-7             # what the rebuilds of a session rewrote")]
pub(super) struct Args {
    /// The prompt that may be cached, as in `promptc diff`
    #[arg(value_name = "A", conflicts_with_all = ["artifact", "session"])]
    a: Option<String>,
    /// The prompt that is sent now [default: `.`]
    #[arg(value_name = "B", conflicts_with_all = ["artifact", "session"])]
    b: Option<String>,
    /// Write to a file, atomically; `-` is stdout
    #[arg(short, long, value_name = "FILE", default_value = FILE)]
    output: PathBuf,
    /// The prompt in this artifact, `-` for standard input, instead of a build now
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["session", "manifest", "roots", "facts", "sets", "scenario"]
    )]
    artifact: Option<PathBuf>,
    #[command(flatten)]
    side: SideArgs,
    #[command(flatten)]
    cost: CostArgs,
    /// The session; its history is shown; repeatable
    #[arg(
        help_heading = HISTORY,
        long = "session",
        value_name = "ID",
        value_parser = id,
        conflicts_with_all = ["roots", "facts", "sets", "scenario", "recorded"]
    )]
    session: Vec<SessionId>,
    /// Only what is since then: a day or time in UTC, or how long ago, such as 2026-03-30 or 7d
    #[arg(help_heading = HISTORY, long, value_name = "TIME", value_parser = moment::moment, allow_hyphen_values = true, requires = "session")]
    since: Option<Moment>,
    /// Only what is before then, written the same way
    #[arg(help_heading = HISTORY, long, value_name = "TIME", value_parser = moment::moment, allow_hyphen_values = true, requires = "session")]
    until: Option<Moment>,
    /// Add up by hours, days, weeks or months, in UTC [default: depends on the time span]
    #[arg(help_heading = HISTORY, long, value_name = "SPAN", requires = "session")]
    every: Option<history_command::ByArg>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    stray(args, &mut context.run)?;
    let page = match args {
        Args { session, .. } if !session.is_empty() => of_history(args, context)?,
        Args { a: Some(_), .. } => of_pair(args, context)?,
        _ => of_prompt(args, context)?,
    };
    save(&args.output, &page, &args.side, false, context)
}

/// Writes a page to `output`, which is no input of the call; a private one for its owner alone.
pub(super) fn save(
    output: &PathBuf,
    page: &str,
    side: &SideArgs,
    private: bool,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let Some(path) = crate::cli::stdout::named(Some(output)) else {
        return crate::cli::stdout::to_stdout(page.as_bytes(), &mut context.run.diags);
    };
    if output::is_among(path, &context.run.read) || owned(side, path, &mut context.run) {
        return Err(context.run.diags.push(output::is_input(path)));
    }
    if path == Path::new(FILE) {
        output::check_unnamed(path, &mut context.run)?;
    }
    let write = if private {
        output::to_private_file
    } else {
        output::to_file
    };
    write(path, page.as_bytes(), &mut context.run)?;
    context.ui.remark(&format!("wrote {}\n", path.display()));
    Ok(())
}

/// Options that say nothing here.
fn stray(args: &Args, run: &mut Run) -> Result<(), ErrorReported> {
    let pair = args.a.is_some();
    let what = match args {
        Args { session, .. } if !session.is_empty() => None,
        Args { side, .. } if !pair && side.recorded => Some((
            "--recorded says how git:REV is read",
            "name git:REV as an operand",
        )),
        Args { side, .. } if !pair => {
            let stray = side.store.options().stray();
            stray.map(|what| (what, "--session ID shows the history of one"))
        }
        _ => None,
    };
    let Some((what, help)) = what else {
        return Ok(());
    };
    let message = format!("{what}, which this report does not show");
    let found = Diagnostic::error(codes::USAGE, message).help(help);
    Err(run.diags.push(found))
}

/// Whether a file is the manifest of the place, or belongs to the store of sessions that the call would read. That place is a
/// wall, also where nothing is read from it.
fn owned(side: &SideArgs, path: &Path, run: &mut Run) -> bool {
    let mut unheard = Diagnostics::default();
    let place = ManifestLocation::standing(&side.given.project(), true, &DiskWorld, &mut unheard);
    place.is_ok_and(|place| {
        run.walls.add(&place.folder);
        let manifest = BTreeSet::from([place.folder.join(manifest::FILE_NAME)]);
        let store = side.store.options().location(&place.folder, &mut unheard);
        store.is_ok_and(|store| store.owns(path)) || output::is_among(path, &manifest)
    })
}

/// A prompt that was built before, or now.
fn of_prompt(args: &Args, context: &mut Context) -> Result<String, ErrorReported> {
    let given = &args.side.given;
    let (tokenizer, now) = (given.tokenizer(), given.now());
    let asked = args
        .cost
        .asked(tokenizer, now, &DiskWorld, &mut context.run)?;
    let Some(path) = &args.artifact else {
        let calls = given.call().scenarios(&mut context.run)?;
        return of_builds(calls, asked.as_ref(), context);
    };
    let mut prompt = artifact::read(&DiskWorld, path, &mut context.run.diags)?;
    count_for(&mut prompt, asked.as_ref());
    context.run.read.insert(path.clone());
    let view = PromptView {
        scenario: None,
        prompt: &prompt,
        fates: &fates_of(&prompt),
        judged: &None,
    };
    Ok(page::of_prompts(&[view], asked.as_ref()))
}

/// A prompt that is built now, or each scenario's.
fn of_builds(
    calls: Vec<BuildCall>,
    asked: Option<&CostQuery>,
    context: &mut Context,
) -> Result<String, ErrorReported> {
    let several = calls.len() > 1;
    let mut all = Vec::new();
    for call in &calls {
        let mut built = call.build(&mut context.run)?;
        let judged = of_build(call, &built.prompt, asked.cloned(), &mut context.run)?;
        count_for(&mut built.prompt, asked);
        all.push((built, Some(judged)));
    }
    let notices = calls.iter().zip(&all).map(|(call, (built, _))| {
        let scenario = call.inputs.scenario.as_deref();
        let own = built.prompt.notices.as_slice();
        (scenario.unwrap_or_default(), own)
    });
    match notices.collect::<Vec<_>>().as_slice() {
        [(_, own)] => context.ui.notices(own),
        several => context.ui.notices(&scenarios::notices(several)),
    }
    let fates = all
        .iter()
        .map(|(built, _)| fates(&built.manifest, &built.prompt));
    let fates: Vec<_> = fates.collect();
    let views = calls.iter().zip(&all).zip(&fates);
    let views = views.map(|((call, (built, judged)), fates)| PromptView {
        scenario: call.inputs.scenario.as_deref().filter(|_| several),
        prompt: &built.prompt,
        fates,
        judged,
    });
    Ok(page::of_prompts(&views.collect::<Vec<_>>(), asked))
}

/// Two prompts.
fn of_pair(args: &Args, context: &mut Context) -> Result<String, ErrorReported> {
    let operands = [args.a.as_deref(), args.b.as_deref()];
    let mut all = diff::compare(operands, &args.side.call(), context)?;
    diff::cost::price(
        &mut all,
        &args.side.given,
        (&args.cost, false),
        &mut context.run,
    )?;
    let [compared] = all.as_mut_slice() else {
        let snapshots = all.iter().filter_map(|c| c.snapshot.as_deref());
        let snapshots = codes::suggest::list(snapshots);
        let message = "a report shows one pair of prompts, but these are several";
        let found = Diagnostic::error(codes::NOTHING_SELECTED, message);
        let help = format!("name one with --scenario, or as snapshot:NAME; they are {snapshots}");
        return Err(context.run.diags.push(found.help(help)));
    };
    let given = &args.side.given;
    let (tokenizer, now) = (given.tokenizer(), given.now());
    let asked = args.cost.known(tokenizer, now, &mut context.run)?;
    let judged = if is_now(args, compared) {
        Some(of_build(
            &given.call(),
            &compared.b,
            asked.clone(),
            &mut context.run,
        )?)
    } else {
        None
    };
    let edits = match judged {
        Some(_) => advised::edits(&given.call(), (&compared.a, &compared.b), &compared.diff),
        None => Vec::new(),
    };
    count_for(&mut compared.a, asked.as_ref());
    count_for(&mut compared.b, asked.as_ref());
    Ok(page::of_pair(compared, &judged, &edits, asked.as_ref()))
}

/// Whether B is a build with the inputs of this call, so that its manifest can be checked.
fn is_now(args: &Args, compared: &Compared) -> bool {
    let b = args.b.as_deref().is_none_or(|b| b == ".");
    let session = args.a.as_deref().is_some_and(|a| a.starts_with("session:"));
    b && !session && compared.snapshot.is_none() && compared.is_exact()
}

/// The page of the history of sessions.
fn of_history(args: &Args, context: &mut Context) -> Result<String, ErrorReported> {
    let given = &args.side.given;
    let now = time(given.now(), &mut context.run)?;
    let span = moment::span(args.since, args.until, now, &mut context.run.diags)?;
    let tokenizer = given.tokenizer();
    let asked = args
        .cost
        .asked(tokenizer, given.now(), &DiskWorld, &mut context.run)?;
    let mut stored = stored::open(
        &given.project(),
        &args.side.store.options(),
        &mut context.run,
    )?;
    let wanted = history_command::Wanted {
        ids: &args.session,
        span,
        by: args.every.map(history_command::ByArg::by),
        tokenizer,
        asked,
    };
    let history = history_command::read(wanted, &mut stored, &mut context.run)?;
    let store = args.side.store.options();
    let store = store.given().and_then(Path::to_str);
    let store = store.map(|path| format!("--store {}", argument(path)));
    let names: Vec<&str> = args.session.iter().map(SessionId::as_str).collect();
    let names = names.join(", ");
    Ok(page::of_history(&names, &history, store.as_deref()))
}
