//! `promptc usage` of many recordings: read by several threads, forgotten as they end, and the same as of their log.

use crate::build::batch::on_a_terminal;
use crate::run::Place;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The lines of a session besides its calls.
#[derive(Default)]
struct More {
    /// The session whose calls it repeats first.
    fork_of: Option<usize>,
    /// Its last call has no end.
    is_cut: bool,
}

/// A transcript with this number of calls, each with a tool and its result.
fn transcript(session: usize, calls: usize, more: &More) -> String {
    let mut lines: Vec<Value> = Vec::new();
    let user =
        |content: Value| json!({"type": "user", "message": {"role": "user", "content": content}});
    lines.push(user(json!(format!("Session {session}."))));
    for call in 0..calls {
        // A fork repeats the first calls of another session.
        let whose = more.fork_of.filter(|_| call < 3).unwrap_or(session);
        let ends = !(more.is_cut && call + 1 == calls);
        let block = |n: usize| match n {
            0 => json!({"type": "text", "text": format!("Call {call}.")}),
            _ => {
                json!({"type": "tool_use", "id": format!("t{call}"), "name": "look", "input": {"n": call}})
            }
        };
        for n in 0..2 {
            let mut line = json!({"type": "assistant", "message": {
                "id": format!("msg-{whose}-{call}"), "type": "message", "role": "assistant",
                "model": "claude-opus-5-5", "content": [block(n)],
                "stop_reason": (ends && n == 1).then_some("tool_use"),
                "usage": {"input_tokens": 3, "cache_creation_input_tokens": 100 + call,
                    "cache_read_input_tokens": 1_000 * call, "output_tokens": 7 + session},
            }});
            if whose != session {
                line["requestSessionId"] = json!(format!("s-{whose}"));
            }
            lines.push(line);
        }
        let result =
            json!({"type": "tool_result", "tool_use_id": format!("t{call}"), "content": "41"});
        lines.push(user(json!([result])));
    }
    let mut out = String::new();
    for (n, line) in lines.iter_mut().enumerate() {
        line["sessionId"] = json!(format!("s-{session}"));
        line["version"] = json!("2.1.332");
        line["uuid"] = json!(format!("u-{session}-{n}"));
        line["timestamp"] = json!(format!(
            "2026-11-21T{:02}:{:02}:{:02}Z",
            session % 20,
            n / 60,
            n % 60
        ));
        writeln!(out, "{line}").unwrap();
    }
    out
}

#[test]
fn recordings_have_the_usage_of_their_log() {
    let place = Place::new();
    for session in 0..60 {
        let more = More {
            fork_of: (session % 7 == 3).then_some(session + 5),
            is_cut: session % 9 == 4,
        };
        let calls = 4 + session * 7 % 40;
        place.file(
            &format!("all/s-{session}.jsonl"),
            transcript(session, calls, &more),
        );
        if session % 5 == 0 {
            // An agent of its own, in the same conversation.
            let text = transcript(session, 6, &More::default()).replace("msg-", "agent-msg-");
            let text = text.replace("\"u-", "\"a-");
            place.file(&format!("all/s-{session}/subagents/agent-1.jsonl"), text);
        }
        if session % 11 == 0 {
            // The file with the whole of a cut one, after others.
            let text = transcript(session + 4, 30, &More::default()).replace("\"u-", "\"w-");
            place.file(&format!("all/z-{session}.jsonl"), text);
        }
    }
    place.file("key", "0".repeat(64));
    place
        .run(&[
            "capture",
            "import",
            "all",
            "--hash-key",
            "key",
            "-o",
            "log.jsonl",
        ])
        .exits(0);
    let of = |what: &str| {
        let by = "day,model,chain,cause";
        let ran = place.run(&["usage", what, "--by", by, "--format", "json"]);
        let mut report: Value = serde_json::from_str(ran.exits(0).stdout()).unwrap();
        // Names are hashed with a key of each call.
        for row in report["rows"].as_array_mut().unwrap() {
            row["chain"] = json!(row["chain"].as_str().map(|chain| chain.contains("/a-")));
        }
        // A request of a log has its number, one of a recording its line.
        for one in report["expensive"].as_array_mut().unwrap() {
            one["request"].take();
        }
        let rows = report["rows"].as_array_mut().unwrap();
        rows.sort_by_cached_key(Value::to_string);
        report
    };
    let log = of("log.jsonl");
    assert!(log["requests"].as_u64().unwrap() > 1_000, "{log}");
    for _ in 0..3 {
        assert_eq!(of("all"), log);
    }
}

#[test]
fn progress_is_shown_on_a_terminal_only() {
    let place = Place::new();
    for session in 0..40 {
        let text = transcript(session, 60, &More::default());
        place.file(&format!("all/s-{session}.jsonl"), text);
    }
    let Some(ran) = on_a_terminal(&place, "\"$P\" usage all --format json > out.json") else {
        println!("not run: there is no `script` here");
        return;
    };
    let shown = ran.exits(0).stdout().to_owned();
    assert!(shown.contains(" requests, "), "{shown}");
    assert!(shown.contains(" a second"), "{shown}");
    for line in [
        "\"$P\" usage all -q > out.json",
        "\"$P\" usage all --message-format json > out.json",
        "\"$P\" usage all > out.json 2> err.txt",
    ] {
        let ran = on_a_terminal(&place, line).unwrap().exits(0);
        assert!(!ran.stdout().contains(" a second"), "{line}");
    }
    assert!(!place.read("err.txt").contains("a second"));
    assert!(!place.read("out.json").contains("a second"));
}
