//! The parts of a request: tools, blocks, messages, settings, breakpoints.

use super::api::Api;
use super::media::{self, Media};
use super::members::Members;
use crate::text::Json;
use sha2::{Digest as _, Sha256};
use std::sync::{Arc, LazyLock};

/// A tool, a block of the system prompt, or a block of a message.
#[derive(Debug, Clone)]
pub struct Part {
    /// As it was sent, without its breakpoint, on one line.
    pub raw: Arc<str>,
    /// The compared form: one spelling for all that are equal to a model.
    pub key: Arc<str>,
    /// Its identity without its text.
    pub id: PartId,
    /// What it has besides text.
    pub(super) media: Option<Arc<Media>>,
}

impl Eq for Part {}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The identity of a part without its text. Parts that are equal to a model have equal identities.
#[derive(Debug, Clone, Copy)]
pub struct PartId {
    /// Its name in a log: the first eight bytes of SHA-256 over the sent and the compared form.
    pub name: [u8; 8],
    key: Digest,
    /// Whether it replaces everything before it.
    pub(super) is_compaction: bool,
}

/// The type of a block or item that replaces everything before it.
pub(super) const COMPACTION: &str = "compaction";

impl Eq for PartId {}

impl PartialEq for PartId {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl PartId {
    /// The hash of the compared form, in sixteen bytes.
    pub(in crate::request) fn digest(&self) -> Digest {
        self.key
    }

    /// Whether the part was sent as the other was, byte by byte.
    #[must_use]
    pub fn is_as_sent(&self, other: &Self) -> bool {
        self == other && self.name == other.name
    }
}

/// A text in sixteen bytes.
pub(in crate::request) type Digest = [u8; 16];

/// The first half of SHA-256 over texts, each set off from the next.
pub(super) fn digest<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Digest {
    first(&sha256(texts))
}

fn sha256<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for (i, text) in texts.into_iter().enumerate() {
        if i > 0 {
            hash.update([0]);
        }
        hash.update(text);
    }
    hash.finalize().into()
}

fn first<const N: usize>(hash: &[u8; 32]) -> [u8; N] {
    std::array::from_fn(|i| hash[i])
}

/// Whether a block in canonical form is of this type: its fields are in the order of their names, and `type` is the last of most.
fn is_a(key: &str, kind: &str) -> bool {
    let front = key
        .strip_suffix("\"}")
        .and_then(|key| key.strip_suffix(kind));
    front.is_some_and(|front| front.ends_with("\"type\":\""))
}

impl Part {
    /// A part with its key.
    #[must_use]
    pub fn new(raw: impl Into<Arc<str>>, key: &Json) -> Self {
        let media = Media::of(key).map(Arc::new);
        let (mut raw, key): (Arc<str>, _) = (raw.into(), key.canonical());
        // A part is on one line of a log. Between the tokens of JSON a line end is a space; in its strings there is none.
        if raw.contains(['\n', '\r']) {
            raw = raw.replace(['\n', '\r'], " ").into();
        }
        let key = if key == *raw { raw.clone() } else { key.into() };
        let id = PartId {
            name: first(&sha256([raw.as_bytes(), key.as_bytes()])),
            key: digest([key.as_bytes()]),
            is_compaction: is_a(&key, COMPACTION),
        };
        Self {
            raw,
            key,
            id,
            media,
        }
    }

    /// How much it is to a model, in bytes of text: an image counts by its pixels, and what no rule counts is nothing.
    pub(in crate::request) fn size(&self, model: &str) -> usize {
        let bytes = self.key.len();
        let media = self.media.as_deref();
        media.map_or(bytes, |media| media.size(bytes, model))
    }

    /// Whether a rule says how much it is to a model: not of a document, a sound, a link, or an image of a model without a rule.
    pub(in crate::request) fn is_sized(&self, model: &str) -> bool {
        let media = self.media.as_deref();
        media.is_none_or(|media| media.is_sized(model))
    }

    /// Whether it is text alone.
    pub(in crate::request) fn is_text(&self) -> bool {
        self.media.is_none()
    }

    /// A part without its texts: it can only be compared.
    pub(super) fn bare(id: PartId) -> Self {
        static NONE: LazyLock<Arc<str>> = LazyLock::new(|| "".into());
        Self {
            raw: NONE.clone(),
            key: NONE.clone(),
            id,
            media: None,
        }
    }

    /// The compared form, as JSON.
    #[must_use]
    pub fn value(&self) -> Json {
        Json::read(&self.key).unwrap_or(Json::Null)
    }

    /// Whether it is a block of this type, of those without a field whose name sorts after `type`.
    pub(super) fn is_a(&self, kind: &str) -> bool {
        is_a(&self.key, kind)
    }

    /// What kind of block it is, as its API names it; none of text.
    #[must_use]
    pub fn kind(&self) -> Option<String> {
        let value = self.value();
        let kind = value.get("type").and_then(Json::as_text);
        let only = match &value {
            Json::Object(members) => members.first().map(|(name, _)| &**name),
            _ => None,
        };
        let kind = kind.or(only)?;
        let is_text = ["text", "input_text", "output_text"].contains(&kind);
        (!is_text).then(|| kind.to_owned())
    }

    /// It for people: of text its text, of a result what is in it, of what is no text its kind and size, of a reference to a tool its name, else
    /// its JSON over lines.
    #[must_use]
    pub fn in_words(&self) -> String {
        let value = self.value();
        let inner = value.get("content").map(Json::items).unwrap_or_default();
        let inner: Vec<String> = inner.iter().filter_map(in_words).collect();
        if let Some(words) = in_words(&value).filter(|_| inner.is_empty()) {
            return words;
        }
        let sent = || Json::read(&self.raw).unwrap_or(Json::Null);
        match inner.is_empty() {
            // It is compared by its signature alone.
            true if self.is_a("thinking") => thought(&sent()),
            true => self.text(),
            false => inner.join("\n"),
        }
    }

    /// The text in it: of a text block its text, else its JSON over lines.
    #[must_use]
    pub fn text(&self) -> String {
        let value = self.value();
        for key in ["text", "content", "thinking"] {
            if let Some(text) = value.get(key).and_then(Json::as_text) {
                return text.to_owned();
            }
        }
        let inner = value.get("content").map(Json::items).unwrap_or_default();
        let texts: Vec<&str> = inner
            .iter()
            .filter_map(|i| i.get("text")?.as_text())
            .collect();
        if texts.is_empty() {
            serde_json::to_string_pretty(&value).unwrap_or_default()
        } else {
            texts.join("\n")
        }
    }
}

/// What a model thought, and how its provider signed it.
fn thought(block: &Json) -> String {
    let of = |name| block.get(name).and_then(Json::as_text).unwrap_or_default();
    let signature: String = of("signature").chars().take(16).collect();
    format!("{}\nthinking signed {signature}", of("thinking"))
}

/// A text, what is no text, or a reference to a tool for people; none of other blocks.
fn in_words(block: &Json) -> Option<String> {
    if let Some(words) = media::in_words(block) {
        return Some(words);
    }
    match block.get("type").and_then(Json::as_text) {
        Some("tool_reference") => {
            let name = block.get("tool_name").and_then(Json::as_text)?;
            Some(format!("tool `{name}`"))
        }
        Some("redacted_thinking") => Some("thinking that its provider alone can read".to_owned()),
        _ => block.get("text")?.as_text().map(str::to_owned),
    }
}

/// A block with its fields by name: an API reads them one by one, so the order in which they are written does not count. That inside
/// of them does, and that of a tool: providers print it as it is.
pub(super) fn by_name(mut block: Json) -> Json {
    inner(&mut block, |item| *item = by_name(std::mem::take(item)));
    if let Some(members) = block.members_mut() {
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
    block
}

/// Changes the blocks of the content of a block.
fn inner(block: &mut Json, change: impl FnMut(&mut Json)) {
    let members = block.members_mut().into_iter().flatten();
    let contents = members.filter(|(key, _)| &**key == "content");
    let lists = contents.filter_map(|(_, content)| content.items_mut());
    lists.flatten().for_each(change);
}

/// A message; its blocks may be known by their ids alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<P = Part> {
    /// The role; for an item that is not a message, its type.
    pub role: String,
    /// Its fields besides its blocks, as canonical JSON; empty without any.
    pub extra: String,
    /// Its blocks, in order.
    pub blocks: Vec<P>,
}

impl<P> Message<P> {
    /// Whether the next one is a part of it, for an API that merges consecutive messages of one role.
    pub(super) fn goes_on_in(&self, next: &Self) -> bool {
        self.role == next.role && self.extra.is_empty() && next.extra.is_empty()
    }
}

impl<P: Clone> Message<P> {
    /// The message with more blocks at its end.
    pub(super) fn with<'p>(&self, more: impl Iterator<Item = &'p Self>) -> Self
    where
        P: 'p,
    {
        let mut whole = self.clone();
        whole
            .blocks
            .extend(more.flat_map(|next| next.blocks.iter().cloned()));
        whole
    }
}

impl<P: PartialEq> Message<P> {
    /// Whether `other` is this message with more blocks at its end, or none more.
    #[must_use]
    pub fn begins(&self, other: &Self) -> bool {
        self.role == other.role
            && self.extra == other.extra
            && other.blocks.starts_with(&self.blocks)
    }
}

/// From where on a setting takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum From {
    /// The start of the request.
    Start,
    /// The system prompt.
    System,
    /// The messages.
    Messages,
}

impl From {
    /// From where on a setting of an API takes effect, by its name.
    #[must_use]
    pub fn of(api: Api, name: &str) -> Self {
        let table = settings(api);
        let found = table.iter().find(|(_, names)| names.contains(&name));
        found.map_or(Self::Start, |(from, _)| *from)
    }
}

/// The settings of an API that a cache depends on, by where they take effect: paths in the body. The model may be in
/// the URL.
///
/// Anthropic: anthropics/skills, `prompt-caching.md`; OpenAI: the reasons for misses that its Python package 3.54.0 lists.
pub(super) fn settings(api: Api) -> &'static [(From, &'static [&'static str])] {
    match api {
        Api::AnthropicMessages => &[
            (From::Start, &["model"]),
            (From::System, &["speed"]),
            (
                From::Messages,
                &["tool_choice", "thinking", "output_config.effort"],
            ),
        ],
        Api::OpenaiChat => &[(
            From::Start,
            &[
                "model",
                "parallel_tool_calls",
                "response_format",
                "reasoning_effort",
                "verbosity",
                "prompt_cache_key",
                "service_tier",
            ],
        )],
        Api::OpenaiResponses => &[(
            From::Start,
            &[
                "model",
                "parallel_tool_calls",
                "text.format",
                "text.verbosity",
                "reasoning.effort",
                "prompt_cache_key",
                "service_tier",
            ],
        )],
        Api::Gemini => &[(From::Start, &["model"])],
        Api::BedrockConverse => &[
            (From::Start, &["model"]),
            (
                From::Messages,
                &[
                    "toolConfig.toolChoice",
                    "additionalModelRequestFields.thinking",
                ],
            ),
        ],
    }
}

/// A setting that a cache depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its path in the body.
    pub name: String,
    /// Its value as canonical JSON.
    pub value: String,
    /// From where on it takes effect.
    pub from: From,
}

/// A place up to which a provider is asked to cache the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakpoint {
    /// The part that it follows, in the whole request: `tools/INDEX`, `system/INDEX`, `messages/INDEX/BLOCK`, or
    /// `request`.
    pub at: String,
    /// Its own fields.
    pub mark: Mark,
}

impl Breakpoint {
    /// The index of its message and of the block there; none if it is not in a message.
    pub(super) fn in_messages(&self) -> Option<(usize, usize)> {
        let (message, block) = self.at.strip_prefix("messages/")?.split_once('/')?;
        Some((message.parse().ok()?, block.parse().ok()?))
    }
}

/// The fields of a breakpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mark {
    /// Its time to live, as written, such as `1h`.
    pub ttl: Option<String>,
    /// The `mode` of a `prompt_cache_breakpoint`, OpenAI's from GPT-5.6 on; none of others.
    pub mode: Option<String>,
}

impl Mark {
    /// The mark of a `cache_control` or `cachePoint`.
    pub(super) fn of(value: &Json) -> Self {
        let ttl = value.get("ttl").and_then(Json::as_text);
        Self {
            ttl: ttl.map(str::to_owned),
            mode: None,
        }
    }
}

impl Breakpoint {
    /// The time to live, in seconds. Without a word it is five minutes, at Anthropic and at Bedrock.
    #[must_use]
    pub fn seconds(&self) -> u64 {
        const UNITS: [(char, u64); 3] = [('h', 3_600), ('m', 60), ('s', 1)];
        let ttl = self.mark.ttl.as_deref().unwrap_or("5m");
        let read = UNITS.iter().find_map(|(unit, times)| {
            let number: u64 = ttl.strip_suffix(*unit)?.parse().ok()?;
            Some(number.saturating_mul(*times))
        });
        read.unwrap_or(300)
    }
}

/// A block, taken apart: what is sent of it, its breakpoint, and its value.
pub(super) struct Block<'a> {
    pub(super) raw: std::borrow::Cow<'a, str>,
    pub(super) value: Json,
    pub(super) mark: Option<Mark>,
}

/// The fields of a block that are breakpoints: Anthropic's, and OpenAI's from GPT-5.6 on (Python package openai 3.54.0).
const MARKS: &[&str] = &["cache_control", OPENAI_MARK];

/// The field of OpenAI's breakpoints.
pub(super) const OPENAI_MARK: &str = "prompt_cache_breakpoint";

/// Takes the breakpoint off a block. None if the text is no JSON.
pub(super) fn block<'a>(text: &'a str) -> Option<Block<'a>> {
    let mut value = Json::read(text)?;
    let marks = MARKS
        .iter()
        .filter_map(|name| Some((*name, value.get(name)?)));
    let marks: Vec<(&str, &Json)> = marks.collect();
    let mark = marks.iter().find(|(_, mark)| !mark.is_empty());
    let mark = mark.map(|(name, mark)| match *name {
        OPENAI_MARK => Mark {
            mode: Some(
                mark.get("mode")
                    .and_then(Json::as_text)
                    .unwrap_or_default()
                    .to_owned(),
            ),
            ttl: None,
        },
        _ => Mark::of(mark),
    });
    let raw = if !marks.is_empty() {
        Members::read(text)?.without(MARKS).into()
    } else {
        text.into()
    };
    unmark(&mut value);
    // Marks inside of results are none of the provider's text either.
    inner(&mut value, unmark);
    Some(Block { raw, value, mark })
}

fn unmark(block: &mut Json) {
    if let Some(members) = block.members_mut() {
        members.retain(|(key, _)| !MARKS.contains(&&**key));
    }
}
