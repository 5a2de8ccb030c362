//! The data of a usage page: sums by day and cause, the requests of each conversation, and the breaks.

use super::bill::{UsageCall, each};
use super::report::UsageReport;
use crate::diagnostic::ErrorReported;
use crate::project::Run;
use crate::project::capture::{Break, Breaks, RequestQuery, is_lost};
use crate::request::provider::amount::Usd;
use crate::request::usage::{Counted, Key, Why};
use crate::request::whole::log::Origin;
use jiff::Timestamp;
use jiff::civil::Date;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most requests that are shown.
const MOST_REQUESTS: usize = 5_000;

/// The most requests of which both texts are held.
const MOST_BREAKS: usize = 300;

/// The bill, down to requests.
#[derive(Debug)]
pub(crate) struct UsageDetail {
    /// The sums by day and cause.
    pub(crate) report: UsageReport,
    /// Conversations: that in which most was avoidable comes first.
    pub(crate) conversations: Vec<Conversation>,
    /// The items that are not included.
    pub(crate) left_out: LeftOut,
}

/// The requests of a conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    /// Its name.
    pub(crate) name: String,
    /// The log that has it; empty for recordings.
    pub(crate) input: PathBuf,
    /// Its requests, in the order of the input.
    pub(crate) requests: Vec<BilledRequest>,
    /// The number of further ones.
    pub(crate) left_out: usize,
}

/// Requests that are not shown.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct LeftOut {
    /// The conversations of which none is shown.
    pub(crate) conversations: usize,
    /// The requests.
    pub(crate) requests: usize,
    /// Requests that are shown without what changed.
    pub(crate) breaks: usize,
}

/// A request with what was billed.
#[derive(Debug)]
pub(crate) struct BilledRequest {
    /// Its number in the input.
    pub(crate) number: usize,
    /// The number of the request before it in its chain, which it was compared with.
    pub(crate) before: Option<usize>,
    /// Its chain.
    pub(crate) chain: Arc<str>,
    /// When it was sent.
    pub(crate) time: Option<Timestamp>,
    /// The day on which it was sent, UTC.
    pub(crate) day: Option<Date>,
    /// The time since the one before it was sent, in seconds.
    pub(crate) gap: Option<f64>,
    /// The model.
    pub(crate) model: Arc<str>,
    /// All that was billed, in the order of the input; then the output, and what the server did besides.
    pub(crate) parts: Vec<Part>,
    /// The first change.
    pub(crate) segment: Option<Arc<str>>,
    /// Where it was read.
    pub(crate) origin: Option<Origin>,
    /// The changes, if tokens were lost and the request is held.
    pub(crate) broke: Option<Box<Break>>,
}

/// Tokens of a request that are there for one reason.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    /// The reason.
    pub(crate) why: Why,
    /// The number of tokens.
    pub(crate) tokens: u64,
    /// Their cost.
    pub(crate) billed: Usd,
    /// The additional cost of lost tokens compared with a cache read.
    pub(crate) more: Usd,
    /// The avoidable part of it.
    pub(crate) avoidable: Usd,
}

/// The order of losses: the avoidable part counts first, then the cost, then the tokens.
pub(crate) type Loss = (Usd, Usd, u64);

impl BilledRequest {
    /// Its cost.
    pub(crate) fn billed(&self) -> Usd {
        let all = self.parts.iter().map(|part| part.billed);
        all.fold(Usd::default(), |sum, billed| sum + billed)
    }

    /// The lost part of it.
    pub(crate) fn loss(&self) -> Loss {
        let lost = self.parts.iter().filter(|part| is_lost(part.why));
        lost.fold(Loss::default(), |(avoidable, more, tokens), part| {
            (
                avoidable + part.avoidable,
                more + part.more,
                tokens + part.tokens,
            )
        })
    }
}

impl Conversation {
    /// The avoidable tokens, and their cost.
    pub(crate) fn sums(&self) -> (Usd, Usd) {
        let all = self.requests.iter();
        all.fold((Usd::default(), Usd::default()), |(avoidable, sum), one| {
            (avoidable + one.loss().0, sum + one.billed())
        })
    }

    /// Keeps so many requests: those in which most was lost, then those that cost most.
    fn keep(&mut self, most: usize) {
        self.left_out = self.requests.len().saturating_sub(most);
        if self.left_out == 0 {
            return;
        }
        let mut order: Vec<usize> = (0..self.requests.len()).collect();
        order.sort_by_key(|at| {
            let one = &self.requests[*at];
            Reverse((one.loss(), one.billed()))
        });
        let kept: BTreeSet<usize> = order.into_iter().take(most).collect();
        let mut at = 0;
        self.requests.retain(|_| {
            at += 1;
            kept.contains(&(at - 1))
        });
    }
}

/// Reads the bills, and holds the data of a page, whatever tables are requested.
pub(crate) fn detail(
    call: UsageCall<'_>,
    progress: &mut dyn FnMut(usize),
    run: &mut Run,
) -> Result<UsageDetail, ErrorReported> {
    let (catalog, model) = (call.catalog.clone(), call.model.clone());
    let query = RequestQuery {
        sources: call.sources,
        prompts: call.prompts,
        catalog: Some(&catalog),
        model: model.as_deref(),
        ..RequestQuery::default()
    };
    let mut breaks = Breaks::of(query, run)?;
    let usage = UsageCall {
        tables: vec![vec![Key::Day, Key::Cause]],
        sources: None,
        ..call
    };
    let add = |gathered: &mut Gathered, input: &Path, counted| {
        gathered.add(&mut breaks, input, counted);
    };
    let (mut reports, gathered) = each(usage, progress, run, Gathered::default, add)?;
    Ok(gathered.into_detail(reports.pop().unwrap_or_default()))
}

/// The data read so far.
#[derive(Default)]
struct Gathered {
    conversations: Vec<Conversation>,
    /// The places of those of the input that is read.
    places: BTreeMap<String, usize>,
    input: PathBuf,
    /// Names that many requests have.
    names: BTreeSet<Arc<str>>,
    /// Where what changed is held, the least loss first.
    held: BTreeSet<(Loss, Reverse<(usize, usize)>)>,
    /// The number of lost tokens.
    lost: usize,
}

impl Gathered {
    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let new: Arc<str> = name.into();
        self.names.insert(new.clone());
        new
    }

    fn add(&mut self, breaks: &mut Breaks<'_>, input: &Path, counted: Counted) {
        if self.input != input {
            self.input = input.to_owned();
            breaks.end_of_input();
            self.places.clear();
        }
        let line = &counted.exchanged.line;
        let (time, chain) = (line.time, self.name(&line.chain));
        let before = counted.bill.before.as_ref().map(|before| &before.line);
        let Some(parts) = &counted.parts else { return };
        let rates = counted.bill.rates;
        let parts = parts.iter().map(|(why, sum)| Part {
            why: *why,
            tokens: sum.tokens.input() + sum.tokens.output,
            billed: sum.billed,
            avoidable: sum.avoidable,
            more: match rates {
                Some(rates) if is_lost(*why) => rates.lost(&sum.tokens),
                _ => Usd::default(),
            },
        });
        let parts = parts.collect();
        let times = before.and_then(|before| before.time.zip(time));
        let mut one = BilledRequest {
            number: line.number,
            before: before.map(|before| before.number),
            chain,
            time,
            day: counted.bill.day,
            gap: times.map(|(before, now)| now.duration_since(before).as_secs_f64()),
            model: self.name(&counted.exchanged.request.model),
            parts,
            segment: counted.bill.segment().map(|name| self.name(&name)),
            origin: line.origin.clone(),
            broke: None,
        };
        let at = match self.places.get(&line.conversation) {
            Some(at) => *at,
            None => {
                let at = self.conversations.len();
                self.places.insert(line.conversation.clone(), at);
                self.conversations.push(Conversation {
                    name: line.conversation.clone(),
                    input: self.input.clone(),
                    requests: Vec::new(),
                    left_out: 0,
                });
                at
            }
        };
        self.hold(at, &mut one, (breaks, &counted));
        self.conversations[at].requests.push(one);
    }

    /// Holds what changed, if little enough was lost elsewhere.
    fn hold(
        &mut self,
        at: usize,
        one: &mut BilledRequest,
        (breaks, counted): (&mut Breaks<'_>, &Counted),
    ) {
        let loss = one.loss();
        if loss.2 == 0 {
            return;
        }
        self.lost += 1;
        let place = (at, self.conversations[at].requests.len());
        let rank = (loss, Reverse(place));
        if self.held.len() == MOST_BREAKS {
            let Some(least) = self.held.first().copied().filter(|least| *least < rank) else {
                return;
            };
            self.held.remove(&least);
            let (_, Reverse((at, row))) = least;
            self.conversations[at].requests[row].broke = None;
        }
        one.broke = breaks.of_request(counted).map(Box::new);
        self.held.insert(rank);
    }

    fn into_detail(self, report: UsageReport) -> UsageDetail {
        let mut conversations = self.conversations;
        conversations.sort_by_cached_key(|one| {
            let (avoidable, billed) = one.sums();
            Reverse((avoidable, billed))
        });
        let all = |conversations: &[Conversation]| -> usize {
            conversations.iter().map(|one| one.requests.len()).sum()
        };
        let (before, requests) = (conversations.len(), all(&conversations));
        let mut room = MOST_REQUESTS;
        for one in &mut conversations {
            one.keep(room);
            room -= one.requests.len();
        }
        conversations.retain(|one| !one.requests.is_empty());
        let left_out = LeftOut {
            conversations: before - conversations.len(),
            requests: requests - all(&conversations),
            breaks: self.lost - self.held.len(),
        };
        UsageDetail {
            report,
            conversations,
            left_out,
        }
    }
}
