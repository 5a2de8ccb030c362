//! `promptc session list`.

use super::Format;
use super::clock::{age, length, rfc3339};
use super::show::Who;
use crate::cli::Context;
use crate::cli::store::StoredArgs;
use crate::cli::ui::answer;
use crate::diagnostic::ErrorReported;
use crate::project::time;
use crate::prompt::Deliver;
use crate::report::{Document, Table, words};
use crate::session::SessionMeta;
use crate::session::store::{RulesSession, Session, Store};
use schemars::JsonSchema;
use serde::Serialize;

/// List the sessions of a store
///
/// Sessions are in byte order of their IDs, including those that only got directory rules. No text is read, so listing is
/// fast even for thousands.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session list                          # those of the manifest here or above
  promptc session list --store sessions.db      # those of a store
  promptc session list --unused 30d             # those that were not used for 30 days
  promptc session list --format json            # for programs")]
pub(super) struct Args {
    #[command(flatten)]
    stored: StoredArgs,
    /// Sessions that were not used during this time, such as 30d
    #[arg(long, value_name = "TIME", value_parser = length)]
    unused: Option<u64>,
    /// Sessions that were used during this time, such as 1h30m
    #[arg(long, value_name = "TIME", value_parser = length)]
    used: Option<u64>,
    /// The current time, RFC 3339 [default: the clock]
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// The output of `session list --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report {
    /// The store, as messages call it.
    store: String,
    /// Whether there is one.
    exists: bool,
    /// In byte order of their IDs.
    sessions: Vec<Listed>,
    /// Sessions that got directory rules and were never built, in the same order.
    directory_rules: Vec<RulesOnly>,
}

/// A session that has only directory rules.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RulesOnly {
    /// Its ID.
    session: String,
    /// When it asked for directory rules last, RFC 3339, to the hour.
    used: String,
    /// The number of folders whose directory rules it got.
    folders: usize,
}

/// A session in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Listed {
    /// Its ID.
    session: String,
    /// The number of its newest build, from 1: how often it was built.
    build: u64,
    /// Why that build was made: `first`, `event:NAME`, `idle:SECONDS`, `fact:NAME` or `asked`.
    reason: String,
    /// When it was built first, RFC 3339.
    created: String,
    /// When its newest build was made, RFC 3339.
    built: String,
    /// When it was asked for last, RFC 3339.
    used: String,
    /// The frozen system prompt, in bytes; null if another release wrote it and this one cannot read it.
    bytes: Option<usize>,
    /// The `name` of its manifest; null if that has none.
    prompt: Option<String>,
    /// Its manifest: an absolute path, or `builtin:NAME@N`; null if it was not known.
    manifest: Option<String>,
    /// Whether its newest build was imported.
    imported: bool,
    /// The facts that say who it is.
    identity: Vec<Who>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let now = time(args.now.as_deref(), &mut context.run)?;
    let mut stored = args.stored.call().open(&mut context.run)?;
    let all = stored.step(Vec::new(), |store| store.sessions(), &mut context.run)?;
    let directory_rules = |store: &mut dyn Store| store.rules_sessions();
    let mut directory_rules = stored.step(Vec::new(), directory_rules, &mut context.run)?;
    directory_rules.retain(|directory_rules| {
        all.binary_search_by(|session| session.id.as_str().cmp(directory_rules.id.as_str()))
            .is_err()
    });
    let count = all.len() + directory_rules.len();
    let is_wanted = |used: i64| {
        let before = |t: u64| used < now.saturating_sub_unsigned(t);
        args.unused.is_none_or(before) && args.used.is_none_or(|t| !before(t))
    };
    let wanted = all.iter().filter(|session| is_wanted(session.used));
    directory_rules.retain(|directory_rules| is_wanted(directory_rules.used));
    let sessions: Vec<(&Session, Option<SessionMeta>)> = wanted
        // Data of another release does not prevent listing the others.
        .map(|session| (session, SessionMeta::of(&session.build).ok()))
        .collect();
    let text = match args.format {
        Format::Json => {
            let report = Report {
                store: stored.name(),
                exists: stored.get().is_some(),
                sessions: sessions
                    .iter()
                    .map(|(s, t)| listed(s, t.as_ref()))
                    .collect(),
                directory_rules: directory_rules.iter().map(RulesOnly::of).collect(),
            };
            answer::page(&report)
        }
        Format::Human if sessions.is_empty() && directory_rules.is_empty() => {
            context
                .ui
                .remark(&none(&stored.name(), stored.get().is_some(), count));
            return Ok(());
        }
        Format::Human => context.ui.drawn(&draw(&sessions, &directory_rules, now)),
    };
    context.ui.result(&text, &mut context.run.diags)
}

/// Why the list is empty.
fn none(name: &str, is_there: bool, all: usize) -> String {
    match (is_there, all) {
        (false, _) => format!("there is no store `{name}`\n"),
        (true, 0) => format!("the store `{name}` has no sessions\n"),
        (true, n) => format!("none of {}\n", words::count(n, "session")),
    }
}

/// The bytes of the system prompt.
fn bytes(terms: &SessionMeta) -> usize {
    terms.bytes.get(&Deliver::System).copied().unwrap_or(0)
}

fn listed(session: &Session, terms: Option<&SessionMeta>) -> Listed {
    Listed {
        session: session.id.to_string(),
        build: session.build.number,
        reason: session.build.reason.to_string(),
        created: rfc3339(session.created),
        built: rfc3339(session.build.at),
        used: rfc3339(session.used),
        bytes: terms.map(bytes),
        prompt: terms.and_then(|t| t.name.clone()),
        manifest: terms.and_then(|t| t.manifest.clone()),
        imported: session.build.imported,
        identity: terms.map(Who::of).unwrap_or_default(),
    }
}

impl RulesOnly {
    fn of(directory_rules: &RulesSession) -> Self {
        Self {
            session: directory_rules.id.to_string(),
            used: rfc3339(directory_rules.used),
            folders: directory_rules.folders,
        }
    }
}

fn draw(
    sessions: &[(&Session, Option<SessionMeta>)],
    directory_rules: &[RulesSession],
    now: i64,
) -> Document {
    let heads = [
        "session", ">build", "reason", ">created", ">used", ">bytes", "of",
    ];
    let mut rows = Vec::new();
    for (session, terms) in sessions {
        let of = terms
            .as_ref()
            .and_then(|t| t.name.as_ref().or(t.manifest.as_ref()));
        let bytes = terms.as_ref().map(|t| words::thousands(bytes(t)));
        let row = [
            short(session.id.as_str()),
            words::thousands(usize::try_from(session.build.number).unwrap_or(usize::MAX)),
            session.build.reason.to_string(),
            age(session.created, now),
            age(session.used, now),
            bytes.unwrap_or_else(|| "?".to_owned()),
            short(of.map_or("", String::as_str)),
        ];
        rows.push((&session.id, row));
    }
    for directory_rules in directory_rules {
        let none = || "-".to_owned();
        let row = [
            short(directory_rules.id.as_str()),
            none(),
            "directory rules only".to_owned(),
            none(),
            age(directory_rules.used, now),
            none(),
            String::new(),
        ];
        rows.push((&directory_rules.id, row));
    }
    rows.sort_by_key(|(id, _)| id.as_str());
    let mut table = Table::new(&heads);
    rows.into_iter().for_each(|(_, row)| table.row(row));
    let mut out = Document::new();
    out.push(table);
    out
}

/// A long text with its middle left out, so that the other rows stay in the window. What it is as a whole is in the JSON.
fn short(text: &str) -> String {
    const SIDE: usize = 20;
    let chars: Vec<char> = words::plain(text).chars().collect();
    if chars.len() > 2 * SIDE + 3 {
        let (head, tail) = (&chars[..SIDE], &chars[chars.len() - SIDE..]);
        head.iter().chain(&['.'; 3]).chain(tail).collect()
    } else {
        chars.into_iter().collect()
    }
}
