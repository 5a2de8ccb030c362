//! The cache of a provider, and what of a request it could reuse, against what `diff` calls reused.
//!
//! An entry is the exact bytes of a request up to the end of a block. Shortest lengths are not simulated: prompts are taken to be
//! long enough. The breakpoint rule looks back 20 blocks from the last block, which every request here marks.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::body::{Style, block, tool};
use crate::generate::{Conversation, conversation};
use crate::json::Spelling;
use crate::maker::Line;
use crate::model::{Api, Block, Full, Ttl, marks};
use crate::pairs::{input, order, setting};
use crate::program::said;
use crate::random::Random;
use crate::want::{Want, region};

fn style() -> Style {
    Style {
        spelling: Spelling {
            r: Random::new(0),
            spaces: false,
            escapes: false,
            numbers: false,
        },
        strings: false,
        split: false,
        blank: false,
        explicit: false,
        empty: false,
        bill: false,
        noise: false,
    }
}

/// The bytes up to the end of each segment. Settings come before the part from which they take effect.
fn prefixes(api: Api, f: &Full) -> Vec<String> {
    let mut out = Vec::new();
    let mut all = f.model.clone();
    let settings = |n: usize| {
        let mut these: Vec<String> = f
            .settings
            .iter()
            .filter(|(p, _)| region(api, p) == n)
            .map(|(p, v)| format!("{p}={}", v.plain()))
            .collect();
        these.sort_unstable();
        these.join("\n")
    };
    let mut style = style();
    let mut add = |all: &mut String, text: &str| {
        all.push_str(text);
        all.push('\0');
        out.push(all.clone());
    };
    all += &settings(0);
    for t in &f.tools {
        add(&mut all, &tool(api, t).plain());
    }
    all += "\u{1}";
    all += &settings(1);
    for s in &f.system {
        add(&mut all, &s.text);
    }
    all += "\u{1}";
    all += &settings(2);
    for m in &f.msgs {
        all += "\u{2}";
        all += m.role;
        for b in &m.blocks {
            let said = match b {
                Block::Thinking { signature, .. } if api.claude() => signature.clone(),
                b => block(api, m.role, b, &mut style).plain(),
            };
            add(&mut all, &said);
        }
    }
    out
}

/// When each prefix was written or last read, and how long it lives, in milliseconds.
type Cache = BTreeMap<String, (i64, i64)>;

/// The segments that are read, and the request written.
fn breakpoint(cache: &mut Cache, f: &Full, all: &[String], now: i64) -> usize {
    let ttl = marks(Api::Anthropic, f).unwrap_or(0) * 1000;
    let hit = (0..all.len()).rev().take(20).find(|n| {
        cache
            .get(&all[*n])
            .is_some_and(|(at, ttl)| now - at <= *ttl)
    });
    if let Some((at, _)) = hit.and_then(|n| cache.get_mut(&all[n])) {
        *at = now;
    }
    if let Some(last) = all.last() {
        cache.insert(last.clone(), (now, ttl));
    }
    hit.map_or(0, |n| n + 1)
}

fn automatic(before: &[String], all: &[String]) -> usize {
    before.iter().zip(all).take_while(|(a, b)| a == b).count()
}

/// Conversations until there are enough requests.
fn drawn() -> Vec<Conversation> {
    let pairs = setting("PROMPTC_PAIRS").unwrap_or(300) as usize;
    let mut all: Vec<Conversation> = Vec::new();
    let mut seed = setting("PROMPTC_FROM").unwrap_or(0) + 1_000_000;
    let mut drawn = 0;
    while drawn < pairs {
        let c = crate::generate::marking_last(seed);
        seed += 1;
        if c.lines
            .first()
            .is_some_and(|l| matches!(l.api, Api::Anthropic | Api::Chat))
        {
            drawn += c.lines.len();
            all.push(c);
        }
    }
    all
}

/// The program's report about a request.
struct Verdict<'a>(&'a Value);

impl Verdict<'_> {
    fn segments(&self) -> usize {
        usize::try_from(self.0["reused"]["segments"].as_u64().unwrap_or(0)).unwrap_or(0)
    }

    /// Whether there is no cause.
    fn none(&self) -> bool {
        self.0["causes"].as_array().is_some_and(Vec::is_empty)
    }

    fn expired(&self) -> bool {
        self.0["causes"]
            .as_array()
            .is_some_and(|c| c.iter().any(|c| c["kind"] == "expired"))
    }
}

/// The results of a simulation.
#[derive(Default)]
struct Found {
    checked: usize,
    /// Requests that grew by more than what is looked back.
    far: usize,
    wrong: Vec<String>,
}

impl Found {
    /// A request after `a`, of which a cache with breakpoints read `read` segments.
    fn marked(&mut self, name: &str, a: &Line, line: &Line, read: usize, v: &Verdict) {
        self.checked += 1;
        let whole = prefixes(a.api, &a.full);
        let mine = prefixes(line.api, &line.full);
        let segments = v.segments();
        let late = line.time - a.time > marks(a.api, &a.full).unwrap_or(0) * 1000;
        if v.none() && mine.len() > whole.len() + 19 {
            self.far += 1;
        } else if v.none() && (read != whole.len() || segments != read) {
            self.wrong.push(format!(
                "{name}: nothing changed, {read} read, {segments} said, {} sent",
                whole.len()
            ));
        } else if v.expired() != late {
            self.wrong.push(format!("{name}: expiry"));
        } else if !v.none() && !v.expired() {
            // An entry after each block: what is left is what did not change.
            let left = automatic(&whole, &mine);
            if left != segments {
                self.wrong
                    .push(format!("{name}: {left} left, {segments} said"));
            }
        }
    }

    /// A request after `a`, where the longest common start is read.
    fn unmarked(&mut self, name: &str, a: &Line, line: &Line, v: &Verdict) {
        let mut blocks = a.full.msgs.iter().flat_map(|m| &m.blocks);
        if v.expired() || blocks.any(|b| !matches!(b, Block::Text(_))) {
            return;
        }
        self.checked += 1;
        let read = automatic(&prefixes(a.api, &a.full), &prefixes(line.api, &line.full));
        let segments = v.segments();
        if read != segments {
            self.wrong
                .push(format!("{name}: {read} read, {segments} said"));
        }
    }
}

#[test]
fn caches_of_providers_reuse_the_text_that_diff_reports() {
    let all = drawn();
    let (text, numbers) = input(&all, &order(&all));
    let said = said(&text);
    let mut found = Found::default();
    for (conversation, numbers) in all.iter().zip(&numbers) {
        let mut caches: BTreeMap<usize, Cache> = BTreeMap::new();
        for (line, n) in conversation.lines.iter().zip(numbers) {
            let v = Verdict(said.of(*n).unwrap_or(&Value::Null));
            let name = format!("seed {}, request {n}", conversation.seed);
            let before = match &line.want {
                Want::After(a, ..) => Some(&conversation.lines[*a]),
                _ => None,
            };
            if line.api == Api::Anthropic {
                // The first request of a chain is written too.
                let cache = caches.entry(line.chain).or_default();
                let mine = prefixes(line.api, &line.full);
                let read = breakpoint(cache, &line.full, &mine, line.time);
                if let Some(a) = before {
                    found.marked(&name, a, line, read, &v);
                }
            } else if let Some(a) = before {
                found.unmarked(&name, a, line, &v);
            }
        }
    }
    let Found {
        checked,
        far,
        wrong,
    } = found;
    println!(
        "{checked} requests were simulated, {far} of them grew too far; {} are wrong",
        wrong.len()
    );
    for w in wrong.iter().take(20) {
        println!("    {w}");
    }
    assert!(wrong.is_empty(), "{} requests are wrong", wrong.len());
}

#[test]
fn a_cache_forgets() {
    let c = conversation(3);
    let f = Full {
        marks: crate::model::Marks {
            last: Some(Ttl::Unsaid),
            ..Default::default()
        },
        ..c.lines[0].full.clone()
    };
    let all = prefixes(Api::Anthropic, &f);
    let mut cache = Cache::new();
    assert_eq!(breakpoint(&mut cache, &f, &all, 0), 0);
    assert_eq!(breakpoint(&mut cache, &f, &all, 299_000), all.len());
    assert_eq!(
        breakpoint(&mut cache, &f, &all, 598_000),
        all.len(),
        "a read refreshes"
    );
    assert_eq!(breakpoint(&mut cache, &f, &all, 900_000), 0);
}
