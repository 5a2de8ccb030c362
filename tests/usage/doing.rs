//! The promise of an advice, compared with the result of following it: `doing/*/`.
//!
//! A folder is a case. `before.kdl` is the manifest of an agent, and `case.json` says what the agent sends, and which change `promptc usage`
//! is to advise. `after.kdl` is the manifest with that edit, made by hand; `after` in `case.json` has what else changes. The same traffic is
//! sent with both, a simulated provider bills both, and what the second costs less is compared with what was promised for the first.
//!
//! The program sees bytes and what was billed, and the provider bills tokens of its own, so a promise rests on shares in bytes: of text that
//! has three to six bytes a token, a share is off by some percent, and so is what is saved by moving it. A promise may be off by a tenth of what
//! came, or by a thousandth of the bill where next to nothing came.
//!
//! `PROMPTC_CASE` takes the cases with this in their names, `PROMPTC_SHOWN` shows what the program said, and `PROMPTC_OUT` names a folder
//! for what was sent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::agent::{Agent, Call, Prompt};
use crate::cache::{Cache, Fault};
use crate::money::{Amount, amount, dollars, price};
use crate::program::{Bench, Said};
use crate::seen::view;
use crate::verify::setting;
use crate::wire::{FIRST_DAY, recorded, time, usage};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The subject of the case.
    #[serde(rename = "says")]
    _says: String,
    expect: Expect,
    /// Why the promise is not kept today: a case that is kept must not say it.
    open: Option<String>,
    #[serde(default)]
    layers: Layers,
    /// More arguments of `usage`.
    #[serde(default)]
    args: Vec<String>,
    traffic: Traffic,
    #[serde(default)]
    facts: BTreeMap<String, Fact>,
    agent: Value,
    /// The later changes of the agent, by the keys of `agent`.
    #[serde(default)]
    after: BTreeMap<String, Value>,
}

/// How the program gets the layers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Layers {
    /// `-m before.kdl`.
    #[default]
    Manifest,
    /// `--prompt` with the prompt of the first call.
    Prompt,
    /// It is not.
    None,
}

/// The change that is promised.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    change: String,
    /// A text that its `of` has.
    of: Option<String>,
    to: Option<String>,
    /// The changes that are made at once.
    #[serde(default)]
    with: BTreeSet<String>,
    /// Whether it saves anything.
    #[serde(default = "yes")]
    pays: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Traffic {
    conversations: usize,
    turns: usize,
    /// Seconds between the calls of a conversation, again and again.
    gaps: Vec<i64>,
    /// Seconds between the first calls of two conversations.
    apart: i64,
    /// Seconds from a call to the begin of its answer: before nothing of it can be read.
    #[serde(default)]
    begins: i64,
    /// Whether the recording says when an answer began.
    #[serde(default)]
    tells_begin: bool,
}

impl Traffic {
    fn calls(&self) -> Vec<Call> {
        let mut out = Vec::new();
        for conversation in 0..self.conversations {
            let mut at = 36_000 + self.apart * i64::try_from(conversation).unwrap_or(0);
            for turn in 0..self.turns {
                out.push(Call {
                    conversation,
                    turn,
                    number: 0,
                    time: FIRST_DAY * 86_400 + at,
                });
                at += self.gaps[turn % self.gaps.len()];
            }
        }
        out.sort_by_key(|c| c.time);
        for (n, c) in out.iter_mut().enumerate() {
            c.number = n;
        }
        out
    }
}

/// The value of a fact at a call.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fact {
    /// The time of the call.
    Clock,
    /// One of these, again and again: by the turn, by the conversation, or by all calls.
    Turn(Vec<Value>),
    Conversation(Vec<Value>),
    Call(Vec<Value>),
}

impl Fact {
    fn at(&self, call: &Call) -> Value {
        let of = |v: &[Value], n: usize| v[n % v.len()].clone();
        match self {
            Self::Clock => json!(time(call.time)),
            Self::Turn(v) => of(v, call.turn),
            Self::Conversation(v) => of(v, call.conversation),
            Self::Call(v) => of(v, call.number),
        }
    }
}

/// A recording, and what it cost.
struct Sent {
    bench: Bench,
    cost: Amount,
}

#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn text(file: &Path) -> String {
    match std::fs::read_to_string(file) {
        Ok(t) => t,
        Err(e) => panic!("{}: {e}", file.display()),
    }
}

impl Case {
    /// Builds the prompts, sends them, and has them billed.
    #[expect(clippy::disallowed_methods, reason = "files of a test")]
    fn send(&self, manifest: &Path, agent: &Agent) -> Sent {
        let calls = self.traffic.calls();
        let facts = |c: &Call| {
            let all = self.facts.iter().map(|(k, f)| (k.clone(), f.at(c)));
            Value::Object(all.collect()).to_string() + "\n"
        };
        let dir = tempfile::tempdir().unwrap();
        let (lines, out) = (dir.path().join("facts.jsonl"), dir.path().join("out.jsonl"));
        std::fs::write(&lines, calls.iter().map(facts).collect::<String>()).unwrap();
        let built = Command::new(env!("CARGO_BIN_EXE_promptc"))
            .args(["build", "-q", "--batch"])
            .arg(&lines)
            .arg("-m")
            .arg(manifest)
            .arg("-o")
            .arg(&out)
            .output();
        let built = built.unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{}: {said}", manifest.display());
        let artifacts = text(&out);
        let first = artifacts.lines().next().unwrap_or_default().to_owned();
        let mut cache = Cache::default();
        cache.begins = self.traffic.begins;
        let (mut cost, mut input) = (0, String::new());
        let tokens = price(&agent.model);
        for (call, artifact) in calls.iter().zip(artifacts.lines()) {
            let prompt = Prompt::of(serde_json::from_str(artifact).unwrap());
            let body = agent.body(&prompt, call);
            let seen = view(agent.api(), &agent.model, &body);
            let bill = cache.bill(&seen, call.time, Fault::None);
            let all = bill.0.iter().enumerate();
            cost += all
                .map(|(b, n)| i128::from(*n) * tokens.token(b))
                .sum::<Amount>();
            let usage = usage(agent.api(), &bill, 0);
            let mut line = recorded(agent.api(), &agent.model, body, call.number, usage);
            line["time"] = json!(time(call.time));
            line["conversation"] = json!(format!("c{}", call.conversation));
            if self.traffic.tells_begin {
                line["begun"] = json!(time(call.time + self.traffic.begins));
            }
            input += &(line.to_string() + "\n");
        }
        if let Some(out) = std::env::var_os("PROMPTC_OUT") {
            let name = manifest.with_extension("jsonl");
            std::fs::write(Path::new(&out).join(name.file_name().unwrap()), &input).unwrap();
        }
        let bench = Bench::new(&input, None);
        std::fs::write(bench.dir.path().join("first.json"), first).unwrap();
        Sent { bench, cost }
    }

    /// The promise for the change; empty if it is missing, or appears twice.
    fn promised(&self, said: &Said) -> Option<Amount> {
        let all = said.doc["changes"].as_array();
        let fits = |want: &Option<String>, v: &Value| {
            want.as_deref()
                .is_none_or(|w| v.as_str().is_some_and(|s| s.contains(w)))
        };
        let with = |c: &Value| -> BTreeSet<String> {
            let all = c["together"].as_array().into_iter().flatten();
            let name = |t: &Value| t["change"].as_str().unwrap_or_default().to_owned();
            all.map(name).collect()
        };
        let mut mine = all.into_iter().flatten().filter(|c| {
            c["change"] == self.expect.change
                && fits(&self.expect.of, &c["of"])
                && fits(&self.expect.to, &c["to"])
                && with(c) == self.expect.with
        });
        let one = mine.next()?["saves"].as_str().map(amount);
        match mine.next() {
            Some(_) => None,
            None => one,
        }
    }
}

/// The result of a case, as a line, and its errors.
fn done(dir: &Path) -> (String, Option<String>) {
    let case: Case = match serde_json::from_str(&text(&dir.join("case.json"))) {
        Ok(c) => c,
        Err(e) => panic!("{}: {e}", dir.display()),
    };
    let agent = |more: &BTreeMap<String, Value>| -> Agent {
        let mut all = case.agent.clone();
        for (k, v) in more {
            all[k] = v.clone();
        }
        match serde_json::from_value(all) {
            Ok(a) => a,
            Err(e) => panic!("{}: {e}", dir.display()),
        }
    };
    let (before, after) = (dir.join("before.kdl"), dir.join("after.kdl"));
    let old = case.send(&before, &agent(&BTreeMap::new()));
    let new = case.send(&after, &agent(&case.after));
    let manifest = before.display().to_string();
    let mut args = vec!["log.jsonl", "--by", "cause"];
    match case.layers {
        Layers::Manifest => args.extend(["-m", &manifest]),
        Layers::Prompt => args.extend(["--prompt", "first.json"]),
        Layers::None => {}
    }
    let here = |a: &String| match a.strip_suffix(".kdl") {
        Some(_) => dir.join(a).display().to_string(),
        None => a.clone(),
    };
    let more: Vec<String> = case.args.iter().map(here).collect();
    args.extend(more.iter().map(String::as_str));
    let said = old.bench.usage(&args);
    if setting("PROMPTC_SHOWN").is_some() {
        println!("{}\n{:#}", dir.display(), said.doc);
    }
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let billed = said.total.billed;
    assert!(
        billed == old.cost,
        "{name}: {} was billed, {} is said",
        dollars(old.cost),
        dollars(billed)
    );
    let (promised, came) = (case.promised(&said), old.cost - new.cost);
    let percent = |n: Amount, of: Amount| n as f64 / of.max(1) as f64 * 100.0;
    let off = promised.map(|p| percent(p - came, came.abs()));
    let line = format!(
        "{name:<28} {:<16} {:>9.3} {:>9} {:>9.4} {:>7}",
        case.expect.change,
        percent(old.cost, amount("100")),
        promised.map_or("-".to_owned(), |p| format!(
            "{:.4}",
            percent(p, amount("100"))
        )),
        percent(came, amount("100")),
        off.filter(|_| came != 0)
            .map_or("-".to_owned(), |o| format!("{o:+.1} %")),
    );
    let wrong = match (promised, case.expect.pays) {
        (_, pays) if pays != (came > 0) => Some("it pays, or does not".to_owned()),
        (Some(p), false) if p > 0 => Some("more than nothing is promised".to_owned()),
        (Some(p), _) if (p - came).abs() > (came.abs() / 10).max(old.cost / 1000) => {
            Some("off by more than a tenth".to_owned())
        }
        (None, true) => Some(format!("not one such change: {}", said.doc["changes"])),
        _ => None,
    };
    let wrong = match (wrong, &case.open) {
        (Some(why), Some(open)) => {
            println!("{name} is open: {open}: {why}");
            None
        }
        (None, Some(open)) => Some(format!("is kept, and said to be open: {open}")),
        (wrong, None) => wrong,
    };
    (line, wrong.map(|w| format!("{name}: {w}")))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn promises_are_kept() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/usage/doing");
    let only = std::env::var("PROMPTC_CASE").unwrap_or_default();
    let entries = std::fs::read_dir(&dir).unwrap();
    let mut all: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    all.retain(|d| d.join("case.json").is_file() && d.to_string_lossy().contains(&only));
    all.sort();
    println!(
        "{:<28} {:<16} {:>9} {:>9} {:>9} {:>7}",
        "case", "change", "cost", "promised", "came", "off"
    );
    let results = std::thread::scope(|s| {
        let half = all.len().div_ceil(4).max(1);
        let run = |part| {
            s.spawn(move || -> Vec<_> { <[PathBuf]>::iter(part).map(|d| done(d)).collect() })
        };
        let jobs: Vec<_> = all.chunks(half).map(run).collect();
        jobs.into_iter()
            .flat_map(|j| j.join().unwrap())
            .collect::<Vec<_>>()
    });
    for (line, _) in &results {
        println!("{line}");
    }
    let wrong: Vec<_> = results.iter().filter_map(|r| r.1.as_ref()).collect();
    for w in &wrong {
        println!("    {w}");
    }
    assert!(
        wrong.is_empty(),
        "{} of {} promises are not kept",
        wrong.len(),
        results.len()
    );
}
