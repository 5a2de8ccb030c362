//! What a verdict depends on, and what it does not.

use super::agents::import;
use super::comparisons;
use crate::run::Place;
use serde_json::{Value, json};

const CLAUDE: &str = "https://api.anthropic.com/v1/messages";

fn block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn marked(text: &str) -> Value {
    json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}})
}

fn message(role: &str, content: impl Into<Value>) -> Value {
    json!({"role": role, "content": content.into()})
}

/// A text of so many tokens, about.
fn long(word: &str, tokens: usize) -> String {
    format!("{word} ").repeat(tokens * 4 / (word.len() + 1))
}

/// A line of a recording: the request at a minute, and its answer with these tokens that were read and written.
fn line(at: usize, system: &Value, messages: &[Value], bill: Option<(u64, u64)>) -> Value {
    let mut line = json!({"url": CLAUDE, "conversation": "c", "time": format!("2026-11-20T10:{at:02}:00Z"),
        "request": {"model": "claude-opus-5-5", "max_tokens": 9, "system": system, "messages": messages}});
    if let Some((read, write)) = bill {
        line["response"] = json!({"id": format!("msg-{at}"), "stop_reason": "end_turn", "usage": {
            "input_tokens": 0, "output_tokens": 1, "cache_read_input_tokens": read, "cache_creation_input_tokens": write}});
    }
    line
}

fn compared(lines: &[Value]) -> Vec<Value> {
    let place = Place::new();
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    place.file("in.jsonl", lines.join("\n"));
    import(&place, "in.jsonl");
    comparisons(&place, "log.jsonl")
}

/// The states and first places of two requests with these messages.
fn second(system: [&Value; 2], messages: [&[Value]; 2]) -> (String, Value) {
    let lines = [0, 1].map(|at| line(at, system[at], messages[at], None));
    let last = compared(&lines).pop().unwrap();
    (
        last["state"].as_str().unwrap().to_owned(),
        last["first"].clone(),
    )
}

#[test]
fn a_change_after_the_last_breakpoint_breaks_nothing() {
    let system = json!([marked("Be brief."), block("Notes.")]);
    let other = json!([marked("Be brief."), block("Other notes.")]);
    let talk = |first: Value, more: &[&str]| -> Vec<Value> {
        let more = more.iter().enumerate();
        let more = more.map(|(at, text)| message(["assistant", "user"][at % 2], *text));
        [message("user", vec![first])]
            .into_iter()
            .chain(more)
            .collect()
    };
    let hello = talk(block("Hello"), &["Yes?", "Go on."]);
    let edited = talk(block("Hello there"), &["Yes?", "Go on.", "Well.", "And?"]);
    let same = |state: &str| (state.to_owned(), Value::Null);
    let broken = |at: &str| ("broken".to_owned(), json!(at));
    // The first request marks its first block alone: what comes after it was never cached.
    assert_eq!(
        second([&system, &system], [&hello, &edited]),
        same("extended")
    );
    assert_eq!(
        second([&system, &other], [&hello, &hello]),
        same("extended")
    );
    assert_eq!(
        second([&other, &system], [&hello, &edited]),
        same("extended")
    );
    // With a breakpoint at the change, or after it, it was.
    let hello = talk(marked("Hello"), &["Yes?", "Go on."]);
    assert_eq!(
        second([&system, &system], [&hello, &edited]),
        broken("messages/0")
    );
    assert_eq!(
        second([&system, &other], [&hello, &hello]),
        broken("system/1")
    );
    let later = talk(block("Hello"), &["Yes?"]);
    let later: Vec<Value> = later
        .into_iter()
        .chain([message("user", vec![marked("Go on.")])])
        .collect();
    assert_eq!(
        second([&system, &system], [&later, &edited]),
        broken("messages/0")
    );
    // A setting of all that is cached counts wherever the breakpoint is.
    let mut lines = [0, 1].map(|at| line(at, &system, &hello, None));
    lines[1]["request"]["model"] = json!("claude-sonnet-5");
    let last = compared(&lines).pop().unwrap();
    assert_eq!(
        (&last["state"], &last["first"]),
        (&json!("broken"), &json!("model"))
    );
}

/// A message of the system among the others, with a breakpoint; when it is sent again it is a text without one.
fn resumed(bill: [Option<(u64, u64)>; 2], role: &str, again: Value) -> Value {
    let system = json!([marked(&long("rule", 4_000))]);
    let state = long("state", 4_000);
    let first = [
        message("user", "Hello"),
        message("assistant", "Yes?"),
        message("user", "Go on."),
        message(role, vec![marked(&state)]),
    ];
    let more = [
        message("user", "Hello"),
        message("assistant", "Yes?"),
        message("user", "Go on."),
        message(role, again),
        message("assistant", "Well."),
        message("user", vec![marked("And?")]),
    ];
    let lines = [
        line(0, &system, &first, bill[0]),
        line(1, &system, &more, bill[1]),
    ];
    compared(&lines).pop().unwrap()
}

#[test]
fn a_system_message_in_another_spelling_without_its_breakpoint_is_unproven_until_a_bill_decides() {
    let state = long("state", 4_000);
    let place = |one: &Value| {
        let causes = one["causes"].as_array().unwrap().iter();
        let causes = causes.map(|cause| (cause["kind"].clone(), cause["at"].clone()));
        (one["state"].clone(), causes.collect::<Vec<_>>())
    };
    let respelled = vec![(json!("message-respelled"), json!("messages/3"))];
    let found = resumed([None, None], "system", json!(state));
    assert_eq!(place(&found), (json!("unproven"), respelled.clone()));
    // It read what the first one wrote.
    let found = resumed(
        [Some((0, 8_000)), Some((8_000, 20))],
        "system",
        json!(state),
    );
    assert_eq!(place(&found), (json!("extended"), Vec::new()));
    assert_eq!(found["bill"]["lost"], json!([]));
    // It read the system prompt alone.
    let found = resumed(
        [Some((0, 8_000)), Some((4_000, 4_020))],
        "system",
        json!(state),
    );
    assert_eq!(place(&found), (json!("broken"), respelled));
    let lost = found["bill"]["lost"].as_array().unwrap().iter();
    let rewritten = lost.filter(|one| one["cause"] == "rewritten");
    let rewritten: u64 = rewritten.map(|one| one["tokens"].as_u64().unwrap()).sum();
    assert!((3_900..=4_000).contains(&rewritten), "{found}");
    // With the breakpoint, or in the same spelling, or of a user, it is the same.
    for (role, again) in [
        ("system", json!([marked(&state)])),
        ("system", json!([block(&state)])),
        ("user", json!(state)),
    ] {
        let found = resumed([None, None], role, again);
        assert_eq!(place(&found), (json!("extended"), Vec::new()), "{role}");
    }
}

/// Anthropic looks for what is cached at most 20 blocks before a breakpoint.
#[test]
fn an_entry_is_found_twenty_blocks_before_a_breakpoint_and_not_further() {
    let system = json!("Be brief.");
    let first = long("word", 4_000);
    for (blocks, read) in [(1, 4_000), (19, 4_000), (20, 4_000), (21, 0), (22, 0)] {
        let more = (1..blocks).map(|at| block(&format!("More {at}.")));
        let more: Vec<Value> = more.chain([marked("The last.")]).collect();
        let talk = |first: Value| {
            [
                message("user", vec![first]),
                message("assistant", more.clone()),
            ]
        };
        let all = compared(&[
            line(0, &system, &talk(marked(&first))[..1], Some((0, 4_000))),
            line(1, &system, &talk(block(&first)), Some((read, 4_200 - read))),
        ]);
        assert_eq!(all[1]["bill"]["predicted"], read, "{blocks}");
    }
}

/// Whether a whole log is compared, two requests of it, or a recording of these two, changes nothing.
#[test]
fn a_verdict_does_not_depend_on_the_order_in_which_it_is_found() {
    let systems =
        ["Be brief.", "Be brief!", "Be brief!", "Be kind."].map(|text| json!([marked(text)]));
    let talk: Vec<Value> = (0..7)
        .map(|at| message(["user", "assistant"][at % 2], format!("Line {at}.")))
        .collect();
    let lines: Vec<Value> = systems
        .iter()
        .enumerate()
        .map(|(at, system)| line(at, system, &talk[..2 * at + 1], None))
        .collect();
    let verdict = |one: &Value| (one["state"].clone(), one["causes"].clone());
    let whole: Vec<_> = compared(&lines).iter().map(verdict).collect();
    let place = Place::new();
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    place.file("in.jsonl", text.join("\n"));
    import(&place, "in.jsonl");
    for at in 1..lines.len() {
        let pair = [format!("log.jsonl#{at}"), format!("log.jsonl#{}", at + 1)];
        let ran = place.run(&["capture", "diff", &pair[0], &pair[1], "--format", "json"]);
        let report: Value = serde_json::from_str(ran.stdout()).unwrap();
        assert_eq!(verdict(&report["comparisons"][0]), whole[at], "{at}");
        let alone = compared(&lines[at - 1..=at]).pop().unwrap();
        assert_eq!(verdict(&alone), whole[at], "{at}");
    }
}

/// What a provider does not say is no verdict, neither for a change nor against one.
#[test]
fn an_unavailable_diagnosis_is_not_no_change() {
    let openai = "https://api.openai.com/v1/responses";
    let input = |text: &str| {
        json!([
            message("user", "Good day"),
            message("assistant", "Yes?"),
            message("user", text)
        ])
    };
    for (is_changed, said, agrees) in [
        (true, "unavailable", Value::Null),
        (false, "unavailable", Value::Null),
        (true, "messages_changed", json!(true)),
        (false, "messages_changed", json!(false)),
        (true, "system_changed", json!(false)),
    ] {
        let system = json!("Be brief.");
        let first = [
            message("user", "Hello"),
            message("assistant", "Yes?"),
            message("user", vec![marked("Go on.")]),
        ];
        let mut now = first.to_vec();
        if is_changed {
            now[0] = message("user", "Hello there");
        }
        let mut lines = [
            line(0, &system, &first, Some((0, 50))),
            line(1, &system, &now, Some((0, 50))),
        ];
        lines[1]["response"]["diagnostics"] = json!({"cache_miss_reason": {"type": said}});
        let last = compared(&lines).pop().unwrap();
        assert_eq!(
            last["diagnosis"],
            json!({"by": "provider", "reason": said, "agrees": agrees}),
            "{last}"
        );
        let state = if is_changed { "broken" } else { "same" };
        assert_eq!(last["state"], state);
    }
    for (said, shown) in [
        (
            json!({"type": "unavailable", "reason": null}),
            json!({"by": "provider", "reason": "unavailable", "agrees": null}),
        ),
        (
            json!({"type": "cache_miss", "reason": "input_changed"}),
            json!({"by": "provider", "reason": "input_changed", "agrees": true}),
        ),
        (json!({"type": "cache_hit", "reason": null}), Value::Null),
    ] {
        let lines = ["Hello", "Hello there"].into_iter().enumerate().map(|(at, text)| {
            json!({"url": openai, "conversation": "c", "time": format!("2026-11-20T10:{at:02}:00Z"),
                "request": {"model": "gpt-5.6", "input": input(text), "instructions": "Be brief.", "prompt_cache_key": "k"},
                "response": {"id": format!("r{at}"), "object": "response", "status": "completed", "output": [],
                    "prompt_cache_diagnostics": said,
                    "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1}}})
        });
        let last = compared(&lines.collect::<Vec<_>>()).pop().unwrap();
        assert_eq!(last["diagnosis"], shown, "{last}");
    }
}

/// Archives of one agent over its releases have other models, settings, keys and days.
#[test]
fn content_only_compares_what_was_said() {
    let place = Place::new();
    let talk = [
        message("user", "Hello"),
        message("assistant", "Yes?"),
        message("user", "Go on."),
    ];
    let request = |hour: usize, model: &str, key: &str, system: Value, mark: bool| {
        let last = if mark {
            marked("Go on.")
        } else {
            block("Go on.")
        };
        let talk = [
            talk[0].clone(),
            talk[1].clone(),
            message("user", vec![last]),
        ];
        json!({"url": CLAUDE, "conversation": "c", "time": format!("2026-11-20T{hour:02}:00:00Z"),
            "request": {"model": model, "max_tokens": hour, "thinking": {"type": key}, "system": system, "messages": talk},
            "response": {"id": format!("m{hour}"), "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 1}}})
    };
    let lines = [
        request(1, "claude-opus-5-5", "disabled", json!("Be brief."), true),
        request(5, "claude-sonnet-5", "adaptive", json!("Be brief."), false),
        request(9, "claude-opus-5-5", "adaptive", json!("Be kind."), false),
    ];
    place.file("in.jsonl", lines.map(|line| line.to_string()).join("\n"));
    import(&place, "in.jsonl");
    let compared = |args: &[&str]| -> Vec<(String, Value, Value)> {
        let args = [&["capture", "diff"], args, &["--format", "json"]].concat();
        let report: Value = serde_json::from_str(place.run(&args).exits(0).stdout()).unwrap();
        let all = report["comparisons"].as_array().unwrap().iter();
        all.map(|one| {
            (
                one["state"].as_str().unwrap().to_owned(),
                one["first"].clone(),
                one["bill"].clone(),
            )
        })
        .collect()
    };
    let whole = compared(&["log.jsonl"]);
    assert_eq!((&*whole[1].0, &whole[1].1), ("broken", &json!("time")));
    let expected = |state: &str, first: Value| (state.to_owned(), first, Value::Null);
    let contents = [
        expected("first", Value::Null),
        expected("same", Value::Null),
        expected("broken", json!("system/0")),
    ];
    assert_eq!(compared(&["log.jsonl", "--content-only"]), contents);
    assert_eq!(
        compared(&["log.jsonl#1", "log.jsonl#2", "--content-only"]),
        contents[1..2]
    );
    assert_eq!(
        compared(&["log.jsonl#1", "log.jsonl#3", "--content-only"]),
        contents[2..]
    );
    let said = place.run(&[
        "capture",
        "diff",
        "log.jsonl",
        "--content-only",
        "--model",
        "gpt-4o",
    ]);
    let stderr = said.exits(2).stderr;
    assert!(stderr.contains("has no price"), "{stderr}");
}

#[test]
fn diagnoses_that_agree_are_counted_and_others_listed() {
    let place = Place::new();
    let talk = |text: &str| {
        [
            message("user", "Hello"),
            message("assistant", "Yes?"),
            message("user", vec![marked(text)]),
        ]
    };
    let said = [
        (None, "One."),
        (Some("messages_changed"), "Two."),
        (Some("system_changed"), "Three."),
        (Some("unavailable"), "Three."),
        (Some("messages_changed"), "Three."),
    ];
    let lines = said.into_iter().enumerate().map(|(at, (reason, text))| {
        let mut line = line(at, &json!("Be brief."), &talk(text), Some((0, 50)));
        line["response"]["diagnostics"] = reason.map_or(
            Value::Null,
            |reason| json!({"cache_miss_reason": {"type": reason}}),
        );
        line.to_string()
    });
    place.file("in.jsonl", lines.collect::<Vec<_>>().join("\n"));
    import(&place, "in.jsonl");
    let ran = place.run(&["capture", "diff", "log.jsonl"]).exits(0);
    let last = ran.stdout().lines().last().unwrap();
    assert_eq!(
        last,
        "4 diagnoses of providers: 1 as here, 2 differ (#3, #5), 1 names no part"
    );
}

/// What a bill decides is decided by a bill of the message alone: where it read nothing, or nothing is known to be there, all stays open.
#[test]
fn a_bill_that_says_nothing_of_the_message_decides_nothing() {
    let state = long("state", 4_000);
    let system = json!("Be brief.");
    let talk = |last: Value| {
        [
            message("user", "Hello"),
            message("assistant", "Yes?"),
            message("user", "Go on."),
            message("system", last),
        ]
    };
    let pair = |bill: Option<(u64, u64)>, seconds: usize| {
        let mut lines = [
            line(0, &system, &talk(json!([marked(&state)])), bill),
            line(
                0,
                &json!([block("Be brief.")]),
                &talk(json!(state)),
                Some((0, 0)),
            ),
        ];
        lines[1]["time"] = json!(format!("2026-11-20T10:00:{seconds:02}Z"));
        lines[1]["request"]["cache_control"] = json!({"type": "ephemeral"});
        lines[1]["response"]["id"] = json!("other");
        lines[1]["response"]["usage"]["input_tokens"] = json!(4_020);
        compared(&lines).pop().unwrap()["state"].clone()
    };
    // Sent before the first can be read; after one that was not billed; and a minute later.
    assert_eq!(pair(Some((0, 4_000)), 5), "unproven");
    assert_eq!(pair(None, 59), "unproven");
}

/// A gateway that sets breakpoints itself has read already what one at the end of the body would.
#[test]
fn no_breakpoint_saves_what_was_read_already() {
    let place = Place::new();
    let talk: Vec<Value> = (0..11)
        .map(|at| {
            message(
                ["user", "assistant"][at % 2],
                long(&format!("word{at}"), 1_500),
            )
        })
        .collect();
    let mut before = 0;
    let lines = (0..6).map(|turn| {
        let messages = &talk[..2 * turn + 1];
        let input = 1_510 * messages.len() as u64;
        let mut line = line(2 * turn, &json!("Be brief."), messages, Some((before, 0)));
        line["response"]["usage"]["input_tokens"] = json!(input - before);
        before = input;
        line.to_string()
    });
    place.file("in.jsonl", lines.collect::<Vec<_>>().join("\n"));
    import(&place, "in.jsonl");
    let ran = place
        .run(&["usage", "log.jsonl", "--format", "json"])
        .exits(0);
    let report: Value = serde_json::from_str(ran.stdout()).unwrap();
    let changes = report["changes"].as_array().unwrap().iter();
    let saves = |change: &Value| change["saves"].as_str().unwrap().parse::<f64>().unwrap();
    let found: Vec<f64> = changes.map(saves).collect();
    assert!(found.iter().all(|saved| *saved < 0.001), "{found:?}");
}

/// Of two requests that stored a text, the first that can be read counts, whichever of them says when its answer began.
#[test]
fn a_text_that_was_stored_twice_is_read_from_the_first_on() {
    let system = json!([marked(&long("rule", 5_000))]);
    let hello = [message("user", "Hello")];
    let more = [
        hello[0].clone(),
        message("assistant", "Yes?"),
        message("user", "Go on."),
    ];
    let mut lines = [
        line(0, &system, &hello, Some((0, 5_000))),
        line(1, &system, &hello, Some((0, 5_000))),
        line(2, &system, &more, Some((0, 5_000))),
    ];
    lines[1]["conversation"] = json!("d");
    for (line, seconds) in lines.iter_mut().zip([0, 5, 40]) {
        line["time"] = json!(format!("2026-11-20T10:00:{seconds:02}Z"));
    }
    lines[1]["begun"] = json!("2026-11-20T10:00:50Z");
    let last = compared(&lines).pop().unwrap();
    // It goes on from the first, whose answer it has: only the provider can have lost it.
    assert_eq!(last["bill"]["predicted"], 5_000, "{last}");
    assert_eq!(last["bill"]["lost"][0]["cause"], "evicted", "{last}");
}
