//! The lines of a log.

use crate::request::whole::agent::Agent;
use crate::request::whole::api::Api;
use crate::request::whole::terms::Terms;
use crate::text::value::{Json, Read};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::DeserializeSeed as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The version of the log that this release writes and reads.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HeadLine {
    /// `log`.
    pub kind: LogWord,
    /// The version of the format: 1.
    pub version: u32,
    /// The release that wrote it.
    pub promptc: String,
}

/// A tool, or a block of the system prompt or of a message: once in a conversation.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PartLine {
    /// `part`.
    pub kind: PartWord,
    /// The conversation.
    pub conversation: String,
    /// The name that requests refer to it by.
    pub hash: String,
    /// As it was sent, without its breakpoint.
    #[schemars(with = "Value")]
    pub json: Box<RawValue>,
    /// The compared form, if it is not the sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub key: Option<Box<RawValue>>,
}

/// A request.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RequestLine {
    /// `request`.
    pub kind: RequestWord,
    /// Its id, in this log.
    pub id: String,
    /// Whether its recording gave it that id, where that looks like one of this log.
    #[serde(default, rename = "named", skip_serializing_if = "std::ops::Not::not")]
    pub is_named: bool,
    /// Its number in the log, from 1.
    pub number: usize,
    /// When it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// The conversation.
    pub conversation: String,
    /// The chain.
    pub chain: String,
    /// The number of the request before it in its chain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// The API.
    pub api: Api,
    /// The provider, as far as the URL shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The account that pays, with its endpoint: a keyed hash. Requests of two accounts share no cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The program that sent it, if something says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// The model.
    pub model: String,
    /// The settings that a cache depends on, in order.
    pub settings: Vec<SettingLine>,
    /// What it names that changes its prices.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub terms: Terms,
    /// The recorded headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The tools, by hash.
    pub tools: Vec<String>,
    /// The blocks of the system prompt, by hash.
    pub system: Vec<String>,
    /// The messages.
    pub messages: MessagesLine,
    /// The places up to which the provider is asked to cache it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breakpoints: Vec<BreakpointLine>,
    /// The id of the answer that it continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<String>,
    /// Why the whole is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// Whether its program noted tools, system prompt and messages, but neither settings nor breakpoints.
    #[serde(
        default,
        rename = "snapshot",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub is_snapshot: bool,
    /// Where it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Whether a request may extend it after another one of its chain did. Only a reader that knows what follows says no.
    #[serde(skip, default = "maybe")]
    pub forks: bool,
}

fn maybe() -> bool {
    true
}

fn sent<'de, D: Deserializer<'de>>(from: D) -> Result<Json, D::Error> {
    Read::Sent.deserialize(from)
}

fn maybe_sent<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    sent(from).map(|value| Some(value).filter(|value| !value.is_null()))
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SettingLine {
    /// Its path in the body.
    pub name: String,
    /// Its value.
    #[serde(deserialize_with = "sent")]
    pub value: Json,
}

/// Messages, as a change of those of the parent.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MessagesLine {
    /// The number of the parent's messages that stay, from the first on.
    pub keep: usize,
    /// The messages after them.
    pub add: Vec<MessageLine>,
}

/// A message.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MessageLine {
    /// The role; for an item that is not a message, its type.
    pub role: String,
    /// Its other fields.
    #[serde(
        default,
        deserialize_with = "maybe_sent",
        skip_serializing_if = "Option::is_none"
    )]
    pub extra: Option<Json>,
    /// Its blocks, by hash.
    pub parts: Vec<String>,
}

/// A breakpoint.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BreakpointLine {
    /// The part that it follows, in the whole request.
    pub at: String,
    /// Its time to live, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// The mode of a breakpoint of OpenAI's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// A place in a file that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Origin {
    /// The name of the file.
    pub file: String,
    /// The line, or the number of the entry, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// An answer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ResponseLine {
    /// `response`.
    pub kind: ResponseWord,
    /// The number of the request.
    pub request: usize,
    /// The conversation.
    pub conversation: String,
    /// Its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The provider, if a router chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model that made it, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `whole`, `aborted` or `error`.
    pub state: String,
    /// The status of HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// When the first of it came: from then on its request can be read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Timestamp>,
    /// The messages that it wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<MessageLine>,
    /// The usage, as it was sent.
    #[serde(
        default,
        deserialize_with = "maybe_sent",
        skip_serializing_if = "Option::is_none"
    )]
    pub usage: Option<Json>,
    /// What it names that changes its prices, besides what is in its usage.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub terms: Terms,
    /// Whether the input that was billed includes what was cached: the basis of the API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The server's own edits, as they were sent.
    #[serde(
        default,
        deserialize_with = "maybe_sent",
        skip_serializing_if = "Option::is_none"
    )]
    pub edits: Option<Json>,
    /// The provider's own diagnosis, as it was sent.
    #[serde(
        default,
        deserialize_with = "maybe_sent",
        skip_serializing_if = "Option::is_none"
    )]
    pub diagnostics: Option<Json>,
}

/// The basis on which a usage counts the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Tokens that were read from the cache and written to it are counted in addition to the input.
    Exclusive,
    /// The input includes what was cached.
    Inclusive,
}

impl Basis {
    /// The basis of an API. None where it is not documented (Bedrock Converse).
    #[must_use]
    pub fn of(api: Api) -> Option<Self> {
        match api {
            Api::AnthropicMessages => Some(Self::Exclusive),
            Api::OpenaiChat | Api::OpenaiResponses | Api::Gemini => Some(Self::Inclusive),
            Api::BedrockConverse => None,
        }
    }
}

/// A line of a log.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
pub enum Line {
    /// The first.
    Log(HeadLine),
    /// A part.
    Part(PartLine),
    /// A request.
    Request(Box<RequestLine>),
    /// An answer.
    Response(Box<ResponseLine>),
}

/// A word that says the kind of a line.
macro_rules! word {
    ($name:ident, $variant:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            #[doc = $doc]
            $variant,
        }
    };
}

word!(LogWord, Log, "The kind of the first line.");
word!(PartWord, Part, "The kind of a part.");
word!(RequestWord, Request, "The kind of a request.");
word!(ResponseWord, Response, "The kind of an answer.");
