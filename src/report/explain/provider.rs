//! Where breakpoints stand for a model, and why.

use crate::prompt::{Deliver, Prompt};
use crate::report::words::thousands;
use crate::report::{Document, Items, Style, Table, Text};
use crate::request::cost::tokenizer;
use crate::request::emit::place::{
    Allowed, BreakpointStatus, Placement, PrefixSection, place, stretches,
};
use crate::request::provider::{Match, ModelMatch};
use crate::text::tokens::Tokenizer;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

/// A model, and what of a prompt it keeps.
pub(crate) struct Kept<'a> {
    model: &'a str,
    found: &'a ModelMatch,
    allowed: Allowed,
    placement: Placement<'a>,
    tokenizer: Tokenizer,
}

/// Where the breakpoints of a prompt are.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Report<'a> {
    /// The model, as it was asked for.
    model: &'a str,
    /// Who serves it.
    provider: &'a str,
    /// How a request finds what is kept.
    #[serde(rename = "match")]
    rule: Match,
    /// The day of the row.
    as_of: Date,
    /// How many breakpoints there may be.
    breakpoints: usize,
    /// The shortest prefix that is kept, in tokens; 0 if nobody says.
    min: u64,
    /// What the tokens were counted with.
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
    /// Places breakpoints as `emit` does where there is no history; tokens are counted as `asked`, if anything is.
    pub(crate) fn of(
        prompt: &'a Prompt,
        model: &'a str,
        found: &'a ModelMatch,
        asked: Option<Tokenizer>,
    ) -> Self {
        let tokenizer = tokenizer(asked, prompt.tokenizer(), Some(found));
        let allowed = crate::request::emit::allowed(found);
        let placement = place(&stretches(prompt, tokenizer), allowed);
        Self {
            model,
            found,
            allowed,
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
            out.line("nothing stands in front of what changes at every call");
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

    /// The same for programs.
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

    /// What the provider allows, a line each.
    fn limits(&self) -> Vec<Text> {
        let mut lines = Vec::new();
        if self.found.provider.rule == Match::Breakpoint {
            lines.push(format!("{} breakpoints for the prompt", self.allowed.most).into());
        }
        match self.allowed.min {
            0 => lines.push(Text::new().styled(Style::Faint, "the shortest prefix is not known")),
            min => {
                let min = thousands(min as usize);
                lines.push(format!("no prefix below {min} tokens").into());
            }
        }
        if let Some(model) = &self.found.model
            && !model.ttls.is_empty()
        {
            let names: Vec<&str> = model.ttls.iter().map(|t| t.name.as_str()).collect();
            lines.push(format!("kept for {}", names.join(" or ")).into());
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
                "shorter than {} tokens: kept with what stands behind it",
                thousands(self.allowed.min as usize)
            ),
            BreakpointStatus::Unmarkable => {
                "cannot be marked here: kept with what stands behind it".to_owned()
            }
            BreakpointStatus::Merged if no_marks => match self.found.provider.rule {
                Match::NamedResource => "stored whole or not at all".to_owned(),
                Match::OpaquePrefix | Match::Passthrough => {
                    "kept if the provider finds it; it does not say what it keeps".to_owned()
                }
                _ => "kept by itself: the provider needs no mark".to_owned(),
            },
            BreakpointStatus::Merged => {
                "no breakpoint is left: another choice would keep less".to_owned()
            }
        }
    }
}

/// The rule in words.
fn rule(found: &ModelMatch) -> &'static str {
    match found.provider.rule {
        Match::Breakpoint => "keeps a request up to marked places",
        Match::BlockFloor => "keeps whole blocks of tokens",
        Match::Lcp => "keeps every token that is the same",
        Match::OpaquePrefix => "keeps a prefix, and does not say how much of it",
        Match::NamedResource => "keeps what was stored under a name",
        Match::Passthrough => "keeps what the provider behind it keeps",
    }
}
