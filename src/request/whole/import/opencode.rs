//! Sessions of opencode, as `opencode export SESSION` writes them.
//!
//! Seen in real exports of 1.18.33 against a provider of ours, which recorded the bodies. The rules:
//! - An answer is a message of the assistant; it says its tokens: the input without cached ones, the output without what was thought.
//! - Its time is shortly before it was sent; its first step began when the first of the answer came, which the export leaves out.
//! - An answer with an error and no tokens was no call that was billed. One without any token, and without their total, broke off.
//! - After a compaction the summary, and what comes after it, is sent.
//! - There is neither a system prompt nor a tool. The API is not named: that of Anthropic is taken for its models, else Chat Completions. Titles and
//!   attempts that were made again have no entry. A fork has all messages again, with other ids.

use super::talk::Talk;
use super::told::{Counts, ToldAnswer, ToldMessage, text, url};
use super::{ImportResult, Json};
use crate::request::whole::api::Api;
use crate::request::whole::body::{BodyError, Sent, message_said};
use crate::request::whole::log::{Body, Exchange, Lack};
use jiff::Timestamp;
use std::sync::Arc;

pub(super) fn read(whole: &str, each: &mut dyn FnMut(usize, ImportResult)) {
    let Some(export) = Json::read(whole) else {
        return each(1, Err("an export that is not complete JSON"));
    };
    let named = |name: &str| export.at(&["info", name]).and_then(Json::as_text);
    let (session, parent) = (named("id"), named("parentID"));
    let mut before = Before::default();
    for message in export.get("messages").map(Json::items).unwrap_or_default() {
        let of = |path: &[&str]| message.at(path).and_then(Json::as_text);
        let parts = message.get("parts").map(Json::items).unwrap_or_default();
        let model = of(&["info", "modelID"]).unwrap_or_default();
        let provider = of(&["info", "providerID"]).unwrap_or_default();
        let is_anthropic = [model, provider].iter().any(|name| {
            let name = name.to_ascii_lowercase();
            name.contains("claude") || name.contains("anthropic")
        });
        let api = if is_anthropic {
            Api::AnthropicMessages
        } else {
            Api::OpenaiChat
        };
        if of(&["info", "role"]) == Some("assistant") {
            let mut exchange = exchange(message, (api, model), &mut before);
            exchange.conversation = parent.or(session).map(str::to_owned);
            exchange.chain = session.filter(|_| parent.is_some()).map(str::to_owned);
            each(1, Ok(exchange));
            if message.at(&["info", "summary"]) == Some(&Json::Bool(true)) {
                before = Before::default();
            }
        }
        before.said.extend(said(message, parts, api));
    }
}

/// What was said so far.
#[derive(Default)]
struct Before {
    said: Vec<ToldMessage>,
    /// As this API has it: the first messages, and how many they are.
    talk: Option<(Api, Talk, usize)>,
}

impl Before {
    /// A request with all that was said.
    fn sent(&mut self, api: Api, model: &str) -> Result<Sent, BodyError> {
        let known = self.talk.take().filter(|(of, ..)| *of == api);
        let (_, mut talk, from) = known.unwrap_or((api, Talk::default(), 0));
        for message in &self.said[from..] {
            let text = message.json(api).canonical();
            talk.add(message_said(api, &text).map(Arc::new));
        }
        let model = Json::from(model).canonical();
        let head = format!(r#"{{"model":{model},"messages":[]}}"#);
        let sent = talk.sent(Sent::read(&head, Some(&url(api, ""))));
        self.talk = Some((api, talk, self.said.len()));
        sent
    }
}

/// The messages of an entry: the results of tools are those of the user.
fn said(message: &Json, parts: &[Json], api: Api) -> Vec<ToldMessage> {
    let role = message
        .at(&["info", "role"])
        .and_then(Json::as_text)
        .unwrap_or("user");
    let (mut blocks, mut results) = (Vec::new(), Vec::new());
    for part in parts {
        let of = |path: &[&str]| part.at(path).and_then(Json::as_text);
        match of(&["type"]) {
            Some("text") => blocks.extend(of(&["text"]).map(|said| text(api, role, said))),
            Some("tool") => {
                let id = of(&["callID"]).unwrap_or_default();
                let input = part.at(&["state", "input"]).cloned().unwrap_or(Json::Null);
                let name = of(&["tool"]).unwrap_or_default();
                blocks.push(Json::object([
                    ("type", "tool_use".into()),
                    ("id", id.into()),
                    ("name", name.into()),
                    ("input", input),
                ]));
                let output = of(&["state", "output"]).or(of(&["state", "error"]));
                results.push(Json::object([
                    ("type", "tool_result".into()),
                    ("tool_use_id", id.into()),
                    ("content", output.unwrap_or_default().into()),
                ]));
            }
            _ => {}
        }
    }
    let of = |role: &str, blocks: Vec<Json>| ToldMessage {
        role: role.to_owned(),
        blocks,
    };
    let all = [of(role, blocks), of("user", results)].into_iter();
    all.filter(|message| !message.blocks.is_empty()).collect()
}

fn exchange(message: &Json, (api, model): (Api, &str), before: &mut Before) -> Exchange {
    let count = |path: &[&str]| message.at(path).and_then(count);
    let fresh = count(&["info", "tokens", "input"]);
    let [read, written] = ["read", "write"].map(|name| count(&["info", "tokens", "cache", name]));
    let thought = count(&["info", "tokens", "reasoning"]);
    let output = count(&["info", "tokens", "output"]);
    let counts = Counts {
        input: fresh.map(|fresh| {
            let cached = [read, written].into_iter().flatten();
            cached.fold(fresh, u64::saturating_add)
        }),
        read,
        written,
        output: output.map(|output| output.saturating_add(thought.unwrap_or(0))),
        thought,
        ..Counts::default()
    };
    let is_counted = counts.input.is_some_and(|input| input > 0);
    let is_failed = message.at(&["info", "error"]).is_some() && !is_counted;
    let of_message = message.at(&["info", "id"]).and_then(Json::as_text);
    let parts = message.get("parts").map(Json::items).unwrap_or_default();
    let answer = ToldAnswer {
        blocks: said(message, parts, api)
            .into_iter()
            .next()
            .map_or(Vec::new(), |said| said.blocks),
        counts: if is_counted {
            counts
        } else {
            Counts::default()
        },
        ..ToldAnswer::default()
    };
    let mut lacks = vec![Lack::SystemAndTools];
    lacks.extend((!is_counted && !is_failed).then_some(Lack::Usage));
    Exchange {
        body: Body::Read(before.sent(api, model).map(Box::new)),
        url: Some(url(api, model)),
        time: count(&["info", "time", "created"])
            .and_then(|ms| Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()),
        response: Some(answer.reply(api, is_failed)),
        // A fork has it again with another id of its own.
        id: copied(message).or_else(|| of_message.map(str::to_owned)),
        lacks,
        ..Exchange::default()
    }
}

/// What an answer and its copy in a fork have in common.
fn copied(message: &Json) -> Option<String> {
    let of = |path: &[&str]| message.at(path).map(Json::canonical);
    let [from, to] = ["created", "completed"].map(|name| of(&["info", "time", name]));
    Some(format!(
        "{}-{}-{}",
        from?,
        to?,
        of(&["info", "tokens", "total"])?
    ))
}

fn count(value: &Json) -> Option<u64> {
    match value {
        Json::Number(number) => number.as_u64(),
        _ => None,
    }
}
