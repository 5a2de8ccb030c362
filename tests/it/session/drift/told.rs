//! Reported changes are not reported again.

use super::{Chat, LATER, RULES, shown};
use serde_json::Value;
use std::process::Stdio;

#[test]
fn reported_drift_is_not_reported_again() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.")
        .write("notes.md", "Ann is on leave.");
    let first = chat.tell();
    assert!(
        first.contains("Run both linters.") && first.contains("Ann is on leave."),
        "{first}"
    );
    assert_eq!(chat.tell(), "");
    let ran = chat.drift(&[]).exits(0);
    assert!(
        ran.stdout().starts_with(
            "same     nothing differs from the reminder of 2026-03-30T21:00:00Z\nrefresh  keeps "
        ),
        "{}",
        shown(&ran)
    );
    assert_eq!(
        chat.layers(&["--since-frozen"]),
        ["changed rules", "added notes"]
    );

    chat.write("AGENTS.md", "Run three linters.");
    let human = chat.drift(&[]).exits(1);
    let head = "drift    1 layer differs from the reminder of 2026-03-30T21:00:00Z\n";
    assert!(shown(&human).starts_with(head), "{}", human.stdout());
    let second = chat.tell();
    assert!(
        second.contains("Run three linters.") && !second.contains("Ann"),
        "{second}"
    );
    assert_eq!(chat.tell(), "");
}

#[test]
fn a_return_to_the_frozen_state_is_reported() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.");
    chat.tell();
    chat.write("AGENTS.md", RULES);
    let back = chat.tell();
    assert!(back.contains("Run the linter."), "{back}");
    let ran = chat.drift(&[]).exits(0);
    assert!(!ran.stdout().contains("refresh"), "{}", ran.stdout());
}

#[test]
fn only_looking_notes_nothing() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.");
    for (args, code) in [
        (&[][..], 1),
        (&["--reminder"], 0),
        (&["--format", "json", "--reminder"], 0),
        (&["--since-frozen"], 1),
    ] {
        chat.drift(args).exits(code);
    }
    chat.drift(&["--since-frozen", "--mark-delivered"]).exits(2);
    assert_eq!(chat.json(&[])["told"], Value::Null);
    chat.drift(&["--mark-delivered"]).exits(1);
    chat.drift(&[]).exits(0);
}

#[test]
fn a_refresh_forgets_reported_drift() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.");
    chat.tell();
    chat.build(LATER, &["--event", "compaction"]);
    let json = chat.json(&[]);
    assert_eq!(
        (&json["build"], &json["since"], &json["drift"]),
        (&2.into(), &"frozen".into(), &false.into())
    );
    chat.write("AGENTS.md", RULES);
    assert_eq!(chat.layers(&[]), ["changed rules"]);
}

/// A reader that closes its end before it has read the note has not reported it.
#[test]
fn an_unread_report_counts_as_not_given() {
    let chat = Chat::new();
    chat.write("AGENTS.md", &"Run both linters.\n".repeat(20_000));
    chat.edit(
        "tier turn",
        "session { reminder { budget 400000 } }\ntier turn",
    );
    let args = [
        "session",
        "drift",
        "c",
        "--now",
        LATER,
        "--reminder",
        "--mark-delivered",
    ];
    let mut command = chat.0.command(&args);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error[output-not-written]"), "{said}");
    assert_eq!(chat.json(&[])["told"], Value::Null);
}

/// The steps of an app at each turn, while people edit files and days go by.
#[test]
fn a_conversation_gets_the_changes_and_its_prompt_stays() {
    let chat = Chat::new();
    let mut conversation: Vec<String> = Vec::new();
    let mut prompts: Vec<String> = Vec::new();
    let turn = |now: &str, conversation: &mut Vec<String>, prompts: &mut Vec<String>| {
        prompts.push(chat.build(now, &[]));
        let note = chat.drift_at(now, &["--reminder", "--mark-delivered"]);
        assert!(note.code == 0 || note.code == 1, "{}", note.stderr);
        if !note.stdout.is_empty() {
            conversation.push(note.stdout().to_owned());
        }
        conversation.push(format!("turn at {now}"));
    };
    turn("2026-03-30T10:00:00Z", &mut conversation, &mut prompts);
    turn("2026-03-30T11:00:00Z", &mut conversation, &mut prompts);
    chat.write("AGENTS.md", "Run both linters.");
    turn("2026-03-30T12:00:00Z", &mut conversation, &mut prompts);
    turn("2026-03-30T13:00:00Z", &mut conversation, &mut prompts);
    chat.write("notes.md", "Ann is on leave.");
    turn("2026-03-31T10:00:00Z", &mut conversation, &mut prompts);
    turn("2026-03-31T11:00:00Z", &mut conversation, &mut prompts);
    assert!(prompts.iter().all(|prompt| *prompt == prompts[0]));
    let notes: Vec<&String> = conversation
        .iter()
        .filter(|m| !m.starts_with("turn"))
        .collect();
    assert_eq!(conversation.len(), 8);
    assert!(
        notes[0].contains("Run both linters.") && !notes[0].contains("careful"),
        "{}",
        notes[0]
    );
    assert!(
        notes[1].contains("Ann is on leave.") && notes[1].contains("2026-03-31"),
        "{}",
        notes[1]
    );
    assert!(!notes[1].contains("linters"), "{}", notes[1]);

    let anew = chat.build("2026-03-31T12:00:00Z", &["--event", "compaction"]);
    for text in ["Run both linters.", "Ann is on leave.", "2026-03-31"] {
        assert!(anew.contains(text), "{anew}");
    }
    chat.drift_at("2026-03-31T12:00:00Z", &[]).exits(0);
}
