//! Requests with what was billed for each, against the one before it in its chain.

use super::across::{Across, Candidates, Found, Shared};
use super::entries::{AsCached, Entries, Prediction};
use super::family::Apart;
use super::flat::Flat;
use super::ledger::{Portion, segment};
use super::rates::{Priced, Rates, Rule, Unpriced, unpriced};
use super::record::{Billed, Refusal, Told};
use super::step::Step;
use super::tokens::Tokens;
use super::why::{Before, ExplainedRange, Ruled, Why, is_cache_told, settled, turn, why};
use crate::request::provider::amount::Usd;
use crate::request::provider::{Catalog, Match, ModelMatch};
use crate::request::whole::log::{Exchanged, OpenRequests, RequestLine, ResponseLine};
use crate::request::whole::{Cause, Request, Step as Compared, Terms, terms_of_usage};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The bills of the requests of logs, in order. It holds a request of each chain.
#[derive(Debug, Default)]
pub struct Bills {
    catalog: Catalog,
    /// The model that counts in place of the one that requests name.
    model: Option<String>,
    entries: BTreeMap<String, Entries>,
    /// Open requests that were billed. In the place of one without a usage stands the one before it.
    open: OpenRequests<Before>,
    /// The requests that those of other chains are compared with.
    candidates: Candidates,
    models: BTreeMap<(String, Option<Date>), Option<Arc<ModelMatch>>>,
}

/// What is known of a request before it is added.
struct Known {
    before: Option<Before>,
    /// Its bill, or why it has none; neither if its answer has no usage.
    billed: Option<Billed>,
    refusal: Option<Refusal>,
    /// The model that ran, if that is another one.
    ran: Option<String>,
    /// The name of all that shares a cache with it.
    group: String,
    rule: Rule,
    /// The ends of its parts, if all are known.
    flat: Option<Flat>,
}

/// A request that was added.
#[derive(Debug)]
pub struct Added {
    /// The comparison with a request of another chain, if it begins a chain and there is one that it could share a cache with.
    pub across: Option<Across>,
    /// Its bill; none if its answer has no usage. An error if the usage contradicts itself, or does not say how long the input was.
    pub bill: Result<Option<Bill>, Refusal>,
}

/// A billed request that is played again.
pub(super) struct Again {
    /// The name of all that shares a cache with it.
    pub(super) group: String,
    pub(super) rule: Rule,
    pub(super) rates: Rates,
    /// Up to when requests started whose entries it can read, if the recording does not say when their answers began.
    pub(super) settled: Timestamp,
    /// Whether it read more than its rule says: another one stored that, so that no change of it is known to save it.
    pub(super) reads_more: bool,
}

/// The bill of a request, and the reasons.
#[derive(Debug, Clone)]
pub struct Bill {
    /// The day on which it was sent, UTC.
    pub day: Option<Date>,
    /// The provider; none if no table knows it.
    pub provider: Option<String>,
    /// The model that ran, as its answer names it, if it is another one than the requested.
    pub ran: Option<String>,
    /// Its turn: the number of the request in its chain, from 1; one that failed has none.
    pub turn: usize,
    /// The tokens.
    pub tokens: Tokens,
    /// The counts that its usage has.
    pub told: Told,
    /// The tokens of its input in order, each with its reason.
    pub why: Vec<Portion>,
    /// The first change since the request before.
    pub first: Option<Cause>,
    /// The request before it, or one of another chain, which it was compared with.
    pub before: Option<Arc<Exchanged>>,
    /// The comparison, if that is one of another chain.
    pub across: Option<Compared>,
    /// The text that a request that opens a chain could share with another chain of its conversation, and does not.
    pub apart: Option<Apart>,
    /// Additional work of the server: the model, if it names another one, and its tokens.
    pub besides: Vec<(Option<String>, Tokens)>,
    /// What the request and its answer name that changes prices; what the answer names wins.
    pub terms: Terms,
    /// What of it, and of the times to live, is not in the prices: the table has no row for it.
    pub unpriced: Vec<Unpriced>,
    /// The fields of the usage with a number that no table has: their tokens are in no sum.
    pub unknown: BTreeSet<String>,
    /// The tokens that the provider reads by its rule; none if the rule gives no number.
    pub predicted: Option<Prediction>,
    /// The prices of tokens; none if the model has no price.
    pub rates: Option<Rates>,
    /// Whether it read a message that it sent in another spelling and without its breakpoint.
    pub read_respelled: bool,
    /// The time between the starts of the request before and this one, in seconds.
    pub(super) gap: Option<f64>,
    /// The part of the request before with a time to live of an hour, in tokens.
    pub(super) hour: u64,
}

impl Bill {
    /// The first change: a setting, a tool, a heading of the system prompt, or the messages.
    #[must_use]
    pub fn segment(&self) -> Option<String> {
        self.first.as_ref().map(segment)
    }

    /// The avoidable part of it.
    #[must_use]
    pub fn avoidable(&self) -> Usd {
        let avoidable = self.why.iter().filter(|part| part.is_avoidable);
        avoidable.fold(Usd::default(), |sum, part| {
            let lost = self.rates.map(|rates| rates.lost(&part.tokens));
            sum + lost.unwrap_or_default()
        })
    }

    /// The additional cost, compared with a cache read, of tokens with a reason.
    #[must_use]
    pub fn lost(&self, why: Why) -> Usd {
        let lost = self.rates.map(|rates| rates.lost(&self.of(why)));
        lost.unwrap_or_default()
    }

    /// The tokens that are there for a reason.
    #[must_use]
    pub fn of(&self, why: Why) -> Tokens {
        let mut sum = Tokens::default();
        let found = self.why.iter().filter(|part| part.why == why);
        found.for_each(|part| sum += part.tokens);
        sum
    }
}

/// The tokens of ranges of an input. What is unknown because nothing settles whether it could be read is not avoidable.
fn portions(ranges: Vec<ExplainedRange>, tokens: &Tokens, is_unsettled: bool) -> Vec<Portion> {
    let portion = |(why, range): ExplainedRange| Portion {
        is_avoidable: why.is_avoidable() && !(why == Why::Unknown && is_unsettled),
        ..Portion::of(why, tokens.slice(range))
    };
    ranges.into_iter().map(portion).collect()
}

impl Bills {
    /// Bills with these tables; `model` counts in place of the one that requests name.
    #[must_use]
    pub fn new(catalog: Catalog, model: Option<String>) -> Self {
        Self {
            catalog,
            model,
            ..Self::default()
        }
    }

    /// Adds the next request.
    pub fn add(&mut self, now: &Arc<Exchanged>) -> Added {
        let Known {
            before,
            billed,
            refusal,
            ran,
            group,
            rule,
            flat,
        } = self.known(now);
        let input = billed.as_ref().map(|billed| billed.tokens.input());
        let sent = flat
            .as_ref()
            .and_then(|flat| self.candidates.survey(now, flat, &group, input));
        let begins = sent.as_ref().filter(|_| now.line.parent.is_none());
        let found = begins.and_then(|sent| self.candidates.find(now, sent, rule));
        let bill = billed.map(|billed| {
            let before = match &found {
                Some(found) => Some(&found.candidate.before),
                None => before.as_ref(),
            };
            let next = (billed.tokens, billed.told);
            let next = Before::new(now.clone(), next, before, rule);
            let compared = (before, found.as_ref());
            let bill = self.billed(now, flat, billed, compared, (ran, &group, rule));
            (bill, next)
        });
        let (bill, next) = bill.unzip();
        if let Some(sent) = sent {
            let own = next.clone();
            let own = own.unwrap_or_else(|| Before::unbilled(now.clone(), rule));
            let cached = self.newest(&group, &now.line.chain).cloned();
            self.candidates.add(sent, own, cached);
        }
        self.open(now, before, next);
        let across = found.map(|found| found.across(&now.request));
        let bill = bill.map(|bill| Bill {
            across: across.as_ref().map(|across| across.step.clone()),
            ..bill
        });
        Added {
            across,
            bill: refusal.map_or(Ok(bill), Err),
        }
    }

    /// Adds the next request to be played alone: no reason is found for its tokens.
    pub(super) fn again(&mut self, now: &Arc<Exchanged>) -> Option<Again> {
        let known = self.known(now);
        let (before, rule) = (known.before.as_ref(), known.rule);
        let is_timed = before.is_none_or(|before| before.request().time.is_some());
        let settled = settled(before, &now.request);
        let billed = known.billed.map(|billed| {
            let next = (billed.tokens, billed.told);
            (Before::new(now.clone(), next, before, rule), billed)
        });
        let (next, billed) = billed.unzip();
        self.open(now, known.before, next);
        let flat = known.flat.filter(|_| !now.request.is_snapshot);
        let (billed, flat) = (billed?, flat?);
        let entries = self.entries.entry(known.group.clone()).or_default();
        let cached = (
            &billed.tokens,
            is_cache_told(billed.told, &now.request, rule),
        );
        let played = entries.add(now, flat, (cached, settled), rule, (None, None))?;
        let name = self.named(&now.line, known.ran.as_deref());
        let model = self.model(&name, now.request.time.map(day_of))?;
        let rates = Rates::of(&model, priced(now, &billed, &terms_of(now)))?;
        (is_timed && billed.told.read).then_some(Again {
            group: known.group,
            rule,
            rates,
            settled: played.settled,
            reads_more: reads_more(&played, rule, billed.tokens.read),
        })
    }

    /// What is known of a request before it is added.
    fn known(&mut self, now: &Exchanged) -> Known {
        let usage = now.answer.as_ref().and_then(|answer| answer.usage.as_ref());
        let (billed, refusal) = match usage.map(Billed::read).transpose() {
            Ok(billed) => (billed, None),
            Err(refusal) => (None, Some(refusal)),
        };
        let day = now.request.time.map(day_of);
        let answer = now.answer.as_ref();
        let ran = answer.and_then(|answer| self.ran(&now.line, answer, day));
        let (group, rule) = self.rule(&now.line, &now.request, ran.as_deref());
        Known {
            before: self.open.before(&now.line).cloned(),
            flat: self.flat(now, &group),
            billed,
            refusal,
            ran,
            group,
            rule,
        }
    }

    /// Holds a request that was billed; in the place of another one the one before it.
    fn open(&mut self, now: &Exchanged, before: Option<Before>, billed: Option<Before>) {
        let before = || before.filter(|_| !now.is_failed()).map(Before::with_turn);
        if let Some(next) = billed.or_else(before) {
            self.open.add(&now.line, next);
        }
    }

    fn billed(
        &mut self,
        now: &Exchanged,
        flat: Option<Flat>,
        billed: Billed,
        (before, found): (Option<&Before>, Option<&Found>),
        (ran, group, rule): (Option<String>, &str, Rule),
    ) -> Bill {
        let (line, request) = (&now.line, &now.request);
        let tokens = billed.tokens;
        let day = request.time.map(day_of);
        let terms = terms_of(now);
        let priced = priced(now, &billed, &terms);
        let model = self.model(&self.named(line, ran.as_deref()), day);
        let provider = model.as_ref().map(|found| found.provider.name.clone());
        let unpriced = model.as_deref().map(|found| unpriced(found, priced));
        let rates = model.as_deref().and_then(|found| Rates::of(found, priced));
        let entries = self.entries.entry(group.to_owned()).or_default();
        let step = match found {
            Some(found) => Some(found.step(request)),
            None => before.and_then(|before| Step::of(before.request(), request)),
        };
        let cached = found.and_then(|found| found.candidate.cached.clone());
        let compared = (step.as_ref(), cached);
        let settled = settled(before.filter(|_| found.is_none()), request);
        // Without breakpoints no rule says what was cached.
        let flat = flat.filter(|_| !request.is_snapshot);
        let predicted = flat.and_then(|flat| {
            let billed = (&tokens, is_cache_told(billed.told, request, rule));
            entries.add(now, flat, (billed, settled), rule, compared)
        });
        // When the request before was sent is not known, or what this one read is not: its reads are compared with no prediction.
        let is_timed = before.is_none_or(|before| before.request().time.is_some());
        let predicted = predicted.filter(|_| is_timed && billed.told.read);
        // What another chain has too was read up to its end, if no more was predicted.
        let is_read = |p: &Prediction, parts| p.parts == parts && p.agrees(tokens.read);
        let of_read = |parts| predicted.filter(|p| found.is_some() && is_read(p, parts));
        let known = |parts| match of_read(parts) {
            Some(_) => Some(tokens.read),
            None => entries.known(line, parts),
        };
        let (step, read) = by_the_bill(step, predicted, tokens.read);
        let is_unsettled = match predicted {
            Some(predicted) => predicted.is_unsettled,
            None => before.is_some_and(|before| before.is_unsettled(settled, now)),
        };
        let is_unsettled = is_unsettled && request.is_known();
        let ruled = Ruled {
            is_unsettled,
            rule,
            read,
            known: &known,
            step: step.as_ref(),
            told: billed.told,
        };
        let (stretches, first) = why(before, request, &tokens, &ruled);
        let why = portions(stretches, &tokens, is_unsettled);
        Bill {
            day,
            provider,
            ran,
            turn: turn(now, before),
            tokens,
            why,
            first,
            before: before.map(|before| before.exchanged.clone()),
            across: None,
            apart: self.apart(now, before, &tokens),
            besides: billed.besides,
            told: billed.told,
            unpriced: unpriced.unwrap_or_default(),
            unknown: billed.unknown,
            predicted,
            rates,
            gap: before.and_then(|before| before.gap(request)),
            hour: before.map_or(0, Before::hour),
            read_respelled: predicted.is_some_and(|p| p.has_read_respelled(tokens.read)),
            terms,
        }
    }

    /// The ends of the parts of a request, if all are known.
    fn flat(&self, now: &Exchanged, group: &str) -> Option<Flat> {
        let request = &*now.request;
        let before = self
            .entries
            .get(group)
            .and_then(|all| all.before(&now.line));
        let before = before.map(|before| &before.flat);
        request.is_known().then(|| Flat::of(request, before))
    }

    /// The text that a request which opens a chain could share with another one, and does not.
    fn apart(&self, now: &Exchanged, before: Option<&Before>, tokens: &Tokens) -> Option<Apart> {
        let open = before.is_none().then_some(&self.open)?;
        Apart::of(open, &now.line.conversation, &now.request, tokens)
    }

    /// The model that an answer names, if it is another one than the requested: one that the table has in another row, or has at all.
    pub(crate) fn ran(
        &mut self,
        line: &RequestLine,
        answer: &ResponseLine,
        day: Option<Date>,
    ) -> Option<String> {
        let ran = answer.model.as_ref().filter(|ran| **ran != line.model)?;
        let [asked, found] = [&line.model, ran].map(|model| {
            let name = prefixed(line, model);
            let found = self.model(&name, day);
            found.and_then(|found| found.model.as_ref().map(|row| row.patterns.clone()))
        });
        (found.is_some() && found != asked).then(|| ran.clone())
    }

    /// The name of the model that counts: the caller's, that of the model that ran, or of the requested one.
    fn named(&self, line: &RequestLine, ran: Option<&str>) -> String {
        let model = self.model.clone();
        model.unwrap_or_else(|| prefixed(line, ran.unwrap_or(&line.model)))
    }

    /// The requests that share entries with this one, and the rule of its provider.
    pub(super) fn rule(
        &mut self,
        line: &RequestLine,
        request: &Request,
        ran: Option<&str>,
    ) -> (String, Rule) {
        let name = self.named(line, ran);
        let found = self.model(&name, request.time.map(day_of));
        let rule = Rule::of(found.as_deref(), request.api.needs_breakpoints());
        let provider = found.as_ref().map_or(&*name, |found| &found.provider.name);
        let model = ran.unwrap_or(&request.model);
        let account = line.account.as_deref().unwrap_or_default();
        (format!("{provider} {model} {account}"), rule)
    }

    /// The newest request of a chain, as it was cached.
    pub(super) fn newest(&self, group: &str, chain: &str) -> Option<&Arc<AsCached>> {
        self.entries.get(group)?.newest(chain)
    }

    /// How many conversations there were, and what hides what they share.
    #[must_use]
    pub fn shared(&self) -> Shared {
        self.candidates.shared()
    }

    /// The day of the newest table.
    pub(super) fn as_of(&self) -> Date {
        self.catalog.as_of()
    }

    /// These tables without requests.
    pub(super) fn without_requests(&self) -> Self {
        Self::new(self.catalog.clone(), self.model.clone())
    }

    /// The prices of a model on a day.
    pub(super) fn rates(
        &mut self,
        model: &str,
        day: Option<Date>,
        sent: Priced<'_>,
    ) -> Option<Rates> {
        Rates::of(self.model(model, day)?.as_ref(), sent)
    }

    /// Forgets a conversation that has ended.
    pub fn close(&mut self, conversation: &str) {
        self.open.close(conversation);
        for entries in self.entries.values_mut() {
            entries.close(conversation);
        }
    }

    /// Ends a log: the chains of the next one are others.
    pub fn end_of_log(&mut self) {
        self.open.clear();
        self.candidates.end_of_log();
        self.entries.values_mut().for_each(Entries::end_of_log);
    }

    fn model(&mut self, name: &str, day: Option<Date>) -> Option<Arc<ModelMatch>> {
        let key = (name.to_owned(), day);
        let found = self.models.entry(key).or_insert_with(|| {
            let day = day.unwrap_or_else(|| day_of(Timestamp::UNIX_EPOCH));
            self.catalog.find(name, day).map(Arc::new)
        });
        found.clone()
    }
}

/// Whether a request read more than what the entries that are known give. Without breakpoints the rule is too coarse to say that.
pub(super) fn reads_more(predicted: &Prediction, rule: Rule, read: u64) -> bool {
    rule.rule == Match::Breakpoint && predicted.nearest(read) < read
}

/// The step after its bill is known, and the predicted read: what may be a change is one if less was read.
fn by_the_bill(
    step: Option<Step>,
    predicted: Option<Prediction>,
    read: u64,
) -> (Option<Step>, Option<u64>) {
    let expected = predicted.map(|p| p.nearest(read));
    let has_missed = expected.is_some_and(|expected| expected > read);
    match step {
        Some(step) if has_missed && step.parts_alike().is_some() => {
            let without = predicted.and_then(|p| Some(p.respelled?.1));
            (Some(step.after_a_miss()), without)
        }
        step => (step, expected),
    }
}

/// What a request, its answer and the usage of that name that changes prices; what is named last counts.
fn priced<'a>(now: &Exchanged, billed: &'a Billed, terms: &'a Terms) -> Priced<'a> {
    Priced {
        input: billed.tokens.input(),
        ttls: &billed.ttls,
        terms,
        time: now.request.time,
    }
}

fn terms_of(now: &Exchanged) -> Terms {
    let answer = now.answer.as_ref();
    let usage = answer.and_then(|answer| answer.usage.as_ref());
    let mut terms = now.line.terms.clone();
    terms.extend(
        answer
            .map(|answer| answer.terms.clone())
            .unwrap_or_default(),
    );
    terms.extend(usage.map(terms_of_usage).unwrap_or_default());
    terms
}

fn day_of(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

/// The name of a model in the table: with the provider's prefix, if that has a row of its own.
fn prefixed(line: &RequestLine, model: &str) -> String {
    match line.provider.as_deref() {
        Some(provider @ ("openrouter" | "vertex")) => format!("{provider}/{model}"),
        _ => model.to_owned(),
    }
}
