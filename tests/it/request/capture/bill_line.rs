//! The line for its bill with which Claude Code begins its system prompt: only Anthropic's own API leaves it out of what it caches.

use super::agents::import;
use super::states;
use crate::run::Place;
use serde_json::{Value, json};

const OWN: &str = "https://api.anthropic.com/v1/messages";

fn line(cch: &str) -> String {
    format!("x-anthropic-billing-header: cc_version=2.1.119.a1b; cch={cch};")
}

/// The states of two requests of a conversation with these system prompts.
fn of(url: &str, model: &str, systems: [Value; 2]) -> Vec<String> {
    let place = Place::new();
    let talk = [("user", "Hello"), ("assistant", "Yes?"), ("user", "Go on.")];
    let lines = systems.into_iter().enumerate().map(|(at, system)| {
        let messages = talk[..1 + 2 * at].iter();
        let messages = messages.map(|(role, text)| json!({"role": role, "content": text}));
        let request = json!({"model": model, "max_tokens": 9, "system": system, "messages": messages.collect::<Vec<_>>(),
            "metadata": {"user_id": "{\"session_id\":\"s-1\"}"}});
        json!({"url": url, "time": format!("2026-11-20T10:00:0{at}Z"), "request": request}).to_string()
    });
    place.file("in.jsonl", lines.collect::<Vec<_>>().join("\n"));
    import(&place, "in.jsonl");
    states(&place, "log.jsonl")
}

/// Systems with this rule: the line in a block of its own, before the rule in one block, and in a text in place of blocks.
fn systems(cch: &str, rule: &str) -> [Value; 3] {
    let block = |text: String| json!({"type": "text", "text": text});
    let both = format!("{}\n{rule}", line(cch));
    [
        json!([block(line(cch)), block(rule.to_owned())]),
        json!([block(both.clone()), block("Be brief.".to_owned())]),
        json!(both),
    ]
}

#[test]
fn the_line_is_no_change_and_the_rest_of_its_block_is() {
    for url in [
        OWN,
        "/v1/messages",
        "http://127.0.0.1:8080/v1/messages",
        "http://[::1]:80/v1/messages",
    ] {
        let [before, same, other] = [
            systems("a1111", "It is 10:00."),
            systems("b2222", "It is 10:00."),
            systems("b2222", "It is 10:01."),
        ];
        for at in 0..3 {
            let pair = |now: &[Value; 3]| {
                of(
                    url,
                    "claude-opus-5-5",
                    [before[at].clone(), now[at].clone()],
                )
            };
            assert_eq!(pair(&same), ["first", "extended"], "{url} {at}");
            assert_eq!(pair(&other), ["first", "broken"], "{url} {at}");
        }
    }
}

#[test]
fn elsewhere_the_line_is_a_change() {
    let elsewhere = [
        (
            "https://api.fireworks.ai/inference/v1/messages",
            "accounts/fireworks/models/kimi-k2",
        ),
        (
            "https://api.deepseek.com/anthropic/v1/messages",
            "deepseek-chat",
        ),
        ("http://localhost:3456/v1/messages", "glm-4.6"),
        ("/v1/messages", "kimi-k2-turbo"),
    ];
    for (url, model) in elsewhere {
        let (before, now) = (systems("a1111", "Be kind."), systems("b2222", "Be kind."));
        for (before, now) in before.into_iter().zip(now) {
            assert_eq!(of(url, model, [before, now]), ["first", "broken"], "{url}");
        }
    }
}
