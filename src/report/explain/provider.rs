//! The breakpoints for a model, and why.

use crate::prompt::{Deliver, Prompt};
use crate::report::words::{assumed, thousands};
use crate::report::{Document, Items, Style, Table, Text};
use crate::request::cost::tokenizer;
use crate::request::emit::allowed_by;
use crate::request::emit::place::{
    Allowed, BreakpointStatus, Messages, Placement, Prefix, PrefixSection, place,
};
use crate::request::provider::{Match, ModelMatch};
use crate::text::tokens::Tokenizer;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

/// A model, and the part of a prompt that it caches.
pub(crate) struct Kept<'a> {
    model: &'a str,
    found: &'a ModelMatch,
    allowed: Allowed,
    messages: Messages,
    placement: Placement<'a>,
    tokenizer: Tokenizer,
}

/// Where the breakpoints of a prompt are.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Report<'a> {
    /// The model, as it was asked for.
    model: &'a str,
    /// Its provider.
    provider: &'a str,
    /// How a request matches a cached prefix.
    #[serde(rename = "match")]
    rule: Match,
    /// The day of the row.
    as_of: Date,
    /// The most breakpoints, those of messages among them.
    breakpoints: usize,
    /// Whether a conversation is assumed, whose messages have some of them; else a request without messages.
    conversation: bool,
    /// How many of them the messages of a conversation have.
    messages: usize,
    /// The shortest prefix that is cached, in tokens; 0 if unknown.
    min: u64,
    /// The tokenizer of the counts.
    tokenizer: Tokenizer,
    /// Whether they are estimates.
    estimate: bool,
    /// The ends of tiers, in the order of the prompt.
    ends: Vec<End<'a>>,
}

/// The end of a tier.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct End<'a> {
    #[serde(flatten)]
    stretch: PrefixSection<'a>,
    /// The number of its breakpoint, from 1; null if it has none.
    breakpoint: Option<usize>,
    /// Why, in words.
    why: String,
}

impl<'a> Kept<'a> {
    /// The plan of `emit` for a request with these messages; tokens are counted as `asked`, if anything is.
    pub(crate) fn of(
        prompt: &'a Prompt,
        model: &'a str,
        found: &'a ModelMatch,
        asked: Option<Tokenizer>,
        messages: Messages,
    ) -> Self {
        let tokenizer = tokenizer(asked, prompt.tokenizer(), Some(found));
        let allowed = allowed_by(found, messages);
        let prefix = Prefix::of(prompt, tokenizer, Some(&found.provider));
        let placement = place(&prefix, allowed);
        Self {
            model,
            found,
            allowed,
            messages,
            placement,
            tokenizer,
        }
    }

    /// For people.
    pub(crate) fn document(&self) -> Document {
        let mut limits = Document::new();
        self.limits().into_iter().for_each(|text| limits.line(text));
        let (provider, rule) = (&self.found.provider.name, rule(self.found));
        let text = format!("  {provider} {rule}, as of {}", self.as_of());
        let mut out = Document::new();
        out.push(Items {
            indent: 0,
            inner: 2,
            items: vec![(Text::new().name(self.model).words(text), limits)],
        });
        if self.placement.ends.is_empty() {
            out.line("all text changes at every call, or comes after such text");
            return out;
        }
        let mut table = Table::new(&["end of", "channel", "changes", ">tokens", ""]);
        for (stretch, fate) in &self.placement.ends {
            table.row([
                stretch.tier.to_owned(),
                stretch.deliver.to_string(),
                stretch.changes.to_string(),
                self.tokens(stretch),
                self.why(*fate),
            ]);
        }
        out.push(table);
        out
    }

    /// The output for programs.
    pub(crate) fn report(&self) -> Report<'_> {
        let ends = self.placement.ends.iter().map(|(stretch, fate)| End {
            stretch: *stretch,
            breakpoint: match fate {
                BreakpointStatus::Marked(number) => Some(*number),
                _ => None,
            },
            why: self.why(*fate),
        });
        Report {
            model: self.model,
            provider: &self.found.provider.name,
            rule: self.found.provider.rule,
            as_of: self.as_of(),
            breakpoints: self.allowed.most,
            conversation: self.messages == Messages::Conversation,
            messages: self.placement.messages,
            min: self.allowed.min,
            tokenizer: self.tokenizer,
            estimate: !self.found.is_exact(self.tokenizer),
            ends: ends.collect(),
        }
    }

    /// The model, as it was asked for.
    pub(crate) fn model(&self) -> &str {
        self.model
    }

    /// The breakpoints in a channel: one past the last byte before each, and its number.
    pub(crate) fn marks(&self, channel: Deliver) -> impl Iterator<Item = (usize, usize)> {
        let own = self
            .placement
            .ends
            .iter()
            .filter(move |(end, _)| end.deliver == channel);
        own.filter_map(|(end, status)| match status {
            BreakpointStatus::Marked(number) => Some((end.end, *number)),
            _ => None,
        })
    }

    fn as_of(&self) -> Date {
        let row = self.found.model.as_ref().map(|m| &m.source);
        row.unwrap_or(&self.found.provider.source).as_of
    }

    /// The limits of the provider, a line each.
    fn limits(&self) -> Vec<Text> {
        let mut lines = Vec::new();
        if self.found.provider.rule == Match::Breakpoint {
            let most = self.allowed.most;
            let own = match self.placement.messages {
                0 => "all".to_owned(),
                messages => format!("{} of them", most - messages),
            };
            let assumed = assumed(self.messages == Messages::Conversation);
            lines.push(format!("{most} breakpoints, {own} for the prompt; {assumed}").into());
        }
        match self.allowed.min {
            0 => lines.push(Text::new().styled(Style::Faint, "the minimum prefix is unknown")),
            min => {
                let min = thousands(min as usize);
                lines.push(format!("no prefix below {min} tokens").into());
            }
        }
        if let Some(model) = &self.found.model
            && !model.ttls.is_empty()
        {
            let names: Vec<&str> = model.ttls.iter().map(|t| t.name.as_str()).collect();
            lines.push(format!("cached for {}", names.join(" or ")).into());
        }
        lines
    }

    fn tokens(&self, stretch: &PrefixSection<'_>) -> String {
        let mark = if self.found.is_exact(self.tokenizer) {
            ""
        } else {
            "~"
        };
        format!("{mark}{}", thousands(stretch.tokens as usize))
    }

    fn why(&self, fate: BreakpointStatus) -> String {
        let no_marks = self.found.provider.rule != Match::Breakpoint;
        match fate {
            BreakpointStatus::Marked(number) => format!("breakpoint {number}"),
            BreakpointStatus::Short => format!(
                "shorter than {} tokens: cached with the text after it",
                thousands(self.allowed.min as usize)
            ),
            BreakpointStatus::Unmarkable => {
                "cannot be marked here: cached with the text after it".to_owned()
            }
            BreakpointStatus::Merged if no_marks => match self.found.provider.rule {
                Match::NamedResource => "stored whole or not at all".to_owned(),
                Match::OpaquePrefix | Match::Passthrough => {
                    "cached if the provider finds it; its rule is not published".to_owned()
                }
                _ => "cached automatically: the provider needs no breakpoint".to_owned(),
            },
            BreakpointStatus::Merged => {
                "no breakpoint is left: cached with the text after it".to_owned()
            }
        }
    }
}

/// The rule in words.
fn rule(found: &ModelMatch) -> &'static str {
    match found.provider.rule {
        Match::Breakpoint => "caches a request up to breakpoints",
        Match::BlockFloor => "caches whole blocks of tokens",
        Match::Lcp => "reuses all equal tokens from the start",
        Match::OpaquePrefix => "caches a prefix, by an unpublished rule",
        Match::NamedResource => "caches text that was stored under a name",
        Match::Passthrough => "caches as the upstream provider does",
    }
}
