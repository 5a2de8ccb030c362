//! Conversations with known changes.

use crate::class::Class;
use crate::json::J;
use crate::maker::{Last, Line, Maker, Naming, Source};
use crate::model::{Api, Block, Full};
use crate::random::Random;
use crate::want::{Logged, Want, chain, compare, goes_another_way};
use crate::write::Place;

pub(crate) struct Conversation {
    pub(crate) seed: u64,
    pub(crate) lines: Vec<Line>,
    pub(crate) secrets: Vec<String>,
    pub(crate) redrawn: Vec<&'static str>,
}

pub(crate) fn conversation(seed: u64) -> Conversation {
    draw(seed, false, None)
}

/// A conversation of a class.
pub(crate) fn of_class(seed: u64, class: Class) -> Conversation {
    draw(seed, false, Some(class))
}

/// A conversation whose requests mark their last block and no other, with one time to live.
pub(crate) fn marking_last(seed: u64) -> Conversation {
    draw(seed, true, None)
}

fn draw(seed: u64, last: bool, class: Option<Class>) -> Conversation {
    let mut m = maker(seed, last);
    m.class = class;
    m.fit();
    m.secrets.extend([
        m.secret.clone(),
        m.password.clone(),
        format!("account-{seed:06}-7d0e1f2a"),
    ]);
    if matches!(m.naming, Naming::Header | Naming::Metadata) {
        m.secrets.push(m.name.clone());
    }
    if class == Some(Class::Agents) {
        m.run_agents();
    } else if m.r.one_in(25) {
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

fn maker(seed: u64, last: bool) -> Maker {
    let mut r = Random::new(seed);
    let api = some_api(&mut r);
    let chain = matches!(api, Api::Anthropic | Api::Responses) && !last && r.one_in(4);
    let naming = some_naming(api, &mut r);
    let bare = api == Api::Responses && !chain && r.one_in(6) && !matches!(naming, Naming::Beside);
    Maker {
        class: None,
        more: Random::new(seed.wrapping_mul(31) + 5),
        untimed: false,
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
        heads: api == Api::Responses && !chain && r.one_in(3),
        bare,
        system_role: if r.one_in(2) { "system" } else { "developer" },
        secret: format!("sk-ant-api03-{:024}Zq{seed:08}xYAA", r.below(1 << 40)),
        password: format!("correct-horse-{seed:06}-{}", r.below(1 << 30)),
        fresh: 0,
        time: 1_790_000_000_000 + i64::try_from(seed % 100_000).unwrap_or(0) * 700_000,
        lines: Vec::new(),
        log: Vec::new(),
        chains: 0,
        redrawn: Vec::new(),
        secrets: Vec::new(),
        r,
    }
}

fn some_api(r: &mut Random) -> Api {
    *r.pick(&[
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
    ])
}

fn some_naming(api: Api, r: &mut Random) -> Naming {
    *r.pick(match api {
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
    })
}

impl Maker {
    pub(crate) fn start(&mut self, side: bool, agent: bool) -> Source {
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
        self.key(&mut settings);
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

    /// The next request of a chain.
    fn step(&mut self, s: &mut Source) {
        self.untimed = self.class == Some(Class::Timeless) && self.more.one_in(3);
        if s.last.is_none() {
            let f = s.full.clone();
            self.settle(s, f, false, Vec::new());
            return;
        }
        if s.side {
            // A side call asks again: its one message differs.
            let mut f = s.full.clone();
            f.msgs = vec![self.user()];
            f.marks = self.marks();
            self.key(&mut f.settings);
            self.settle(s, f, false, vec!["side"]);
            return;
        }
        for _ in 0..9 {
            let time = self.time;
            let mut f = s.full.clone();
            let resend = self.r.one_in(4);
            let chained = self.chain && s.response.is_some() && !resend;
            let done = self.mutate(s, &mut f, chained);
            self.key(&mut f.settings);
            match self.check(s, &f, chained) {
                Ok(()) => {
                    self.settle(s, f, chained, done);
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
        if !chained && goes_another_way(&self.log, f) {
            return Err("it goes another way than the last one");
        }
        // That another conversation begins with the same words says nothing.
        let is_begun = f.msgs.len() > 1 && f.msgs.starts_with(&s.full.msgs);
        let is_long = s.full.msgs.len() > 1 && f.msgs.len() > 1;
        if self.class == Some(Class::CacheKey) && !is_begun && !is_long {
            return Err("another conversation may begin so");
        }
        if s.agent.is_none() && !chained {
            match chain(&self.log, self.naming != Naming::Nowhere, f)? {
                Some(n) if s.last.as_ref().is_some_and(|l| l.chain != n) => {
                    return Err("another chain");
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
            .filter(|_| self.timed && !self.untimed)
            .map(|t| self.time - t)
    }

    /// Takes a request as the next of its chain, and writes its line.
    pub(crate) fn settle(
        &mut self,
        s: &mut Source,
        f: Full,
        chained: bool,
        mutations: Vec<&'static str>,
    ) {
        self.fail(s, &f, chained);
        let known = self.naming != Naming::Nowhere;
        let after = match (&s.agent, &s.last) {
            (Some(_), last) => last.clone(),
            // A request follows the one that it extends.
            (_, last) if self.class == Some(Class::Agents) => last.clone(),
            (None, last) if chained => last.clone(),
            (None, last) => match chain(&self.log, known, &f) {
                Ok(None) => None,
                Ok(Some(n)) if last.as_ref().is_some_and(|l| l.chain == n) => last.clone(),
                other => panic!("seed {}: {other:?} of {mutations:?}", self.seed),
            },
        };
        let (want, chain) = match &after {
            None => {
                self.chains += 1;
                (Want::First, self.chains)
            }
            Some(l) => {
                let gap = self.gap(s);
                match compare(self.api, &s.full, &f, gap) {
                    Ok(a) => (Want::After(l.line, a, gap), l.chain),
                    Err(why) => panic!("seed {}: {why}", self.seed),
                }
            }
        };
        let place = Place {
            want,
            chain,
            mutations,
        };
        self.write(s, &f, chained, true, place);
        s.full = f.clone();
        s.last = Some(Last {
            line: self.lines.len() - 1,
            chain,
            time: (self.timed && !self.untimed).then_some(self.time),
        });
        self.log.push(Logged {
            chain,
            named: s.agent.is_some(),
            full: f,
        });
    }

    /// A chain whose first answer is not known, or a prompt that is elsewhere.
    fn cut_off(&mut self) {
        self.bare = false;
        self.lite = false;
        match self.api {
            Api::Anthropic | Api::Responses => {
                self.chain = true;
                self.url = 3;
                let mut s = self.start(false, false);
                let f = s.full.clone();
                let place = Place {
                    want: Want::First,
                    chain: 1,
                    mutations: Vec::new(),
                };
                self.write(&mut s, &f, false, false, place);
                s.response = Some(format!("lost_{}", self.seed));
                for _ in 0..self.r.from(1, 3) {
                    self.time += 5000;
                    let mut f = s.full.clone();
                    let turn = self.turn(&s.answer);
                    f.msgs.extend(s.answer.iter().cloned().chain(turn));
                    let place = Place {
                        want: Want::Incomplete,
                        chain: 0,
                        mutations: vec!["cut-off"],
                    };
                    self.write(&mut s, &f, true, true, place);
                    s.full = f;
                }
            }
            _ => self.run(),
        }
    }
}
