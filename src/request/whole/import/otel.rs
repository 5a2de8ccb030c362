//! Spans of OpenTelemetry about calls of models (`gen_ai.*`), as its collectors and file exporters write them: JSON lines of OTLP.
//!
//! Seen in real spans of the Python instrumentations of openai, anthropic and google-genai 1.3b0, openai-v2 2.4b0, traceloop's 0.62.4 and of the SDK
//! of Anthropic 2.14.0, which were compared with the recorded bodies. The rules:
//! - A call is a span whose `gen_ai.operation.name` is one of [`CALLS`]; those of agents and tools around it have no bill of their own.
//! - The SDK and an instrumentation may write a span each of one call: both name the id of the answer.
//! - The input tokens are all of them, with what was read from a cache and written to one.
//! - Content is there if its capture was switched on: JSON in a text, or a structured value. It has neither breakpoints nor signatures. What writes
//!   content writes the system prompt too, if there is one; the definitions of tools some leave out.
//! - A call that was tried again is one span. Without `gen_ai.conversation.id` the trace is the conversation.

use super::told::{Counts, ToldAnswer, ToldMessage, ToldRequest, text, url};
use super::{ImportResult, Json, Members};
use crate::request::whole::api::Api;
use crate::request::whole::log::{Body, Exchange, Lack};
use jiff::{SignedDuration, Timestamp};

/// The operations that are calls of a model.
const CALLS: [&str; 3] = ["chat", "generate_content", "text_completion"];

const NO_CALL: &str = "a span of no call of a model";

pub(super) fn read(line: &Members<'_>, each: &mut dyn FnMut(ImportResult)) {
    let Some(Json::List(resources)) = line.value("resourceSpans") else {
        return each(Err("a line of OpenTelemetry without spans"));
    };
    let inner = |of: &Json, key: &str| {
        of.get(key)
            .map(|list| list.items().to_vec())
            .unwrap_or_default()
    };
    let scopes = resources.iter().flat_map(|of| inner(of, "scopeSpans"));
    for span in scopes.flat_map(|of| inner(&of, "spans")) {
        let span = Span::of(&span);
        let is_call = span.text("gen_ai.operation.name");
        let is_call = is_call.is_some_and(|name| CALLS.contains(&name));
        each(if is_call {
            Ok(span.exchange())
        } else {
            Err(NO_CALL)
        });
    }
}

/// A span with its attributes.
struct Span<'a> {
    span: &'a Json,
    attributes: Json,
}

impl<'a> Span<'a> {
    fn of(span: &'a Json) -> Self {
        Self {
            span,
            attributes: members(span.get("attributes").unwrap_or(&Json::Null)),
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).and_then(Json::as_text)
    }

    fn count(&self, names: &[&str]) -> Option<u64> {
        names
            .iter()
            .find_map(|name| match self.attributes.get(name)? {
                Json::Number(number) => number.as_u64(),
                _ => None,
            })
    }

    /// The items of a content: a list, or a text with its JSON.
    fn content(&self, name: &str) -> Option<Vec<Json>> {
        match self.attributes.get(name)? {
            Json::Text(text) => match Json::read(text)? {
                Json::List(items) => Some(items.to_vec()),
                _ => None,
            },
            Json::List(items) => Some(items.to_vec()),
            _ => None,
        }
    }

    fn api(&self) -> Api {
        let provider = self
            .text("gen_ai.provider.name")
            .or(self.text("gen_ai.system"));
        let provider = provider.unwrap_or_default();
        let is_responses = self.text("openai.api.type") == Some("responses");
        let asked = self.text("gen_ai.request.model").unwrap_or_default();
        match provider {
            "anthropic" => Api::AnthropicMessages,
            _ if asked.contains("claude") => Api::AnthropicMessages,
            _ if provider.contains("gemini") || provider.contains("vertex") => Api::Gemini,
            _ if is_responses => Api::OpenaiResponses,
            _ => Api::OpenaiChat,
        }
    }

    /// When it began, and the first of its answer came.
    fn times(&self) -> [Option<Timestamp>; 2] {
        let nanoseconds = match self.span.get("startTimeUnixNano") {
            Some(Json::Text(text)) => text.parse::<i128>().ok(),
            Some(Json::Number(number)) => number.as_u64().map(i128::from),
            _ => None,
        };
        let start = nanoseconds.and_then(|at| Timestamp::from_nanosecond(at).ok());
        let seconds = match self.attributes.get("gen_ai.response.time_to_first_chunk") {
            Some(Json::Number(number)) => number.as_f64(),
            _ => None,
        };
        let first = seconds.and_then(|seconds| SignedDuration::try_from_secs_f64(seconds).ok());
        let begun = start
            .zip(first)
            .and_then(|(start, first)| start.checked_add(first).ok());
        [start, begun]
    }

    fn counts(&self) -> Counts {
        let usage = |name: &str| format!("gen_ai.usage.{name}");
        let [input, output, read, written, created, thought, thought_too] = [
            "input_tokens",
            "output_tokens",
            "cache_read.input_tokens",
            "cache_write.input_tokens",
            "cache_creation.input_tokens",
            "reasoning.output_tokens",
            "reasoning_tokens",
        ]
        .map(usage);
        let lives = ["5m", "1h"].map(|ttl| {
            let name = format!("anthropic.usage.cache_creation.ephemeral_{ttl}_input_tokens");
            self.count(&[&name])
        });
        let [read, written] = [self.count(&[&read]), self.count(&[&written, &created])];
        let cached = [read, written].into_iter().flatten();
        let cached = cached.fold(0, u64::saturating_add);
        // A writer that counts less than these has not counted them.
        let all = |input: u64| {
            if input < cached {
                input.saturating_add(cached)
            } else {
                input
            }
        };
        Counts {
            input: self.count(&[&input]).map(all),
            read,
            written,
            lives,
            output: self.count(&[&output]),
            thought: self.count(&[&thought, &thought_too]),
        }
    }

    fn exchange(&self) -> Exchange {
        let api = self.api();
        let asked = self.text("gen_ai.request.model");
        let ran = self.text("gen_ai.response.model");
        let messages = self.content("gen_ai.input.messages");
        let tools = self.content("gen_ai.tool.definitions");
        let system = self
            .content("gen_ai.system_instructions")
            .unwrap_or_default();
        let lack = match (&messages, &tools) {
            (None, _) => vec![Lack::Messages, Lack::SystemAndTools],
            (Some(_), None) => vec![Lack::Tools],
            (Some(_), Some(_)) => vec![Lack::Settings],
        };
        let counts = self.counts();
        let has_failed = match self.span.at(&["status", "code"]) {
            Some(Json::Number(code)) => code.as_u64() == Some(2),
            Some(Json::Text(code)) => &**code == "STATUS_CODE_ERROR",
            _ => false,
        };
        let is_failed = has_failed && counts.input.is_none();
        let messages: Vec<ToldMessage> = said(api, &messages.unwrap_or_default());
        let request = ToldRequest {
            model: asked.or(ran).unwrap_or_default(),
            system: system
                .iter()
                .map(|part| block(api, "system", part))
                .collect(),
            tools: tools.unwrap_or_default(),
            messages: &messages,
        };
        let output = said(
            api,
            &self.content("gen_ai.output.messages").unwrap_or_default(),
        );
        let response = self.text("gen_ai.response.id").map(str::to_owned);
        let answer = ToldAnswer {
            id: response.clone(),
            model: ran.map(str::to_owned),
            blocks: output
                .into_iter()
                .next()
                .map(|first| first.blocks)
                .unwrap_or_default(),
            counts,
        };
        let [time, begun] = self.times();
        let url = url(api, request.model);
        let trace = self.span.get("traceId").and_then(Json::as_text);
        let conversation = self.text("gen_ai.conversation.id").or(trace);
        let mut lacks = lack;
        lacks.extend((!is_failed && counts.input.is_none()).then_some(Lack::Usage));
        Exchange {
            body: Body::Text(request.body(api)),
            url: Some(url),
            time,
            begun,
            response: Some(answer.reply(api, is_failed)),
            conversation: conversation.map(str::to_owned),
            request_id: response,
            lacks,
            ..Exchange::default()
        }
    }
}

/// Messages, as the API has them.
fn said(api: Api, messages: &[Json]) -> Vec<ToldMessage> {
    let message = |message: &Json| {
        let role = message
            .get("role")
            .and_then(Json::as_text)
            .unwrap_or("user");
        let parts = message.get("parts").map(Json::items).unwrap_or_default();
        ToldMessage {
            role: role.to_owned(),
            blocks: parts.iter().map(|part| block(api, role, part)).collect(),
        }
    };
    messages.iter().map(message).collect()
}

/// A part: of a text that of the API, else as it was recorded.
fn block(api: Api, role: &str, part: &Json) -> Json {
    let is_text = part.get("type").and_then(Json::as_text) == Some("text");
    let content = part.get("content").and_then(Json::as_text);
    match content.filter(|_| is_text) {
        Some(content) => text(api, role, content),
        None => part.clone().sorted(),
    }
}

/// The attributes of a list, as an object.
fn members(list: &Json) -> Json {
    let pairs = list.items().iter().filter_map(|pair| {
        let key = pair.get("key").and_then(Json::as_text)?;
        Some((key, value(pair.get("value")?)))
    });
    Json::object(pairs)
}

/// A value of an attribute. Whole numbers are written as numbers or as texts.
fn value(any: &Json) -> Json {
    let Json::Object(kinds) = any else {
        return Json::Null;
    };
    let Some((kind, value_of)) = kinds.first() else {
        return Json::Null;
    };
    match (&**kind, value_of) {
        ("intValue", Json::Text(text)) => text
            .parse::<i64>()
            .map_or(Json::Null, |n| Json::Number(n.into())),
        ("arrayValue", list) => {
            let items = list.get("values").map(Json::items).unwrap_or_default();
            Json::list(items.iter().map(value))
        }
        ("kvlistValue", list) => members(list.get("values").unwrap_or(&Json::Null)),
        (_, plain) => plain.clone(),
    }
}
