//! The earlier request of another chain that one which begins a chain is compared with: providers share a cache between conversations.
//!
//! `docs/usage.md` has the rule. Only requests that share a cache are candidates: of one endpoint, account, API, model and `prompt_cache_key`.

use super::entries::AsCached;
use super::flat::Flat;
use super::index::{Entry, Index};
use super::places::{Places, Surveyor, hash_of};
use super::rates::{HOUR, Rule};
use super::step::Step;
use super::why::Before;
use crate::request::whole::log::Exchanged;
use crate::request::whole::{Overlap, Request, Standing, Step as Compared};
use crate::text::common::count_shared;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most requests with a similar system prompt that are compared.
const MOST_COMPARED: usize = 8;

/// The shortest beginning that counts for a model whose minimum no table has, in tokens: that of most models.
const MINIMUM: u64 = 1_024;

/// The bytes of a token where no bill says how many tokens a request has.
const BYTES_OF_TOKEN: u64 = 4;

/// The setting that chooses a cache.
const KEY: &str = "prompt_cache_key";

/// The most keys that are remembered.
const MOST_KEYS: usize = 65_536;

/// The comparison of a request that begins a chain with an earlier one of another chain.
#[derive(Debug, Clone)]
pub struct Across {
    /// The other request.
    pub before: Arc<Exchanged>,
    /// The comparison.
    pub step: Compared,
}

/// How many conversations there were, and what hides what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shared {
    /// The complete requests that begin a chain.
    pub conversations: u64,
    /// Those of them with a `prompt_cache_key` that none before them has.
    pub own_keys: u64,
    /// The requests that were forgotten while they could still be found, because there were too many.
    pub forgotten: u64,
}

/// The requests that a later one could share a cache with.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    surveyor: Surveyor,
    index: Index<Arc<Candidate>>,
    keys: BTreeSet<u64>,
    conversations: u64,
    own_keys: u64,
    /// Whether a request of the log was billed: then those are no candidates that were not.
    has_bills: bool,
}

/// A request that a later one could share a cache with.
#[derive(Debug)]
pub(super) struct Candidate {
    /// It, and what of it was cached.
    pub(super) before: Before,
    /// The request as it was cached, if its rule is known.
    pub(super) cached: Option<Arc<AsCached>>,
    is_billed: bool,
    lines: Arc<[u64]>,
}

/// The request that another one is compared with, and how.
pub(super) struct Found {
    pub(super) candidate: Arc<Candidate>,
    standing: Standing,
    overlap: Overlap,
    /// Whether text after the first difference counts.
    is_broken: bool,
}

/// A request, surveyed.
pub(super) struct Sent {
    places: Places,
    /// Its input in tokens, if it is known.
    input: Option<u64>,
}

impl Sent {
    fn bytes(&self) -> u64 {
        self.places.all.last().map_or(0, |last| last.bytes)
    }

    /// The bytes of so many tokens.
    fn bytes_of(&self, tokens: u64) -> u64 {
        let (bytes, all) = match self.input {
            Some(input) => (self.bytes(), input.max(1)),
            None => (BYTES_OF_TOKEN, 1),
        };
        (u128::from(tokens) * u128::from(bytes)).div_ceil(u128::from(all)) as u64
    }
}

impl Candidate {
    /// Whether it could be read when another request started; none if so much time went by that it cannot be found any more. Without a time to live
    /// it is found for an hour.
    fn standing(&self, now: &Request) -> Option<Standing> {
        let ttl = self.before.lifetime();
        let gap = self.before.gap(now).unwrap_or(0.0);
        // It is found for two times to live.
        let most = ttl.map_or(HOUR, |ttl| ttl.saturating_mul(2)) as f64;
        match ttl {
            _ if gap > most => None,
            Some(ttl) if gap > ttl as f64 => Some(Standing::Expired(Some(ttl))),
            _ if self.before.has_begun(now) == Some(false) => Some(Standing::Concurrent),
            _ => Some(Standing::Alive),
        }
    }
}

impl Candidates {
    /// Surveys a request of which tools, system prompt and messages are known. None if it failed.
    pub(super) fn survey(
        &mut self,
        now: &Exchanged,
        flat: &Flat,
        group: &str,
        input: Option<u64>,
    ) -> Option<Sent> {
        let request = &*now.request;
        if now.is_failed() {
            return None;
        }
        self.has_bills |= input.is_some();
        let mut settings = request.settings.iter();
        let key = settings.find(|setting| setting.name == KEY);
        let key = key.map(|key| hash_of(&key.value));
        if now.line.parent.is_none() {
            self.conversations += 1;
            let is_new =
                key.is_some_and(|key| self.keys.len() >= MOST_KEYS || self.keys.insert(key));
            self.own_keys += u64::from(is_new);
        }
        let group = hash_of(&(group, request.api, key, request.is_snapshot));
        Some(Sent {
            places: self.surveyor.places(request, flat, group),
            input,
        })
    }

    /// The request that one which begins a chain is compared with.
    pub(super) fn find(&self, now: &Exchanged, sent: &Sent, rule: Rule) -> Option<Found> {
        let request = &*now.request;
        let least = match rule.min {
            0 => MINIMUM,
            min => min,
        };
        let least = sent.bytes_of(least);
        let (candidate, standing) = self
            .longest(request, sent, least)
            .or_else(|| Some((self.most_alike(request, sent)?, Standing::Alive)))?;
        let least = usize::try_from(least).unwrap_or(usize::MAX);
        let overlap = Overlap::of(candidate.before.request(), request, least);
        // No provider caches less.
        if overlap.reused.bytes + overlap.begun + overlap.after < least {
            return None;
        }
        Some(Found {
            is_broken: !overlap.causes.is_empty() && overlap.after >= least,
            candidate,
            standing,
            overlap,
        })
    }

    /// The one with the longest common beginning of so many bytes: of those that live, else of those that came at once, else of those that are over.
    fn longest(
        &self,
        now: &Request,
        sent: &Sent,
        least: u64,
    ) -> Option<(Arc<Candidate>, Standing)> {
        let (mut concurrent, mut expired) = (None, None);
        let found = self.index.begin_with(&sent.places.all);
        let found = found.take_while(|(place, _)| place.bytes >= least);
        for (candidate, standing) in self.found(found.map(|(_, candidate)| candidate), now) {
            let other = match standing {
                Standing::Alive => return Some((candidate.clone(), standing)),
                Standing::Concurrent => &mut concurrent,
                Standing::Expired(_) => &mut expired,
            };
            other.get_or_insert((candidate.clone(), standing));
        }
        concurrent.or(expired)
    }

    /// The live one with the same tool names and most equal lines of the system prompt, at least half of those of the shorter one.
    fn most_alike(&self, now: &Request, sent: &Sent) -> Option<Arc<Candidate>> {
        let found = sent.places.sketch.iter();
        let found = found.flat_map(|hash| self.index.alike(*hash));
        let alive = self.found(found, now);
        let alive = alive.filter(|(_, standing)| *standing == Standing::Alive);
        let mut alive: Vec<&Arc<Candidate>> = alive.map(|(candidate, _)| candidate).collect();
        let number = |candidate: &Candidate| candidate.before.exchanged.line.number;
        alive.sort_by_key(|candidate| std::cmp::Reverse(number(candidate)));
        alive.dedup_by_key(|candidate| number(candidate));
        let own = &sent.places.lines;
        let counted = alive.into_iter().take(MOST_COMPARED).map(|candidate| {
            let equal = count_shared(&candidate.lines, own);
            (equal, candidate.lines.len().min(own.len()), candidate)
        });
        let half = counted.filter(|(equal, shorter, _)| 2 * equal >= *shorter);
        // Of equals the newest.
        let most = half.max_by_key(|(equal, _, candidate)| (*equal, number(candidate)));
        most.map(|(.., candidate)| candidate.clone())
    }

    /// Those that may be found yet, and how they stand to a request.
    fn found<'a>(
        &self,
        all: impl Iterator<Item = &'a Arc<Candidate>>,
        now: &Request,
    ) -> impl Iterator<Item = (&'a Arc<Candidate>, Standing)> {
        let all = all.filter(|candidate| candidate.is_billed || !self.has_bills);
        all.filter_map(|candidate| Some((candidate, candidate.standing(now)?)))
    }

    /// Holds a request, with what of it was cached.
    pub(super) fn add(&mut self, sent: Sent, before: Before, cached: Option<Arc<AsCached>>) {
        let (is_billed, has_bills) = (sent.input.is_some(), self.has_bills);
        if has_bills && !is_billed {
            return;
        }
        let now = before.exchanged.clone();
        // Each text is held in two forms.
        let bytes = usize::try_from(2 * sent.bytes()).unwrap_or(usize::MAX);
        let places = sent.places;
        let entry = Entry {
            chain: hash_of(&now.line.chain),
            places: places.all,
            alike: places.sketch,
            bytes,
            known: Arc::new(Candidate {
                is_billed,
                lines: places.lines,
                before,
                cached,
            }),
        };
        self.index.add(
            entry,
            |other| {
                let may_be_found = other.is_billed || !has_bills;
                may_be_found && other.standing(&now.request) == Some(Standing::Alive)
            },
            |other| other.standing(&now.request).is_none(),
        );
    }

    /// Ends a log: what another one has was sent to other accounts.
    pub(super) fn end_of_log(&mut self) {
        self.index.clear();
        self.has_bills = false;
    }

    /// What is known of all conversations.
    pub(super) fn shared(&self) -> Shared {
        Shared {
            conversations: self.conversations,
            own_keys: self.own_keys,
            forgotten: self.index.forgotten,
        }
    }
}

impl Found {
    /// The changes from one to the other.
    pub(super) fn step(&self, now: &Request) -> Step {
        let before = self.candidate.before.request();
        Step::across((before, now), &self.overlap, self.is_broken)
    }

    /// The comparison with a request.
    pub(super) fn across(self, now: &Request) -> Across {
        let before = self.candidate.before.exchanged.clone();
        Across {
            step: (self.overlap).step(&before.request, now, self.is_broken, self.standing),
            before,
        }
    }
}
