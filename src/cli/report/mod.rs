//! `promptc report`.

mod usage;

use super::Context;
use super::diff::{self, SideArgs};
use super::model::CostArgs;
use super::session::history as history_command;
use super::store::id;
use crate::compare::Confidence;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest;
use crate::project::Run;
use crate::project::advised;
use crate::project::capture::{self, LogOperand, RequestQuery};
use crate::project::check::of_build;
use crate::project::sessions::place::ManifestLocation;
use crate::project::sessions::stored;
use crate::project::time;
use crate::project::{BuildCall, Compared};
use crate::project::{artifact, output};
use crate::report::explain::{fates, fates_of};
use crate::report::history::argument;
use crate::report::page::{self, PromptView};
use crate::report::scenarios;
use crate::report::verdict::Bill;
use crate::request::cost::{CostQuery, count_for};
use crate::session::store::SessionId;
use crate::world::DiskWorld;
use history_command::time_args::{self, Moment};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The page, if no file is named.
const FILE: &str = "report.html";

/// The help heading of the options of histories.
const HISTORY: &str = "History";

/// The help heading of the options of usage.
const USAGE: &str = "What was billed";

/// Write an HTML page that shows a prompt, a comparison or a history
///
/// The page is one file without network access. It begins with the verdict: the share of the tokens that a cache can
/// reuse, the cost (--model), and the first fix. It shows the prompt with its layers by tier, the source of each part of its text, sizes and budgets, absent and lost layers, and the findings of `check`. For two prompts it
/// also shows where the prefix breaks and why; operands are those of `promptc diff`. With --session it shows the
/// rewrites of a session's rebuilds instead. For a log of requests it shows each request, the reused part and why
/// it was not larger. With --usage it shows the bill: dollars a day by cause, each conversation request by request,
/// and the breaks.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc report                              # a build now, or one of each scenario, as report.html
  promptc report -o page.html                 # as another file
  promptc report --facts facts.json           # the same with facts
  promptc report --from prompt.json           # a prompt that was built before
  promptc report old.json new.json            # two prompts, and where the prefix breaks
  promptc report snapshot:cli                   # a record and a build now
  promptc report git:HEAD --scenario cli      # the snapshot of a commit and a build now
  promptc report session:chat-7               # a stored session, and a build now
  promptc report --session chat-7             # what the rebuilds of a session rewrote
  promptc report requests.jsonl               # the requests of a log, and what broke
  promptc report requests.jsonl --conversation c-819a119d6dcd  # those of a conversation
  promptc report requests.jsonl --usage       # what they cost, by day and cause
  promptc report --usage -o usage.html        # what the agents on this machine cost")]
pub(super) struct Args {
    /// The prompt that may be cached, as in `promptc diff`; or a log of requests
    #[arg(value_name = "A", conflicts_with_all = ["from", "session"])]
    a: Option<String>,
    /// The prompt that is sent now [default: `.`]
    #[arg(value_name = "B", conflicts_with_all = ["from", "session"])]
    b: Option<String>,
    /// The file, written atomically; `-` is stdout
    #[arg(short, long, value_name = "FILE", default_value = FILE)]
    output: PathBuf,
    /// Show this artifact, `-` for standard input, instead of a build now
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["session", "manifest", "roots", "facts", "sets", "scenario"]
    )]
    from: Option<PathBuf>,
    #[command(flatten)]
    side: SideArgs,
    #[command(flatten)]
    cost: CostArgs,
    /// Only this conversation, as `promptc capture show` names it
    #[arg(help_heading = diff::REQUESTS, long, value_name = "ID", requires = "a")]
    conversation: Option<String>,
    /// Name the layer of each changed line, as in `promptc diff`
    #[arg(help_heading = diff::REQUESTS, long, value_name = "PROMPT")]
    layers: Option<String>,
    /// Trace changed lines to the files in this folder
    #[arg(help_heading = diff::REQUESTS, long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// Show the bill, from logs or recordings of other programs [default: transcripts of Claude Code, rollouts of Codex]
    #[arg(
        help_heading = USAGE,
        long,
        value_name = "PATH",
        num_args = 0..,
        group = "priced",
        conflicts_with_all = ["from", "session", "until", "by"]
    )]
    usage: Option<Vec<PathBuf>>,
    /// The recording program, for inputs that are not logs [default: detected]
    #[arg(help_heading = USAGE, long = "as", value_name = "FORMAT", requires = "usage")]
    recorder: Option<String>,
    /// Show the history of this session; repeatable
    #[arg(
        help_heading = HISTORY,
        long = "session",
        value_name = "ID",
        value_parser = id,
        conflicts_with_all = ["roots", "facts", "sets", "scenario", "rebuild"]
    )]
    session: Vec<SessionId>,
    /// Only builds, or requests of --usage, since then: a day or time in UTC, or how long ago, such as 2026-03-30 or 7d
    #[arg(help_heading = HISTORY, long, value_name = "TIME", value_parser = time_args::moment)]
    since: Option<Moment>,
    /// Only builds before then, written the same way
    #[arg(help_heading = HISTORY, long, value_name = "TIME", value_parser = time_args::moment, requires = "session")]
    until: Option<Moment>,
    /// Add up by hours, days, weeks or months, in UTC [default: depends on the time span]
    #[arg(help_heading = HISTORY, long, value_name = "SPAN", requires = "session")]
    by: Option<history_command::ByArg>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    stray(args, &mut context.run)?;
    // A log is read for its requests, and again for what was billed.
    context.run.hold_streams();
    let log = args.a.as_deref().filter(|_| args.usage.is_none());
    let log = log.and_then(LogOperand::of);
    let page = match (&log, args) {
        (
            _,
            Args {
                usage: Some(paths), ..
            },
        ) => usage::page(paths, args, context)?,
        (Some(log), _) => of_log(log, args, context)?,
        (_, Args { session, .. }) if !session.is_empty() => of_history(args, context)?,
        (_, Args { a: Some(_), .. }) => of_pair(args, context)?,
        _ => of_prompt(args, context)?,
    };
    match crate::cli::stdout::named(Some(&args.output)) {
        Some(path)
            if output::is_among(path, &context.run.read) || owned(args, path, &mut context.run) =>
        {
            Err(context.run.diags.push(output::is_input(path)))
        }
        Some(path) => {
            if path == Path::new(FILE) {
                output::check_unnamed(path, &mut context.run)?;
            }
            // A page of a log can be read by whom the log can be read.
            let write = match log.is_some() || args.usage.is_some() {
                true => output::to_private_file,
                false => output::to_file,
            };
            write(path, page.as_bytes(), &mut context.run)?;
            context.ui.remark(&format!("wrote {}\n", path.display()));
            Ok(())
        }
        None => crate::cli::stdout::to_stdout(page.as_bytes(), &mut context.run.diags),
    }
}

/// The requests of a log.
fn of_log(log: &LogOperand, args: &Args, context: &mut Context) -> Result<String, ErrorReported> {
    if log.number.is_some() || args.b.is_some() {
        let message = "a report shows all requests of a log";
        let help = "name the log alone; `promptc diff LOG#41 LOG#42` compares two of them";
        let found = Diagnostic::error(codes::USAGE, message).help(help);
        return Err(context.run.diags.push(found));
    }
    let prompt = diff::layers(args.layers.as_deref(), &args.side, context)?;
    let query = RequestQuery {
        conversation: args.conversation.as_deref(),
        prompt: prompt.as_ref(),
        sources: args.sources.as_deref(),
        ..RequestQuery::default()
    };
    let all = capture::detailed(&log.path, query, &mut context.run)?;
    let title = args.a.as_deref().unwrap_or_default();
    match args.conversation {
        Some(_) => Ok(page::of_log(title, &all, Bill::Whole)),
        None => {
            let report = usage::of_log(&log.path, args, context)?;
            Ok(page::of_log(title, &all, Bill::Known(&report)))
        }
    }
}

/// Options that say nothing here.
fn stray(args: &Args, run: &mut Run) -> Result<(), ErrorReported> {
    let pair = args.a.is_some();
    let is_log = || args.a.as_deref().and_then(LogOperand::of).is_some();
    let what = match args {
        Args { usage: Some(_), .. } => None,
        Args { session, .. } if session.is_empty() && args.since.is_some() => Some((
            "--since chooses builds of a session, or requests of --usage",
            "name a session with --session, or a log with --usage",
        )),
        _ if args.layers.is_some() && !is_log() => Some((
            "--layers names layers in requests of a log",
            "name a log as the operand",
        )),
        _ if args.sources.is_some() && !is_log() => Some((
            "--sources leads lines of requests of a log back to files",
            "name a log as the operand",
        )),
        _ if args.cost.counts_requests() && is_log() => Some((
            "--requests-per-day counts how often a break happens",
            "leave it out: the requests of the log are counted",
        )),
        Args { session, .. } if !session.is_empty() => None,
        Args { side, .. } if !pair && side.rebuild => Some((
            "--rebuild says how git:REV is read",
            "name git:REV as an operand",
        )),
        Args {
            conversation: Some(_),
            a: Some(a),
            ..
        } if LogOperand::of(a).is_none() => Some((
            "--conversation chooses requests of a log",
            "name a log as the operand",
        )),
        Args { side, layers, .. } if !pair || is_log() && !names_session(layers.as_deref()) => {
            let stray = side.store.options().stray();
            stray.map(|what| (what, "--session ID shows the history of one"))
        }
        _ => None,
    };
    match what {
        Some((what, help)) => {
            let message = format!("{what}, which this report does not show");
            let found = Diagnostic::error(codes::USAGE, message).help(help);
            Err(run.diags.push(found))
        }
        None => Ok(()),
    }
}

fn names_session(prompt: Option<&str>) -> bool {
    prompt.is_some_and(|prompt| prompt.starts_with("session:"))
}

/// Whether a file is the manifest of the place, or belongs to the store of sessions that the call would read. That place is a
/// wall, also where nothing is read from it.
fn owned(args: &Args, path: &Path, run: &mut Run) -> bool {
    let mut unheard = Diagnostics::default();
    let place =
        ManifestLocation::standing(&args.side.given.project(), true, &DiskWorld, &mut unheard);
    place.is_ok_and(|place| {
        run.walls.add(&place.folder);
        let manifest = BTreeSet::from([place.folder.join(manifest::FILE_NAME)]);
        let store = args
            .side
            .store
            .options()
            .location(&place.folder, &mut unheard);
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
    let Some(path) = &args.from else {
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
    let mut all = diff::compare(operands, &args.side, context)?;
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
    let judged = match is_now(args, compared) {
        true => Some(of_build(
            &given.call(),
            &compared.b,
            asked.clone(),
            &mut context.run,
        )?),
        false => None,
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
    b && !session && compared.snapshot.is_none() && matches!(compared.diff.sure, Confidence::Map)
}

/// The page of the history of sessions.
fn of_history(args: &Args, context: &mut Context) -> Result<String, ErrorReported> {
    let given = &args.side.given;
    let now = time(given.now(), &mut context.run)?;
    let span = time_args::span(args.since, args.until, now, &mut context.run.diags)?;
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
        by: args.by.map(history_command::ByArg::by),
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
