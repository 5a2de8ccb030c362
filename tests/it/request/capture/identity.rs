//! Which lines of recordings are one request, and where it stands in the log.

use super::agents::{import, lines, logged};
use super::body;
use crate::run::Place;
use serde_json::{Value, json};

fn response(id: &str, output: u64) -> Value {
    json!({"id": id, "type": "message", "role": "assistant", "model": "claude-opus-5-5", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Berth 4."}], "usage": {"input_tokens": 5, "output_tokens": output}})
}

/// A line of a transcript without stored requests.
fn answer(second: u8, request: Option<&str>, id: &str, output: u64) -> Value {
    json!({"type": "assistant", "uuid": format!("a{second}"), "sessionId": "s-1", "timestamp": format!("2026-11-20T10:00:{second:02}Z"),
        "requestId": request, "message": response(id, output)})
}

fn user(second: u8) -> Value {
    json!({"type": "user", "uuid": format!("u{second}"), "sessionId": "s-1", "timestamp": format!("2026-11-20T10:00:{second:02}Z"),
        "message": {"role": "user", "content": "Is a berth free?"}})
}

/// An entry of an archive whose answer has these headers.
fn entry(second: u8, text: &str, headers: &[(&str, &str)], answer: &Value) -> Value {
    let mut body = body("You keep the harbour book.");
    body["messages"][0]["content"] = text.into();
    let headers: Vec<Value> = headers
        .iter()
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    json!({"startedDateTime": format!("2026-11-20T10:00:{second:02}Z"),
        "request": {"method": "POST", "url": "https://api.anthropic.com/v1/messages", "headers": [],
            "postData": {"mimeType": "application/json", "text": body.to_string()}},
        "response": {"status": 200, "headers": headers, "content": {"mimeType": "application/json", "text": answer.to_string()}}})
}

fn archive(entries: &[Value]) -> String {
    json!({"log": {"version": "1.2", "entries": entries}}).to_string()
}

/// The output tokens of each request of the log, in order.
fn outputs(place: &Place) -> Vec<Option<u64>> {
    let answers = logged(place, "response");
    let output = |answer: &Value| answer["usage"]["output_tokens"].as_u64();
    answers.iter().map(output).collect()
}

#[test]
fn transcripts_with_one_answer_id_are_told_apart_by_their_requests() {
    let place = Place::new();
    // Two sessions of one test server begin with the same words.
    place.file(
        "p/a.jsonl",
        lines(&[user(0), answer(1, Some("req_1"), "msg_mock", 1)]),
    );
    place.file(
        "p/b.jsonl",
        lines(&[user(10), answer(11, Some("req_2"), "msg_mock", 2)]),
    );
    let said = import(&place, "p");
    assert_eq!(outputs(&place), [Some(1), Some(2)], "{said}");
    // Where one names no request nothing tells that they are two.
    place.file(
        "p/b.jsonl",
        lines(&[user(10), answer(11, None, "msg_mock", 2)]),
    );
    let said = import(&place, "p");
    assert_eq!(outputs(&place), [Some(1)], "{said}");
    assert!(said.contains("duplicates: 1"), "{said}");
}

#[test]
fn a_transcript_and_a_recording_of_its_call_are_one() {
    let sent = |headers: &[(&str, &str)]| {
        // What the program attaches is not in its transcript.
        archive(&[entry(
            0,
            "Is a berth free?\n<attached>",
            headers,
            &response("msg_1", 1),
        )])
    };
    let talk = |request| lines(&[user(0), answer(1, request, "msg_1", 1)]);
    for (headers, request, expected) in [
        (&[("request-id", "req_1")][..], Some("req_1"), 1),
        (&[("Request-Id", "req_2")], Some("req_1"), 2),
        // The texts differ, and nothing else tells.
        (&[], Some("req_1"), 2),
    ] {
        for names in [["a.har", "b.jsonl"], ["b.har", "a.jsonl"]] {
            let place = Place::new();
            place.file(&format!("p/{}", names[0]), sent(headers));
            place.file(&format!("p/{}", names[1]), talk(request));
            // Archives of a folder are not looked for by their ending.
            let paths = names.map(|name| format!("p/{name}"));
            let mut args = vec!["capture", "import"];
            args.extend(paths.iter().map(String::as_str));
            args.extend(["-o", "log.jsonl"]);
            let said = place.run(&args).exits(0).stderr;
            assert_eq!(
                outputs(&place).len(),
                expected,
                "{headers:?} {names:?}: {said}"
            );
        }
    }
    // Equal texts are one, if either names no request.
    let place = Place::new();
    let alike = archive(&[entry(0, "Is a berth free?", &[], &response("msg_1", 1))]);
    place.file("a.har", alike);
    place.file("b.jsonl", talk(Some("req_1")));
    let args = ["capture", "import", "a.har", "b.jsonl", "-o", "log.jsonl"];
    let said = place.run(&args).exits(0).stderr;
    assert_eq!(outputs(&place), [Some(1)], "{said}");
}

#[test]
fn a_server_that_gives_all_requests_one_id_loses_nothing() {
    let place = Place::new();
    let one = |second, text, id| {
        entry(
            second,
            text,
            &[("request-id", "req")],
            &response(id, second.into()),
        )
    };
    // Other answers, and other requests with the same answer.
    let all = [
        one(0, "One.", "msg_0"),
        one(1, "One.", "msg_1"),
        one(2, "Two.", "msg_0"),
    ];
    place.file("a.har", archive(&all));
    let said = import(&place, "a.har");
    assert_eq!(outputs(&place), [Some(0), Some(1), Some(2)], "{said}");
}

/// A line of bodies: its number is in what it was billed.
fn line(number: u64, text: &str, id: Option<&str>) -> Value {
    let mut answer = response("msg_mock", number);
    match id {
        Some("own") => answer["id"] = format!("msg_{number}").into(),
        Some(id) => answer["id"] = id.into(),
        None => _ = answer.as_object_mut().unwrap().remove("id"),
    }
    json!({"url": "https://api.anthropic.com/v1/messages", "request": body(text), "response": answer, "conversation": "c1"})
}

/// A copy that is none stands where it came, however the log is made.
#[test]
fn requests_stand_as_they_came() {
    let place = Place::new();
    let texts = ["One.", "Two.", "Three."];
    let mut state: u64 = 7;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    for _ in 0..12 {
        let all: Vec<Value> = (0..12)
            .map(|number| {
                let id = [Some("msg_mock"), Some("own"), None][random(3) as usize];
                line(number, texts[random(3) as usize], id)
            })
            .collect();
        // Another request with the id shows that it identifies none.
        let all = [
            all,
            vec![
                line(12, "Four.", Some("msg_mock")),
                line(13, "Five.", Some("msg_mock")),
            ],
        ]
        .concat();
        place.file("recorded.jsonl", lines(&all));
        let said = import(&place, "recorded.jsonl");
        let expected: Vec<Option<u64>> = (0..14).map(Some).collect();
        assert_eq!(outputs(&place), expected, "{said}");
        assert!(!said.contains("duplicates"), "{said}");
        let usage = |file: &str| -> Value {
            let ran = place.run(&["usage", file, "--by", "model,cause", "--format", "json"]);
            let mut said: Value = serde_json::from_str(ran.exits(0).stdout()).unwrap();
            said["expensive"] = Value::Null;
            said
        };
        assert_eq!(usage("recorded.jsonl"), usage("log.jsonl"));
    }
}

/// Where the log cannot be begun again they are in it all the same, behind what came in between.
#[test]
fn what_a_reader_has_stays() {
    let place = Place::new();
    let all = [
        line(0, "One.", Some("msg_mock")),
        line(1, "One.", Some("msg_mock")),
        line(2, "Two.", Some("own")),
        line(3, "Three.", Some("msg_mock")),
    ];
    place.file("recorded.jsonl", lines(&all));
    let ran = place.run(&["capture", "import", "recorded.jsonl"]).exits(0);
    place.file("log.jsonl", ran.stdout());
    assert_eq!(outputs(&place), [0, 2, 1, 3].map(Some));
}

#[test]
fn of_two_lines_the_one_that_was_billed_counts() {
    let line = |id: &str, response: Value| json!({"id": id, "url": "https://api.anthropic.com/v1/messages", "request": body("One."), "response": response});
    let failed =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Not now"}});
    for lesser in [Value::Null, failed] {
        let place = Place::new();
        let all = [
            line("a", lesser.clone()),
            line("b", response("msg_2", 2)),
            line("a", response("msg_1", 1)),
            line("a", lesser),
        ];
        place.file("recorded.jsonl", lines(&all));
        let ran = place.run(&[
            "capture",
            "import",
            "recorded.jsonl",
            "-o",
            "log.jsonl",
            "--verbose",
        ]);
        let said = ran.exits(0).stderr;
        assert_eq!(outputs(&place), [Some(2), Some(1)], "{said}");
        assert_eq!(logged(&place, "request").len(), 2, "{said}");
        for number in [1, 4] {
            let expected = format!("duplicate: recorded.jsonl:{number}\n");
            assert!(said.contains(&expected), "{said}");
        }
        let ran = place.run(&["usage", "recorded.jsonl", "--format", "json"]);
        let usage: Value = serde_json::from_str(ran.exits(0).stdout()).unwrap();
        assert_eq!(
            (&usage["requests"], &usage["failed"]),
            (&json!(2), &json!(0))
        );
    }
}

/// The id of a transcript's call, or one that looks like the number in a log, is still there after an export.
#[test]
fn an_export_keeps_the_ids() {
    let place = Place::new();
    let line =
        |id: &str| json!({"id": id, "request": body("One."), "response": response("msg_mock", 1)});
    place.file(
        "recorded.jsonl",
        lines(&[line("r1"), line("r3"), line("x")]),
    );
    place.file(
        "talk.jsonl",
        lines(&[
            user(0),
            answer(1, Some("req_1"), "msg_mock", 1),
            user(2),
            answer(3, Some("req_2"), "msg_mock", 1),
        ]),
    );
    for (file, ids) in [
        ("recorded.jsonl", &["r1", "r3", "x"][..]),
        ("talk.jsonl", &["req_1", "req_2"]),
    ] {
        import(&place, file);
        place
            .run(&[
                "capture",
                "export",
                "--inline",
                "log.jsonl",
                "-o",
                "export.jsonl",
            ])
            .exits(0);
        for from in ["export.jsonl", file] {
            import(&place, from);
            let found: Vec<Value> = logged(&place, "request")
                .iter()
                .map(|line| line["id"].clone())
                .collect();
            assert_eq!(found, ids, "{from}");
        }
    }
}
