//! A body as a provider sees it: its parts with their tokens, and its marks.
//!
//! A token is up to six letters, up to three digits, a sign, or white space; no program that reads the log knows that.

use serde_json::Value;

use crate::cache::{BLOCK, LOOK_BACK, Rule, View};
use crate::money::price;
use crate::parts::{Api, End, Ttl, mix};

/// A tool, a block of the system prompt or a block of a message.
struct Piece {
    /// Where it is: two pieces of other kinds are never the same.
    kind: u64,
    /// Calls and outcomes: several in a row are one position.
    run: bool,
    text: String,
    mark: Option<Ttl>,
}

fn tokens(text: &str) -> impl Iterator<Item = u64> {
    let class = |c: char| match c {
        c if c.is_alphabetic() => 6,
        c if c.is_numeric() => 3,
        c if c.is_whitespace() => 2,
        _ => 1,
    };
    let mut out: Vec<(usize, usize, u64)> = Vec::new();
    for c in text.chars() {
        let most = class(c);
        match out.last_mut() {
            Some((m, n, key)) if *m == most && *n < most => {
                *n += 1;
                *key = mix(*key, u64::from(u32::from(c)));
            }
            _ => out.push((most, 1, mix(7, u64::from(u32::from(c))))),
        }
    }
    out.into_iter().map(|t| t.2)
}

const MARKS: [&str; 2] = ["cache_control", "prompt_cache_breakpoint"];

fn ttl(mark: &Value) -> Ttl {
    match (&mark["ttl"], &mark["mode"]) {
        (Value::String(s), _) if s == "1h" => Ttl::Hour,
        (_, Value::String(_)) => Ttl::HalfHour,
        _ => Ttl::Minutes,
    }
}

/// Adds some blocks: their text is their JSON without the mark.
fn add(out: &mut Vec<Piece>, kind: u64, blocks: &Value) {
    let one = [blocks.clone()];
    let blocks = match blocks {
        Value::Array(a) => a.as_slice(),
        Value::Null => &[],
        _ => &one,
    };
    for block in blocks {
        if let Some(mark) = block.get("cachePoint") {
            let last = out.last_mut().map(|p| &mut p.mark);
            *last.expect("a place behind something") = Some(ttl(mark));
            continue;
        }
        let mut block = block.clone();
        let mark = block.as_object_mut().and_then(|b| {
            let mut all = MARKS.iter().filter_map(|m| b.remove(*m));
            all.next().map(|m| ttl(&m))
        });
        let text = match (&block, block.get("text")) {
            (Value::String(s), _) | (_, Some(Value::String(s))) => s.clone(),
            _ => block.to_string(),
        };
        let of = |k: &str| block.get(k).is_some() || block["type"] == k;
        let run = ["tool_use", "tool_result", "toolUse", "toolResult"];
        out.push(Piece {
            kind,
            run: run.into_iter().any(of),
            text,
            mark,
        });
    }
}

fn pieces(api: Api, body: &Value) -> Vec<Piece> {
    let mut out = Vec::new();
    let (tools, system, messages) = match api {
        Api::Bedrock => (&body["toolConfig"]["tools"], &body["system"], "messages"),
        Api::Responses => (&body["tools"], &body["instructions"], "input"),
        _ => (&body["tools"], &body["system"], "messages"),
    };
    add(&mut out, 1, tools);
    add(&mut out, 2, system);
    for m in body[messages].as_array().into_iter().flatten() {
        let kind = match m["role"].as_str() {
            Some("system" | "developer") => 2,
            Some("user") => 3,
            Some("assistant") => 4,
            _ => 5,
        };
        if m["content"].is_null() || !m["tool_calls"].is_null() || kind == 5 {
            add(&mut out, kind, &Value::String(m.to_string()));
        } else {
            add(&mut out, kind, &m["content"]);
        }
    }
    let own = match body.get("cache_control") {
        Some(mark) => Some(ttl(mark)),
        // OpenAI sets one itself.
        None => body["model"]
            .as_str()
            .filter(|m| m.starts_with("gpt-6"))
            .map(|_| Ttl::HalfHour),
    };
    if let (Some(own), Some(last)) = (own, out.last_mut()) {
        last.mark = last.mark.or(Some(own));
    }
    out
}

/// How the provider of a model keeps its requests.
pub(crate) fn rule(model: &str) -> Rule {
    match model {
        m if m.contains("claude") => Rule::Marks(LOOK_BACK),
        // It looks 80 marks back: further than any conversation here.
        m if m.starts_with("gpt-6") => Rule::Marks(usize::MAX),
        m if m.starts_with("gpt-") => Rule::Blocks(BLOCK),
        _ => Rule::Blocks(1),
    }
}

/// A body as the provider of a model sees it.
pub(crate) fn view(api: Api, model: &str, body: &Value) -> View {
    let rule = rule(model);
    let mut key = model.bytes().fold(0, |k, b| mix(k, b.into()));
    let mut ends: Vec<End> = Vec::new();
    let mut places = Vec::new();
    let (mut sum, mut position, mut before) = (0, 0, None);
    for piece in pieces(api, body) {
        // The overhead of a request's form for a part.
        sum += 4;
        key = mix(key, piece.kind);
        position += usize::from(!(piece.run && before == Some(piece.kind)));
        before = piece.run.then_some(piece.kind);
        let mut end = |key, tokens| {
            ends.push(End {
                id: piece.kind,
                key,
                tokens,
                bytes: 0,
                position,
            });
        };
        for token in tokens(&piece.text) {
            sum += 1;
            key = mix(key, token);
            if matches!(rule, Rule::Blocks(_)) {
                end(key, sum);
            }
        }
        if matches!(rule, Rule::Marks(_)) {
            end(key, sum);
            places.extend(piece.mark.map(|t| (ends.len(), t)));
        }
    }
    assert!(places.len() <= 4, "a request may mark four places");
    View {
        rule,
        minimum: price(model).minimum,
        ends,
        places,
    }
}
