//! `promptc session history`.

use crate::cli::Context;
use crate::cli::given::tokenizer;
use crate::cli::model::CostArgs;
use crate::cli::store::StoredArgs;
use crate::cli::store::id;
use crate::cli::ui::Page;
use crate::cli::ui::answer;
use crate::diagnostic::ErrorReported;
use crate::project::Run;
use crate::project::moment::{self, Moment};
use crate::project::sessions::location::refuse;
use crate::project::sessions::stored::Stored;
use crate::project::time;
use crate::report::history::{Shown, argument};
use crate::report::words::count;
use crate::report::{self, Document};
use crate::request::cost::CostQuery;
use crate::session::history::{By, History, Reader, Span};
use crate::session::store::SessionId;
use crate::text::tokens::Tokenizer;
use crate::world::DiskWorld;
use clap::ValueEnum;
use std::collections::BTreeSet;

/// Rank layers by the tokens that their breaks rewrote
///
/// Compares each build of a session with the one before, as `promptc diff` does: which layer broke the prefix, why,
/// and how many tokens came after the break and were not cached. Only stored builds count; the number of removed
/// builds is reported.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session history                         # all sessions of the store
  promptc session history chat-7                  # one of them; more can be named
  promptc session history --since 7d              # the last seven days
  promptc session history --since 2026-03-01 --until 2026-04-01 --every week
  promptc session history --tokenizer claude      # tokens of another model
  promptc session history --model claude-opus-5-5 # with what the breaks cost
  promptc session history --format markdown       # tables, for a comment or a report
  promptc session history --format json           # for programs, with each rebuild")]
pub(super) struct Args {
    /// The sessions [default: all]
    #[arg(value_name = "ID", value_parser = id)]
    ids: Vec<SessionId>,
    #[command(flatten)]
    stored: StoredArgs,
    /// Only what is since then: a day or time in UTC, or how long ago, such as 2026-03-30 or 7d
    #[arg(long, value_name = "TIME", value_parser = moment::moment, allow_hyphen_values = true)]
    since: Option<Moment>,
    /// Only what is before then, written the same way
    #[arg(long, value_name = "TIME", value_parser = moment::moment, allow_hyphen_values = true)]
    until: Option<Moment>,
    /// The current time, RFC 3339 [default: the clock]
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Add up by hours, days, weeks or months, in UTC [default: depends on the time span]
    #[arg(long, value_name = "SPAN")]
    every: Option<ByArg>,
    /// The number of layers to draw; JSON has all
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = crate::cli::store::positive::<u32>)]
    top: u32,
    /// Count tokens with this tokenizer [default: as each prompt was counted, else an estimate by o200k]
    #[arg(long, value_name = "NAME", value_parser = tokenizer)]
    tokenizer: Option<Tokenizer>,
    #[command(flatten)]
    cost: CostArgs,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Draw with ASCII only, as is done where the output is no terminal
    #[arg(long)]
    ascii: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ByArg {
    Hour,
    Day,
    Week,
    Month,
}

impl ByArg {
    pub(crate) fn by(self) -> By {
        match self {
            Self::Hour => By::Hour,
            Self::Day => By::Day,
            Self::Week => By::Week,
            Self::Month => By::Month,
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let now = time(args.now.as_deref(), &mut context.run)?;
    let span = moment::span(args.since, args.until, now, &mut context.run.diags)?;
    let (tokenizer, at) = (args.tokenizer, args.now.as_deref());
    let asked = args
        .cost
        .asked(tokenizer, at, &DiskWorld, &mut context.run)?;
    let mut stored = args.stored.call().open(&mut context.run)?;
    let wanted = Wanted {
        ids: &args.ids,
        span,
        by: args.every.map(ByArg::by),
        tokenizer,
        asked,
    };
    let history = read(wanted, &mut stored, &mut context.run)?;
    let call = args.stored.call();
    let named = call.named();
    let named = named.map(|(option, value)| format!("{option} {}", argument(value)));
    let mut shown = Shown {
        top: args.top as usize,
        causes: false,
        look: None,
    };
    let text = match args.format {
        Format::Json => answer::page(&history),
        Format::Markdown => {
            let mut page = Document::new();
            page.heading("Session history");
            page.extend(report::history::history(&history, shown).blocks);
            Page::markdown(&page)
        }
        Format::Human if history.builds == 0 => {
            let why = nothing(&mut stored, span);
            context.ui.remark(&why);
            return Ok(());
        }
        Format::Human => {
            shown.look = Some(named.as_deref());
            let terminal = context.ui.terminal(args.ascii);
            Page::drawn(terminal.draw(&report::history::history(&history, shown)))
        }
    };
    context.ui.result(&text, &mut context.run.diags)
}

/// The selection of a history.
pub(crate) struct Wanted<'a> {
    /// The sessions; none for all.
    pub(crate) ids: &'a [SessionId],
    /// When.
    pub(crate) span: Span,
    /// The grouping of its sums.
    pub(crate) by: Option<By>,
    /// The tokenizer of the counts.
    pub(crate) tokenizer: Option<Tokenizer>,
    /// The model that costs are for.
    pub(crate) asked: Option<CostQuery>,
}

/// The history of the sessions that were asked for.
pub(crate) fn read(
    wanted: Wanted<'_>,
    stored: &mut Stored,
    run: &mut Run,
) -> Result<History, ErrorReported> {
    let ids: Vec<SessionId> = if wanted.ids.is_empty() {
        let all = stored.step(Vec::new(), |store| store.sessions(), run)?;
        all.into_iter().map(|session| session.id).collect()
    } else {
        let named: BTreeSet<&SessionId> = wanted.ids.iter().collect();
        for id in &named {
            // Errors of the others are reported too.
            let _ = stored.session(id, run);
        }
        run.diags.check()?;
        named.into_iter().cloned().collect()
    };
    let location = stored.location.clone();
    let Some(store) = stored.get() else {
        return Ok(History::of([], wanted.by));
    };
    let mut reader = Reader::new(store, wanted.tokenizer).with_costs(wanted.asked);
    let told = ids.iter().map(|id| reader.session(id, wanted.span));
    let told: Result<Vec<_>, _> = told.collect();
    match told {
        Ok(told) => Ok(History::of(told, wanted.by)),
        Err(error) => Err(run.diags.push(refuse(&error, &location))),
    }
}

/// Why there is nothing to draw.
fn nothing(stored: &mut Stored, span: Span) -> String {
    let name = stored.name();
    let Some(store) = stored.get() else {
        return format!("there is no store `{name}`\n");
    };
    match store.sessions().map_or(0, |all| all.len()) {
        0 => format!("the store `{name}` has no sessions\n"),
        _ if span == Span::default() => format!("the store `{name}` has no builds of them\n"),
        n => format!("no builds in that time, of {}\n", count(n, "session")),
    }
}
