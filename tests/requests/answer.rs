//! A provider's answer, as JSON or as the text of an event stream.

use crate::body::{Style, block};
use crate::json::{J, Spelling, obj};
use crate::model::{Api, Block, Msg};
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
    match api {
        Api::Anthropic | Api::Invoke if stream => claude_stream(id, model, first, r),
        Api::Anthropic | Api::Invoke => claude(id, model, blocks, stop(first)),
        Api::Chat => chat(id, model, first, stream, r),
        Api::Responses => {
            let output: Vec<J> = answer.iter().map(|m| item(m, &mut style)).collect();
            responses(id, model, output, stream)
        }
        Api::Gemini => gemini(id, model, blocks, stream),
        Api::Converse => {
            obj! { "output": obj! { "message": obj! { "role": "assistant", "content": blocks } }, "stopReason": "end_turn",
            "usage": obj! { "inputTokens": 9_i64, "outputTokens": 6_i64, "totalTokens": 15_i64 } }
        }
    }
}

fn calls(m: &Msg) -> bool {
    m.blocks.iter().any(|b| matches!(b, Block::Call { .. }))
}

fn stop(m: &Msg) -> J {
    J::from(if calls(m) { "tool_use" } else { "end_turn" })
}

fn claude_usage() -> J {
    obj! { "input_tokens": 9_i64, "cache_creation_input_tokens": 70_i64, "cache_read_input_tokens": 240_i64, "output_tokens": 25_i64 }
}

fn claude(id: &str, model: &str, content: Vec<J>, stop: J) -> J {
    obj! { "id": id, "type": "message", "role": "assistant", "model": model, "content": content, "stop_reason": stop, "usage": claude_usage() }
}

fn claude_stream(id: &str, model: &str, m: &Msg, r: &mut Random) -> J {
    let head = claude(id, model, Vec::new(), J::Null);
    let mut out = event(
        "message_start",
        obj! { "type": "message_start", "message": head },
    );
    for (i, b) in m.blocks.iter().enumerate() {
        let i = i64::try_from(i).unwrap_or(0);
        let (start, deltas) = claude_pieces(b, r);
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
        obj! { "type": "message_delta", "delta": obj! { "stop_reason": stop(m) }, "usage": claude_usage() },
    );
    out += &event("message_stop", obj! { "type": "message_stop" });
    J::Str(out)
}

/// How a block of a stream begins, and what is added to it.
fn claude_pieces(b: &Block, r: &mut Random) -> (J, Vec<J>) {
    match b {
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
    }
}

/// An answer with calls is never a stream.
fn chat(id: &str, model: &str, m: &Msg, stream: bool, r: &mut Random) -> J {
    let mut style = quiet(r);
    style.strings = true;
    let text: String = m
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
    let usage =
        obj! { "prompt_tokens": 260_i64, "completion_tokens": 8_i64, "total_tokens": 268_i64 };
    if stream && !calls(m) {
        return chat_stream(id, model, &text, usage, r);
    }
    let content = if text.is_empty() {
        J::Null
    } else {
        J::Str(text)
    };
    let mut message = obj! { "role": "assistant", "content": content };
    if calls(m) {
        let calls: Vec<J> = m
            .blocks
            .iter()
            .filter(|b| matches!(b, Block::Call { .. }))
            .map(|b| block(Api::Chat, "assistant", b, &mut style))
            .collect();
        message.push("tool_calls", calls);
    }
    obj! { "id": id, "object": "chat.completion", "model": model,
    "choices": vec![obj! { "index": 0_i64, "message": message, "finish_reason": "stop" }], "usage": usage }
}

fn chat_stream(id: &str, model: &str, text: &str, usage: J, r: &mut Random) -> J {
    let chunk = |choices: Vec<J>, usage: J| {
        let j = obj! { "id": id, "object": "chat.completion.chunk", "model": model, "choices": choices, "usage": usage };
        format!("data: {}\n\n", j.plain())
    };
    let mut out = String::new();
    for t in cut(text, r) {
        let delta = obj! { "role": "assistant", "content": t };
        out += &chunk(
            vec![obj! { "index": 0_i64, "delta": delta, "finish_reason": J::Null }],
            J::Null,
        );
    }
    out += &chunk(
        vec![obj! { "index": 0_i64, "delta": J::Obj(Vec::new()), "finish_reason": "stop" }],
        J::Null,
    );
    out += &chunk(Vec::new(), usage);
    J::Str(out + "data: [DONE]\n\n")
}

fn responses(id: &str, model: &str, output: Vec<J>, stream: bool) -> J {
    let whole = obj! { "id": id, "object": "response", "status": "completed", "model": model, "output": output.clone(),
    "usage": obj! { "input_tokens": 240_i64, "output_tokens": 12_i64, "total_tokens": 252_i64 } };
    if !stream {
        return whole;
    }
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
    out += &event(
        "response.completed",
        obj! { "type": "response.completed", "response": whole },
    );
    J::Str(out)
}

fn gemini(id: &str, model: &str, parts: Vec<J>, stream: bool) -> J {
    let content = obj! { "role": "model", "parts": parts };
    let j = obj! { "candidates": vec![obj! { "content": content, "finishReason": "STOP" }],
    "usageMetadata": obj! { "promptTokenCount": 500_i64, "candidatesTokenCount": 4_i64, "totalTokenCount": 504_i64 },
    "modelVersion": model, "responseId": id };
    if stream {
        J::Str(format!("data: {}\n\n", j.plain()))
    } else {
        j
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
