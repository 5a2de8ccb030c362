//! The places of breakpoints: the ends of tiers whose caching saves most.

use super::tools;
use crate::prompt::{Changes, Channel, Deliver, Prompt, Tier};
use crate::text::tokens::Tokenizer;
use schemars::JsonSchema;
use serde::Serialize;

/// A tier that can be cached, and the text before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PrefixSection<'a> {
    /// The tier.
    pub tier: &'a str,
    /// Its channel.
    #[serde(rename = "channel")]
    pub deliver: Deliver,
    /// How often the text up to its end may differ.
    pub changes: Changes,
    /// One past its last byte, in the channel.
    pub end: usize,
    /// Tokens from the start of the request to there.
    pub tokens: u64,
}

/// The decision about the end of a tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakpointStatus {
    /// It has a breakpoint, by its number from 1.
    Marked(usize),
    /// The prefix up to there is shorter than the provider's minimum.
    Short,
    /// The tier cannot be marked here, and is cached with the text after it.
    Unmarkable,
    /// Too few breakpoints are left; it is cached with the text after it.
    Merged,
}

/// The prefix and where it is marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement<'a> {
    /// Every tier that can be cached, in the order of the request, with its result.
    pub ends: Vec<(PrefixSection<'a>, BreakpointStatus)>,
}

impl<'a> Placement<'a> {
    /// The marked ends, in order.
    pub fn marked(&self) -> impl Iterator<Item = PrefixSection<'a>> {
        let marked = |(stretch, fate): &(PrefixSection<'a>, BreakpointStatus)| {
            matches!(fate, BreakpointStatus::Marked(_)).then_some(*stretch)
        };
        self.ends.iter().filter_map(marked)
    }
}

/// The limits of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// So many breakpoints.
    pub most: usize,
    /// A prefix of so many tokens, at least.
    pub min: u64,
    /// Whether the end of the tools can be marked.
    pub tools: bool,
}

/// The tiers before the first text that changes at every call, without blank ones, with their sizes in `tokenizer`.
#[must_use]
pub fn stretches(prompt: &Prompt, tokenizer: Tokenizer) -> Vec<PrefixSection<'_>> {
    stretches_in(prompt, tokenizer, [Deliver::Tools, Deliver::System])
}

/// The sections of channels in this order.
#[must_use]
pub fn stretches_in(
    prompt: &Prompt,
    tokenizer: Tokenizer,
    order: [Deliver; 2],
) -> Vec<PrefixSection<'_>> {
    let mut out = Vec::new();
    let mut before = 0;
    for deliver in order {
        let Some(channel) = prompt.channel(deliver) else {
            continue;
        };
        let tiers = kept(channel);
        let mut ends: Vec<usize> = tiers.iter().map(|t| t.end).collect();
        ends.push(channel.text.len());
        let counts = tokenizer.count_parts(&channel.text, &ends);
        for (tier, count) in tiers.iter().zip(counts) {
            before += count as u64;
            out.push(PrefixSection {
                deliver,
                tier: &tier.name,
                changes: tier.changes,
                end: tier.end,
                tokens: before,
            });
        }
        if live_from(channel) < channel.text.len() {
            break;
        }
    }
    out
}

/// The tiers that can be cached by themselves. Tools that reach over the ends of tiers are cached together, if at all.
fn kept(channel: &Channel) -> Vec<&Tier> {
    let live = live_from(channel);
    let tiers = channel.tiers.iter().filter(|t| t.end <= live);
    let tiers = tiers.filter(|t| !channel.text[t.start..t.end].trim().is_empty());
    let mut tiers: Vec<_> = tiers.collect();
    if channel.deliver == Deliver::Tools {
        let ends = tools::ends(channel);
        tiers.retain(|tier| ends.contains(&tier.end));
    }
    tiers
}

/// The first byte of the first tier that changes at every call.
#[must_use]
pub fn live_from(channel: &Channel) -> usize {
    let live = |t: &&Tier| t.changes == Changes::Turn && t.start < t.end;
    let first = channel.tiers.iter().find(live);
    first.map_or(channel.text.len(), |tier| tier.start)
}

/// How often a class changes, compared with the others: each ten times as often as the more stable one. The choice
/// depends on their order, hardly on the factors: measured frequencies of a deployment would give the same places.
fn weight(changes: Changes) -> u128 {
    match changes {
        Changes::Never => 1,
        Changes::Deploy => 10,
        Changes::Session => 100,
        Changes::Day => 1_000,
        Changes::Turn => 10_000,
    }
}

/// Marks the ends whose caching saves most. A change in a tier keeps the text before the last breakpoint that precedes
/// it, and counts as often as its class. Of equal choices, the one with fewer breakpoints wins, then with later ones.
#[must_use]
pub fn place<'a>(stretches: &[PrefixSection<'a>], allowed: Allowed) -> Placement<'a> {
    let usable: Vec<usize> = (0..stretches.len())
        .filter(|&i| fixed(&stretches[i], allowed).is_none())
        .collect();
    let chosen = choose(stretches, &usable, allowed.most);
    let fate = |i: usize, stretch: &PrefixSection<'_>| {
        let marked = || chosen.iter().position(|&c| c == i);
        fixed(stretch, allowed)
            .or_else(|| marked().map(|number| BreakpointStatus::Marked(number + 1)))
            .unwrap_or(BreakpointStatus::Merged)
    };
    let ends = stretches.iter().enumerate();
    Placement {
        ends: ends.map(|(i, s)| (*s, fate(i, s))).collect(),
    }
}

/// Why an end cannot be marked, however many breakpoints there are.
fn fixed(stretch: &PrefixSection<'_>, allowed: Allowed) -> Option<BreakpointStatus> {
    if stretch.deliver == Deliver::Tools && !allowed.tools {
        Some(BreakpointStatus::Unmarkable)
    } else if stretch.tokens < allowed.min {
        Some(BreakpointStatus::Short)
    } else {
        None
    }
}

/// The best choice of at most `most` of the `usable` ends.
fn choose(stretches: &[PrefixSection<'_>], usable: &[usize], most: usize) -> Vec<usize> {
    let gains = Gains::of(stretches, usable);
    // The best saving from each usable end on, if it is the first of so many places.
    let mut sums: Vec<Option<u128>> = (0..usable.len()).map(|at| Some(gains.last(at))).collect();
    // For each count above one and each end: the next place. Of equal choices the later one.
    let mut nexts: Vec<Vec<usize>> = Vec::new();
    let mut best: Option<(u128, usize, usize)> = None;
    for count in 1..=most.min(usable.len()) {
        if count > 1 {
            let (longer, next) = gains.one_more(&sums);
            sums = longer;
            nexts.push(next);
        }
        let firsts = sums.iter().enumerate();
        let firsts = firsts.filter_map(|(at, sum)| Some(((*sum)?, at)));
        let first = firsts.max_by_key(|(sum, _)| *sum);
        // More places must save more.
        if let Some((sum, at)) = first
            && sum > best.map_or(0, |(sum, ..)| sum)
        {
            best = Some((sum, count, at));
        }
    }
    let Some((_, count, first)) = best else {
        return Vec::new();
    };
    let mut places = vec![first];
    for next in nexts[..count - 1].iter().rev() {
        places.extend(places.last().map(|at| next[*at]));
    }
    places.into_iter().map(|at| usable[at]).collect()
}

/// The savings of places: for each, the tokens before it, times all changes after it up to the end of the next place.
struct Gains {
    /// Tokens before each usable end.
    tokens: Vec<u128>,
    /// The weights of all stretches up to the end of each usable one.
    weights: Vec<u128>,
    /// The frequency of all of them, and of the conversation after them.
    all: u128,
}

impl Gains {
    fn of(stretches: &[PrefixSection<'_>], usable: &[usize]) -> Self {
        let sums = stretches.iter().scan(0, |sum, stretch| {
            *sum += weight(stretch.changes);
            Some(*sum)
        });
        let sums: Vec<u128> = sums.collect();
        Self {
            tokens: usable.iter().map(|&i| stretches[i].tokens.into()).collect(),
            weights: usable.iter().map(|&i| sums[i]).collect(),
            all: sums.last().unwrap_or(&0) + weight(Changes::Turn),
        }
    }

    /// The saving of the last place.
    fn last(&self, at: usize) -> u128 {
        self.tokens[at] * (self.all - self.weights[at])
    }

    /// The sums with one place more, and the next place of each first one.
    fn one_more(&self, sums: &[Option<u128>]) -> (Vec<Option<u128>>, Vec<usize>) {
        let from = |at: usize| {
            let after = (at + 1..sums.len()).filter_map(|next| {
                let own = self.tokens[at] * (self.weights[next] - self.weights[at]);
                Some((own + sums[next]?, next))
            });
            after.max_by_key(|(sum, _)| *sum)
        };
        let best = (0..sums.len()).map(from);
        best.map(|found| (found.map(|(sum, _)| sum), found.map_or(0, |(_, next)| next)))
            .unzip()
    }
}
