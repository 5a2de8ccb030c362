//! The cost of a break: how much of the request a provider could reuse before and after it, and the price of the
//! difference.
//!
//! A token that is written again instead of read costs (write - read) times the input price, by the multiples of the
//! model. Parts are in the order of the provider's row; if it does not separate tools from system prompt, tools come
//! first.

use crate::compare;
use crate::prompt::{Deliver, Prompt};
use crate::request::emit::place::{
    Messages, Placement, Prefix, PrefixSection, live_from, order, place,
};
use crate::request::emit::{allowed_by, tools};
use crate::request::provider::amount::{Times, Usd};
use crate::request::provider::rule::{CacheBoundary, Reuse, reuse};
use crate::request::provider::{Match, Model, ModelMatch, Prices, Ttl};
use crate::text::tokens::Tokenizer;

/// The model whose costs are calculated, and how.
#[derive(Debug, Clone)]
pub struct CostQuery {
    /// The model, as it was named.
    pub name: String,
    /// Its data in the table.
    pub found: ModelMatch,
    /// The requested tokenizer.
    pub tokenizer: Option<Tokenizer>,
    /// The number of requests a day with such a break.
    pub requests: Option<u64>,
    /// The messages that are assumed after the prompt, which use breakpoints too.
    pub messages: Messages,
}

/// The tokenizer for a prompt and this model: the requested one, else that of the counts, else the provider's, else
/// that of OpenAI's newer models.
#[must_use]
pub fn tokenizer(
    asked: Option<Tokenizer>,
    counted: Option<Tokenizer>,
    found: Option<&ModelMatch>,
) -> Tokenizer {
    asked
        .or(counted)
        .or_else(|| found.and_then(|f| f.provider.tokenizer))
        .unwrap_or(Tokenizer::O200K)
}

/// The cost of sending B where A may be cached.
#[must_use]
pub fn of(a: &Prompt, b: &Prompt, asked: &CostQuery) -> compare::Cost {
    exact(a, b, asked).0
}

/// The cost, and the price of one break as an amount that sums keep exact.
#[must_use]
pub fn exact(a: &Prompt, b: &Prompt, asked: &CostQuery) -> (compare::Cost, Option<Usd>) {
    let counted = b.tokenizer().or_else(|| a.tokenizer());
    let tokenizer = tokenizer(asked.tokenizer, counted, Some(&asked.found));
    let size = size(a, b, (&asked.found, tokenizer));
    let (before, after) = reused(a, b, size, (asked, tokenizer));
    told(before, after, size, (asked, tokenizer))
}

/// The cost if the text of `prefix.sections[at]` changes, with sizes in tokens of `tokenizer`; `estimate` if they are not its
/// counts.
#[must_use]
pub fn at(
    prefix: &Prefix<'_>,
    at: usize,
    asked: &CostQuery,
    (tokenizer, estimate): (Tokenizer, bool),
) -> compare::Cost {
    let tokens = |at: usize| prefix.sections.get(at).map_or(0, |section| section.tokens);
    let whole = tokens(prefix.sections.len().saturating_sub(1));
    let same = at.checked_sub(1).map_or(0, tokens);
    let found = &asked.found;
    let limits = found.model.as_ref().map(|m| m.limits).unwrap_or_default();
    let sent: Vec<CacheBoundary> = (marks(prefix, asked).into_iter().enumerate())
        .map(|(blocks, (_, tokens))| CacheBoundary { tokens, blocks })
        .collect();
    let before = reuse(&found.provider, limits, &sent, &sent, whole);
    let after = reuse(&found.provider, limits, &sent, &sent, same);
    let size = Tokens {
        whole,
        lasting: whole,
        same,
        untouched: false,
    };
    let (mut cost, _) = told(before, after, size, (asked, tokenizer));
    cost.estimate |= estimate;
    cost
}

impl CostQuery {
    /// Whether figures of this tokenizer are those of the model, see [`ModelMatch::is_exact`].
    #[must_use]
    pub fn is_exact(&self, tokenizer: Tokenizer) -> bool {
        self.found.is_exact(tokenizer)
    }
}

/// Counts the tokens of a prompt as the model counts them, unless they were counted; without a model they are an estimate.
pub fn count_for(prompt: &mut Prompt, asked: Option<&CostQuery>) {
    match asked {
        Some(asked) if prompt.tokenizer().is_none() => {
            prompt.count_tokens(tokenizer(asked.tokenizer, None, Some(&asked.found)));
        }
        _ => prompt.estimate_tokens(),
    }
}

/// A call whose prompt is in the cache already, from the call before.
#[derive(Debug, Clone, Copy)]
pub struct RepeatedCall {
    /// The tokens of the prompt, all channels together.
    pub tokens: u64,
    /// The part of them that is read from the cache.
    pub reused: u64,
    /// Whether it is only known that it is no more.
    pub at_most: bool,
    /// Whether the tokens are an estimate.
    pub estimate: bool,
    /// The cost of its input, and that cost without a cache; none without a price.
    pub usd: Option<[Usd; 2]>,
}

/// The next call with the same prompt: what is read from the cache costs what reading costs, the rest the plain input.
#[must_use]
pub fn repeated(prompt: &Prompt, asked: &CostQuery) -> RepeatedCall {
    let found = &asked.found;
    let tokenizer = tokenizer(asked.tokenizer, prompt.tokenizer(), Some(found));
    let [size_lasting, whole] =
        lasting(prompt, tokenizer, order(&found.provider)).map(|n| n as u64);
    let limits = found.model.as_ref().map(|m| m.limits).unwrap_or_default();
    let all = Blocks::of(prompt, (asked, tokenizer)).marks();
    let kept = reuse(&found.provider, limits, &all, &all, size_lasting);
    let reused = kept.tokens.min(whole);
    let prices = found.model.as_ref().and_then(|m| m.prices_of(whole));
    let usd = prices.map(|p| {
        let plain = |tokens| p.input.of(tokens, Times::ONE);
        [
            p.input.of(reused, p.read) + plain(whole - reused),
            plain(whole),
        ]
    });
    RepeatedCall {
        tokens: whole,
        reused,
        at_most: kept.at_most,
        estimate: !asked.is_exact(tokenizer),
        usd,
    }
}

/// The tokens before the first text that may be another at every call, and all of them. The user text is never before it.
#[must_use]
pub fn lasting(prompt: &Prompt, tokenizer: Tokenizer, order: [Deliver; 2]) -> [usize; 2] {
    let (mut lasting, mut whole, mut live) = (0, 0, false);
    for deliver in order.into_iter().chain([Deliver::User]) {
        let Some(channel) = prompt.channel(deliver) else {
            continue;
        };
        let from = match deliver {
            Deliver::User => 0,
            _ => live_from(channel),
        };
        let counts = tokenizer.count_parts(&channel.text, &[from, channel.text.len()]);
        whole += counts.iter().sum::<usize>();
        if !live {
            lasting += counts[..1].iter().sum::<usize>();
            live = from < channel.text.len();
        }
    }
    [lasting, whole]
}

/// The tokens of A's tools and system prompt that stand at the start of B's, and all of them.
#[must_use]
pub fn shared(a: &Prompt, b: &Prompt, tokenizer: Tokenizer) -> [usize; 2] {
    let (mut same, mut whole, mut differs) = (0, 0, false);
    for channel in [Deliver::Tools, Deliver::System] {
        let (old, new) = (a.text(channel), b.text(channel));
        let all = tokenizer.count_parts(old, &[old.len()]).iter().sum();
        if !differs {
            differs = old != new;
            let common = || tokenizer.count_common(old, new).min(all);
            same += if differs { common() } else { all };
        }
        whole += all;
    }
    [same, whole]
}

/// A request with the one before it, in tokens of its tools and system prompt.
#[derive(Debug, Clone, Copy, Default)]
struct Tokens {
    /// All of it.
    whole: u64,
    /// Before the first text that changes at every call: no more than that is ever reused.
    lasting: u64,
    /// The part of it that the request before also starts with.
    same: u64,
    /// Whether all of `lasting` does, byte for byte: a token may reach over its end.
    untouched: bool,
}

fn size(a: &Prompt, b: &Prompt, (found, tokenizer): (&ModelMatch, Tokenizer)) -> Tokens {
    let mut out = Tokens {
        untouched: true,
        ..Tokens::default()
    };
    let (mut same, mut differs, mut live) = (0, false, false);
    for channel in order(&found.provider) {
        let (old, new) = (a.text(channel), b.text(channel));
        let lasting = b.channel(channel).map_or(0, live_from);
        out.untouched &= live || (!differs && old.starts_with(&new[..lasting]));
        let counts = tokenizer.count_parts(new, &[lasting, new.len()]);
        let count = |part: &[usize]| part.iter().sum::<usize>() as u64;
        out.whole += count(&counts);
        if !live {
            out.lasting += count(&counts[..1]);
            live = lasting < new.len();
        }
        if !differs {
            differs = old != new;
            same += if differs {
                tokenizer.count_common(old, new) as u64
            } else {
                count(&counts)
            };
        }
    }
    out.same = same.min(out.lasting);
    out
}

/// What is asked, and the tokenizer.
type By<'a> = (&'a CostQuery, Tokenizer);

/// The reusable tokens without the change, and with it.
fn reused(a: &Prompt, b: &Prompt, size: Tokens, by: By<'_>) -> (Reuse, Reuse) {
    let found = &by.0.found;
    let limits = found.model.as_ref().map(|m| m.limits).unwrap_or_default();
    let sent = Blocks::of(b, by);
    let asked = sent.marks();
    let reuse =
        |written: &[CacheBoundary], same| reuse(&found.provider, limits, written, &asked, same);
    let before = reuse(&asked, size.lasting);
    let after = match found.provider.rule {
        // A cached prefix ends with a block, so bytes decide: a token may reach over the end of a block.
        Match::Breakpoint | Match::NamedResource => {
            reuse(&sent.written_by(&Blocks::of(a, by)), size.lasting)
        }
        _ => reuse(&[], size.same),
    };
    (before, after)
}

/// The end of a block: after so many tools, or one past the last byte in the system prompt.
type End = (Deliver, usize);

/// A request before its messages, in the blocks that its provider sees.
struct Blocks<'a> {
    /// The channel that the provider reads first.
    first: Deliver,
    tools: Vec<String>,
    system: &'a str,
    /// The ends of all blocks in the order of the provider.
    ends: Vec<End>,
    /// The marked ones, with the tokens before them. A stored resource ends at one.
    marked: Vec<(End, u64)>,
}

impl<'a> Blocks<'a> {
    fn of(prompt: &'a Prompt, (asked, tokenizer): By<'_>) -> Self {
        let provider = &asked.found.provider;
        let prefix = Prefix::of(prompt, tokenizer, Some(provider));
        let tools = tools::texts(prompt.channel(Deliver::Tools));
        // A tier of tools ends after the last of its tools.
        let end = |((deliver, end), tokens): (End, u64)| match deliver {
            Deliver::Tools => {
                let before = tools.iter().filter(|(tier, _)| *tier <= end);
                ((deliver, before.count()), tokens)
            }
            _ => ((deliver, end), tokens),
        };
        let marked: Vec<(End, u64)> = marks(&prefix, asked).into_iter().map(end).collect();
        let system = prompt.text(Deliver::System);
        let cuts = placement(&prefix, asked);
        let cuts = cuts.blocks(Deliver::System).map(|(section, _)| section.end);
        let mut cuts: Vec<usize> = cuts.chain([system.len()]).collect();
        cuts.dedup();
        let order = order(provider);
        let mut ends: Vec<End> = Vec::new();
        for deliver in order {
            match deliver {
                Deliver::Tools => ends.extend((1..=tools.len()).map(|end| (deliver, end))),
                _ => ends.extend(cuts.iter().map(|end| (deliver, *end))),
            }
        }
        let missing = marked.iter().filter(|(end, _)| !ends.contains(end));
        let missing: Vec<End> = missing.map(|(end, _)| *end).collect();
        ends.extend(missing);
        Self {
            first: order[0],
            tools: tools.into_iter().map(|(_, text)| text).collect(),
            system,
            ends,
            marked,
        }
    }

    /// The place of a block's end among all of them.
    fn boundary(&self, end: End, tokens: u64) -> Option<CacheBoundary> {
        let at = self.ends.iter().position(|own| *own == end)?;
        Some(CacheBoundary {
            tokens,
            blocks: at + 1,
        })
    }

    /// Its breakpoints.
    fn marks(&self) -> Vec<CacheBoundary> {
        let marked = self.marked.iter();
        (marked.filter_map(|(end, tokens)| self.boundary(*end, *tokens))).collect()
    }

    /// The prefixes that another request wrote and that end with a block of this one.
    fn written_by(&self, other: &Self) -> Vec<CacheBoundary> {
        let tokens = |end: &End| self.marked.iter().find(|(own, _)| own == end);
        let written = other
            .marked
            .iter()
            .filter(|(end, _)| self.starts_as(other, *end));
        let own = |(end, there): &(End, u64)| {
            self.boundary(*end, tokens(end).map_or(*there, |(_, tokens)| *tokens))
        };
        written.filter_map(own).collect()
    }

    /// Whether both requests have the same tools and bytes up to there.
    fn starts_as(&self, other: &Self, (deliver, end): End) -> bool {
        match deliver {
            Deliver::Tools => {
                let own = self.tools.get(..end);
                (self.first == deliver || self.system == other.system)
                    && own.is_some()
                    && own == other.tools.get(..end)
            }
            _ => {
                let own = self.system.get(..end);
                (self.first == deliver || self.tools == other.tools)
                    && own.is_some()
                    && own == other.system.get(..end)
            }
        }
    }
}

fn placement<'a>(prefix: &Prefix<'a>, asked: &CostQuery) -> Placement<'a> {
    place(prefix, allowed_by(&asked.found, asked.messages))
}

/// The ends of the prefixes that a request asks to cache, by the byte in their channel, with the tokens before them.
fn marks(prefix: &Prefix<'_>, asked: &CostQuery) -> Vec<(End, u64)> {
    let marked = match asked.found.provider.rule {
        Match::NamedResource => prefix.sections.last().copied().into_iter().collect(),
        _ => placement(prefix, asked).marked().collect::<Vec<_>>(),
    };
    let end = |section: &PrefixSection<'_>| ((section.deliver, section.end), section.tokens);
    marked.iter().map(end).collect()
}

/// The cost in a report.
fn told(
    before: Reuse,
    after: Reuse,
    size: Tokens,
    (asked, tokenizer): (&CostQuery, Tokenizer),
) -> (compare::Cost, Option<Usd>) {
    let CostQuery {
        name,
        found,
        requests,
        ..
    } = asked;
    let model = found.model.as_ref();
    let ttl = model.and_then(Model::shortest);
    let rewritten = rewritten(before, after, size);
    let prices = model.and_then(|m| m.prices_of(size.whole));
    let (once, surcharge) = prices.map_or((None, None), |p| {
        let (once, surcharge) = price(p, ttl, rewritten);
        (Some(once), Some(surcharge))
    });
    let source = model.map_or(&found.provider.source, |m| &m.source);
    let cost = compare::Cost {
        model: name.clone(),
        provider: found.provider.name.clone(),
        rule: found.provider.rule.name().to_owned(),
        tokenizer: tokenizer.name.to_owned(),
        estimate: !asked.is_exact(tokenizer),
        before: before.tokens,
        after: after.tokens,
        at_most: before.at_most,
        rewritten,
        ttl: ttl.map(|t| t.name.clone()),
        usd: once.map(Usd::value),
        requests_per_day: *requests,
        usd_per_day: requests.zip(once).map(|(n, usd)| (usd * n).value()),
        surcharge_per_day: requests.zip(surcharge).map(|(n, usd)| (usd * n).value()),
        conversation: asked.messages == Messages::Conversation,
        peak: model.and_then(|m| m.peak.as_ref()).map(|peak| {
            let (hours, days) = (peak.hours.join(", "), &peak.days);
            format!("{} times that at {hours} UTC, {days}", peak.factor.value())
        }),
        as_of: source.as_of.to_string(),
    };
    (cost, once)
}

/// The number of tokens that are written again. If the cached length of a prefix is unknown, that can be all of the old ones,
/// unless the change is after all of them.
fn rewritten(before: Reuse, after: Reuse, size: Tokens) -> u64 {
    match before.at_most {
        true if size.untouched => 0,
        true => before.tokens,
        false => before.tokens.saturating_sub(after.tokens),
    }
}

/// Their cost beyond a cache read; and beyond the plain input, which is paid in addition when every request breaks.
fn price(prices: Prices, ttl: Option<&Ttl>, rewritten: u64) -> (Usd, Usd) {
    let write = ttl.map_or(Times::ONE, |ttl| ttl.write);
    (
        prices.input.of(rewritten, write - prices.read),
        prices.input.of(rewritten, write - Times::ONE),
    )
}
