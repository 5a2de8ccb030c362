//! What was billed for the requests of logs and recordings.

use super::Run;
use super::capture::{self, LogOperand};
use super::input::{self, Input, NAME_A_FILE, Takes, What};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::request::provider::Catalog;
use crate::request::provider::amount::{Amount, Usd};
use crate::request::usage::{Account, Agreement, Bills, Change, Key, Sum, Table, Tokens, Why};
use crate::request::whole::import::Format;
use crate::request::whole::log::Entry;
use crate::world::{DiskWorld, Kind, World};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is asked for.
pub(crate) struct UsageCall<'a> {
    /// Logs and recordings; those of the agents on this machine if there are none.
    pub(crate) paths: &'a [PathBuf],
    /// Who recorded, if the caller says it.
    pub(crate) format: Option<Format>,
    /// What the sums are grouped by, each on its own.
    pub(crate) tables: Vec<Vec<Key>>,
    /// What was sent before is left out.
    pub(crate) since: Option<Timestamp>,
    /// The model that counts in place of those that are named.
    pub(crate) model: Option<String>,
    /// The tables of providers.
    pub(crate) catalog: Catalog,
    /// Is told how many requests were read so far.
    pub(crate) progress: &'a mut dyn FnMut(usize),
}

/// Where agents write what they did, below the home folder, and the variable that says another folder.
const AGENTS: [(&str, &str, &str); 2] = [
    ("CLAUDE_CONFIG_DIR", ".claude", "projects"),
    ("CODEX_HOME", ".codex", "sessions"),
];

/// Sums what was billed.
pub(crate) fn usage(call: UsageCall<'_>, run: &mut Run) -> Result<Account, ErrorReported> {
    let found = match call.paths {
        [] => recordings_here(run)?,
        paths => paths.to_vec(),
    };
    let bills = Bills::new(call.catalog, call.model);
    let tables = call.tables.into_iter().map(Table::new);
    let mut account = Account::new(bills, call.since, tables.collect());
    let (logs, recordings): (Vec<PathBuf>, Vec<PathBuf>) =
        found.into_iter().partition(|path| is_log(path));
    let mut met = 0;
    let mut add = |account: &mut Account, entry: Entry| {
        if matches!(entry, Entry::Request(..)) {
            met += 1;
            (call.progress)(met);
        }
        account.add(entry);
    };
    for log in logs {
        capture::read(&log, run, |entry| add(&mut account, entry))?;
        account.end_of_log();
    }
    if !recordings.is_empty() {
        let each = |entry| add(&mut account, entry);
        capture::entries(&recordings, call.format, run, each)?;
        account.end_of_log();
    }
    for (refusal, count) in &account.refused {
        let message = format!("{count} passed over: {}", refusal.reason());
        let found = Diagnostic::warning(diagnostic::PASSED_OVER, message);
        run.diags.push(found);
    }
    Ok(account)
}

fn is_log(path: &Path) -> bool {
    path.to_str()
        .is_some_and(|path| LogOperand::of(path).is_some_and(|operand| operand.number.is_none()))
}

/// The folders of the agents that were used on this machine.
fn recordings_here(run: &mut Run) -> Result<Vec<PathBuf>, ErrorReported> {
    let world = DiskWorld;
    let home = world.home();
    let folder = |(variable, below, inner): &(&str, &str, &str)| {
        let own = world.env(variable).filter(|value| !value.is_empty());
        let base = own.map(PathBuf::from);
        let base = base.or_else(|| Some(home.as_deref()?.join(below)))?;
        Some(base.join(inner))
    };
    let all: Vec<PathBuf> = AGENTS.iter().filter_map(folder).collect();
    let is_folder = |path: &&PathBuf| matches!(world.kind(path), Ok(Kind::Folder));
    let here: Vec<PathBuf> = all.iter().filter(is_folder).cloned().collect();
    if here.is_empty() {
        let names: Vec<String> = all.iter().map(|path| path.display().to_string()).collect();
        let message = format!("no agent kept anything here: {}", names.join(", "));
        let found = Diagnostic::error(diagnostic::OPERAND_NOT_FOUND, message);
        let help = "name a log of `promptc capture import`, or what an agent recorded";
        return Err(run.diags.push(found.help(help)));
    }
    Ok(here)
}

/// What `usage --format json` writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UsageReport {
    /// What the rows are grouped by.
    pub(crate) by: Vec<String>,
    /// The requests that were summed.
    pub(crate) requests: u64,
    /// Requests without a usage: they are in no sum.
    pub(crate) without_usage: u64,
    /// Usages that contradict themselves: they are in no sum.
    pub(crate) refused: u64,
    /// Requests of a model without a price: their tokens are counted, and cost nothing.
    pub(crate) without_price: u64,
    /// Requests of a model whose price of output is not known: their output costs nothing.
    pub(crate) without_output_price: u64,
    /// When the first was sent.
    pub(crate) from: Option<Timestamp>,
    /// When the last was sent.
    pub(crate) to: Option<Timestamp>,
    /// The sums.
    pub(crate) rows: Vec<UsageRow>,
    /// All of it.
    pub(crate) total: UsageRow,
    /// How often the rule of the provider was right.
    pub(crate) prediction: Agreement,
    /// What would be saved by what, the most first.
    pub(crate) changes: Vec<UsageChange>,
}

/// A sum.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UsageRow {
    /// What it is grouped by: of each key its value.
    #[serde(flatten)]
    #[schemars(with = "Keys")]
    pub(crate) keys: BTreeMap<String, String>,
    /// The requests that have a token in it.
    pub(crate) requests: u64,
    /// The tokens, by what was paid for them.
    pub(crate) buckets: Tokens,
    /// What they cost.
    pub(crate) billed: Amount,
    /// What of that could have been avoided.
    pub(crate) avoidable: Amount,
}

/// The keys of a row, as far as they were asked for.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "it is there for the schema")]
struct Keys {
    /// The day, UTC; `?` where no time is known.
    day: Option<String>,
    /// The model.
    model: Option<String>,
    /// Who serves it; `?` where no table knows it.
    provider: Option<String>,
    /// The conversation.
    conversation: Option<String>,
    /// The lane.
    lane: Option<String>,
    /// What changed first, of tokens that are there for a change; else empty.
    segment: Option<String>,
    /// Why the tokens are there.
    cause: Option<String>,
}

/// What a change would save.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UsageChange {
    /// `ttl`, `stable-prefix`, `append-only` or `breakpoint`.
    pub(crate) change: String,
    /// The model.
    pub(crate) model: String,
    /// The time to live, for `ttl`.
    pub(crate) to: Option<String>,
    /// What all requests would have cost less.
    pub(crate) saves: Amount,
    /// The same, by the days from the first to the last, at least one.
    pub(crate) per_day: Amount,
}

impl UsageReport {
    /// The report of an account, with the rows of one of its tables.
    #[must_use]
    pub(crate) fn of(account: &Account, table: &Table) -> Self {
        let mut total = Sum::default();
        table.rows.values().for_each(|sum| total.add(sum));
        total.requests = account.requests;
        let (from, to) = account.span.unzip();
        let mut report = Self {
            by: table.by.iter().map(|key| key.name().to_owned()).collect(),
            requests: account.requests,
            without_usage: account.without_usage,
            refused: account.refused.values().sum(),
            without_price: account.without_price,
            without_output_price: account.without_output_price,
            from,
            to,
            rows: table
                .rows
                .iter()
                .map(|(keys, sum)| row(&table.by, keys, sum))
                .collect(),
            total: row(&[], &[], &total),
            prediction: account.agreement,
            changes: account
                .savings
                .0
                .iter()
                .map(|((model, change), saves)| changed(model, *change, *saves))
                .collect(),
        };
        report.rank();
        report
    }

    /// Whether sums of many such reports fit.
    fn is_countable(&self) -> bool {
        const MOST: u64 = 1 << 48;
        let counts = self.rows.iter().chain([&self.total]).flat_map(|row| {
            let of = row.buckets;
            let written = [of.write_5m, of.write_1h, of.write_other];
            [row.requests, of.fresh, of.read, of.output]
                .into_iter()
                .chain(written)
        });
        let of = self.prediction;
        let others = [
            self.requests,
            self.without_usage,
            self.refused,
            self.without_price,
            self.without_output_price,
            of.predicted,
            of.agree,
            of.estimated,
            of.evicted,
            of.shared,
            of.none,
        ];
        counts.chain(others).all(|count| count <= MOST)
    }

    /// Adds what another call found. Both must be grouped alike.
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.without_usage += other.without_usage;
        self.refused += other.refused;
        self.without_price += other.without_price;
        self.without_output_price += other.without_output_price;
        self.from = [self.from, other.from].into_iter().flatten().min();
        self.to = [self.to, other.to].into_iter().flatten().max();
        for row in other.rows {
            match self.rows.iter_mut().find(|known| known.keys == row.keys) {
                Some(known) => known.add(&row),
                None => self.rows.push(row),
            }
        }
        self.total.add(&other.total);
        self.prediction += other.prediction;
        for change in other.changes {
            let is_it = |known: &&mut UsageChange| {
                (&known.change, &known.model, &known.to)
                    == (&change.change, &change.model, &change.to)
            };
            match self.changes.iter_mut().find(is_it) {
                Some(known) => known.saves.0 = known.saves.0 + change.saves.0,
                None => self.changes.push(change),
            }
        }
    }

    /// Puts rows and changes into their order, and what is saved on the days.
    fn rank(&mut self) {
        let cause = Key::Cause.name();
        let place = |row: &UsageRow| {
            let others = self.by.iter().filter(|key| *key != cause);
            let others = others.map(|key| row.keys.get(key).cloned());
            let name = row.keys.get(cause);
            let rank = Why::ALL
                .iter()
                .position(|why| Some(why.name()) == name.map(String::as_str));
            (others.collect::<Vec<_>>(), rank)
        };
        self.rows.sort_by_cached_key(place);
        let seconds = self
            .from
            .zip(self.to)
            .map_or(0, |(from, to)| to.duration_since(from).as_secs());
        const DAY: u64 = 86_400;
        let seconds = u64::try_from(seconds).unwrap_or(0).max(DAY);
        for change in &mut self.changes {
            change.per_day = Amount(change.saves.0 * DAY / seconds);
        }
        self.changes.sort_by(|a, b| {
            let names = |c: &UsageChange| (c.model.clone(), c.change.clone(), c.to.clone());
            b.saves.cmp(&a.saves).then_with(|| names(a).cmp(&names(b)))
        });
    }
}

impl UsageRow {
    fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.buckets += other.buckets;
        self.billed.0 = self.billed.0 + other.billed.0;
        self.avoidable.0 = self.avoidable.0 + other.avoidable.0;
    }
}

fn row(by: &[Key], keys: &[String], sum: &Sum) -> UsageRow {
    let names = by.iter().map(|key| key.name().to_owned());
    UsageRow {
        keys: names.zip(keys.iter().cloned()).collect(),
        requests: sum.requests,
        buckets: sum.tokens,
        billed: Amount(sum.billed),
        avoidable: Amount(sum.avoidable),
    }
}

fn changed(model: &str, change: Change, saves: Usd) -> UsageChange {
    let (name, to) = match change {
        Change::Hour => ("ttl", Some("1h")),
        Change::FiveMinutes => ("ttl", Some("5m")),
        Change::StablePrefix => ("stable-prefix", None),
        Change::AppendOnly => ("append-only", None),
        Change::Breakpoint => ("breakpoint", None),
    };
    UsageChange {
        change: name.to_owned(),
        model: model.to_owned(),
        to: to.map(str::to_owned),
        saves: Amount(saves),
        per_day: Amount::default(),
    }
}

/// How a report is told of.
const REPORT: What = What {
    noun: "report",
    missing: diagnostic::OPERAND_NOT_FOUND,
    help: "`promptc usage --format json` writes one",
    folder: NAME_A_FILE,
    unreadable: diagnostic::UNREADABLE_PROGRAM,
    limit: 1 << 30,
    large: "group by less",
    takes: Takes::Files,
};

/// Adds what several calls wrote.
pub(crate) fn added(paths: &[PathBuf], run: &mut Run) -> Result<UsageReport, ErrorReported> {
    let mut sum: Option<UsageReport> = None;
    for path in paths {
        let read = input::read(&DiskWorld, path, &REPORT);
        let Input { name, bytes } = read.map_err(|problem| run.diags.push(*problem))?;
        let bad = |why: String| {
            let message = format!("`{name}` is no report of `promptc usage`: {why}");
            let found = Diagnostic::error(diagnostic::BAD_USAGE_REPORT, message);
            found.help("`promptc usage --format json` writes one")
        };
        let one: UsageReport =
            serde_json::from_slice(&bytes).map_err(|e| run.diags.push(bad(e.to_string())))?;
        if !one.is_countable() {
            return Err(run.diags.push(bad("a count is too large".to_owned())));
        }
        match &mut sum {
            None => sum = Some(one),
            Some(sum) if sum.by == one.by => sum.add(one),
            Some(sum) => {
                let message = format!(
                    "`{name}` is grouped by {}, and the first by {}",
                    one.by.join(","),
                    sum.by.join(",")
                );
                let found = Diagnostic::error(diagnostic::BAD_USAGE_REPORT, message);
                return Err(run
                    .diags
                    .push(found.help("call `promptc usage` with the same --by for each")));
            }
        }
    }
    let mut sum = sum.ok_or_else(|| {
        let found = Diagnostic::error(diagnostic::USAGE, "nothing is added");
        run.diags
            .push(found.help("name reports: --add A.json B.json"))
    })?;
    sum.rank();
    Ok(sum)
}
