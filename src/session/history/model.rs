//! The data of a history.

use super::moment::By;
use crate::compare::{Cause, CauseKind, Cost, Size};
use crate::prompt::{Changes, Deliver};
use crate::request::provider::amount::Usd;
use crate::text::time::rfc3339;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The effect of session rebuilds on the cached prefix.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct History {
    /// Sessions with a build in the time that was asked for.
    pub sessions: usize,
    /// Their builds in that time.
    pub builds: usize,
    /// The tokenizers of the counts.
    pub counted: Counted,
    /// The cost of the breaks, if a model is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostSum>,
    /// All rebuilds.
    pub all: Sum,
    /// The layers that broke the prefix, or would have without a layer before them; those that rewrote most
    /// first.
    pub layers: Vec<LayerSum>,
    /// The sums by kind of cause. A break with two causes counts for both.
    pub causes: Vec<KindSum>,
    /// The sums by reason of the rebuild.
    pub reasons: Vec<ReasonSum>,
    /// The sums by time.
    pub times: Times,
    /// Builds that are no longer there, so that what they broke is not known.
    pub gaps: Vec<Gap>,
    /// Each rebuild, in order of time.
    pub rebuilds: Vec<Rebuild>,
}

/// The tokenizers of the counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counted {
    /// The tokenizers, in order of their names.
    pub tokenizers: Vec<String>,
    /// Whether some figures are estimates.
    pub estimate: bool,
    /// Whether that is because some prompts were not counted, so that their own tokenizer is unknown.
    pub assumed: bool,
}

/// The cost of all breaks with a model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CostSum {
    /// The model, as it was asked for.
    pub model: String,
    /// Its provider.
    pub provider: String,
    /// The provider's rule.
    pub rule: String,
    /// Whether some figures are estimates.
    pub estimate: bool,
    /// Whether the provider's caching rule is unknown: then all amounts are bounds.
    pub at_most: bool,
    /// Tokens that could have been reused if nothing had changed.
    pub before: u64,
    /// Tokens that could be reused.
    pub after: u64,
    /// The rewritten tokens, and their price.
    #[serde(flatten)]
    pub spent: Spent,
    /// The part of it that was written after idle time, when a cache was cold anyway.
    pub cold: Spent,
    /// The number of requests a day with such a break, if the caller gave it.
    pub requests_per_day: Option<u64>,
    /// The cost of this number of breaks in a day, at the average price of these, in US dollars.
    pub usd_per_day: Option<Usd>,
    /// The time of the higher price.
    pub peak: Option<String>,
    /// The day of the prices, `2026-11-21`.
    pub as_of: String,
}

/// The cost of breaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Spent {
    /// Tokens that were written again, by the provider's rule.
    pub rewritten: u64,
    /// Their price compared with reusing them, in US dollars; null if no price is known.
    pub usd: Option<Usd>,
}

/// A part of texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Amount {
    /// In tokens.
    pub tokens: usize,
    /// In bytes.
    pub bytes: usize,
}

/// Rebuilds, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sum {
    /// The number of rebuilds.
    pub rebuilds: usize,
    /// The number of those that broke the prefix; the others gave the same bytes.
    pub broke: usize,
    /// The common beginning of the system prompts and those before them.
    pub kept: Amount,
    /// The text after it, which was not cached.
    pub lost: Amount,
    /// Of `lost`, what was rewritten after idle time, when a cache was cold anyway.
    pub cold: Amount,
    /// The cost, if a model is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Spent>,
}

/// The breaks of one layer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LayerSum {
    /// The manifest's `name`.
    pub prompt: Option<String>,
    /// The layer; null if the maps do not say.
    pub layer: Option<String>,
    /// Its tier, and what follows, as of the latest of these rebuilds.
    pub tier: Option<String>,
    /// How often the tier may differ.
    pub changes: Option<Changes>,
    /// The channel.
    pub channel: Deliver,
    /// The number of times that it broke the prefix, as the first layer that differs.
    pub broke: usize,
    /// The number of breaks that hid it: otherwise it would have broken the prefix.
    pub hidden: usize,
    /// The kept amount in the rebuilds that it broke.
    pub kept: Amount,
    /// In the same, what was rewritten.
    pub lost: Amount,
    /// The cost, if a model is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Spent>,
    /// Its share of all tokens that were rewritten, from 0 to 1.
    pub share: f64,
    /// Why it broke the prefix; what rewrote most first.
    pub causes: Vec<CauseSum>,
}

/// The number of times that something was the cause.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CauseSum {
    /// The kind of cause.
    #[serde(flatten)]
    pub cause: Blame,
    /// In how many breaks.
    pub broke: usize,
    /// The rewritten amount.
    pub lost: Amount,
    /// The cost, if a model is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Spent>,
}

/// The breaks with a kind of cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KindSum {
    /// The kind.
    pub kind: CauseKind,
    /// The number of breaks.
    pub broke: usize,
    /// The rewritten amount.
    pub lost: Amount,
    /// The cost, if a model is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Spent>,
}

/// The rebuilds of one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReasonSum {
    /// `event:NAME`, `idle`, `fact:NAME` or `asked`.
    pub reason: String,
    /// Added up.
    #[serde(flatten)]
    pub sum: Sum,
}

/// Rebuilds by time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Times {
    /// The length of a bucket.
    pub by: By,
    /// In order of time; those without a rebuild are left out.
    pub buckets: Vec<Bucket>,
}

/// The rebuilds of one part of the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Bucket {
    /// When it begins, RFC 3339 in UTC.
    #[serde(rename = "time", serialize_with = "moment")]
    #[schemars(with = "String")]
    pub start: i64,
    /// Added up.
    #[serde(flatten)]
    pub sum: Sum,
}

/// Builds of a session that are no longer there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Gap {
    /// The session.
    pub session: String,
    /// The first of them.
    pub from: u64,
    /// The last.
    pub to: u64,
}

/// A build and the one before it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Rebuild {
    /// The session.
    pub session: String,
    /// The build before.
    pub from: u64,
    /// The build.
    pub to: u64,
    /// When it was made, RFC 3339 in UTC.
    #[serde(rename = "built", serialize_with = "moment")]
    #[schemars(with = "String")]
    pub at: i64,
    /// Why: `event:NAME`, `idle:SECONDS`, `fact:NAME` or `asked`.
    pub reason: String,
    /// The difference.
    #[serde(flatten)]
    pub change: Change,
}

impl Rebuild {
    /// Whether it came after idle time, when a cache was cold anyway.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.reason.starts_with("idle:")
    }
}

/// The difference between two builds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// The manifest's `name`.
    pub prompt: Option<String>,
    /// Where the prefix breaks; null if nothing differs.
    #[serde(rename = "break")]
    pub broken: Option<Broken>,
    /// Layers after the break that would have broken the prefix without it.
    pub hidden: Vec<Broken>,
    /// The common beginning of the two system prompts.
    pub kept: Size,
    /// The text after it in the later one.
    pub lost: Size,
    /// The cost of the break, if a model is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The price in that, for sums.
    #[serde(skip)]
    pub usd: Option<Usd>,
}

impl Change {
    /// The rewritten tokens, and their price.
    #[must_use]
    pub fn spent(&self) -> Option<Spent> {
        let usd = self.usd;
        let rewritten = self.cost.as_ref()?.rewritten;
        Some(Spent { rewritten, usd })
    }
}

/// A layer that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Broken {
    /// The layer; null if the maps do not say.
    pub layer: Option<String>,
    /// Its tier.
    pub tier: Option<String>,
    /// How often the tier may differ.
    pub changes: Option<Changes>,
    /// The channel.
    pub channel: Deliver,
    /// Why.
    pub causes: Vec<Blame>,
}

/// A cause without the values that were and are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Blame {
    /// The kind of the cause.
    pub kind: CauseKind,
    /// The root of a document.
    pub root: Option<String>,
    /// The document, template or manifest.
    pub path: Option<String>,
    /// The line in it; of many rebuilds null.
    pub line: Option<usize>,
    /// The fact; of a flipped condition the one that flipped it.
    pub fact: Option<String>,
    /// The entry of an index or memory, the item of a list, the condition, or the layer; of many rebuilds null where these
    /// differ from one to the next.
    pub item: Option<String>,
    /// The causes that it results from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Blame>,
}

impl Blame {
    /// A cause of a comparison.
    #[must_use]
    pub fn of(cause: &Cause) -> Self {
        Self {
            kind: cause.kind,
            root: cause.root.clone(),
            path: cause.path.clone(),
            line: cause.line,
            fact: cause.fact.clone(),
            item: cause.item.clone(),
            because: cause.because.iter().map(Self::of).collect(),
        }
    }

    /// Without what is another each time something like it happens: the line, and the entry or item.
    #[must_use]
    pub fn in_general(&self) -> Self {
        let lasts = matches!(
            self.kind,
            CauseKind::ConditionFlipped
                | CauseKind::LayerAdded
                | CauseKind::LayerRemoved
                | CauseKind::LayerLeftOut
        );
        Self {
            line: None,
            item: self.item.clone().filter(|_| lasts),
            because: self.because.iter().map(Self::in_general).collect(),
            ..self.clone()
        }
    }
}

impl std::ops::AddAssign<&Size> for Amount {
    fn add_assign(&mut self, size: &Size) {
        self.tokens += size.tokens.unwrap_or_default();
        self.bytes += size.bytes;
    }
}

impl Spent {
    /// Both together. No sum has a price if a part has none.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            rewritten: self.rewritten + other.rewritten,
            usd: self.usd.zip(other.usd).map(|(a, b)| a + b),
        }
    }

    /// The sum of all; `None` without any.
    pub(super) fn sum(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().reduce(Self::and)
    }
}

impl Sum {
    /// Adds a rebuild.
    pub(super) fn add(&mut self, rebuild: &Rebuild) {
        let change = &rebuild.change;
        self.rebuilds += 1;
        self.broke += usize::from(change.broken.is_some());
        self.kept += &change.kept;
        self.lost += &change.lost;
        self.cost = Spent::sum(self.cost.into_iter().chain(change.spent()));
        if rebuild.is_cold() {
            self.cold += &change.lost;
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn moment<S: Serializer>(at: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&rfc3339(*at))
}
