//! Attempts that failed, as transcripts of Claude Code have them.

use super::agents::{import, lines, logged};
use super::{comparisons, states};
use crate::run::Place;
use serde_json::{Value, json};

fn line(kind: &str, uuid: &str, parent: &str, second: u8) -> Value {
    json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s-1", "version": "2.1.332", "isSidechain": false,
        "timestamp": format!("2026-11-20T10:00:{second:02}Z")})
}

fn with(mut line: Value, more: Value) -> Value {
    let Value::Object(more) = more else {
        panic!("{more}")
    };
    line.as_object_mut().unwrap().extend(more);
    line
}

fn user(uuid: &str, parent: &str, second: u8, text: &str) -> Value {
    let message = json!({"role": "user", "content": text});
    with(
        line("user", uuid, parent, second),
        json!({"message": message}),
    )
}

fn answer(uuid: &str, parent: &str, second: u8, number: u8) -> Value {
    let usage = json!({"input_tokens": 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 2000, "output_tokens": number});
    let message = json!({"id": format!("msg_{number}"), "role": "assistant", "model": "claude-opus-5-5", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": format!("Answer {number}.")}], "usage": usage});
    let more = json!({"requestId": format!("req_{number}"), "message": message});
    with(line("assistant", uuid, parent, second), more)
}

/// The line of an attempt that is tried again.
fn failed(uuid: &str, parent: &str, second: u8, error: Value) -> Value {
    let more = json!({"subtype": "api_error", "level": "error", "error": error, "retryInMs": 500, "retryAttempt": 1, "maxRetries": 10});
    with(line("system", uuid, parent, second), more)
}

/// The line of the last attempt, with what the program says in place of an answer.
fn gave_up(uuid: &str, parent: &str, second: u8, text: &str, more: Value) -> Value {
    let message = json!({"id": format!("of-{uuid}"), "role": "assistant", "model": "<synthetic>", "stop_reason": "stop_sequence",
        "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 0, "output_tokens": 0}});
    let line = with(line("assistant", uuid, parent, second), more);
    with(
        line,
        json!({"isApiErrorMessage": true, "error": "unknown", "message": message}),
    )
}

fn status(status: u16, request: &str) -> Value {
    let message = format!(
        r#"{status} {{"type":"error","error":{{"type":"api_error","message":"Not now"}}}}"#
    );
    json!({"status": status, "requestId": request, "message": message, "connection": null})
}

/// Two calls of which the first attempts failed, one of them without an answer, and one of which all did.
fn session() -> Vec<Value> {
    let dropped = json!({"message": "Connection error.", "connection": {"code": "ECONNRESET"}});
    vec![
        user("u1", "u0", 0, "Is a berth free?"),
        failed("e1", "u1", 1, status(529, "req_1")),
        answer("a2", "e1", 2, 2),
        user("u2", "a2", 3, "And for 20 metres?"),
        failed("e2", "u2", 4, dropped),
        answer("a3", "e2", 5, 3),
        user("u3", "a3", 6, "And for 30 metres?"),
        failed("e4", "u3", 7, status(529, "req_4")),
        gave_up(
            "e5",
            "e4",
            8,
            "API Error: 529 Not now.",
            json!({"requestId": "req_5", "apiErrorStatus": 529}),
        ),
    ]
}

/// A fork as the program writes it: of the lines that it repeats only the answers say whose they are. Then it goes on.
fn fork(with_requests: bool) -> Vec<Value> {
    let mut all = session();
    for line in &mut all {
        if line["type"] == "assistant" && line.get("isApiErrorMessage").is_none() {
            line["requestSessionId"] = "s-1".into();
        }
    }
    let stored = json!({"type": "api-request", "id": "own", "timestamp": "2026-11-20T10:00:10Z", "shapeHash": "x",
        "params": {"model": "claude-opus-5-5"}, "keep": 0, "tail": [], "thread": {"type": "none"}});
    all.push(user("u4", "e5", 9, "Please say it again."));
    all.extend(with_requests.then_some(stored));
    all.push(failed("e6", "u4", 10, status(500, "req_6")));
    all.push(answer("a7", "e6", 11, 7));
    for line in &mut all {
        line["sessionId"] = "s-0".into();
    }
    all
}

/// The output tokens of each request, in order; none of one that failed.
fn requests(place: &Place) -> Vec<Option<u64>> {
    let answers = logged(place, "response");
    let one = |answer: &Value| {
        let tokens = answer["usage"]["output_tokens"].as_u64();
        let is_failed = answer["state"] == "error";
        assert_eq!(is_failed, tokens.is_none(), "{answer}");
        tokens
    };
    answers.iter().map(one).collect()
}

#[test]
fn each_is_a_request_that_failed() {
    let place = Place::new();
    place.file("s-1.jsonl", lines(&session()));
    let said = import(&place, "s-1.jsonl");
    assert_eq!(
        requests(&place),
        [None, Some(2), None, Some(3), None, None],
        "{said}"
    );
    let of = |kind: &str, key: &str| -> Vec<Value> {
        logged(&place, kind)
            .iter()
            .map(|line| line[key].clone())
            .collect()
    };
    assert_eq!(of("request", "model"), ["claude-opus-5-5"; 6]);
    let expected = [json!(529), json!(null), json!(null), json!(null)];
    assert_eq!(of("response", "status")[..4], expected);
    assert_eq!(of("response", "status")[4..], [json!(529), json!(529)]);
    assert_eq!(of("request", "time")[0], "2026-11-20T10:00:01Z");
    let chains = of("request", "chain");
    assert!(chains.iter().all(|chain| *chain == chains[0]), "{chains:?}");
    // What the provider made of the one that broke is not known.
    assert!(
        said.contains("1 request of claude-code has no usage"),
        "{said}"
    );
    let states = states(&place, "log.jsonl");
    assert_eq!(states[0], "failed");
    assert_eq!(states.iter().filter(|state| *state == "failed").count(), 4);
    // The second answer is compared with the first one, not with what failed between them.
    let compared = &comparisons(&place, "log.jsonl")[3];
    assert_eq!((&compared["a"], &compared["b"]), (&json!(2), &json!(4)));
}

#[test]
fn bills_and_causes_are_those_without_them() {
    let place = Place::new();
    let mut without = session();
    without
        .retain(|line| line["subtype"] != "api_error" && line.get("isApiErrorMessage").is_none());
    place.file("with.jsonl", lines(&session()));
    place.file("without.jsonl", lines(&without));
    let usage = |file: &str, by: &str| -> Value {
        let ran = place.run(&["usage", file, "--by", by, "--format", "json"]);
        serde_json::from_str(ran.exits(0).stdout()).unwrap()
    };
    for by in ["model", "cause"] {
        let [with, without] = ["with.jsonl", "without.jsonl"].map(|file| usage(file, by));
        assert_eq!(with["rows"], without["rows"]);
        assert_eq!(with["requests"], without["requests"]);
        assert_eq!(
            (&with["failed"], &without["failed"]),
            (&json!(4), &json!(0))
        );
        assert_eq!(with["without_usage"], 0);
    }
}

#[test]
fn a_fork_repeats_them_and_they_are_none_of_it() {
    let place = Place::new();
    // By its name the fork is read first.
    place.file("p/a.jsonl", lines(&fork(true)));
    place.file("p/b.jsonl", lines(&session()));
    let ran = place.run(&["capture", "import", "p", "-o", "log.jsonl", "--verbose"]);
    let said = ran.exits(0).stderr.clone();
    let own = [None, Some(7)];
    let expected = [&own[..], &[None, Some(2), None, Some(3), None, None]].concat();
    assert_eq!(requests(&place), expected, "{said}");
    assert!(said.contains("duplicates: 6"), "{said}");
    for line in [2, 3, 5, 6, 8, 9] {
        assert!(
            said.contains(&format!("a.jsonl:{line}\n")),
            "{line}: {said}"
        );
    }
    let conversations: Vec<Value> = logged(&place, "request")
        .iter()
        .map(|line| line["conversation"].clone())
        .collect();
    assert!(conversations[..2].iter().all(|c| *c == conversations[0]));
    assert!(conversations[2..].iter().all(|c| *c == conversations[2]));
    assert_ne!(conversations[0], conversations[2]);
}

#[test]
fn a_fork_alone_has_them_once() {
    for with_requests in [true, false] {
        let place = Place::new();
        place.file("a.jsonl", lines(&fork(with_requests)));
        let said = import(&place, "a.jsonl");
        let mut all = requests(&place);
        all.sort_unstable();
        let failed = [None; 5];
        let answered = [Some(2), Some(3), Some(7)];
        assert_eq!(all, [&failed[..], &answered].concat(), "{said}");
    }
}

/// Older programs name the request otherwise, or only say in words what happened.
#[test]
fn older_lines() {
    let place = Place::new();
    let old = json!({"status": 500, "headers": {"request-id": "req_1"}, "requestID": "req_1", "error": {}});
    let own = |uuid: &str, text: &str| gave_up(uuid, "u3", 9, text, json!({}));
    let all = [
        user("u1", "u0", 0, "Is a berth free?"),
        failed("e1", "u1", 1, old),
        answer("a2", "e1", 2, 2),
        user("u3", "a2", 3, "And for 20 metres?"),
        own(
            "e3",
            r#"API Error: 529 {"type":"error","request_id":"req_3"}"#,
        ),
        // Nothing says that it was sent.
        own("e4", "Prompt is too long"),
    ];
    place.file("s-1.jsonl", lines(&all));
    let said = import(&place, "s-1.jsonl");
    assert_eq!(requests(&place), [None, Some(2), None], "{said}");
    let statuses: Vec<Value> = logged(&place, "response")
        .iter()
        .map(|line| line["status"].clone())
        .collect();
    assert_eq!(statuses, [json!(500), json!(null), json!(529)]);
}

/// A session that has nothing else names no model.
#[test]
fn without_a_model_it_is_skipped_and_counted() {
    let place = Place::new();
    place.file("s-1.jsonl", lines(&session()[..2]));
    let ran = place.run(&["capture", "import", "s-1.jsonl", "-o", "log.jsonl"]);
    let said = &ran.exits(2).stderr;
    assert!(
        said.contains("a failed attempt of which nothing names the model"),
        "{said}"
    );
}

/// A stored request that no answer names is that of the attempt that failed behind it.
#[test]
fn its_stored_request_is_its_body() {
    let place = Place::new();
    let of = |kind: &str, more: Value| with(json!({"type": kind, "sessionId": "s-1"}), more);
    let shape = json!({"system": "You keep the harbour book.", "tools": []});
    let stored = |id: &str, second: u8| {
        let time = format!("2026-11-20T10:00:{second:02}Z");
        of(
            "api-request",
            json!({"id": id, "timestamp": time, "querySource": "sdk", "shapeHash": "x", "params": {"model": "claude-opus-5-5", "max_tokens": 9},
                "keep": 0, "tail": ["first"], "thread": {"type": "none"}}),
        )
    };
    let first = json!({"role": "user", "content": "Is a berth free?"});
    let mut answered = answer("a2", "e1", 4, 2);
    answered["requestRef"] = "r2".into();
    let all = [
        user("u1", "u0", 0, "Is a berth free?"),
        of(
            "api-request-shape",
            json!({"shapeHash": "x", "shape": shape}),
        ),
        of(
            "api-request-blob",
            json!({"hash": "first", "message": first}),
        ),
        stored("r1", 1),
        failed("e1", "u1", 2, status(529, "req_1")),
        stored("r2", 3),
        answered,
    ];
    place.file("s-1.jsonl", lines(&all));
    let said = import(&place, "s-1.jsonl");
    assert_eq!(requests(&place), [None, Some(2)], "{said}");
    let requests = logged(&place, "request");
    assert_eq!(requests[0]["time"], "2026-11-20T10:00:01Z");
    assert!(requests.iter().all(|line| line.get("incomplete").is_none()));
    assert_eq!(requests[0]["system"], requests[1]["system"]);
    assert_eq!(requests[0]["chain"], requests[1]["chain"]);
}

/// It says whose chain this is, until a request that did not fail does.
#[test]
fn one_that_opens_a_chain_is_in_that_of_its_retry() {
    for conversation in [json!(null), json!("c1")] {
        let place = Place::new();
        let ask = |messages: &[&str], status: u16| {
            let all = messages.iter().zip(["user", "assistant"].iter().cycle());
            let all: Vec<Value> = all
                .map(|(text, role)| json!({"role": role, "content": text}))
                .collect();
            let request = json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": "You keep the harbour book.", "messages": all});
            let response = match status {
                200 => {
                    json!({"id": format!("msg_{}", messages.len()), "type": "message", "role": "assistant", "content": [],
                    "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 1}})
                }
                _ => {
                    json!({"type": "error", "error": {"type": "overloaded_error", "message": "Not now"}})
                }
            };
            json!({"request": request, "status": status, "response": response, "conversation": conversation})
        };
        let first = ["Is a berth free?"];
        let second = ["Is a berth free?", "Berth 4.", "And for 20 metres?"];
        let all = [
            ask(&first, 529),
            ask(&first, 500),
            ask(&first, 200),
            ask(&second, 529),
            ask(&second, 200),
        ];
        place.file("bodies.jsonl", lines(&all));
        import(&place, "bodies.jsonl");
        let requests = logged(&place, "request");
        assert!(
            requests
                .iter()
                .all(|line| line["chain"] == requests[0]["chain"]),
            "{conversation}"
        );
        let parents: Vec<Value> = requests.iter().map(|line| line["parent"].clone()).collect();
        let expected = [json!(null), json!(null), json!(null), json!(3), json!(3)];
        assert_eq!(parents, expected, "{conversation}");
        assert_eq!(
            states(&place, "log.jsonl"),
            ["failed", "failed", "first", "failed", "extended"]
        );
    }
}
