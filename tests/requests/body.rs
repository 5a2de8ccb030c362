//! How the APIs write a request down.

use crate::json::{J, Spelling, obj, with};
use crate::model::{Api, Block, Full, Mark, Msg, NUMBERS, Tool, Ttl};
use crate::random::Random;

pub(crate) fn tool(api: Api, t: &Tool) -> J {
    let props = t.props.iter().map(|p| {
        let mut j = obj! { "type": p.kind, "description": &p.about };
        if let Some(n) = p.min {
            j.push("minimum", J::Spelt(NUMBERS[n]));
        }
        (p.name.clone(), j)
    });
    let required: Vec<J> = t
        .props
        .first()
        .map(|p| J::from(&p.name))
        .into_iter()
        .collect();
    let schema =
        obj! { "type": "object", "properties": J::Obj(props.collect()), "required": required };
    match api {
        Api::Anthropic | Api::Invoke => {
            obj! { "name": &t.name, "description": &t.about, "input_schema": schema }
        }
        Api::Chat => obj! { "type": "function", "function":
        obj! { "name": &t.name, "description": &t.about, "parameters": schema } },
        Api::Responses => {
            obj! { "type": "function", "name": &t.name, "description": &t.about, "parameters": schema }
        }
        Api::Gemini => obj! { "name": &t.name, "description": &t.about, "parameters": schema },
        Api::Converse => obj! { "toolSpec":
        obj! { "name": &t.name, "description": &t.about, "inputSchema": obj! { "json": schema } } },
    }
}

fn text(api: Api, role: &str, t: &str) -> J {
    match api {
        Api::Anthropic | Api::Invoke | Api::Chat => obj! { "type": "text", "text": t },
        Api::Responses if role == "assistant" => {
            obj! { "type": "output_text", "text": t, "annotations": Vec::new() }
        }
        Api::Responses => obj! { "type": "input_text", "text": t },
        Api::Gemini | Api::Converse => obj! { "text": t },
    }
}

/// The choices of a writer that are no change.
pub(crate) struct Style {
    pub(crate) spelling: Spelling,
    pub(crate) strings: bool,
    pub(crate) split: bool,
    pub(crate) blank: bool,
    pub(crate) explicit: bool,
    pub(crate) empty: bool,
    pub(crate) bill: bool,
    /// Fields that are no settings.
    pub(crate) noise: bool,
}

impl Style {
    pub(crate) fn draw(r: &mut Random, bill: bool) -> Self {
        Self {
            spelling: Spelling::draw(r),
            strings: r.one_in(2) && with("strings"),
            split: r.one_in(3) && with("split"),
            blank: r.one_in(2) && with("blank"),
            explicit: r.one_in(2) && with("explicit"),
            empty: r.one_in(2) && with("empty"),
            bill: bill && !r.one_in(4) && with("bill"),
            noise: r.one_in(2) && with("noise"),
        }
    }
}

pub(crate) fn block(api: Api, role: &str, b: &Block, style: &mut Style) -> J {
    match b {
        Block::Text(t) => text(api, role, t),
        Block::Thinking { text, signature } if api == Api::Converse => {
            obj! { "reasoningContent": obj! { "reasoningText": obj! { "text": text, "signature": signature } } }
        }
        Block::Thinking { text, signature } => {
            let said = if style.blank {
                *style.spelling.r.pick(&["", "<REDACTED>"])
            } else {
                text
            };
            obj! { "type": "thinking", "thinking": said, "signature": signature }
        }
        Block::Call { id, name, input } => match api {
            Api::Anthropic | Api::Invoke => {
                obj! { "type": "tool_use", "id": id, "name": name, "input": input.clone() }
            }
            Api::Chat => {
                obj! { "id": id, "type": "function", "function": obj! { "name": name, "arguments": input.plain() } }
            }
            Api::Responses => {
                obj! { "type": "function_call", "call_id": id, "name": name, "arguments": input.plain() }
            }
            Api::Gemini => obj! { "functionCall": obj! { "name": name, "args": input.clone() } },
            Api::Converse => {
                obj! { "toolUse": obj! { "toolUseId": id, "name": name, "input": input.clone() } }
            }
        },
        Block::Outcome { id, name, text: t } => match api {
            Api::Anthropic | Api::Invoke if style.strings && style.spelling.r.one_in(2) => {
                obj! { "type": "tool_result", "tool_use_id": id, "content": t }
            }
            Api::Anthropic | Api::Invoke => {
                obj! { "type": "tool_result", "tool_use_id": id, "content": vec![text(api, role, t)] }
            }
            Api::Chat => obj! { "role": "tool", "tool_call_id": id, "content": t },
            Api::Responses => obj! { "type": "function_call_output", "call_id": id, "output": t },
            Api::Gemini => {
                obj! { "functionResponse": obj! { "name": name, "response": obj! { "result": t } } }
            }
            Api::Converse => {
                obj! { "toolResult": obj! { "toolUseId": id, "content": vec![text(api, role, t)] } }
            }
        },
    }
}

/// One message, which some APIs may write as several; `list` is whether its text may not stand in place of its blocks.
fn message(api: Api, m: &Msg, mark: Option<Ttl>, list: bool, style: &mut Style) -> Vec<J> {
    let mut blocks: Vec<J> = m
        .blocks
        .iter()
        .map(|b| block(api, m.role, b, style))
        .collect();
    match api {
        Api::Chat if m.role == "tool" => return blocks,
        Api::Responses if !matches!(m.blocks[0], Block::Text(_)) => {
            if let Some(id) = &m.item {
                blocks[0].push("id", id);
                blocks[0].push("status", "completed");
            }
            return blocks;
        }
        Api::Gemini => return vec![obj! { "role": m.role, "parts": blocks }],
        _ => {}
    }
    let string = match (&m.blocks[..], mark) {
        ([Block::Text(t)], None) if !list && style.strings && style.spelling.r.one_in(2) => {
            Some(J::from(t))
        }
        _ => None,
    };
    match api {
        Api::Chat => vec![chat_message(m, &blocks, string)],
        Api::Responses => vec![responses_message(m, blocks, string)],
        _ => match string.filter(|_| api != Api::Converse) {
            Some(s) => vec![obj! { "role": m.role, "content": s }],
            None => marked_message(api, m, blocks, mark, style),
        },
    }
}

fn chat_message(m: &Msg, blocks: &[J], string: Option<J>) -> J {
    let those = |is: fn(&Block) -> bool| -> Vec<J> {
        m.blocks
            .iter()
            .zip(blocks)
            .filter(|(b, _)| is(b))
            .map(|(_, j)| j.clone())
            .collect()
    };
    let calls = those(|b| matches!(b, Block::Call { .. }));
    let texts = those(|b| matches!(b, Block::Text(_)));
    let content = string.unwrap_or(if texts.is_empty() {
        J::Null
    } else {
        J::Arr(texts)
    });
    let mut j = obj! { "role": m.role, "content": content };
    if !calls.is_empty() {
        j.push("tool_calls", calls);
    }
    j
}

fn responses_message(m: &Msg, blocks: Vec<J>, string: Option<J>) -> J {
    let mut j = obj! { "type": "message", "role": m.role };
    match &m.item {
        Some(id) => {
            j.push("id", id);
            j.push("status", "completed");
            j.push("content", blocks);
        }
        None => j.push("content", string.unwrap_or(J::Arr(blocks))),
    }
    j
}

/// A message of an API with breakpoints, in one piece or in two.
fn marked_message(
    api: Api,
    m: &Msg,
    mut blocks: Vec<J>,
    mark: Option<Ttl>,
    style: &mut Style,
) -> Vec<J> {
    put_mark(api, &mut blocks, mark.map(Mark::at_end));
    if style.split && blocks.len() > 1 {
        let at = style.spelling.r.from(1, blocks.len() - 1);
        let tail = blocks.split_off(at);
        return vec![
            obj! { "role": m.role, "content": blocks },
            obj! { "role": m.role, "content": tail },
        ];
    }
    vec![obj! { "role": m.role, "content": blocks }]
}

/// A breakpoint after some blocks or tools.
fn put_mark(api: Api, blocks: &mut Vec<J>, mark: Option<Mark>) {
    let Some((mark, place)) = mark.and_then(|m| Some((m, m.place(blocks.len())?))) else {
        return;
    };
    let (key, value) = mark.ttl.mark(api);
    if api == Api::Converse {
        blocks.insert(place + 1, obj! { "cachePoint": value });
    } else {
        blocks[place].push(key, value);
    }
}

/// The parts of a body that are not in the model: which messages are left out, and what continues what.
#[derive(Clone, Default)]
pub(crate) struct Sent {
    /// Messages before this one are known from the request that is continued.
    pub(crate) from: usize,
    pub(crate) continues: Option<String>,
    pub(crate) creates: bool,
    /// Tools go into the first item of the input.
    pub(crate) lite: bool,
    /// The system prompt goes before the messages of the input.
    pub(crate) heads: bool,
    pub(crate) fields: Vec<(String, J)>,
    pub(crate) system_role: &'static str,
    /// Messages that are written as lists, by their ids.
    pub(crate) lists: Vec<u32>,
}

/// The body of a request.
pub(crate) fn body(api: Api, f: &Full, sent: &Sent, style: &mut Style) -> J {
    let mut tools: Vec<J> = f.tools.iter().map(|t| tool(api, t)).collect();
    put_mark(api, &mut tools, f.marks.tools);
    let mut messages: Vec<J> = Vec::new();
    for (i, m) in f.msgs.iter().enumerate().skip(sent.from) {
        let list = sent.lists.contains(&m.id);
        messages.extend(message(api, m, f.message_mark(i), list, style));
    }
    let mut j = match api {
        Api::Anthropic | Api::Invoke => claude_body(api, f, sent, style, tools, messages),
        Api::Chat => chat_body(f, sent, style, tools, messages),
        Api::Responses => responses_body(f, sent, style, tools, messages),
        Api::Gemini => gemini_body(f, style, tools, messages),
        Api::Converse => converse_body(f, style, tools, messages),
    };
    for (path, value) in &f.settings {
        j.set(path, value.clone());
    }
    // `high` is what Anthropic takes where nothing is written.
    if api.claude()
        && style.explicit
        && !f.settings.iter().any(|(p, _)| *p == "output_config.effort")
    {
        j.set("output_config.effort", J::from("high"));
    }
    for (k, v) in &sent.fields {
        j.push(k, v.clone());
    }
    if let (J::Obj(o), true) = (&mut j, style.noise) {
        let n = style.spelling.r.below(o.len());
        o.rotate_left(n);
    }
    j
}

/// The blocks of the system prompt.
fn system_blocks(api: Api, f: &Full) -> Vec<J> {
    let mut blocks: Vec<J> = f
        .system
        .iter()
        .map(|s| text(api, "system", &s.text))
        .collect();
    put_mark(api, &mut blocks, f.marks.system);
    blocks
}

fn claude_body(
    api: Api,
    f: &Full,
    sent: &Sent,
    style: &mut Style,
    tools: Vec<J>,
    messages: Vec<J>,
) -> J {
    let partial = sent.continues.is_some() && api == Api::Anthropic;
    let mut j = J::Obj(Vec::new());
    if api == Api::Anthropic {
        j.push("model", &f.model);
    } else {
        j.push("anthropic_version", "bedrock-2023-05-31");
    }
    let most = *style.spelling.r.pick(&[1024_i64, 4096, 64000]);
    j.push("max_tokens", most);
    if (!tools.is_empty() || style.empty) && !partial {
        j.push("tools", tools);
    }
    if let (Some(system), false) = (claude_system(api, f, style), partial) {
        j.push("system", system);
    }
    j.push("messages", messages);
    if let Some(ttl) = f.marks.top {
        let (key, value) = ttl.mark(api);
        j.push(key, value);
    }
    if sent.creates {
        j.push("thread", obj! { "type": "create" });
    }
    if let Some(id) = &sent.continues {
        j.push(
            "thread",
            obj! { "type": "continue", "previous_message_id": id },
        );
    }
    let r = &mut style.spelling.r;
    if style.noise {
        j.push("stream", r.one_in(2));
        j.push("temperature", J::Spelt(NUMBERS[2]));
        j.push("stop_sequences", vec![J::from(*r.pick(&["END", "STOP"]))]);
    }
    j
}

fn claude_system(api: Api, f: &Full, style: &mut Style) -> Option<J> {
    let mut blocks = system_blocks(api, f);
    if style.bill {
        let line = format!(
            "x-anthropic-billing-header: cc_version=2.1.300.a1b; cc_entrypoint=cli; cch={:05x};",
            style.spelling.r.below(1 << 20)
        );
        blocks.insert(0, text(api, "system", &line));
        return Some(J::Arr(blocks));
    }
    match &f.system[..] {
        [one] if style.strings && f.marks.system.is_none() => Some(J::from(&one.text)),
        [] if style.empty && style.strings => Some(J::from("")),
        [] => style.empty.then(|| J::Arr(Vec::new())),
        _ => Some(J::Arr(blocks)),
    }
}

fn chat_body(f: &Full, sent: &Sent, style: &mut Style, tools: Vec<J>, messages: Vec<J>) -> J {
    let mut j = obj! { "model": &f.model };
    if !tools.is_empty() || style.empty {
        j.push("tools", tools);
    }
    let mut all: Vec<J> = Vec::new();
    for s in &f.system {
        let content = if style.strings {
            J::from(&s.text)
        } else {
            J::Arr(vec![text(Api::Chat, "system", &s.text)])
        };
        all.push(obj! { "role": sent.system_role, "content": content });
    }
    all.extend(messages);
    j.push("messages", all);
    let r = &mut style.spelling.r;
    if style.noise {
        j.push("stream", r.one_in(2));
        j.push("max_completion_tokens", *r.pick(&[256_i64, 2048]));
        j.push("user", *r.pick(&["u1", "u2"]));
        j.push("stream_options", obj! { "include_usage": true });
    }
    j
}

fn responses_body(
    f: &Full,
    sent: &Sent,
    style: &mut Style,
    tools: Vec<J>,
    mut messages: Vec<J>,
) -> J {
    let mut j = obj! { "model": &f.model };
    let in_input = f.system.first().filter(|_| sent.heads);
    if let Some(s) = in_input {
        let content = if style.strings {
            J::from(&s.text)
        } else {
            J::Arr(vec![obj! { "type": "input_text", "text": &s.text }])
        };
        let mut first = obj! { "role": sent.system_role, "content": content };
        if style.explicit {
            first.push("type", "message");
        }
        messages.insert(0, first);
    }
    if sent.lite {
        if sent.continues.is_none() {
            messages.insert(
                0,
                obj! { "type": "additional_tools", "role": "developer", "tools": tools },
            );
        }
    } else if !tools.is_empty() || style.empty {
        j.push("tools", tools);
    }
    if let Some(s) = f.system.first().filter(|_| !sent.heads) {
        j.push("instructions", &s.text);
    } else if style.empty {
        j.push("instructions", "");
    }
    match (&f.msgs[sent.from..], &messages[..]) {
        (
            [
                Msg {
                    role: "user",
                    blocks,
                    ..
                },
            ],
            [_],
        ) if style.strings && !sent.lite && !sent.heads => match &blocks[..] {
            [Block::Text(t)] => j.push("input", t),
            _ => j.push("input", messages),
        },
        _ => j.push("input", messages),
    }
    if let Some(id) = &sent.continues {
        j.push("previous_response_id", id);
    }
    let r = &mut style.spelling.r;
    if style.noise {
        j.push("stream", r.one_in(2));
        j.push("max_output_tokens", *r.pick(&[256_i64, 2048]));
        j.push("store", true);
        j.push("truncation", "disabled");
    }
    j
}

fn gemini_body(f: &Full, style: &Style, tools: Vec<J>, messages: Vec<J>) -> J {
    let mut j = J::Obj(Vec::new());
    let parts = system_blocks(Api::Gemini, f);
    if !parts.is_empty() {
        j.push("systemInstruction", obj! { "parts": parts });
    }
    if !tools.is_empty() {
        j.push("tools", vec![obj! { "functionDeclarations": tools }]);
    } else if style.empty {
        j.push("tools", Vec::new());
    }
    j.push("contents", messages);
    if style.noise {
        j.push(
            "generationConfig",
            obj! { "temperature": J::Spelt(NUMBERS[2]), "maxOutputTokens": 200_i64 },
        );
    }
    j
}

fn converse_body(f: &Full, style: &mut Style, tools: Vec<J>, messages: Vec<J>) -> J {
    let mut j = J::Obj(Vec::new());
    if !tools.is_empty() {
        j.push("toolConfig", obj! { "tools": tools });
    }
    let system = system_blocks(Api::Converse, f);
    if !system.is_empty() || style.empty {
        j.push("system", system);
    }
    j.push("messages", messages);
    let r = &mut style.spelling.r;
    if style.noise {
        j.push(
            "inferenceConfig",
            obj! { "maxTokens": *r.pick(&[256_i64, 2048]) },
        );
        j.set(
            "additionalModelRequestFields.top_k",
            J::Int(*r.pick(&[1_i64, 2])),
        );
    }
    j
}
