//! Formats, duplicates, threads and chains.

use super::{body, comparisons, states};
use crate::run::Place;
use serde_json::{Value, json};

fn import(lines: &[Value]) -> Place {
    let place = Place::new();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    place.file("bodies.jsonl", text);
    place
        .run(&["capture", "import", "bodies.jsonl", "-o", "log.jsonl"])
        .exits(0);
    place
}

#[test]
fn a_duplicate_request_is_imported_once() {
    let one = json!({"id": "a", "request": body("x"), "response": {"id": "msg_1", "content": []}});
    let again = json!({"request": body("x"), "response": {"id": "msg_1", "content": []}});
    let place = import(&[one.clone(), one, again]);
    assert_eq!(states(&place, "log.jsonl"), ["first"]);
}

#[test]
fn a_thread_is_rebuilt_from_its_answers() {
    let create = json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": "You are Harbor.",
        "messages": [{"role": "user", "content": "One?"}], "thread": {"type": "create"}});
    let next = |id: &str| {
        json!({"model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Two?"}],
            "thread": {"type": "continue", "previous_message_id": id}})
    };
    let stream = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_2\",\"role\":\"assistant\",\"content\":[]}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Ye\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"s.\"}}\n\ndata: {\"type\":\"message_stop\"}\n";
    let whole = json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": "You are Harbor.", "messages": [
        {"role": "user", "content": "One?"}, {"role": "assistant", "content": "No."},
        {"role": "user", "content": "Two?"}, {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
        {"role": "user", "content": "Three?"}]});
    let answer =
        json!({"id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": "No."}]});
    let place = import(&[
        json!({"request": create, "response": answer}),
        json!({"request": next("msg_1"), "response": stream}),
        json!({"request": whole}),
        json!({"request": next("msg_9")}),
    ]);
    let expected = ["first", "extended", "extended", "incomplete"];
    assert_eq!(states(&place, "log.jsonl"), expected);
    let last = &comparisons(&place, "log.jsonl")[3];
    assert!(
        last["reason"].as_str().unwrap().contains("`msg_9`"),
        "{last}"
    );
}

#[test]
fn each_api_finds_a_tool_that_changed() {
    let schema = |kind: &str| json!({"type": "object", "properties": {"city": {"type": kind}}});
    type Shape = fn(Value) -> (Value, &'static str, &'static str);
    let shapes: [Shape; 5] = [
        |s| {
            (
                json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": "x", "tools": [{"name": "t", "input_schema": s}], "messages": [{"role": "user", "content": "Hi"}]}),
                "https://api.anthropic.com/v1/messages",
                "input_schema",
            )
        },
        |s| {
            (
                json!({"model": "gpt-6.1-sol", "tools": [{"type": "function", "function": {"name": "t", "parameters": s}}], "messages": [{"role": "user", "content": "Hi"}]}),
                "https://api.openai.com/v1/chat/completions",
                "function.parameters",
            )
        },
        |s| {
            (
                json!({"model": "gpt-6.1-sol", "tools": [{"type": "function", "name": "t", "parameters": s}], "input": "Hi"}),
                "https://api.openai.com/v1/responses",
                "parameters",
            )
        },
        |s| {
            (
                json!({"tools": [{"functionDeclarations": [{"name": "t", "parameters": s}]}], "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}),
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-4-argon:generateContent",
                "parameters",
            )
        },
        |s| {
            (
                json!({"toolConfig": {"tools": [{"toolSpec": {"name": "t", "inputSchema": {"json": s}}}]}, "messages": [{"role": "user", "content": [{"text": "Hi"}]}]}),
                "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-opus-5-5/converse",
                "toolSpec.inputSchema.json",
            )
        },
    ];
    for shape in shapes {
        let line = |kind: &str| {
            let (request, url, _) = shape(schema(kind));
            json!({"url": url, "request": request, "conversation": "c"})
        };
        let (_, url, path) = shape(Value::Null);
        let place = import(&[line("string"), line("string"), line("number")]);
        let all = comparisons(&place, "log.jsonl");
        assert_eq!(all[1]["state"], "same", "{url}: {}", all[1]);
        assert_eq!(all[2]["first"], "tools/t", "{url}: {}", all[2]);
        let found = all[2]["causes"][0]["path"].as_str();
        assert_eq!(found, Some(format!("{path}.properties.city.type").as_str()));
    }
}

#[test]
fn side_calls_and_agents_have_chains_of_their_own() {
    let talk = |turns: usize| {
        let messages: Vec<Value> = (0..turns)
            .map(|i| json!({"role": (["user", "assistant"][i % 2]), "content": format!("{i}")}))
            .collect();
        let mut request = body("You are Harbor.");
        request["messages"] = messages.into();
        request
    };
    let mut title = body("Write a title.");
    title["messages"] = json!([{"role": "user", "content": "A title for: 0"}]);
    let line = |request: &Value| json!({"conversation": "c", "request": request});
    let agent = |request: &Value| json!({"conversation": "c", "request": request, "headers": {"x-claude-code-agent-id": "a7"}});
    let place = import(&[
        line(&talk(1)),
        line(&title),
        agent(&talk(1)),
        line(&talk(3)),
        agent(&talk(3)),
        line(&talk(5)),
    ]);
    let expected = [
        "first", "first", "first", "extended", "extended", "extended",
    ];
    assert_eq!(states(&place, "log.jsonl"), expected);
    let all = comparisons(&place, "log.jsonl");
    let chains: Vec<&str> = all
        .iter()
        .map(|one| one["chain"].as_str().unwrap())
        .collect();
    assert_eq!((chains[0], chains[2]), (chains[3], chains[4]));
    assert!(chains[0] != chains[1] && chains[0] != chains[2]);
}

#[test]
fn the_examples_of_the_formats_are_read() {
    let har = json!({"log": {"version": "1.2", "entries": [
        {"startedDateTime": "2026-11-20T10:00:00.000Z", "request": {"method": "POST", "url": "https://api.anthropic.com/v1/messages",
            "headers": [{"name": "Authorization", "value": "tulip"}], "postData": {"text": body("x").to_string()}},
            "response": {"status": 200, "content": {"text": "eyJpZCI6Im1zZ18xIn0=", "encoding": "base64"}}},
        {"request": {"method": "GET", "url": "https://example.org/"}, "response": {}},
        {"request": {"method": "GET", "url": "https://api.openai.com/v1/responses"}, "_webSocketMessages": [
            {"type": "send", "time": 1_790_000_000.5, "data": json!({"type": "response.create", "model": "gpt-6.1-sol", "input": "Hi"}).to_string()},
            {"type": "receive", "time": 1_790_000_001.0, "data": json!({"type": "response.completed", "response": {"id": "resp_1", "output": [
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello", "annotations": []}]}]}}).to_string()},
            {"type": "send", "time": 1_790_000_002.0, "data": json!({"type": "response.create", "model": "gpt-6.1-sol", "previous_response_id": "resp_1", "input": "Bye"}).to_string()}]},
    ]}});
    let trace = json!({"request": {"timestamp": 1_790_000_000.5, "method": "POST", "url": "https://api.anthropic.com/v1/messages", "headers": {}, "body": body("x")},
        "response": {"status_code": 200, "body_raw": "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\"}}\n"}, "logged_at": "2026-11-20T10:00:00Z"});
    let tap = json!({"timestamp": "2026-11-20T10:00:00Z", "request_id": "r", "request": {"method": "POST", "path": "/v1/messages?beta=true", "headers": {}, "body": body("x")},
        "response": {"status": 200, "body": {"id": "msg_1", "content": []}}, "upstream_base_url": "https://api.anthropic.com"});
    // A trace of a forwarding proxy does not name where it forwards to.
    let mut forwarded = tap.clone();
    let members = forwarded.as_object_mut().unwrap();
    members.remove("upstream_base_url");
    members.insert("turn".to_owned(), json!(1));
    let place = Place::new();
    let cases = [
        (
            "page.har",
            format!("\u{feff}{har:#}"),
            vec!["first", "first", "extended"],
        ),
        ("trace.jsonl", format!("{trace}\n"), vec!["first"]),
        ("tap.jsonl", format!("{tap}\n"), vec!["first"]),
        ("forwarded.jsonl", format!("{forwarded}\n"), vec!["first"]),
    ];
    for (name, text, expected) in cases {
        place.file(name, text);
        place
            .run(&["capture", "import", name, "-o", "log.jsonl"])
            .exits(0);
        assert_eq!(states(&place, "log.jsonl"), expected, "{name}");
        assert!(
            place.read("log.jsonl").contains("\"kind\":\"response\""),
            "{name}"
        );
        assert!(!place.read("log.jsonl").contains("tulip"));
    }
}

/// A line of claude-tap for a WebSocket with three requests, the last of which was not answered to its end.
fn tapped_socket() -> Value {
    let request = |text: &str, before: Value| {
        json!({"type": "response.create", "model": "gpt-6.1-sol", "instructions": "You are Harbor.", "input": text,
            "previous_response_id": before})
    };
    let answer = |id: &str, read: u64, last: &str| {
        let usage = json!({"input_tokens": 4000, "input_tokens_details": {"cached_tokens": read}, "output_tokens": 5});
        let item = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": id, "annotations": []}]});
        [
            json!({"type": "response.created", "response": {"id": id, "created_at": 1_790_000_000}}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
            json!({"type": last, "response": {"id": id, "output": [], "usage": usage}}),
        ]
    };
    let sent = [
        request("Hello", Value::Null),
        json!({"type": "session.update"}),
        request("Is a berth free?", json!("resp_1")),
        request("Bye", json!("resp_2")),
    ];
    let mut events = answer("resp_1", 0, "response.completed").to_vec();
    events.extend(answer("resp_2", 3968, "response.done"));
    events.push(json!({"type": "response.created", "response": {"id": "resp_3"}}));
    json!({"timestamp": "2026-11-20T10:00:00Z", "request_id": "q", "turn": 1, "transport": "websocket",
        "upstream_base_url": "https://api.openai.com",
        "request": {"method": "WEBSOCKET", "path": "/v1/responses", "headers": {}, "body": sent[0], "ws_events": sent},
        "response": {"status": 101, "headers": {}, "body": {"id": "resp_2"}, "ws_events": events}})
}

#[test]
fn a_websocket_in_one_line_is_all_of_its_requests() {
    let whole = tapped_socket();
    let mut merged = whole.clone();
    for side in ["request", "response"] {
        merged[side].as_object_mut().unwrap().remove("ws_events");
    }
    let place = Place::new();
    place.file("tap.jsonl", format!("{whole}\n{whole}\n"));
    let ran = place.run(&["capture", "import", "tap.jsonl", "-v", "-o", "log.jsonl"]);
    let said = ran.exits(0).stderr;
    // The second line has the ids of the first.
    assert!(said.contains("3 requests"), "{said}");
    assert_eq!(
        states(&place, "log.jsonl"),
        ["first", "extended", "extended"]
    );
    let log = place.read("log.jsonl");
    let answers = log
        .lines()
        .filter(|line| line.contains(r#""kind":"response""#));
    let answers = answers.map(|line| (line.contains("whole"), line.contains("cached_tokens")));
    assert_eq!(
        answers.collect::<Vec<_>>(),
        [(true, true), (true, true), (false, false)]
    );

    // Without its messages the recording has a body that was never sent.
    place.file("merged.jsonl", format!("{merged}\n"));
    let args = ["capture", "import", "merged.jsonl", "-o", "merged.log"];
    place.run(&args).exits(0);
    let log = place.read("merged.log");
    assert!(log.contains("merged into one"), "{log}");
}

/// A line of claude-tap for a WebSocket with two requests and these events.
fn socket_of(events: &[Value]) -> Value {
    let request = |text: &str| json!({"type": "response.create", "model": "gpt-6.1-sol", "instructions": "You are Harbor.", "input": text});
    let sent = [request("Is a berth free?"), request("Which one?")];
    json!({"timestamp": "2026-11-20T10:00:00Z", "request_id": "q", "turn": 1, "transport": "websocket",
        "upstream_base_url": "https://api.openai.com",
        "request": {"method": "WEBSOCKET", "path": "/v1/responses", "headers": {}, "body": sent[0], "ws_events": sent},
        "response": {"status": 101, "headers": {}, "body": null, "ws_events": events}})
}

#[test]
fn an_event_of_a_websocket_is_of_the_answer_that_it_names() {
    let event = |kind: &str, id: &str, tokens: u64| json!({"type": kind, "response": {"id": id, "usage": {"input_tokens": tokens, "output_tokens": 1}}});
    let (begins, ends) = ("response.created", "response.completed");
    let error = json!({"type": "error", "error": {"code": "overloaded"}});
    let (first, second) = (event(ends, "a", 1_000), event(ends, "b", 2_000));
    let whole = |tokens: u64| ("whole", json!(tokens));
    let none = |state| (state, Value::Null);
    let cases = [
        // The failure of an error is no other answer.
        (
            vec![
                error.clone(),
                event("response.failed", "a", 0),
                second.clone(),
            ],
            [none("error"), whole(2_000)],
        ),
        (
            vec![
                event(begins, "a", 0),
                event(begins, "b", 0),
                second.clone(),
                first.clone(),
            ],
            [whole(1_000), whole(2_000)],
        ),
        // One that does not come to its end leaves the next one its own.
        (
            vec![event(begins, "a", 0), event(begins, "b", 0), second.clone()],
            [none("aborted"), whole(2_000)],
        ),
        (vec![error, second], [none("error"), whole(2_000)]),
    ];
    for (events, expected) in cases {
        let place = Place::new();
        place.file("tap.jsonl", format!("{}\n", socket_of(&events)));
        place
            .run(&["capture", "import", "tap.jsonl", "-o", "log.jsonl"])
            .exits(0);
        let log = place.read("log.jsonl");
        let lines = log
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let answers = lines.filter(|line| line["kind"] == "response");
        let found: Vec<(String, Value)> = answers
            .map(|answer| {
                (
                    answer["state"].as_str().unwrap().to_owned(),
                    answer["usage"]["input_tokens"].clone(),
                )
            })
            .collect();
        let found: Vec<(&str, Value)> = found
            .iter()
            .map(|(state, usage)| (state.as_str(), usage.clone()))
            .collect();
        assert_eq!(found, expected, "{events:?}");
    }
}

#[test]
fn messages_of_a_websocket_that_are_of_no_use_are_counted() {
    let end = |id: &str| json!({"type": "response.completed", "response": {"id": id}});
    let events = [
        end("a"),
        json!("text"),
        end("b"),
        end("c"),
        json!({"raw": "x"}),
    ];
    let place = Place::new();
    place.file("tap.jsonl", format!("{}\n", socket_of(&events)));
    let said = place
        .run(&["capture", "import", "tap.jsonl", "-o", "log.jsonl"])
        .exits(0)
        .stderr;
    assert!(
        said.contains(
            "1 skipped, first in tap.jsonl:1: an answer in a WebSocket that answers no request"
        ),
        "{said}"
    );
    assert!(
        said.contains(
            "2 skipped, first in tap.jsonl:1: a message of a WebSocket that cannot be read"
        ),
        "{said}"
    );
}

#[test]
fn a_file_that_is_named_twice_counts_once() {
    let place = import(&[
        json!({"conversation": "c", "request": body("x"), "response": {"usage": {"input_tokens": 5, "output_tokens": 1}}}),
    ]);
    place.file("folder/bodies.jsonl", place.read("bodies.jsonl"));
    for (paths, told) in [
        (
            ["bodies.jsonl", "./bodies.jsonl"],
            "a file that is named twice",
        ),
        (
            ["folder", "folder/bodies.jsonl"],
            "a file that is named twice",
        ),
        (
            ["log.jsonl", "./log.jsonl"],
            "is named twice, and counted once",
        ),
    ] {
        let ran = place.run(&["usage", paths[0], paths[1]]).exits(0);
        let said = String::from_utf8(ran.stdout).unwrap();
        assert!(said.starts_with("1 request"), "{paths:?}: {said}");
        assert!(ran.stderr.contains(told), "{paths:?}: {}", ran.stderr);
    }
}

/// The number of requests of a recording in a log, and what the import says.
fn imported(lines: &[Value]) -> (usize, String) {
    let place = Place::new();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    place.file("recorded.jsonl", text);
    let args = [
        "capture",
        "import",
        "-v",
        "recorded.jsonl",
        "-o",
        "log.jsonl",
    ];
    let ran = place.run(&args).exits(0);
    (states(&place, "log.jsonl").len(), ran.stderr)
}

#[test]
fn requests_with_one_answer_id_are_one_only_if_they_are_the_same() {
    let answer = json!({"id": "msg_constant", "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}});
    let line = |system: &str| json!({"url": "https://api.anthropic.com/v1/messages", "request": body(system), "response": answer});
    // A test server gives all answers one id.
    let (requests, said) = imported(&[line("One."), line("Two."), line("Three."), line("One.")]);
    assert_eq!(requests, 4, "{said}");
    // So it shows after two that look like copies; what else is between does not matter.
    let other = json!({"request": body("Four."), "response": {"id": "msg_other", "content": []}});
    let (requests, said) = imported(&[
        line("One."),
        line("One."),
        other,
        line("One."),
        line("Two."),
        line("One."),
    ]);
    assert_eq!(requests, 6, "{said}");
    assert!(!said.contains("duplicate"), "{said}");
    // The same line twice.
    let (requests, said) = imported(&[line("One."), line("One.")]);
    assert_eq!(requests, 1, "{said}");
    assert!(said.contains("duplicate: recorded.jsonl:2"), "{said}");
    assert!(said.contains("duplicates: 1"), "{said}");
    // Requests with ids of their own are never one, however alike they are; with one id they always are.
    let tap = |id: &str, system: &str| {
        json!({"timestamp": "2026-11-20T10:00:00Z", "request_id": id, "turn": 1,
            "request": {"method": "POST", "path": "/v1/messages", "headers": {}, "body": body(system)},
            "response": {"status": 200, "body": answer}})
    };
    let (requests, said) = imported(&[tap("a", "One."), tap("b", "One."), tap("c", "Two.")]);
    assert_eq!(requests, 3, "{said}");
    let (requests, said) = imported(&[tap("a", "One."), tap("a", "One."), tap("b", "One.")]);
    assert_eq!(requests, 2, "{said}");
    assert!(said.contains("duplicates: 1"), "{said}");
    // The copy of one without an id gives it its own.
    let place = Place::new();
    let all = [tap("", "One."), tap("a", "One."), tap("b", "One.")];
    place.file("tap.jsonl", all.map(|line| format!("{line}\n")).concat());
    let ran = place.run(&["capture", "import", "tap.jsonl", "-o", "log.jsonl"]);
    let said = ran.exits(0).stderr;
    assert!(
        said.contains("2 requests in log.jsonl; duplicates: 1"),
        "{said}"
    );
    let (requests, said) = imported(&[tap("a", "One."), tap("", "One."), tap("b", "One.")]);
    assert_eq!(requests, 2, "{said}");
    assert!(said.contains("duplicate: recorded.jsonl:2"), "{said}");
}

#[test]
fn members_beside_a_body_that_cannot_be_read_are_counted() {
    let line =
        |time: Value, status: Value| json!({"time": time, "status": status, "request": body("x")});
    let good = line(json!("2026-11-20T10:00:00Z"), json!(200));
    let (requests, said) = imported(&[
        good,
        line(json!("yesterday"), json!(200)),
        line(Value::Null, json!("OK")),
        line(json!(true), Value::Null),
    ]);
    assert_eq!(requests, 4, "{said}");
    assert!(
        said.contains("3 requests of bodies have a time, a status or a name that cannot be read"),
        "{said}"
    );
}

#[test]
fn a_folder_of_bodies_is_read_in_the_order_of_names_with_its_answers() {
    let place = Place::new();
    place.file("raw/2.request.json", body("Be long.").to_string());
    place.file("raw/1.request.json", body("Be brief.").to_string());
    place.file(
        "raw/1.response.json",
        json!({"id": "msg_1", "content": []}).to_string(),
    );
    place.file("raw/index.jsonl", "{}\n");
    place
        .run(&["capture", "import", "raw", "-o", "log.jsonl"])
        .exits(0);
    let log = place.read("log.jsonl");
    let at = |text: &str| log.find(text).unwrap_or_else(|| panic!("{text}: {log}"));
    assert!(at("Be brief.") < at("msg_1") && at("msg_1") < at("Be long."));
}

#[test]
fn a_break_in_a_part_fails_on_request() {
    let line = |system: &str| json!({"conversation": "c", "request": body(system)});
    let place = import(&[line("Be brief."), line("Be long.")]);
    for (part, exit) in [("tools", 0), ("system", 1), ("messages", 1)] {
        place
            .run(&[
                "capture",
                "diff",
                "log.jsonl",
                "--fail-on",
                &format!("break={part}"),
            ])
            .exits(exit);
    }
    place
        .run(&["capture", "diff", "log.jsonl", "--fail-on", "break"])
        .exits(1);
    place
        .run(&["capture", "diff", "log.jsonl", "--fail-on", "break=sytem"])
        .exits(2);
}

#[test]
fn a_log_becomes_a_manifest_that_builds_its_system_texts() {
    let text = |day: u32| {
        format!(
            "You are Harbor.\n\n# Rules\n\nAnswer in one sentence.\n\n# Today\n\nDate: 2026-03-0{day}\n"
        )
    };
    let line = |text: &str| json!({"conversation": "c", "request": body(text)});
    let place = import(&[
        line(&text(1)),
        line("Write a title."),
        line(&text(2)),
        line(&text(2)),
    ]);
    let ran = place.run(&["init", "made", "--from", "log.jsonl"]).exits(0);
    assert!(
        ran.stderr.contains("1 requests with another prompt"),
        "{}",
        ran.stderr
    );
    for (scenario, day) in [("log-1", 1), ("log-3", 2)] {
        let built = place
            .run(&["build", "-m", "made/promptc.kdl", "--scenario", scenario])
            .exits(0);
        assert_eq!(
            built.stdout().trim_end(),
            text(day).trim_end(),
            "{scenario}"
        );
    }
}

#[test]
fn additions_around_a_prompt_are_found_with_their_layer() {
    let place = import(&[
        json!({"request": body("Answer in one sentence.\n\nToday is Monday.\n\nYou talk to Ann.")}),
    ]);
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t {\n    layer rules { text \"Answer in one sentence.\" }\n    layer who { text \"You talk to Ann.\" }\n}\n",
    );
    place
        .run(&["build", "--format", "json", "-o", "prompt.json"])
        .exits(0);
    let ran = place.run(&["diff", "prompt.json", "log.jsonl#1"]).exits(0);
    assert!(
        ran.stdout().contains("Today is Monday."),
        "{}",
        ran.stdout()
    );
    assert!(ran.stdout().contains("who"), "{}", ran.stdout());
}

#[test]
fn the_system_text_of_an_emitted_request_is_the_prompt() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t {\n    layer rules { text \"Answer in one sentence.\" }\n}\n",
    );
    place
        .run(&["build", "--format", "json", "-o", "prompt.json"])
        .exits(0);
    place.file("messages.json", r#"[{"role": "user", "content": "Hi"}]"#);
    for (shape, model, path) in [
        ("anthropic", "claude-opus-5-5", "/v1/messages"),
        ("openai", "gpt-5.5", "/v1/chat/completions"),
        ("openai-responses", "gpt-5.5", "/v1/responses"),
    ] {
        let emit = ["emit", shape, "--model", model, "--artifact", "prompt.json"];
        let args = [&emit[..], &["--messages", "messages.json"]].concat();
        let request: Value = serde_json::from_str(place.run(&args).exits(0).stdout()).unwrap();
        let line = json!({"url": path, "conversation": shape, "request": request});
        place.file("bodies.jsonl", line.to_string());
        place
            .run(&["capture", "import", "bodies.jsonl", "-o", "log.jsonl"])
            .exits(0);
        let args = ["diff", "prompt.json", "log.jsonl#1", "--format", "json"];
        let diff: Value = serde_json::from_str(place.run(&args).exits(0).stdout()).unwrap();
        assert_eq!(diff["comparisons"][0]["same"], true, "{shape}: {diff:#}");
        std::fs::remove_file(place.path().join("log.jsonl")).unwrap();
    }
}

#[test]
fn a_changed_line_leads_back_to_its_file() {
    let instructions = |count: &str| {
        format!(
            "<system-reminder>\nContents of /home/ann/app/docs/AGENTS.md (project instructions):\n\nCount stems {count}.\nBe brief.\n</system-reminder>\nHello"
        )
    };
    let line = |system: &str, count: &str| {
        let mut request = body(system);
        request["messages"] = json!([
            {"role": "user", "content": instructions(count)}, {"role": "assistant", "content": "Hi"}, {"role": "user", "content": "Bye"}]);
        json!({"conversation": "c", "request": request})
    };
    let place = import(&[
        line("A\nRun the linter first.\nB", "once"),
        line("A\nRun the linter last.\nB", "twice"),
    ]);
    place.file("app/docs/AGENTS.md", "Count stems twice.\nBe brief.\n");
    place.file("app/other/AGENTS.md", "Count stems twice.\nBe brief.\n");
    place.file("app/RULES.md", "One.\nRun the linter last.\n");
    place.file("app/node_modules/RULES.md", "One.\nRun the linter last.\n");
    let args = [
        "capture",
        "diff",
        "log.jsonl",
        "--files",
        "app",
        "--format",
        "json",
    ];
    let report: Value = serde_json::from_str(place.run(&args).exits(0).stdout()).unwrap();
    let causes = &report["comparisons"][1]["causes"];
    let expected = [
        json!({"path": "RULES.md", "line": 2, "confidence": "line"}),
        json!({"path": "docs/AGENTS.md", "line": 1, "confidence": "marker"}),
    ];
    for (cause, source) in causes.as_array().unwrap().iter().zip(&expected) {
        assert_eq!(&cause["source"], source, "{cause}");
    }
    assert_eq!(causes.as_array().unwrap().len(), 2);
    place
        .run(&["capture", "diff", "log.jsonl", "--files", "missing"])
        .exits(2);
}

#[test]
fn calls_of_no_model_are_passed_over() {
    let call = |url: &str, request: Value| json!({"url": url, "request": request});
    let anthropic = || json!({"messages": [{"role": "user", "content": "Is a berth free?"}], "max_tokens": 5, "anthropic_version": "v"});
    let calls = [
        call(
            "https://api.anthropic.com/v1/messages/count_tokens",
            body("x"),
        ),
        call(
            "https://api.openai.com/v1/embeddings",
            json!({"model": "m", "input": "Berth 4"}),
        ),
        call(
            "https://api.openai.com/v1/threads/t/messages",
            json!({"role": "user", "content": "Is a berth free?"}),
        ),
        call(
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.titan/invoke",
            json!({"inputText": "Berth 4"}),
        ),
        call(
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova/invoke",
            json!({"schemaVersion": "v", "messages": [{"role": "user", "content": [{"text": "Berth 4"}]}]}),
        ),
        // The rest are calls: through an app, in Vertex, and where the URL has no path.
        call(
            "http://127.0.0.1:4000/anthropic/v1/messages?beta=true",
            anthropic(),
        ),
        call(
            "https://host/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5-5:streamRawPredict",
            anthropic(),
        ),
        call(
            "https://host/v1/projects/p/locations/l/publishers/mistralai/models/m:rawPredict",
            json!({"model": "m", "messages": []}),
        ),
        call("https://api.anthropic.com/", body("x")),
        call("REDACTED", body("x")),
    ];
    let place = Place::new();
    let lines: String = calls.iter().map(|call| format!("{call}\n")).collect();
    place.file("calls.jsonl", lines);
    let ran = place.run(&["capture", "import", "calls.jsonl", "-o", "log.jsonl"]);
    let said = ran.exits(0).stderr.clone();
    assert!(said.contains("4 requests in"), "{said}");
    let unknown = "6 skipped, first in calls.jsonl:1: a body of an unknown API";
    assert!(said.contains(unknown), "{said}");
    let log = place.read("log.jsonl");
    assert_eq!(
        log.matches("\"api\":\"anthropic-messages\"").count(),
        4,
        "{log}"
    );
    assert!(log.contains("\"model\":\"claude-opus-5-5\""), "{log}");

    let entries = json!([{"request": {"url": "wss://example.org/chat"}, "_webSocketMessages": [{"type": "send", "data": "Hello"}]}]);
    place.file(
        "socket.har",
        json!({"log": {"entries": entries}}).to_string(),
    );
    let ran = place.run(&["capture", "import", "socket.har", "-o", "none.jsonl"]);
    let said = ran.exits(2).stderr.clone();
    assert!(
        said.contains("1 skipped, first in socket.har:1: a call of no model"),
        "{said}"
    );
}

#[test]
fn an_empty_id_of_an_answer_is_none() {
    // Azure begins a stream with a chunk of its filter, whose id is empty; other servers write no id at all.
    let chunk = |id: &str, tokens: Option<u64>| {
        let usage = tokens.map(|tokens| json!({"prompt_tokens": tokens, "completion_tokens": 1}));
        format!(
            "data: {}\n\n",
            json!({"id": id, "choices": [], "usage": usage})
        )
    };
    let request =
        json!({"model": "m", "messages": [{"role": "user", "content": "Is a berth free?"}]});
    let stream = |id: &str, tokens| chunk("", None) + &chunk(id, Some(tokens));
    let line = |answer: String| json!({"url": "https://host/v1/chat/completions", "id": "", "request": request, "response": answer});
    let place = import(&[
        line(stream("a", 5)),
        line(stream("b", 6)),
        line(json!({"id": "", "usage": {"prompt_tokens": 7}}).to_string()),
        line(json!({"id": "", "usage": {"prompt_tokens": 8}}).to_string()),
        line(stream("a", 5)),
    ]);
    let log = place.read("log.jsonl");
    let told: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("\"kind\":\"response\""))
        .collect();
    assert_eq!(told.len(), 4, "{log}");
    assert!(
        told[0].contains("\"id\":\"a\"") && told[1].contains("\"id\":\"b\""),
        "{log}"
    );
}
