//! The cache of a provider, and what of a request it could reuse, against what `diff` calls reused.
//!
//! An entry is the exact bytes of a request up to the end of a block. Shortest lengths are not simulated: prompts are taken to be
//! long enough. The breakpoint rule looks back 20 blocks from the last block, which every request here marks.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::generate::{Conversation, Want, conversation};
use crate::json::Spelling;
use crate::model::{Api, Block, Full, Style, Ttl, block, marks, tool};
use crate::pairs::{order, setting};
use crate::program::said;
use crate::random::Random;
use crate::want::region;

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

#[test]
fn caches_of_providers_reuse_what_diff_says() {
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
    let order = order(&all);
    let mut numbers: Vec<Vec<usize>> = all.iter().map(|c| vec![0; c.lines.len()]).collect();
    let mut text = String::new();
    for (n, (c, l)) in order.iter().enumerate() {
        numbers[*c][*l] = n + 1;
        text += &all[*c].lines[*l].json;
        text.push('\n');
    }
    let said = said(&text);
    let mut wrong: Vec<String> = Vec::new();
    let (mut checked, mut far) = (0, 0);
    for (c, conversation) in all.iter().enumerate() {
        let mut caches: BTreeMap<usize, Cache> = BTreeMap::new();
        for (l, line) in conversation.lines.iter().enumerate() {
            let v = said.of(numbers[c][l]).unwrap_or(&Value::Null);
            let segments =
                usize::try_from(v["reused"]["segments"].as_u64().unwrap_or(0)).unwrap_or(0);
            let mine = prefixes(line.api, &line.full);
            let before = match &line.want {
                Want::After(a, ..) => Some(&conversation.lines[*a]),
                _ => None,
            };
            let named = |kind: &str| {
                v["causes"]
                    .as_array()
                    .is_some_and(|c| c.iter().any(|c| c["kind"] == kind))
            };
            if line.api == Api::Anthropic {
                let read = breakpoint(
                    caches.entry(line.lane).or_default(),
                    &line.full,
                    &mine,
                    line.time,
                );
                let Some(a) = before else { continue };
                checked += 1;
                let whole = prefixes(a.api, &a.full);
                let none = v["causes"].as_array().is_some_and(Vec::is_empty);
                if none && mine.len() > whole.len() + 19 {
                    // It grew by more than what is looked back.
                    far += 1;
                } else if none && (read != whole.len() || segments != read) {
                    wrong.push(format!("seed {}, request {}: nothing changed, {read} read, {segments} said, {} sent", conversation.seed, numbers[c][l], whole.len()));
                } else if named("expired")
                    != (line.time - a.time > marks(a.api, &a.full).unwrap_or(0) * 1000)
                {
                    wrong.push(format!(
                        "seed {}, request {}: expiry",
                        conversation.seed, numbers[c][l]
                    ));
                } else if !none && !named("expired") {
                    // An entry after each block: what is left is what did not change.
                    let left = automatic(&whole, &mine);
                    if left != segments {
                        wrong.push(format!(
                            "seed {}, request {}: {left} left, {segments} said",
                            conversation.seed, numbers[c][l]
                        ));
                    }
                }
            } else if let Some(a) = before
                && !a
                    .full
                    .msgs
                    .iter()
                    .flat_map(|m| &m.blocks)
                    .any(|b| !matches!(b, Block::Text(_)))
                && !named("expired")
            {
                checked += 1;
                let read = automatic(&prefixes(a.api, &a.full), &mine);
                if read != segments {
                    wrong.push(format!(
                        "seed {}, request {}: {read} read, {segments} said",
                        conversation.seed, numbers[c][l]
                    ));
                }
            }
        }
    }
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
