//! A request of a log as a line of whole bodies, for other tools: what `bodies` reads.
//!
//! Its parts are unchanged; only the text around them is written.

mod tree;
mod body;

use super::api::Api;
use super::host;
use super::log::Exchanged;
use super::log::line::{RequestLine, ResponseLine};
use super::part::Message;
use super::terms;
use crate::text::Json;
use tree::{Tree, list};

/// A request with its answer as a line, without its end.
#[must_use]
pub fn line(exchanged: &Exchanged) -> String {
    let (line, request) = (&exchanged.line, &exchanged.request);
    let answer = exchanged.answer.as_ref();
    let mut out = Tree::default();
    let text = |text: &str| Json::from(text).canonical();
    if let Some(time) = &line.time {
        out.set("time", text(&time.to_string()));
    }
    if let Some(begun) = answer.and_then(|answer| answer.begun) {
        out.set("begun", text(&begun.to_string()));
    }
    let url = url(line);
    let in_url = Api::model_of_url(&url).is_some_and(|model| model == line.model);
    out.set("url", text(&url));
    let status = answer.and_then(|answer| answer.status);
    if let Some(status) = status {
        out.set("status", status.to_string());
    }
    if !line.headers.is_empty() {
        let headers = line.headers.iter();
        let headers = headers.map(|(name, value)| (name.as_str(), Json::from(value.as_str())));
        out.set("headers", Json::object(headers).canonical());
    }
    // A chain without a conversation has the name of one.
    if line.conversation != line.chain {
        out.set("conversation", text(&line.conversation));
    }
    out.set("chain", text(&line.chain));
    if let Some(account) = &line.account {
        out.set("account", text(account));
    }
    // An id that says no more than the number is not of the request.
    if line.is_named || line.id != format!("r{}", line.number) {
        out.set("id", text(&line.id));
    }
    if let Some(agent) = line
        .agent
        .as_ref()
        .and_then(|agent| serde_json::to_string(agent).ok())
    {
        out.set("agent", agent);
    }
    if line.is_snapshot {
        out.set("snapshot", "true");
    } else if let Some(reason) = &line.incomplete {
        out.set("incomplete", text(reason));
    }
    out.set("request", body::body(request, &line.terms, in_url));
    if let Some(answer) = answer {
        out.set("response", response(line.api, answer, &exchanged.output));
    }
    out.written()
}

/// The receiver of a request, as far as it is known: the provider in the log, and the path of its API.
fn url(line: &RequestLine) -> String {
    let host = line.provider.as_deref().and_then(host::api).unwrap_or("");
    let model = line.model.replace(':', "%3A").replace('/', "%2F");
    let path = match line.api {
        Api::AnthropicMessages => "/v1/messages".to_owned(),
        Api::OpenaiChat => "/v1/chat/completions".to_owned(),
        Api::OpenaiResponses => "/v1/responses".to_owned(),
        Api::Gemini => format!("/v1beta/models/{model}:generateContent"),
        Api::BedrockConverse => format!("/model/{model}/converse"),
    };
    format!("{host}{path}")
}

/// An answer as a body of its API, as far as a log has it: that of Chat and of Gemini has no text.
fn response(api: Api, line: &ResponseLine, output: &[Message]) -> String {
    let mut out = Tree::default();
    let (id, usage) = match api {
        Api::Gemini => ("responseId", "usageMetadata"),
        _ => ("id", "usage"),
    };
    for (key, text) in [
        (id, &line.id),
        ("provider", &line.provider),
        ("model", &line.model),
    ] {
        if let Some(text) = text {
            out.set(key, Json::from(text.as_str()).canonical());
        }
    }
    let items = output
        .iter()
        .flat_map(|message| body::message(api, message));
    let mut items = items.peekable();
    match api {
        Api::AnthropicMessages => {
            out.set("type", "\"message\"");
            out.set("role", "\"assistant\"");
            let blocks = output.iter().flat_map(|message| &message.blocks);
            out.set("content", list(blocks.map(|part| part.raw.to_string())));
        }
        Api::OpenaiResponses => out.set("output", list(items)),
        Api::BedrockConverse if items.peek().is_some() => {
            out.set("output.message", items.next().unwrap_or_default());
        }
        Api::BedrockConverse | Api::OpenaiChat | Api::Gemini => {}
    }
    match line.state.as_str() {
        "error" => out.set("error", r#"{"type":"error"}"#),
        // Anthropic says so of what is still being written.
        "aborted" => out.set("stop_reason", "null"),
        _ => {}
    }
    for (term, value) in &line.terms {
        let path = terms::path(*term, api);
        out.set(path, Json::from(value.as_str()).canonical());
    }
    let diagnostics = match api {
        Api::AnthropicMessages => "diagnostics",
        _ => "prompt_cache_diagnostics",
    };
    for (key, value) in [
        (usage, &line.usage),
        ("context_management", &line.edits),
        (diagnostics, &line.diagnostics),
    ] {
        if let Some(value) = value {
            out.set(key, value.canonical());
        }
    }
    out.written()
}
