//! What Claude Code says of its misses to the command of its status line. The objects are as those of 2.1.270; the session is invented.

use super::agents::{lines, logged};
use super::comparisons;
use crate::run::Place;
use serde_json::{Value, json};

/// A transcript with snapshots: each request has a system prompt, a model, and the second in which its answer ended.
fn transcript(session: &str, requests: &[(&str, &str, u8)]) -> String {
    let mut all = Vec::new();
    let mut line = |second: u8, mut line: Value| {
        line["uuid"] = format!("{session}-{}", all.len()).into();
        line["sessionId"] = session.into();
        line["timestamp"] = format!("2026-12-01T01:54:{second:02}.213Z").into();
        all.push(line);
    };
    for (at, (system, model, second)) in requests.iter().enumerate() {
        let question = json!({"role": "user", "content": format!("Question {at}")});
        line(*second, json!({"type": "user", "message": question}));
        let message = json!({"id": format!("msg-{session}-{at}"), "role": "assistant", "model": model, "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "Yes."}], "usage": {"input_tokens": 2, "output_tokens": 3,
                "cache_read_input_tokens": 0, "cache_creation_input_tokens": 9000}});
        let snapshot = |tools: Value| {
            json!({"type": "attachment", "attachment":
            {"type": "prompt_snapshot", "systemPrompt": [system], "tools": tools}})
        };
        line(*second, snapshot(Value::Null));
        line(
            *second,
            json!({"type": "assistant", "requestId": format!("req-{session}-{at}"), "message": message}),
        );
        line(
            *second,
            snapshot(json!([{"name": "Read", "schema": {"name": "Read"}}])),
        );
    }
    lines(&all)
}

/// An object of a status line, with the newest miss.
fn object(session: &str, cache: Value) -> Value {
    json!({"session_id": session, "transcript_path": format!("/ann/{session}.jsonl"), "cwd": "/ann/shop",
        "workspace": {"current_dir": "/ann/shop"}, "version": "2.1.270", "prompt_cache": cache})
}

/// A miss in this second of the minute of the transcripts.
fn miss(second: u64, causes: &[&str]) -> Value {
    json!({"misses": 1, "last_miss_at": 1_796_090_040 + second, "last_miss_cause": {"causes": causes}})
}

/// Imports a transcript and objects of its status line; returns what is said of them.
fn import(place: &Place, requests: &[(&str, &str, u8)], objects: &[Value]) -> String {
    place.file("projects/s-1.jsonl", transcript("s-1", requests));
    place.file("status.jsonl", format!("{}\n\n", lines(objects)));
    let command = [
        "capture",
        "import",
        "projects",
        "status.jsonl",
        "-o",
        "log.jsonl",
    ];
    place.run(&command).exits(0).stderr.clone()
}

fn diagnoses(place: &Place) -> Vec<Value> {
    let all = comparisons(place, "log.jsonl");
    all.into_iter()
        .map(|one| one["diagnosis"].clone())
        .collect()
}

const TALK: &[(&str, &str, u8)] = &[
    ("Ask first.", "claude-sonnet-5-5", 10),
    ("Ask first.", "claude-opus-5-5", 20),
    ("Ask twice.", "claude-opus-5-5", 30),
    ("Ask twice.", "claude-opus-5-5", 40),
];

#[test]
fn a_verdict_is_on_the_request_whose_answer_ended_then() {
    let place = Place::new();
    let objects = [
        object("s-1", Value::Null),
        object(
            "s-1",
            json!({"misses": 0, "last_miss_at": null, "last_miss_cause": null}),
        ),
        object("s-1", miss(20, &["model_changed"])),
        object("s-1", miss(20, &["model_changed"])),
        object("s-1", miss(30, &["betas_changed", "system_prompt_changed"])),
        object("s-1", miss(40, &["messages_rewritten"])),
    ];
    let said = import(&place, TALK, &objects);
    assert!(!said.contains("skipped"), "{said}");
    let verdict =
        |reason: &str, agrees: bool| json!({"by": "client", "reason": reason, "agrees": agrees});
    assert_eq!(
        diagnoses(&place),
        [
            Value::Null,
            verdict("model_changed", true),
            verdict("betas_changed, system_prompt_changed", true),
            verdict("messages_rewritten", false),
        ]
    );
    let shown = place
        .run(&["capture", "diff", "log.jsonl"])
        .exits(0)
        .stdout()
        .to_owned();
    assert!(shown.contains("client  model_changed, as here"), "{shown}");
    assert!(
        shown.ends_with("3 diagnoses of the client: 2 as here, 1 differs (#4)\n"),
        "{shown}"
    );
}

#[test]
fn nothing_to_blame_is_a_verdict_and_an_unknown_one_names_no_part() {
    let place = Place::new();
    let objects = [
        object("s-1", miss(20, &["likely_server_side"])),
        object("s-1", miss(40, &["likely_server_side"])),
        object("s-1", miss(30, &["overage_changed"])),
    ];
    import(&place, TALK, &objects);
    let agree: Vec<Value> = diagnoses(&place)
        .iter()
        .map(|one| one["agrees"].clone())
        .collect();
    assert_eq!(agree, [Value::Null, json!(false), Value::Null, json!(true)]);
}

#[test]
fn a_verdict_without_its_request_is_counted() {
    let place = Place::new();
    let objects = [
        object("s-1", miss(50, &["tools_changed"])),
        object("s-2", miss(20, &["tools_changed"])),
        json!({"transcript_path": "x", "workspace": {}, "prompt_cache": {}}),
        json!([1]),
        object("s-1", miss(10, &[])),
        object(
            "s-1",
            json!({"last_miss_at": "soon", "last_miss_cause": {"causes": ["unknown"]}}),
        ),
        object(
            "s-1",
            json!({"last_miss_at": i64::MAX, "last_miss_cause": {"causes": ["unknown"]}}),
        ),
    ];
    let said = import(&place, TALK, &objects);
    let why = "3 skipped, first in s-1: a verdict of Claude Code on a request that is not here";
    assert!(said.contains(why), "{said}");
    assert!(
        said.contains("1 skipped, first in status.jsonl:3: an object without a session"),
        "{said}"
    );
    assert!(
        said.contains(
            "1 skipped, first in status.jsonl:4: a line that is not a complete JSON object"
        ),
        "{said}"
    );
    assert!(
        said.contains(
            "2 skipped, first in status.jsonl:5: a verdict without its second or its causes"
        ),
        "{said}"
    );
    assert!(diagnoses(&place).iter().all(Value::is_null));
}

#[test]
fn the_files_are_read_where_they_are_named() {
    let place = Place::new();
    place.file("projects/s-1.jsonl", transcript("s-1", TALK));
    place.file(
        "projects/status.jsonl",
        lines(&[object("s-1", miss(20, &["model_changed"]))]),
    );
    let ran = place.run(&["capture", "import", "projects", "-o", "log.jsonl"]);
    let said = ran.exits(0).stderr.clone();
    assert!(
        said.contains("objects of a status line, which are read where their file is named"),
        "{said}"
    );
    let ran = place.run(&["usage", "projects/s-1.jsonl", "projects/status.jsonl"]);
    let said = ran.exits(0).stderr.clone();
    assert!(!said.contains("skipped"), "{said}");
}

#[test]
fn what_the_provider_says_counts_before_what_its_client_says() {
    let place = Place::new();
    let said = r#""stop_reason":"end_turn""#;
    let told =
        r#""stop_reason":"end_turn","diagnostics":{"cache_miss_reason":{"type":"system_changed"}}"#;
    let text = transcript("s-1", TALK).replace(said, told);
    place.file("s-1.jsonl", text);
    place.file(
        "status.jsonl",
        lines(&[object("s-1", miss(20, &["model_changed"]))]),
    );
    let command = [
        "capture",
        "import",
        "s-1.jsonl",
        "status.jsonl",
        "-o",
        "log.jsonl",
    ];
    place.run(&command).exits(0);
    let said = logged(&place, "response")[1]["diagnostics"].clone();
    assert_eq!(
        said,
        json!({"cache_miss_reason": {"type": "system_changed"}})
    );
}
