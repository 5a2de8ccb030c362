//! What a provider answered, as JSON or as the text of an event stream.

use crate::json::{J, Spelling, obj};
use crate::model::{Api, Block, Msg, Style, block};
use crate::random::Random;

fn quiet(r: &mut Random) -> Style {
    Style {
        spelling: Spelling {
            spaces: false,
            escapes: false,
            numbers: false,
            r: Random::new(r.below(1 << 30) as u64),
        },
        strings: false,
        split: false,
        blank: false,
        explicit: false,
        empty: false,
        bill: false,
        noise: false,
    }
}

fn item(m: &Msg, style: &mut Style) -> J {
    let mut blocks: Vec<J> = m
        .blocks
        .iter()
        .map(|b| block(Api::Responses, m.role, b, style))
        .collect();
    let id = m.item.clone().unwrap_or_default();
    if matches!(m.blocks[0], Block::Text(_)) {
        return obj! { "type": "message", "role": "assistant", "id": id, "status": "completed", "content": blocks };
    }
    let mut j = blocks.remove(0);
    j.push("id", id);
    j.push("status", "completed");
    j
}

/// A response with the messages of `answer`.
pub(crate) fn response(api: Api, id: &str, model: &str, answer: &[Msg], r: &mut Random) -> J {
    let mut style = quiet(r);
    let stream = r.one_in(2);
    let first = &answer[0];
    let blocks: Vec<J> = first
        .blocks
        .iter()
        .map(|b| block(api, first.role, b, &mut style))
        .collect();
    let calls = first.blocks.iter().any(|b| matches!(b, Block::Call { .. }));
    match api {
        Api::Anthropic | Api::Invoke => {
            let usage = obj! { "input_tokens": 9_i64, "cache_creation_input_tokens": 70_i64, "cache_read_input_tokens": 240_i64, "output_tokens": 25_i64 };
            let stop = if calls { "tool_use" } else { "end_turn" };
            if stream {
                let head = obj! { "id": id, "type": "message", "role": "assistant", "model": model, "content": Vec::new(), "stop_reason": J::Null, "usage": usage.clone() };
                let mut out = event(
                    "message_start",
                    obj! { "type": "message_start", "message": head },
                );
                for (i, b) in first.blocks.iter().enumerate() {
                    let i = i64::try_from(i).unwrap_or(0);
                    let (start, deltas) = match b {
                        Block::Text(t) => (
                            obj! { "type": "text", "text": "" },
                            cut(t, r)
                                .iter()
                                .map(|t| obj! { "type": "text_delta", "text": *t })
                                .collect(),
                        ),
                        Block::Thinking { text, signature } => {
                            let mut all: Vec<J> = cut(text, r)
                                .iter()
                                .map(|t| obj! { "type": "thinking_delta", "thinking": *t })
                                .collect();
                            all.push(obj! { "type": "signature_delta", "signature": signature });
                            (
                                obj! { "type": "thinking", "thinking": "", "signature": "" },
                                all,
                            )
                        }
                        Block::Call { id, name, input } => (
                            obj! { "type": "tool_use", "id": id, "name": name, "input": J::Obj(Vec::new()) },
                            cut(&input.plain(), r)
                                .iter()
                                .map(|t| obj! { "type": "input_json_delta", "partial_json": *t })
                                .collect(),
                        ),
                        Block::Outcome { .. } => (J::Null, Vec::new()),
                    };
                    out += &event(
                        "content_block_start",
                        obj! { "type": "content_block_start", "index": i, "content_block": start },
                    );
                    if r.one_in(3) {
                        out += &event("ping", obj! { "type": "ping" });
                    }
                    for d in deltas {
                        out += &event(
                            "content_block_delta",
                            obj! { "type": "content_block_delta", "index": i, "delta": d },
                        );
                    }
                    out += &event(
                        "content_block_stop",
                        obj! { "type": "content_block_stop", "index": i },
                    );
                }
                out += &event(
                    "message_delta",
                    obj! { "type": "message_delta", "delta": obj! { "stop_reason": stop }, "usage": usage },
                );
                out += &event("message_stop", obj! { "type": "message_stop" });
                return J::Str(out);
            }
            obj! { "id": id, "type": "message", "role": "assistant", "model": model, "content": blocks, "stop_reason": stop, "usage": usage }
        }
        Api::Chat => {
            let mut style = quiet(r);
            style.strings = true;
            let text: String = first
                .blocks
                .iter()
                .filter_map(|b| {
                    if let Block::Text(t) = b {
                        Some(t.as_str())
                    } else {
                        None
                    }
                })
                .collect();
            let calls: Vec<J> = first
                .blocks
                .iter()
                .filter(|b| matches!(b, Block::Call { .. }))
                .map(|b| block(api, "assistant", b, &mut style))
                .collect();
            let usage = obj! { "prompt_tokens": 260_i64, "completion_tokens": 8_i64, "total_tokens": 268_i64 };
            let mut message = obj! { "role": "assistant", "content": if text.is_empty() { J::Null } else { J::Str(text.clone()) } };
            if !calls.is_empty() {
                message.push("tool_calls", calls.clone());
            } else if stream {
                let chunk = |choices: Vec<J>, usage: J| {
                    let j = obj! { "id": id, "object": "chat.completion.chunk", "model": model, "choices": choices, "usage": usage };
                    format!("data: {}\n\n", j.plain())
                };
                let mut out = String::new();
                for t in cut(&text, r) {
                    let delta = obj! { "role": "assistant", "content": t };
                    out += &chunk(
                        vec![obj! { "index": 0_i64, "delta": delta, "finish_reason": J::Null }],
                        J::Null,
                    );
                }
                out += &chunk(
                    vec![
                        obj! { "index": 0_i64, "delta": J::Obj(Vec::new()), "finish_reason": "stop" },
                    ],
                    J::Null,
                );
                out += &chunk(Vec::new(), usage);
                return J::Str(out + "data: [DONE]\n\n");
            }
            obj! { "id": id, "object": "chat.completion", "model": model,
            "choices": vec![obj! { "index": 0_i64, "message": message, "finish_reason": "stop" }], "usage": usage }
        }
        Api::Responses => {
            let output: Vec<J> = answer.iter().map(|m| item(m, &mut style)).collect();
            let whole = obj! { "id": id, "object": "response", "status": "completed", "model": model, "output": output.clone(),
            "usage": obj! { "input_tokens": 240_i64, "output_tokens": 12_i64, "total_tokens": 252_i64 } };
            if stream {
                let created = obj! { "id": id, "object": "response", "status": "in_progress", "model": model, "output": Vec::new() };
                let mut out = event(
                    "response.created",
                    obj! { "type": "response.created", "response": created },
                );
                for (i, o) in output.into_iter().enumerate() {
                    let i = i64::try_from(i).unwrap_or(0);
                    out += &event(
                        "response.output_item.done",
                        obj! { "type": "response.output_item.done", "output_index": i, "item": o },
                    );
                }
                return J::Str(
                    out + &event(
                        "response.completed",
                        obj! { "type": "response.completed", "response": whole },
                    ),
                );
            }
            whole
        }
        Api::Gemini => {
            let content = obj! { "role": "model", "parts": blocks };
            let j = obj! { "candidates": vec![obj! { "content": content, "finishReason": "STOP" }],
            "usageMetadata": obj! { "promptTokenCount": 500_i64, "candidatesTokenCount": 4_i64, "totalTokenCount": 504_i64 },
            "modelVersion": model, "responseId": id };
            if stream {
                J::Str(format!("data: {}\n\n", j.plain()))
            } else {
                j
            }
        }
        Api::Converse => {
            obj! { "output": obj! { "message": obj! { "role": "assistant", "content": blocks } }, "stopReason": "end_turn",
            "usage": obj! { "inputTokens": 9_i64, "outputTokens": 6_i64, "totalTokens": 15_i64 } }
        }
    }
}

fn event(name: &str, data: J) -> String {
    format!("event: {name}\ndata: {}\n\n", data.plain())
}

/// A text in one to three pieces.
fn cut<'a>(t: &'a str, r: &mut Random) -> Vec<&'a str> {
    let mut rest = t;
    let mut out = Vec::new();
    for _ in 0..r.below(3) {
        let at = rest
            .char_indices()
            .nth(r.from(1, 20))
            .map_or(rest.len(), |(i, _)| i);
        let (head, tail) = rest.split_at(at);
        out.push(head);
        rest = tail;
        if rest.is_empty() {
            return out;
        }
    }
    out.push(rest);
    out
}
