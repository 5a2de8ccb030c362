//! What is said of many conversations, and what is written of who pays for them.

use serde_json::{Value, json};

use crate::program::{Said, said};

/// A conversation of one turn, and what is known of it besides its body.
fn one_turn(n: usize, system: &str, known: &Value) -> String {
    let mut line = json!({
        "conversation": format!("c{n}"),
        "url": "https://api.openai.com/v1/chat/completions",
        "request": {"model": "gpt-5.5", "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": format!("Question {n}?")},
        ]},
    });
    for (key, value) in known.as_object().into_iter().flatten() {
        if key == "prompt_cache_key" {
            line["request"][key] = value.clone();
        } else {
            line[key] = value.clone();
        }
    }
    line.to_string() + "\n"
}

fn rules(n: usize, lines: usize) -> String {
    let lines = (0..lines).map(|i| format!("Rule {i} of {n} says which berth is free, and when."));
    lines.collect::<Vec<_>>().join("\n")
}

fn states(said: &Said) -> Vec<&str> {
    let all = said.comparisons.iter();
    all.filter_map(|one| one["state"].as_str()).collect()
}

#[test]
fn credentials_are_hashed_and_never_written() {
    let secret = "sk-proj-0123456789abcdefghijklmnop";
    let name = "tenant of the north quay";
    let calls = [
        json!({"headers": {"Authorization": format!("Bearer {secret}")}}),
        json!({"headers": {"api-key": secret}}),
        json!({"url": format!("https://generativelanguage.googleapis.com/v1/chat/completions?key={secret}")}),
        json!({"account": name}),
    ];
    let system = rules(0, 100);
    let lines = calls.iter().enumerate();
    let lines = lines.map(|(n, known)| one_turn(n, &system, known));
    let said = said(&lines.collect::<String>());
    assert!(!said.written.contains(secret), "the log has the credential");
    assert!(!said.written.contains(name), "the log has the name");
    let accounts = said.written.matches("\"account\":\"").count();
    assert_eq!(accounts, calls.len());
    assert_eq!(states(&said)[3], "first");
}

#[test]
fn keys_of_most_conversations_are_noted_once() {
    let system = rules(0, 100);
    let keyed = |n: usize| json!({"prompt_cache_key": format!("key-{n}")});
    let lines = (0..5).map(|n| one_turn(n, &system, &keyed(n)));
    let own = said(&lines.collect::<String>());
    assert_eq!(states(&own), ["first"; 5]);
    let note = "5 of 5 conversations have a `prompt_cache_key` of their own";
    assert_eq!(own.written.matches(note).count(), 1, "no note");
    let lines = (0..5).map(|n| one_turn(n, &system, &keyed(n / 4)));
    let shared = said(&lines.collect::<String>());
    assert!(!shared.written.contains("of their own"));
}

/// Each conversation has lines of its own: more than are remembered.
#[test]
fn too_many_requests_are_forgotten_with_a_note() {
    let first = rules(0, 200);
    let mut lines = one_turn(0, &first, &Value::Null);
    for n in 1..=400 {
        lines += &one_turn(n, &rules(n, 200), &Value::Null);
    }
    lines += &one_turn(401, &first, &Value::Null);
    lines += &one_turn(402, &rules(400, 200), &Value::Null);
    let said = said(&lines);
    let states = states(&said);
    assert_eq!(states[401], "first", "the first one is forgotten");
    assert_eq!(states[402], "shared", "the newest one is not");
    let note = "were too early to be compared with later ones";
    assert_eq!(said.written.matches(note).count(), 1, "no note");
}
