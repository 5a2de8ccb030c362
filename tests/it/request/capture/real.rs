//! The properties of logs of real programs (`tests/writers`); the texts here are invented.

use super::agents::{billed, import, lines, logged};
use super::{comparisons, states};
use crate::run::Place;
use serde_json::{Value, json};

mod transcript {
    use super::*;

    /// SHA-256 of the answer, the result and the next question, as the program writes them.
    const ANSWER: &str = "801b56392bf4b43ad7d78ac1b2e334e4804cb1059a4675bba3edf9188e32244f";
    const RESULT: &str = "d36868480bfc6d286cc050a11c44636d209cfeec74bc2c8a820e4c841f61ac02";
    const NEXT: &str = "5e6760be3a2be47601fbad5ca5a6668a5a57f7c1dc7f1b760d3be4da6f7d0d03";

    fn line(kind: &str, uuid: &str, message: Value) -> Value {
        json!({"type": kind, "uuid": uuid, "sessionId": "s-1", "timestamp": "2026-11-26T10:00:05Z", "message": message})
    }

    fn answer(uuid: &str, id: &str, request: &str, block: Value) -> Value {
        let message = json!({"id": id, "role": "assistant", "model": "claude-opus-5-5", "content": [block], "stop_reason": "end_turn",
            "usage": {"input_tokens": 5, "output_tokens": 7}});
        let mut line = line("assistant", uuid, message);
        line["requestRef"] = request.into();
        line
    }

    fn request(id: &str, base: Option<&str>, keep: usize, tail: &[&str], mark: usize) -> Value {
        let mut line = json!({"type": "api-request", "sessionId": "s-1", "id": id, "timestamp": "2026-11-26T10:00:00Z", "querySource": "sdk",
            "shapeHash": "shape", "params": {"model": "claude-opus-5-5", "max_tokens": 9, "output_config": {"effort": "low"}},
            "thread": {"type": "none"}, "keep": keep, "tail": tail,
            "cacheControl": [{"path": ["system", 0], "value": {"type": "ephemeral"}},
                {"path": ["messages", mark, "content", 0], "value": {"type": "ephemeral", "ttl": "1h"}}]});
        if let Some(base) = base {
            line["base"] = base.into();
        }
        line
    }

    fn talk() -> Vec<Value> {
        let blob = json!({"type": "api-request-blob", "sessionId": "s-1", "hash": "first",
            "message": {"role": "user", "content": "<system-reminder>It is May.</system-reminder>\nIs a berth free?"}});
        let shape = json!({"type": "api-request-shape", "sessionId": "s-1", "shapeHash": "shape",
            "shape": {"system": [{"type": "text", "text": "You are Harbor."}], "tools": [{"name": "berth", "input_schema": {}}]}});
        let result = json!([{"tool_use_id": "t1", "type": "tool_result", "content": "Berth 4"}]);
        let call = json!({"type": "tool_use", "id": "t1", "name": "berth", "input": {"size": 12.5, "harbor": "Åbo"}});
        let text = |text: &str| json!({"type": "text", "text": text});
        vec![
            line(
                "user",
                "u1",
                json!({"role": "user", "content": "Is a berth free?"}),
            ),
            shape,
            blob,
            request("r1", None, 0, &["first"], 0),
            answer("u2", "msg_1", "r1", text("I look.")),
            answer("u3", "msg_1", "r1", call),
            line("user", "u4", json!({"role": "user", "content": result})),
            request("r2", Some("r1"), 1, &[ANSWER, RESULT], 2),
            answer("u5", "msg_2", "r2", text("Berth 4 is free.")),
            line(
                "user",
                "u6",
                json!({"role": "user", "content": "And for 20?"}),
            ),
            // A program that was started again names all messages.
            request("r3", None, 0, &["first", ANSWER, RESULT, NEXT], 3),
            answer("u7", "msg_3", "r3", text("None.")),
        ]
    }

    #[test]
    fn stored_requests_are_complete() {
        let place = Place::new();
        place.file("s-1.jsonl", lines(&talk()));
        let said = import(&place, "s-1.jsonl");
        assert!(!said.contains("have no"), "{said}");
        let all = comparisons(&place, "log.jsonl");
        let states: Vec<&str> = all
            .iter()
            .map(|one| one["state"].as_str().unwrap())
            .collect();
        // The third was sent without the answer before it.
        assert_eq!(states, ["first", "extended", "extended"]);
        let requests = logged(&place, "request");
        assert_eq!(requests[0]["time"], "2026-11-26T10:00:00Z");
        assert_eq!(requests[0]["system"].as_array().unwrap().len(), 1);
        assert_eq!(requests[0]["tools"].as_array().unwrap().len(), 1);
        let marks: Vec<usize> = requests
            .iter()
            .map(|r| r["breakpoints"].as_array().unwrap().len())
            .collect();
        assert_eq!(marks, [2, 2, 2]);
        let settings = requests[0]["settings"].to_string();
        assert!(settings.contains("effort"), "{settings}");
        assert!(place.read("log.jsonl").contains("It is May."));
    }

    #[test]
    fn before_threads_requests_are_stored_too() {
        let place = Place::new();
        let mut all = talk();
        for line in &mut all {
            line.as_object_mut().unwrap().remove("thread");
        }
        place.file("s-1.jsonl", lines(&all));
        import(&place, "s-1.jsonl");
        assert_eq!(
            states(&place, "log.jsonl"),
            ["first", "extended", "extended"]
        );
    }

    #[test]
    fn separate_results_are_one_message_and_the_programs_words_were_sent() {
        const BOTH: &str = "059e601149f3a3dfdf7da9722e06cf82ba61810227b3de6b2c265bd1b6200c63";
        const SYNTHETIC: &str = "b8c45713efa173743789994ef463a0d8bb0adc3598896843cf6544bcd3cd11e1";
        let mut all = talk();
        let result = json!([{"type": "tool_result", "tool_use_id": "t2", "content": "Berth 5"}]);
        all.insert(
            7,
            line("user", "u8", json!({"role": "user", "content": result})),
        );
        let text = json!({"type": "text", "text": "No answer was asked for."});
        let mut synthetic = answer("u9", "x", "none", text);
        synthetic["message"]["model"] = "<synthetic>".into();
        let mut error = synthetic.clone();
        error["uuid"] = "u10".into();
        error["isApiErrorMessage"] = true.into();
        error["message"]["content"][0]["text"] = "Overloaded.".into();
        all.splice(10..10, [synthetic, error]);
        all[8]["tail"] = json!([ANSWER, BOTH]);
        all[13]["tail"] = json!(["first", ANSWER, BOTH, SYNTHETIC, NEXT]);
        let place = Place::new();
        place.file("s-1.jsonl", lines(&all));
        let said = import(&place, "s-1.jsonl");
        assert!(!said.contains("no system prompt"), "{said}");
        assert_eq!(billed(&place), [Some(7), Some(7), Some(7)]);
        // Without what was kept there is the same, but for what is attached.
        all.retain(|line| !line["type"].as_str().unwrap().starts_with("api-"));
        place.file("s-1.jsonl", lines(&all));
        assert!(import(&place, "s-1.jsonl").contains("3 requests of claude-code have no"));
        let log = place.read("log.jsonl");
        assert!(log.contains("No answer") && !log.contains("Overloaded"));
    }

    #[test]
    fn an_incomplete_request_has_the_conversation() {
        for (at, key, value) in [
            (2, "hash", json!("other")),
            (
                3,
                "thread",
                json!({"type": "continue", "previous_message_id": "msg_0"}),
            ),
            (
                3,
                "cacheControl",
                json!([{"path": ["tools", 4], "value": {}}]),
            ),
            (3, "keep", json!(1)),
            (3, "base", json!("r1")),
            (1, "shape", json!(7)),
        ] {
            let place = Place::new();
            let mut all = talk();
            all[at][key] = value;
            place.file("s-1.jsonl", lines(&all[..6]));
            let said = import(&place, "s-1.jsonl");
            let expected = key != "base";
            let told = said.contains("1 request of claude-code has no system prompt and no tools");
            assert_eq!(told, expected, "{key}: {said}");
            assert_eq!(billed(&place), [Some(7)]);
        }
    }

    #[test]
    fn a_fork_takes_nothing_of_the_session_that_it_copies() {
        let place = Place::new();
        let mut fork = talk();
        fork.retain(|line| !line["type"].as_str().unwrap().starts_with("api-"));
        for line in &mut fork {
            line["sessionId"] = "s-0".into();
            if line["type"] == "assistant" {
                line["requestSessionId"] = "s-1".into();
            }
        }
        let mut own = answer("u9", "msg_9", "r9", json!({"type": "text", "text": "Yes."}));
        own["sessionId"] = "s-0".into();
        fork.push(own);
        // By its name the fork is read first.
        place.file("p/a.jsonl", lines(&fork));
        let said = import(&place, "p");
        assert!(said.contains("4 requests of claude-code"), "{said}");
        place.file("p/b.jsonl", lines(&talk()));
        let said = import(&place, "p");
        assert!(said.contains("duplicates: 3"), "{said}");
        assert!(said.contains("1 request of claude-code has no"), "{said}");
        let requests = logged(&place, "request");
        let of = |n: usize| &requests[n]["conversation"];
        assert!(of(0) != of(1) && of(1) == of(2) && of(2) == of(3));
    }
}

mod rollout {
    use super::*;

    fn line(kind: &str, payload: Value) -> Value {
        json!({"timestamp": "2026-11-26T10:00:00Z", "type": kind, "payload": payload})
    }

    fn says(role: &str, text: &str) -> Value {
        let kind = if role == "assistant" {
            "output_text"
        } else {
            "input_text"
        };
        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    }

    fn item(payload: Value) -> Value {
        line("response_item", payload)
    }

    fn tools() -> Value {
        json!({"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "berth", "parameters": {}}]})
    }

    /// The end of a call: its snapshot, then a count with the same totals.
    fn snapshot(id: &str, total: u64, last: u64) -> [Value; 2] {
        let usage = |out: u64| json!({"input_tokens": 100, "cached_input_tokens": 80, "output_tokens": out, "total_tokens": 100 + out});
        let (total, last) = (usage(total), usage(last));
        // The count may be spelled in another way.
        let info = json!({"total_token_usage": total, "last_token_usage": last}).to_string();
        let info: Value = serde_json::from_str(&info.replace("100", "1e2")).unwrap();
        [
            line(
                "token_usage_record",
                json!({"response_id": id, "usage": last, "thread_token_usage": total}),
            ),
            line("event_msg", json!({"type": "token_count", "info": info})),
        ]
    }

    fn meta() -> Value {
        json!({"id": "s-1", "base_instructions": {"text": "You are Harbor."}})
    }

    fn talk() -> Vec<Value> {
        let context = json!({"turn_id": "t1", "model": "gpt-6.1-sol"});
        let [snapshot_1, count_1] = snapshot("resp_1", 12, 12);
        let [snapshot_2, count_2] = snapshot("resp_2", 20, 8);
        vec![
            line("session_meta", meta()),
            item(tools()),
            item(says("developer", "You are Harbor.")),
            line("turn_context", context),
            item(says("user", "Is a berth free?")),
            item(
                json!({"type": "custom_tool_call", "name": "exec", "input": "berth()", "call_id": "c1"}),
            ),
            snapshot_1,
            item(json!({"type": "custom_tool_call_output", "call_id": "c1", "output": "4"})),
            count_1,
            item(says("assistant", "Berth 4 is free.")),
            snapshot_2,
            count_2,
        ]
    }

    #[test]
    fn a_record_is_a_call_and_the_developers_first_message_is_the_system_text() {
        let place = Place::new();
        place.file("rollout-1.jsonl", lines(&talk()));
        let said = import(&place, "rollout-1.jsonl");
        assert!(!said.contains("no "), "{said}");
        assert_eq!(billed(&place), [Some(12), Some(8)]);
        assert_eq!(states(&place, "log.jsonl"), ["first", "extended"]);
        let requests = logged(&place, "request");
        assert_eq!(requests[0]["system"].as_array().unwrap().len(), 1);
        assert_eq!(requests[1]["messages"]["add"].as_array().unwrap().len(), 2);
        // A call that is known from elsewhere counts once; another request with its answer id is another one.
        let body = json!({"model": "gpt-6.1-sol", "input": "Hi"});
        let other = json!({"url": "/v1/responses", "request": body, "response": {"id": "resp_2", "output": []}});
        place.file("more/1.jsonl", lines(&talk()));
        place.file("more/2.jsonl", other.to_string());
        let said = import(&place, "more");
        assert!(said.contains("3 requests"), "{said}");
        place.file("more/2.jsonl", lines(&talk()));
        let said = import(&place, "more");
        assert!(said.contains("duplicates: 2"), "{said}");
    }

    #[test]
    fn a_fork_that_only_names_its_parent_lacks_its_messages() {
        let place = Place::new();
        let mut fork = talk();
        let base = json!({"thread_id": "s-0", "end_ordinal_exclusive": 32});
        fork[0]["payload"]["history_base"] = base;
        place.file("rollout-1.jsonl", lines(&fork));
        let said = import(&place, "rollout-1.jsonl");
        assert!(
            said.contains("2 requests of codex have not all messages"),
            "{said}"
        );
        assert_eq!(states(&place, "log.jsonl"), ["incomplete", "incomplete"]);
        assert_eq!(billed(&place), [Some(12), Some(8)]);
    }

    #[test]
    fn a_fork_repeats_the_counts_of_its_parent_when_its_first_stream_breaks_off() {
        let place = Place::new();
        let [record, own] = snapshot("resp_3", 25, 5);
        let [_, of_parent] = snapshot("resp_2", 20, 8);
        let mut meta = meta();
        meta["history_base"] = json!({"thread_id": "s-0", "end_ordinal_exclusive": 32});
        let fork = [
            line("session_meta", meta),
            line("turn_context", json!({"turn_id": "t2", "model": "m"})),
            item(says("user", "Say it again.")),
            of_parent,
            item(says("assistant", "Berth 4 is free.")),
            record,
            own,
        ];
        place.file("rollout-1.jsonl", lines(&fork));
        import(&place, "rollout-1.jsonl");
        assert_eq!(billed(&place), [Some(5)]);
    }

    #[test]
    fn what_came_of_a_stream_that_broke_off_is_sent_with_the_next_request() {
        let place = Place::new();
        let mut talk = talk();
        let thought = json!({"type": "reasoning", "summary": [], "encrypted_content": "c2VhbGVk"});
        let count = json!({"type": "token_count", "info": null});
        talk.splice(5..5, [item(thought), line("event_msg", count)]);
        place.file("rollout-1.jsonl", lines(&talk));
        import(&place, "rollout-1.jsonl");
        assert_eq!(billed(&place), [Some(12), Some(8)]);
        let requests = logged(&place, "request");
        assert_eq!(requests[0]["messages"]["add"].as_array().unwrap().len(), 2);
        let answers = logged(&place, "response");
        assert_eq!(answers[0]["output"].as_array().unwrap().len(), 1);
        // A count that repeats the record behind a result is of no stream.
        assert_eq!(states(&place, "log.jsonl"), ["first", "extended"]);
    }

    #[test]
    fn a_compaction_has_its_tools_and_lacks_its_question() {
        let place = Place::new();
        let [summary, count] = snapshot("resp_3", 25, 5);
        let compacted = json!({"message": "m", "compaction_response_id": "resp_3",
            "replacement_history": [tools(), says("developer", "You are Harbor."), says("user", "A berth was found.")]});
        let [after, last] = snapshot("resp_4", 29, 4);
        let more = [
            item(says("assistant", "Berth 4 was found.")),
            summary,
            count,
            line("compacted", compacted),
            item(says("user", "And now?")),
            item(says("assistant", "None.")),
            after,
            last,
        ];
        place.file(
            "rollout-1.jsonl",
            lines(&[talk().as_slice(), &more].concat()),
        );
        let said = import(&place, "rollout-1.jsonl");
        assert!(
            said.contains("1 request of codex has not all messages"),
            "{said}"
        );
        assert_eq!(billed(&place), [Some(12), Some(8), Some(5), Some(4)]);
        let requests = logged(&place, "request");
        assert_eq!(requests[3]["tools"].as_array().unwrap().len(), 1);
        let reasons: Vec<bool> = requests
            .iter()
            .map(|r| r["incomplete"].is_string())
            .collect();
        assert_eq!(reasons, [false, false, true, false]);
    }
}
