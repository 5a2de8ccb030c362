//! What a request says, apart from how an API writes it down.

use crate::json::{J, Spelling, obj, with};
use crate::random::Random;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Api {
    Anthropic,
    /// A body of Anthropic in Bedrock.
    Invoke,
    Chat,
    Responses,
    Gemini,
    Converse,
}

impl Api {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anthropic | Self::Invoke => "anthropic-messages",
            Self::Chat => "openai-chat",
            Self::Responses => "openai-responses",
            Self::Gemini => "gemini",
            Self::Converse => "bedrock-converse",
        }
    }

    pub(crate) fn claude(self) -> bool {
        matches!(self, Self::Anthropic | Self::Invoke)
    }

    /// Whether messages in a row of the same role are one, and nothing is kept without a breakpoint.
    pub(crate) fn marked(self) -> bool {
        self.claude() || self == Self::Converse
    }

    /// Where the schema of a tool is in it, and its description.
    pub(crate) fn schema(self) -> (&'static str, &'static str) {
        match self {
            Self::Anthropic | Self::Invoke => ("input_schema", "description"),
            Self::Chat => ("function.parameters", "function.description"),
            Self::Responses | Self::Gemini => ("parameters", "description"),
            Self::Converse => ("toolSpec.inputSchema.json", "toolSpec.description"),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Prop {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) about: String,
    pub(crate) min: Option<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) props: Vec<Prop>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct System {
    pub(crate) id: u32,
    pub(crate) text: String,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Block {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Call {
        id: String,
        name: String,
        input: J,
    },
    Outcome {
        id: String,
        name: String,
        text: String,
    },
}

/// A message; one item of the Responses API. An edited message has another `id`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Msg {
    pub(crate) id: u32,
    pub(crate) role: &'static str,
    pub(crate) blocks: Vec<Block>,
    /// The id of an item that an answer held.
    pub(crate) item: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ttl {
    Unsaid,
    Minutes,
    Hour,
}

impl Ttl {
    pub(crate) fn seconds(self) -> i64 {
        if self == Self::Hour { 3600 } else { 300 }
    }

    fn mark(self, api: Api) -> (&'static str, J) {
        let mut mark = obj! { "type": if api == Api::Converse { "default" } else { "ephemeral" } };
        match self {
            Self::Unsaid => {}
            Self::Minutes => mark.push("ttl", "5m"),
            Self::Hour => mark.push("ttl", "1h"),
        }
        (
            if api == Api::Converse {
                "cachePoint"
            } else {
                "cache_control"
            },
            mark,
        )
    }
}

/// The breakpoints of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Marks {
    pub(crate) tools: Option<Ttl>,
    pub(crate) system: Option<Ttl>,
    pub(crate) last: Option<Ttl>,
    pub(crate) top: Option<Ttl>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Full {
    pub(crate) model: String,
    pub(crate) settings: Vec<(&'static str, J)>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) system: Vec<System>,
    pub(crate) msgs: Vec<Msg>,
    pub(crate) marks: Marks,
}

pub(crate) const NUMBERS: &[&[&str]] = &[
    &["1", "1.0", "1e0"],
    &["10", "10.0", "1e1", "1E+1"],
    &["0.5", "0.50", "5e-1"],
    &["2500", "2.5e3", "2500.0"],
];

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

/// One message, which some APIs may write as several.
fn message(api: Api, m: &Msg, mark: Option<Ttl>, style: &mut Style) -> Vec<J> {
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
        ([Block::Text(t)], None) if style.strings && style.spelling.r.one_in(2) => Some(J::from(t)),
        _ => None,
    };
    if api == Api::Chat {
        let calls: Vec<J> = m
            .blocks
            .iter()
            .zip(&blocks)
            .filter(|(b, _)| matches!(b, Block::Call { .. }))
            .map(|(_, j)| j.clone())
            .collect();
        let texts: Vec<J> = m
            .blocks
            .iter()
            .zip(&blocks)
            .filter(|(b, _)| matches!(b, Block::Text(_)))
            .map(|(_, j)| j.clone())
            .collect();
        let content = string.unwrap_or(if texts.is_empty() {
            J::Null
        } else {
            J::Arr(texts)
        });
        let mut j = obj! { "role": m.role, "content": content };
        if !calls.is_empty() {
            j.push("tool_calls", calls);
        }
        return vec![j];
    }
    if api == Api::Responses {
        let mut j = obj! { "type": "message", "role": m.role };
        match &m.item {
            Some(id) => {
                j.push("id", id);
                j.push("status", "completed");
                j.push("content", blocks);
            }
            None => j.push("content", string.unwrap_or(J::Arr(blocks))),
        }
        return vec![j];
    }
    if let Some(s) = string.filter(|_| api != Api::Converse) {
        return vec![obj! { "role": m.role, "content": s }];
    }
    if let Some(ttl) = mark {
        let (key, value) = ttl.mark(api);
        if api == Api::Converse {
            blocks.push(obj! { "cachePoint": value });
        } else if let Some(last) = blocks.last_mut() {
            last.push(key, value);
        }
    }
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

/// The parts of a body that are not in the model: which messages are left out, and what continues what.
#[derive(Clone, Default)]
pub(crate) struct Sent {
    /// Messages before this one are known from the request that is continued.
    pub(crate) from: usize,
    pub(crate) continues: Option<String>,
    pub(crate) creates: bool,
    /// Tools go into the first item of the input.
    pub(crate) lite: bool,
    pub(crate) fields: Vec<(String, J)>,
    pub(crate) system_role: &'static str,
}

/// The body of a request.
pub(crate) fn body(api: Api, f: &Full, sent: &Sent, style: &mut Style) -> J {
    let mut tools: Vec<J> = f.tools.iter().map(|t| tool(api, t)).collect();
    let marks = &f.marks;
    if let (Some(ttl), true) = (marks.tools, !tools.is_empty()) {
        let (key, value) = ttl.mark(api);
        if api == Api::Converse {
            tools.push(obj! { "cachePoint": value });
        } else if let Some(last) = tools.last_mut() {
            last.push(key, value);
        }
    }
    let has_tools = !tools.is_empty() || style.empty;
    let count = f.msgs.len();
    let mut messages: Vec<J> = Vec::new();
    for (i, m) in f.msgs.iter().enumerate().skip(sent.from) {
        let mark = marks.last.filter(|_| i + 1 == count);
        messages.extend(message(api, m, mark, style));
    }
    let partial = sent.continues.is_some() && api == Api::Anthropic;
    let r = &mut style.spelling.r;
    let mut j = J::Obj(Vec::new());
    match api {
        Api::Anthropic | Api::Invoke => {
            if api == Api::Anthropic {
                j.push("model", &f.model);
            } else {
                j.push("anthropic_version", "bedrock-2023-05-31");
            }
            j.push("max_tokens", *r.pick(&[1024_i64, 4096, 64000]));
            if has_tools && !partial {
                j.push("tools", tools);
            }
            let mut blocks: Vec<J> = f
                .system
                .iter()
                .map(|s| text(api, "system", &s.text))
                .collect();
            if let (Some(ttl), Some(last)) = (marks.system, blocks.last_mut()) {
                let (key, value) = ttl.mark(api);
                last.push(key, value);
            }
            if style.bill {
                let line = format!(
                    "x-anthropic-billing-header: cc_version=2.1.300.a1b; cc_entrypoint=cli; cch={:05x};",
                    r.below(1 << 20)
                );
                blocks.insert(0, text(api, "system", &line));
            }
            if !partial {
                match &f.system[..] {
                    [one] if style.strings && !style.bill && marks.system.is_none() => {
                        j.push("system", &one.text)
                    }
                    [] if !style.bill && style.empty => {
                        j.push(
                            "system",
                            if style.strings {
                                J::from("")
                            } else {
                                J::Arr(Vec::new())
                            },
                        );
                    }
                    [] if !style.bill => {}
                    _ => j.push("system", blocks),
                }
            }
            j.push("messages", messages);
            if let Some(ttl) = marks.top {
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
            if style.noise {
                j.push("stream", r.one_in(2));
                j.push("temperature", J::Spelt(NUMBERS[2]));
                j.push("stop_sequences", vec![J::from(*r.pick(&["END", "STOP"]))]);
            }
        }
        Api::Chat => {
            j.push("model", &f.model);
            if has_tools {
                j.push("tools", tools);
            }
            let mut all: Vec<J> = Vec::new();
            for s in &f.system {
                let content = if style.strings {
                    J::from(&s.text)
                } else {
                    J::Arr(vec![text(api, "system", &s.text)])
                };
                all.push(obj! { "role": sent.system_role, "content": content });
            }
            all.extend(messages);
            j.push("messages", all);
            if style.noise {
                j.push("stream", r.one_in(2));
                j.push("max_completion_tokens", *r.pick(&[256_i64, 2048]));
                j.push("user", *r.pick(&["u1", "u2"]));
                j.push("stream_options", obj! { "include_usage": true });
            }
        }
        Api::Responses => {
            j.push("model", &f.model);
            if sent.lite {
                if sent.continues.is_none() {
                    messages.insert(
                        0,
                        obj! { "type": "additional_tools", "role": "developer", "tools": tools },
                    );
                }
            } else if has_tools {
                j.push("tools", tools);
            }
            if let Some(s) = f.system.first() {
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
                ) if style.strings && !sent.lite => match &blocks[..] {
                    [Block::Text(t)] => j.push("input", t),
                    _ => j.push("input", messages),
                },
                _ => j.push("input", messages),
            }
            if let Some(id) = &sent.continues {
                j.push("previous_response_id", id);
            }
            if style.noise {
                j.push("stream", r.one_in(2));
                j.push("max_output_tokens", *r.pick(&[256_i64, 2048]));
                j.push("store", true);
                j.push("truncation", "disabled");
            }
        }
        Api::Gemini => {
            if !f.system.is_empty() {
                let parts: Vec<J> = f
                    .system
                    .iter()
                    .map(|s| text(api, "system", &s.text))
                    .collect();
                j.push("systemInstruction", obj! { "parts": parts });
            }
            if !f.tools.is_empty() {
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
        }
        Api::Converse => {
            if !f.tools.is_empty() {
                j.push("toolConfig", obj! { "tools": tools });
            }
            let mut blocks: Vec<J> = f
                .system
                .iter()
                .map(|s| text(api, "system", &s.text))
                .collect();
            if let (Some(ttl), false) = (marks.system, blocks.is_empty()) {
                blocks.push(obj! { "cachePoint": ttl.mark(api).1 });
            }
            if !blocks.is_empty() || style.empty {
                j.push("system", blocks);
            }
            j.push("messages", messages);
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
        }
    }
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
        let n = r.below(o.len());
        o.rotate_left(n);
    }
    j
}

/// Whether a request has a breakpoint, and the longest time to live of them in seconds.
pub(crate) fn marks(api: Api, f: &Full) -> Option<i64> {
    if !api.marked() {
        return None;
    }
    let m = &f.marks;
    let tools = m.tools.filter(|_| !f.tools.is_empty());
    let system = m.system.filter(|_| !f.system.is_empty());
    [
        tools,
        system,
        m.last,
        m.top.filter(|_| api == Api::Anthropic),
    ]
    .iter()
    .flatten()
    .map(|t| t.seconds())
    .max()
}
