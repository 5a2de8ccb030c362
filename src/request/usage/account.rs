//! The account of logs: the bills of all requests, summed.

use super::across::Shared;
use super::bills::{Again, Bill, Bills, reads_more};
use super::entries::{AsCached, begun};
use super::family::Family;
use super::files::{Subjects, UNKNOWN, by_subject};
use super::ledger::{
    Agreement, Change, Evidence, Item, Key, Portion, Savings, Subject, Sum, Table, segment,
};
use super::owners::Owners;
use super::rates::{FIVE_MINUTES, HOUR, Priced, Rates, Unpriced};
use super::record::Refusal;
use super::replay::{Played, Replay, Scout};
use super::tokens::Tokens;
use super::why::Why;
use crate::request::provider::amount::Usd;
use crate::request::whole::log::{Entry, Exchanged, Origin, RequestLine};
use crate::request::whole::{AnswerState, Cause, Kind, Request, loaded_files};
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most fields that are named.
const MOST_UNKNOWN: usize = 50;

/// The account of one or more logs.
#[derive(Debug, Default)]
pub struct Account<'o> {
    /// The requested sums.
    pub tables: Vec<Table>,
    /// The number of requests that were summed.
    pub requests: u64,
    /// The number of requests without usage.
    pub without_usage: u64,
    /// The number of requests that their provider did not process.
    pub failed: u64,
    /// The number of requests whose answer broke off or has no count of its output: that is at least what was counted.
    pub partial: u64,
    /// The number of requests to a model without a price.
    pub without_price: u64,
    /// The number of requests to a model whose price of output is not known.
    pub without_output_price: u64,
    /// What requests name that changes their prices and is in no table, with their number.
    pub unpriced: BTreeMap<Unpriced, u64>,
    /// The fields of usages with a number that no table has, with the number of requests.
    pub unknown: BTreeMap<String, u64>,
    /// The number of requests that another model answered than the requested one: by the requested and the other.
    pub other_models: BTreeMap<(String, String), u64>,
    /// Usages that were not counted, by reason.
    pub refused: BTreeMap<Refusal, u64>,
    /// The first and the last request.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The number of requests for which the rule was right.
    pub agreement: Agreement,
    /// What the recordings have of the requests.
    pub evidence: Evidence,
    /// The text that chains of one conversation could share and do not, by model and by the segment at which they start
    /// to differ.
    pub families: BTreeMap<(String, String), Family>,
    /// The complete requests that begin a chain.
    pub conversations: u64,
    /// Those that differ from one of another chain before text that both have, by model and by the segment in which they do.
    pub diverged: BTreeMap<(String, String), Diverged>,
    /// The possible savings.
    pub savings: Savings,
    /// By model what a breakpoint at the end can save at most, by the causes of requests that are played.
    without_breakpoint: BTreeMap<String, Usd>,
    /// The most expensive requests, those that cost most first.
    pub expensive: Vec<Expensive>,
    bills: Bills,
    scout: Scout,
    replay: Replay,
    /// Whether requests are played and nothing else.
    only_replays: bool,
    owners: Option<&'o dyn Owners>,
    subjects: Subjects,
    /// Other requests are not summed.
    period: Period,
    /// The name of the log that is read; none if that is no log.
    log: Option<String>,
}

/// The most requests that are named as the most expensive ones.
pub const MOST_EXPENSIVE: usize = 5;

/// An expensive request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expensive {
    /// Its name: its number in a log, or the line of its recording.
    pub request: String,
    /// Its turn in its chain, from 1.
    pub turn: usize,
    /// The model.
    pub model: String,
    /// Why most of its cost is there.
    pub why: Why,
    /// The first change since the request before.
    pub segment: Option<String>,
    /// Its cost.
    pub billed: Usd,
    /// The avoidable part of that.
    pub avoidable: Usd,
}

/// Requests that begin a chain and differ from one of another chain before text that both have.
#[derive(Debug, Clone, PartialEq)]
pub struct Diverged {
    /// Where the first of them does, and how.
    pub first: Cause,
    /// Their number.
    pub requests: u64,
}

/// A period of time. Without an end on one side it is open there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Period {
    /// Its start, which is in it.
    pub since: Option<Timestamp>,
    /// Its end, which is not.
    pub until: Option<Timestamp>,
}

impl Period {
    /// Whether a time is in it. One that is not known is in none that has an end.
    #[must_use]
    pub fn has(&self, time: Option<Timestamp>) -> bool {
        let is_after = |since| time.is_some_and(|time| time >= since);
        let is_before = |until| time.is_some_and(|time| time < until);
        self.since.is_none_or(is_after) && self.until.is_none_or(is_before)
    }
}

/// A request with usage, and its bill.
#[derive(Debug)]
pub struct Counted {
    /// The request with its answer.
    pub exchanged: Arc<Exchanged>,
    /// The bill.
    pub bill: Bill,
    /// All that is in the sums of it, in the order of its input, then its output and what the server did besides. None if it was
    /// sent too early to be in them.
    pub parts: Option<Vec<(Why, Sum)>>,
}

impl<'o> Account<'o> {
    /// An account with these sums, of the requests of a period.
    #[must_use]
    pub fn new(bills: Bills, period: Period, tables: Vec<Table>) -> Self {
        Self {
            bills,
            period,
            tables,
            ..Self::default()
        }
    }

    /// The account with an owner of changed texts.
    #[must_use]
    pub fn with_owners(self, owners: &'o dyn Owners) -> Self {
        Self {
            owners: Some(owners),
            ..self
        }
    }

    /// The account that needs the same entries again, if a move or a reordering could save, which is known now; else
    /// none.
    #[must_use]
    pub fn again(&mut self) -> Option<Self> {
        let replay = std::mem::take(&mut self.scout).replay()?;
        Some(Self {
            bills: self.bills.without_requests(),
            period: self.period,
            owners: self.owners,
            replay,
            only_replays: true,
            ..Self::default()
        })
    }

    /// How many conversations there were, and what hides what they share.
    #[must_use]
    pub fn shared(&self) -> Shared {
        self.bills.shared()
    }

    /// The day of the newest table of prices.
    #[must_use]
    pub fn prices_as_of(&self) -> Date {
        self.bills.as_of()
    }

    /// Ends: adds what was found by playing requests, here and in another look at the same entries.
    pub fn finish(&mut self, again: Option<Self>) {
        let here = std::mem::take(&mut self.replay);
        for replay in again.map(|again| again.replay).into_iter().chain([here]) {
            for ((model, change), saved) in replay.savings() {
                // What was read already, by a breakpoint that no body has, is not saved again.
                let most = self.without_breakpoint.get(&model).copied();
                let saved = match change {
                    Change::Breakpoint => saved.min(most.unwrap_or_default()),
                    _ => saved,
                };
                self.savings.note(&model, change, saved);
            }
        }
    }

    /// Adds an entry of a log; the request, if it was billed.
    pub fn add(&mut self, entry: Entry) -> Option<Counted> {
        match entry {
            Entry::Request(exchanged, _) => self.billed(exchanged),
            Entry::Closed(conversation) => {
                self.bills.close(&conversation);
                None
            }
        }
    }

    /// Begins a log, whose requests are named by its name and their number; or recordings, whose requests are named by their lines.
    pub fn begin(&mut self, log: Option<String>) {
        self.log = log;
    }

    /// The name of a request.
    fn name(&self, line: &RequestLine) -> String {
        match (&self.log, &line.origin) {
            (
                None,
                Some(Origin {
                    file,
                    line: Some(at),
                }),
            ) => format!("{file}:{at}"),
            (None, Some(Origin { file, line: None })) => file.clone(),
            (log, _) => format!("{}#{}", log.as_deref().unwrap_or_default(), line.number),
        }
    }

    /// Notes what a request cost.
    fn note_cost(&mut self, item: &Item<'_>, bill: &Bill, parts: &[(Why, Sum)]) {
        let sum = |of: fn(&Sum) -> Usd| {
            let all = parts.iter().map(|(_, sum)| of(sum));
            all.fold(Usd::default(), |sum, usd| sum + usd)
        };
        let billed = sum(|sum| sum.billed);
        let place = self.expensive.partition_point(|one| one.billed >= billed);
        let most = parts.iter().max_by_key(|(_, sum)| sum.billed);
        let Some((why, _)) = most.filter(|_| place < MOST_EXPENSIVE) else {
            return;
        };
        self.expensive.truncate(MOST_EXPENSIVE - 1);
        let one = Expensive {
            request: item.request.to_owned(),
            turn: bill.turn,
            model: item.model.to_owned(),
            why: *why,
            segment: bill.segment(),
            billed,
            avoidable: sum(|sum| sum.avoidable),
        };
        self.expensive.insert(place, one);
    }

    /// Ends a log.
    pub fn end_of_log(&mut self) {
        self.bills.end_of_log();
    }

    fn billed(&mut self, exchanged: Arc<Exchanged>) -> Option<Counted> {
        let (line, request) = (&exchanged.line, &exchanged.request);
        let counts = self.period.has(request.time);
        if self.only_replays {
            if let Some(again) = self.bills.again(&exchanged) {
                self.played(&exchanged, &again, counts);
            }
            return None;
        }
        let mut bill = match self.bills.add(&exchanged).bill {
            Ok(Some(bill)) => bill,
            Ok(None) => {
                let count = if exchanged.is_failed() {
                    &mut self.failed
                } else {
                    &mut self.without_usage
                };
                *count += u64::from(counts);
                return None;
            }
            Err(refusal) => {
                *self.refused.entry(refusal).or_default() += u64::from(counts);
                return None;
            }
        };
        let state = exchanged.answer.as_ref().map(|answer| &*answer.state);
        let is_partial = state != Some(AnswerState::Whole.name()) || !bill.told.output;
        self.partial += u64::from(counts && is_partial);
        if let (Some(rates), Some(predicted)) = (bill.rates, bill.predicted) {
            let (group, rule) = self.bills.rule(line, request, bill.ran.as_deref());
            let again = Again {
                group,
                rule,
                rates,
                settled: predicted.settled,
                reads_more: reads_more(&predicted, rule, bill.tokens.read),
            };
            self.played(&exchanged, &again, counts);
        }
        let parts = counts.then(|| self.counted(line, request, &mut bill));
        Some(Counted {
            exchanged,
            bill,
            parts,
        })
    }

    /// Sums a request; all that is in the sums of it.
    fn counted(
        &mut self,
        line: &RequestLine,
        request: &Arc<Request>,
        bill: &mut Bill,
    ) -> Vec<(Why, Sum)> {
        if let (Some(owners), Some(first), Some(before)) =
            (self.owners, &mut bill.first, &bill.before)
        {
            owners.note(first, &before.request, request);
        }
        let model = bill.ran.as_ref().unwrap_or(&request.model).clone();
        if let Some(ran) = &bill.ran {
            let key = (request.model.clone(), ran.clone());
            *self.other_models.entry(key).or_default() += 1;
        }
        if let Some(apart) = &bill.apart {
            let key = (model.clone(), segment(&apart.first));
            let family = self.families.entry(key).or_default();
            family.add(apart, bill.rates.as_ref());
        }
        if line.parent.is_none() && request.is_known() {
            self.conversations += 1;
        }
        if let (Some(first), Some(_)) = (&bill.first, &bill.across) {
            let place = match first.kind {
                Kind::ToolMoved => "tools".to_owned(),
                _ => segment(first),
            };
            let key = (model.clone(), place);
            let diverged = self.diverged.entry(key).or_insert_with(|| Diverged {
                first: first.clone(),
                requests: 0,
            });
            diverged.requests += 1;
        }
        self.scout.note(bill, request, self.owners);
        let name = self.name(line);
        let item = Item {
            day: bill.day,
            model: &model,
            provider: bill.provider.as_deref().unwrap_or("?"),
            conversation: &line.conversation,
            chain: &line.chain,
            request: &name,
            first: bill.first.as_ref(),
        };
        self.agreement.add(bill);
        self.evidence.add(request);
        self.savings
            .add(&model, bill, request.api.needs_breakpoints());
        if bill.predicted.is_none() {
            self.savings.add_lives(&model, bill);
        } else if let Some(rates) = &bill.rates {
            let most = self.without_breakpoint.entry(model.clone()).or_default();
            *most = *most + of_breakpoint(bill, rates);
        }
        let parts = self.sum(&item, (line, request), bill);
        self.note_cost(&item, bill, &parts);
        parts
    }

    /// Plays a request again, and notes what each change saves.
    fn played(&mut self, exchanged: &Exchanged, again: &Again, counts: bool) {
        let (line, request) = (&exchanged.line, &*exchanged.request);
        let Some(newest) = self.bills.newest(&again.group, &line.chain) else {
            return;
        };
        self.replay.add(&Played {
            again,
            request,
            flat: &newest.flat,
            upto: &newest.upto,
            begun: begun(exchanged),
            owners: self.owners,
            counts: counts && !again.reads_more,
        });
    }

    /// The portions of an input, cut by the files, tools and other parts that they are of, if these are asked for.
    fn by_subject(
        &mut self,
        line: &RequestLine,
        request: &Arc<Request>,
        bill: &Bill,
    ) -> Vec<(Portion, Subject)> {
        let keys = [Key::File, Key::Version];
        let is_asked = |table: &Table| table.by.iter().any(|key| keys.contains(key));
        if !self.tables.iter().any(is_asked) {
            let nobody = Subject::nobody();
            return { bill.why.iter() }
                .map(|part| (*part, nobody.clone()))
                .collect();
        }
        let (group, _) = self.bills.rule(line, request, bill.ran.as_deref());
        let cached = self.bills.newest(&group, &line.chain);
        let (parts, input) = (request.parts().count(), bill.tokens.input());
        let is_it = |cached: &&Arc<AsCached>| cached.upto.len() == parts && !request.is_snapshot;
        let told = cached.filter(is_it).map(|cached| {
            let told = cached.told.iter();
            told.map(|at| (at + 1, cached.upto[*at].min(input)))
                .collect()
        });
        let mut told: Vec<(usize, u64)> = told.unwrap_or_default();
        // What follows the last part, such as the words of an API between them, is of that too.
        told.retain(|(at, _)| *at < parts);
        told.push((parts, input));
        let owners = self.owners;
        let files = |text: &str| owners.map_or_else(|| loaded_files(text), |of| of.files(text));
        let stretches = self.subjects.of(request, &told, &files);
        by_subject(&bill.why, &stretches)
    }

    fn sum(
        &mut self,
        item: &Item<'_>,
        (line, request): (&RequestLine, &Arc<Request>),
        bill: &Bill,
    ) -> Vec<(Why, Sum)> {
        let (rates, time) = (bill.rates, request.time);
        self.requests += 1;
        self.without_price += u64::from(rates.is_none());
        self.without_output_price += u64::from(rates.is_some_and(|rates| !rates.knows_output()));
        for unpriced in &bill.unpriced {
            *self.unpriced.entry(unpriced.clone()).or_default() += 1;
        }
        for name in &bill.unknown {
            let is_known = self.unknown.contains_key(name) || self.unknown.len() < MOST_UNKNOWN;
            let name = if is_known { name } else { "…" };
            *self.unknown.entry(name.to_owned()).or_default() += 1;
        }
        if let Some(time) = time {
            let (from, to) = self.span.unwrap_or((time, time));
            self.span = Some((from.min(time), to.max(time)));
        }
        let output = Portion::of(Why::Output, bill.tokens.answer());
        let mut of_subjects = self.by_subject(line, request, bill);
        of_subjects.push((output, Subject::output()));
        let mut met = vec![BTreeSet::new(); self.tables.len()];
        for (table, met) in self.tables.iter_mut().zip(&mut met) {
            table.add(item, &of_subjects, rates.as_ref(), met);
        }
        let sum = |part: &Portion, rates: Option<&Rates>| (part.why, Sum::of(part, rates));
        let parts = bill.why.iter().chain([&output]);
        let mut all: Vec<_> = parts.map(|part| sum(part, rates.as_ref())).collect();
        for (model, tokens) in &bill.besides {
            let item = Item {
                model: model.as_deref().unwrap_or(item.model),
                ..*item
            };
            let sent = Priced {
                input: tokens.input(),
                ttls: &[],
                terms: &bill.terms,
                time,
            };
            let rates = self.bills.rates(item.model, item.day, sent);
            let input = Tokens {
                output: 0,
                ..*tokens
            };
            let parts = [(Why::New, input), (Why::Output, tokens.answer())];
            let parts = parts.map(|(why, tokens)| Portion::of(why, tokens));
            let of_subjects: Vec<_> = parts
                .into_iter()
                .zip([Subject::whole(UNKNOWN), Subject::output()])
                .collect();
            for (table, met) in self.tables.iter_mut().zip(&mut met) {
                table.add(&item, &of_subjects, rates.as_ref(), met);
            }
            all.extend(parts.iter().map(|part| sum(part, rates.as_ref())));
        }
        all
    }
}

impl Agreement {
    fn add(&mut self, bill: &Bill) {
        let Some(predicted) = bill.predicted else {
            self.none += 1;
            return;
        };
        self.predicted += 1;
        self.estimated += u64::from(predicted.estimated);
        match predicted.agrees(bill.tokens.read) {
            true => self.agree += 1,
            false if bill.tokens.read < predicted.tokens => self.evicted += 1,
            false => self.shared += 1,
        }
    }
}

impl Savings {
    /// Adds what a request would have cost less with one thing changed.
    fn add(&mut self, model: &str, bill: &Bill, needs_breakpoints: bool) {
        let Some(rates) = bill.rates else { return };
        let mut note = |change, saved| self.note(model, change, saved);
        let changed = bill.lost(Why::Changed) + bill.lost(Why::Diverged);
        note(Change::StablePrefix, changed);
        note(Change::AppendOnly, bill.lost(Why::Rewritten));
        // Where the rule of the provider is known it is played.
        if needs_breakpoints && bill.predicted.is_none() {
            note(Change::Breakpoint, of_breakpoint(bill, &rates));
        }
    }

    /// Adds what it would have cost less with another time to live: what was over would have been read, and what is written costs more; or
    /// the other way round.
    fn add_lives(&mut self, model: &str, bill: &Bill) {
        let Some(rates) = bill.rates else { return };
        let billed = &bill.tokens;
        let mut note = |change, saved| self.note(model, change, saved);
        let within = |gap: f64, ttl: u64| gap <= ttl as f64;
        let lost = match bill.gap {
            Some(gap) if within(gap, HOUR) => bill.of(Why::Expired),
            _ => Tokens::default(),
        };
        let longer = billed.write_5m.saturating_sub(lost.write_5m);
        note(Change::Hour, rates.lost(&lost) - surcharge(&rates, longer));
        let kept = match bill.gap {
            Some(gap) if !within(gap, FIVE_MINUTES) => bill.hour.min(billed.read),
            _ => 0,
        };
        let saved = surcharge(&rates, billed.write_1h);
        note(Change::FiveMinutes, saved - rates.lost(&five_minutes(kept)));
    }
}

/// What a breakpoint at the end saves: what no breakpoint reached is read, what else is fresh is written.
fn of_breakpoint(bill: &Bill, rates: &Rates) -> Usd {
    let after = bill.of(Why::NoBreakpoint);
    let fresh = bill.tokens.fresh.saturating_sub(after.fresh);
    let written = rates.cost(&five_minutes(fresh)) - rates.cost(&plain(fresh));
    rates.lost(&after) - written
}

/// The additional cost of tokens with a time to live of an hour, compared with five minutes.
fn surcharge(rates: &Rates, count: u64) -> Usd {
    let hour = Tokens {
        write_1h: count,
        ..Tokens::default()
    };
    rates.cost(&hour) - rates.cost(&five_minutes(count))
}

fn five_minutes(write_5m: u64) -> Tokens {
    Tokens {
        write_5m,
        ..Tokens::default()
    }
}

fn plain(fresh: u64) -> Tokens {
    Tokens {
        fresh,
        ..Tokens::default()
    }
}
