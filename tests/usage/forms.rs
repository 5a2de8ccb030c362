//! A recording in the formats of other recorders.

use serde_json::{Value, json};

/// A format of `capture import`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Bodies,
    ClaudeTap,
    ClaudeTrace,
    Har,
}

impl Form {
    pub(crate) const ALL: &[Self] = &[Self::Bodies, Self::ClaudeTap, Self::ClaudeTrace, Self::Har];

    /// Its name as an argument.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bodies => "bodies",
            Self::ClaudeTap => "claude-tap",
            Self::ClaudeTrace => "claude-trace",
            Self::Har => "har",
        }
    }

    /// Lines of bodies in this format. They have no name of a conversation but that of a header.
    pub(crate) fn of(self, lines: &str) -> String {
        let all = lines.lines().enumerate();
        let all = all.map(|(n, l)| (n, serde_json::from_str::<Value>(l).unwrap()));
        let text = |v: Value| v.to_string() + "\n";
        match self {
            Self::Bodies => lines.to_owned(),
            Self::ClaudeTap => all.map(|(n, v)| text(tap(&v, n))).collect(),
            Self::ClaudeTrace => all.map(|(_, v)| text(trace(&v))).collect(),
            Self::Har => {
                let entries: Vec<Value> = all.map(|(_, v)| entry(&v)).collect();
                let made = json!({"name": "recorder", "version": "1"});
                text(json!({"log": {"version": "1.2", "creator": made, "entries": entries}}))
            }
        }
    }
}

/// The headers of a line, with its conversation.
fn headers(v: &Value) -> Value {
    let mut out = v["headers"].clone();
    out["x-claude-code-session-id"] = v["conversation"].clone();
    out
}

/// The origin and the path of a URL.
fn origin(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |n| n + 3);
    let path = url[host..].find('/').map_or(url.len(), |n| host + n);
    url.split_at(path)
}

fn status(v: &Value) -> u64 {
    v["status"].as_u64().unwrap_or(200)
}

fn tap(v: &Value, number: usize) -> Value {
    let (base, path) = origin(v["url"].as_str().unwrap_or_default());
    json!({
        "timestamp": v["time"], "request_id": format!("req_{number}"), "turn": number + 1, "duration_ms": 5, "upstream_base_url": base,
        "request": {"method": "POST", "path": path, "headers": headers(v), "body": v["request"]},
        "response": {"status": status(v), "headers": {}, "body": v["response"]},
    })
}

fn trace(v: &Value) -> Value {
    json!({
        "request": {"timestamp": v["time"], "method": "POST", "url": v["url"], "headers": headers(v), "body": v["request"]},
        "response": {"timestamp": v["time"], "status_code": status(v), "headers": {}, "body": v["response"]},
        "logged_at": v["time"],
    })
}

fn entry(v: &Value) -> Value {
    let headers = headers(v);
    let pairs = headers.as_object().into_iter().flatten();
    let headers: Vec<Value> = pairs.map(|(k, v)| json!({"name": k, "value": v})).collect();
    let kind = "application/json";
    let mut content = json!({"mimeType": kind, "size": 0});
    if !v["response"].is_null() {
        content["text"] = json!(v["response"].to_string());
    }
    json!({
        "startedDateTime": v["time"], "time": 5,
        "request": {"method": "POST", "url": v["url"], "httpVersion": "HTTP/1.1", "headers": headers, "postData": {"mimeType": kind, "text": v["request"].to_string()}},
        "response": {"status": status(v), "headers": [], "content": content},
    })
}
