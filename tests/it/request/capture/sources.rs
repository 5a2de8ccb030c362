//! Sessions of Gemini CLI and opencode, and spans of OpenTelemetry. The shapes are those of real files of Gemini CLI 0.61.0, opencode 1.18.33 and the
//! Python instrumentations 1.3b0; the texts and figures are invented.

use super::agents::{import, lines, logged};
use crate::run::Place;
use serde_json::{Value, json};

/// What `usage --by request` says: of each request fresh, read, written and output tokens.
fn billed(place: &Place) -> Vec<[u64; 4]> {
    let ran = place
        .run(&["usage", "log.jsonl", "--by", "request", "--format", "json"])
        .exits(0);
    let report: Value = serde_json::from_str(ran.stdout()).unwrap();
    let mut rows: Vec<&Value> = report["rows"].as_array().unwrap().iter().collect();
    rows.sort_by_key(|row| row["request"].as_str().unwrap().to_owned());
    let of = |row: &&Value| {
        let count = |name: &str| row["buckets"][name].as_u64().unwrap();
        let written = count("write_5m") + count("write_1h") + count("write_other");
        [count("fresh"), count("read"), written, count("output")]
    };
    rows.iter().map(of).collect()
}

/// The number of blocks of each request's messages that it adds.
fn added(place: &Place) -> Vec<usize> {
    let all = logged(place, "request");
    let count = |request: &Value| request["messages"]["add"].as_array().unwrap().len();
    all.iter().map(count).collect()
}

mod gemini_cli {
    use super::*;

    fn answer(id: &str, minute: u32, calls: Option<Value>) -> Value {
        let mut line = json!({"id": id, "timestamp": format!("2026-11-26T10:{minute:02}:00Z"), "type": "gemini", "content": "I look.", "thoughts": [],
            "tokens": {"input": 9_000 + minute, "output": 300, "cached": 8_000, "thoughts": 30, "tool": 13, "total": 9_343 + minute},
            "model": "gemini-2.5-pro"});
        if let Some(calls) = calls {
            line["toolCalls"] = calls;
        }
        line
    }

    fn prompt(id: &str, text: &str) -> Value {
        json!({"id": id, "timestamp": "2026-11-26T10:00:00Z", "type": "user", "content": [{"text": text}]})
    }

    fn session() -> Vec<Value> {
        let header = json!({"sessionId": "s-1", "projectHash": "0b97", "startTime": "2026-11-26T10:00:00Z", "kind": "main"});
        let calls = json!([{"id": "c1", "name": "read_file", "args": {"path": "a"}, "result": [], "status": "success"}]);
        let result = json!({"id": "u2", "timestamp": "2026-11-26T10:01:30Z", "type": "user",
            "content": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "x"}}}]});
        // It was resumed: all messages again, without tokens.
        let again = json!({"$set": {"messages": [prompt("u1", "Is a berth free?"),
            {"id": "a1", "type": "gemini", "content": [{"text": "I look."}]}]}});
        vec![
            header.clone(),
            prompt("u1", "Is a berth free?"),
            json!({"$set": {"lastUpdated": "2026-11-26T10:00:00Z"}}),
            answer("a1", 1, None),
            answer("a1", 1, Some(calls)),
            result,
            answer("a2", 2, None),
            header,
            again,
            prompt("u3", "And for 20?"),
            answer("a3", 3, None),
        ]
    }

    #[test]
    fn each_answer_with_tokens_is_a_request() {
        let place = Place::new();
        place.file("session.jsonl", lines(&session()));
        let said = import(&place, "session.jsonl");
        assert!(
            said.contains("3 requests of gemini-cli have no system prompt and no tools"),
            "{said}"
        );
        // What a tool used up is in no count of the prompt, and thoughts are in none of the output.
        assert_eq!(
            billed(&place),
            [
                [1_014, 8_000, 0, 330],
                [1_015, 8_000, 0, 330],
                [1_016, 8_000, 0, 330]
            ]
        );
        assert_eq!(added(&place), [1, 2, 2]);
        let requests = logged(&place, "request");
        assert_eq!(requests[1]["parent"], 1);
        assert_eq!(requests[0]["agent"]["name"], "gemini-cli");
    }

    #[test]
    fn what_was_taken_back_is_not_sent_and_was_billed() {
        let place = Place::new();
        let mut all = session();
        all.push(json!({"$rewindTo": "u3"}));
        all.push(prompt("u4", "And for 30?"));
        all.push(answer("a4", 4, None));
        place.file("session.jsonl", lines(&all));
        import(&place, "session.jsonl");
        assert_eq!(billed(&place).len(), 4);
        let log = place.read("log.jsonl");
        let last = log
            .lines()
            .rfind(|line| line.contains("\"kind\":\"request\""))
            .unwrap();
        let last: Value = serde_json::from_str(last).unwrap();
        let kept = last["messages"]["keep"].as_u64().unwrap();
        let added = last["messages"]["add"].as_array().unwrap().len() as u64;
        assert_eq!(kept + added, 5, "{last}");
    }

    #[test]
    fn an_answer_may_get_its_tokens_later() {
        let place = Place::new();
        let mut first = answer("a1", 1, None);
        first.as_object_mut().unwrap().remove("tokens");
        let header = json!({"sessionId": "s-1", "projectHash": "0b97", "kind": "main"});
        let all = [header, prompt("u1", "Hi"), first, answer("a1", 1, None)];
        place.file("session.jsonl", lines(&all));
        import(&place, "session.jsonl");
        assert_eq!(billed(&place).len(), 1);
    }

    #[test]
    fn the_older_form_is_one_object() {
        let place = Place::new();
        let messages = json!([prompt("u1", "Hi"), answer("a1", 1, None)]);
        let messages = serde_json::to_string_pretty(&messages).unwrap();
        let whole = format!(
            "{{\n  \"sessionId\": \"s-1\",\n  \"projectHash\": \"0b97\",\n  \"messages\": {messages}\n}}\n"
        );
        place.file("session.json", whole);
        import(&place, "session.json");
        assert_eq!(billed(&place), [[1_014, 8_000, 0, 330]]);
    }
}

mod opencode {
    use super::*;

    fn prompt(text: &str) -> Value {
        json!({"info": {"role": "user", "id": "msg_u"}, "parts": [{"type": "text", "text": text}]})
    }

    fn answer(id: &str, minute: u64, parts: Value) -> Value {
        json!({"info": {"role": "assistant", "id": id, "modelID": "claude-opus-5-5", "providerID": "anthropic",
            "time": {"created": 1_795_687_200_000_u64 + minute * 60_000, "completed": 1_795_687_201_000_u64 + minute * 60_000},
            "tokens": {"total": 13_400 + minute, "input": 1_000, "output": 300, "reasoning": 0, "cache": {"write": 4_000, "read": 8_100}}},
            "parts": parts})
    }

    fn export(id: &str, messages: &[Value]) -> String {
        let export =
            json!({"info": {"id": id, "slug": "x", "version": "1.18.33"}, "messages": messages});
        serde_json::to_string_pretty(&export).unwrap()
    }

    fn talk() -> Vec<Value> {
        let tool = json!([{"type": "step-start"}, {"type": "text", "text": "I look."},
            {"type": "tool", "tool": "read", "callID": "t1", "state": {"status": "completed", "input": {"path": "a"}, "output": "x"}},
            {"type": "step-finish", "tokens": {"input": 1_000}}]);
        vec![
            prompt("Is a berth free?"),
            answer("msg_1", 1, tool),
            answer("msg_2", 2, json!([{"type": "text", "text": "Yes."}])),
        ]
    }

    #[test]
    fn each_answer_is_a_request_and_its_last_step_is_not_counted_again() {
        let place = Place::new();
        place.file("session.json", export("ses_1", &talk()));
        let said = import(&place, "session.json");
        assert!(
            said.contains("2 requests of opencode have no system prompt and no tools"),
            "{said}"
        );
        assert_eq!(billed(&place), [[1_000, 8_100, 4_000, 300]; 2]);
        assert_eq!(added(&place), [1, 2]);
        assert_eq!(logged(&place, "request")[0]["api"], "anthropic-messages");
    }

    #[test]
    fn answers_of_other_models_say_what_was_thought_besides() {
        let place = Place::new();
        let mut one = answer("msg_1", 1, json!([{"type": "text", "text": "Yes."}]));
        one["info"]["modelID"] = "gpt-5.6".into();
        one["info"]["providerID"] = "openai".into();
        one["info"]["tokens"]["reasoning"] = 50.into();
        place.file("session.json", export("ses_1", &[prompt("Hi"), one]));
        import(&place, "session.json");
        assert_eq!(billed(&place), [[1_000, 8_100, 4_000, 350]]);
        assert_eq!(logged(&place, "request")[0]["api"], "openai-chat");
    }

    #[test]
    fn a_fork_is_billed_once_and_errors_not_at_all() {
        let place = Place::new();
        let mut fork = talk();
        fork[1]["info"]["id"] = "msg_a".into();
        fork[2]["info"]["id"] = "msg_b".into();
        fork.push(answer("msg_c", 3, json!([])));
        let mut failed = answer("msg_d", 4, json!([]));
        failed["info"]["error"] = json!({"name": "APIError", "data": {"statusCode": 400}});
        failed["info"]["tokens"]["input"] = 0.into();
        failed["info"]["tokens"]["cache"] = json!({"write": 0, "read": 0});
        fork.push(failed);
        let mut cut = answer("msg_e", 5, json!([]));
        cut["info"]["tokens"] =
            json!({"input": 0, "output": 0, "reasoning": 0, "cache": {"write": 0, "read": 0}});
        fork.push(cut);
        place.file("all/1.json", export("ses_1", &talk()));
        place.file("all/2.json", export("ses_2", &fork));
        import(&place, "all");
        assert_eq!(billed(&place).len(), 3);
        let ran = place.run(&["usage", "log.jsonl"]).exits(0);
        assert!(
            ran.stdout().contains("1 request failed"),
            "{}",
            ran.stdout()
        );
    }

    #[test]
    fn an_error_with_tokens_was_billed_and_absurd_counts_are_refused() {
        let place = Place::new();
        let mut one = answer("msg_1", 1, json!([]));
        one["info"]["error"] = json!({"name": "MessageAbortedError"});
        let mut absurd = answer("msg_2", 2, json!([]));
        absurd["info"]["tokens"]["input"] = u64::MAX.into();
        place.file(
            "session.json",
            export("ses_1", &[prompt("Hi"), one, absurd]),
        );
        import(&place, "session.json");
        assert_eq!(billed(&place), [[1_000, 8_100, 4_000, 300]]);
    }

    #[test]
    fn after_a_compaction_its_summary_is_what_is_sent() {
        let place = Place::new();
        let mut all = talk();
        let mut summary = answer(
            "msg_3",
            3,
            json!([{"type": "text", "text": "What was said."}]),
        );
        summary["info"]["summary"] = true.into();
        all.extend([
            summary,
            prompt("Next"),
            answer("msg_4", 4, json!([{"type": "text", "text": "Done."}])),
        ]);
        place.file("session.json", export("ses_1", &all));
        import(&place, "session.json");
        let last = logged(&place, "request").pop().unwrap();
        assert_eq!(last["messages"]["keep"], 0, "{last}");
        assert_eq!(last["messages"]["add"].as_array().unwrap().len(), 2);
    }
}

mod otel {
    use super::super::comparisons;
    use super::*;

    fn attributes(all: &Value) -> Value {
        let pairs = all.as_object().unwrap().iter().map(|(key, value)| {
            let value = match value {
                // Python writes whole numbers as texts.
                Value::Number(n) => json!({"intValue": n.to_string()}),
                Value::String(text) => json!({"stringValue": text}),
                list => json!({"arrayValue": {"values": list}}),
            };
            json!({"key": key, "value": value})
        });
        pairs.collect()
    }

    fn line(scope: &str, minute: u64, all: &Value) -> Value {
        let start = 1_795_687_200_000_000_000_u64 + minute * 60_000_000_000;
        let span = json!({"traceId": "acfa3ffb78410dd0362130ff221eacca", "spanId": "82c517e3155623d5", "name": "chat", "kind": 3,
            "startTimeUnixNano": start.to_string(), "endTimeUnixNano": (start + 1).to_string(), "attributes": attributes(all)});
        json!({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": scope}, "spans": [span]}]}]})
    }

    fn call(id: &str) -> Value {
        json!({"gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude-opus-5-5",
            "gen_ai.response.model": "claude-opus-5-5", "gen_ai.response.id": id, "gen_ai.usage.input_tokens": 13_000,
            "gen_ai.usage.output_tokens": 300, "gen_ai.usage.cache_read.input_tokens": 8_000, "gen_ai.usage.cache_write.input_tokens": 4_000})
    }

    fn content(mut call: Value, system: &str, messages: &Value) -> Value {
        call["gen_ai.system_instructions"] = json!([{"type": "text", "content": system}])
            .to_string()
            .into();
        call["gen_ai.input.messages"] = messages.to_string().into();
        call["gen_ai.tool.definitions"] = json!([{"name": "get_note", "type": "function"}])
            .to_string()
            .into();
        call
    }

    fn said(role: &str, text: &str) -> Value {
        json!({"role": role, "parts": [{"type": "text", "content": text}]})
    }

    #[test]
    fn the_input_is_all_of_it_and_two_spans_of_a_call_are_one() {
        let place = Place::new();
        let mut sdk = call("msg_1");
        sdk["anthropic.usage.cache_creation.ephemeral_1h_input_tokens"] = 4_000.into();
        let agent =
            json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 13_000});
        let all = [
            line("com.anthropic.sdk.python", 1, &sdk),
            line("genai.anthropic", 1, &call("msg_1")),
            line("agents", 1, &agent),
        ];
        place.file("spans.jsonl", lines(&all));
        let report = import(&place, "spans.jsonl");
        assert!(
            report.contains("1 skipped") || report.contains("2 skipped"),
            "{report}"
        );
        assert_eq!(billed(&place), [[1_000, 8_000, 4_000, 300]]);
        assert!(logged(&place, "request")[0]["incomplete"].is_string());
    }

    #[test]
    fn content_is_compared() {
        let place = Place::new();
        let first = json!([said("user", "Is a berth free?")]);
        let more = json!([
            said("user", "Is a berth free?"),
            said("assistant", "Yes."),
            said("user", "Which?")
        ]);
        let all = [
            line(
                "genai.anthropic",
                1,
                &content(call("msg_1"), "It is 10:00.", &first),
            ),
            line(
                "genai.anthropic",
                2,
                &content(call("msg_2"), "It is 10:01.", &more),
            ),
        ];
        place.file("spans.jsonl", lines(&all));
        import(&place, "spans.jsonl");
        let all = comparisons(&place, "log.jsonl");
        assert_eq!(all[1]["state"], "broken", "{}", all[1]);
        assert_eq!(all[1]["causes"][0]["at"], "system/0");
        assert_eq!(all[1]["causes"][0]["new"], "It is 10:01.");
    }

    #[test]
    fn what_is_not_told_is_not_zero() {
        let place = Place::new();
        let mut call = call("resp_1");
        let attributes = call.as_object_mut().unwrap();
        attributes.remove("gen_ai.usage.cache_read.input_tokens");
        attributes.remove("gen_ai.usage.cache_write.input_tokens");
        attributes.insert("gen_ai.provider.name".to_owned(), "openai".into());
        attributes.insert("gen_ai.request.model".to_owned(), "gpt-5.6".into());
        attributes.insert("openai.api.type".to_owned(), "responses".into());
        place.file("spans.jsonl", lines(&[line("openai_v2", 1, &call)]));
        import(&place, "spans.jsonl");
        let usage = &logged(&place, "response")[0]["usage"];
        assert_eq!(
            *usage,
            json!({"input_tokens": 13_000, "output_tokens": 300})
        );
        assert_eq!(logged(&place, "request")[0]["api"], "openai-responses");
    }

    #[test]
    fn a_model_of_anthropic_has_its_api_at_any_provider_and_counts_apart_add_up() {
        let place = Place::new();
        let mut call = call("msg_1");
        call["gen_ai.provider.name"] = "gcp.vertex_ai".into();
        call["gen_ai.usage.input_tokens"] = 10.into();
        place.file("spans.jsonl", lines(&[line("x", 1, &call)]));
        import(&place, "spans.jsonl");
        assert_eq!(logged(&place, "request")[0]["api"], "anthropic-messages");
        assert_eq!(billed(&place), [[10, 8_000, 4_000, 300]]);
    }

    #[test]
    fn odd_spans_are_counted() {
        let place = Place::new();
        let odd = [
            json!({"resourceSpans": 7}),
            json!({"resourceSpans": [{"scopeSpans": [{"spans": [{}, 7, {"attributes": "x"}]}]}]}),
            json!({"resourceLogs": []}),
            json!({"resourceSpans": [{"scopeSpans": [{"spans": [{"parentSpanId": "none", "startTimeUnixNano": "-1e9",
                "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}, {"key": "x"}, {"value": {}}]}]}]}]}),
        ];
        place.file(
            "spans.jsonl",
            lines(&[odd.as_slice(), &[line("x", 1, &call("msg_1"))]].concat()),
        );
        let ran = place
            .run(&[
                "capture",
                "import",
                "spans.jsonl",
                "-o",
                "log.jsonl",
                "--verbose",
            ])
            .exits(0);
        let said = &ran.stderr;
        assert!(
            said.contains("a line of OpenTelemetry without spans"),
            "{said}"
        );
        assert!(
            ran.stderr.contains("a span of no call of a model"),
            "{}",
            ran.stderr
        );
        assert_eq!(billed(&place).len(), 1);
    }
}
