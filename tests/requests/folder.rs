//! Folders of bodies as Claude Code writes them: an index has the time of each request that was answered, and a body
//! names the answered request before it. A body that was not answered is in no index, so only its text says where it
//! stands.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::pairs::setting;
use crate::program::{run, words};
use crate::random::Random;

/// What is not as usual in a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Some requests were not answered.
    Stopped,
    /// All answers have one id.
    OneId,
}

/// A folder, and the ids of its requests in their order: none for one without an answer.
struct Folder {
    files: BTreeMap<String, String>,
    order: Vec<Option<String>>,
}

fn body(session: u64, before: Option<&str>, messages: &[Value]) -> Value {
    let named = before.map_or(String::new(), |b| format!(" cc_prev_req={b};"));
    json!({
        "model": "claude-opus-5-5", "max_tokens": 9, "messages": messages,
        "system": [
            {"type": "text", "text": format!("x-anthropic-billing-header: cc_version=2.1; cch=0;{named}")},
            {"type": "text", "text": "You keep the harbour book.\nSay which berth is free."},
        ],
        "metadata": {"user_id": json!({"session_id": format!("s-{session}")}).to_string()},
    })
}

/// One conversation that only grows. Some of its requests were stopped before they were answered, and the user went on
/// from them.
fn folder(seed: u64, kind: Kind) -> Folder {
    let mut r = Random::new(seed);
    let mut files = BTreeMap::new();
    let mut order = Vec::new();
    let mut index = String::new();
    let mut messages = Vec::new();
    let mut before: Option<String> = None;
    for n in 0..r.from(3, 9) {
        messages.push(
            json!({"role": "user", "content": format!("{n}. Is berth {} free?", r.below(90))}),
        );
        // Names have no order.
        let name = format!("{:08x}-{n}", r.below(1 << 32));
        let text = body(seed, before.as_deref(), &messages).to_string();
        files.insert(format!("{name}.request.json"), text);
        if kind == Kind::Stopped && n > 0 && r.one_in(3) {
            order.push(None);
            // Messages of one role are one for the provider; the user goes on after a word of the client.
            messages.push(json!({"role": "assistant", "content": "[stopped]"}));
            continue;
        }
        let id = format!("req_{seed}_{n}");
        let line = json!({
            "timestamp": format!("2026-11-20T10:{n:02}:00Z"), "session_id": format!("s-{seed}"), "query_source": "repl_main_thread",
            "request_id": id, "request_file": format!("{name}.request.json"), "response_file": format!("{id}.response.json"),
        });
        index = index + &line.to_string() + "\n";
        let answer = match kind {
            Kind::OneId => "msg_mock".to_owned(),
            Kind::Stopped => format!("msg_{seed}_{n}"),
        };
        let answer = json!({
            "id": answer, "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Yes."}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 2},
        });
        files.insert(format!("{id}.response.json"), answer.to_string());
        messages.push(json!({"role": "assistant", "content": "Yes."}));
        order.push(Some(id.clone()));
        before = Some(id);
    }
    files.insert("index.jsonl".to_owned(), index);
    Folder { files, order }
}

/// The ids of the requests of a log, and the states of all.
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn logged(at: &Path, f: &Folder) -> (Vec<Option<String>>, Vec<String>) {
    std::fs::create_dir(at.join("raw")).unwrap();
    for (name, text) in &f.files {
        std::fs::write(at.join("raw").join(name), text).unwrap();
    }
    let import = run(at, &["capture", "import", "raw", "-o", "log.jsonl"]);
    assert!(import.status.success(), "import: {}", words(&import));
    let log = std::fs::read_to_string(at.join("log.jsonl")).unwrap();
    let lines = log
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap());
    let ids = lines
        .filter(|v| v["kind"] == "request")
        .map(|v| v["id"].as_str().map(str::to_owned))
        .collect();
    let diff = run(at, &["capture", "diff", "log.jsonl", "--format", "json"]);
    let said: Value = serde_json::from_slice(&diff.stdout).unwrap();
    let all = said["comparisons"].as_array().into_iter().flatten();
    let states = all.map(|v| v["state"].as_str().unwrap_or_default().to_owned());
    (ids, states.collect())
}

/// The order of the requests of a folder is that in which they were sent, and each goes on from the one before.
fn in_order(kind: Kind) {
    let from = setting("PROMPTC_FROM").unwrap_or(0);
    let mut wrong = Vec::new();
    for seed in from..from + 20 {
        let f = folder(seed, kind);
        let dir = tempfile::tempdir().unwrap();
        let (ids, states) = logged(dir.path(), &f);
        // The log can have ids of its own for requests without one.
        let mine: Vec<Option<String>> = ids
            .into_iter()
            .map(|i| i.filter(|i| i.starts_with("req_")))
            .collect();
        if mine != f.order {
            wrong.push(format!("seed {seed}: {mine:?}, not {:?}", f.order));
        }
        let first = states.iter().filter(|s| *s == "first").count();
        let fine = first == 1 && states.iter().all(|s| s == "first" || s == "extended");
        if !fine {
            wrong.push(format!("seed {seed}: {states:?}"));
        }
    }
    for w in wrong.iter().take(6) {
        println!("    {w}");
    }
    assert!(wrong.is_empty(), "{} are wrong", wrong.len());
}

/// A body that was not answered stands where its text says, and breaks nothing.
#[test]
fn unanswered_bodies_stand_where_they_were_sent() {
    in_order(Kind::Stopped);
}

/// No request of a folder is lost because all answers have one id.
#[test]
fn answers_with_one_id() {
    in_order(Kind::OneId);
}
