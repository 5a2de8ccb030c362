//! The cost of the same requests with some changes, by the rule of their provider.
//!
//! The requests are played as they were and as they would have been, both by the rule alone: what is saved is the difference.

mod cut;
mod vary;

use super::bills::{Again, Bill};
use super::entries::{Entries, Sent, marks};
use super::flat::{End, Flat};
use super::ledger::Change;
use super::owners::Owners;
use super::rates::HOUR;
use super::tokens::Tokens;
use super::why::Why;
use crate::request::provider::Match;
use crate::request::provider::amount::Usd;
use crate::request::whole::{Part, Request, mixed, tool_name};
use cut::{Cut, Volatile};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use vary::{Original, Step, Ttl};

/// The most segments and layers that are moved together, and those that are moved alone: the ones whose changes cost
/// most.
const MOST_MOVED: usize = 32;
const MOST_ALONE: usize = 4;

/// The most changes of system prompts that are looked at for what to move.
const MOST_LOOKED: usize = 20_000;

/// The most of what is remembered of texts that were met before.
const MOST_KNOWN: usize = 4_096;

/// The changes to simulate, from a first pass over the requests.
#[derive(Debug, Default)]
pub(super) struct Scout {
    volatile: Volatile,
    /// The cost of the changes of a segment or layer.
    costs: BTreeMap<String, Usd>,
    /// The newest request of each model that opened a chain.
    firsts: BTreeMap<String, Arc<Request>>,
    tools_moved: bool,
    /// The number of changes of system prompts that were examined.
    looked: usize,
}

impl Scout {
    /// Notes what changed in a request.
    pub(super) fn note(
        &mut self,
        bill: &Bill,
        request: &Arc<Request>,
        owners: Option<&dyn Owners>,
    ) {
        match (&bill.first, &bill.before) {
            (Some(_), Some(before)) => {
                self.changed(&before.request, request, bill.avoidable(), owners);
            }
            (_, None) if bill.predicted.is_some() => {
                if self.firsts.len() > MOST_KNOWN {
                    self.firsts.clear();
                }
                let newest = self.firsts.insert(request.model.clone(), request.clone());
                let alike = newest.filter(|newest| is_alike(newest, request));
                if let Some(before) = alike {
                    self.changed(&before, request, bill.lost(Why::Cold), owners);
                }
            }
            _ => {}
        }
    }

    fn changed(
        &mut self,
        before: &Request,
        request: &Request,
        lost: Usd,
        owners: Option<&dyn Owners>,
    ) {
        self.tools_moved |= is_other_order(&before.tools, &request.tools);
        if before.system == request.system || self.looked >= MOST_LOOKED {
            return;
        }
        self.looked += 1;
        let layers = |request: &Request| owners?.lines(request);
        for name in self.volatile.note([before, request], &layers) {
            let cost = self.costs.entry(name).or_default();
            *cost = *cost + lost;
        }
    }

    /// The additional simulations; none if nothing can be moved or reordered.
    #[must_use]
    pub(super) fn replay(self) -> Option<Replay> {
        let mut costs: Vec<(String, Usd)> = self.costs.into_iter().collect();
        costs.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let names = costs.into_iter().take(MOST_MOVED).map(|(name, _)| name);
        let names: Vec<String> = names.collect();
        (self.tools_moved || !names.is_empty()).then(|| Replay {
            plays: moves(names.len(), self.tools_moved),
            names,
            volatile: self.volatile,
            tools_moved: self.tools_moved,
            ..Replay::empty()
        })
    }
}

/// Whether the tools that both have are in another order.
fn is_other_order(a: &[Part], b: &[Part]) -> bool {
    let ids = |of: &[Part]| of.iter().map(|part| part.id.digest()).collect();
    let [in_a, in_b]: [BTreeSet<_>; 2] = [ids(a), ids(b)];
    let both = |of: &[Part], other: &BTreeSet<_>| -> Vec<_> {
        let of = of.iter().map(|part| part.id.digest());
        of.filter(|id| other.contains(id)).collect()
    };
    a != b && both(a, &in_b) != both(b, &in_a)
}

/// Whether two requests have at least half of the lines of their system prompts in common.
fn is_alike(a: &Request, b: &Request) -> bool {
    let texts =
        [a, b].map(|request| -> Vec<String> { request.system.iter().map(Part::text).collect() });
    let [a, b] = texts.each_ref().map(|texts| -> BTreeSet<&str> {
        texts.iter().flat_map(|text| text.split('\n')).collect()
    });
    a.intersection(&b).count() * 2 >= a.len().max(b.len())
}

/// The changes made at once, and the cached text of the changed requests: none as long as they equal the originals.
#[derive(Debug, Default)]
struct Play {
    steps: Vec<Step>,
    entries: BTreeMap<String, Entries>,
    /// By model what it saves, and what was changed.
    found: BTreeMap<String, (Usd, BTreeSet<Change>)>,
}

impl Play {
    fn of(steps: Vec<Step>) -> Self {
        Self {
            steps,
            ..Self::default()
        }
    }
}

/// The simulations for all requests: other times to live and breakpoints.
fn settings() -> Vec<Play> {
    let hours = [Step::Hour { all: true }, Step::Hour { all: false }];
    let alone = hours.clone().into_iter();
    let alone = alone.chain([
        Step::FiveMinutes,
        Step::Breakpoints { all: false },
        Step::Breakpoints { all: true },
    ]);
    let alone = alone.map(|step| vec![step]);
    let together = hours.map(|hour| vec![Step::Breakpoints { all: true }, hour]);
    alone.chain(together).map(Play::of).collect()
}

/// The additional simulations if so many segments can be moved: each alone, and all together with other times to live
/// and breakpoints.
fn moves(names: usize, tools_moved: bool) -> Vec<Play> {
    let mut alone = Vec::new();
    let mut all = Vec::new();
    if names > 0 {
        all.push(Step::ToMessage((0..names).collect()));
    }
    if tools_moved {
        alone.push(Step::ToolsInOrder);
        all.push(Step::ToolsInOrder);
    }
    for at in 0..names.min(MOST_ALONE) {
        let only = BTreeSet::from([at]);
        alone.push(Step::ToEnd(only.clone()));
        alone.push(Step::ToMessage(only));
    }
    all.push(Step::Breakpoints { all: true });
    let lives = [
        None,
        Some(Step::Hour { all: false }),
        Some(Step::Hour { all: true }),
    ];
    let together = lives.map(|hour| all.iter().cloned().chain(hour).collect());
    let alone = alone.into_iter().map(|step| vec![step]);
    alone.chain(together).map(Play::of).collect()
}

/// Plays requests as they were and as they would have been.
#[derive(Debug)]
pub(super) struct Replay {
    plays: Vec<Play>,
    /// The candidates that are moved.
    names: Vec<String>,
    volatile: Volatile,
    tools_moved: bool,
    /// The cached text of the unchanged requests.
    entries: BTreeMap<String, Entries>,
    cuts: BTreeMap<u64, Arc<Cut>>,
    tools: BTreeMap<u64, Arc<str>>,
}

/// A request that is played.
pub(super) struct Played<'a> {
    pub again: &'a Again,
    pub request: &'a Request,
    pub flat: &'a Flat,
    /// The tokens up to the end of each part.
    pub upto: &'a [u64],
    /// When its answer began, if that is recorded.
    pub begun: Option<Timestamp>,
    pub owners: Option<&'a dyn Owners>,
    /// Whether what is saved counts.
    pub counts: bool,
}

impl Default for Replay {
    fn default() -> Self {
        Self {
            plays: settings(),
            ..Self::empty()
        }
    }
}

impl Replay {
    /// A replay of nothing.
    fn empty() -> Self {
        Self {
            plays: Vec::new(),
            names: Vec::new(),
            volatile: Volatile::default(),
            tools_moved: false,
            entries: BTreeMap::new(),
            cuts: BTreeMap::new(),
            tools: BTreeMap::new(),
        }
    }

    /// Simulates a request as it was, and with each change that affects the cache.
    pub(super) fn add(&mut self, played: &Played<'_>) {
        let Played { request, again, .. } = *played;
        let Again { rule, settled, .. } = *again;
        let needs_breakpoints = request.api.needs_breakpoints();
        let names = self.tool_names(request, played.flat);
        let cut = self.cut(played);
        // Without breakpoints what is in common may end inside of a block.
        let fine = cut.as_deref().filter(|_| rule.rule != Match::Breakpoint);
        let fine = fine.map(|cut| cut.fine(played.flat, played.upto));
        let (flat, upto, cut) = match &fine {
            Some((flat, upto, cut)) => (flat, upto.as_slice(), Some(cut)),
            None => (played.flat, played.upto, cut.as_deref()),
        };
        let (Some(at), Some(marks)) = (request.time, marks(flat, request, rule)) else {
            return;
        };
        let original = Original {
            flat,
            upto,
            marks: &marks,
            breakpoints: rule.rule == Match::Breakpoint,
            needs_breakpoints,
            names: &names,
            cut,
        };
        let cost = |entries: &mut Entries, ends: &[End], upto: &[u64], marks: &[(usize, Ttl)]| {
            let sent = Sent {
                ends,
                marks,
                at,
                begun: played.begun,
                settled,
                rule,
                upto: &|end| upto[end],
            };
            let read = entries.play(&sent);
            again.rates.cost(&buckets(read, &sent, needs_breakpoints))
        };
        let base = self.entries.entry(again.group.clone()).or_default();
        let mut costs = Vec::new();
        for (place, play) in self.plays.iter_mut().enumerate() {
            let varied = original.vary(&play.steps);
            if varied.is_none() && !play.entries.contains_key(&again.group) {
                continue;
            }
            let known = play.entries.entry(again.group.clone());
            let entries = known.or_insert_with(|| base.clone());
            let cost = match &varied {
                Some(varied) => cost(entries, &varied.flat.ends, &varied.upto, &varied.marks),
                None => cost(entries, &flat.ends, upto, &marks),
            };
            costs.push((place, cost, varied.map(|varied| varied.did)));
        }
        let now = cost(base, &flat.ends, upto, &marks);
        for (place, cost, did) in costs.into_iter().filter(|_| played.counts) {
            let found = &mut self.plays[place].found;
            let (saved, changes) = found.entry(request.model.clone()).or_default();
            *saved = *saved + (now - cost);
            let did = did.into_iter().flatten();
            changes.extend(did.map(|step| step.change(&self.names)));
        }
    }

    /// The savings by model. Of changes that were simulated together, only the effective ones are named.
    pub(super) fn savings(self) -> BTreeMap<(String, Change), Usd> {
        let mut out = BTreeMap::new();
        for play in self.plays {
            let alone = play.steps.len() == 1;
            for (model, (saved, changes)) in play.found {
                let mut changes: Vec<Change> = changes.into_iter().collect();
                let change = match (alone, changes.len()) {
                    (true, 1) => changes.swap_remove(0),
                    (false, 2..) => Change::Together(changes),
                    _ => continue,
                };
                out.insert((model, change), saved);
            }
        }
        out.retain(|_, saved| *saved != Usd::default());
        out
    }

    /// The names of the tools, if they may be put in order.
    fn tool_names(&mut self, request: &Request, flat: &Flat) -> Vec<Arc<str>> {
        if !self.tools_moved {
            return Vec::new();
        }
        if self.tools.len() > MOST_KNOWN {
            self.tools.clear();
        }
        let tools = request.tools.iter().zip(&flat.ends).map(|(part, end)| {
            let known = self.tools.entry(end.own);
            known.or_insert_with(|| tool_name(part).into()).clone()
        });
        tools.collect()
    }

    /// The system prompt, cut where something moves.
    fn cut(&mut self, played: &Played<'_>) -> Option<Arc<Cut>> {
        if self.names.is_empty() {
            return None;
        }
        if self.cuts.len() > MOST_KNOWN {
            self.cuts.clear();
        }
        let flat = played.flat;
        let own = flat.ends[flat.tools..flat.system].iter().map(|end| end.own);
        let key = own.fold(0, mixed);
        let cut = self.cuts.entry(key).or_insert_with(|| {
            let layers = played
                .owners
                .and_then(|owners| owners.lines(played.request));
            Arc::new(Cut::new(
                played.request,
                &self.names,
                &self.volatile,
                layers,
            ))
        });
        Some(cut.clone())
    }
}

/// The tokens of an input, of which so many are read, by what is paid for them.
fn buckets(read: u64, sent: &Sent<'_>, needs_breakpoints: bool) -> Tokens {
    let input = sent.ends.len().checked_sub(1).map_or(0, sent.upto);
    let read = read.min(input);
    let mut tokens = Tokens {
        read,
        ..Tokens::default()
    };
    if sent.rule.rule == Match::Breakpoint {
        let stored = sent
            .marks
            .iter()
            .map(|(end, ttl)| ((sent.upto)(*end), *ttl));
        let stored = stored.filter(|(upto, _)| *upto >= sent.rule.min);
        let last = stored.clone().map(|(upto, _)| upto).max().unwrap_or(0);
        let hour = stored
            .filter(|(_, ttl)| *ttl == Some(HOUR))
            .map(|(upto, _)| upto);
        let hour = hour.max().unwrap_or(0);
        if needs_breakpoints {
            tokens.write_1h = hour.saturating_sub(read);
            tokens.write_5m = last.saturating_sub(read.max(hour));
        } else {
            tokens.write_other = last.saturating_sub(read)
        }
    }
    tokens.fresh = input - tokens.read - tokens.written();
    tokens
}
