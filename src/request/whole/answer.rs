//! A provider's answer: its id, the output, the bill and the reported miss.

use super::api::Api;
use super::body::message_said;
use super::members::Members;
use super::part::{Message, Part};
use super::said::Said;
use super::terms::{self, Terms};
use crate::text::Json;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The state of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerState {
    /// It came to its end.
    Whole,
    /// It broke off.
    #[default]
    Aborted,
    /// The provider refused.
    Error,
}

impl AnswerState {
    /// Its name in a log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Aborted => "aborted",
            Self::Error => "error",
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Its id.
    pub id: Option<String>,
    /// The messages that it wrote, as the next request would hold them.
    pub output: Vec<Arc<Said>>,
    /// Its state.
    pub state: AnswerState,
    /// The usage, as it was sent.
    pub usage: Option<Json>,
    /// What it names that changes its prices, besides what is in its usage.
    pub terms: Terms,
    /// The provider's own diagnosis, as it was sent.
    pub diagnostics: Option<Json>,
    /// The server's own edits, as they were sent.
    pub edits: Option<Json>,
    /// The provider, if a router chose it.
    pub provider: Option<String>,
    /// The model that made it.
    pub model: Option<String>,
}

impl Answer {
    /// Whether its provider did not process the request.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.state == AnswerState::Error && self.usage.is_none()
    }

    /// Reads an answer: the JSON body, or the text of an event stream. None if it is neither.
    #[must_use]
    pub fn read(text: &str, api: Api) -> Option<Self> {
        match text.trim_start().chars().next() {
            Some('{') => Self::of_body(text, api),
            // Gemini streams a list of chunks without `alt=sse`.
            Some('[') => Self::of_events(super::members::list(text)?, api),
            _ => {
                let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
                Self::of_events(data.map(str::trim_start).collect(), api)
            }
        }
    }

    fn of_body(text: &str, api: Api) -> Option<Self> {
        let body = Members::read(text)?;
        let value = |key: &str| body.value(key).filter(|v| !v.is_empty());
        let mut answer = Self {
            // Azure begins a stream with a chunk whose id is empty.
            id: (body.text("id").or(body.text("responseId"))).filter(|id| !id.is_empty()),
            usage: value("usage")
                .or(value("usageMetadata"))
                .or_else(|| usage_of_choice(&body)),
            state: match (value("error"), body.get("stop_reason")) {
                (Some(_), _) => AnswerState::Error,
                // Anthropic says so of what is still being written.
                (None, Some("null")) => AnswerState::Aborted,
                (None, _) => AnswerState::Whole,
            },
            terms: terms::of_answer(&body),
            edits: value("context_management"),
            diagnostics: value("diagnostics").or(value("prompt_cache_diagnostics")),
            provider: body.text("provider"),
            model: body.text("model").or(body.text("modelVersion")),
            ..Self::default()
        };
        answer.output = match api {
            Api::AnthropicMessages => written(&body, "content", "assistant")?,
            Api::BedrockConverse => match body.get("output").and_then(Members::read) {
                Some(output) => match output.get("message").and_then(Members::read) {
                    Some(message) => written(&message, "content", "assistant")?,
                    None => Vec::new(),
                },
                None => Vec::new(),
            },
            Api::OpenaiResponses => {
                let items = body.list("output");
                let all = items
                    .into_iter()
                    .map(|item| message_said(Api::OpenaiResponses, item).map(Arc::new));
                all.collect::<Option<_>>()?
            }
            // The next request holds the whole text again.
            Api::OpenaiChat | Api::Gemini => Vec::new(),
        };
        Some(answer)
    }

    fn of_events(events: Vec<&str>, api: Api) -> Option<Self> {
        let mut stream = Stream::default();
        for data in events {
            if data == "[DONE]" {
                stream.answer.state = AnswerState::Whole;
            } else if let Some(event) = Members::read(data) {
                stream.seen = true;
                stream.event(&event, data, api);
            }
        }
        stream.seen.then(|| stream.finish())
    }
}

/// The usage in the first choice, where Kimi's streams have it.
fn usage_of_choice(body: &Members<'_>) -> Option<Json> {
    let choices = body.list("choices");
    let choice = Members::read(choices.first()?)?;
    choice.value("usage").filter(|usage| !usage.is_empty())
}

/// Whether a chunk of Gemini is the last one: it says why the answer stopped, or why there is none.
fn ends(chunk: &Members<'_>) -> bool {
    let candidates = chunk.list("candidates").into_iter();
    let mut candidates = candidates.filter_map(Members::read);
    let is_blocked = chunk.value("promptFeedback");
    is_blocked.is_some_and(|feedback| feedback.get("blockReason").is_some())
        || candidates.any(|candidate| candidate.text("finishReason").is_some())
}

/// An event stream, put together.
#[derive(Default)]
struct Stream {
    answer: Answer,
    /// The blocks of Anthropic, by their index.
    blocks: BTreeMap<u64, Growing>,
    /// The finished items of OpenAI: the last event of an answer that is not stored lacks them.
    items: Vec<Arc<Said>>,
    seen: bool,
}

impl Stream {
    fn event(&mut self, event: &Members<'_>, data: &str, api: Api) {
        match (api, event.text("type").as_deref()) {
            (
                Api::OpenaiResponses,
                Some("response.completed" | "response.incomplete" | "response.done"),
            ) => {
                let whole = event.get("response").and_then(|r| Answer::of_body(r, api));
                self.answer = whole.unwrap_or_default();
            }
            (Api::OpenaiResponses, Some("response.output_item.done")) => {
                let item = event
                    .get("item")
                    .and_then(|item| message_said(Api::OpenaiResponses, item));
                self.items.extend(item.map(Arc::new));
            }
            (Api::OpenaiResponses, Some("response.failed" | "error")) => {
                self.answer.state = AnswerState::Error;
            }
            (Api::OpenaiResponses, _) => {}
            (Api::AnthropicMessages, Some("message_start")) => {
                if let Some(message) = event.get("message")
                    && let Some(start) = Answer::of_body(message, api)
                {
                    self.answer = Answer {
                        state: AnswerState::Aborted,
                        output: Vec::new(),
                        ..start
                    };
                }
            }
            (Api::AnthropicMessages, Some("content_block_start")) => {
                if let (Some(index), Some(start @ Json::Object(_))) =
                    (index(event), event.value("content_block"))
                {
                    let texts = Vec::new();
                    self.blocks.insert(index, Growing { start, texts });
                }
            }
            (Api::AnthropicMessages, Some("content_block_delta")) => {
                if let (Some(index), Some(delta)) = (index(event), event.value("delta"))
                    && let Some(block) = self.blocks.get_mut(&index)
                {
                    block.grow(&delta);
                }
            }
            (Api::AnthropicMessages, Some("message_delta")) => self.delta(event),
            (Api::AnthropicMessages, Some("message_stop")) => {
                self.answer.state = AnswerState::Whole;
            }
            (Api::AnthropicMessages, Some("error")) => self.answer.state = AnswerState::Error,
            (Api::AnthropicMessages, _) => {}
            (Api::OpenaiChat | Api::Gemini | Api::BedrockConverse, _) => {
                if let Some(chunk) = Answer::of_body(data, api) {
                    self.answer.id = self.answer.id.take().or(chunk.id);
                    self.answer.provider = self.answer.provider.take().or(chunk.provider);
                    self.answer.model = self.answer.model.take().or(chunk.model);
                    self.answer.terms.extend(chunk.terms);
                    // The last chunk that says what was billed is the one that counts.
                    self.answer.usage = chunk.usage.or(self.answer.usage.take());
                    let is_end = match api {
                        Api::Gemini => ends(event),
                        Api::OpenaiChat => false,
                        _ => true,
                    };
                    if is_end || chunk.state == AnswerState::Error {
                        self.answer.state = chunk.state;
                    }
                }
            }
        }
    }

    /// The end of an answer: it repeats the usage, and may lack fields of the start.
    fn delta(&mut self, event: &Members<'_>) {
        if let Some(Json::Object(more)) = event.value("usage") {
            let mut usage = match self.answer.usage.take() {
                Some(usage @ Json::Object(_)) => usage,
                _ => Json::object([]),
            };
            for (key, value) in more.iter().filter(|(_, v)| !v.is_null()) {
                usage.set(key, value.clone());
            }
            self.answer.usage = Some(usage);
        }
        let edits = event.value("context_management").filter(|v| !v.is_empty());
        self.answer.edits = edits.or(self.answer.edits.take());
    }

    fn finish(mut self) -> Answer {
        if !self.blocks.is_empty() {
            let blocks = self.blocks.into_values().map(|block| {
                let value = block.finish();
                Part::new(value.canonical(), &super::body::anthropic_key(value))
            });
            self.answer.output = vec![said("assistant", blocks.collect())];
        }
        if self.answer.output.is_empty() {
            self.answer.output = self.items;
        }
        self.answer
    }
}

fn index(event: &Members<'_>) -> Option<u64> {
    event.get("index")?.parse().ok()
}

/// A block of Anthropic that is being put together.
struct Growing {
    /// As it began.
    start: Json,
    /// Its members that grow, in the order in which they began to.
    texts: Vec<(&'static str, String)>,
}

/// The input of a tool as text: it comes in pieces, and counts once it is whole.
const INPUT: &str = "_json";

impl Growing {
    /// Adds what an event brings.
    fn grow(&mut self, delta: &Json) {
        let more = |key| delta.get(key).and_then(Json::as_text);
        for key in ["text", "thinking", "signature"] {
            if let Some(more) = more(key) {
                self.add(key, more);
            }
        }
        if let Some(more) = more("partial_json")
            && let Some(input) = Json::read(self.add(INPUT, more))
            && let Some(old) = self.start.get_mut("input")
        {
            *old = input;
        }
    }

    fn add(&mut self, key: &'static str, more: &str) -> &str {
        let known = self.texts.iter().position(|(k, _)| *k == key);
        let at = known.unwrap_or_else(|| {
            let first = self.start.get(key).and_then(Json::as_text);
            self.texts.push((key, first.unwrap_or_default().to_owned()));
            self.texts.len() - 1
        });
        let text = &mut self.texts[at].1;
        text.push_str(more);
        text
    }

    fn finish(self) -> Json {
        let mut block = self.start;
        for (key, text) in self.texts {
            block.set(key, Json::text(text));
        }
        if let Some(members) = block.members_mut() {
            members.retain(|(key, _)| &**key != INPUT);
        }
        block
    }
}

/// The message that an answer wrote.
fn written(body: &Members<'_>, key: &str, role: &str) -> Option<Vec<Arc<Said>>> {
    let blocks = body.list(key).into_iter().map(|text| {
        let value = Json::read(text)?;
        Some(Part::new(text, &super::body::anthropic_key(value)))
    });
    let blocks: Vec<Part> = blocks.collect::<Option<_>>()?;
    Some(if blocks.is_empty() {
        Vec::new()
    } else {
        vec![said(role, blocks)]
    })
}

fn said(role: &str, blocks: Vec<Part>) -> Arc<Said> {
    let message = Message {
        role: role.to_owned(),
        extra: String::new(),
        blocks,
    };
    Arc::new(Said::new(message, Vec::new()))
}

/// Who says why a cache was missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    /// The provider, in its answer.
    Provider,
    /// The program that sent the request.
    Client,
}

/// The reason for a miss in a diagnosis, such as `system_changed`, or why it has none, such as `unavailable`; none if nothing was missed. A client
/// may name several.
#[must_use]
pub fn reason(diagnostics: &Json) -> Option<(Judge, String)> {
    if let Some(causes) = diagnostics.get("causes") {
        let causes: Vec<&str> = causes.items().iter().filter_map(Json::as_text).collect();
        return Some((Judge::Client, causes.join(", ")));
    }
    let anthropic = diagnostics.at(&["cache_miss_reason", "type"]);
    let openai = ["reason", "type"].map(|name| diagnostics.get(name));
    let mut found = [anthropic].into_iter().chain(openai).flatten();
    let found = found.find_map(Json::as_text);
    found
        .filter(|found| *found != "cache_hit")
        .map(|found| (Judge::Provider, found.to_owned()))
}
