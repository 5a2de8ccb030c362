//! The report of a bill: sums, and what could be saved.

use crate::request::provider::amount::{Amount, Usd};
use crate::request::usage::{
    Account, Agreement, Change, Diverged, Evidence, Expensive, Family, Key, MOST_EXPENSIVE, Sum,
    Table, Tokens, Unpriced, Why,
};
use crate::request::whole::{Cause, Kind};
use jiff::Timestamp;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The document that `usage --format json` writes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UsageReport {
    /// The keys of the rows.
    pub(crate) by: Vec<String>,
    /// The requests that were summed.
    pub(crate) requests: u64,
    /// Requests without a usage: they are in no sum.
    pub(crate) without_usage: u64,
    /// The requests that their provider did not process.
    pub(crate) failed: u64,
    /// Usages that contradict themselves or have a number of tokens that is none: they are in no sum.
    pub(crate) refused: u64,
    /// Requests whose answer broke off, or whose recording does not have all of it: their output is at least what is counted.
    pub(crate) partial: u64,
    /// Requests of a model without a price: their tokens are counted, and cost nothing.
    pub(crate) without_price: u64,
    /// Requests of a model whose price of output is not known: their output is counted as free.
    pub(crate) without_output_price: u64,
    /// What requests name that changes their prices and that no table has a row for: it is in no amount.
    pub(crate) unpriced: Vec<UnpricedTerm>,
    /// The fields of usages with a number that are not known: their tokens are in no sum.
    pub(crate) unknown_fields: Vec<UnknownField>,
    /// The day of the newest table of prices.
    pub(crate) prices_as_of: Option<Date>,
    /// Requests that another model answered than the requested one. It is the one that counts.
    pub(crate) other_models: Vec<OtherModel>,
    /// When the first was sent.
    pub(crate) from: Option<Timestamp>,
    /// When the last was sent.
    pub(crate) to: Option<Timestamp>,
    /// The sums.
    pub(crate) rows: Vec<UsageRow>,
    /// All of it.
    pub(crate) total: UsageRow,
    /// The number of requests for which the rule of the provider was right.
    pub(crate) prediction: Agreement,
    /// What the recordings have of the requests.
    #[serde(default)]
    pub(crate) evidence: Evidence,
    /// The most expensive requests, at most five, those that cost most first.
    pub(crate) expensive: Vec<ExpensiveRequest>,
    /// The complete requests that begin a chain.
    #[serde(default)]
    pub(crate) conversations: u64,
    /// Those of them that differ from one of another chain before text that both have.
    #[serde(default)]
    pub(crate) diverged: Vec<UsageDiverged>,
    /// The text that chains of one conversation could share and do not, the most expensive first.
    pub(crate) families: Vec<UsageFamily>,
    /// The possible savings, the largest first.
    pub(crate) changes: Vec<UsageChange>,
}

/// An expensive request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ExpensiveRequest {
    /// Its name: `#` and its number in the log, or the line of its recording.
    pub(crate) request: String,
    /// Its turn in its chain, from 1.
    pub(crate) turn: u64,
    /// The model.
    pub(crate) model: String,
    /// Why most of its cost is there.
    pub(crate) cause: Why,
    /// The first change since the request before; null if there is none.
    pub(crate) segment: Option<String>,
    /// Its cost.
    pub(crate) billed: Amount,
    /// The avoidable part of that.
    pub(crate) avoidable: Amount,
}

/// Requests that another model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct OtherModel {
    /// The requested model.
    pub(crate) model: String,
    /// The model that ran.
    pub(crate) ran: String,
    /// Their number.
    pub(crate) requests: u64,
}

/// Requests whose price a table lacks in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UnpricedTerm {
    /// `speed`, `service_tier`, `inference_geo`, `fallback_credit`, `latency`, `ttl` or `time`.
    pub(crate) term: String,
    /// Its value, such as `flex`.
    pub(crate) value: String,
    /// Their number.
    pub(crate) requests: u64,
}

/// A field of usages that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UnknownField {
    /// Its path; `…` for those after the first fifty.
    pub(crate) field: String,
    /// The number of requests whose usage has it.
    pub(crate) requests: u64,
}

/// A sum.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UsageRow {
    /// The values of its keys.
    #[serde(flatten)]
    #[schemars(with = "Keys")]
    pub(crate) keys: BTreeMap<String, String>,
    /// The requests that have a token in it.
    pub(crate) requests: u64,
    /// The tokens, by what was paid for them.
    pub(crate) buckets: Tokens,
    /// Their cost.
    pub(crate) billed: Amount,
    /// The avoidable part of that.
    pub(crate) avoidable: Amount,
    /// By file: the avoidable cost of tokens, its own and others, that were lost by changes in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) caused: Option<Amount>,
    /// Whether its tokens are a share by bytes of what was billed; left out if they are not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) estimated: bool,
}

/// The requested keys of a row.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "it is there for the schema")]
struct Keys {
    /// The day, UTC; `?` where no time is known.
    #[serde(default)]
    day: Option<String>,
    /// The model.
    #[serde(default)]
    model: Option<String>,
    /// The provider; `?` if no table knows it.
    #[serde(default)]
    provider: Option<String>,
    /// The conversation.
    #[serde(default)]
    conversation: Option<String>,
    /// The chain.
    #[serde(default)]
    chain: Option<String>,
    /// The first change, for tokens that are counted because of a change; else empty.
    #[serde(default)]
    segment: Option<String>,
    /// The tool that changed first, likewise.
    #[serde(default)]
    tool: Option<String>,
    /// The layer that changed first, likewise.
    #[serde(default)]
    layer: Option<String>,
    /// The part of the request that the tokens are of: the path of a file, `tools/NAME`, `system`, `messages`, `output`, or `?` if the recording
    /// lacks it.
    #[serde(default)]
    file: Option<String>,
    /// The version of the file: the newest commit that has it, else `text:` and digits of what was loaded; empty of what is no file.
    #[serde(default)]
    version: Option<String>,
    /// Why the tokens are there.
    #[serde(default)]
    cause: Option<String>,
}

/// Requests that open a chain, such as those of sub-agents, and have text of another chain of their conversation after
/// the first difference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UsageFamily {
    /// The model.
    pub(crate) model: String,
    /// The segment in which they begin to differ.
    pub(crate) segment: String,
    /// The number of requests.
    pub(crate) requests: u64,
    /// The tokens that both chains have, and that were not read.
    pub(crate) tokens: u64,
    /// Their additional cost compared with a cache read.
    pub(crate) cost: Amount,
}

/// Requests that begin a chain, and differ from one of another chain before text that both have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UsageDiverged {
    /// The model.
    pub(crate) model: String,
    /// The segment in which they differ first.
    pub(crate) segment: String,
    /// How the first of them differs there.
    pub(crate) first: Cause,
    /// The number of requests.
    pub(crate) conversations: u64,
    /// The saving a day of the best of `changes` that moves what differs and nothing else, if one saves something.
    pub(crate) per_day: Option<Amount>,
}

/// Something that can be changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UsageStep {
    /// `ttl`, `prefix-ttl`, `stable-prefix`, `append-only`, `breakpoint`, `breakpoints`, `tools-in-order`, `to-end`, `to-message` or
    /// `together`.
    pub(crate) change: String,
    /// The time to live, for `ttl` and `prefix-ttl`.
    pub(crate) to: Option<String>,
    /// The segment or layer, for `to-end` and `to-message`.
    pub(crate) of: Option<String>,
    /// The edit or setting; empty for `together`.
    pub(crate) advice: String,
}

/// The saving of a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UsageChange {
    /// The change.
    #[serde(flatten)]
    pub(crate) step: UsageStep,
    /// The model.
    pub(crate) model: String,
    /// The changes that are made at once, for `together`; else empty.
    pub(crate) together: Vec<UsageStep>,
    /// The saving over all requests.
    pub(crate) saves: Amount,
    /// The saving a day, over the days from the first to the last, at least one.
    pub(crate) per_day: Amount,
}

impl UsageReport {
    /// The report of an account, with the rows of one of its tables.
    #[must_use]
    pub(crate) fn of(account: &Account<'_>, table: &Table, layers: &BTreeSet<&str>) -> Self {
        let mut total = Sum::default();
        table.rows.values().for_each(|sum| total.add(sum));
        total.requests = account.requests;
        total.is_estimated = false;
        let (from, to) = account.span.unzip();
        let mut report = Self {
            by: table.by.iter().map(|key| key.name().to_owned()).collect(),
            requests: account.requests,
            without_usage: account.without_usage,
            failed: account.failed,
            refused: account.refused.values().sum(),
            partial: account.partial,
            without_price: account.without_price,
            without_output_price: account.without_output_price,
            unpriced: account.unpriced.iter().map(unpriced).collect(),
            unknown_fields: account.unknown.iter().map(unknown_field).collect(),
            prices_as_of: Some(account.prices_as_of()),
            other_models: account.other_models.iter().map(other_model).collect(),
            from,
            to,
            rows: table
                .rows
                .iter()
                .map(|(keys, sum)| row(&table.by, keys, sum))
                .collect(),
            total: row(&table.by, &[], &total),
            prediction: account.agreement,
            evidence: account.evidence,
            conversations: account.conversations,
            diverged: account.diverged.iter().map(diverged).collect(),
            families: account.families.iter().map(family).collect(),
            expensive: account.expensive.iter().map(expensive).collect(),
            changes: account
                .savings
                .0
                .iter()
                .map(|((model, change), saves)| changed(model, change, *saves, layers))
                .collect(),
        };
        report.rank();
        report
    }

    /// Whether sums of many such reports fit.
    pub(super) fn is_countable(&self) -> bool {
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
            self.failed,
            self.refused,
            self.partial,
            self.conversations,
            self.without_price,
            self.without_output_price,
            of.predicted,
            of.agree,
            of.estimated,
            of.evicted,
            of.shared,
            of.none,
            self.evidence.whole,
            self.evidence.snapshots,
            self.evidence.neither,
        ];
        let diverged = self.diverged.iter().map(|of| of.conversations);
        let families = self.families.iter().flat_map(|of| [of.requests, of.tokens]);
        let models = self.other_models.iter().map(|of| of.requests);
        let unpriced = self.unpriced.iter().map(|of| of.requests);
        let unknown = self.unknown_fields.iter().map(|of| of.requests);
        counts
            .chain(models)
            .chain(unpriced)
            .chain(unknown)
            .chain(others)
            .chain(families)
            .chain(diverged)
            .all(|count| count <= MOST)
    }

    /// Adds what another call found. Both must be grouped alike.
    pub(super) fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.without_usage += other.without_usage;
        self.failed += other.failed;
        self.refused += other.refused;
        self.partial += other.partial;
        self.without_price += other.without_price;
        self.without_output_price += other.without_output_price;
        self.prices_as_of = self.prices_as_of.min(other.prices_as_of);
        join(
            &mut self.unpriced,
            other.unpriced,
            |a, b| (&a.term, &a.value) == (&b.term, &b.value),
            |known, more| known.requests += more.requests,
        );
        join(
            &mut self.unknown_fields,
            other.unknown_fields,
            |a, b| a.field == b.field,
            |known, more| known.requests += more.requests,
        );
        join(
            &mut self.other_models,
            other.other_models,
            |a, b| (&a.model, &a.ran) == (&b.model, &b.ran),
            |known, more| known.requests += more.requests,
        );
        self.from = [self.from, other.from].into_iter().flatten().min();
        self.to = [self.to, other.to].into_iter().flatten().max();
        join(
            &mut self.rows,
            other.rows,
            |a, b| a.keys == b.keys,
            UsageRow::add,
        );
        self.expensive.extend(other.expensive);
        self.total.add(&other.total);
        self.prediction += other.prediction;
        self.evidence += other.evidence;
        self.conversations += other.conversations;
        join(
            &mut self.diverged,
            other.diverged,
            |a, b| (&a.model, &a.segment) == (&b.model, &b.segment),
            |known, more| known.conversations += more.conversations,
        );
        join(
            &mut self.families,
            other.families,
            |a, b| (&a.model, &a.segment) == (&b.model, &b.segment),
            |known, more| {
                known.requests += more.requests;
                known.tokens += more.tokens;
                known.cost.0 = known.cost.0 + more.cost.0;
            },
        );
        join(
            &mut self.changes,
            other.changes,
            |a, b| (&a.step, &a.model, &a.together) == (&b.step, &b.model, &b.together),
            |known, more| known.saves.0 = known.saves.0 + more.saves.0,
        );
    }

    /// What a file cost, by its path or the end of it; none if no row is of it.
    #[must_use]
    pub(crate) fn of_file(&self, path: &str) -> Option<Amount> {
        let is_it = |row: &&UsageRow| {
            let name = row.keys.get(Key::File.name());
            let front = name.and_then(|name| name.strip_suffix(path));
            front.is_some_and(|front| front.is_empty() || front.ends_with('/'))
        };
        let billed = self.rows.iter().filter(is_it).map(|row| row.billed.0);
        billed.reduce(|sum, usd| sum + usd).map(Amount)
    }

    /// An amount of all requests, by the days from the first to the last, at least one.
    pub(crate) fn a_day(&self, all: Usd) -> Usd {
        a_day(all, self.from, self.to)
    }

    /// Puts rows and changes into their order, and what is saved on the days.
    pub(super) fn rank(&mut self) {
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
        let by_cost = [Key::Request, Key::File].map(Key::name);
        if self.by.iter().any(|key| by_cost.contains(&&**key)) {
            self.rows.sort_by_key(|row| Reverse(row.billed.0));
        }
        self.expensive.sort_by_key(|one| Reverse(one.billed.0));
        self.expensive.truncate(MOST_EXPENSIVE);
        self.families.sort_by(|a, b| {
            let names = |f: &UsageFamily| (f.model.clone(), f.segment.clone());
            b.cost.cmp(&a.cost).then_with(|| names(a).cmp(&names(b)))
        });
        let (from, to) = (self.from, self.to);
        for change in &mut self.changes {
            change.per_day = Amount(a_day(change.saves.0, from, to));
        }
        self.changes.sort_by(|a, b| {
            let names = |c: &UsageChange| (c.model.clone(), c.step.clone(), c.together.clone());
            b.saves.cmp(&a.saves).then_with(|| names(a).cmp(&names(b)))
        });
        for one in &mut self.diverged {
            // The first one saves most.
            let mut moves = self
                .changes
                .iter()
                .filter(|change| one.is_undone_by(change));
            one.per_day = moves.next().map(|change| change.per_day);
        }
        self.diverged.sort_by(|a, b| {
            let names = |of: &UsageDiverged| (of.model.clone(), of.segment.clone());
            let order = (b.per_day.cmp(&a.per_day)).then(b.conversations.cmp(&a.conversations));
            order.then_with(|| names(a).cmp(&names(b)))
        });
    }
}

/// Adds each to the one that it is the same as, or to the list.
fn join<T>(
    all: &mut Vec<T>,
    more: Vec<T>,
    is_same: impl Fn(&T, &T) -> bool,
    add: impl Fn(&mut T, &T),
) {
    for one in more {
        match all.iter_mut().find(|known| is_same(known, &one)) {
            Some(known) => add(known, &one),
            None => all.push(one),
        }
    }
}

/// The change that puts the tools in one order.
const TOOLS_IN_ORDER: &str = "tools-in-order";

const DAY: u64 = 86_400;

/// The seconds from one time to another, at least a day.
fn seconds(from: Option<Timestamp>, to: Option<Timestamp>) -> u64 {
    let seconds = from
        .zip(to)
        .map_or(0, |(from, to)| to.duration_since(from).as_secs());
    u64::try_from(seconds).unwrap_or(0).max(DAY)
}

fn a_day(all: Usd, from: Option<Timestamp>, to: Option<Timestamp>) -> Usd {
    all * DAY / seconds(from, to)
}

impl UsageDiverged {
    /// Whether a change that saves something moves what differs, and nothing else; settings may be changed with it.
    fn is_undone_by(&self, change: &UsageChange) -> bool {
        let steps = || [&change.step].into_iter().chain(&change.together);
        let moves = |step: &UsageStep| match self.first.kind {
            Kind::ToolMoved => step.change == TOOLS_IN_ORDER,
            _ => step.of.as_ref() == Some(&self.segment),
        };
        let is_other = |step: &UsageStep| step.of.is_some() && !moves(step);
        let saves = change.model == self.model && change.saves.0 > Usd::default();
        saves && steps().any(moves) && !steps().any(is_other)
    }
}

impl UsageChange {
    /// The edit or setting; several for changes that were simulated together.
    pub(crate) fn advice(&self) -> String {
        let all = self.together.iter().map(|step| step.advice.as_str());
        if self.together.is_empty() {
            self.step.advice.clone()
        } else {
            all.collect::<Vec<_>>().join("; ")
        }
    }
}

impl UsageRow {
    fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.buckets += other.buckets;
        self.billed.0 = self.billed.0 + other.billed.0;
        self.avoidable.0 = self.avoidable.0 + other.avoidable.0;
        self.caused = match (self.caused, other.caused) {
            (Some(one), Some(other)) => Some(Amount(one.0 + other.0)),
            (one, other) => one.or(other),
        };
        self.estimated |= other.estimated;
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
        caused: by.contains(&Key::File).then_some(Amount(sum.caused)),
        estimated: sum.is_estimated,
    }
}

fn expensive(of: &Expensive) -> ExpensiveRequest {
    ExpensiveRequest {
        request: of.request.clone(),
        turn: of.turn as u64,
        model: of.model.clone(),
        cause: of.why,
        segment: of.segment.clone(),
        billed: Amount(of.billed),
        avoidable: Amount(of.avoidable),
    }
}

fn unpriced(((term, value), requests): (&Unpriced, &u64)) -> UnpricedTerm {
    UnpricedTerm {
        term: (*term).to_owned(),
        value: value.clone(),
        requests: *requests,
    }
}

fn unknown_field((field, requests): (&String, &u64)) -> UnknownField {
    UnknownField {
        field: field.clone(),
        requests: *requests,
    }
}

fn other_model(((model, ran), requests): (&(String, String), &u64)) -> OtherModel {
    OtherModel {
        model: model.clone(),
        ran: ran.clone(),
        requests: *requests,
    }
}

fn diverged(((model, segment), of): (&(String, String), &Diverged)) -> UsageDiverged {
    UsageDiverged {
        model: model.clone(),
        segment: segment.clone(),
        first: of.first.clone(),
        conversations: of.requests,
        per_day: None,
    }
}

fn family(((model, segment), family): (&(String, String), &Family)) -> UsageFamily {
    UsageFamily {
        model: model.clone(),
        segment: segment.clone(),
        requests: family.requests,
        tokens: family.tokens,
        cost: Amount(family.cost),
    }
}

fn changed(model: &str, change: &Change, saves: Usd, layers: &BTreeSet<&str>) -> UsageChange {
    let together: &[Change] = match change {
        Change::Together(all) => all,
        _ => &[],
    };
    UsageChange {
        step: step(change, layers),
        model: model.to_owned(),
        together: together.iter().map(|one| step(one, layers)).collect(),
        saves: Amount(saves),
        per_day: Amount::default(),
    }
}

fn step(change: &Change, layers: &BTreeSet<&str>) -> UsageStep {
    let (name, to, of) = match change {
        Change::Hour => ("ttl", Some("1h"), None),
        Change::FiveMinutes => ("ttl", Some("5m"), None),
        Change::PrefixHour => ("prefix-ttl", Some("1h"), None),
        Change::StablePrefix => ("stable-prefix", None, None),
        Change::AppendOnly => ("append-only", None, None),
        Change::Breakpoint => ("breakpoint", None, None),
        Change::Breakpoints => ("breakpoints", None, None),
        Change::ToolsInOrder => (TOOLS_IN_ORDER, None, None),
        Change::ToEnd(of) => ("to-end", None, Some(of)),
        Change::ToMessage(of) => ("to-message", None, Some(of)),
        Change::Together(_) => ("together", None, None),
    };
    UsageStep {
        change: name.to_owned(),
        to: to.map(str::to_owned),
        of: of.cloned(),
        advice: change.advice(|name| layers.contains(name)),
    }
}
