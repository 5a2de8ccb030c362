//! The account of a log: each request with its usage, against the one before it in its lane.

use super::entries::{Entries, Prediction};
use super::ledger::{Agreement, Change, Item, Savings, Table};
use super::rates::{HOUR, Rates, Rule};
use super::record::{Billed, Refusal};
use super::tokens::Tokens;
use super::why::{Before, Ruled, Stretch, Why, why};
use crate::request::json::Json;
use crate::request::provider::{Catalog, ModelMatch};
use crate::request::whole::Request;
use crate::request::whole::log::{Entry, RequestLine};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How an account is kept.
#[derive(Debug, Default)]
pub struct Options {
    /// The tables of providers.
    pub catalog: Catalog,
    /// The model that counts in place of the one that requests name.
    pub model: Option<String>,
    /// What was sent before is not summed.
    pub since: Option<Timestamp>,
}

/// The account of one or more logs.
#[derive(Debug)]
pub struct Account {
    options: Options,
    /// The sums that were asked for.
    pub tables: Vec<Table>,
    /// How many requests were summed.
    pub requests: u64,
    /// How many have no usage.
    pub without_usage: u64,
    /// How many are of a model without a price.
    pub without_price: u64,
    /// How many are of a model whose price of the answer is not known.
    pub without_output_price: u64,
    /// Usages that were not counted, by reason.
    pub refused: BTreeMap<Refusal, u64>,
    /// The first and the last request.
    pub span: Option<(Timestamp, Timestamp)>,
    /// How often the rule was right.
    pub agreement: Agreement,
    /// What would save.
    pub savings: Savings,
    entries: BTreeMap<String, Entries>,
    /// The newest request with a usage of each lane.
    lanes: BTreeMap<String, Before>,
    /// Requests that were not answered yet.
    open: BTreeMap<usize, (Box<RequestLine>, Arc<Request>)>,
    models: BTreeMap<(String, Option<Date>), Option<ModelMatch>>,
}

impl Account {
    /// One with these sums.
    #[must_use]
    pub fn new(options: Options, tables: Vec<Table>) -> Self {
        Self {
            options,
            tables,
            requests: 0,
            without_usage: 0,
            without_price: 0,
            without_output_price: 0,
            refused: BTreeMap::new(),
            span: None,
            agreement: Agreement::default(),
            savings: Savings::default(),
            entries: BTreeMap::new(),
            lanes: BTreeMap::new(),
            open: BTreeMap::new(),
            models: BTreeMap::new(),
        }
    }

    /// Adds an entry of a log.
    pub fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Request(line, request) => {
                self.open.insert(line.number, (line, request));
            }
            Entry::Response(answer, _) => {
                let Some((line, request)) = self.open.remove(&answer.request) else {
                    return;
                };
                self.answered(&line, request, answer.usage.as_ref());
            }
        }
    }

    /// Ends a log: what was not answered has no usage, and the lanes of the next one are others.
    pub fn end_of_log(&mut self) {
        let open = std::mem::take(&mut self.open);
        let counted = open.values().filter(|(_, request)| self.counts(request));
        self.without_usage += counted.count() as u64;
        self.lanes.clear();
    }

    fn counts(&self, request: &Request) -> bool {
        let since = self.options.since;
        since.is_none_or(|since| request.time.is_some_and(|time| time >= since))
    }

    fn answered(&mut self, line: &RequestLine, request: Arc<Request>, usage: Option<&Json>) {
        let counts = self.counts(&request);
        let Some(usage) = usage else {
            self.without_usage += u64::from(counts);
            return;
        };
        let billed = match Billed::read(request.api, usage) {
            Ok(billed) => billed,
            Err(refusal) => {
                *self.refused.entry(refusal).or_default() += u64::from(counts);
                return;
            }
        };
        let day = request.time.map(|time| time.to_zoned(TimeZone::UTC).date());
        let name = self.options.model.clone().unwrap_or_else(|| named(line));
        let found = self.model(&name, day);
        let rule = Rule::of(found.as_ref(), request.api.needs_breakpoints());
        let group = found
            .as_ref()
            .map_or(name.as_str(), |found| found.provider.name.as_str());
        let entries = self
            .entries
            .entry(format!("{group} {}", request.model))
            .or_default();
        let predicted = entries.add(&line.lane, &request, &billed.tokens, rule);
        let read = predicted.map(|p| match p.agrees(billed.tokens.read) {
            true => billed.tokens.read,
            false => p.tokens,
        });
        let ruled = Ruled {
            rule,
            read,
            known: &|parts| entries.known(&line.lane, parts),
        };
        let before = self.lanes.get(&line.lane);
        let stretches = why(before, &request, &billed.tokens, &ruled);
        let now = Before::new(request.clone(), billed.tokens, before, rule);
        if counts {
            let item = Item {
                time: request.time,
                day,
                model: &request.model,
                provider: found
                    .as_ref()
                    .map_or("?", |found| found.provider.name.as_str()),
                conversation: &line.conversation,
                lane: &line.lane,
            };
            self.sum(&item, &billed, &stretches, found.as_ref());
            self.agree(predicted, billed.tokens.read);
            self.save(
                &item,
                &billed.tokens,
                &stretches,
                found.as_ref(),
                before_hour(self.lanes.get(&line.lane), &request),
            );
        }
        self.lanes.insert(line.lane.clone(), now);
    }

    fn model(&mut self, name: &str, day: Option<Date>) -> Option<ModelMatch> {
        let catalog = &self.options.catalog;
        let key = (name.to_owned(), day);
        let found = self.models.entry(key).or_insert_with(|| {
            let day = day.unwrap_or_else(|| Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC).date());
            catalog.find(name, day)
        });
        found.clone()
    }

    fn sum(
        &mut self,
        item: &Item<'_>,
        billed: &Billed,
        stretches: &[Stretch],
        found: Option<&ModelMatch>,
    ) {
        let rates = rates(found, &billed.tokens);
        self.requests += 1;
        self.without_price += u64::from(rates.is_none());
        self.without_output_price += u64::from(rates.is_some_and(|rates| !rates.knows_output()));
        if let Some(time) = item.time {
            let (from, to) = self.span.unwrap_or((time, time));
            self.span = Some((from.min(time), to.max(time)));
        }
        let parts = stretches.iter();
        let parts = parts.map(|(why, range)| (*why, billed.tokens.slice(range.clone())));
        let mut parts: Vec<(Why, Tokens)> = parts.collect();
        parts.push((Why::Output, billed.tokens.answer()));
        for table in &mut self.tables {
            table.add(item, &parts, rates.as_ref());
        }
        for (model, tokens) in &billed.besides {
            self.besides(item, model.as_deref(), tokens);
        }
    }

    /// Sums what the server did besides.
    fn besides(&mut self, item: &Item<'_>, model: Option<&str>, tokens: &Tokens) {
        let item = Item {
            model: model.unwrap_or(item.model),
            ..*item
        };
        let found = self.model(item.model, item.day);
        let rates = rates(found.as_ref(), tokens);
        let input = Tokens {
            output: 0,
            ..*tokens
        };
        let parts = [(Why::New, input), (Why::Output, tokens.answer())];
        for table in &mut self.tables {
            table.add(&item, &parts, rates.as_ref());
        }
    }

    fn agree(&mut self, predicted: Option<Prediction>, read: u64) {
        let of = &mut self.agreement;
        let Some(predicted) = predicted else {
            of.none += 1;
            return;
        };
        of.predicted += 1;
        of.estimated += u64::from(predicted.estimated);
        match predicted.agrees(read) {
            true => of.agree += 1,
            false if read < predicted.tokens => of.evicted += 1,
            false => of.shared += 1,
        }
    }

    /// What the request would have cost with one thing changed.
    fn save(
        &mut self,
        item: &Item<'_>,
        billed: &Tokens,
        stretches: &[Stretch],
        found: Option<&ModelMatch>,
        (gap, hour, needs_breakpoints): (Option<f64>, u64, bool),
    ) {
        let Some(rates) = rates(found, billed) else {
            return;
        };
        let of = |why: Why| {
            let found = stretches.iter().filter(move |(w, _)| *w == why);
            found.fold(Tokens::default(), |mut sum, (_, range)| {
                sum += billed.slice(range.clone());
                sum
            })
        };
        let more = |tokens: &Tokens| rates.cost(tokens) - rates.if_read(tokens);
        let savings = &mut self.savings;
        savings.add(item.model, Change::StablePrefix, more(&of(Why::Changed)));
        savings.add(item.model, Change::AppendOnly, more(&of(Why::Rewritten)));
        let behind = of(Why::NoBreakpoint);
        let fresh = billed.fresh.saturating_sub(behind.fresh);
        if needs_breakpoints {
            let written = more(&five_minutes(fresh)) - more(&fresh_only(fresh));
            savings.add(item.model, Change::Breakpoint, more(&behind) - written);
        }
        // Another time to live: what was over would have been read, and what is written costs more; or the other way round.
        let lost = match gap {
            Some(gap) if gap <= HOUR as f64 => of(Why::Expired),
            _ => Tokens::default(),
        };
        let longer = billed.write_5m.saturating_sub(lost.write_5m);
        let dearer = rates.cost(&an_hour(longer)) - rates.cost(&five_minutes(longer));
        savings.add(item.model, Change::Hour, more(&lost) - dearer);
        let kept = match gap {
            Some(gap) if gap > super::rates::FIVE_MINUTES as f64 => hour.min(billed.read),
            _ => 0,
        };
        let cheaper =
            rates.cost(&an_hour(billed.write_1h)) - rates.cost(&five_minutes(billed.write_1h));
        savings.add(
            item.model,
            Change::FiveMinutes,
            cheaper - more(&five_minutes(kept)),
        );
    }
}

/// The gap to the request before, what of that lived an hour, and whether only what is marked is kept.
fn before_hour(before: Option<&Before>, request: &Request) -> (Option<f64>, u64, bool) {
    let needs = request.api.needs_breakpoints();
    let Some(before) = before else {
        return (None, 0, needs);
    };
    let times = before.request.time.zip(request.time);
    let gap = times.map(|(a, b)| b.duration_since(a).as_secs_f64());
    (gap, before.hour(), needs)
}

fn five_minutes(write_5m: u64) -> Tokens {
    Tokens {
        write_5m,
        ..Tokens::default()
    }
}

fn an_hour(write_1h: u64) -> Tokens {
    Tokens {
        write_1h,
        ..Tokens::default()
    }
}

fn fresh_only(fresh: u64) -> Tokens {
    Tokens {
        fresh,
        ..Tokens::default()
    }
}

fn rates(found: Option<&ModelMatch>, tokens: &Tokens) -> Option<Rates> {
    Rates::of(found?.model.as_ref()?, tokens.input())
}

/// The name of a model in the table: behind the name of who serves it, where that has a row of its own.
fn named(line: &RequestLine) -> String {
    match line.provider.as_deref() {
        Some(provider @ ("openrouter" | "vertex")) => format!("{provider}/{}", line.model),
        _ => line.model.clone(),
    }
}
