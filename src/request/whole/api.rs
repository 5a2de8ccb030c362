//! The API that a body belongs to.

use super::members::Members;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The API that a body is written for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// Messages of Anthropic, also in Bedrock and Vertex.
    AnthropicMessages,
    /// Chat Completions of OpenAI, as many others have them.
    OpenaiChat,
    /// Responses of OpenAI.
    OpenaiResponses,
    /// `generateContent` of Gemini.
    Gemini,
    /// Converse of Bedrock.
    BedrockConverse,
}

/// The suffixes of the paths by which Bedrock and Vertex call the models of all vendors, each with its own body.
const OF_ALL: &[&str] = &[
    "/invoke",
    "/invoke-with-response-stream",
    ":rawPredict",
    ":streamRawPredict",
];

/// The path of a URL, if it has one.
fn path(url: &str) -> Option<&str> {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = &rest[rest.find('/')?..];
    (!path.trim_matches('/').is_empty()).then_some(path)
}

impl Api {
    /// The API of a URL, or of its path. None if it is none of a model's call.
    ///
    /// Paths are from the reference of each provider; `count_tokens` bills nothing and is none.
    #[must_use]
    pub fn of_url(url: &str) -> Option<Self> {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let ends = |end: &str| path.ends_with(end);
        if ends("/v1/messages") || OF_ALL.iter().any(|end| ends(end)) {
            Some(Self::AnthropicMessages)
        } else if ends("/chat/completions") {
            Some(Self::OpenaiChat)
        } else if ends("/responses") {
            Some(Self::OpenaiResponses)
        } else if ends(":generateContent") || ends(":streamGenerateContent") {
            Some(Self::Gemini)
        } else if ends("/converse") || ends("/converse-stream") {
            Some(Self::BedrockConverse)
        } else {
            None
        }
    }

    /// The API of a body that was sent to a URL. None if that is no model's call, or it may be of several.
    pub(super) fn of(url: Option<&str>, body: &Members<'_>) -> Option<Self> {
        let Some(path) = url.and_then(path) else {
            return Self::of_body(body);
        };
        let is_of_all = OF_ALL.iter().any(|end| path.ends_with(end));
        Self::of_url(path).filter(|_| !is_of_all || body.get("anthropic_version").is_some())
    }

    /// The API that a body alone shows. None if it may be of several.
    fn of_body(body: &Members<'_>) -> Option<Self> {
        let has = |key: &str| body.get(key).is_some();
        if has("contents") {
            Some(Self::Gemini)
        } else if has("input") || has("previous_response_id") {
            Some(Self::OpenaiResponses)
        } else if has("toolConfig") || has("inferenceConfig") || has("additionalModelRequestFields")
        {
            Some(Self::BedrockConverse)
        } else if !has("messages") {
            None
        } else if has("system")
            || has("thread")
            || has("anthropic_version")
            || has("thinking")
            || (has("max_tokens") && body.text("model").is_some_and(|m| m.contains("claude")))
        {
            Some(Self::AnthropicMessages)
        } else if has("model") {
            Some(Self::OpenaiChat)
        } else {
            Some(Self::BedrockConverse).filter(|_| !has("max_tokens"))
        }
    }

    /// The model that a URL names.
    #[must_use]
    pub fn model_of_url(url: &str) -> Option<String> {
        let (_, rest) = url.rsplit_once("/models/").or(url.split_once("/model/"))?;
        let model = rest.split([':', '/', '?']).next()?;
        // The model of Bedrock may have a colon; then the path continues after a slash.
        let model = if url.contains("/model/") {
            rest.split('/').next()?
        } else {
            model
        };
        Some(model.replace("%3A", ":").replace("%2F", "/"))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic-messages",
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Gemini => "gemini",
            Self::BedrockConverse => "bedrock-converse",
        }
    }

    /// Whether messages in a row of one role are one message.
    ///
    /// Anthropic: docstring of its Python package, 2.12.0.
    pub(super) fn merges_turns(self) -> bool {
        matches!(self, Self::AnthropicMessages | Self::BedrockConverse)
    }

    /// Whether a request without a breakpoint is not cached at all.
    #[must_use]
    pub fn needs_breakpoints(self) -> bool {
        matches!(self, Self::AnthropicMessages | Self::BedrockConverse)
    }
}
