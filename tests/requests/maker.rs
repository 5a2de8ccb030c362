//! The maker of a conversation: what it knows, and the parts of a request that it draws.

use crate::class::Class;
use crate::json::{J, obj};
use crate::model::{Api, Block, Full, Mark, Marks, Msg, NUMBERS, Prop, System, Tool, Ttl};
use crate::random::Random;
use crate::want::{Logged, Want};

/// A request as a line of the input.
pub(crate) struct Line {
    pub(crate) time: i64,
    pub(crate) json: String,
    pub(crate) want: Want,
    /// The conversation, if it has a name.
    pub(crate) conversation: Option<String>,
    pub(crate) chain: usize,
    pub(crate) api: Api,
    /// The request of a body.
    pub(crate) full: Full,
    pub(crate) mutations: Vec<&'static str>,
}

/// Where the name of the conversation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Naming {
    Beside,
    Header,
    Metadata,
    Session,
    CacheKey,
    Nowhere,
}

/// The state of one generator of a chain.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) full: Full,
    pub(crate) agent: Option<String>,
    pub(crate) side: bool,
    pub(crate) last: Option<Last>,
    pub(crate) answer: Vec<Msg>,
    pub(crate) response: Option<String>,
}

#[derive(Clone)]
pub(crate) struct Last {
    pub(crate) line: usize,
    pub(crate) chain: usize,
    pub(crate) time: Option<i64>,
}

pub(crate) struct Maker {
    pub(crate) r: Random,
    /// What else the recording holds, and what is drawn for that.
    pub(crate) class: Option<Class>,
    pub(crate) more: Random,
    /// Whether this request has no time, though others have.
    pub(crate) untimed: bool,
    pub(crate) seed: u64,
    pub(crate) api: Api,
    /// Requests continue others by id.
    pub(crate) chain: bool,
    pub(crate) naming: Naming,
    pub(crate) name: String,
    pub(crate) url: usize,
    pub(crate) bill: bool,
    pub(crate) cached: bool,
    pub(crate) last: bool,
    pub(crate) timed: bool,
    pub(crate) lite: bool,
    /// The system prompt is the first message.
    pub(crate) heads: bool,
    pub(crate) bare: bool,
    pub(crate) system_role: &'static str,
    pub(crate) secret: String,
    pub(crate) password: String,
    pub(crate) fresh: u32,
    pub(crate) time: i64,
    pub(crate) lines: Vec<Line>,
    pub(crate) log: Vec<Logged>,
    pub(crate) chains: usize,
    pub(crate) redrawn: Vec<&'static str>,
    pub(crate) secrets: Vec<String>,
}

const WORDS: &[&str] = &[
    "tide",
    "ferry",
    "lamp",
    "grün",
    "count",
    "\"quoted\"",
    "bow→stern",
    "the",
    "of",
    "at dawn",
    "C:\\harbour",
    "naïve",
    "🌷",
    "tab\there",
    "nets",
    "<b>",
    "and/or",
    "two",
    "never",
    "list",
];

impl Maker {
    pub(crate) fn id(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    pub(crate) fn line(&mut self) -> String {
        let n = self.r.from(2, 6);
        (0..n)
            .map(|_| *self.r.pick(WORDS))
            .collect::<Vec<&str>>()
            .join(" ")
    }

    /// A text that no other one shares its first line with.
    pub(crate) fn text(&mut self) -> String {
        let id = self.id();
        let seed = self.seed;
        let mut lines = vec![format!("{} [{seed}-{id}]", self.line())];
        for _ in 0..self.r.below(6) {
            let l = if self.r.one_in(6) {
                String::new()
            } else {
                self.line()
            };
            lines.push(l);
        }
        lines.push(self.line());
        lines.join("\n")
    }

    pub(crate) fn edit(&mut self, text: &str) -> String {
        let mut lines: Vec<String> = text.split('\n').map(String::from).collect();
        let n = self.r.below(lines.len());
        let id = self.id();
        match self.r.below(4) {
            0 => lines.insert(n, format!("new {id}")),
            1 if n + 1 < lines.len() && lines[n] != lines[n + 1] => drop(lines.remove(n)),
            _ => lines[n] = format!("{} r{id}", lines[n]),
        }
        lines.join("\n")
    }

    pub(crate) fn tool(&mut self) -> Tool {
        let id = self.id();
        let props = (0..self.r.from(1, 3))
            .map(|i| Prop {
                name: format!("{}{i}", ["city", "flower", "day"][self.r.below(3)]),
                kind: ["string", "number"][self.r.below(2)],
                about: self.line(),
                min: [None, Some(self.r.below(NUMBERS.len()))][self.r.below(2)],
            })
            .collect();
        Tool {
            name: format!(
                "{}_{id}",
                ["look_up", "order", "Bash", "mcp__shop__list"][self.r.below(4)]
            ),
            about: self.line(),
            props,
        }
    }

    pub(crate) fn block(&mut self) -> System {
        System {
            id: self.id(),
            text: self.text(),
        }
    }

    pub(crate) fn user(&mut self) -> Msg {
        let more = matches!(self.api, Api::Chat) || !self.r.one_in(4);
        let mut blocks = vec![Block::Text(self.text())];
        if !more {
            blocks.push(Block::Text(self.text()));
        }
        Msg {
            id: self.id(),
            role: "user",
            blocks,
            item: None,
        }
    }

    fn one(&mut self, role: &'static str, b: Block) -> Msg {
        Msg {
            id: self.id(),
            role,
            blocks: vec![b],
            item: None,
        }
    }

    pub(crate) fn answer(&mut self, tools: &[Tool]) -> Vec<Msg> {
        let mut calls = Vec::new();
        if !tools.is_empty() && self.r.one_in(2) {
            for _ in 0..self.r.from(1, 2) {
                let id = self.id();
                let id = format!("toolu_{}_{id}", self.seed);
                let name = self.r.pick(tools).name.clone();
                let mut input = obj! { "flower": self.line(), "count": J::Spelt(NUMBERS[0]), "deep": obj! { "on": true, "list": vec![J::Null] } };
                if self.r.one_in(4) {
                    input.push("password", &self.password);
                }
                calls.push(Block::Call { id, name, input });
            }
        }
        let said = (calls.is_empty() || self.r.one_in(2)).then(|| Block::Text(self.text()));
        let thought = self.r.one_in(3).then(|| Block::Thinking {
            text: self.text(),
            signature: format!("Er{}{}==", self.seed, self.fresh),
        });
        match self.api {
            Api::Responses => {
                let mut out = Vec::new();
                for b in said.into_iter().chain(calls) {
                    let role = if matches!(b, Block::Text(_)) {
                        "assistant"
                    } else {
                        "item"
                    };
                    let mut m = self.one(role, b);
                    m.item = Some(format!("it_{}_{}", self.seed, m.id));
                    out.push(m);
                }
                out
            }
            api => {
                let thought =
                    thought.filter(|_| matches!(api, Api::Anthropic | Api::Invoke | Api::Converse));
                vec![Msg {
                    id: self.id(),
                    role: if api == Api::Gemini {
                        "model"
                    } else {
                        "assistant"
                    },
                    blocks: thought.into_iter().chain(said).chain(calls).collect(),
                    item: None,
                }]
            }
        }
    }

    /// The reply of the user or of a tool to an answer.
    pub(crate) fn turn(&mut self, answer: &[Msg]) -> Vec<Msg> {
        let mut outcomes = Vec::new();
        for b in answer.iter().flat_map(|m| &m.blocks) {
            if let Block::Call { id, name, .. } = b {
                outcomes.push(Block::Outcome {
                    id: id.clone(),
                    name: name.clone(),
                    text: self.text(),
                });
            }
        }
        if outcomes.is_empty() {
            let mut out = vec![self.user()];
            if self.api == Api::Anthropic && self.r.one_in(6) {
                let b = Block::Text(self.text());
                out.push(self.one("system", b));
            }
            return out;
        }
        match self.api {
            Api::Chat | Api::Responses => {
                let role = if self.api == Api::Chat {
                    "tool"
                } else {
                    "item"
                };
                outcomes.into_iter().map(|b| self.one(role, b)).collect()
            }
            api => {
                if api.claude() && self.r.one_in(4) {
                    outcomes.push(Block::Text(self.text()));
                }
                let mut m = self.user();
                m.blocks = outcomes;
                vec![m]
            }
        }
    }

    fn ttl(&mut self) -> Ttl {
        *self
            .r
            .pick(&[Ttl::Unsaid, Ttl::Unsaid, Ttl::Minutes, Ttl::Hour])
    }

    pub(crate) fn marks(&mut self) -> Marks {
        if !self.cached || !self.api.marked() {
            return Marks::default();
        }
        if self.last {
            return Marks {
                last: Some(Ttl::Minutes),
                ..Marks::default()
            };
        }
        let short = self.chain;
        let mut one = |odds: usize| {
            let hit = self.r.one_in(odds);
            let ttl = if short { Ttl::Unsaid } else { self.ttl() };
            hit.then_some(ttl)
        };
        let mut m = Marks {
            tools: one(4).map(Mark::at_end),
            system: one(2).map(Mark::at_end),
            last: one(2),
            top: one(6),
            middle: None,
        };
        if self.api != Api::Anthropic {
            m.top = None;
        }
        if self.chain || m == Marks::default() {
            m.last = Some(Ttl::Unsaid);
        }
        if !self.chain && (self.class == Some(Class::Marked) || self.more.one_in(3)) {
            return self.early_marks();
        }
        m
    }

    /// Breakpoints that leave something after the last of them, or none at all.
    fn early_marks(&mut self) -> Marks {
        let which = self.more.below(8);
        let mut at = |these: &[usize], least: usize, most: usize| {
            let back = self.more.from(least, most);
            let ttl = *self.more.pick(&[Ttl::Unsaid, Ttl::Minutes, Ttl::Hour]);
            these.contains(&which).then_some(Mark { back, ttl })
        };
        Marks {
            tools: at(&[0, 1, 5], 0, 1),
            system: at(&[2, 3, 5, 6], 0, 1),
            middle: at(&[3, 4, 6], 1, 4),
            ..Marks::default()
        }
    }

    pub(crate) fn model(&mut self) -> String {
        self.r
            .pick(match self.api {
                Api::Anthropic => &[
                    "claude-opus-5-5",
                    "claude-sonnet-5-5",
                    "claude-haiku-5-5",
                    "house-model-2",
                ][..],
                Api::Invoke | Api::Converse => {
                    &["anthropic.claude-opus-5-5", "us.anthropic.claude-opus-5-5"]
                }
                Api::Chat if self.url == 0 => &["openai/gpt-5.5", "openai/gpt-4.1"],
                Api::Chat if self.url == 1 => &["deepseek-v4-pro", "deepseek-flash"],
                Api::Chat | Api::Responses => {
                    &["gpt-6.1-sol", "gpt-5.5", "gpt-4.1", "gpt-5.4-mini"]
                }
                Api::Gemini => &["gemini-4-argon", "gemini-3.8-flash"],
            })
            .to_string()
    }

    /// The settings that count, with values. The first value is none at all.
    pub(crate) fn settings(&self) -> Vec<(&'static str, Vec<J>)> {
        let s = |v: &[&str]| v.iter().map(|v| J::from(*v)).collect::<Vec<_>>();
        let none = |mut v: Vec<J>| {
            v.insert(0, J::Null);
            v
        };
        match self.api {
            Api::Anthropic | Api::Invoke => vec![
                ("speed", none(s(&["fast"]))),
                (
                    "tool_choice",
                    none(vec![obj! { "type": "any" }, obj! { "type": "none" }]),
                ),
                (
                    "thinking",
                    none(vec![
                        obj! { "type": "adaptive" },
                        obj! { "type": "enabled", "budget_tokens": 2048_i64 },
                    ]),
                ),
                ("output_config.effort", none(s(&["low", "medium", "max"]))),
            ],
            Api::Chat | Api::Responses => {
                let responses = self.api == Api::Responses;
                let format = if responses {
                    "text.format"
                } else {
                    "response_format"
                };
                let mut all = vec![
                    ("parallel_tool_calls", vec![J::Bool(true), J::Bool(false)]),
                    (format, none(vec![obj! { "type": "json_object" }])),
                    (
                        if responses {
                            "reasoning.effort"
                        } else {
                            "reasoning_effort"
                        },
                        none(s(&["low", "high"])),
                    ),
                    (
                        if responses {
                            "text.verbosity"
                        } else {
                            "verbosity"
                        },
                        none(s(&["low", "high"])),
                    ),
                    ("service_tier", none(s(&["flex", "priority"]))),
                ];
                if self.naming == Naming::Beside {
                    all.push(("prompt_cache_key", none(s(&["key-a", "key-b"]))));
                }
                all
            }
            Api::Gemini => Vec::new(),
            Api::Converse => vec![
                (
                    "toolConfig.toolChoice",
                    none(vec![
                        obj! { "any": J::Obj(Vec::new()) },
                        obj! { "auto": J::Obj(Vec::new()) },
                    ]),
                ),
                (
                    "additionalModelRequestFields.thinking",
                    none(vec![obj! { "type": "adaptive" }]),
                ),
            ],
        }
    }
}
