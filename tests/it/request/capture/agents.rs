//! The snapshots of agents about their own requests: bodies and transcripts of Claude Code, rollouts of Codex.

use super::{comparisons, states};
use crate::run::Place;
use serde_json::{Value, json};

pub(super) fn lines(all: &[Value]) -> String {
    all.iter().map(|line| format!("{line}\n")).collect()
}

/// Imports the named files; returns the report.
pub(super) fn import(place: &Place, path: &str) -> String {
    let ran = place.run(&["capture", "import", path, "-o", "log.jsonl"]);
    ran.exits(0).stderr.clone()
}

/// The lines of the log of a kind.
pub(super) fn logged(place: &Place, kind: &str) -> Vec<Value> {
    let log = place.read("log.jsonl");
    let all = log.lines().map(|line| serde_json::from_str(line).unwrap());
    all.filter(|line: &Value| line["kind"] == kind).collect()
}

/// The bill, call by call: the output tokens.
pub(super) fn billed(place: &Place) -> Vec<Option<u64>> {
    let answers = logged(place, "response");
    let tokens = |answer: &Value| answer["usage"]["output_tokens"].as_u64();
    answers.iter().map(tokens).collect()
}

mod transcript {
    use super::*;

    fn user(id: &str, text: &str) -> Value {
        json!({"type": "user", "uuid": id, "sessionId": "s-1", "timestamp": "2026-11-20T10:00:00Z",
            "message": {"role": "user", "content": text}})
    }

    fn answer(uuid: &str, id: &str, text: &str, tokens: u64, stop: Option<&str>) -> Value {
        json!({"type": "assistant", "uuid": uuid, "sessionId": "s-1", "timestamp": "2026-11-20T10:00:02Z", "requestId": "req_1",
            "message": {"id": id, "role": "assistant", "model": "claude-opus-5-5", "content": [{"type": "text", "text": text}],
                "stop_reason": stop, "usage": {"input_tokens": 5, "cache_read_input_tokens": 900, "output_tokens": tokens}}})
    }

    /// Two calls, of which the first is three lines that are not in a row.
    fn talk() -> Vec<Value> {
        let mut result = user("u4", "");
        result["message"]["content"] =
            json!([{"type": "tool_result", "tool_use_id": "t1", "content": "Berth 4"}]);
        let mut tool = answer("u3", "msg_1", "", 7, Some("tool_use"));
        tool["message"]["content"] =
            json!([{"type": "tool_use", "id": "t1", "name": "berth", "input": {}}]);
        let mut second = answer("u6", "msg_2", "Berth 4 is free.", 20, Some("end_turn"));
        second["message"]["diagnostics"] = json!({"cache_miss_reason": {"type": "tools_changed"}});
        vec![
            json!({"type": "file-history-snapshot", "messageId": "x"}),
            user("u1", "Is a berth free?"),
            answer("u2", "msg_1", "I look.", 1, None),
            tool,
            result,
            answer("u5", "msg_1", "Done.", 9, Some("tool_use")),
            second,
        ]
    }

    #[test]
    fn lines_of_one_message_are_one_call_and_the_last_has_the_usage() {
        let place = Place::new();
        place.file("s-1.jsonl", lines(&talk()));
        let said = import(&place, "s-1.jsonl");
        assert_eq!(billed(&place), [Some(9), Some(20)]);
        assert!(
            said.contains("2 requests of claude-code have no system prompt and no tools"),
            "{said}"
        );
        let requests = logged(&place, "request");
        let reason = "its recording has no system prompt and no tools";
        assert!(requests.iter().all(|r| r["incomplete"] == reason));
        assert_eq!(requests[0]["time"], "2026-11-20T10:00:02Z");
        assert_eq!(requests[0]["model"], "claude-opus-5-5");
        // The second was sent what the first was, the answer of three lines, and the result.
        assert_eq!(requests[1]["parent"], 1);
        assert_eq!(requests[1]["messages"]["keep"], 1);
        let add = requests[1]["messages"]["add"].as_array().unwrap();
        let sizes: Vec<usize> = add
            .iter()
            .map(|m| m["parts"].as_array().unwrap().len())
            .collect();
        assert_eq!(sizes, [3, 1]);
        let answers = logged(&place, "response");
        assert_eq!(answers[1]["basis"], "exclusive");
        let told = &answers[1]["diagnostics"]["cache_miss_reason"]["type"];
        assert_eq!(told, "tools_changed");
        assert!(!place.read("log.jsonl").contains("s-1\""), "a session");
    }

    #[test]
    fn copies_change_no_total() {
        let place = Place::new();
        let twice: Vec<Value> = talk().into_iter().flat_map(|l| [l.clone(), l]).collect();
        place.file("p/a.jsonl", lines(&twice));
        // A resumed file, and a fork that names its own session: both begin with the lines of the first.
        let mut resumed = talk();
        resumed.push(user("u7", "And for 20 metres?"));
        resumed.push(answer("u8", "msg_3", "None.", 3, Some("end_turn")));
        place.file("p/b.jsonl", lines(&resumed));
        for line in &mut resumed {
            line["sessionId"] = "s-2".into();
        }
        place.file("p/c.jsonl", lines(&resumed));
        let said = import(&place, "p");
        assert_eq!(billed(&place), [Some(9), Some(20), Some(3)]);
        assert!(said.contains("duplicates: 5"), "{said}");
        let parts = logged(&place, "request")[1]["messages"]["add"][0]["parts"].clone();
        assert_eq!(parts.as_array().unwrap().len(), 3);
    }

    #[test]
    fn synthetic_messages_bill_nothing_and_stubs_what_is_known() {
        let place = Place::new();
        let mut synthetic = answer("u7", "msg_8", "Interrupted.", 0, None);
        synthetic["message"]["model"] = "<synthetic>".into();
        let stub = answer("u9", "msg_9", "Bert", 1, None);
        let all = [talk(), vec![synthetic, user("u8", "Go on."), stub]].concat();
        place.file("s-1.jsonl", lines(&all));
        let said = import(&place, "s-1.jsonl");
        assert_eq!(billed(&place), [Some(9), Some(20), Some(1)]);
        assert_eq!(logged(&place, "response")[2]["state"], "aborted");
        assert!(!said.contains("no usage"), "{said}");
    }

    #[test]
    fn a_program_without_stop_reasons_still_has_usage() {
        let place = Place::new();
        let written = |version: &str, uuid: &str, id: &str, tokens, stop| {
            let mut line = answer(uuid, id, "Done.", tokens, stop);
            line["version"] = version.into();
            line
        };
        // Up to 2.1.39, which goes on in a newer program; that has a stub.
        let all = [
            user("u1", "Is a berth free?"),
            written("2.1.39", "u2", "msg_1", 1, None),
            written("2.1.39", "u3", "msg_1", 20, None),
            user("u4", "And for 20 metres?"),
            written("2.1.300", "u5", "msg_2", 7, Some("end_turn")),
            user("u6", "And for 30 metres?"),
            written("2.1.300", "u7", "msg_3", 1, None),
        ];
        place.file("p/s-1.jsonl", lines(&all));
        // One that kept them sometimes.
        let mixed = [
            user("v1", "Is a berth free?"),
            written("2.0.37", "v2", "msg_4", 5, Some("end_turn")),
            written("2.0.37", "v3", "msg_5", 1, None),
        ];
        place.file("p/s-2.jsonl", lines(&mixed));
        // A call alone in its file, of a program that keeps them, and of one that says no version.
        place.file(
            "p/s-3.jsonl",
            lines(&[written("2.1.300", "w1", "msg_6", 1, None)]),
        );
        place.file(
            "p/s-4.jsonl",
            lines(&[answer("w2", "msg_7", "Done.", 3, None)]),
        );
        let said = import(&place, "p");
        let answers = logged(&place, "response");
        let mut told: Vec<_> = answers
            .iter()
            .map(|a| {
                (
                    a["id"].as_str().unwrap(),
                    a["usage"]["output_tokens"].as_u64(),
                    a["state"].as_str().unwrap(),
                )
            })
            .collect();
        told.sort_unstable();
        let expected = [
            ("msg_1", Some(20), "aborted"),
            ("msg_2", Some(7), "whole"),
            ("msg_3", Some(1), "aborted"),
            ("msg_4", Some(5), "whole"),
            ("msg_5", Some(1), "aborted"),
            ("msg_6", Some(1), "aborted"),
            ("msg_7", Some(3), "aborted"),
        ];
        assert_eq!(told, expected, "{said}");
    }

    #[test]
    fn a_boundary_cuts() {
        let place = Place::new();
        let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "u7", "sessionId": "s-1"});
        let mut summary = user("u8", "A berth was found.");
        summary["timestamp"] = "2026-11-20T09:59:00Z".into();
        let after = answer("u9", "msg_3", "Yes.", 3, Some("end_turn"));
        let all = [talk(), vec![boundary, summary, after]].concat();
        place.file("s-1.jsonl", lines(&all));
        import(&place, "s-1.jsonl");
        let last = &logged(&place, "request")[2]["messages"];
        assert_eq!(last["keep"], 0);
        assert_eq!(last["add"].as_array().unwrap().len(), 1, "{last}");
    }

    #[test]
    fn agents_have_chains_of_their_own() {
        let place = Place::new();
        place.file("p/s-1.jsonl", lines(&talk()));
        for (name, id) in [
            ("subagents/agent-a1", "msg_a"),
            ("subagents/workflows/w1/agent-b2", "msg_b"),
        ] {
            let child = [
                user("u1", "Look."),
                answer("u2", id, "Done.", 2, Some("end_turn")),
            ];
            place.file(&format!("p/s-1/{name}.jsonl"), lines(&child));
            place.file(&format!("p/s-1/{name}.meta.json"), "{\"agentType\": \"x\"}");
        }
        let said = import(&place, "p");
        assert!(!said.contains("skipped"), "{said}");
        assert_eq!(billed(&place), [Some(9), Some(20), Some(2), Some(2)]);
        let requests = logged(&place, "request");
        let all = |key: &str| -> Vec<&Value> { requests.iter().map(|r| &r[key]).collect() };
        assert!(
            all("conversation")
                .iter()
                .all(|c| *c == &requests[0]["conversation"])
        );
        let chains = all("chain");
        assert_eq!(chains[0], chains[1]);
        assert!(chains[2] != chains[0] && chains[3] != chains[0] && chains[2] != chains[3]);
    }

    #[test]
    fn a_line_that_was_cut_costs_itself_alone() {
        let place = Place::new();
        let text = lines(&talk());
        let mut cut: Vec<&str> = text.lines().collect();
        cut[4] = &cut[4][..30];
        place.file("s-1.jsonl", cut.join("\n"));
        let said = import(&place, "s-1.jsonl");
        assert_eq!(billed(&place), [Some(9), Some(20)]);
        assert!(said.contains("1 skipped, first in s-1.jsonl:5"), "{said}");
        let bad = [
            json!({"type": "user", "sessionId": "s-1", "message": {"content": 7}}),
            json!({"type": "assistant", "sessionId": "s-1", "message": {"content": "x"}}),
            answer("u2", "msg_1", "x", 1, None),
            json!({"type": "assistant", "sessionId": 7, "message": 7}),
        ];
        place.file("bad.jsonl", lines(&bad));
        let ran = place.run(&["capture", "import", "bad.jsonl", "-o", "bad-log.jsonl"]);
        ran.exits(2);
    }
}

mod rollout {
    use super::*;

    fn line(kind: &str, payload: Value) -> Value {
        json!({"timestamp": "2026-11-20T10:00:00Z", "type": kind, "payload": payload})
    }

    fn item(payload: Value) -> Value {
        line("response_item", payload)
    }

    fn says(role: &str, text: &str) -> Value {
        let kind = match role {
            "assistant" => "output_text",
            _ => "input_text",
        };
        item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
    }

    fn count(total: u64, last: u64) -> Value {
        let usage = |out: u64| json!({"input_tokens": 100, "cached_input_tokens": 80, "output_tokens": out, "total_tokens": 100 + out});
        let info = json!({"total_token_usage": usage(total), "last_token_usage": usage(last), "model_context_window": 9});
        line("event_msg", json!({"type": "token_count", "info": info}))
    }

    fn meta(id: &str, parent: Option<&str>) -> Value {
        let payload = json!({"id": id, "forked_from_id": parent, "base_instructions": {"text": "You are Harbor."},
            "dynamic_tools": []});
        line("session_meta", payload)
    }

    fn tools() -> Value {
        let tool = json!({"type": "function", "name": "berth", "parameters": {}});
        item(json!({"type": "additional_tools", "role": "developer", "tools": [tool]}))
    }

    /// Two calls.
    fn talk() -> Vec<Value> {
        vec![
            line(
                "turn_context",
                json!({"turn_id": "t1", "model": "gpt-6.1-sol", "effort": "low"}),
            ),
            tools(),
            says("user", "Is a berth free?"),
            item(json!({"type": "reasoning", "summary": [], "encrypted_content": "c2Vh"})),
            item(
                json!({"type": "function_call", "name": "berth", "arguments": "{}", "call_id": "c1"}),
            ),
            count(12, 12),
            count(12, 12),
            item(json!({"type": "function_call_output", "call_id": "c1", "output": "4"})),
            says("assistant", "Berth 4 is free."),
            count(20, 8),
        ]
    }

    fn rollout(id: &str, parent: Option<&str>, rest: &[Value]) -> String {
        lines(&[&[meta(id, parent)], rest].concat())
    }

    #[test]
    fn a_count_after_an_empty_compaction_is_a_call() {
        let place = Place::new();
        let compacted = line("compacted", json!({"message": "A berth was found."}));
        let all = [talk(), vec![compacted, count(25, 5)]].concat();
        place.file("rollout-1.jsonl", rollout("s-1", None, &all));
        let said = import(&place, "rollout-1.jsonl");
        assert_eq!(billed(&place), [Some(12), Some(8), Some(5)], "{said}");
        let last = &logged(&place, "request")[2]["incomplete"];
        assert_eq!(last, "its recording has not all messages", "{last}");
    }

    #[test]
    fn a_count_is_a_call_and_a_repeated_one_is_none() {
        let place = Place::new();
        let no_totals = line("event_msg", json!({"type": "token_count", "info": null}));
        let all = [vec![no_totals, count(7, 7)], talk(), vec![count(20, 0)]].concat();
        place.file("rollout-1.jsonl", rollout("s-1", None, &all));
        let said = import(&place, "rollout-1.jsonl");
        assert_eq!(billed(&place), [Some(12), Some(8)]);
        assert!(!said.contains("has no"), "{said}");
        assert_eq!(states(&place, "log.jsonl"), ["first", "extended"]);
        let requests = logged(&place, "request");
        assert_eq!(requests[0]["model"], "gpt-6.1-sol");
        assert_eq!(requests[0]["system"].as_array().unwrap().len(), 1);
        assert_eq!(requests[0]["tools"].as_array().unwrap().len(), 1);
        assert_eq!(requests[1]["messages"]["keep"], 1);
        assert_eq!(requests[1]["messages"]["add"].as_array().unwrap().len(), 3);
        let answers = logged(&place, "response");
        assert_eq!(answers[0]["basis"], "inclusive");
        assert_eq!(answers[0]["usage"]["cached_input_tokens"], 80);
        assert_eq!(answers[0]["output"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_resume_and_a_fork_change_no_total() {
        let place = Place::new();
        place.file("s/2026/rollout-1.jsonl", rollout("s-1", None, &talk()));
        let more = [
            line(
                "turn_context",
                json!({"turn_id": "t2", "model": "gpt-6.1-sol"}),
            ),
            says("user", "And for 20?"),
            says("assistant", "None."),
            count(25, 5),
        ];
        let all = [talk().as_slice(), &more].concat();
        place.file("s/2026/rollout-2.jsonl", rollout("s-1", None, &all));
        let mut fork = all.clone();
        // A fork repeats the head of its parent, and its times are other ones.
        fork.insert(0, meta("s-1", None));
        for line in &mut fork {
            line["timestamp"] = "2026-11-21T10:00:00Z".into();
        }
        fork.push(says("user", "And for 30?"));
        fork.push(says("assistant", "None as well."));
        fork.push(count(31, 6));
        place.file("s/2026/rollout-3.jsonl", rollout("s-3", Some("s-1"), &fork));
        place.file("s/2026/rollout-4.jsonl.zst", b"\x28\xb5\x2f\xfd\x00");
        let said = import(&place, "s");
        assert_eq!(billed(&place), [Some(12), Some(8), Some(5), Some(6)]);
        assert!(said.contains("duplicates: 5"), "{said}");
        assert!(
            said.contains("rollout-4.jsonl.zst: a file that is packed"),
            "{said}"
        );
        let log = place.read("log.jsonl");
        assert!(!log.contains("\"s-1\"") && !log.contains("\"s-3\""));
    }

    /// A sub-agent may begin with the lines of its parent, whichever way it names it; turns without an id are known by their session.
    #[test]
    fn an_agent_that_another_started_repeats_no_call_of_it() {
        let without_turn_id = |lines: &[Value]| -> Vec<Value> {
            let mut lines = lines.to_vec();
            for line in &mut lines {
                if line["type"] == "turn_context" {
                    line["payload"].as_object_mut().unwrap().remove("turn_id");
                }
            }
            lines
        };
        let talk = without_turn_id(&talk());
        let names = [
            json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "s-1", "depth": 1}}}}),
            json!({"parent_thread_id": "s-1"}),
            json!({"forked_from_id": "s-1"}),
        ];
        for name in names {
            for repeats_head in [true, false] {
                let place = Place::new();
                place.file("s/rollout-1.jsonl", rollout("s-1", None, &talk));
                let mut head = meta("s-2", None);
                head["timestamp"] = "2026-11-20T11:00:00Z".into();
                head["payload"]
                    .as_object_mut()
                    .unwrap()
                    .extend(name.as_object().unwrap().clone());
                let mut child = vec![head];
                child.extend(repeats_head.then(|| meta("s-1", None)));
                child.extend(talk.clone());
                for mut line in [
                    says("user", "And for 30?"),
                    says("assistant", "None."),
                    count(31, 6),
                ] {
                    line["timestamp"] = "2026-11-20T11:00:05Z".into();
                    child.push(line);
                }
                place.file("s/rollout-2.jsonl", lines(&child));
                let said = import(&place, "s");
                assert_eq!(
                    billed(&place),
                    [Some(12), Some(8), Some(6)],
                    "{name}: {said}"
                );
                assert!(said.contains("duplicates: 2"), "{said}");
            }
        }
    }

    #[test]
    fn a_compaction_replaces_and_missing_parts_are_reported() {
        let place = Place::new();
        let compacted = |left: Value| {
            line(
                "compacted",
                json!({"message": "m", "replacement_history": left}),
            )
        };
        let summary = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "A berth was found."}]});
        let turn = |text: &str, total: u64| {
            vec![
                says("user", text),
                says("assistant", "Yes."),
                count(total, 1),
            ]
        };
        let all = [
            talk(),
            vec![compacted(json!([summary]))],
            turn("And now?", 21),
            vec![compacted(Value::Null)],
            turn("And then?", 22),
        ];
        let all: Vec<Value> = all.concat();
        place.file("rollout-1.jsonl", rollout("s-1", None, &all));
        let said = import(&place, "rollout-1.jsonl");
        assert!(
            said.contains("1 request of codex has not all messages"),
            "{said}"
        );
        let states = states(&place, "log.jsonl");
        assert_eq!(states[3], "incomplete");
        assert_ne!(states[2], "incomplete");
        let compared = &comparisons(&place, "log.jsonl")[2];
        assert_eq!(compared["causes"][0]["at"], "messages/0", "{compared}");
        // The tools come before the replaced text.
        assert_eq!(
            logged(&place, "request")[2]["tools"]
                .as_array()
                .unwrap()
                .len(),
            1
        );

        let old: Vec<Value> = talk().into_iter().filter(|l| *l != tools()).collect();
        place.file("rollout-1.jsonl", rollout("s-1", None, &old));
        let said = import(&place, "rollout-1.jsonl");
        assert!(said.contains("2 requests of codex have no tools"), "{said}");
        let reason = &comparisons(&place, "log.jsonl")[1]["reason"];
        assert!(reason.as_str().unwrap().contains("no tools"), "{reason}");
    }
}

mod bodies {
    use super::*;

    fn body(before: Option<&str>, turns: usize) -> Value {
        let billing = match before {
            Some(id) => {
                format!("x-anthropic-billing-header: cc_version=2.1; cch=0; cc_prev_req={id};")
            }
            None => "x-anthropic-billing-header: cc_version=2.1; cch=0;".to_owned(),
        };
        let messages: Vec<Value> = (0..turns)
            .map(|i| json!({"role": (["user", "assistant"][i % 2]), "content": format!("{i}")}))
            .collect();
        json!({"model": "claude-opus-5-5", "max_tokens": 9, "betas": [], "messages": messages,
            "system": [{"type": "text", "text": billing}, {"type": "text", "text": "You are Harbor."}],
            "metadata": {"user_id": "{\"session_id\": \"s-1\"}"}})
    }

    fn answer(id: &str, tokens: u64) -> String {
        let usage = json!({"input_tokens": 3, "output_tokens": tokens});
        json!({"id": id, "role": "assistant", "content": [], "stop_reason": "end_turn", "usage": usage}).to_string()
    }

    #[test]
    fn an_index_has_time_source_and_answer() {
        let place = Place::new();
        let line = |time: &str, source: &str, body: &str, id: &str| {
            json!({"timestamp": time, "session_id": "s-1", "query_source": source, "request_id": id,
                "request_file": format!("{body}.request.json"), "response_file": format!("{id}.response.json")})
        };
        let index = [
            line("2026-11-20T10:00:01Z", "repl_main_thread", "f", "req_1"),
            line("2026-11-20T10:00:02Z", "prompt_suggestion", "e", "req_2"),
            line("2026-11-20T10:00:03Z", "repl_main_thread", "a", "req_3"),
            line(
                "2026-11-20T10:00:04Z",
                "repl_main_thread",
                "gone",
                "../../req_4",
            ),
            line("2026-11-20T10:00:05Z", "repl_main_thread", "half", "req_5"),
        ];
        place.file(
            "raw/index.jsonl",
            format!("{}{{\"timestamp\": \"20", lines(&index)),
        );
        place.file("raw/f.request.json", format!("{:#}", body(None, 1)));
        place.file("raw/e.request.json", body(Some("req_1"), 3).to_string());
        place.file("raw/a.request.json", body(Some("req_1"), 3).to_string());
        place.file(
            "raw/half.request.json",
            &format!("{:#}", body(None, 1))[..90],
        );
        for (id, tokens) in [("req_1", 11), ("req_2", 12)] {
            place.file(
                &format!("raw/{id}.response.json"),
                answer(&format!("msg_{id}"), tokens),
            );
        }
        place.file("raw/req_3.response.json", &answer("msg_3", 1)[..20]);
        let said = import(&place, "raw");
        for part in [
            "1 skipped, first in half.request.json:1: a body that was not written to its end",
            "1 skipped, first in req_3.response.json: an answer that was not written to its end",
            "1 skipped, first in index.jsonl:4: a body that is not here",
            "1 skipped, first in index.jsonl:6: a line that is not a complete JSON object",
        ] {
            assert!(said.contains(part), "{part}\n{said}");
        }
        let requests = logged(&place, "request");
        let ids: Vec<&Value> = requests.iter().map(|r| &r["id"]).collect();
        assert_eq!(ids, ["req_1", "req_2", "req_3"]);
        assert_eq!(requests[0]["time"], "2026-11-20T10:00:01Z");
        assert_eq!(
            requests[2]["parent"], 1,
            "a side call is never the one before"
        );
        assert_eq!(states(&place, "log.jsonl"), ["first", "first", "extended"]);
        assert_eq!(billed(&place), [Some(11), Some(12)]);
    }

    #[test]
    fn without_an_index_the_next_body_names_the_answer() {
        let place = Place::new();
        place.file("raw/f.request.json", body(None, 1).to_string());
        place.file("raw/c.request.json", body(Some("req_1"), 3).to_string());
        place.file("raw/d.request.json", body(Some("req_2"), 5).to_string());
        for (id, tokens) in [("req_1", 11), ("req_2", 12), ("req_3", 13)] {
            place.file(
                &format!("raw/{id}.response.json"),
                answer(&format!("msg_{id}"), tokens),
            );
        }
        import(&place, "raw");
        assert_eq!(
            states(&place, "log.jsonl"),
            ["first", "extended", "extended"]
        );
        // The answer of the last is unknown.
        assert_eq!(billed(&place), [Some(11), Some(12)]);

        // Two bodies of the same messages: which of them was answered is not known.
        place.file("raw/e.request.json", body(None, 1).to_string());
        import(&place, "raw");
        assert_eq!(billed(&place), [Some(12)]);
    }
}
