//! What the same requests would have cost with something of them changed, by the rule of their provider.
//!
//! The requests are played as they were and as they would have been, both by the rule alone: what is saved is the difference.

mod cut;
mod vary;

use super::bills::Bill;
use super::entries::{Entries, Sent, marks};
use super::flat::{End, Flat};
use super::ledger::Change;
use super::owners::Owners;
use super::rates::{HOUR, Rates, Rule};
use super::tokens::Tokens;
use crate::request::provider::Match;
use crate::request::provider::amount::Usd;
use crate::request::whole::{Part, PartId, Request, tool_name};
use cut::{Cut, Volatile};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use vary::{Original, Step, Ttl};

/// The most segments and layers that are moved: those whose changes cost most.
const MOST_MOVED: usize = 4;

/// The most changes of system texts that are looked at for what to move.
const MOST_LOOKED: usize = 20_000;

/// The most of what is remembered of texts that were met before.
const MOST_KNOWN: usize = 4_096;

/// What is worth playing, found by a first look at the requests.
#[derive(Debug, Default)]
pub(super) struct Scout {
    volatile: Volatile,
    /// What the changes of a segment or layer cost.
    costs: BTreeMap<String, Usd>,
    tools_moved: bool,
    /// How many changes of system texts were looked at.
    looked: usize,
    /// Whether there is a request whose whole is known.
    any: bool,
}

impl Scout {
    /// Notes what changed in a request.
    pub(super) fn note(&mut self, bill: &Bill, request: &Request, owners: Option<&dyn Owners>) {
        self.any |= bill.predicted.is_some();
        let (Some(_), Some(before)) = (&bill.first, &bill.before) else {
            return;
        };
        self.tools_moved |= is_other_order(&before.tools, &request.tools);
        if before.system == request.system || self.looked >= MOST_LOOKED {
            return;
        }
        self.looked += 1;
        let layers = |request: &Request| owners?.lines(request);
        for name in self.volatile.note([before, request], &layers) {
            let cost = self.costs.entry(name).or_default();
            *cost = *cost + bill.avoidable();
        }
    }

    /// What is played; none if nothing can be.
    #[must_use]
    pub(super) fn replay(self) -> Option<Replay> {
        if !self.any {
            return None;
        }
        let mut costs: Vec<(String, Usd)> = self.costs.into_iter().collect();
        costs.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let names = costs.into_iter().take(MOST_MOVED).map(|(name, _)| name);
        let names: Vec<String> = names.collect();
        Some(Replay {
            plays: plays(&names, self.tools_moved),
            names,
            volatile: self.volatile,
            ..Replay::default()
        })
    }
}

/// Whether the tools that both have stand in another order.
fn is_other_order(a: &[Part], b: &[Part]) -> bool {
    let both = |of: &[Part], other: &[Part]| -> Vec<PartId> {
        let of = of.iter().filter(|part| other.contains(part));
        of.map(|part| part.id).collect()
    };
    a != b && both(a, b) != both(b, a)
}

/// A change, and what is kept of the requests as they would have been. Nothing, as long as they would have been the same.
#[derive(Debug)]
struct Play {
    change: Change,
    steps: Vec<Step>,
    entries: BTreeMap<String, Entries>,
}

fn plays(names: &[String], tools_moved: bool) -> Vec<Play> {
    let mut single = vec![
        (Change::PrefixHour, Step::Hour { all: false }),
        (Change::Breakpoints, Step::Breakpoints),
    ];
    if tools_moved {
        single.push((Change::ToolsInOrder, Step::ToolsInOrder));
    }
    for (at, name) in names.iter().enumerate() {
        let only = BTreeSet::from([at]);
        single.push((Change::ToEnd(name.clone()), Step::ToEnd(only.clone())));
        single.push((Change::ToMessage(name.clone()), Step::ToMessage(only)));
    }
    let mut all = Vec::new();
    let mut changes = Vec::new();
    if !names.is_empty() {
        all.push(Step::ToMessage((0..names.len()).collect()));
        changes.extend(names.iter().cloned().map(Change::ToMessage));
    }
    if tools_moved {
        all.push(Step::ToolsInOrder);
        changes.push(Change::ToolsInOrder);
    }
    all.push(Step::Breakpoints);
    changes.push(Change::Breakpoints);
    let longer = [
        None,
        Some((Change::PrefixHour, Step::Hour { all: false })),
        Some((Change::Hour, Step::Hour { all: true })),
    ];
    let together = longer.into_iter().filter_map(|longer| {
        let (mut steps, mut changes) = (all.clone(), changes.clone());
        if let Some((change, step)) = longer {
            steps.push(step);
            changes.push(change);
        }
        (steps.len() > 1).then_some((Change::Together(changes), steps))
    });
    let single = single
        .into_iter()
        .map(|(change, step)| (change, vec![step]));
    let all = single.chain(together).map(|(change, steps)| Play {
        change,
        steps,
        entries: BTreeMap::new(),
    });
    all.collect()
}

/// Plays requests as they were and as they would have been.
#[derive(Debug, Default)]
pub(super) struct Replay {
    plays: Vec<Play>,
    /// The candidates that are moved.
    names: Vec<String>,
    volatile: Volatile,
    /// What is kept of the requests as they were.
    entries: BTreeMap<String, Entries>,
    cuts: BTreeMap<u64, Arc<Cut>>,
    tools: BTreeMap<u64, Arc<str>>,
}

/// A request that is played.
pub(super) struct Played<'a> {
    /// The requests that share entries with it.
    pub group: &'a str,
    pub request: &'a Request,
    pub flat: &'a Flat,
    /// The tokens up to the end of each part.
    pub upto: &'a [u64],
    pub rule: Rule,
    pub rates: &'a Rates,
    pub owners: Option<&'a dyn Owners>,
}

impl Replay {
    /// What the request would have cost less with each change that changes something of what is kept.
    pub(super) fn add(&mut self, played: &Played<'_>) -> Vec<(Change, Usd)> {
        let Played {
            request,
            flat,
            upto,
            rule,
            ..
        } = *played;
        let (Some(at), Some(marks)) = (request.time, marks(flat, request, rule)) else {
            return Vec::new();
        };
        let names = self.tool_names(request, flat);
        let cut = self.cut(played);
        let original = Original {
            flat,
            upto,
            marks: &marks,
            needs_breakpoints: request.api.needs_breakpoints(),
            names: &names,
            cut: cut.as_deref(),
        };
        let cost = |entries: &mut Entries, ends: &[End], upto: &[u64], marks: &[(usize, Ttl)]| {
            let sent = Sent {
                ends,
                marks,
                at,
                rule,
                upto: &|end| upto[end],
            };
            let read = entries.play(&sent);
            let tokens = buckets(read, &sent, original.needs_breakpoints);
            played.rates.cost(&tokens)
        };
        let base = self.entries.entry(played.group.to_owned()).or_default();
        let mut costs = Vec::new();
        for play in &mut self.plays {
            let varied = original.vary(&play.steps);
            if varied.is_none() && !play.entries.contains_key(played.group) {
                continue;
            }
            let known = play.entries.entry(played.group.to_owned());
            let entries = known.or_insert_with(|| base.clone());
            let cost = match &varied {
                Some(varied) => cost(entries, &varied.flat.ends, &varied.upto, &varied.marks),
                None => cost(entries, &flat.ends, upto, &marks),
            };
            costs.push((play.change.clone(), cost));
        }
        let now = cost(base, &flat.ends, upto, &marks);
        let saved = costs.into_iter().map(|(change, cost)| (change, now - cost));
        saved.collect()
    }

    /// The names of the tools, if they may be put in order.
    fn tool_names(&mut self, request: &Request, flat: &Flat) -> Vec<Arc<str>> {
        if !self
            .plays
            .iter()
            .any(|play| play.change == Change::ToolsInOrder)
        {
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

    /// The system text, cut where something moves.
    fn cut(&mut self, played: &Played<'_>) -> Option<Arc<Cut>> {
        if self.names.is_empty() {
            return None;
        }
        if self.cuts.len() > MOST_KNOWN {
            self.cuts.clear();
        }
        let flat = played.flat;
        let own = flat.ends[flat.tools..flat.system].iter().map(|end| end.own);
        let key = own.fold(0, super::flat::mixed);
        let cut = self.cuts.entry(key).or_insert_with(|| {
            let layers = played
                .owners
                .and_then(|owners| owners.lines(played.request));
            Arc::new(Cut::of(played.request, &self.names, &self.volatile, layers))
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
        match needs_breakpoints {
            true => {
                tokens.write_1h = hour.saturating_sub(read);
                tokens.write_5m = last.saturating_sub(read.max(hour));
            }
            false => tokens.write_other = last.saturating_sub(read),
        }
    }
    tokens.fresh = input - tokens.read - tokens.written();
    tokens
}
