//! The artifact: the prompt's bytes and the map that says where every byte came from.
//!
//! It is enough by itself to explain, compare and report later, elsewhere; its JSON form has a schema in
//! `schema/prompt.schema.json`. Offsets are bytes, hashes are `sha256:` and lower-case hex.

use crate::text::SpanKind;
use crate::tokens::Tokenizer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

/// The version of the artifact's shape.
pub const SCHEMA: u32 = 1;

/// The language that this release reads.
pub const LANGUAGE: u32 = 1;

/// How often a value may differ, from never to each call.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Changes {
    /// Part of the program.
    Never,
    /// With a deployment.
    Deploy,
    /// From conversation to conversation.
    Session,
    /// At midnight, even inside a conversation.
    Day,
    /// At every call.
    Turn,
}

impl Changes {
    /// All classes, calm first.
    pub const ALL: [Self; 5] = [
        Self::Never,
        Self::Deploy,
        Self::Session,
        Self::Day,
        Self::Turn,
    ];

    /// The word in manifests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Deploy => "deploy",
            Self::Session => "session",
            Self::Day => "day",
            Self::Turn => "turn",
        }
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where a tier's text goes, in the order in which channels stand.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Deliver {
    /// The tool definitions of the request.
    Tools,
    /// The system text.
    System,
    /// With the user's message, behind the cached prefix.
    User,
}

impl Deliver {
    /// All channels, in order.
    pub const ALL: [Self; 3] = [Self::Tools, Self::System, Self::User];

    /// The word in manifests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::System => "system",
            Self::User => "user",
        }
    }
}

impl fmt::Display for Deliver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A compiled prompt with its map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// The shape of this artifact: 1.
    pub schema: u32,
    /// The release that made it.
    pub promptc: String,
    /// The language of the manifest.
    pub language: u32,
    /// The manifest's `name`.
    pub name: Option<String>,
    /// Hash of the system text.
    pub fingerprint: String,
    /// Hash of the manifest's bytes.
    pub manifest: String,
    /// Tools, system, user; those without text are left out.
    pub channels: Vec<Channel>,
    /// Layers that are not in the prompt.
    pub absent: Vec<Absent>,
    /// What was cut, dropped or replaced, and what else is worth knowing.
    pub notices: Vec<Notice>,
    /// The arithmetic of the budgets of tiers and prompt, one entry for each tier that they bound, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<Fit>,
}

impl Prompt {
    /// The text of a channel; empty if the channel has none.
    #[must_use]
    pub fn text(&self, deliver: Deliver) -> &str {
        self.channel(deliver).map_or("", |c| c.text.as_str())
    }

    /// A channel, if it has text.
    #[must_use]
    pub fn channel(&self, deliver: Deliver) -> Option<&Channel> {
        self.channels.iter().find(|c| c.deliver == deliver)
    }

    /// What is wrong with the map, if it was changed by hand: spans that do not tile their layer, layers that do not tile
    /// their channel, hashes of other bytes, an index that leads nowhere.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.channels.iter().find_map(|channel| {
            let mut at = 0;
            for layer in &channel.layers {
                let name = &layer.name;
                let Some(text) = channel
                    .text
                    .get(at..layer.end)
                    .filter(|_| layer.start == at)
                else {
                    return Some(format!(
                        "the layer `{name}` does not stand where the one before it ends"
                    ));
                };
                if sha256(text) != layer.sha256 {
                    return Some(format!(
                        "the text of the layer `{name}` is not the one that was hashed"
                    ));
                }
                if !layer.spans_tile(&channel.text) {
                    return Some(format!("the spans of the layer `{name}` do not cover it"));
                }
                at = layer.end;
            }
            let fits = |tier: &Tier| tier.start <= tier.end && tier.end <= channel.text.len();
            if !channel.tiers.iter().all(fits) {
                return Some(format!(
                    "a tier of the {} text does not stand in it",
                    channel.deliver
                ));
            }
            let ends = channel.layers.is_empty() || at == channel.text.len();
            (!ends).then(|| format!("the layers do not cover the {} text", channel.deliver))
        })
    }

    /// The layer called `name`, with its channel.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<(&Channel, &Layer)> {
        self.channels
            .iter()
            .find_map(|c| Some((c, c.layers.iter().find(|l| l.name == name)?)))
    }
}

/// One text of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Channel {
    /// Which.
    pub deliver: Deliver,
    /// The bytes.
    pub text: String,
    /// Length in bytes.
    pub bytes: usize,
    /// Length in Unicode scalar values.
    pub chars: usize,
    /// Length in tokens, if counted.
    pub tokens: Option<Tokens>,
    /// Its tiers, in order, those without text too.
    pub tiers: Vec<Tier>,
    /// Its layers, in order; from start to end they tile the text.
    pub layers: Vec<Layer>,
}

/// A token count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tokens {
    /// How many.
    pub count: usize,
    /// By which tokenizer.
    pub tokenizer: String,
    /// Whether it is an estimate.
    pub estimate: bool,
}

impl Tokens {
    /// So many, as `tokenizer` counts them.
    #[must_use]
    pub fn new(count: usize, tokenizer: Tokenizer) -> Self {
        Self {
            count,
            tokenizer: tokenizer.name.to_owned(),
            estimate: !tokenizer.is_exact(),
        }
    }
}

impl Prompt {
    /// Counts the tokens of each channel, and of each layer those whose first byte lies in it.
    pub fn count_tokens(&mut self, tokenizer: Tokenizer) {
        for channel in &mut self.channels {
            let ends: Vec<usize> = channel.layers.iter().map(|l| l.end).collect();
            let counts = tokenizer.count_parts(&channel.text, &ends);
            channel.tokens = Some(Tokens::new(counts.iter().sum(), tokenizer));
            for (layer, count) in channel.layers.iter_mut().zip(counts) {
                layer.tokens = Some(count);
            }
        }
    }

    /// The tokenizer that its tokens were counted with; `None` if they were not, or with one that is not known here.
    #[must_use]
    pub fn tokenizer(&self) -> Option<Tokenizer> {
        let counted = self.channels.iter().find_map(|c| c.tokens.as_ref());
        Tokenizer::parse(&counted?.tokenizer)
    }
}

/// Where a tier stands in its channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// Its name.
    pub name: String,
    /// The declared class; else that of its layers and the tiers before it.
    pub changes: Changes,
    /// First byte, the join in front included.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Hash of the channel's text from its beginning to `end`.
    pub fingerprint: String,
    /// What the manifest says about it, besides its layers.
    #[serde(default)]
    pub definition: Definition,
}

/// How a tier was fitted to its own budget and to that of the prompt. Sizes count in `unit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// The tier.
    pub tier: String,
    /// Its channel.
    pub deliver: Deliver,
    /// `chars`, `bytes` or `lines`.
    pub unit: String,
    /// The maximum of the tier; null if only the prompt's budget bounds it.
    pub max: Option<usize>,
    /// What the tier sets aside for itself while those in front of it are fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<usize>,
    /// What the prompt's budget leaves it; null if that does not bound it.
    pub prompt: Option<FitPrompt>,
    /// Its text before layers gave way, the join in front included.
    pub before: usize,
    /// Its text as it stands in the prompt, the join in front included.
    pub after: usize,
    /// Its layers that had text, in order.
    pub layers: Vec<FitLayer>,
}

/// What the prompt's budget leaves a tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitPrompt {
    /// The maximum of the system text.
    pub max: usize,
    /// The system text in front of the tier.
    pub front: usize,
    /// What the tiers behind it set aside together.
    pub reserved: usize,
    /// The system text up to the end of the tier.
    pub total: usize,
}

/// A layer that could give way, and whether it did. Sizes are of its own text, without the join in front.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitLayer {
    /// The layer.
    pub layer: String,
    /// The lowest gives way first, of equals the later one.
    pub priority: usize,
    /// Whether it is `required`, so that it may be cut and not dropped.
    pub required: bool,
    /// What it may be cut to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<usize>,
    /// Its size as rendered.
    pub before: usize,
    /// Its size in the prompt; 0 if it was dropped.
    pub after: usize,
}

/// A stretch of the manifest as it was read: enough to say what was edited, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The manifest.
    pub file: Arc<str>,
    /// Its nodes, from the top; comments, layout and waivers are left out.
    pub nodes: Arc<[DefinitionNode]>,
}

impl Definition {
    /// The file that one of its nodes stands in.
    #[must_use]
    pub fn file_of<'a>(&'a self, node: &'a DefinitionNode) -> &'a Arc<str> {
        node.file.as_ref().unwrap_or(&self.file)
    }
}

/// One node of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefinitionNode {
    /// The file that it stands in, if that is another than the definition's: a base, an overlay or an included file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
    /// The line of its name, from 1.
    pub line: usize,
    /// How deep it stands; the layer or tier itself is 0.
    pub depth: u32,
    /// Its name, arguments and properties; of a long string the beginning and a hash.
    pub text: String,
}

impl DefinitionNode {
    /// How many characters of a string its text shows; of a longer one a hash stands for the rest.
    const SHOWN: usize = 60;

    /// A string as it stands in the text of a node.
    #[must_use]
    pub fn written(string: &str) -> String {
        match string.char_indices().nth(Self::SHOWN) {
            None => serde_json::Value::from(string).to_string(),
            Some((cut, _)) => {
                let hash = sha256(string);
                let digest = hash.trim_start_matches("sha256:");
                let shown = serde_json::Value::from(&string[..cut]);
                format!("{shown}… [{}]", &digest[..12])
            }
        }
    }

    /// Whether the property `name` says `string`.
    #[must_use]
    pub fn says(&self, name: &str, string: &str) -> bool {
        let property = format!(" {name}={}", Self::written(string));
        let mut found = self.text.match_indices(&property);
        found.any(|(at, _)| {
            matches!(
                self.text.as_bytes().get(at + property.len()),
                None | Some(b' ')
            )
        })
    }
}

/// Where a layer stands and what it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// Its tier.
    pub tier: String,
    /// First byte in the channel, the join in front included.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Unicode scalar values from start to end.
    pub chars: usize,
    /// Tokens whose first byte lies in the layer, if counted.
    pub tokens: Option<usize>,
    /// The highest class among what it is made from.
    pub changes: Changes,
    /// Hash of the bytes from start to end.
    pub sha256: String,
    /// What it was made from, in the order of first use.
    pub ingredients: Vec<Ingredient>,
    /// Who owns which bytes; they tile start..end.
    pub spans: Vec<Span>,
    /// Documents that were looked for and did not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<Unused>,
    /// What the manifest says about it.
    #[serde(default)]
    pub definition: Definition,
}

impl Layer {
    /// Whether the spans cover the layer without gap or overlap and lead to ingredients.
    fn spans_tile(&self, text: &str) -> bool {
        let mut at = self.start;
        for span in &self.spans {
            // No text is near this long; sums with it stay sums.
            let small = |n: Option<usize>| n.is_none_or(|n| n < 1 << 31);
            let known = span
                .ingredient
                .is_none_or(|i| (i as usize) < self.ingredients.len());
            if !known
                || !small(span.offset)
                || !small(span.line)
                || span.start != at
                || span.end < at
                || text.get(at..span.end).is_none()
            {
                return false;
            }
            at = span.end;
        }
        at == self.end
    }
}

/// Who owns a run of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// First byte, in the channel.
    pub start: usize,
    /// One past the last byte, in the channel.
    pub end: usize,
    /// What it is.
    pub kind: SpanKind,
    /// Index into the layer's ingredients; null for joins.
    pub ingredient: Option<u32>,
    /// Bytes into the ingredient's text (after newline and BOM steps); null for joins and derived text.
    pub offset: Option<usize>,
    /// The line of `offset`, from 1: in the document, in the template's file, in the manifest. Null where no line is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// Something that a layer was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ingredient {
    /// A file that was read.
    Document {
        /// The root's name.
        root: String,
        /// Its path inside the root.
        path: String,
        /// The last component of the path.
        name: String,
        /// Hash of the file's bytes as they were read.
        sha256: String,
        /// Length of the file in bytes.
        bytes: usize,
        /// Length of its text in Unicode scalar values, after decoding and the newline and BOM steps.
        chars: usize,
        /// Unicode scalar values of the text that stand in what the layer was given.
        kept: usize,
        /// Unicode scalar values that budgets took away.
        dropped: usize,
        /// The path of the document that imports it, inside the same root; null where a source read it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        imported_by: Option<String>,
        /// Of an entry: which it is among those of its source, the name of a skill or the number of an entry in its file,
        /// from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<String>,
        /// What a scan found in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        findings: Vec<Finding>,
    },
    /// A fact that decided a byte or a condition.
    Fact {
        /// Its name.
        name: String,
        /// Its value; null if private or missing.
        value: Option<serde_json::Value>,
        /// Whether the value is withheld.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
    },
    /// A let that was read; the facts behind it are ingredients of their own.
    Let {
        /// Its name.
        name: String,
        /// Its expression, as written.
        expression: String,
    },
    /// A template that was run.
    Template {
        /// Its file, or the manifest's if it stands inline.
        file: String,
        /// The line at which an inline template's text begins, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// Hash of its source.
        sha256: String,
    },
    /// Text written in the manifest.
    Literal {
        /// The manifest.
        file: String,
        /// The line at which the text begins, from 1.
        line: usize,
        /// Hash of the text.
        sha256: String,
    },
    /// A root whose paths prompts write in a way of its own.
    Root {
        /// Its name.
        name: String,
        /// `as=`, as written in the manifest.
        shown: String,
    },
    /// A condition that was asked.
    Condition {
        /// As written.
        expression: String,
        /// Its answer.
        value: bool,
    },
    /// `exists()` was asked.
    Exists {
        /// The root's name.
        root: String,
        /// The file inside it.
        path: String,
        /// Whether it is there.
        value: bool,
    },
    /// `loaded()` was asked.
    Loaded {
        /// The layer.
        layer: String,
        /// Whether it counts as loaded.
        value: bool,
    },
    /// A budget that was applied.
    Budget {
        /// `chars`, `bytes` or `lines`.
        unit: String,
        /// The maximum.
        max: usize,
        /// The size before.
        before: usize,
        /// The size after.
        after: usize,
        /// What it bounded: the layer, or the document or group by its label.
        of: String,
        /// Whether it bounds the documents together (`total`) or each alone (`each`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spread: Option<String>,
        /// Of what was cut: what was kept from the start.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        head: Option<usize>,
        /// What the marker takes; of a text that was dropped, what it would have taken alone. It counts only where head,
        /// marker and tail together are `after`: a marker outside stands beside them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        marker: Option<usize>,
        /// Of what was cut: what was kept from the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tail: Option<usize>,
        /// What was left of the `total` in front of this document.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<usize>,
        /// The `floor`, if the document was dropped because less was left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        floor: Option<usize>,
        /// Where whole entries stay or go: how many stayed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entries: Option<usize>,
        /// Where whole entries stay or go: how many went.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dropped: Option<usize>,
        /// If the layer gave way to a budget of its `tier` or of the `prompt`: which. It was then cut to its `min`, or
        /// went as a whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

/// Something that a scan found in a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The rule's id; of an invisible character a name with its number.
    pub id: String,
    /// The rule: its id, or `invisible-unicode`.
    pub rule: String,
    /// The line in the file (after newline and BOM steps), from 1; in a name or a value of the metadata that stands
    /// nowhere just so, the line in it.
    pub line: usize,
    /// The column in it, from 1, in Unicode scalar values.
    pub column: usize,
    /// Where, if not in the text: `name`, `label`, `about`, `meta KEY`, or `meta` if it stands in a key itself.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

impl Finding {
    /// Where it stands, in words: `line 3, column 1`, or `in its name`.
    #[must_use]
    pub fn place(&self) -> String {
        let Some(within) = &self.within else {
            return format!("line {}, column {}", self.line, self.column);
        };
        match within.strip_prefix("meta ") {
            Some(key) => format!("in its front matter, at `{key}`"),
            None if within == "meta" => "in a key of its front matter".to_owned(),
            None => format!("in its {within}"),
        }
    }
}

impl Ingredient {
    /// What a scan found in it.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Document { findings, .. } => findings,
            _ => &[],
        }
    }

    /// The same, of an ingredient that can have some.
    pub fn findings_mut(&mut self) -> Option<&mut Vec<Finding>> {
        match self {
            Self::Document { findings, .. } => Some(findings),
            _ => None,
        }
    }
}

/// A layer that is not in the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// The layer.
    pub layer: String,
    /// Its tier.
    pub tier: String,
    /// Why.
    pub reason: Reason,
    /// The same in words.
    pub detail: String,
    /// What decided it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ingredients: Vec<Ingredient>,
    /// Documents that were looked for and did not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<Unused>,
    /// What the manifest says about it.
    #[serde(default)]
    pub definition: Definition,
}

/// Why a layer is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Its `when` is false, or all that it looks for is ruled out by conditions or missing facts.
    Condition,
    /// Documents were looked for and none was found.
    Missing,
    /// Something was found and nothing of it counts as text, or the template printed nothing.
    Empty,
    /// Everything was dropped by a scan.
    Replaced,
    /// A budget left nothing of it.
    Dropped,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Condition => "condition",
            Self::Missing => "missing",
            Self::Empty => "empty",
            Self::Replaced => "replaced",
            Self::Dropped => "dropped",
        })
    }
}

/// A document that was looked for and did not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unused {
    /// The root's name.
    pub root: String,
    /// Its path inside the root; the pattern of a glob that found nothing.
    pub path: String,
    /// Of an entry: which it is among those of its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// Why.
    pub reason: UnusedReason,
}

/// Why a document did not count.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum UnusedReason {
    /// Not there.
    Missing,
    /// Only white space.
    Blank,
    /// A `when` or `where` is false.
    Condition,
    /// An earlier one yielded text.
    NotFirst,
    /// A scan dropped it.
    Replaced,
    /// A budget left nothing of it.
    Budget,
    /// Its `hide` template gave a reason.
    Hidden,
    /// An entry whose text an earlier one of its file has.
    Duplicate,
    /// Not UTF-8, and `invalid=missing`.
    Invalid,
    /// Imported by itself, directly or by way of others.
    Cycle,
    /// Imported more steps away than imports go.
    Depth,
}

impl fmt::Display for UnusedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Missing => "missing",
            Self::Blank => "blank",
            Self::Condition => "condition",
            Self::NotFirst => "not-first",
            Self::Replaced => "replaced",
            Self::Budget => "budget",
            Self::Hidden => "hidden",
            Self::Duplicate => "duplicate",
            Self::Invalid => "invalid",
            Self::Cycle => "cycle",
            Self::Depth => "depth",
        })
    }
}

/// Something that the reader of a build should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    /// `cut`, `dropped`, `replaced` or another kebab-case word.
    pub code: String,
    /// The layer, if it is about one.
    pub layer: Option<String>,
    /// In words.
    pub message: String,
}

impl Notice {
    /// The message with the layer in front of it, if it is about one.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.layer {
            Some(layer) => format!("layer `{layer}`: {}", self.message),
            None => self.message.clone(),
        }
    }

    /// Whether someone should look at it: text was lost, or stays although a scan found something. `build` says these on
    /// stderr.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.is_loss() || self.code == "scan-finding"
    }

    /// Whether text was lost.
    #[must_use]
    pub fn is_loss(&self) -> bool {
        matches!(self.code.as_str(), "cut" | "dropped" | "replaced")
    }
}

/// `sha256:` and the hex digest of `bytes`.
#[must_use]
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    let mut hash = PrefixHash::default();
    hash.extend(bytes.as_ref());
    hash.so_far()
}

/// The hash of a text that grows.
#[derive(Debug, Clone, Default)]
pub struct PrefixHash(Sha256);

impl PrefixHash {
    /// Appends bytes to the text.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// `sha256:` and the hex digest of all bytes so far.
    #[must_use]
    pub fn so_far(&self) -> String {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0.clone().finalize()) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        // Digits are always UTF-8.
        ["sha256:", std::str::from_utf8(&hex).unwrap_or_default()].concat()
    }
}

/// The ingredients of one layer while it is made: each that is interned is listed once, in the order of first use.
#[derive(Debug, Clone, Default)]
pub struct Ingredients {
    all: Vec<Ingredient>,
    /// Those that were interned, ordered by [`Ingredient::key`].
    known: Vec<u32>,
}

impl Ingredient {
    /// What equal ingredients have in common and few others.
    fn key(&self) -> &str {
        match self {
            Self::Document { path: key, .. }
            | Self::Fact { name: key, .. }
            | Self::Let { name: key, .. }
            | Self::Root { name: key, .. }
            | Self::Template { sha256: key, .. }
            | Self::Literal { sha256: key, .. }
            | Self::Condition {
                expression: key, ..
            }
            | Self::Exists { path: key, .. }
            | Self::Loaded { layer: key, .. }
            | Self::Budget { of: key, .. } => key,
        }
    }
}

impl Ingredients {
    /// The index of `ingredient`, which is added if it is new.
    pub fn intern(&mut self, ingredient: Ingredient) -> u32 {
        match self.find(ingredient.key(), |known| *known == ingredient) {
            Ok(at) => at,
            Err(place) => self.add_known(ingredient, place),
        }
    }

    /// As [`Ingredients::intern`], of an ingredient that is copied only if it is new.
    pub fn intern_copy(&mut self, ingredient: &Ingredient) -> u32 {
        match self.find(ingredient.key(), |known| known == ingredient) {
            Ok(at) => at,
            Err(place) => self.add_known(ingredient.clone(), place),
        }
    }

    /// As [`Ingredients::intern`], of the fact or let called `name`, which is made only if it is new: in one build a name
    /// has one value.
    pub fn intern_value(&mut self, name: &str, ingredient: impl FnOnce() -> Ingredient) -> u32 {
        let is_value =
            |i: &Ingredient| matches!(i, Ingredient::Fact { .. } | Ingredient::Let { .. });
        match self.find(name, is_value) {
            Ok(at) => at,
            Err(place) => self.add_known(ingredient(), place),
        }
    }

    /// The index of the interned ingredient with that key which is the `wanted` one; else its place among those known.
    fn find(&self, key: &str, wanted: impl Fn(&Ingredient) -> bool) -> Result<u32, usize> {
        let key_of = |at: &u32| self.all.get(*at as usize).map_or("", Ingredient::key);
        let from = self.known.partition_point(|at| key_of(at) < key);
        let mut place = from;
        for at in &self.known[from..] {
            match self.all.get(*at as usize) {
                Some(known) if known.key() != key => break,
                Some(known) if wanted(known) => return Ok(*at),
                _ => place += 1,
            }
        }
        Err(place)
    }

    fn add_known(&mut self, ingredient: Ingredient, place: usize) -> u32 {
        let at = self.add(ingredient);
        self.known.insert(place, at);
        at
    }

    /// Adds `ingredient` even if an equal one is listed (a file read twice has two fates).
    pub fn add(&mut self, ingredient: Ingredient) -> u32 {
        let at = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(ingredient);
        at
    }

    /// The ingredient at `index`.
    pub fn get_mut(&mut self, index: u32) -> Option<&mut Ingredient> {
        self.all.get_mut(index as usize)
    }

    /// All, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Ingredient] {
        &self.all
    }

    /// All, in order.
    #[must_use]
    pub fn into_vec(self) -> Vec<Ingredient> {
        self.all
    }
}
