//! What Claude Code notes of its requests in a transcript, from 2.1.268 to 2.1.299: snapshots of system prompt and tools, and attachments. The
//! lines are as those of real transcripts of 2.1.270 and 2.1.285; the texts are invented.

use super::agents::{import, lines, logged};
use super::comparisons;
use crate::run::Place;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A transcript that grows line by line.
#[derive(Default)]
struct Transcript {
    lines: Vec<Value>,
    minutes: usize,
    session: &'static str,
    model: &'static str,
    /// Whether attachments say their role, as from 2.1.285 on.
    has_roles: bool,
}

impl Transcript {
    fn of(session: &'static str, model: &'static str) -> Self {
        Self {
            session,
            model,
            ..Self::default()
        }
    }

    fn line(mut self, mut line: Value) -> Self {
        let number = self.lines.len();
        self.minutes += 1;
        line["uuid"] = format!("{}-{number}", self.session).into();
        line["sessionId"] = self.session.into();
        line["timestamp"] = format!("2026-11-26T10:{:02}:00Z", self.minutes).into();
        self.lines.push(line);
        self
    }

    fn prompt(self, text: &str) -> Self {
        self.line(json!({"type": "user", "message": {"role": "user", "content": text}}))
    }

    fn said(self, kind: &str, role: &str, text: &str) -> Self {
        let text = format!("<system-reminder>\n{text}\n</system-reminder>");
        let mut line = json!({"type": "attachment", "attachment": {"type": kind}, "rendered": [{"content": text}]});
        if self.has_roles {
            line["renderedRole"] = role.into();
        }
        self.line(line)
    }

    fn rules(self, rule: &str) -> Self {
        let text = format!(
            "Follow these.\n\nContents of /ann/shop/CLAUDE.md (project instructions, checked into the codebase):\n\n# Berths\n{rule}\n\nContents of /ann/.claude/CLAUDE.md (user's private global instructions for all projects):\n\nBe kind."
        );
        self.said("instructions", "user", &text)
    }

    fn snapshot(self, system: &[&str], tools: Option<&[&str]>) -> Self {
        let mut snapshot = json!({"type": "prompt_snapshot", "systemPrompt": system});
        if let Some(tools) = tools {
            let tool = |name: &&str| json!({"name": name, "schema": {"name": name, "description": "A tool.", "input_schema": {}}});
            snapshot["tools"] = tools.iter().map(tool).collect();
            snapshot["cliPrefix"] = "You are an agent.".into();
        }
        self.line(json!({"type": "attachment", "attachment": snapshot}))
    }

    fn answer(self, id: &str, text: &str, [written, read]: [u64; 2]) -> Self {
        let effort = if self.has_roles && self.model.ends_with("5-5") {
            json!("medium")
        } else {
            Value::Null
        };
        let message = json!({"id": format!("{}-{id}", self.session), "role": "assistant", "model": self.model, "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": 2, "cache_creation_input_tokens": written, "cache_read_input_tokens": read, "output_tokens": 3,
                "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0}}});
        let request = format!("req_{}_{id}", self.session);
        self.line(json!({"type": "assistant", "requestId": request, "message": message, "perTurnEffort": effort}))
    }

    /// Its first request, as it is in real transcripts.
    fn begun(self, rule: &str) -> Self {
        self.prompt("Is a berth free?")
            .said("environment", "system", "# Environment")
            .rules(rule)
            .said("date", "system", "It is May.")
            .snapshot(&["You are Harbor.", "", "Ask first."], None)
            .answer("m1", "Yes.", [9_000, 0])
            .snapshot(
                &["You are Harbor.", "", "Ask first."],
                Some(&["Read", "Edit"]),
            )
    }

    fn write(&self, place: &Place) -> String {
        let name = format!("{}.jsonl", self.session);
        place.file(&name, lines(&self.lines));
        name
    }
}

/// The messages of a request in the log: each role with the texts of its blocks.
fn messages(place: &Place, number: usize) -> Vec<(String, Vec<String>)> {
    let texts: BTreeMap<String, String> = logged(place, "part")
        .iter()
        .map(|part| {
            let text = part["json"].as_str().map_or_else(
                || part["json"]["text"].as_str().unwrap_or_default().to_owned(),
                str::to_owned,
            );
            (part["hash"].as_str().unwrap().to_owned(), text)
        })
        .collect();
    let request = &logged(place, "request")[number - 1];
    assert_eq!(request["messages"]["keep"], 0, "{request}");
    let all = request["messages"]["add"].as_array().unwrap();
    let of = |message: &Value| {
        let parts = message["parts"].as_array().unwrap().iter();
        let parts = parts.map(|part| texts[part.as_str().unwrap()].clone());
        (
            message["role"].as_str().unwrap().to_owned(),
            parts.collect(),
        )
    };
    all.iter().map(of).collect()
}

fn begins(text: &str, words: &str) {
    assert!(
        text.starts_with(words),
        "`{text}` does not begin with `{words}`"
    );
}

#[test]
fn a_snapshot_has_system_prompt_tools_and_messages() {
    let place = Place::new();
    let talk = Transcript::of("s-1", "claude-sonnet-4-5").begun("Be short.");
    let said = import(
        &place,
        &talk
            .prompt("And for 20?")
            .answer("m2", "No.", [10, 9_000])
            .write(&place),
    );
    assert!(
        said.contains("2 requests of claude-code have no settings and no breakpoints"),
        "{said}"
    );
    let requests = logged(&place, "request");
    assert_eq!(requests[0]["snapshot"], true);
    assert_eq!(requests[0]["tools"].as_array().unwrap().len(), 2);
    // The prefix is known from the second snapshot.
    assert_eq!(requests[0]["system"].as_array().unwrap().len(), 2);
    assert_eq!(requests[0]["system"], requests[1]["system"]);
    assert!(
        place
            .read("log.jsonl")
            .contains("You are Harbor.\\n\\nAsk first.")
    );
    let all = messages(&place, 1);
    assert_eq!(all.len(), 1, "{all:?}");
    let (role, texts) = &all[0];
    assert_eq!((role.as_str(), texts.len()), ("user", 4), "{texts:?}");
    // What was said to the model stands before the prompt.
    begins(&texts[0], "<system-reminder>\n# Environment");
    begins(&texts[1], "<system-reminder>\nFollow these.");
    assert_eq!(texts[3], "Is a berth free?");
}

#[test]
fn models_that_take_messages_of_the_system_get_them_after_the_prompt() {
    for has_roles in [true, false] {
        let place = Place::new();
        let talk = Transcript {
            has_roles,
            ..Transcript::of("s-1", "claude-sonnet-5-5")
        };
        import(&place, &talk.begun("Be short.").write(&place));
        let all = messages(&place, 1);
        let roles: Vec<&str> = all.iter().map(|(role, _)| role.as_str()).collect();
        assert_eq!(roles, ["user", "system"]);
        assert_eq!(all[0].1.len(), 2, "{all:?}");
        assert_eq!(all[0].1[1], "Is a berth free?");
        assert_eq!(all[1].1, ["# Environment\n\nIt is May."]);
    }
}

#[test]
fn a_boundary_begins_another_block() {
    let place = Place::new();
    let system = [
        "You are Harbor.",
        "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__",
        "It is May.",
    ];
    let talk = Transcript::of("s-1", "claude-sonnet-5-5")
        .prompt("Hi")
        .snapshot(&system, None);
    import(
        &place,
        &talk
            .answer("m1", "Hi.", [9, 0])
            .snapshot(&system, Some(&["Read"]))
            .write(&place),
    );
    assert_eq!(
        logged(&place, "request")[0]["system"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert!(!place.read("log.jsonl").contains("BOUNDARY"));
}

#[test]
fn tools_that_a_snapshot_has_after_an_answer_are_those_of_its_request() {
    let place = Place::new();
    let system = ["You are Harbor.", "", "Ask first."];
    let talk = Transcript::of("s-1", "claude-sonnet-5-5")
        .begun("Be short.")
        .prompt("Next")
        .answer("m2", "Done.", [10, 9_000])
        .prompt("Next")
        .answer("m3", "Done.", [9_020, 0])
        .snapshot(&system, Some(&["Read", "Edit", "Bash"]))
        .prompt("Next")
        .answer("m4", "Done.", [10, 9_020]);
    import(&place, &talk.write(&place));
    let all = comparisons(&place, "log.jsonl");
    let states: Vec<&str> = all
        .iter()
        .map(|one| one["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["incomplete", "incomplete", "broken", "incomplete"]);
    assert_eq!(all[2]["causes"][0]["kind"], "tool-added");
    assert_eq!(all[2]["causes"][0]["at"], "tools/Bash");
    let usage = place.run(&["usage", "log.jsonl", "--by", "cause"]).exits(0);
    assert!(usage.stdout().contains("changed"), "{}", usage.stdout());
}

#[test]
fn another_session_leads_to_the_line_of_an_instruction_file() {
    let place = Place::new();
    let long = "Offer the cheapest berth first. ".repeat(400);
    let one = Transcript::of("s-1", "claude-sonnet-5-5").begun(&format!("Be short.\n{long}"));
    let two = Transcript::of("s-2", "claude-sonnet-5-5");
    let two = Transcript { minutes: 2, ..two }.begun(&format!("Be long.\n{long}"));
    for talk in [&one, &two] {
        place.file(&format!("all/{}.jsonl", talk.session), lines(&talk.lines));
    }
    import(&place, "all");
    let all = comparisons(&place, "log.jsonl");
    assert_eq!(all[1]["across"], true, "{}", all[1]);
    let cause = &all[1]["causes"][0];
    assert_eq!(cause["source"]["path"], "/ann/shop/CLAUDE.md", "{cause}");
    assert_eq!(cause["source"]["line"], 2);
    assert_eq!(cause["old"], "Be short.");
    let said = place.run(&["usage", "log.jsonl", "--by", "file"]).exits(0);
    let row = said
        .stdout()
        .lines()
        .find(|line| line.starts_with("/ann/shop/CLAUDE.md"));
    assert!(row.is_some_and(|row| !row.ends_with("$0.00")));
}

#[test]
fn a_compaction_keeps_what_it_names() {
    let place = Place::new();
    let talk = Transcript::of("s-1", "claude-sonnet-4-5").begun("Be short.");
    let boundary = json!({"type": "system", "subtype": "compact_boundary",
        "compactMetadata": {"preservedMessages": {"anchorUuid": "s-1-8", "uuids": ["s-1-5", "s-1-0", "s-1-0", "no-such-line", "s-1-0"]}}});
    let summary = json!({"type": "user", "isCompactSummary": true, "message": {"role": "user", "content": "What was said."}});
    let talk = talk
        .line(boundary)
        .line(summary)
        .prompt("Next")
        .rules("Be long.");
    import(
        &place,
        &talk.answer("m2", "Done.", [10, 9_000]).write(&place),
    );
    let all = messages(&place, 2);
    let texts: Vec<&str> = all
        .iter()
        .flat_map(|(_, texts)| texts)
        .map(String::as_str)
        .collect();
    assert_eq!(texts[..3], ["What was said.", "Yes.", "Is a berth free?"]);
    begins(texts[3], "<system-reminder>\nFollow these.");
    assert_eq!(texts[4], "Next");
}

#[test]
fn odd_attachments_are_passed_over() {
    let place = Place::new();
    let many: Vec<Value> = (0..10_000)
        .map(|n| json!({"path": format!("../../{n}.md"), "type": "Project", "content": "x"}))
        .collect();
    let odd = [
        json!({"type": "attachment"}),
        json!({"type": "attachment", "attachment": []}),
        json!({"type": "attachment", "attachment": {"type": "file"}, "rendered": null}),
        json!({"type": "attachment", "attachment": {"type": "file"}, "rendered": [{"text": "no content"}]}),
        json!({"type": "attachment", "attachment": {"type": "file"}, "rendered": "text"}),
        json!({"type": "attachment", "attachment": {"type": "prompt_snapshot"}}),
        json!({"type": "attachment", "attachment": {"type": "prompt_snapshot", "systemPrompt": [1, 2], "tools": "none"}}),
        json!({"type": "attachment", "attachment": {"type": "prompt_snapshot", "systemPrompt": ["x"], "tools": [1, {"name": "y"}]}}),
        json!({"type": "attachment", "attachment": {"type": "instructions", "files": many}, "rendered": [{"content": "Contents of ../../etc/passwd:\n\nroot"}]}),
    ];
    let mut talk = Transcript::of("s-1", "claude-sonnet-5-5").prompt("Hi");
    for line in odd {
        talk = talk.line(line);
    }
    import(&place, &talk.answer("m1", "Hi.", [9, 0]).write(&place));
    assert_eq!(logged(&place, "request").len(), 1);
    let said = place
        .run(&["usage", "log.jsonl", "--by", "file,version"])
        .exits(0);
    assert!(said.stdout().contains("output"));
}
