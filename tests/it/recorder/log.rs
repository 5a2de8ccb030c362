//! The log of a recording is that of an import of the same exchanges.

use super::provider::{Call, Provider, events};
use super::{body, lines, of_kind, recorder, recording};
use crate::run::{PROGRAM, Place, run};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

const PATH: &str = "/anthropic/v1/messages";
const KEY: &str = "0000000000000000000000000000000000000000000000000000000000000000\n";

/// A line of a recording: what the provider itself wrote down.
fn recorded(call: &Call, url: &str) -> Value {
    let path = call.request.first.split(' ').nth(1).unwrap();
    let path = path.split('?').next().unwrap();
    let headers = call.request.headers.iter();
    let headers: serde_json::Map<String, Value> = headers
        .map(|(name, value)| (name.to_lowercase(), json!(value)))
        .collect();
    json!({
        "url": format!("{url}{path}"), "headers": headers, "status": call.status,
        "request": String::from_utf8(call.request.body.clone()).unwrap(), "response": call.answer,
    })
}

/// A log without the times, which the provider does not know, and where an import read it.
fn comparable(place: &Place, log: &str) -> Vec<Value> {
    let mut all = lines(place, log);
    for line in &mut all {
        let line = line.as_object_mut().unwrap();
        line.remove("time");
        line.remove("begun");
        line.remove("origin");
    }
    all
}

#[test]
fn a_recording_equals_an_import_of_the_providers_log() {
    for options in [&[][..], &["--redact-text"]] {
        let place = Place::new();
        place.file("key", KEY);
        let provider = Provider::new();
        let all = [&["-o", "log.jsonl", "--hash-key", "key"], options].concat();
        let recorder = recorder(&place, &provider, &all);
        for _ in 0..events(0).len() {
            provider.one_more();
        }
        let session =
            "X-Claude-Code-Session-Id: s-1\r\nUser-Agent: claude-cli/2.1.332 (external, cli)\r\n";
        let talks = [
            ("", "Be brief.", "Hello"),
            ("", "Be brief.\nIt is 10:02.", "Hello"),
            ("?do=stream", "Be brief.", "Again"),
            ("?do=status-429", "Be brief.", "Again"),
            ("?do=coding-br", "Be brief.", "Again"),
            ("?do=coding-zstd", "Be sk-ant-REDACTED", "x"),
        ];
        for (wish, system, message) in talks {
            recorder.send(&format!("{PATH}{wish}"), session, &body(system, message));
        }
        recorder.end();
        let own: Vec<Value> = provider
            .calls()
            .iter()
            .map(|call| recorded(call, &provider.url()))
            .collect();
        let own: Vec<String> = own.iter().map(Value::to_string).collect();
        place.file("own.jsonl", own.join("\n"));
        let import = [
            &[
                "capture",
                "import",
                "own.jsonl",
                "--hash-key",
                "key",
                "-o",
                "import.jsonl",
            ],
            options,
        ]
        .concat();
        place.run(&import).exits(0);
        assert_eq!(
            comparable(&place, "log.jsonl"),
            comparable(&place, "import.jsonl")
        );
        assert_eq!(
            of_kind(&lines(&place, "log.jsonl"), "request").len(),
            talks.len()
        );
        let requests = of_kind(&lines(&place, "log.jsonl"), "request");
        assert!(requests.iter().all(|line| line["time"].is_string()));
    }
}

#[test]
fn no_recording_contains_a_secret() {
    let (place, provider, recorder) = recording();
    let secret = "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let headers = format!(
        "X-Api-Key: {secret}\r\nAuthorization: Bearer {secret}\r\nCookie: session={secret}\r\nx-goog-api-key: {secret}\r\n\
         User-Agent: agent/1 {secret}\r\nanthropic-beta: {secret}\r\n"
    );
    let mut sent: Value =
        serde_json::from_slice(&body(&format!("The key is {secret}."), "m")).unwrap();
    sent["metadata"] = json!({"user_id": format!("user_a_account_{secret}_session_s")});
    sent["tools"] = json!([{"name": "t", "description": "d", "input_schema": {"default": {"password": "hunter22"}}}]);
    sent["mcp_servers"] = json!([{"authorization_token": "hunter22"}]);
    let sent = sent.to_string().into_bytes();
    let path = format!("{PATH}?key={secret}&do=");
    assert_eq!(recorder.send(&path, &headers, &sent).status(), 200);
    let said = recorder.end();
    let log = place.read("log.jsonl");
    for secret in [secret, "AAAAAAAAAAAA", "hunter22"] {
        assert!(
            !log.contains(secret) && !said.contains(secret),
            "{log}{said}"
        );
    }
    assert!(log.contains("[redacted:api_key:"), "{log}");
    // And the provider got all of it.
    let got = &provider.calls()[0].request;
    assert_eq!(got.body, sent);
    assert_eq!(got.header("x-api-key"), Some(secret));
    let mode = place
        .path()
        .join("log.jsonl")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_log_shows_the_break() {
    let (place, _provider, recorder) = recording();
    for system in ["It is 10:00.", "It is 10:02."] {
        recorder.send(PATH, "", &body(system, "Hello"));
    }
    let said = recorder.end();
    assert!(
        said.contains("2 requests recorded in log.jsonl\nnext: promptc capture diff log.jsonl"),
        "{said}"
    );
    let ran = place
        .run(&["capture", "diff", "log.jsonl", "--fail-on", "break=system"])
        .exits(1);
    ran.shows("system-changed system/0, line 1");
    place.run(&["usage", "log.jsonl"]).exits(0);
}

/// A transcript names it too, and is no second request then.
#[test]
fn a_request_has_the_id_that_its_provider_gave_it() {
    let (place, _provider, recorder) = recording();
    for wish in ["?do=named", "", "?do=named"] {
        recorder.send(&format!("{PATH}{wish}"), "", &body("Be brief.", "Hello"));
    }
    recorder.end();
    let requests = of_kind(&lines(&place, "log.jsonl"), "request");
    let ids: Vec<&Value> = requests.iter().map(|request| &request["id"]).collect();
    assert_eq!(ids, ["req_0", "r2", "req_2"]);
}

#[test]
fn the_first_commands_of_the_page_of_requests_work() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(top.join("docs/capture.md")).unwrap();
    let (_, rest) = page.split_once("```text sketch\n").unwrap();
    let (commands, _) = rest.split_once("```").unwrap();
    let place = Place::new();
    for file in ["agent.py", "provider.py"] {
        let text = std::fs::read_to_string(top.join("examples/recorded-tests").join(file)).unwrap();
        place.file(file, &text);
    }
    let bin = Path::new(PROGRAM).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("python3");
    command.args(["provider.py", "sh", "-e", "-c", commands]);
    command.current_dir(place.path());
    command.env("PATH", format!("{}:{path}", bin.display()));
    let ran = run(command, b"").exits(0);
    for shown in [
        "Berth 4 is free.\n",
        "system-changed system/0, line 2",
        "2 requests: 1 broken",
        "2 requests on ",
    ] {
        ran.shows(shown);
    }
    ran.says("2 requests recorded in requests.jsonl");
}
