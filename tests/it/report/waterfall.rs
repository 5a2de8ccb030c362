//! A page of a log: a row for each request, its causes with both texts, each text once, and nothing that is markup.

use crate::report::html::{Token, is_linked, said, tokens};
use crate::report::page::{HOSTILE, page_of_requests as page, refused, stands_alone};
use crate::run::Place;
use serde_json::{Value, json};

/// A recorded request, in a minute of an hour.
fn exchange(conversation: &str, minute: usize, request: &Value) -> Value {
    json!({
        "time": format!("2026-11-21T10:{minute:02}:00Z"), "conversation": conversation,
        "url": "https://api.anthropic.com/v1/messages", "request": request,
    })
}

pub(super) fn request(system: &str, tools: &[&str], messages: &[&str]) -> Value {
    let tools = tools
        .iter()
        .map(|name| json!({"name": name, "input_schema": {}}));
    let roles = ["user", "assistant"].into_iter().cycle();
    let messages = roles
        .zip(messages)
        .map(|(role, text)| json!({"role": role, "content": text}));
    json!({
        "model": "claude-opus-5-5", "max_tokens": 9, "cache_control": {"type": "ephemeral"}, "system": system,
        "tools": tools.collect::<Vec<_>>(), "messages": messages.collect::<Vec<_>>(),
    })
}

/// A place with a log of these requests.
pub(super) fn log(all: &[Value]) -> Place {
    let place = Place::new();
    let lines: String = all.iter().map(|one| format!("{one}\n")).collect();
    place.file("bodies.jsonl", lines);
    place.file("capture.key", "0".repeat(64));
    place
        .run(&[
            "capture",
            "import",
            "bodies.jsonl",
            "--hash-key",
            "capture.key",
            "-o",
            "requests.jsonl",
        ])
        .exits(0);
    place
}

/// Two conversations; in the first the system prompt changes, comes back with a tool more, and is kept.
fn story() -> Place {
    let answered = {
        let mut one = exchange(
            "chat-7",
            2,
            &request(
                "Harbor.\nIt is 10:02.",
                &["berth"],
                &["Hi.", "Yes?", "Bye."],
            ),
        );
        one["response"] = json!({
            "id": "msg_2", "type": "message", "role": "assistant", "content": [],
            "diagnostics": {"cache_miss_reason": {"type": "system_changed"}},
        });
        one
    };
    log(&[
        exchange(
            "chat-7",
            0,
            &request("Harbor.\nIt is 10:00.", &["berth"], &["Hi."]),
        ),
        answered,
        exchange("chat-8", 3, &request("Title.", &[], &["Hi."])),
        exchange(
            "chat-7",
            4,
            &request(
                "Harbor.\nIt is 10:00.",
                &["berth", "tide"],
                &["Hi.", "Yes?", "Bye."],
            ),
        ),
        exchange(
            "chat-7",
            5,
            &request(
                "Harbor.\nIt is 10:00.",
                &["berth", "tide"],
                &["Hi.", "Yes?", "Bye.", "Bye."],
            ),
        ),
    ])
}

#[test]
fn a_page_of_a_log_agrees_with_diff() {
    let place = story();
    let page = page(&place, &["requests.jsonl"]);
    stands_alone(&page);
    let text = said(&page);
    for told in [
        "5 requests: 2 broken, 1 extended or the same, 2 first of a chain",
        "c-819a119d6dcd 4 requests: 2 broken, 1 extended or the same, 1 first of a chain",
        "#2 2026-11-21 10:02:00 chain 1 broken 31 % reused system-changed system/0, line 2",
        "tool-added tools/tide (and 1 more)",
        "- It is 10:00.+ It is 10:02.",
        "before: system/0 of #1 after: system/0 of #2",
        "after: tools/tide of #4",
        "system_changed, as here",
        "bodies.jsonl:4",
        "#5 2026-11-21 10:05:00 chain 1 extended 100 % reused",
    ] {
        assert!(text.contains(told), "{told} in {text}");
    }
    // Each request has a breakpoint at its end, where its bar ends.
    let marks = tokens(&page).into_iter().filter_map(|token| match token {
        Token::Tag(tag) if tag.get("class") == Some("mark") => Some(tag),
        _ => None,
    });
    assert_eq!(marks.count(), 5 + 1, "five requests and the legend");
    // Each text is included once, however often it is referenced.
    for (once, times) in [
        ("Harbor.\nIt is 10:00.", 1),
        ("\"name\": \"tide\"", 1),
        ("Hi.", 0),
    ] {
        assert_eq!(text.matches(once).count(), times, "{once}");
    }
    is_linked(&page);
    assert_eq!(page, self::page(&place, &["requests.jsonl"]));
}

#[test]
fn one_conversation_is_shown_alone() {
    let place = story();
    let one = page(
        &place,
        &["requests.jsonl", "--conversation", "c-819a119d6dcd"],
    );
    stands_alone(&one);
    assert!(said(&one).contains("4 requests: 2 broken"));
    assert!(!said(&one).contains("#3 "));
    assert!(said(&one).contains("the bill is of the whole log"));
    let none = place.run(&[
        "capture",
        "report",
        "requests.jsonl",
        "--conversation",
        "c-0",
    ]);
    refused(&none, "no-request");
}

#[test]
fn inputs_that_are_not_logs_are_refused() {
    let place = story();
    place.file("a.txt", "x");
    for args in [
        &["capture", "report", "requests.jsonl#1"][..],
        &["capture", "report", "requests.jsonl", "requests.jsonl"],
        &["capture", "report", "requests.jsonl#1", "requests.jsonl#2"],
        &["report", "--conversation", "c-0"],
        &["report", "a.txt", "--conversation", "c-0"],
        &["capture", "report", "requests.jsonl", "--session", "chat-7"],
    ] {
        refused(&place.run(args), "usage");
    }
    let own = place.run(&[
        "capture",
        "report",
        "requests.jsonl",
        "-o",
        "requests.jsonl",
    ]);
    refused(&own, "output-is-input");
    assert!(!place.path().join("report.html").exists());
}

#[cfg(unix)]
#[test]
fn a_page_of_a_log_can_be_read_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = story();
    place.run(&["capture", "report", "requests.jsonl"]).exits(0);
    let kept = std::fs::metadata(place.path().join("report.html")).unwrap();
    assert_eq!(kept.permissions().mode() & 0o777, 0o600);
}

#[test]
fn nothing_of_a_log_is_markup() {
    let other = HOSTILE.replace("script", "SCRIPT");
    let mut second = request(&other, &[&other, "same"], &[&other, "x", "y"]);
    second["model"] = json!(other);
    second["tool_choice"] = json!({ HOSTILE: other });
    let place = log(&[
        exchange(
            "chat-7",
            0,
            &request(HOSTILE, &["same", HOSTILE], &[HOSTILE, "x", "y"]),
        ),
        exchange("chat-7", 9, &second),
    ]);
    // A log may contain text that an import never writes.
    let text = place.read("requests.jsonl");
    let inside = serde_json::to_string(HOSTILE).unwrap();
    let text = text.replace("c-819a119d6dcd", inside.trim_matches('"'));
    let text = text.replace("\"file\":\"bodies.jsonl\"", &format!("\"file\":{inside}"));
    let name = "a<img src=x onerror=alert(3)>.jsonl";
    place.file(name, text);
    let page = page(&place, &[name]);
    stands_alone(&page);
    for kind in [
        "expired",
        "model-changed",
        "setting-changed",
        "tool-added",
        "tool-removed",
        "system-changed",
        "message-edited",
    ] {
        assert!(said(&page).contains(kind), "{kind}");
    }
}

#[test]
fn a_long_text_is_cut_around_the_difference() {
    let long = |line: &str| {
        let filler = "This line is the same in both.\n".repeat(2_000);
        format!("{filler}{line}\n{filler}")
    };
    let place = log(&[
        exchange("chat-7", 0, &request(&long("It is 10:00."), &[], &["Hi."])),
        exchange("chat-7", 1, &request(&long("It is 10:01."), &[], &["Hi."])),
    ]);
    let page = page(&place, &["requests.jsonl"]);
    let text = said(&page);
    for told in [
        "10:00.\nThis",
        "10:01.\nThis",
        "bytes in front are left out",
        "bytes behind are left out",
    ] {
        assert!(text.contains(told), "{told}");
    }
    assert!(page.len() < 100_000, "{}", page.len());
}

#[test]
fn a_page_of_two_thousand_requests_is_small() {
    let all: Vec<Value> = (0..2_000)
        .map(|n| {
            let system = format!("Harbor.\nIt is {}.", n / 50);
            exchange(
                &format!("chat-{}", n % 20),
                n % 60,
                &request(&system, &["berth"], &["Hi."]),
            )
        })
        .collect();
    let page = page(&log(&all), &["requests.jsonl"]);
    stands_alone(&page);
    assert_eq!(page.matches("<details class=\"request ").count(), 2_000);
    assert!(page.len() < 2_000_000, "{}", page.len());
}

#[test]
fn a_page_of_many_requests_has_the_most_expensive_breaks() {
    // In one of the conversations the text after what changes is longer, so that its breaks cost more.
    let all: Vec<Value> = (0..6_000)
        .map(|n| {
            let chat = n % 20;
            let more = if chat == 7 { 400 } else { 1 };
            let rules = "Look at the berth plan.\n".repeat(more);
            let system = format!("Harbor.\nIt is {}.\n{rules}", n / 40);
            exchange(
                &format!("chat-{chat}"),
                n / 100,
                &request(&system, &["berth"], &["Hi."]),
            )
        })
        .collect();
    let page = page(&log(&all), &["requests.jsonl"]);
    stands_alone(&page);
    is_linked(&page);
    assert!(page.len() < 2_000_000, "{}", page.len());
    let rows = page.matches("<details class=\"request ").count();
    assert!((500..6_000).contains(&rows), "{rows}");
    assert_eq!(
        page.matches("<details class=\"request broken").count(),
        rows,
        "breaks come before requests that broke nothing"
    );
    let text = said(&page);
    let shown = format!(
        "{} of 6,000 requests have a row: those that lost most.",
        thousands(rows)
    );
    for told in [
        &shown,
        "requests that broke nothing are not shown",
        "promptc capture diff requests.jsonl",
        "6,000 requests: 2,980 broken",
        "Most expensive breaks",
    ] {
        assert!(text.contains(told), "{told}");
    }
    // Those of the expensive conversation, chat-7, are named first.
    let named = text.split("Most expensive breaks").nth(1).unwrap();
    let first = named.split('#').nth(1).unwrap();
    let first: String = first.chars().take_while(char::is_ascii_digit).collect();
    assert_eq!((first.parse::<usize>().unwrap() - 1) % 20, 7);
}

fn thousands(n: usize) -> String {
    match n {
        0..1_000 => n.to_string(),
        _ => format!("{},{:03}", n / 1_000, n % 1_000),
    }
}
