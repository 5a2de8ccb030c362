//! What recordings of the field hold besides good requests one after the other.

use crate::body::{Style, body};
use crate::json::{J, obj};
use crate::maker::{Line, Maker, Naming, Source};
use crate::model::{Api, Block, Full};
use crate::want::Want;

/// A class of what a recording can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// All answers have one id, as test servers and proxies that only record give it.
    ConstantId,
    /// Requests that got no answer stand between the good ones.
    Failed,
    /// Each request has its own `prompt_cache_key`.
    CacheKey,
    /// Agents with one system prompt and no id of their own, and two requests that go on from one.
    Agents,
    /// Some requests have no time.
    Timeless,
    /// Requests change before, at and after their last breakpoint.
    Marked,
}

impl Maker {
    /// Gives a conversation what its class needs.
    pub(crate) fn fit(&mut self) {
        match self.class {
            Some(Class::CacheKey) => {
                if !matches!(self.api, Api::Chat | Api::Responses) {
                    self.api = *self.more.pick(&[Api::Chat, Api::Responses]);
                    self.chain = false;
                    self.heads = false;
                    self.lite = false;
                    self.bare = false;
                    self.bill = false;
                }
                self.naming = *self
                    .more
                    .pick(&[Naming::Nowhere, Naming::Nowhere, Naming::Session]);
            }
            Some(Class::Agents) => {
                self.chain = false;
                self.lite = false;
            }
            Some(Class::Failed) => self.bare = false,
            Some(Class::Timeless) => {
                self.bare = false;
                self.timed = true;
            }
            Some(Class::Marked) => {
                if !self.api.marked() {
                    self.api = *self
                        .more
                        .pick(&[Api::Anthropic, Api::Invoke, Api::Converse]);
                    self.lite = false;
                    self.heads = false;
                    self.bill = false;
                    self.naming = Naming::Beside;
                }
                self.chain = false;
                self.bare = false;
                self.cached = true;
            }
            Some(Class::ConstantId) | None => {}
        }
    }

    /// A key that no other request has.
    pub(crate) fn key(&mut self, settings: &mut Vec<(&'static str, J)>) {
        if self.class == Some(Class::CacheKey) {
            settings.retain(|(p, _)| *p != "prompt_cache_key");
            let id = self.id();
            let key = format!("key-{}-{id}", self.seed);
            settings.push(("prompt_cache_key", J::from(key)));
        }
    }

    /// Agents that start at once, and requests that two others extend.
    pub(crate) fn run_agents(&mut self) {
        let mut all = vec![self.start(false, false)];
        let mut agent = self.start(false, true);
        agent.agent = None;
        for _ in 0..self.more.from(2, 4) {
            agent.full.msgs = vec![self.user()];
            all.push(agent.clone());
        }
        // All begin before one goes on.
        for s in &mut all {
            self.go_on(s);
        }
        for _ in 0..self.more.from(8, 16) {
            if self.more.one_in(5) && all.len() < 7 {
                let twin = self.more.below(all.len());
                all.push(all[twin].clone());
                let last = all.len() - 1;
                self.go_on(&mut all[twin]);
                self.go_on(&mut all[last]);
            }
            let n = self.more.below(all.len());
            self.go_on(&mut all[n]);
        }
    }

    /// The next request of a chain that only grows.
    fn go_on(&mut self, s: &mut Source) {
        self.time += i64::try_from(self.more.from(400, 9_000)).unwrap_or(0);
        let mut f = s.full.clone();
        if s.last.is_some() {
            let turn = self.turn(&s.answer);
            f.msgs.extend(s.answer.iter().cloned().chain(turn));
        }
        self.settle(s, f, false, Vec::new());
    }

    /// Requests that fail before `f` is sent: the same body, or one that is sent only once.
    pub(crate) fn fail(&mut self, s: &Source, f: &Full, chained: bool) {
        if self.class != Some(Class::Failed) || !self.more.one_in(3) {
            return;
        }
        let mut f = f.clone();
        if !chained && self.more.one_in(2) {
            if let Some(block) = f.system.first_mut() {
                block.text = self.edit(&block.text);
            } else if let Some(Block::Text(t)) =
                f.msgs.first_mut().and_then(|m| m.blocks.first_mut())
            {
                *t = self.edit(t);
            }
        }
        // What is drawn for the line is no state of the chain.
        let mut s = s.clone();
        let sent = self.sent(&s, chained);
        let mut style = Style::draw(&mut self.r, self.bill);
        if s.side {
            style.bill = false;
        }
        let json = body(self.api, &f, &sent, &mut style);
        let mut line = self.exchange(&mut s, &f, json, chained, false);
        let status = *self.more.pick(&[400_i64, 429, 500, 529]);
        line.push("status", status);
        if self.more.one_in(2) {
            let error = obj! { "type": "overloaded_error", "message": "Overloaded" };
            line.push("response", obj! { "type": "error", "error": error });
        }
        let mut out = String::new();
        line.print(&mut out, &mut style.spelling);
        self.lines.push(Line {
            time: self.time,
            json: out,
            want: Want::Failed,
            conversation: (self.naming != Naming::Nowhere).then(|| self.name.clone()),
            chain: 0,
            api: self.api,
            full: f,
            mutations: vec!["failed"],
        });
        self.time += 300;
    }
}
