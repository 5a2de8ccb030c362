//! Requests and answers that a recording has in a form of its own, as the bodies that their API would have.

use super::Json;
use crate::request::whole::answer::{Answer, AnswerState};
use crate::request::whole::api::Api;
use crate::request::whole::log::Reply;

/// A message.
#[derive(Debug, Clone)]
pub(super) struct ToldMessage {
    pub(super) role: String,
    /// Its blocks, as the API has them; what it has not is as it was recorded.
    pub(super) blocks: Vec<Json>,
}

/// A request.
#[derive(Debug)]
pub(super) struct ToldRequest<'a> {
    pub(super) model: &'a str,
    pub(super) system: Vec<Json>,
    pub(super) tools: Vec<Json>,
    pub(super) messages: &'a [ToldMessage],
}

/// An answer.
#[derive(Debug, Default)]
pub(super) struct ToldAnswer {
    pub(super) id: Option<String>,
    /// The model that ran.
    pub(super) model: Option<String>,
    pub(super) blocks: Vec<Json>,
    pub(super) counts: Counts,
}

/// The tokens of a call; what is not recorded is none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// All of the input.
    pub(super) input: Option<u64>,
    pub(super) read: Option<u64>,
    pub(super) written: Option<u64>,
    /// Of these, to live five minutes and an hour.
    pub(super) lives: [Option<u64>; 2],
    /// With what the model thought.
    pub(super) output: Option<u64>,
    pub(super) thought: Option<u64>,
}

/// Where an API takes such a request.
pub(super) fn url(api: Api, model: &str) -> String {
    match api {
        Api::AnthropicMessages => "/v1/messages".to_owned(),
        Api::OpenaiChat => "/v1/chat/completions".to_owned(),
        Api::OpenaiResponses => "/v1/responses".to_owned(),
        Api::Gemini => format!("/v1beta/models/{model}:generateContent"),
        Api::BedrockConverse => format!("/model/{model}/converse"),
    }
}

/// A block of text.
pub(super) fn text(api: Api, role: &str, text: &str) -> Json {
    let kind = match (api, role) {
        (Api::OpenaiResponses, "assistant") => "output_text",
        (Api::OpenaiResponses, _) => "input_text",
        (Api::Gemini | Api::BedrockConverse, _) => return Json::object([("text", text.into())]),
        _ => "text",
    };
    Json::object([("type", kind.into()), ("text", text.into())])
}

/// The key of the blocks of a message.
fn inner(api: Api) -> &'static str {
    if api == Api::Gemini {
        "parts"
    } else {
        "content"
    }
}

impl ToldMessage {
    /// It as the API has it.
    pub(super) fn json(&self, api: Api) -> Json {
        let role = match (api, self.role.as_str()) {
            (Api::Gemini, "assistant") => "model",
            (_, role) => role,
        };
        let blocks = Json::list(self.blocks.clone());
        Json::object([("role", role.into()), (inner(api), blocks)])
    }
}

impl ToldRequest<'_> {
    /// The body.
    pub(super) fn body(self, api: Api) -> String {
        let messages = self.messages.iter();
        let mut messages: Vec<Json> = messages.map(|message| message.json(api)).collect();
        let mut body = Json::object([]);
        if api != Api::Gemini {
            body.set("model", self.model.into());
        }
        let (system, tools) = (Json::list(self.system), Json::list(self.tools));
        if !system.is_empty() {
            match api {
                Api::Gemini => body.set("systemInstruction", Json::object([("parts", system)])),
                Api::AnthropicMessages | Api::BedrockConverse => body.set("system", system),
                Api::OpenaiChat | Api::OpenaiResponses => {
                    let first = Json::object([("role", "system".into()), ("content", system)]);
                    messages.insert(0, first);
                }
            }
        }
        if !tools.is_empty() {
            body.set(
                "tools",
                match api {
                    Api::Gemini => Json::list([Json::object([("functionDeclarations", tools)])]),
                    _ => tools,
                },
            );
        }
        let name = match api {
            Api::Gemini => "contents",
            Api::OpenaiResponses => "input",
            _ => "messages",
        };
        body.set(name, Json::list(messages));
        body.canonical()
    }
}

impl ToldAnswer {
    /// The answer of a call, or that there is none because it failed.
    pub(super) fn reply(self, api: Api, is_failed: bool) -> Reply {
        if is_failed {
            return Reply::Read(Box::new(Answer {
                state: AnswerState::Error,
                ..Answer::default()
            }));
        }
        Reply::Text(self.body(api))
    }

    /// The body.
    fn body(self, api: Api) -> String {
        let usage = self.counts.usage(api);
        let content = Json::list(self.blocks);
        let mut body = Json::object([]);
        let (id, model) = match api {
            Api::Gemini => ("responseId", "modelVersion"),
            _ => ("id", "model"),
        };
        self.id
            .into_iter()
            .for_each(|text| body.set(id, Json::text(text)));
        self.model
            .into_iter()
            .for_each(|text| body.set(model, Json::text(text)));
        let said =
            |role: &str, content| Json::object([("role", role.into()), (inner(api), content)]);
        match api {
            Api::Gemini => {
                let one = Json::object([
                    ("content", said("model", content)),
                    ("finishReason", "STOP".into()),
                ]);
                body.set("candidates", Json::list([one]));
                body.set("usageMetadata", usage);
            }
            Api::OpenaiChat => {
                let one = Json::object([
                    ("message", said("assistant", content)),
                    ("finish_reason", "stop".into()),
                ]);
                body.set("object", "chat.completion".into());
                body.set("choices", Json::list([one]));
                body.set("usage", usage);
            }
            Api::OpenaiResponses => {
                body.set("object", "response".into());
                body.set("status", "completed".into());
                body.set("output", Json::list([said("assistant", content)]));
                body.set("usage", usage);
            }
            Api::AnthropicMessages | Api::BedrockConverse => {
                body.set("type", "message".into());
                body.set("role", "assistant".into());
                body.set("content", content);
                body.set("stop_reason", "end_turn".into());
                body.set("usage", usage);
            }
        }
        body.canonical()
    }
}

impl Counts {
    /// The usage, with the fields that are known.
    fn usage(self, api: Api) -> Json {
        let cached = self
            .read
            .unwrap_or(0)
            .saturating_add(self.written.unwrap_or(0));
        let fresh = self.input.map(|input| input.saturating_sub(cached));
        let output = self.output;
        let said = output.zip(self.thought);
        let said = said.map(|(all, thought)| all.saturating_sub(thought));
        let fields: &[(&[&str], Option<u64>)] = match api {
            Api::AnthropicMessages | Api::BedrockConverse => &[
                (&["input_tokens"], fresh),
                (&["cache_read_input_tokens"], self.read),
                (&["cache_creation_input_tokens"], self.written),
                (
                    &["cache_creation", "ephemeral_5m_input_tokens"],
                    self.lives[0],
                ),
                (
                    &["cache_creation", "ephemeral_1h_input_tokens"],
                    self.lives[1],
                ),
                (&["output_tokens"], output),
            ],
            Api::OpenaiChat => &[
                (&["prompt_tokens"], self.input),
                (&["completion_tokens"], output),
                (&["prompt_tokens_details", "cached_tokens"], self.read),
                (
                    &["prompt_tokens_details", "cache_write_tokens"],
                    self.written,
                ),
                (
                    &["completion_tokens_details", "reasoning_tokens"],
                    self.thought,
                ),
            ],
            Api::OpenaiResponses => &[
                (&["input_tokens"], self.input),
                (&["output_tokens"], output),
                (&["input_tokens_details", "cached_tokens"], self.read),
                (
                    &["input_tokens_details", "cache_write_tokens"],
                    self.written,
                ),
                (&["output_tokens_details", "reasoning_tokens"], self.thought),
            ],
            Api::Gemini => &[
                (&["promptTokenCount"], self.input),
                (&["cachedContentTokenCount"], self.read),
                (&["candidatesTokenCount"], said.or(output)),
                (&["thoughtsTokenCount"], self.thought),
            ],
        };
        let mut usage = Json::object([]);
        for (path, count) in fields {
            let Some(count) = count else { continue };
            let count = Json::Number((*count).into());
            match path {
                [name] => usage.set(name, count),
                [outer, name] => {
                    let mut inside = usage.get(outer).cloned().unwrap_or(Json::object([]));
                    inside.set(name, count);
                    usage.set(outer, inside);
                }
                _ => {}
            }
        }
        usage
    }
}
