//! Conversations whose changes are known.

use crate::answer::response;
use crate::json::{J, obj};
use crate::model::{
    Api, Block, Full, Marks, Msg, NUMBERS, Prop, Sent, Style, System, Tool, Ttl, body,
};
use crate::random::Random;
use crate::want::{Answer, Logged, compare, lane};

/// What has to be said of a request.
#[derive(Clone, Debug)]
pub(crate) enum Want {
    First,
    Incomplete,
    /// The line of the request before it, in the same conversation, and what it is after that.
    After(usize, Answer, Option<i64>),
}

/// A request as a line of the input.
pub(crate) struct Line {
    pub(crate) time: i64,
    pub(crate) json: String,
    pub(crate) want: Want,
    /// The conversation, if it has a name.
    pub(crate) conversation: Option<String>,
    pub(crate) lane: usize,
    pub(crate) api: Api,
    /// The request that the body stands for.
    pub(crate) full: Full,
    pub(crate) mutations: Vec<&'static str>,
}

pub(crate) struct Conversation {
    pub(crate) seed: u64,
    pub(crate) lines: Vec<Line>,
    pub(crate) secrets: Vec<String>,
    pub(crate) redrawn: Vec<&'static str>,
}

/// Where the name of the conversation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Naming {
    Beside,
    Header,
    Metadata,
    Session,
    CacheKey,
    Nowhere,
}

/// What one generator of a lane knows.
struct Source {
    full: Full,
    agent: Option<String>,
    side: bool,
    last: Option<Last>,
    answer: Vec<Msg>,
    response: Option<String>,
}

#[derive(Clone)]
struct Last {
    line: usize,
    lane: usize,
    time: Option<i64>,
}

struct Maker {
    r: Random,
    seed: u64,
    api: Api,
    /// Requests continue others by id.
    chain: bool,
    naming: Naming,
    name: String,
    url: usize,
    bill: bool,
    cached: bool,
    last: bool,
    timed: bool,
    lite: bool,
    bare: bool,
    system_role: &'static str,
    secret: String,
    password: String,
    fresh: u32,
    time: i64,
    lines: Vec<Line>,
    log: Vec<Logged>,
    lanes: usize,
    redrawn: Vec<&'static str>,
    secrets: Vec<String>,
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

pub(crate) fn conversation(seed: u64) -> Conversation {
    draw(seed, false)
}

/// A conversation whose requests mark their last block and no other, with one time to live.
pub(crate) fn marking_last(seed: u64) -> Conversation {
    draw(seed, true)
}

fn draw(seed: u64, last: bool) -> Conversation {
    let mut r = Random::new(seed);
    let api = *r.pick(&[
        Api::Anthropic,
        Api::Anthropic,
        Api::Anthropic,
        Api::Anthropic,
        Api::Invoke,
        Api::Chat,
        Api::Chat,
        Api::Responses,
        Api::Responses,
        Api::Gemini,
        Api::Converse,
    ]);
    let chain = matches!(api, Api::Anthropic | Api::Responses) && !last && r.one_in(4);
    let naming = *r.pick(match api {
        Api::Anthropic => &[
            Naming::Beside,
            Naming::Header,
            Naming::Header,
            Naming::Metadata,
            Naming::Metadata,
            Naming::Session,
            Naming::Nowhere,
        ][..],
        Api::Chat | Api::Responses => &[
            Naming::Beside,
            Naming::Beside,
            Naming::Session,
            Naming::CacheKey,
            Naming::Nowhere,
        ],
        _ => &[Naming::Beside, Naming::Nowhere],
    });
    let bare = api == Api::Responses && !chain && r.one_in(6) && !matches!(naming, Naming::Beside);
    let mut m = Maker {
        seed,
        api,
        chain,
        naming,
        name: format!("7d0e1f2a-0000-4000-8000-{seed:012}"),
        url: r.below(12),
        bill: api == Api::Anthropic && r.one_in(2),
        cached: last || chain || !r.one_in(5),
        last,
        timed: last || !bare && !r.one_in(8),
        lite: api == Api::Responses && r.one_in(4),
        bare,
        system_role: if r.one_in(2) { "system" } else { "developer" },
        secret: format!("sk-ant-api03-{:024}Zq{seed:08}xYAA", r.below(1 << 40)),
        password: format!("correct-horse-{seed:06}-{}", r.below(1 << 30)),
        fresh: 0,
        time: 1_790_000_000_000 + i64::try_from(seed % 100_000).unwrap_or(0) * 700_000,
        lines: Vec::new(),
        log: Vec::new(),
        lanes: 0,
        redrawn: Vec::new(),
        secrets: Vec::new(),
        r,
    };
    m.secrets.extend([
        m.secret.clone(),
        m.password.clone(),
        format!("account-{seed:06}-7d0e1f2a"),
    ]);
    if matches!(naming, Naming::Header | Naming::Metadata) {
        m.secrets.push(m.name.clone());
    }
    if m.r.one_in(25) {
        m.cut_off();
    } else {
        m.run();
    }
    Conversation {
        seed,
        lines: m.lines,
        secrets: m.secrets,
        redrawn: m.redrawn,
    }
}

impl Maker {
    fn id(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    fn line(&mut self) -> String {
        let n = self.r.from(2, 6);
        (0..n)
            .map(|_| *self.r.pick(WORDS))
            .collect::<Vec<&str>>()
            .join(" ")
    }

    /// A text that no other one shares its first line with.
    fn text(&mut self) -> String {
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

    fn edit(&mut self, text: &str) -> String {
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

    fn tool(&mut self) -> Tool {
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

    fn block(&mut self) -> System {
        System {
            id: self.id(),
            text: self.text(),
        }
    }

    fn user(&mut self) -> Msg {
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

    fn answer(&mut self, tools: &[Tool]) -> Vec<Msg> {
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

    /// What the user or a tool says to an answer.
    fn turn(&mut self, answer: &[Msg]) -> Vec<Msg> {
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

    fn marks(&mut self) -> Marks {
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
            tools: one(4),
            system: one(2),
            last: one(2),
            top: one(6),
        };
        if self.api != Api::Anthropic {
            m.top = None;
        }
        if self.chain || m == Marks::default() {
            m.last = Some(Ttl::Unsaid);
        }
        m
    }

    fn model(&mut self) -> String {
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
    fn settings(&self) -> Vec<(&'static str, Vec<J>)> {
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

    fn start(&mut self, side: bool, agent: bool) -> Source {
        let tools = if side { 0 } else { self.r.below(5) };
        let tools = if self.api == Api::Converse || self.lite {
            tools.max(1)
        } else {
            tools
        };
        let system = match self.api {
            Api::Responses => 1,
            _ if side || agent => 1,
            _ => self.r.below(5),
        };
        let mut settings = Vec::new();
        for (path, values) in self.settings() {
            let v = if side {
                &values[0]
            } else {
                self.r.pick(&values)
            };
            if *v != J::Null {
                settings.push((path, v.clone()));
            }
        }
        if self.naming == Naming::CacheKey {
            settings.push(("prompt_cache_key", J::from(&self.name)));
        }
        let mut first = self.user();
        if let (true, Some(Block::Text(t))) = (self.r.one_in(4), first.blocks.first_mut()) {
            t.push_str(&format!("\nexport ANTHROPIC_API_KEY={}\nend", self.secret));
        }
        let mut msgs = vec![first];
        if self.r.one_in(2) && !side {
            for _ in 0..self.r.from(1, 5) {
                let a = self.answer(&[]);
                let t = self.turn(&a);
                msgs.extend(a.into_iter().chain(t));
            }
        }
        Source {
            full: Full {
                model: self.model(),
                settings,
                tools: (0..tools).map(|_| self.tool()).collect(),
                system: (0..system).map(|_| self.block()).collect(),
                msgs,
                marks: self.marks(),
            },
            agent: agent.then(|| format!("agent-{}-{}", self.seed, self.fresh)),
            side,
            last: None,
            answer: Vec::new(),
            response: None,
        }
    }

    fn run(&mut self) {
        let mut all = vec![self.start(false, false)];
        if self.r.one_in(2) && !self.chain {
            if self.api == Api::Anthropic && self.naming != Naming::Nowhere && self.r.one_in(2) {
                all.push(self.start(false, true));
            }
            if self.r.one_in(2) {
                all.push(self.start(true, false));
            }
        }
        let steps = self.r.from(2, 8) + 2 * (all.len() - 1);
        for n in 0..steps {
            self.time += i64::try_from(self.r.from(400, 60_000)).unwrap_or(0);
            let which = if n == 0 { 0 } else { self.r.below(all.len()) };
            self.step(&mut all[which]);
        }
    }

    /// The next request of a lane.
    fn step(&mut self, s: &mut Source) {
        if s.last.is_none() {
            let f = s.full.clone();
            self.settle(s, f, false, Vec::new());
            return;
        }
        if s.side {
            // A side call asks anew: its one message is another.
            let mut f = s.full.clone();
            f.msgs = vec![self.user()];
            f.marks = self.marks();
            self.settle(s, f, false, vec!["side"]);
            return;
        }
        for _ in 0..9 {
            let time = self.time;
            let mut f = s.full.clone();
            let resend = self.r.one_in(4);
            let chained = self.chain && s.response.is_some() && !resend;
            let done = self.mutate(s, &mut f, chained);
            match done.and_then(|m| self.check(s, &f, chained).map(|()| m)) {
                Ok(m) => {
                    self.settle(s, f, chained, m);
                    return;
                }
                Err(why) => {
                    self.redrawn.push(why);
                    self.time = time;
                }
            }
        }
    }

    fn check(&self, s: &Source, f: &Full, chained: bool) -> Result<(), &'static str> {
        if s.agent.is_none() && !chained {
            match lane(&self.log, self.naming != Naming::Nowhere, f)? {
                Some(n) if s.last.as_ref().is_some_and(|l| l.lane != n) => {
                    return Err("another lane");
                }
                _ => {}
            }
        }
        compare(self.api, &s.full, f, self.gap(s)).map(|_| ())
    }

    fn gap(&self, s: &Source) -> Option<i64> {
        s.last
            .as_ref()
            .and_then(|l| l.time)
            .filter(|_| self.timed)
            .map(|t| self.time - t)
    }

    fn mutate(
        &mut self,
        s: &Source,
        f: &mut Full,
        chained: bool,
    ) -> Result<Vec<&'static str>, &'static str> {
        let marked = self.cached && self.api.marked();
        f.marks = self.marks();
        if marked && !self.chain && s.full.marks == Marks::default() && !self.r.one_in(4) {
            f.marks = Marks::default();
        }
        // What a thread holds is what was sent before.
        let frozen = chained && self.api == Api::Anthropic;
        let tools = !(frozen || self.lite && chained);
        let mut kinds = vec!["model"];
        if !self.settings().is_empty() {
            kinds.extend(["setting", "setting-2"]);
        }
        if !f.system.is_empty() && !frozen {
            kinds.extend(["system-edit", "system-edit"]);
        }
        if self.api != Api::Responses && !frozen {
            kinds.extend(["system-add", "system-remove"]);
        }
        if tools {
            kinds.extend([
                "tool-add",
                "tool-remove",
                "tool-move",
                "tool-change",
                "tool-change-2",
            ]);
        }
        if !chained {
            kinds.extend([
                "edit", "edit", "edit-2", "drop", "drop", "drop", "insert", "insert", "insert",
                "rewrite", "rewind",
            ]);
        }
        if marked && !self.chain && !self.last && s.full.marks != Marks::default() {
            kinds.push("marks");
        }
        if self.timed && !(self.api.marked() && s.full.marks == Marks::default()) {
            kinds.extend(["gap", "gap"]);
        }
        let n = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3][self.r.below(20)];
        let mut done: Vec<&'static str> = Vec::new();
        let mut grows = true;
        for _ in 0..n {
            let kind = *self.r.pick(&kinds);
            if done.contains(&kind) {
                continue;
            }
            if self.apply(kind, f, &mut grows) {
                done.push(kind);
            }
        }
        if !grows {
            return Ok(done);
        }
        let of_messages = ["edit", "edit-2", "drop", "insert", "rewrite"]
            .iter()
            .any(|k| done.contains(k));
        if !chained && self.r.one_in(20) {
            done.push("no-growth");
        } else if self.api.marked()
            && !chained
            && !of_messages
            && self.r.one_in(20)
            && f.msgs.last().is_some_and(|m| m.role == "user")
        {
            let b = Block::Text(self.text());
            if let Some(m) = f.msgs.last_mut() {
                m.blocks.push(b);
            }
            done.push("goes-on");
        } else {
            let turn = self.turn(&s.answer);
            f.msgs.extend(s.answer.iter().cloned().chain(turn));
        }
        Ok(done)
    }

    /// Makes a change; says whether there was one.
    fn apply(&mut self, kind: &'static str, f: &mut Full, grows: &mut bool) -> bool {
        match kind {
            "model" => {
                let m = self.model();
                m != std::mem::replace(&mut f.model, m.clone())
            }
            "setting" | "setting-2" => {
                let all = self.settings();
                let (path, values) = self.r.pick(&all).clone();
                let v = self.r.pick(&values).clone();
                let old = f
                    .settings
                    .iter()
                    .find(|(p, _)| *p == path)
                    .map(|(_, v)| v.clone())
                    .unwrap_or(J::Null);
                f.settings.retain(|(p, _)| *p != path);
                if v != J::Null {
                    f.settings.push((path, v.clone()));
                }
                v != old
            }
            "system-edit" if !f.system.is_empty() => {
                let n = self.r.below(f.system.len());
                f.system[n].text = self.edit(&f.system[n].text.clone());
                true
            }
            "system-add" => {
                let n = self.r.below(f.system.len() + 1);
                let b = self.block();
                f.system.insert(n, b);
                true
            }
            "system-remove" if !f.system.is_empty() => {
                f.system.remove(self.r.below(f.system.len()));
                true
            }
            "tool-add" => {
                let n = if self.r.one_in(2) {
                    f.tools.len()
                } else {
                    self.r.below(f.tools.len() + 1)
                };
                let t = self.tool();
                f.tools.insert(n, t);
                true
            }
            "tool-remove"
                if f.tools.len() > usize::from(self.api == Api::Converse || self.lite) =>
            {
                f.tools.remove(self.r.below(f.tools.len()));
                true
            }
            "tool-move" if f.tools.len() > 1 => {
                let t = f.tools.remove(self.r.below(f.tools.len() - 1));
                f.tools.push(t);
                true
            }
            "tool-change" | "tool-change-2" if !f.tools.is_empty() => {
                let n = self.r.below(f.tools.len());
                let id = self.id();
                let line = self.line();
                let t = &mut f.tools[n];
                let p = self.r.below(t.props.len());
                match self.r.below(6) {
                    0 => t.about = format!("{} r{id}", t.about),
                    1 => t.props[p].kind = "boolean",
                    2 => t.props[p].about = format!("{} r{id}", t.props[p].about),
                    3 if t.props[p].min != Some(0) => t.props[p].min = Some(0),
                    4 if t.props.len() > 1 => drop(t.props.pop()),
                    _ => t.props.push(Prop {
                        name: format!("new{id}"),
                        kind: "string",
                        about: line,
                        min: None,
                    }),
                }
                true
            }
            "edit" | "edit-2" => {
                let n = self.r.below(f.msgs.len());
                let texts: Vec<usize> = f.msgs[n]
                    .blocks
                    .iter()
                    .enumerate()
                    .filter(|(_, b)| matches!(b, Block::Text(_) | Block::Outcome { .. }))
                    .map(|(i, _)| i)
                    .collect();
                if texts.is_empty() {
                    return false;
                }
                let b = *self.r.pick(&texts);
                let mut m = f.msgs[n].clone();
                if let Block::Text(t) | Block::Outcome { text: t, .. } = &mut m.blocks[b] {
                    *t = self.edit(&t.clone());
                }
                m.id = self.id();
                f.msgs[n] = m;
                true
            }
            "drop" => {
                let len = f.msgs.len();
                let all: Vec<(usize, usize)> = (0..len)
                    .flat_map(|i| (1..len - i).map(move |n| (i, n)))
                    .filter(|(i, n)| self.fits(f, *i, i + n, None))
                    .collect();
                if all.is_empty() {
                    return false;
                }
                let (i, n) = *self.r.pick(&all);
                f.msgs.drain(i..i + n);
                true
            }
            "insert" => {
                let mut new = vec![self.user()];
                if self.r.one_in(2) || self.api.marked() {
                    new.extend(self.answer(&[]));
                }
                let all: Vec<usize> = (0..f.msgs.len() - 1)
                    .filter(|i| self.fits(f, *i, *i, Some(&new)))
                    .collect();
                if all.is_empty() {
                    return false;
                }
                let i = *self.r.pick(&all);
                f.msgs.splice(i..i, new);
                true
            }
            "rewrite" => {
                let new = vec![self.user()];
                let all: Vec<usize> = (1..f.msgs.len())
                    .filter(|n| self.fits(f, 0, *n, Some(&new)))
                    .collect();
                if all.is_empty() || self.r.one_in(2) {
                    f.msgs = new;
                    *grows = false;
                } else {
                    let n = *self.r.pick(&all);
                    f.msgs.splice(0..n, new);
                }
                true
            }
            "rewind" => {
                let all: Vec<usize> = (0..f.msgs.len())
                    .filter(|i| f.msgs[*i].role == "user")
                    .collect();
                if all.is_empty() {
                    return false;
                }
                let n = *self.r.pick(&all);
                f.msgs.truncate(n);
                let m = self.user();
                f.msgs.push(m);
                *grows = false;
                true
            }
            "marks" => {
                f.marks = Marks::default();
                true
            }
            "gap" => {
                let most = if self.api == Api::Responses {
                    1_700_000
                } else {
                    5_000_000
                };
                self.time += i64::try_from(self.r.from(200_000, most)).unwrap_or(0);
                true
            }
            _ => false,
        }
    }

    /// Whether no two messages of a role meet where `from..to` becomes `new`.
    fn fits(&self, f: &Full, from: usize, to: usize, new: Option<&[Msg]>) -> bool {
        if !self.api.marked() {
            return true;
        }
        let before = from.checked_sub(1).map(|i| f.msgs[i].role);
        let after = f.msgs.get(to).map(|m| m.role);
        match new {
            None => before != after,
            Some(new) => {
                before != new.first().map(|m| m.role) && after != new.last().map(|m| m.role)
            }
        }
    }

    /// Takes a request as the next of its lane, and writes its line.
    fn settle(&mut self, s: &mut Source, f: Full, chained: bool, mutations: Vec<&'static str>) {
        let known = self.naming != Naming::Nowhere;
        let after = match (&s.agent, &s.last) {
            (Some(_), last) => last.clone(),
            (None, last) if chained => last.clone(),
            (None, last) => match lane(&self.log, known, &f) {
                Ok(None) => None,
                Ok(Some(n)) if last.as_ref().is_some_and(|l| l.lane == n) => last.clone(),
                other => panic!("seed {}: {other:?} of {mutations:?}", self.seed),
            },
        };
        let (want, lane) = match &after {
            None => {
                self.lanes += 1;
                (Want::First, self.lanes)
            }
            Some(l) => {
                let gap = self.gap(s);
                match compare(self.api, &s.full, &f, gap) {
                    Ok(a) => (Want::After(l.line, a, gap), l.lane),
                    Err(why) => panic!("seed {}: {why}", self.seed),
                }
            }
        };
        self.write(s, &f, chained, want, lane, mutations, true);
        s.full = f.clone();
        s.last = Some(Last {
            line: self.lines.len() - 1,
            lane,
            time: self.timed.then_some(self.time),
        });
        self.log.push(Logged {
            lane,
            named: s.agent.is_some(),
            full: f,
        });
    }

    #[expect(clippy::too_many_arguments, reason = "one place writes a line")]
    fn write(
        &mut self,
        s: &mut Source,
        f: &Full,
        chained: bool,
        want: Want,
        lane: usize,
        mutations: Vec<&'static str>,
        answered: bool,
    ) {
        let mut sent = Sent {
            lite: self.lite && !s.side,
            system_role: self.system_role,
            creates: self.chain && !chained && self.api == Api::Anthropic,
            ..Sent::default()
        };
        if chained {
            sent.continues = s.response.clone();
            sent.from = s.full.msgs.len() + s.answer.len();
        }
        if self.api == Api::Anthropic || self.api == Api::Invoke {
            let session = if self.naming == Naming::Metadata {
                self.name.clone()
            } else {
                format!("other-{}", self.seed)
            };
            if self.naming == Naming::Metadata || self.naming == Naming::Header {
                let user = obj! { "device_id": "d1", "account_uuid": format!("account-{:06}-7d0e1f2a", self.seed), "session_id": session };
                sent.fields
                    .push(("metadata".into(), obj! { "user_id": user.plain() }));
            }
        }
        if self.naming == Naming::Session {
            sent.fields.push(("session_id".into(), J::from(&self.name)));
        }
        let mut style = Style::draw(&mut self.r, self.bill);
        if s.side {
            style.bill = false;
        }
        let json = body(self.api, f, &sent, &mut style);
        s.answer = self.answer(&f.tools);
        let id = format!(
            "{}_{}_{}",
            ["msg", "resp"][usize::from(self.api == Api::Responses)],
            self.seed,
            self.fresh
        );
        let mut line = J::Obj(Vec::new());
        let mut out = String::new();
        if self.bare {
            json.print(&mut out, &mut style.spelling);
        } else {
            line.push("request", json);
            if answered && (self.chain || !self.r.one_in(3)) {
                line.push(
                    "response",
                    response(self.api, &id, &f.model, &s.answer, &mut self.r),
                );
                line.push("status", 200_i64);
                s.response = Some(id);
            } else {
                s.response = None;
            }
            if self.timed {
                let time = moment(self.time, self.r.one_in(2));
                line.push("time", time);
            }
            let url = self.url(&f.model, f);
            if let Some(url) = url {
                line.push("url", url);
            }
            let mut headers = vec![
                (
                    "Authorization".to_owned(),
                    J::from(format!("Bearer {}", self.secret)),
                ),
                ("content-type".to_owned(), J::from("application/json")),
            ];
            if self.naming == Naming::Header {
                let key = *self
                    .r
                    .pick(&["x-claude-code-session-id", "X-Claude-Code-Session-Id"]);
                headers.push((key.into(), J::from(&self.name)));
            }
            if let Some(a) = &s.agent {
                headers.push(("x-claude-code-agent-id".into(), J::from(a)));
            }
            line.push("headers", J::Obj(headers));
            // A request that continues another has its conversation.
            if self.naming == Naming::Beside && !(chained && self.r.one_in(2)) {
                line.push("conversation", &self.name);
            }
            line.print(&mut out, &mut style.spelling);
        }
        self.lines.push(Line {
            time: self.time,
            json: out,
            want,
            conversation: (self.naming != Naming::Nowhere).then(|| self.name.clone()),
            lane,
            api: self.api,
            full: f.clone(),
            mutations,
        });
    }

    fn url(&mut self, model: &str, f: &Full) -> Option<String> {
        let r = &mut self.r;
        Some(match self.api {
            Api::Anthropic
                if !self.chain && !f.tools.is_empty() && !f.system.is_empty() && self.url == 2 =>
            {
                return None;
            }
            Api::Anthropic => r
                .pick(&[
                    "https://api.anthropic.com/v1/messages",
                    "https://api.anthropic.com/v1/messages?beta=true",
                ])
                .to_string(),
            Api::Invoke => {
                let end = r.pick(&["invoke", "invoke", "invoke-with-response-stream"]);
                format!("https://bedrock-runtime.us-east-1.amazonaws.com/model/{model}/{end}")
            }
            Api::Chat => [
                "https://openrouter.ai/api/v1/chat/completions",
                "https://api.deepseek.com/chat/completions",
                "https://api.openai.com/v1/chat/completions",
            ][self.url.min(2)]
            .to_owned(),
            Api::Responses if self.url == 2 => return None,
            Api::Responses => "https://api.openai.com/v1/responses".to_owned(),
            Api::Gemini => {
                let end = r.pick(&["generateContent?", "streamGenerateContent?alt=sse&"]);
                let key = format!("AIzaSy{:033}", self.seed);
                self.secrets.push(key.clone());
                format!(
                    "https://generativelanguage.googleapis.com/v1beta/models/{model}:{end}key={key}"
                )
            }
            Api::Converse => {
                let end = r.pick(&["converse", "converse-stream"]);
                format!("https://bedrock-runtime.us-east-1.amazonaws.com/model/{model}/{end}")
            }
        })
    }

    /// A chain whose first answer is not known, or a prompt that lies elsewhere.
    fn cut_off(&mut self) {
        self.bare = false;
        self.lite = false;
        match self.api {
            Api::Anthropic | Api::Responses => {
                self.chain = true;
                self.url = 3;
                let mut s = self.start(false, false);
                let f = s.full.clone();
                self.write(&mut s, &f, false, Want::First, 1, Vec::new(), false);
                s.response = Some(format!("lost_{}", self.seed));
                for _ in 0..self.r.from(1, 3) {
                    self.time += 5000;
                    let mut f = s.full.clone();
                    let turn = self.turn(&s.answer);
                    f.msgs.extend(s.answer.iter().cloned().chain(turn));
                    self.write(&mut s, &f, true, Want::Incomplete, 0, vec!["cut-off"], true);
                    s.full = f;
                }
            }
            _ => self.run(),
        }
    }
}

/// RFC 3339, or seconds.
fn moment(ms: i64, words: bool) -> J {
    if !words {
        return J::Seconds(ms);
    }
    let (days, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    // Days to a date: the calendar repeats every 400 years, and March begins its year here.
    let z = days + 719_468;
    let (era, doe) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (d, m) = (
        doy - (153 * mp + 2) / 5 + 1,
        if mp < 10 { mp + 3 } else { mp - 9 },
    );
    let y = yoe + era * 400 + i64::from(m <= 2);
    let (h, min, s, milli) = (
        rest / 3_600_000,
        rest / 60_000 % 60,
        rest / 1000 % 60,
        rest % 1000,
    );
    J::Str(format!(
        "{y:04}-{m:02}-{d:02}T{h:02}:{min:02}:{s:02}.{milli:03}Z"
    ))
}
