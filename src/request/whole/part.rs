//! The parts of a request: tools, blocks, messages, settings, breakpoints.

use super::api::Api;
use super::members::Members;
use crate::request::json::Json;
use std::sync::Arc;

/// A tool, a block of the system text, or a block of a message.
#[derive(Debug, Clone)]
pub struct Part {
    /// As it was sent, without its breakpoint.
    pub raw: Arc<str>,
    /// What is compared: one spelling of all that are the same to a model.
    pub key: Arc<str>,
}

impl Eq for Part {}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Part {
    /// A part with its key.
    #[must_use]
    pub fn new(raw: impl Into<Arc<str>>, key: &Json) -> Self {
        Self {
            raw: raw.into(),
            key: key.canonical().into(),
        }
    }

    /// What is compared, as JSON.
    #[must_use]
    pub fn value(&self) -> Json {
        Json::read(&self.key).unwrap_or(Json::Null)
    }

    /// Whether it is a block of this type, of those that have no field whose name comes after `type`: fields are in the order of names.
    pub(super) fn is_a(&self, kind: &str) -> bool {
        let front = self
            .key
            .strip_suffix("\"}")
            .and_then(|key| key.strip_suffix(kind));
        front.is_some_and(|front| front.ends_with("\"type\":\""))
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
        match texts.is_empty() {
            true => serde_json::to_string_pretty(&value).unwrap_or_default(),
            false => texts.join("\n"),
        }
    }
}

/// A block with its fields by name: an API reads them one by one, so the order in which they are written does not count. That inside
/// of them does, and that of a tool: providers print it as it is.
pub(super) fn by_name(block: Json) -> Json {
    let Json::Object(mut members) = block else {
        return block;
    };
    for (_, inner) in members.iter_mut().filter(|(key, _)| key == "content") {
        if let Json::List(items) = inner {
            *items = std::mem::take(items).into_iter().map(by_name).collect();
        }
    }
    members.sort_by(|(a, _), (b, _)| a.cmp(b));
    Json::Object(members)
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks; of an item that is no message, its type.
    pub role: String,
    /// What else is said of it and not of its blocks, as canonical JSON; empty if nothing.
    pub extra: String,
    /// Its blocks, in order.
    pub blocks: Vec<Part>,
}

impl Message {
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
    /// The system text.
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

/// The settings of an API that a cache depends on, by where they take effect: paths in the body. The model may stand in the URL.
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

/// A place up to which a provider is asked to keep the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakpoint {
    /// The part behind which it is: `tools/INDEX`, `system/INDEX`, `messages/INDEX/BLOCK`, or `request`.
    pub at: String,
    /// How long it is to live, as written, such as `1h`.
    pub ttl: Option<String>,
}

impl Breakpoint {
    /// The time to live, in seconds. Without a word it is five minutes, at Anthropic and at Bedrock.
    #[must_use]
    pub fn seconds(&self) -> u64 {
        let ttl = self.ttl.as_deref().unwrap_or("5m");
        let (number, unit) = ttl.split_at(ttl.len().saturating_sub(1));
        let times = match unit {
            "h" => 3_600,
            "m" => 60,
            _ => 1,
        };
        number.parse::<u64>().unwrap_or(300).saturating_mul(times)
    }
}

/// A block, taken apart: what is sent of it, its breakpoint, and its value.
pub(super) struct Block<'a> {
    pub(super) raw: std::borrow::Cow<'a, str>,
    pub(super) value: Json,
    pub(super) ttl: Option<Option<String>>,
}

/// Takes the breakpoint `cache_control` off a block. None if the text is no JSON.
pub(super) fn block<'a>(text: &'a str) -> Option<Block<'a>> {
    const MARK: &str = "cache_control";
    let value = Json::read(text)?;
    let Json::Object(mut members) = value.clone() else {
        return Some(Block {
            raw: text.into(),
            value,
            ttl: None,
        });
    };
    let mark = value.get(MARK);
    let ttl = mark.filter(|m| !m.is_empty());
    let ttl = ttl.map(|m| m.get("ttl").and_then(Json::as_text).map(str::to_owned));
    members.retain(|(key, _)| key != MARK);
    let raw = match mark {
        Some(_) => Members::read(text)?.without(&[MARK]).into(),
        None => text.into(),
    };
    // Marks inside of results are none of the provider's text either.
    let mut value = Json::Object(members);
    unmark(&mut value, MARK);
    Some(Block { raw, value, ttl })
}

/// Takes marks off the blocks of a content inside of a block.
fn unmark(value: &mut Json, mark: &str) {
    let Json::Object(members) = value else { return };
    for (_, inner) in members.iter_mut().filter(|(key, _)| key == "content") {
        if let Json::List(items) = inner {
            for item in items {
                if let Json::Object(members) = item {
                    members.retain(|(key, _)| key != mark);
                }
            }
        }
    }
}
