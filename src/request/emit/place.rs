//! The one plan of breakpoints: which ends of tiers a request marks, and how many of its messages. `emit` writes it, `explain`
//! shows it, and the cost of a break follows from it.

use super::tools;
use crate::prompt::{Changes, Channel, Deliver, Prompt, Tier};
use crate::request::provider::Provider;
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
    /// How often its own text may differ.
    pub changes: Changes,
    /// How often the text up to its end may differ: the most volatile class so far, also of tiers that are blank here.
    #[serde(skip)]
    pub prefix: Changes,
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

/// The part of a request that can be cached before its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix<'a> {
    /// The tiers before the first text that changes at every call, without blank ones, in the order of the request.
    pub sections: Vec<PrefixSection<'a>>,
    /// Whether text that changes at every call comes after them and before the messages, which are not cached then.
    pub live: bool,
}

/// The prefix and where it is marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement<'a> {
    /// Every tier that can be cached, in the order of the request, with its result.
    pub ends: Vec<(PrefixSection<'a>, BreakpointStatus)>,
    /// The breakpoints for messages.
    pub messages: usize,
}

impl<'a> Placement<'a> {
    /// The marked ends, in order.
    pub fn marked(&self) -> impl Iterator<Item = PrefixSection<'a>> {
        let marked = |(stretch, fate): &(PrefixSection<'a>, BreakpointStatus)| {
            matches!(fate, BreakpointStatus::Marked(_)).then_some(*stretch)
        };
        self.ends.iter().filter_map(marked)
    }

    /// The ends that are those of blocks in a channel, with the numbers of their breakpoints: all that can be marked, if any is.
    pub fn blocks(
        &self,
        deliver: Deliver,
    ) -> impl Iterator<Item = (PrefixSection<'a>, Option<usize>)> {
        let marks = self.marked().next().is_some();
        let own = self.ends.iter().filter(move |(s, _)| s.deliver == deliver);
        own.filter_map(move |(section, status)| match status {
            BreakpointStatus::Marked(number) => Some((*section, Some(*number))),
            BreakpointStatus::Merged if marks => Some((*section, None)),
            _ => None,
        })
    }
}

/// The breakpoints of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// So many, those of messages among them.
    pub most: usize,
    /// A prefix of so many tokens, at least.
    pub min: u64,
    /// Whether the end of the tools can be marked.
    pub tools: bool,
    /// How many the messages use at most.
    pub messages: usize,
    /// Whether messages have theirs before the prompt has any: the caller set their number.
    pub messages_first: bool,
}

/// The messages after a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Messages {
    /// A conversation: more of them than breakpoints.
    #[default]
    Conversation,
    /// So many on which a breakpoint can be.
    Count(usize),
}

impl Messages {
    /// The most breakpoints that they use.
    #[must_use]
    pub fn most(self) -> usize {
        match self {
            Self::Conversation => usize::MAX,
            Self::Count(count) => count,
        }
    }
}

/// The channels before the conversation, in the order in which this provider reads them. System prompt comes before the
/// tools only if its row says so: `order "system" "tools"`; one part for both, `"tools/system"`, does not.
#[must_use]
pub fn order(provider: &Provider) -> [Deliver; 2] {
    let first = |words: &[&str]| {
        let has = |part: &String| words.iter().any(|word| part.contains(word));
        provider.order.iter().position(has)
    };
    let system = first(&["system", "instructions", "developer"]);
    match system.zip(first(&["tool"])) {
        Some((system, tools)) if system < tools => [Deliver::System, Deliver::Tools],
        _ => [Deliver::Tools, Deliver::System],
    }
}

impl<'a> Prefix<'a> {
    /// The prefix of a request to this provider, with its sizes in `tokenizer`; tools come first if it is unknown.
    #[must_use]
    pub fn of(prompt: &'a Prompt, tokenizer: Tokenizer, provider: Option<&Provider>) -> Self {
        let order = provider.map_or([Deliver::Tools, Deliver::System], order);
        let mut sections = Vec::new();
        let (mut before, mut prefix) = (0, Changes::Never);
        for channel in order
            .into_iter()
            .filter_map(|deliver| prompt.channel(deliver))
        {
            let tiers = kept(channel);
            let mut ends: Vec<usize> = tiers.iter().map(|t| t.end).collect();
            ends.push(channel.text.len());
            let counts = tokenizer.count_parts(&channel.text, &ends);
            let mut all = channel.tiers.iter();
            for (tier, count) in tiers.iter().zip(counts) {
                before += count as u64;
                // Another session may have text where this one has a blank tier.
                for passed in all.by_ref() {
                    prefix = prefix.max(passed.changes);
                    if std::ptr::eq(passed, *tier) {
                        break;
                    }
                }
                sections.push(PrefixSection {
                    deliver: channel.deliver,
                    tier: &tier.name,
                    changes: tier.changes,
                    prefix,
                    end: tier.end,
                    tokens: before,
                });
            }
            if live_from(channel) < channel.text.len() {
                return Self {
                    sections,
                    live: true,
                };
            }
            prefix = all.fold(prefix, |prefix, tier| prefix.max(tier.changes));
        }
        Self {
            sections,
            live: false,
        }
    }
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

/// How many breakpoints messages need: one for the next request, and one to find what the request before wrote.
const NEEDED: usize = 2;

/// The plan. The end of the text that sessions share comes first: nothing else of a session is read by the first request of
/// another one. Then the end of the last tier, which every request of a session reads, then messages, then the ends of the other
/// tiers from the start, where they are most stable. What is left is for messages, too.
#[must_use]
pub fn place<'a>(prefix: &Prefix<'a>, allowed: Allowed) -> Placement<'a> {
    let sections = &prefix.sections;
    let usable = || (0..sections.len()).filter(|&i| fixed(&sections[i], allowed).is_none());
    let is_shared = |i: &usize| sections[*i].prefix < Changes::Session;
    let mut chosen: Vec<usize> = usable().rfind(is_shared).into_iter().collect();
    chosen.extend(usable().next_back().filter(|last| !chosen.contains(last)));
    let (wanted, needed) = if allowed.messages_first {
        (allowed.messages, allowed.messages)
    } else if prefix.live {
        (0, 0)
    } else {
        let left = allowed.most.saturating_sub(chosen.len());
        (allowed.messages, left.min(NEEDED))
    };
    let needed = needed.min(wanted).min(allowed.most);
    let first = chosen.clone();
    chosen.extend(usable().filter(|i| !first.contains(i)));
    chosen.truncate(allowed.most - needed);
    chosen.sort_unstable();
    let status = |i: usize, section: &PrefixSection<'_>| {
        let marked = || chosen.iter().position(|&c| c == i);
        fixed(section, allowed)
            .or_else(|| marked().map(|number| BreakpointStatus::Marked(number + 1)))
            .unwrap_or(BreakpointStatus::Merged)
    };
    let ends = sections.iter().enumerate();
    Placement {
        ends: ends.map(|(i, s)| (*s, status(i, s))).collect(),
        messages: wanted.min(allowed.most - chosen.len()),
    }
}

/// Why an end cannot be marked, however many breakpoints there are.
fn fixed(section: &PrefixSection<'_>, allowed: Allowed) -> Option<BreakpointStatus> {
    if section.deliver == Deliver::Tools && !allowed.tools {
        Some(BreakpointStatus::Unmarkable)
    } else if section.tokens < allowed.min {
        Some(BreakpointStatus::Short)
    } else {
        None
    }
}
