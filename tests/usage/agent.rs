//! The requests of an agent: a prompt of promptc, tools, and a growing history.

use std::collections::BTreeMap;
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::parts::{Api, Ttl};
use crate::random::Random;
use crate::wire::{mark, time};

/// A prompt that promptc built.
#[derive(Clone)]
pub(crate) struct Prompt {
    /// The tiers of the system prompt.
    pub(crate) system: Vec<String>,
    /// The text that goes with the user's words, and into no history.
    pub(crate) user: Option<String>,
    artifact: Value,
}

impl Prompt {
    pub(crate) fn of(artifact: Value) -> Self {
        let channel = |name: &str| {
            let all = artifact["channels"].as_array();
            all.into_iter().flatten().find(|c| c["channel"] == name)
        };
        let text = |c: &Value| c["text"].as_str().unwrap_or_default().to_owned();
        let mut system = Vec::new();
        let mut at = 0;
        if let Some(c) = channel("system") {
            for tier in c["tiers"].as_array().into_iter().flatten() {
                let end = tier["end"].as_u64().and_then(|n| usize::try_from(n).ok());
                let end = end.unwrap_or(at);
                system.extend(
                    text(c)
                        .get(at..end)
                        .filter(|t| !t.is_empty())
                        .map(str::to_owned),
                );
                at = end;
            }
        }
        Self {
            system,
            user: channel("user").map(text).filter(|t| !t.is_empty()),
            artifact,
        }
    }
}

/// A place that an agent may mark.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Spot {
    /// After the last tool.
    Tools,
    /// After each tier of the system prompt, which are blocks then.
    Tiers,
    /// After the system prompt.
    System,
    /// After the user's words, before the text that promptc adds to them.
    Words,
    /// After everything, by a field for the provider.
    Automatic,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Debug)]
pub(crate) enum Time {
    #[serde(rename = "5m")]
    Minutes,
    #[serde(rename = "30m")]
    HalfHour,
    #[serde(rename = "1h")]
    Hour,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tools {
    #[default]
    None,
    ByName,
    /// In another order at each call.
    AsTheyCome,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
enum Form {
    Anthropic,
    Bedrock,
    Chat,
    Responses,
}

/// How an agent makes its requests.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Agent {
    form: Form,
    pub(crate) model: String,
    #[serde(default)]
    marks: BTreeMap<Spot, Time>,
    #[serde(default)]
    tools: Tools,
    /// Words of what the user says, of an answer, and of what a tool gives. Without the last there are no calls.
    words: [usize; 3],
    /// The results of tools are emptied after so many turns.
    #[serde(default)]
    forgets: Option<usize>,
    /// The first message says the time of the call, in all of them.
    #[serde(default)]
    stamps: bool,
    /// `promptc emit` writes the requests, with these arguments.
    #[serde(default)]
    emit: Option<Vec<String>>,
}

/// One call of a conversation.
pub(crate) struct Call {
    pub(crate) conversation: usize,
    pub(crate) turn: usize,
    /// The number of all calls before it.
    pub(crate) number: usize,
    pub(crate) time: i64,
}

const WORDS: &[&str] = &[
    "tide", "ferry", "lamp", "count", "bow", "the", "of", "dawn", "harbour", "nets", "and", "two",
    "never", "list", "berth", "metres", "wind", "at", "north", "quay", "mooring", "buoy", "asks",
];
const TOOLS: &[&str] = &[
    "berth_free",
    "boat_find",
    "crane_book",
    "fuel_price",
    "guest_note",
    "log_write",
    "tide_table",
    "wind_now",
];

fn text(seed: usize, words: usize) -> String {
    let mut r = Random::new(seed as u64 + 1);
    let all: Vec<_> = (0..words).map(|_| WORDS[r.below(WORDS.len())]).collect();
    all.join(" ")
}

/// A block of a message, before it has the form of an API.
enum Block {
    Text(String),
    Call(String),
    Outcome(String, String),
}

impl Agent {
    pub(crate) fn api(&self) -> Api {
        match self.form {
            Form::Anthropic => Api::Anthropic,
            Form::Bedrock => Api::Bedrock,
            Form::Chat => Api::Chat,
            Form::Responses => Api::Responses,
        }
    }

    fn mark(&self, spot: Spot) -> Option<Ttl> {
        self.marks.get(&spot).map(|t| match t {
            Time::Minutes => Ttl::Minutes,
            Time::HalfHour => Ttl::HalfHour,
            Time::Hour => Ttl::Hour,
        })
    }

    /// Marks the last of some blocks.
    fn marked(&self, blocks: &mut Vec<Value>, spot: Spot) {
        let Some(ttl) = self.mark(spot).filter(|_| !blocks.is_empty()) else {
            return;
        };
        let api = self.api();
        match (api, blocks.last_mut()) {
            (Api::Bedrock, _) => blocks.push(json!({"cachePoint": mark(api, ttl)})),
            (Api::Anthropic, Some(last)) => last["cache_control"] = mark(api, ttl),
            (_, Some(last)) => last["prompt_cache_breakpoint"] = json!({"mode": "explicit"}),
            _ => {}
        }
    }

    fn tools(&self, call: &Call) -> Vec<Value> {
        let mut names = TOOLS.to_vec();
        match self.tools {
            Tools::None => return Vec::new(),
            Tools::ByName => {}
            Tools::AsTheyCome => {
                let mut r = Random::new(call.number as u64 + 3);
                for n in (1..names.len()).rev() {
                    names.swap(n, r.below(n + 1));
                }
            }
        }
        let tool = |name: &&str| {
            let seed = TOOLS.iter().position(|t| t == name).unwrap_or(0);
            let about = format!("{name}: {}", text(seed + 900_000, 90 + seed * 9));
            let schema = json!({"type": "object", "properties": {"berth": {"type": "string", "description": text(seed + 800_000, 12)}}});
            match self.form {
                Form::Anthropic => {
                    json!({"name": name, "description": about, "input_schema": schema})
                }
                Form::Bedrock => {
                    json!({"toolSpec": {"name": name, "description": about, "inputSchema": {"json": schema}}})
                }
                Form::Chat => {
                    json!({"type": "function", "function": {"name": name, "description": about, "parameters": schema}})
                }
                Form::Responses => {
                    json!({"type": "function", "name": name, "description": about, "parameters": schema})
                }
            }
        };
        names.iter().map(tool).collect()
    }

    /// The messages up to a call, by role.
    fn history(&self, call: &Call) -> Vec<(&'static str, Vec<Block>)> {
        let [user, answer, outcome] = self.words;
        let seed = |turn: usize, what: usize| call.conversation * 10_000 + turn * 10 + what;
        let mut out: Vec<(&str, Vec<Block>)> = Vec::new();
        for turn in 0..=call.turn {
            let mut said = Vec::new();
            if turn > 0 {
                let mut before = vec![Block::Text(text(seed(turn, 1), answer))];
                if outcome > 0 {
                    let id = format!("call_{}_{turn}", call.conversation);
                    before.push(Block::Call(id.clone()));
                    let gone = self.forgets.is_some_and(|n| turn + n <= call.turn);
                    let gave = if gone {
                        "[cleared]".to_owned()
                    } else {
                        text(seed(turn, 2), outcome)
                    };
                    said.push(Block::Outcome(id, gave));
                }
                out.push(("assistant", before));
            }
            let mut words = text(seed(turn, 0), user);
            if self.stamps && turn == 0 {
                words = format!("{}\n{words}", time(call.time));
            }
            said.push(Block::Text(words));
            out.push(("user", said));
        }
        out
    }

    /// The body of a request.
    pub(crate) fn body(&self, prompt: &Prompt, call: &Call) -> Value {
        let mut tools = self.tools(call);
        self.marked(&mut tools, Spot::Tools);
        let block = |t: &str| match self.form {
            Form::Bedrock => json!({"text": t}),
            Form::Responses => json!({"type": "input_text", "text": t}),
            _ => json!({"type": "text", "text": t}),
        };
        let mut system = Vec::new();
        match self.mark(Spot::Tiers) {
            None => system.push(block(&prompt.system.concat())),
            Some(_) => {
                for tier in &prompt.system {
                    system.push(block(tier));
                    self.marked(&mut system, Spot::Tiers);
                }
            }
        }
        self.marked(&mut system, Spot::System);
        let history = self.history(call);
        if let Some(args) = &self.emit {
            let plain = Self {
                marks: BTreeMap::new(),
                ..self.clone()
            };
            let bare = Prompt {
                user: None,
                ..prompt.clone()
            };
            let history = plain.blocks(&bare, Vec::new(), Vec::new(), &history);
            let mut body = self.emitted(prompt, &history["messages"], args);
            if !tools.is_empty() {
                body["tools"] = json!(tools);
            }
            return body;
        }
        match self.form {
            Form::Anthropic | Form::Bedrock => self.blocks(prompt, tools, system, &history),
            Form::Chat => self.chat(prompt, &tools, &system, &history),
            Form::Responses => self.responses(prompt, &tools, &system, &history),
        }
    }

    /// The body that promptc makes of a prompt and a history.
    #[expect(clippy::disallowed_methods, reason = "files of a test")]
    fn emitted(&self, prompt: &Prompt, history: &Value, args: &[String]) -> Value {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path();
        std::fs::write(at.join("prompt.json"), prompt.artifact.to_string()).unwrap();
        std::fs::write(at.join("history.json"), history.to_string()).unwrap();
        let out = Command::new(env!("CARGO_BIN_EXE_promptc"))
            .args(["emit", "anthropic", "-q", "--model", &self.model])
            .args(["--artifact", "prompt.json", "--messages", "history.json"])
            .args(args)
            .current_dir(at)
            .output();
        let out = out.unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "emit: {said}");
        serde_json::from_slice(&out.stdout).unwrap()
    }

    fn blocks(
        &self,
        prompt: &Prompt,
        tools: Vec<Value>,
        system: Vec<Value>,
        history: &[(&str, Vec<Block>)],
    ) -> Value {
        let bedrock = self.form == Form::Bedrock;
        let block = |b: &Block| match (b, bedrock) {
            (Block::Text(t), true) => json!({"text": t}),
            (Block::Call(id), true) => {
                json!({"toolUse": {"toolUseId": id, "name": "tide_table", "input": {"berth": "4"}}})
            }
            (Block::Outcome(id, t), true) => {
                json!({"toolResult": {"toolUseId": id, "content": [{"text": t}]}})
            }
            (Block::Text(t), false) => json!({"type": "text", "text": t}),
            (Block::Call(id), false) => {
                json!({"type": "tool_use", "id": id, "name": "tide_table", "input": {"berth": "4"}})
            }
            (Block::Outcome(id, t), false) => {
                json!({"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": t}]})
            }
        };
        let mut messages: Vec<Value> = Vec::new();
        for (n, (role, said)) in history.iter().enumerate() {
            let mut content: Vec<Value> = said.iter().map(block).collect();
            if n + 1 == history.len() {
                self.marked(&mut content, Spot::Words);
                let live = prompt.user.iter().map(|t| block(&Block::Text(t.clone())));
                content.extend(live);
            }
            messages.push(json!({"role": role, "content": content}));
        }
        if bedrock {
            return json!({"toolConfig": {"tools": tools}, "system": system, "messages": messages, "inferenceConfig": {"maxTokens": 900}});
        }
        let mut out = json!({"model": self.model, "max_tokens": 900, "tools": tools, "system": system, "messages": messages});
        if let Some(ttl) = self.mark(Spot::Automatic) {
            out["cache_control"] = mark(Api::Anthropic, ttl);
        }
        out
    }

    /// The user's words with what promptc adds, as the last parts of a message.
    fn words(&self, prompt: &Prompt, said: &str, last: bool, kind: &str) -> Value {
        let mut content = vec![json!({"type": kind, "text": said})];
        if last {
            self.marked(&mut content, Spot::Words);
            content.extend(prompt.user.iter().map(|t| json!({"type": kind, "text": t})));
        }
        json!(content)
    }

    fn chat(
        &self,
        prompt: &Prompt,
        tools: &[Value],
        system: &[Value],
        history: &[(&str, Vec<Block>)],
    ) -> Value {
        let role = if self.marks.is_empty() {
            "system"
        } else {
            "developer"
        };
        let mut messages = vec![json!({"role": role, "content": system})];
        for (n, (role, said)) in history.iter().enumerate() {
            let last = n + 1 == history.len();
            for b in said {
                match b {
                    Block::Outcome(id, t) => {
                        messages.push(json!({"role": "tool", "tool_call_id": id, "content": t}));
                    }
                    Block::Text(t) => {
                        messages.push(
                            json!({"role": role, "content": self.words(prompt, t, last, "text")}),
                        );
                    }
                    Block::Call(id) => {
                        let call = json!({"id": id, "type": "function", "function": {"name": "tide_table", "arguments": "{\"berth\":\"4\"}"}});
                        if let Some(m) = messages.last_mut() {
                            m["tool_calls"] = json!([call]);
                        }
                    }
                }
            }
        }
        let mut out = json!({"model": self.model, "messages": messages});
        if !tools.is_empty() {
            out["tools"] = json!(tools);
        }
        out
    }

    fn responses(
        &self,
        prompt: &Prompt,
        tools: &[Value],
        system: &[Value],
        history: &[(&str, Vec<Block>)],
    ) -> Value {
        let mut input = Vec::new();
        let mut out = json!({"model": self.model});
        if self.marks.is_empty() {
            out["instructions"] = json!(prompt.system.concat())
        } else {
            input.push(json!({"type": "message", "role": "developer", "content": system}))
        }
        for (n, (role, said)) in history.iter().enumerate() {
            let last = n + 1 == history.len();
            for b in said {
                input.push(match b {
                    Block::Outcome(id, t) => {
                        json!({"type": "function_call_output", "call_id": id, "output": t})
                    }
                    Block::Call(id) => {
                        json!({"type": "function_call", "call_id": id, "name": "tide_table", "arguments": "{\"berth\":\"4\"}"})
                    }
                    Block::Text(t) => {
                        let kind = if *role == "user" { "input_text" } else { "output_text" };
                        json!({"type": "message", "role": role, "content": self.words(prompt, t, last, kind)})
                    }
                });
            }
        }
        if !tools.is_empty() {
            out["tools"] = json!(tools);
        }
        out["input"] = json!(input);
        out
    }
}
