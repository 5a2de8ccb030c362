//! Logs by hand, with rows that were worked out by hand: `hand/*.jsonl`.
//!
//! A line that begins with `#` says what the page says and how the rows were worked out, and `# open:` what the page
//! leaves open. A line `{"expect": …}` is a call: `by` its keys, `args` its other arguments, `exit` its exit code; `as`
//! the form of the input. An argument that begins with `beside/` is a file or folder of `hand/beside`. A line that
//! begins with `# fails:` says why the program does not say it today: such a file has to be wrong.
//!
//! `rows` are all its rows, by the values of the keys in one text; a bucket that is not there is none, and an amount
//! that is not there is not looked at, nor are `requests`, `caused` and `estimated`. `text:A` in a key is a version that
//! no commit has, whatever its twelve digits. All rows have to add up to the total, and `caused` to what changes cost.
//! `either` are several such `rows`, one of which must hold. `changes` has those that must be among the changes, and
//! `without` those that must not. `says` has words, all of which a line for people must have. `rate` names a rate that
//! is in the amounts of `rows`; or else a line for people says `without` and its name, and the amounts are those of
//! `plain`. Each other key must be as it is in the document. `[1, 2]` is all from 1 to 2. The other lines are the input.

use std::path::Path;

use serde_json::{Map, Value};

use crate::money::{amount, dollars};
use crate::program::{BUCKETS, Bench, Row, Rows, Said};

/// Whether an amount or a count is what is wanted.
fn is(want: &Value, said: i128, unit: fn(&Value) -> i128) -> bool {
    match want {
        Value::Array(a) if a.len() == 2 => unit(&a[0]) <= said && said <= unit(&a[1]),
        one => unit(one) == said,
    }
}

fn count(v: &Value) -> i128 {
    match v.as_i64() {
        Some(n) => n.into(),
        None => panic!("{v} is no count"),
    }
}

fn money(v: &Value) -> i128 {
    match v.as_str() {
        Some(s) => amount(s),
        None => panic!("{v} is no amount"),
    }
}

fn row_is(want: &Value, said: &Row) -> bool {
    let none = Value::from(0);
    let tokens = BUCKETS
        .iter()
        .zip(said.tokens)
        .all(|(b, n)| is(want.get(b).unwrap_or(&none), n.into(), count));
    let amounts = [
        ("billed", said.billed),
        ("avoidable", said.avoidable),
        ("caused", said.caused),
    ];
    let others = ["billed", "avoidable", "caused", "estimated", "requests"];
    let known = |k: &str| BUCKETS.contains(&k) || others.contains(&k);
    let keys = want.as_object().into_iter().flatten();
    assert!(
        keys.clone().all(|(k, _)| known(k)),
        "{want} has another key"
    );
    tokens
        && amounts
            .iter()
            .all(|(k, n)| want.get(k).is_none_or(|w| is(w, *n, money)))
        && want
            .get("requests")
            .is_none_or(|w| is(w, said.requests.into(), count))
        && want.get("estimated").is_none_or(|w| *w == said.estimated)
}

/// The key of a row, without the digits of a version that no commit has.
fn without_digits(key: &str) -> Option<&str> {
    let (before, digits) = key.rsplit_once("text:")?;
    let hex = digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then_some(before)
}

/// Whether the rows add up to the total.
fn adds_up(said: &Said) -> bool {
    let mut sum = Row::default();
    said.rows.values().for_each(|r| sum.add(r));
    (sum.tokens, sum.billed, sum.avoidable)
        == (said.total.tokens, said.total.billed, said.total.avoidable)
}

/// Whether what files caused adds up to the avoidable cost of all changes.
fn caused_adds_up(bench: &Bench, args: &[&str], said: &Said) -> bool {
    let by = args.iter().position(|a| *a == "--by").unwrap_or(0) + 1;
    let mut args = args.to_vec();
    if !args[by].split(',').any(|k| k == "file") || args.contains(&"--fail-on") {
        return true;
    }
    args[by] = "cause";
    let changes = ["changed", "rewritten", "diverged"];
    let causes = bench.usage(&args).rows.into_iter();
    let all = causes.filter(|(k, _)| changes.contains(&k[0].as_str()));
    let all: i128 = all.map(|(_, r)| r.avoidable).sum();
    let rows: i128 = said.rows.values().map(|r| r.caused).sum();
    (rows, said.total.caused) == (all, all)
}

fn rows_are(want: &Value, said: &Rows) -> bool {
    let Some(want) = want.as_object() else {
        panic!("rows are no object: {want}")
    };
    want.len() == said.len()
        && said.iter().all(|(k, row)| {
            let key = k.join(" ");
            let version = without_digits(&key);
            want.iter().any(|(name, w)| {
                let named = match version {
                    Some(before) => {
                        let text = name.rsplit_once("text:");
                        text.is_some_and(|(b, _)| b == before)
                    }
                    None => *name == key,
                };
                named && row_is(w, row)
            })
        })
}

/// Whether all that is wanted is in a part of the document.
fn holds(want: &Value, said: &Value) -> bool {
    match (want, said) {
        (Value::Object(w), Value::Object(s)) => w
            .iter()
            .all(|(k, v)| holds(v, s.get(k).unwrap_or(&Value::Null))),
        (Value::Array(w), Value::Array(s)) if w.is_empty() => s.is_empty(),
        (Value::Array(w), Value::Array(s)) => w.iter().all(|v| s.iter().any(|x| holds(v, x))),
        (Value::Array(_), Value::Number(_)) => is(want, count(said), count),
        (Value::Array(_) | Value::String(_), Value::String(s))
            if s.contains('.') && s.starts_with(|c: char| c.is_ascii_digit() || c == '-') =>
        {
            is(want, amount(s), money)
        }
        _ => want == said,
    }
}

fn shown(rows: &Rows) -> String {
    let mut out = String::new();
    for (k, r) in rows {
        let tokens = BUCKETS.iter().zip(r.tokens).filter(|(_, n)| *n > 0);
        let tokens: Vec<_> = tokens.map(|(b, n)| format!("{b} {n}")).collect();
        out += &format!(
            "\n        {}: {} requests, {}; billed {}, avoidable {}, caused {}{}",
            k.join(" "),
            r.requests,
            tokens.join(", "),
            dollars(r.billed),
            dollars(r.avoidable),
            dollars(r.caused),
            if r.estimated { ", estimated" } else { "" }
        );
    }
    out
}

/// Whether a line for people has these words.
fn line_has(bench: &Bench, words: &[&str]) -> bool {
    let said = bench.run(&["usage", "log.jsonl"]);
    let said = String::from_utf8_lossy(&said.stdout).to_lowercase();
    said.lines().any(|l| words.iter().all(|w| l.contains(w)))
}

/// Whether the rows have a rate in their amounts, or are said not to have it.
fn rated(bench: &Bench, want: &Map<String, Value>, said: &Rows) -> bool {
    match (want.get("rate").and_then(Value::as_str), want.get("plain")) {
        (Some(rate), Some(plain)) if rows_are(plain, said) => line_has(bench, &["without", rate]),
        _ => want.get("rows").is_some_and(|w| rows_are(w, said)),
    }
}

/// The errors in the answer to a call.
fn wrong(bench: &Bench, want: &Map<String, Value>) -> Option<String> {
    let all = want;
    let by = want.get("by").and_then(Value::as_str).unwrap_or("cause");
    let mut args = vec!["log.jsonl", "--by", by];
    let more = want.get("args").and_then(Value::as_array);
    let here = |a: &str| {
        if a.starts_with("beside/") {
            format!("{}/tests/usage/hand/{a}", env!("CARGO_MANIFEST_DIR"))
        } else {
            a.to_owned()
        }
    };
    let more = more.into_iter().flatten().filter_map(Value::as_str);
    let more: Vec<_> = more.map(here).collect();
    args.extend(more.iter().map(String::as_str));
    let (code, text) = bench.raw(&args);
    let exit = want.get("exit").map_or(0, count);
    if code.map(i128::from) != Some(exit) {
        return Some(format!("exit {code:?}: {text}"));
    }
    let said = match Said::of(&text) {
        Ok(said) => said,
        Err(e) => return Some(format!("{e}: {text}")),
    };
    if !adds_up(&said) {
        return Some(format!("no sum:{}", shown(&said.rows)));
    }
    if !caused_adds_up(bench, &args, &said) {
        return Some(format!("what is caused is no sum:{}", shown(&said.rows)));
    }
    for (key, want) in want {
        let fine = match key.as_str() {
            "by" | "args" | "exit" | "as" | "rate" | "plain" => true,
            "rows" => rated(bench, all, &said.rows),
            "says" => {
                let words = want.as_array().into_iter().flatten();
                let words: Vec<&str> = words.filter_map(Value::as_str).collect();
                line_has(bench, &words)
            }
            "either" => {
                let all = want.as_array().into_iter().flatten();
                all.into_iter().any(|w| rows_are(w, &said.rows))
            }
            "changes" => want.as_array().into_iter().flatten().all(|w| {
                let all = said.doc["changes"].as_array();
                all.into_iter().flatten().any(|s| holds(w, s))
            }),
            "without" => want.as_array().into_iter().flatten().all(|w| {
                let all = said.doc["changes"].as_array();
                !all.into_iter().flatten().any(|s| holds(w, s))
            }),
            "total" => row_is(want, &said.total),
            key => holds(want, &said.doc[key]),
        };
        if !fine {
            let part = match key.as_str() {
                "rows" | "either" => shown(&said.rows),
                "without" => said.doc["changes"].to_string(),
                key => said.doc[key].to_string(),
            };
            return Some(format!("{key}, wanted {want}, said {part}"));
        }
    }
    None
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn by_hand() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/usage/hand");
    let entries = std::fs::read_dir(&dir).unwrap();
    let mut files: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    files.sort();
    let name = |f: &Path| {
        f.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    files.retain(|f| name(f).ends_with(".jsonl"));
    assert!(!files.is_empty(), "no file is there");
    let (mut failed, mut calls) = (0, 0);
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let name = name(file);
        let mut input = String::new();
        let mut wants = Vec::new();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            if !line.starts_with("{\"expect\"") {
                input = input + line + "\n";
                continue;
            }
            match serde_json::from_str::<Value>(line).unwrap()["expect"].take() {
                Value::Object(w) => wants.push(w),
                other => panic!("{name}: {other} is no call"),
            }
        }
        assert!(!wants.is_empty(), "{name} expects nothing");
        let form = wants[0].get("as").and_then(Value::as_str);
        let bench = Bench::new(&input, form);
        let fails = text.lines().find_map(|l| l.strip_prefix("# fails:"));
        let all: Vec<_> = wants.iter().filter_map(|w| wrong(&bench, w)).collect();
        calls += wants.len();
        match fails {
            Some(why) if all.is_empty() => {
                failed += 1;
                println!("{name} is right, and said to fail:{why}");
            }
            Some(_) => {
                for why in all {
                    println!("{name} fails: {why}");
                }
            }
            None => {
                failed += all.len();
                for why in all {
                    println!("{name}: {why}");
                }
            }
        }
    }
    assert!(failed == 0, "{failed} of {calls} answers are wrong");
}
