//! Images count by their pixels, as their provider counts them, and never by the length of their base64; what has no known size has no share.

use super::agents::import;
use super::comparisons;
use crate::run::Place;
use data_encoding::BASE64;
use serde_json::{Value, json};

const CLAUDE: &str = "https://api.anthropic.com/v1/messages";
const OPENAI: &str = "https://api.openai.com/v1/chat/completions";

/// The beginning of a file with an image of this size, and as many bytes for each.
fn image(kind: &str, width: u32, height: u32) -> String {
    let [w16, h16] = [width, height].map(|length| u16::try_from(length).unwrap_or(0));
    let mut bytes = match kind {
        "png" => {
            let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
            bytes.extend([width, height].map(u32::to_be_bytes).concat());
            bytes
        }
        "gif" => [b"GIF89a".as_slice(), &w16.to_le_bytes(), &h16.to_le_bytes()].concat(),
        "webp" => {
            let [w, h] = [width - 1, height - 1].map(|length| length.to_le_bytes()[..3].to_vec());
            let front = b"RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".as_slice();
            [front, &w, &h].concat()
        }
        // A block for an application comes before the size.
        "jpeg" => {
            let front = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x11\x08";
            [
                front.as_slice(),
                &h16.to_be_bytes(),
                &w16.to_be_bytes(),
                b"\x03",
            ]
            .concat()
        }
        _ => vec![b'x'; 8],
    };
    bytes.resize(30_000, 0);
    BASE64.encode(&bytes)
}

/// A block with it, in the form of an API.
fn block(url: &str, kind: &str, data: &str, detail: &str) -> Value {
    match url {
        CLAUDE => json!({"type": "image",
            "source": {"type": "base64", "media_type": format!("image/{kind}"), "data": data}}),
        _ => json!({"type": "image_url",
            "image_url": {"url": format!("data:image/{kind};base64,{data}"), "detail": detail}}),
    }
}

/// Two requests of a conversation, the first with such a block; what the second reuses of it, and what it could have.
fn reused(url: &str, model: &str, block: &Value) -> (u64, u64) {
    let place = Place::new();
    let first =
        json!({"role": "user", "content": [block, {"type": "text", "text": "What is it?"}]});
    let more = [
        json!({"role": "assistant", "content": "A ship."}),
        json!({"role": "user", "content": "And now?"}),
    ];
    let lines = (0..2).map(|at| {
        let messages: Vec<&Value> = [&first].into_iter().chain(&more[..2 * at]).collect();
        let request = json!({"model": model, "max_tokens": 9, "messages": messages});
        let time = format!("2026-11-20T10:00:0{at}Z");
        json!({"url": url, "conversation": "c", "time": time, "request": request}).to_string()
    });
    place.file("in.jsonl", lines.collect::<Vec<_>>().join("\n"));
    import(&place, "in.jsonl");
    let all = comparisons(&place, "log.jsonl");
    let of = |name: &str| all[1]["reused"][name].as_u64().unwrap();
    (of("bytes"), of("of"))
}

/// By hand from the rules; 1,092 by 1,092, 1,024 by 1,024 and 2,048 by 4,096 pixels are examples of Anthropic and OpenAI.
#[test]
fn an_image_counts_by_its_pixels() {
    let rows = [
        (CLAUDE, "claude-opus-5-5", (200, 200), "", 54),
        (CLAUDE, "claude-opus-5-5", (1000, 1000), "", 1334),
        (CLAUDE, "claude-opus-5-5", (2000, 1500), "", 4000),
        // 2,576 by 1,718 pixels would be 5,901.
        (CLAUDE, "claude-opus-5-5", (3000, 2000), "", 4784),
        (CLAUDE, "claude-sonnet-4-5", (1092, 1092), "", 1590),
        (CLAUDE, "claude-sonnet-4-5", (2000, 1500), "", 1600),
        // 1,568 by 79 pixels.
        (CLAUDE, "claude-sonnet-4-5", (4000, 200), "", 166),
        (
            CLAUDE,
            "anthropic/claude-sonnet-4.5",
            (2000, 1500),
            "",
            1600,
        ),
        (CLAUDE, "claude-sonnet-4@20250514", (2000, 1500), "", 1600),
        (CLAUDE, "claude-opus-4-7-20260101", (2000, 1500), "", 4000),
        (OPENAI, "o1-2024-12-17", (1024, 1024), "high", 675),
        (OPENAI, "openai/gpt-5", (1024, 1024), "high", 630),
        (OPENAI, "gpt-4o", (1024, 1024), "high", 765),
        (OPENAI, "gpt-4o", (2048, 4096), "high", 1105),
        (OPENAI, "gpt-4o", (4096, 8192), "low", 85),
        (OPENAI, "gpt-4.1-mini", (1024, 1024), "auto", 1659),
    ];
    for (url, model, (width, height), detail, tokens) in rows {
        for kind in ["png", "jpeg", "gif", "webp"] {
            // What cannot be read counts nothing.
            let none = block(url, kind, "AAAAAAAAAAAAAAAA", detail);
            let some = block(url, kind, &image(kind, width, height), detail);
            let [none, some] = [none, some].map(|block| reused(url, model, &block));
            let at = format!("{model} {kind} {width} x {height}");
            assert_eq!(some.0, some.1, "{at}");
            assert_eq!(some.1 - none.1, tokens * 4, "{at}");
        }
    }
}

/// The bill of the second of two requests of which a text after the block changed, the system prompt was read.
fn bill(block: &Value) -> Value {
    let place = Place::new();
    let system = json!([{"type": "text", "text": "A rule of the harbour.\n".repeat(4000),
        "cache_control": {"type": "ephemeral"}}]);
    let lines = [("first", "a"), ("second", "b")].map(|(text, id)| {
        let text = format!("{text}\n{}", "A line of the day.\n".repeat(1000));
        let content = json!([block, {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]);
        let (read, write) = if id == "a" { (0, 30_000) } else { (23_000, 7_000) };
        let usage = json!({"input_tokens": 0, "output_tokens": 1, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": write});
        json!({"url": CLAUDE, "conversation": "c", "time": format!("2026-11-20T10:0{}:00Z", read / 23_000),
            "request": {"model": "claude-opus-5-5", "max_tokens": 9, "system": system,
                "messages": [{"role": "user", "content": content}]},
            "response": {"id": id, "stop_reason": "end_turn", "usage": usage}})
        .to_string()
    });
    place.file("in.jsonl", lines.join("\n"));
    import(&place, "in.jsonl");
    comparisons(&place, "log.jsonl")[1]["bill"].clone()
}

#[test]
fn what_has_no_known_size_has_no_share() {
    // The 23,000 tokens of the system prompt are 92 kB of text; 1,334 for the image, and 4,750 for the text.
    let known = bill(&block(CLAUDE, "png", &image("png", 1000, 1000), ""));
    let predicted = known["predicted"].as_u64().unwrap();
    assert!((22_000..=24_500).contains(&predicted), "{known}");
    let document = json!({"type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": image("", 0, 0)}});
    let link =
        json!({"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}});
    for block in [
        block(CLAUDE, "png", &image("", 0, 0), ""),
        block(CLAUDE, "png", &image("png", 0, 0), ""),
        block(CLAUDE, "png", &image("png", u32::MAX, 2), ""),
        block(CLAUDE, "png", "no base64", ""),
        document,
        link,
        json!({"type": "tool_result", "tool_use_id": "t", "content": [block(CLAUDE, "png", "", "")]}),
    ] {
        let unknown = bill(&block);
        assert_eq!(unknown["predicted"], Value::Null, "{unknown}");
        // All that was not read came after the change: no share says more.
        let lost: Vec<&Value> = unknown["lost"].as_array().unwrap().iter().collect();
        assert_eq!(lost[0]["cause"], "diverged", "{unknown}");
        assert_eq!(lost[0]["tokens"], 7_000, "{unknown}");
    }
    // A document of text is text.
    let text = json!({"type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "A note.\n".repeat(600)}});
    assert!(bill(&text)["predicted"].is_u64());
}
