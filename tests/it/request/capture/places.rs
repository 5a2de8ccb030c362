//! A cause names its place whole, and shows what was there and what is there now, in words.

use super::agents::import;
use super::comparisons;
use crate::run::Place;
use data_encoding::BASE64;
use serde_json::{Value, json};

const CLAUDE: &str = "https://api.anthropic.com/v1/messages";

/// A picture of 800 by 600 pixels in a file of about so many bytes.
fn picture(bytes: usize) -> String {
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x03\x20\0\0\x02\x58".to_vec();
    file.resize(bytes, 0);
    BASE64.encode(&file)
}

fn request() -> Value {
    let image = json!({"type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": picture(40_000)}});
    let document = json!({"type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": BASE64.encode(&[7; 3_000])}});
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": [
        {"type": "text", "text": "Found:"}, {"type": "tool_reference", "tool_name": "write"}]});
    json!({
        "model": "claude-opus-5-5", "max_tokens": 9, "system": "Be brief.",
        "tools": [{"name": "read", "description": "Reads a file.\nWith its lines.",
            "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hello"}, image, document]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "It is about a harbour.", "signature": "first"},
                {"type": "text", "text": "Yes?"},
                {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}}]},
            {"role": "user", "content": [result]},
        ],
    })
}

/// The change of a value in the second request: how the cause is shown, and the cause.
fn changed(at: &str, new: Value) -> (Vec<String>, Value) {
    changed_from(request(), at, new)
}

fn changed_from(request: Value, at: &str, new: Value) -> (Vec<String>, Value) {
    let place = Place::new();
    let mut other = request.clone();
    *other.pointer_mut(at).unwrap() = new;
    let lines = [request, other]
        .into_iter()
        .enumerate()
        .map(|(at, request)| {
            let time = format!("2026-11-20T10:0{at}:00Z");
            json!({"url": CLAUDE, "conversation": "c", "time": time, "request": request})
                .to_string()
        });
    place.file("in.jsonl", lines.collect::<Vec<_>>().join("\n"));
    import(&place, "in.jsonl");
    let shown = place.run(&["capture", "diff", "log.jsonl"]);
    let shown = shown
        .stdout()
        .lines()
        .skip_while(|line| !line.starts_with("cause"));
    let shown = shown.take_while(|line| line.starts_with("cause") || line.starts_with("        "));
    let shown = shown.map(|line| line.trim().to_owned()).collect();
    (
        shown,
        comparisons(&place, "log.jsonl")[1]["causes"][0].clone(),
    )
}

#[test]
fn a_cause_names_role_block_and_field_and_shows_both_in_words() {
    let rows = [
        (
            "/tools/0/description",
            json!("Reads a file.\nWith all lines."),
            "tool-changed tools/read at description",
            "With its lines.",
            "With all lines.",
        ),
        (
            "/tools/0/input_schema/properties/path/type",
            json!("number"),
            "tool-changed tools/read at input_schema.properties.path.type",
            "string",
            "number",
        ),
        (
            "/messages/0/content/1/source/data",
            json!(picture(1_250_000)),
            "message-edited messages/0 (user), block 1 (image), line 1",
            "image (40.0 kB, png)",
            "image (1.2 MB, png)",
        ),
        (
            "/messages/0/content/2/source/data",
            json!(BASE64.encode(&[7; 6_000])),
            "message-edited messages/0 (user), block 2 (document), line 1",
            "document (3.0 kB, pdf)",
            "document (6.0 kB, pdf)",
        ),
        (
            "/messages/0/content/1/source",
            json!({"type": "url", "url": "https://example.com/a.png"}),
            "message-edited messages/0 (user), block 1 (image), line 1",
            "image (40.0 kB, png)",
            "image (https://example.com/a.png)",
        ),
        (
            "/messages/1/content/0",
            json!({"type": "thinking", "thinking": "It is about a ship.", "signature": "second"}),
            "message-edited messages/1 (assistant), block 0 (thinking), line 1",
            "It is about a harbour.",
            "It is about a ship.",
        ),
        (
            "/messages/1/content/1/text",
            json!("No?"),
            "message-edited messages/1 (assistant), block 1, line 1",
            "Yes?",
            "No?",
        ),
        (
            "/messages/2/content/0/content/1/tool_name",
            json!("edit"),
            "message-edited messages/2 (user), block 0 (tool_result), line 2",
            "tool `write`",
            "tool `edit`",
        ),
    ];
    for (at, new, place, before, now) in rows {
        let (shown, cause) = changed(at, new);
        assert_eq!(
            shown[..3],
            [
                format!("cause   {place}"),
                format!("- {before}"),
                format!("+ {now}")
            ],
            "{at}"
        );
        assert_eq!(
            (&cause["old"], &cause["new"]),
            (&json!(before), &json!(now)),
            "{at}"
        );
    }
}

/// What words do not tell apart a part of a hash does.
#[test]
fn two_sides_are_never_shown_as_the_same() {
    let mut other = BASE64.decode(picture(40_000).as_bytes()).unwrap();
    other[39_999] = 1;
    for (at, new) in [
        (
            "/messages/0/content/1/source/data",
            json!(BASE64.encode(&other)),
        ),
        (
            "/messages/1/content/0",
            json!({"type": "thinking", "thinking": "It is about a harbour.", "signature": "first of others"}),
        ),
        ("/messages/2/content/0/is_error", json!(true)),
    ] {
        let mut request = request();
        if at.ends_with("is_error") {
            request["messages"][2]["content"][0]["is_error"] = json!(false);
        }
        let (_, cause) = changed_from(request, at, new);
        assert!(
            cause["old"].is_string() && cause["new"].is_string(),
            "{cause}"
        );
        assert_ne!(cause["old"], cause["new"]);
    }
    // What is not there is not an empty text.
    let (_, cause) = changed("/tools/0/input_schema", json!({"type": "object"}));
    assert_eq!(
        (cause["path"].as_str(), &cause["new"]),
        (Some("input_schema.properties"), &Value::Null)
    );
}

#[test]
fn json_has_the_role_and_the_type_of_a_block() {
    let (_, cause) = changed("/messages/1/content/1/text", json!("No?"));
    assert_eq!(
        (&cause["role"], &cause["block"]),
        (&json!("assistant"), &json!(1))
    );
    assert_eq!(cause["block_type"], Value::Null);
    let (_, cause) = changed("/messages/0/content/1/source/data", json!(picture(8)));
    assert_eq!(cause["block_type"], "image");
}
