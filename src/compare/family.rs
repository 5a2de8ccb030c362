//! The common beginning of several prompts, and the layer that ends it.

use super::{Cause, Diff, Size};
use crate::prompt::{Deliver, Prompt, Tokens};
use crate::text::measure::{self, Unit};
use crate::text::prefix;
use crate::text::tokens::Tokenizer;
use schemars::JsonSchema;
use serde::Serialize;

/// The channels that a provider caches, in its order. Text that is delivered with the user's message comes after
/// them.
const PREFIX: [Deliver; 2] = [Deliver::Tools, Deliver::System];

/// The expectation on the members of a prefix family.
#[derive(Debug, Clone)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// The scenarios, in order. The others are compared with the first.
    pub members: Vec<String>,
    /// The layer whose end the common prefix reaches.
    pub through: Option<Through>,
    /// The size that it has at least.
    pub at_least: Option<(usize, Unit)>,
    /// The tokenizer of its sizes.
    pub tokenizer: Tokenizer,
}

/// A tier or layer as the end of a prefix.
#[derive(Debug, Clone)]
pub struct Through {
    /// The name.
    pub name: String,
    /// The channel.
    pub deliver: Deliver,
    /// Whether it is a tier.
    pub is_tier: bool,
    /// The layers of the channel up to it, including itself: if it is absent, the last present one of them is
    /// its end.
    pub layers: Vec<String>,
}

/// A byte of the prefix: the channel, and the number of bytes before it there.
type Position = (Deliver, usize);

impl Through {
    /// Its end in a prompt.
    fn end(&self, prompt: &Prompt) -> Position {
        let layers = prompt.channel(self.deliver).map_or(&[][..], |c| &c.layers);
        let within = layers.iter().filter(|layer| {
            self.layers.contains(&layer.name) || self.is_tier && layer.tier == self.name
        });
        (
            self.deliver,
            within.map(|layer| layer.end).max().unwrap_or(0),
        )
    }
}

/// The shared prefix of a family.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Grade {
    /// Whether it is what the manifest expects.
    pub holds: bool,
    /// The common prefix of all members, tools and system prompt together: the least that one of them shares with the first.
    pub shared: Size,
    /// The other members.
    pub members: Vec<Member>,
}

/// A member of a family other than the first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Member {
    /// The scenario.
    pub scenario: String,
    /// The prefix that it shares with the first member.
    pub shared: Size,
    /// Whether that is what the manifest expects.
    pub holds: bool,
    /// Whether that reaches the end of `through`; null if nothing is written.
    pub reaches: Option<bool>,
    /// The layer in which it leaves the first member; null if it does not.
    pub layer: Option<String>,
    /// The tier of that layer.
    pub tier: Option<String>,
    /// The channel of that layer.
    pub channel: Option<Deliver>,
    /// Why the layer differs.
    pub causes: Vec<Cause>,
    /// The size of that in the unit of `at-least`.
    #[serde(skip)]
    pub size: Option<usize>,
    /// The comparison with the first member.
    #[serde(skip)]
    pub diff: Diff,
}

/// The prompt of a member.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'p> {
    /// The scenario.
    pub scenario: &'p str,
    /// The prompt that it builds.
    pub prompt: &'p Prompt,
    /// Whether its text may be shown.
    pub shown: bool,
}

/// Compares the members of a family with the first; with fewer than two there is nothing to compare.
#[must_use]
pub fn grade(family: &Family, samples: &[Sample<'_>]) -> Option<Grade> {
    let (first, others) = samples.split_first()?;
    let members: Vec<Member> = others
        .iter()
        .map(|other| member(family, *first, *other))
        .collect();
    // The prefix of all is the shortest of those with the first.
    let shared = members.iter().map(|member| &member.shared);
    let shared = shared.min_by_key(|size| (size.bytes, size.tokens))?.clone();
    Some(Grade {
        holds: members.iter().all(|member| member.holds),
        shared,
        members,
    })
}

fn member(family: &Family, first: Sample<'_>, other: Sample<'_>) -> Member {
    let prompts = [first.prompt, other.prompt];
    let shared = Shared::of(prompts);
    let through = family.through.as_ref();
    let reaches = through.map(|through| {
        let ends = prompts.map(|p| through.end(p));
        ends.iter().all(|end| shared.at.is_none_or(|at| at >= *end))
    });
    let size = family.at_least.map(|(_, unit)| shared.size(unit));
    let least = family.at_least.map(|(least, _)| least);
    let diff = if first.shown && other.shown {
        super::uncounted(first.prompt, other.prompt)
    } else {
        super::hashed(first.prompt, other.prompt)
    };
    let broken = diff.first.as_ref().filter(|_| shared.at.is_some());
    Member {
        scenario: other.scenario.to_owned(),
        shared: shared.sizes(family.tokenizer),
        holds: size >= least && reaches != Some(false),
        reaches,
        layer: broken.and_then(|b| b.layer.clone()),
        tier: broken.and_then(|b| b.tier.clone()),
        channel: broken.map(|b| b.channel),
        causes: broken.map_or_else(Vec::new, |b| b.reasons().to_vec()),
        size,
        diff,
    }
}

/// The common beginning of two prompts.
struct Shared<'p> {
    /// Both texts of each channel up to the first that differs, with the bytes that are common.
    texts: Vec<([&'p str; 2], usize)>,
    /// Where they part; none if they do not.
    at: Option<Position>,
}

impl<'p> Shared<'p> {
    fn of(prompts: [&'p Prompt; 2]) -> Self {
        let mut out = Self {
            texts: Vec::new(),
            at: None,
        };
        for deliver in PREFIX {
            let [x, y] = prompts.map(|prompt| prompt.text(deliver));
            let common = prefix::common(x, y);
            out.texts.push(([x, y], common));
            if common < x.len().max(y.len()) {
                out.at = Some((deliver, common));
                break;
            }
        }
        out
    }

    /// Their size. Tokens that both begin with are shared: the text after the common text decides where the
    /// last of them ends.
    fn size(&self, unit: Unit) -> usize {
        let texts = self.texts.iter();
        let sizes = texts.map(|([a, b], common)| match unit {
            Unit::Tokens(tokenizer) => tokenizer.count_common(a, b),
            unit => measure::size(&a[..*common], unit),
        });
        sizes.sum()
    }

    fn sizes(&self, tokenizer: Tokenizer) -> Size {
        let tokens = Tokens::new(self.size(Unit::Tokens(tokenizer)), tokenizer);
        Size {
            bytes: self.size(Unit::Bytes),
            chars: self.size(Unit::Chars),
            ..Size::of("", Some(tokens))
        }
    }
}
