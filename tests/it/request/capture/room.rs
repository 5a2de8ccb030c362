//! Recordings of more conversations than there is room for.

use crate::run::Place;
use serde_json::{Value, json};

type Said<'t> = (&'t str, &'t str);

fn line(number: usize, system: &str, messages: &[Said<'_>]) -> String {
    let messages = messages.iter();
    let messages = messages.map(|(role, text)| json!({"role": role, "content": text}));
    let messages: Vec<Value> = messages.collect();
    let system = json!([{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]);
    let request = json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": system, "messages": messages});
    let usage = json!({"input_tokens": 3, "output_tokens": 1});
    let response = json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "claude-opus-5-5",
        "content": [{"type": "text", "text": "Yes?"}], "stop_reason": "end_turn", "usage": usage});
    json!({"request": request, "response": response}).to_string()
}

/// Each is of a megabyte, and nothing says where its conversation ends.
#[test]
fn what_too_much_came_after_is_compared_in_a_log() {
    let place = Place::new();
    let long = "Count the boats at dawn. ".repeat(40_000);
    let talk: [Said<'_>; 3] = [("user", "Hello"), ("assistant", "Yes?"), ("user", "Go on.")];
    let others = (1..=40).map(|number| {
        let asked = format!("Where is berth {number}?");
        line(number, &format!("{number} {long}"), &[("user", &asked)])
    });
    let mut lines = vec![line(0, "Be brief.", &talk[..1])];
    lines.extend(others);
    lines.push(line(41, "Be brief.", &talk));
    place.file("own.jsonl", lines.join("\n"));
    let said = "compared with nothing, since the request before was forgotten: 1";
    place.run(&["usage", "own.jsonl"]).exits(0).says(said);
    place.file("key", format!("{}\n", "0".repeat(64)));
    let import = ["capture", "import", "own.jsonl", "--hash-key", "key"];
    let import = [&import[..], &["-o", "log.jsonl"]].concat();
    place.run(&import).exits(0);
    let ran = place.run(&["usage", "log.jsonl"]).exits(0).stderr.clone();
    assert!(!ran.contains(said), "{ran}");
}
