//! A request and its usage as a line of what was recorded.

use serde_json::{Value, json};

use crate::cache::Bill;
use crate::class::{Field, More, Rate};
use crate::parts::{Api, Kind, Part, Request, Ttl};
use crate::traffic::Event;

/// The line of a request that was billed.
pub(crate) fn line(e: &Event, number: usize, bill: &Bill, output: u64) -> Value {
    let r = &e.request;
    let mut out = recorded(r.api, r.model, body(r), number, usage(r.api, bill, output));
    if let Some(status) = e.more.failed {
        out["status"] = json!(status);
        out["response"] = refusal(r.api, status);
    } else {
        answered(&mut out["response"], r.api, &e.more, output);
    }
    asked(&mut out, e, number);
    if let Some(agent) = &e.agent {
        out["headers"]["x-claude-code-agent-id"] = json!(agent);
    }
    if !e.more.timeless {
        out["time"] = json!(time(e.time));
    }
    if e.more.account > 0 {
        out["account"] = json!(format!("tenant-{}", e.more.account));
    }
    if e.more.tells_begin && e.more.failed.is_none() {
        out["begun"] = json!(time(e.time + e.more.begins));
    }
    if !e.more.nameless {
        out["conversation"] = json!(e.conversation);
    }
    out
}

/// What a class adds to a body, and to what is known of it.
fn asked(out: &mut Value, e: &Event, number: usize) {
    if e.request.key > 0 {
        out["request"]["prompt_cache_key"] = json!(format!("key-{}", e.request.key));
    }
    if e.more.ids {
        out["id"] = json!(format!("request-{number}"));
    }
    match e.more.rate {
        Some(Rate::Fast) => out["request"]["speed"] = json!("fast"),
        Some(Rate::Us) => out["request"]["inference_geo"] = json!("us"),
        Some(r @ (Rate::Flex | Rate::Priority)) => {
            out["request"]["service_tier"] = json!(r.word());
        }
        Some(Rate::Batch) | None => {}
    }
}

/// What a class changes in an answer.
fn answered(response: &mut Value, api: Api, more: &More, output: u64) {
    match more.rate {
        Some(Rate::Fast) => response["usage"]["speed"] = json!("fast"),
        Some(Rate::Us) => response["usage"]["inference_geo"] = json!("us"),
        Some(Rate::Batch) => response["usage"]["service_tier"] = json!("batch"),
        Some(r) => response["service_tier"] = json!(r.word()),
        None => {}
    }
    if more.constant && response.get("id").is_some() {
        response["id"] = json!("answer");
    }
    let Some(field) = more.missing else { return };
    match field {
        Field::Stop => *response = Value::String(cut(response, output)),
        Field::Reason => response["stop_reason"] = Value::Null,
        Field::All => {
            if let Some(fields) = response.as_object_mut() {
                fields.remove("usage");
            }
        }
        _ => without(response, api, field),
    }
}

/// Takes a field from the usage of an answer.
fn without(response: &mut Value, api: Api, field: Field) {
    let Some(usage) = response["usage"].as_object_mut() else {
        return;
    };
    let gone: &[&str] = match (api, field) {
        (Api::Anthropic, Field::Write) => &["cache_creation_input_tokens", "cache_creation"],
        (Api::Anthropic, Field::Read) => &["cache_read_input_tokens"],
        (Api::Bedrock, Field::Write) => &["cacheWriteInputTokens", "cacheDetails"],
        (Api::Bedrock, Field::Read) => &["cacheReadInputTokens"],
        (Api::Chat, Field::Read) => &["prompt_tokens_details"],
        (Api::Responses, Field::Read) => &["input_tokens_details"],
        (Api::Anthropic | Api::Responses, Field::Output) => &["output_tokens"],
        (Api::Bedrock, Field::Output) => &["outputTokens"],
        (Api::Chat, Field::Output) => &["completion_tokens"],
        _ => &[],
    };
    usage.retain(|k, _| !gone.contains(&k.as_str()));
    if let Some(details) = usage.get_mut("prompt_tokens_details")
        && let (Field::Write, Some(details)) = (field, details.as_object_mut())
    {
        details.remove("cache_write_tokens");
    }
    // The sum would tell the field that is missing.
    if field == Field::Output {
        usage.remove("total_tokens");
        usage.remove("totalTokens");
    }
}

/// The stream of an answer that broke off: what it has is the usage of its start.
fn cut(response: &Value, output: u64) -> String {
    let mut message = response.clone();
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"]["output_tokens"] = json!(output.min(1));
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Ye"}}),
    ];
    let line = |e: &Value| {
        let name = e["type"].as_str().unwrap_or_default();
        format!("event: {name}\ndata: {e}\n\n")
    };
    events.iter().map(line).collect()
}

/// The bill and the output that an answer tells.
pub(crate) fn told(e: &Event, bill: &Bill, output: u64) -> (Bill, u64) {
    let mut told = *bill;
    let [_, read, five, hour, other] = bill.0;
    // The input of OpenAI has all tokens in it: what is not said to be read or written is fresh.
    let all = matches!(e.request.api, Api::Chat | Api::Responses);
    match e.more.missing {
        Some(Field::Write) => {
            told.0[2..].fill(0);
            told.0[0] += if all { five + hour + other } else { 0 };
        }
        Some(Field::Read) => {
            told.0[1] = 0;
            told.0[0] += if all { read } else { 0 };
        }
        Some(Field::All) => return (Bill::default(), 0),
        // What was thought is told, and a part of the output.
        Some(Field::Output) if e.request.api == Api::Responses => return (told, output / 3),
        Some(Field::Output) => return (told, 0),
        Some(Field::Stop) => return (told, output.min(1)),
        Some(Field::Reason) | None => {}
    }
    (told, output)
}

/// What a provider says to a request that it does not take.
fn refusal(api: Api, status: u16) -> Value {
    match (api, status) {
        // The connection broke.
        (_, 502) => Value::Null,
        (Api::Anthropic, _) => {
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
        }
        (Api::Bedrock, _) => json!({"message": "Too many requests"}),
        _ => {
            json!({"error": {"message": "Try again later.", "type": "server_error", "code": null}})
        }
    }
}

/// A body and its answer, without who sent it and when.
pub(crate) fn recorded(api: Api, model: &str, body: Value, number: usize, usage: Value) -> Value {
    json!({
        "url": url(api, model),
        "headers": {"content-type": "application/json"},
        "request": body,
        "response": answer(api, number, usage),
    })
}

/// A time in seconds since 1970, of 2026-11-21 or a later day of that month.
pub(crate) fn time(s: i64) -> String {
    let (day, rest) = (s.div_euclid(86_400), s.rem_euclid(86_400));
    let day = 21 + day - FIRST_DAY;
    assert!((21..=30).contains(&day), "another month");
    let (h, m, s) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("2026-11-{day}T{h:02}:{m:02}:{s:02}Z")
}

/// 2026-11-21, in days since 1970.
pub(crate) const FIRST_DAY: i64 = 1_795_219_200 / 86_400;

/// The day of a request as the program names it.
pub(crate) fn day(s: i64) -> String {
    time(s)[..10].to_owned()
}

fn url(api: Api, model: &str) -> String {
    match api {
        Api::Anthropic => "https://api.anthropic.com/v1/messages".to_owned(),
        Api::Chat if model.starts_with("deepseek") => {
            "https://api.deepseek.com/chat/completions".to_owned()
        }
        Api::Chat => "https://api.openai.com/v1/chat/completions".to_owned(),
        Api::Responses => "https://api.openai.com/v1/responses".to_owned(),
        Api::Bedrock => {
            format!("https://bedrock-runtime.us-east-1.amazonaws.com/model/{model}/converse")
        }
    }
}

/// The usage, in the fields of the API.
pub(crate) fn usage(api: Api, bill: &Bill, output: u64) -> Value {
    let [fresh, read, five, hour, other] = bill.0;
    let input = bill.input();
    match api {
        Api::Anthropic => json!({
            "input_tokens": fresh, "cache_read_input_tokens": read, "cache_creation_input_tokens": five + hour,
            "cache_creation": {"ephemeral_5m_input_tokens": five, "ephemeral_1h_input_tokens": hour}, "output_tokens": output,
        }),
        Api::Chat => json!({
            "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
            "prompt_tokens_details": details(read, other),
        }),
        Api::Responses => json!({
            "input_tokens": input, "input_tokens_details": details(read, other), "output_tokens": output,
            "output_tokens_details": {"reasoning_tokens": output / 3}, "total_tokens": input + output,
        }),
        Api::Bedrock => {
            let of = [("1h", hour), ("5m", five)];
            let of = of.iter().filter(|(_, n)| *n > 0);
            let details: Vec<_> = of
                .map(|(t, n)| json!({"ttl": t, "inputTokens": n}))
                .collect();
            json!({
                "inputTokens": fresh, "outputTokens": output, "totalTokens": fresh + output, "cacheReadInputTokens": read,
                "cacheWriteInputTokens": five + hour, "cacheDetails": details,
            })
        }
    }
}

/// OpenAI's fields about its cache. Only its newer models report writes.
fn details(read: u64, written: u64) -> Value {
    match written {
        0 => json!({"cached_tokens": read}),
        n => json!({"cached_tokens": read, "cache_write_tokens": n}),
    }
}

fn answer(api: Api, number: usize, usage: Value) -> Value {
    let id = format!("answer-{number}");
    match api {
        Api::Anthropic => {
            json!({"id": id, "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Yes."}], "usage": usage})
        }
        Api::Chat => {
            json!({"id": id, "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}], "usage": usage})
        }
        Api::Responses => {
            json!({"id": id, "object": "response", "status": "completed", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]}], "usage": usage})
        }
        Api::Bedrock => {
            json!({"output": {"message": {"role": "assistant", "content": [{"text": "Yes."}]}}, "stopReason": "end_turn", "usage": usage})
        }
    }
}

pub(crate) fn mark(api: Api, ttl: Ttl) -> Value {
    let kind = if api == Api::Bedrock {
        "default"
    } else {
        "ephemeral"
    };
    match ttl {
        Ttl::Hour => json!({"type": kind, "ttl": "1h"}),
        _ => json!({"type": kind}),
    }
}

/// Marks the last of some blocks.
fn marked(api: Api, blocks: &mut Vec<Value>, ttl: Option<Ttl>) {
    let Some(ttl) = ttl.filter(|_| api.marked()) else {
        return;
    };
    match (api, blocks.last_mut()) {
        (Api::Bedrock, Some(_)) => blocks.push(json!({"cachePoint": mark(api, ttl)})),
        (_, Some(last)) => last["cache_control"] = mark(api, ttl),
        _ => {}
    }
}

fn tool(api: Api, p: &Part) -> Value {
    let name = format!("tool_{}", p.id);
    let schema = json!({"type": "object", "properties": {"berth": {"type": "string"}}});
    match api {
        Api::Anthropic => json!({"name": name, "description": p.text, "input_schema": schema}),
        Api::Chat => {
            json!({"type": "function", "function": {"name": name, "description": p.text, "parameters": schema}})
        }
        Api::Responses => {
            json!({"type": "function", "name": name, "description": p.text, "parameters": schema})
        }
        Api::Bedrock => {
            json!({"toolSpec": {"name": name, "description": p.text, "inputSchema": {"json": schema}}})
        }
    }
}

/// The name of the call that an outcome is of.
fn call(p: &Part) -> String {
    format!("call_{}", p.id % OUTCOME)
}

/// The suffix of an outcome's id after that of its call.
pub(crate) const OUTCOME: u64 = 1_000_000_000;

fn block(api: Api, p: &Part) -> Value {
    if let (Kind::Picture, Some(picture)) = (p.kind, p.picture) {
        return picture.block(api);
    }
    // What a tool says, with what it shows.
    let shown = |text: Value| -> Vec<Value> {
        let picture = p.picture.map(|p| p.block(api));
        [text].into_iter().chain(picture).collect()
    };
    match (api, p.kind) {
        (Api::Bedrock, Kind::Call) => {
            json!({"toolUse": {"toolUseId": call(p), "name": "look", "input": {"berth": p.text}}})
        }
        (Api::Bedrock, Kind::Outcome) => {
            json!({"toolResult": {"toolUseId": call(p), "content": shown(json!({"text": p.text}))}})
        }
        (Api::Bedrock, _) => json!({"text": p.text}),
        (_, Kind::Call) => {
            json!({"type": "tool_use", "id": call(p), "name": "look", "input": {"berth": p.text}})
        }
        (_, Kind::Outcome) => {
            json!({"type": "tool_result", "tool_use_id": call(p), "content": shown(json!({"type": "text", "text": p.text}))})
        }
        _ => json!({"type": "text", "text": p.text}),
    }
}

fn body(r: &Request) -> Value {
    match r.api {
        Api::Anthropic | Api::Bedrock => blocks(r),
        Api::Chat => chat(r),
        Api::Responses => responses(r),
    }
}

fn blocks(r: &Request) -> Value {
    let api = r.api;
    let mut tools: Vec<Value> = r.tools.iter().map(|p| tool(api, p)).collect();
    marked(api, &mut tools, r.marks.tools);
    let mut system: Vec<Value> = r.system.iter().map(|p| block(api, p)).collect();
    marked(api, &mut system, r.marks.system);
    // The provider's own breakpoint, where no other is asked for.
    let m = r.marks;
    let own = api == Api::Anthropic && (m.tools, m.system, m.back) == (None, None, 0);
    let mut messages = Vec::new();
    for (n, said) in r.messages.iter().enumerate() {
        let mut content: Vec<Value> = said.parts.iter().map(|p| block(api, p)).collect();
        if n + 1 + m.back == r.messages.len() && !own {
            marked(api, &mut content, r.marks.last);
        }
        let role = if said.user { "user" } else { "assistant" };
        messages.push(json!({"role": role, "content": content}));
    }
    if api == Api::Bedrock {
        let mut config = json!({"tools": tools});
        if r.settings[2] > 0 {
            config["toolChoice"] = json!({"any": {}});
        }
        return json!({"toolConfig": config, "system": system, "messages": messages, "inferenceConfig": {"maxTokens": 900}});
    }
    let mut out = json!({"model": r.model, "max_tokens": 900, "tools": tools, "system": system, "messages": messages});
    if let Some(ttl) = r.marks.last.filter(|_| own) {
        out["cache_control"] = mark(api, ttl);
    }
    if r.is_fast() {
        out["speed"] = json!("fast");
    }
    if r.settings[2] > 0 {
        out["tool_choice"] = json!({"type": "any"});
    }
    out
}

fn chat(r: &Request) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    for p in &r.system {
        messages.push(json!({"role": "system", "content": p.text}));
    }
    for m in &r.messages {
        let of = |k: Kind| m.parts.iter().filter(move |p| p.kind == k);
        for p in of(Kind::Outcome) {
            messages.push(json!({"role": "tool", "tool_call_id": call(p), "content": p.text}));
        }
        let is_said = |p: &&Part| matches!(p.kind, Kind::Text | Kind::Picture);
        let texts: Vec<_> = m.parts.iter().filter(is_said).collect();
        let calls: Vec<Value> = of(Kind::Call)
            .map(|p| json!({"id": call(p), "type": "function", "function": {"name": "look", "arguments": json!({"berth": p.text}).to_string()}}))
            .collect();
        if texts.is_empty() && calls.is_empty() {
            continue;
        }
        let role = if m.user { "user" } else { "assistant" };
        let content = match texts.as_slice() {
            [] => Value::Null,
            [one] if one.picture.is_none() => json!(one.text),
            more => more.iter().map(|p| block(r.api, p)).collect(),
        };
        let mut message = json!({"role": role, "content": content});
        if !calls.is_empty() {
            message["tool_calls"] = json!(calls);
        }
        messages.push(message);
    }
    let tools: Vec<Value> = r.tools.iter().map(|p| tool(r.api, p)).collect();
    let mut out = json!({"model": r.model, "tools": tools, "messages": messages});
    if r.settings[0] > 0 {
        out["reasoning_effort"] = json!("high");
    }
    out
}

fn responses(r: &Request) -> Value {
    let mut input: Vec<Value> = Vec::new();
    for m in &r.messages {
        for p in &m.parts {
            input.push(match p.kind {
                Kind::Call => {
                    json!({"type": "function_call", "call_id": call(p), "name": "look", "arguments": json!({"berth": p.text}).to_string()})
                }
                Kind::Picture => {
                    json!({"type": "message", "role": "user", "content": [block(r.api, p)]})
                }
                Kind::Outcome if p.picture.is_some() => {
                    let picture = p.picture.map(|p| p.block(r.api));
                    json!({"type": "function_call_output", "call_id": call(p), "output": [{"type": "input_text", "text": p.text}, picture]})
                }
                Kind::Outcome => {
                    json!({"type": "function_call_output", "call_id": call(p), "output": p.text})
                }
                _ if m.user => {
                    json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": p.text}]})
                }
                _ => {
                    json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": p.text}]})
                }
            });
        }
    }
    let system: Vec<&str> = r.system.iter().map(|p| p.text.as_str()).collect();
    let tools: Vec<Value> = r.tools.iter().map(|p| tool(r.api, p)).collect();
    let mut out = json!({"model": r.model, "instructions": system.join("\n"), "tools": tools, "input": input});
    if r.settings[0] > 0 {
        out["reasoning"] = json!({"effort": "high"});
    }
    out
}
