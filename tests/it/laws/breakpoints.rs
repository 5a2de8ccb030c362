//! The plan of breakpoints, against a cache that follows the words of providers' documents.
//!
//! Two users of one deployment send requests that `emit` wrote. The cache looks at the bodies alone: it keeps the text up to each
//! mark, if it is long enough, and finds what was kept at a mark or up to 20 blocks before it. The second user must read the text
//! that both share, and exactly as much as the cost of the difference says is reused.

use super::{config, memory};
use promptc::compile::{FactsFile, GivenInputs};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::prompt::{Deliver, Prompt};
use promptc::request::cost::{CostQuery, of};
use promptc::request::emit::place::Messages;
use promptc::request::emit::{Call, EmitOptions, SHAPES, emit};
use promptc::request::provider::{self, Catalog, ModelMatch};
use promptc::text::Json;
use promptc::text::tokens::Tokenizer;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_assert, prop_assert_eq, prop_oneof};
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The classes, the most stable first. Sessions share the first two.
const CLASSES: [&str; 5] = ["never", "deploy", "session", "day", "turn"];
const SHARED: usize = 2;

/// Each is one token, with a space before it and without.
const WORDS: [&str; 4] = ["go", "so", "it", "we"];

/// The shapes whose requests are marked: provider, model, whether tools can be marked, how many marks the provider takes itself.
const PROVIDERS: [(&str, &str, bool, usize); 4] = [
    ("anthropic", "anthropic", true, 0),
    ("bedrock", "bedrock", true, 0),
    ("openai", "openai>=5.6", false, 1),
    ("chat", "qwen-explicit", false, 0),
];

#[derive(Debug, Clone)]
struct Tier {
    class: usize,
    tools: bool,
    /// The words of each user; of shared tiers the first one's are those of both.
    words: [Vec<usize>; 2],
}

#[derive(Debug, Clone)]
struct Sample {
    tiers: Vec<Tier>,
    provider: usize,
    min: u64,
    marks: usize,
    /// The messages of each user.
    messages: [usize; 2],
}

fn samples() -> impl Strategy<Value = Sample> {
    let words = || vec(0..WORDS.len(), 0..12);
    let class = prop_oneof![1 => 0..SHARED, 1 => 0..CLASSES.len()];
    let tier = (class, 0_usize..4, [words(), words()]);
    let tier = tier.prop_map(|(class, tools, words)| Tier {
        class,
        tools: tools == 0,
        words,
    });
    let tiers = prop_oneof![
        // As `check` asks for them.
        2 => vec(tier.clone(), 1..7).prop_map(|mut tiers| {
            tiers.sort_by_key(|tier| tier.class);
            tiers
        }),
        1 => vec(tier, 1..7),
    ];
    let messages = || prop_oneof![3 => 0_usize..6, 1 => Just(40)];
    let marks = prop_oneof![1 => 1_usize..4, 2 => Just(4)];
    let rest = (0..PROVIDERS.len(), 0_u64..25, marks);
    (tiers, rest, [messages(), messages()]).prop_map(|(tiers, (provider, min, marks), messages)| {
        Sample {
            tiers,
            provider,
            min,
            marks,
            messages,
        }
    })
}

impl Sample {
    fn manifest(&self) -> String {
        let mut out = "promptc 1\n".to_owned();
        for (at, tier) in self.tiers.iter().enumerate() {
            let class = CLASSES[tier.class];
            let deliver = if tier.tools { " deliver=tools" } else { "" };
            let _ = writeln!(out, "fact f{at} string changes={class}");
            let _ = writeln!(
                out,
                "tier t{at} changes={class}{deliver} {{ layer l{at} {{ template \"{{{{ f{at} }}}}\" }} }}"
            );
        }
        out
    }

    fn text(&self, at: usize, user: usize) -> String {
        let tier = &self.tiers[at];
        let words = &tier.words[if tier.class < SHARED { 0 } else { user }];
        // A text that changes at every call.
        let turn = CLASSES[tier.class] == "turn" && user == 1 && !words.is_empty();
        let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
        let words = words.join(" ") + if turn { " again" } else { "" };
        match (tier.tools, words.is_empty()) {
            (true, false) => json!({"name": format!("t{at}"), "description": words}).to_string(),
            _ => words,
        }
    }

    fn prompt(&self, user: usize) -> Prompt {
        let facts = (0..self.tiers.len()).map(|at| (format!("f{at}"), self.text(at, user)));
        let facts: BTreeMap<String, String> = facts.collect();
        let facts = serde_json::to_vec(&facts).unwrap();
        let given = GivenInputs {
            facts: vec![FactsFile::new("facts.json", &facts)],
            ..GivenInputs::default()
        };
        let files = BTreeMap::from([("promptc.kdl".to_owned(), self.manifest().into_bytes())]);
        super::build(&memory(&files), Path::new("/base/promptc.kdl"), &given).unwrap()
    }

    fn found(&self) -> ModelMatch {
        let (_, provider, ..) = PROVIDERS[self.provider];
        let text = format!(
            "providers 1 currency=USD as-of=\"2026-03-01\"\n\
             model \"m\" provider=\"{provider}\" {{\nprefix min={} granularity=1 breakpoints={}\n\
             ttl \"5m\" write=1.25\nsource \"s\" as-of=\"2026-03-01\"\n}}\n",
            self.min.max(1),
            self.marks,
        );
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let file = files.add("table.kdl".to_owned(), text.clone());
        let own = Catalog::default();
        let table = provider::table(file, &text, &own.provider_names(), &mut diags);
        let catalog = Catalog::new(vec![table.expect("a table")]);
        let found = catalog.find("m", jiff::civil::date(2026, 3, 2));
        found.expect("its row")
    }

    fn body(&self, found: &ModelMatch, prompt: &Prompt, messages: &[Json]) -> Value {
        let (shape, ..) = PROVIDERS[self.provider];
        let shape = SHAPES.iter().find(|known| known.name == shape).unwrap();
        let wish = EmitOptions::default();
        let call = Call {
            prompt,
            model: "m",
            found: Some(found),
            tokenizer: Tokenizer::O200K,
            messages,
            prefill: None,
            wish: &wish,
        };
        let mut diags = Diagnostics::default();
        let body = emit(shape, &call, &mut diags);
        let codes: Vec<String> = diags.iter().map(|d| format!("{d:?}")).collect();
        serde_json::to_value(body.unwrap_or_else(|_| panic!("{codes:?}"))).unwrap()
    }

    /// The first so many messages of a user's conversation; the last one is the user's.
    fn messages(&self, user: usize, count: usize) -> Vec<Json> {
        let all = (0..count).map(|at| {
            let said = format!("user {user} says {at}");
            match (count - at) % 2 {
                1 => self.message("user", &said, 1),
                _ => self.message("assistant", &said, 1),
            }
        });
        all.collect()
    }

    fn message(&self, role: &str, text: &str, parts: usize) -> Json {
        let part = |at: usize| match PROVIDERS[self.provider].0 {
            "bedrock" => json!({"text": format!("{text} {at}")}),
            _ => json!({"type": "text", "text": format!("{text} {at}")}),
        };
        let parts: Vec<Value> = (0..parts).map(part).collect();
        Json::read(&json!({"role": role, "content": parts}).to_string()).unwrap()
    }
}

/// A part of a request, as a provider reads it.
#[derive(Debug, Clone)]
struct Block {
    text: String,
    marked: bool,
}

/// The blocks of a body, in the order of the provider.
fn blocks(body: &Value) -> Vec<Block> {
    let mut out = Vec::new();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let tools = list(&body["tools"])
        .into_iter()
        .chain(list(&body["toolConfig"]["tools"]));
    tools.for_each(|tool| add(&mut out, "tool", tool));
    list(&body["system"])
        .into_iter()
        .for_each(|part| add(&mut out, "system", part));
    for message in list(&body["messages"]) {
        let role = message["role"].as_str().unwrap();
        match &message["content"] {
            Value::String(text) => add(&mut out, role, json!({"type": "text", "text": text})),
            content => list(content)
                .into_iter()
                .for_each(|part| add(&mut out, role, part)),
        }
    }
    out
}

fn add(out: &mut Vec<Block>, role: &str, mut part: Value) {
    if part.get("cachePoint").is_some() {
        out.last_mut().unwrap().marked = true;
        return;
    }
    let object = part.as_object_mut().unwrap();
    let marks = ["cache_control", "prompt_cache_breakpoint"].map(|key| object.remove(key));
    out.push(Block {
        marked: marks.iter().any(Option::is_some),
        text: match role {
            "tool" => part.to_string(),
            _ => part["text"].as_str().unwrap().to_owned(),
        },
    });
    let role = if role == "developer" { "system" } else { role };
    out.last_mut()
        .unwrap()
        .text
        .insert_str(0, &format!("{role}\0"));
}

/// A cache of one provider. Whether a text that is cut in other places is another text, no document says: both are tried.
struct Cache {
    entries: BTreeSet<String>,
    cuts_count: bool,
    min: u64,
    /// How many blocks a mark finds, itself among them.
    looks: usize,
    /// Whether the last message is marked in any case.
    implicit: bool,
}

impl Cache {
    /// The blocks that are read; then the request is written.
    fn send(&mut self, all: &[Block], tokens: &dyn Fn(usize) -> u64) -> usize {
        let key = |end: usize| {
            let mut key = String::new();
            let mut last = "";
            for block in &all[..end] {
                let (role, text) = block.text.split_once('\0').unwrap();
                if self.cuts_count || role != "system" || last != role {
                    key.push('\0');
                    key.push_str(role);
                    key.push('\0');
                }
                key.push_str(text);
                last = role;
            }
            key
        };
        let is_said = |block: &Block| {
            !["tool\0", "system\0"]
                .iter()
                .any(|r| block.text.starts_with(r))
        };
        let is_marked =
            |at: usize| all[at].marked || self.implicit && at + 1 == all.len() && is_said(&all[at]);
        let marks: Vec<usize> = (0..all.len()).filter(|at| is_marked(*at)).collect();
        let found = marks.iter().flat_map(|at| {
            let from = (at + 1).saturating_sub(self.looks);
            (from..=*at)
                .rev()
                .find(|at| self.entries.contains(&key(at + 1)))
        });
        let read = found.map(|at| at + 1).max().unwrap_or(0);
        let long = marks.iter().filter(|at| tokens(**at + 1) >= self.min);
        let new: Vec<String> = long.map(|at| key(at + 1)).collect();
        self.entries.extend(new);
        read
    }
}

/// The tokens before the end of a block: of the tiers of tools, then of the system prompt; a message has one at least.
fn tokens(prompt: &Prompt, all: &[Block], end: usize) -> u64 {
    let count = |deliver: Deliver, end: usize| {
        let text = prompt.text(deliver);
        Tokenizer::O200K.count_parts(text, &[end, text.len()])[0] as u64
    };
    let of = |role: &str| {
        let blocks = all[..end]
            .iter()
            .filter_map(|block| block.text.split_once('\0'));
        let own = blocks
            .filter(|(own, _)| *own == role)
            .map(|(_, text)| text.len());
        own.collect::<Vec<_>>()
    };
    let (tools, system) = (of("tool").len(), of("system").iter().sum());
    let text = prompt.text(Deliver::Tools);
    // Each tier of tools is one tool.
    let tool_end = text
        .match_indices('}')
        .nth(tools.wrapping_sub(1))
        .map_or(0, |(at, _)| at + 1);
    let said = (end - tools - of("system").len()) as u64;
    count(Deliver::Tools, tool_end) + count(Deliver::System, system) + said
}

/// The tokens that the text has that both users share and that can be marked.
fn shared(sample: &Sample, prompt: &Prompt) -> u64 {
    let (_, _, tools_marked, own) = PROVIDERS[sample.provider];
    let mut most = 0;
    let mut before = 0;
    'all: for deliver in [Deliver::Tools, Deliver::System] {
        let text = prompt.text(deliver);
        let count = |end: usize| Tokenizer::O200K.count_parts(text, &[end, text.len()])[0] as u64;
        let tiers = sample.tiers.iter().enumerate();
        for (at, tier) in tiers.filter(|(_, t)| t.tools == (deliver == Deliver::Tools)) {
            // Also where it is blank: another session may have text there.
            if tier.class >= SHARED {
                break 'all;
            }
            let all = prompt.channel(deliver).into_iter().flat_map(|c| &c.tiers);
            let Some(own) = all.into_iter().find(|own| own.name == format!("t{at}")) else {
                continue;
            };
            let can = deliver == Deliver::System || tools_marked;
            let tokens = before + count(own.end);
            if can && tokens >= sample.min && !text[own.start..own.end].trim().is_empty() {
                most = tokens;
            }
        }
        before += count(text.len());
    }
    if sample.marks > own { most } else { 0 }
}

struct Counts {
    shared: Cell<u32>,
    parts: Cell<u32>,
}

fn check(sample: &Sample, counts: &Counts) -> Result<(), TestCaseError> {
    let (_, _, _, own) = PROVIDERS[sample.provider];
    let found = sample.found();
    let prompts = [0, 1].map(|user| sample.prompt(user));
    let sent = |user: usize, count: usize| {
        blocks(&sample.body(&found, &prompts[user], &sample.messages(user, count)))
    };
    let read = |[a, b]: [usize; 2], cuts_count: bool| {
        let mut cache = Cache {
            entries: BTreeSet::new(),
            cuts_count,
            min: sample.min,
            looks: if own == 0 { 20 } else { usize::MAX },
            implicit: own > 0,
        };
        let (first, second) = (sent(0, a), sent(1, b));
        cache.send(&first, &|end| tokens(&prompts[0], &first, end));
        let read = cache.send(&second, &|end| tokens(&prompts[1], &second, end));
        tokens(&prompts[1], &second, read)
    };
    let shared = shared(sample, &prompts[0]);
    let reads = read(sample.messages, true);
    prop_assert_eq!(reads, read(sample.messages, false));
    prop_assert!(shared <= reads, "{} shared, {} read", shared, reads);
    counts
        .shared
        .set(counts.shared.get() + u32::from(shared > 0));
    for count in sample.messages {
        let reads = read([count, count], true);
        let said = |messages: Messages| {
            let asked = CostQuery {
                name: "m".to_owned(),
                found: found.clone(),
                tokenizer: Some(Tokenizer::O200K),
                requests: None,
                messages,
            };
            of(&prompts[0], &prompts[1], &asked).after
        };
        prop_assert_eq!(said(Messages::Count(count)), reads, "{} messages", count);
        if count >= sample.marks {
            prop_assert_eq!(said(Messages::Conversation), reads, "a conversation");
        }
        prop_assert!(said(Messages::Conversation) <= reads);
        counts.parts.set(counts.parts.get() + u32::from(reads > 0));
    }
    Ok(())
}

#[test]
fn the_next_user_reads_what_sessions_share_and_exactly_what_is_said_to_be_reused() {
    let config = config(200);
    let cases = config.cases;
    let counts = Counts {
        shared: Cell::new(0),
        parts: Cell::new(0),
    };
    let mut runner = TestRunner::new(config);
    let ran = runner.run(&samples(), |sample| check(&sample, &counts));
    ran.unwrap_or_else(|failure| panic!("{failure}"));
    let shared = counts.shared.get();
    assert!(shared > cases / 4, "only {shared} share a part");
    let parts = counts.parts.get();
    assert!(parts > cases / 2, "only {parts} reuse a part");
}

fn sample(tiers: &[(usize, &[usize])], marks: usize) -> Sample {
    let tier = |(class, words): &(usize, &[usize])| Tier {
        class: *class,
        tools: false,
        words: [words.to_vec(), vec![3; 3]],
    };
    Sample {
        tiers: tiers.iter().map(tier).collect(),
        provider: 0,
        min: 1,
        marks,
        messages: [0, 0],
    }
}

#[test]
fn the_shared_text_is_read_whatever_the_number_of_messages() {
    let tiers: [(usize, &[usize]); 4] = [(0, &[0; 9]), (1, &[1; 9]), (2, &[2; 9]), (3, &[2; 4])];
    for count in [0, 1, 2, 3, 4, 10_000] {
        for marks in 1..=4 {
            let sample = Sample {
                messages: [count, 1],
                ..sample(&tiers, marks)
            };
            check(
                &sample,
                &Counts {
                    shared: Cell::new(0),
                    parts: Cell::new(0),
                },
            )
            .unwrap();
        }
    }
}

/// However many tools an answer calls: both of two last messages may be out of reach.
#[test]
fn the_next_request_of_a_conversation_reads_all_of_the_one_before() {
    let tiers: [(usize, &[usize]); 2] = [(1, &[1; 9]), (2, &[2; 9])];
    let sample = sample(&tiers, 4);
    let (found, prompt) = (sample.found(), sample.prompt(0));
    for (before, parts) in [(1, 1), (1, 19), (1, 40), (3, 25), (9, 60)] {
        let mut messages = sample.messages(0, before);
        let first = blocks(&sample.body(&found, &prompt, &messages));
        messages.push(sample.message("assistant", "calls", parts));
        messages.push(sample.message("user", "results", parts));
        let second = blocks(&sample.body(&found, &prompt, &messages));
        let mut cache = Cache {
            entries: BTreeSet::new(),
            cuts_count: true,
            min: 1,
            looks: 20,
            implicit: false,
        };
        cache.send(&first, &|_| 1);
        assert_eq!(cache.send(&second, &|_| 1), first.len(), "{before} {parts}");
        assert!(second.iter().filter(|block| block.marked).count() <= 4);
    }
}
