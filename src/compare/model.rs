//! The result of a comparison: the break, its causes, the breaks that it hides, and changes that would have kept
//! more.

use crate::prompt::{Deliver, Tokens};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The comparison of two prompts, the one that a provider may have cached (A) and the one that is sent now (B).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// Whether all channels have the same bytes.
    pub same: bool,
    /// Where the prefix breaks; null if nothing differs.
    #[serde(rename = "break")]
    pub first: Option<Break>,
    /// Layers after the break that would have broken the prefix without it, in order.
    pub hidden: Vec<Break>,
    /// Layers after the break whose text is unchanged but no longer part of the prefix.
    pub displaced: Vec<String>,
    /// The common beginning of the two system prompts, also if an earlier channel broke already.
    pub kept: Size,
    /// The text after it in B, which is not cached.
    pub lost: Size,
    /// The size of A's system prompt, of which `kept` is a share; `lost` is a part of B's.
    pub of: Size,
    /// The cost of the break; null if no price is known.
    pub cost: Option<Cost>,
    /// Changes that would have kept more.
    pub advice: Vec<Advice>,
    /// The builds after which the search of causes was stopped; left out if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<usize>,
    /// The confidence in the causes.
    #[serde(rename = "confidence")]
    pub sure: Confidence,
}

impl Diff {
    /// Whether the same layers break for the same reasons, whatever is kept.
    pub(crate) fn breaks_as(&self, other: &Self) -> bool {
        let [mine, others] = [self, other].map(|diff| diff.first.iter().chain(&diff.hidden));
        self.first.is_some()
            && self.hidden.len() == other.hidden.len()
            && self.stopped == other.stopped
            && mine.zip(others).all(|(a, b)| a.is_as(b))
            && other.first.is_some()
    }
}

/// Lengths of a text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// In bytes.
    pub bytes: usize,
    /// In Unicode scalar values.
    pub chars: usize,
    /// In tokens; null if not counted.
    pub tokens: Option<usize>,
    /// The tokenizer that counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// Whether the count is an estimate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimate: bool,
}

impl Size {
    /// The size of a text, with its tokens if they were counted.
    #[must_use]
    pub fn of(text: &str, tokens: Option<Tokens>) -> Self {
        let out = Self {
            bytes: text.len(),
            chars: text.chars().count(),
            ..Self::default()
        };
        match tokens {
            None => out,
            Some(tokens) => Self {
                tokens: Some(tokens.count),
                tokenizer: Some(tokens.tokenizer),
                estimate: tokens.estimate,
                ..out
            },
        }
    }

    /// The tokens, if they were counted.
    #[must_use]
    pub fn counted(&self) -> Option<Tokens> {
        Tokens::read(self.tokens, self.tokenizer.as_deref(), self.estimate)
    }
}

/// The cost of a break with a model: the tokens of tools and system prompt that its provider could reuse, and the
/// price of those that it must process again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// The model, as it was asked for.
    pub model: String,
    /// Its provider.
    pub provider: String,
    /// The provider's rule.
    pub rule: String,
    /// The tokenizer of the counts.
    pub tokenizer: String,
    /// Whether its figures are estimates; all that follow are, then.
    pub estimate: bool,
    /// Whether the breakpoints are those of a request in a conversation, whose messages have some of them; else of one without
    /// messages.
    pub conversation: bool,
    /// Tokens that could be reused if nothing had changed.
    pub before: u64,
    /// Tokens that can be reused.
    pub after: u64,
    /// Whether the provider's caching rule is unknown: these counts are a maximum, and the price is at most the
    /// one below.
    pub at_most: bool,
    /// Tokens that are written again.
    pub rewritten: u64,
    /// The time to live that the price is for; null if there is no choice.
    pub ttl: Option<String>,
    /// The price of one break compared with reusing the prefix, in US dollars; null if no price is known.
    pub usd: Option<f64>,
    /// The number of requests a day with such a break, if the caller gave it.
    pub requests_per_day: Option<u64>,
    /// The price of all of them in a day, in US dollars.
    pub usd_per_day: Option<f64>,
    /// The part of it that is paid in addition to requests without any cache, in US dollars.
    pub surcharge_per_day: Option<f64>,
    /// The time of the higher price.
    pub peak: Option<String>,
    /// The day of the prices, `2026-11-21`.
    pub as_of: String,
}

/// One layer that breaks the prefix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Break {
    /// Bytes of A's channel before it, down to a whole character. Of a hidden break: where it is without those before it,
    /// or, without inputs, what would have been kept if it were the only one.
    pub offset: usize,
    /// The line of `offset` in A, from 1.
    pub line: usize,
    /// The column of `offset` in A, from 1, in Unicode scalar values.
    pub column: usize,
    /// The channel.
    pub channel: Deliver,
    /// The layer; null if a text without a map broke.
    pub layer: Option<String>,
    /// Its tier.
    pub tier: Option<String>,
    /// Bytes by which the prefix runs on beyond the change, because what follows happens to begin alike.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub coincidence: usize,
    /// What, undone, moves the break: each is proven by a build without it.
    pub causes: Vec<Cause>,
    /// Where no build could prove a cause: what differs in this layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Cause>,
    /// How several causes act; left out for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// The layers that the causes change, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<String>,
    /// Bytes of A's system prompt that stay cached if this break and all before it are undone; left out where no build proved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<usize>,
    /// What could take the place of a cause, or acts only through one.
    pub also: Vec<Cause>,
    /// Why it was accepted between A and B, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Acceptance>,
}

impl Break {
    /// Whether the same layer breaks for the same reasons, wherever it is.
    fn is_as(&self, other: &Self) -> bool {
        let because = |found: &'_ Self| -> Option<String> {
            let accepted = found.accepted.as_ref();
            accepted.map(|accepted| accepted.because.clone())
        };
        (&self.layer, &self.tier, self.channel, self.together)
            == (&other.layer, &other.tier, other.channel, other.together)
            && (&self.causes, &self.sources, &self.also, &self.layers)
                == (&other.causes, &other.sources, &other.also, &other.layers)
            && because(self) == because(other)
    }

    /// Its causes; where none is proven what differs in its layer.
    #[must_use]
    pub fn reasons(&self) -> &[Cause] {
        if self.causes.is_empty() {
            &self.sources
        } else {
            &self.causes
        }
    }
}

/// The reason for a break from `promptc test --accept --because`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Acceptance {
    /// The reason that was given.
    pub because: String,
    /// The file that holds it.
    pub file: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// How several causes of one break act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Together {
    /// Each makes the break by itself.
    Each,
    /// They act only together: it is enough to undo one of them.
    Only,
    /// It takes to undo all of them, and not each makes the break by itself.
    Several,
    /// It takes to undo so many of them, whichever.
    Any(usize),
}

/// The kind of a change.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CauseKind {
    /// The prompts are of different languages.
    LanguageChanged,
    /// The manifest has the layer only in B.
    LayerAdded,
    /// The manifest has the layer only in A.
    LayerRemoved,
    /// One side is a variant that `--without` left the layer out of: B if `new` is there, else A.
    LayerLeftOut,
    /// The layer moved among the layers that both have.
    LayerMoved,
    /// The manifest was edited inside the layer, or where the layer takes something from.
    LayerEdited,
    /// A template file was edited.
    TemplateChanged,
    /// A condition has another answer.
    ConditionFlipped,
    /// A value that is printed, or that a template or `let` uses, is another.
    FactChanged,
    /// A document has other bytes, or is blank now or was.
    DocumentChanged,
    /// A document is new.
    DocumentAppeared,
    /// A document is gone.
    DocumentVanished,
    /// A document is at another place; `old` is where it was.
    DocumentRenamed,
    /// The tokenizer that the caller names is another.
    TokenizerChanged,
    /// The release of promptc is another, and builds other bytes from the same inputs.
    ReleaseChanged,
    /// An entry of an index or memory is new.
    ItemAdded,
    /// An entry is gone.
    ItemRemoved,
    /// An entry says something else.
    ItemChanged,
    /// An entry moved among the others without a change.
    ItemReordered,
    /// A scan found something in a document that it did not find before, or no longer does; `old` and `new` name the rules.
    DocumentReplaced,
    /// A cut moved, or something was dropped, because something grew or shrank.
    CutMoved,
    /// Only white space differs, in a document, a template or the manifest.
    WhitespaceOnly,
}

impl CauseKind {
    /// The word in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LanguageChanged => "language-changed",
            Self::LayerAdded => "layer-added",
            Self::LayerRemoved => "layer-removed",
            Self::LayerLeftOut => "layer-left-out",
            Self::LayerMoved => "layer-moved",
            Self::LayerEdited => "layer-edited",
            Self::TemplateChanged => "template-changed",
            Self::ConditionFlipped => "condition-flipped",
            Self::FactChanged => "fact-changed",
            Self::DocumentChanged => "document-changed",
            Self::DocumentAppeared => "document-appeared",
            Self::DocumentVanished => "document-vanished",
            Self::DocumentRenamed => "document-renamed",
            Self::TokenizerChanged => "tokenizer-changed",
            Self::ReleaseChanged => "release-changed",
            Self::ItemAdded => "item-added",
            Self::ItemRemoved => "item-removed",
            Self::ItemChanged => "item-changed",
            Self::ItemReordered => "item-reordered",
            Self::DocumentReplaced => "document-replaced",
            Self::CutMoved => "cut-moved",
            Self::WhitespaceOnly => "whitespace-only",
        }
    }
}

/// A changed ingredient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The kind of the cause.
    pub kind: CauseKind,
    /// The root of a document.
    pub root: Option<String>,
    /// The document, template or manifest.
    pub path: Option<String>,
    /// The line in it, in B if it exists there, else in A; null if unknown.
    pub line: Option<usize>,
    /// The fact; of a flipped condition the one that flipped it.
    pub fact: Option<String>,
    /// The differing part of a list or map: a name, or the index from 0. Of an entry: the name of a skill, or
    /// its number in its file, from 1.
    pub item: Option<String>,
    /// The old text in A, around the first difference; what cannot be seen is escaped. Of a layer in another channel the channel. Null
    /// if there was none, or if it is private or unknown.
    pub old: Option<String>,
    /// The new text in B, around the first difference.
    pub new: Option<String>,
    /// Further ones of the same kind in the same folder.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
    /// The causes that it results from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Cause>,
}

impl Cause {
    /// A cause of which only the kind is known.
    #[must_use]
    pub fn new(kind: CauseKind) -> Self {
        Self {
            kind,
            root: None,
            path: None,
            line: None,
            fact: None,
            item: None,
            old: None,
            new: None,
            more: 0,
            because: Vec::new(),
        }
    }
}

/// A change that would have kept more of the prefix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Advice {
    /// The kind of change.
    pub kind: AdviceKind,
    /// The layer that it is about.
    pub layer: String,
    /// The layer that it should come after, if an order is the cause.
    pub after: Option<String>,
    /// The fact, if one is the cause.
    pub fact: Option<String>,
    /// Bytes of the system prompt that this change would have kept then.
    pub kept: usize,
    /// In words.
    pub message: String,
}

/// A kind of advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdviceKind {
    /// Another order of layers.
    Order,
    /// A fact that says less often something new, such as a day for a point in time.
    CoarserFact,
}

/// The basis of the causes, and with it the confidence in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum Confidence {
    /// Builds without each cause proved it.
    Build,
    /// The search of causes ended before one was proven: it is among those that are named.
    Narrowed,
    /// Not both prompts have their inputs: the layer is known by their maps.
    Owner,
    /// A snapshot has no text: the break is known to the layer, not to the byte.
    Hashes,
    /// At least one is only a text; its layers were found by comparing it with a prompt that has a map.
    Text {
        /// The share of bytes of A that are in that prompt too, from 0 to 1.
        a: f64,
        /// The share of bytes of B.
        b: f64,
    },
    /// There is no map at all.
    Nothing,
}
