//! Nothing of credentials is written.

use super::body;
use crate::run::Place;
use serde_json::{Value, json};
use std::fs;

/// Secrets of forty kinds, put together here so that no scanner takes this file for one that leaks.
fn secrets() -> Vec<(&'static str, String)> {
    let a = |n: usize| "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0".repeat(4)[..n].to_owned();
    let hex = |n: usize| "0123456789abcdef".repeat(8)[..n].to_owned();
    let upper = |n: usize| "ABCDEFGHJKLMNPQRSTUV234567".repeat(3)[..n].to_owned();
    vec![
        ("anthropic", format!("sk-ant-api03-{}", a(80))),
        ("openai", format!("sk-proj-{}", a(48))),
        ("openai old", format!("sk-{}", a(48))),
        ("openrouter", format!("sk-or-v1-{}", hex(64))),
        ("github", format!("ghp_{}", a(36))),
        ("github app", format!("ghs_{}", a(36))),
        ("github fine", format!("github_pat_{}", a(60))),
        ("gitlab", format!("glpat-{}", a(20))),
        ("google", format!("AIza{}", a(35))),
        ("google oauth", format!("ya29.{}", a(60))),
        ("google client", format!("GOCSPX-{}", a(28))),
        ("aws id", format!("AKIA{}", &upper(16))),
        ("aws session id", format!("ASIA{}", &upper(16))),
        ("slack bot", format!("xoxb-{}-{}", &hex(12), a(24))),
        ("slack app", format!("xapp-1-{}", a(40))),
        (
            "slack hook",
            format!("https://hooks.slack.com/services/T{}/B{}", a(8), a(24)),
        ),
        ("stripe", format!("sk_live_{}", a(24))),
        ("stripe hook", format!("whsec_{}", a(32))),
        ("npm", format!("npm_{}", a(36))),
        ("pypi", format!("pypi-{}", a(90))),
        ("hugging face", format!("hf_{}", a(34))),
        ("groq", format!("gsk_{}", a(52))),
        ("xai", format!("xai-{}", a(80))),
        ("perplexity", format!("pplx-{}", a(48))),
        ("replicate", format!("r8_{}", a(37))),
        ("digitalocean", format!("dop_v1_{}", hex(64))),
        ("databricks", format!("dapi{}", hex(32))),
        ("vault", format!("hvs.{}", a(30))),
        ("grafana", format!("glsa_{}_{}", a(32), hex(8))),
        ("azure", format!("AccountKey={}==", a(86))),
        ("sendgrid", format!("SG.{}.{}", a(22), a(43))),
        ("twilio", format!("SK{}", hex(32))),
        ("telegram", format!("123456789:AA{}", a(33))),
        ("linear", format!("lin_api_{}", a(40))),
        ("shopify", format!("shpat_{}", hex(32))),
        ("figma", format!("figd_{}", a(40))),
        ("tailscale", format!("tskey-auth-{}", a(40))),
        ("jwt", format!("eyJ{}.eyJ{}.{}", a(20), a(60), a(43))),
        ("bearer", format!("Bearer {}", a(40))),
        (
            "private key",
            format!(
                "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
                a(64)
            ),
        ),
        ("url", format!("https://ann:{}@db.example.org/x", a(20))),
        ("variable", format!("export DB_PASSWORD={}", a(20))),
    ]
}

/// The part of a secret that must not be found: its last twenty bytes, but for what all of a kind have at their end.
fn core(kind: &str, secret: &str) -> String {
    let secret = match kind {
        "url" => secret
            .trim_start_matches("https://ann:")
            .split('@')
            .next()
            .unwrap(),
        "private key" => secret.lines().nth(1).unwrap(),
        _ => secret.trim_end_matches('='),
    };
    secret[secret.len() - 16..].to_owned()
}

fn written(place: &Place) -> Vec<(String, String)> {
    let mut open = vec![place.path().to_path_buf()];
    let mut out = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().unwrap() != "bodies.jsonl" {
                let bytes = fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                out.push((path.display().to_string(), text));
            }
        }
    }
    out
}

#[test]
fn no_secret_of_forty_kinds_is_in_any_file_that_is_written() {
    let secrets = secrets();
    assert!(secrets.len() >= 40);
    let mut lines = String::new();
    for (_, secret) in &secrets {
        for nested in [
            body(&format!("Use this: {secret}")),
            // Right after and before letters of another script.
            body(&format!("密钥{secret}是")),
            json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": "x",
                "tools": [{"name": "t", "description": secret}],
                "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": format!("KEY\n{secret}\n")}]}]}),
            json!({"model": "gpt-6.1-sol", "messages": [{"role": "user", "content": serde_json::to_string(&json!({"text": secret})).unwrap()}]}),
        ] {
            let response = json!({"id": format!("msg_{}", lines.len()), "content": [{"type": "text", "text": secret}]});
            let line = json!({"request": nested, "response": response, "headers": {"x-api-key": secret, "user-agent": secret}});
            lines.push_str(&format!("{line}\n"));
        }
    }
    let place = Place::new();
    place.file("bodies.jsonl", &lines);
    for more in [&[][..], &["--redact-text"]] {
        let args = [
            &["capture", "import", "bodies.jsonl", "-o", "log.jsonl"],
            more,
        ]
        .concat();
        place.run(&args).exits(0);
        let shown = place
            .run(&["capture", "diff", "log.jsonl", "--format", "json"])
            .exits(0);
        let mut all = written(&place);
        all.push(("the report".to_owned(), shown.stdout().to_owned()));
        for (kind, secret) in &secrets {
            let core = core(kind, secret);
            for (file, text) in &all {
                let at = text.find(&core);
                let near = at.map(|at| &text[text.floor_char_boundary(at.saturating_sub(300))..at]);
                assert_eq!(near, None, "{kind} is in {file}");
            }
        }
    }
}

#[test]
fn fields_with_the_name_of_a_secret_are_replaced() {
    let names = [
        "authorization",
        "api_key",
        "apiKey",
        "password",
        "client_secret",
        "access_token",
        "refresh_token",
        "Cookie",
        "Set-Cookie",
        "private_key",
        "DB_PASSWORD",
        "authorization_token",
    ];
    let mut lines = String::new();
    for name in names {
        let plain = json!({ name: "tulipsareinthecellar" });
        let inner = json!([{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "x", "input": plain}]}]);
        let mut request = body("x");
        request["messages"] = inner;
        lines.push_str(&format!("{}\n", json!({ "request": request })));
        let text = serde_json::to_string(&plain).unwrap();
        lines.push_str(&format!("{}\n", json!({ "request": body(&text) })));
    }
    let place = Place::new();
    place.file("bodies.jsonl", &lines);
    let args = ["capture", "import", "bodies.jsonl", "-o", "log.jsonl"];
    place.run(&args).exits(0);
    let log = place.read("log.jsonl");
    assert!(!log.contains("tulips"), "{log}");
    assert!(log.contains("[redacted:field:"));
}

#[test]
fn a_password_of_one_character_in_a_url_is_replaced() {
    let line = json!({"request": body("curl https://ann:q@db.example.org/x and ftp://me:pw@host")});
    let place = Place::new();
    place.file("bodies.jsonl", format!("{line}\n"));
    let args = ["capture", "import", "bodies.jsonl", "-o", "log.jsonl"];
    place.run(&args).exits(0);
    let log = place.read("log.jsonl");
    assert!(!log.contains(":q@") && !log.contains(":pw@"), "{log}");
    assert!(log.contains("ann:[redacted:url:"), "{log}");
    assert!(log.contains("me:[redacted:url:"), "{log}");
}

#[test]
fn equal_secrets_have_equal_hashes_and_another_key_changes_them() {
    let secret = &secrets()[0].1;
    let line = json!({"request": body(secret), "conversation": "chat-7"});
    let place = Place::new();
    place.file("bodies.jsonl", format!("{line}\n"));
    let import = |log: &str, key: &[&str]| {
        let args = [&["capture", "import", "bodies.jsonl", "-o", log], key].concat();
        place.run(&args).exits(0);
        place.read(log)
    };
    let with_key = ["--hash-key", "capture.key"];
    assert_eq!(import("a.jsonl", &with_key), import("b.jsonl", &with_key));
    assert_ne!(import("c.jsonl", &[]), import("d.jsonl", &[]));
}

#[test]
fn ids_of_sessions_and_users_are_hashes() {
    let mut request = body("x");
    request["metadata"] = json!({"user_id": "{\"session_id\":\"session-of-ann\",\"account_uuid\":\"account-of-ann\"}"});
    let headers = json!({"x-claude-code-session-id": "session-of-ann", "cookie": "tulip", "x-account": "account-of-ann"});
    let chat = json!({"model": "gpt-6.1-sol", "prompt_cache_key": "session-of-ann", "user": "account-of-ann",
        "messages": [{"role": "user", "content": "Hello"}]});
    let lines = [
        json!({"request": request, "headers": headers}),
        json!({"request": chat}),
    ];
    let place = Place::new();
    place.file(
        "bodies.jsonl",
        lines.map(|l: Value| format!("{l}\n")).concat(),
    );
    place
        .run(&["capture", "import", "bodies.jsonl", "-o", "log.jsonl"])
        .exits(0);
    let log = place.read("log.jsonl");
    for id in ["of-ann", "tulip"] {
        assert!(!log.contains(id), "{log}");
    }
}

#[cfg(unix)]
#[test]
fn a_log_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.file("bodies.jsonl", format!("{}\n", body("x")));
    let args = [
        "capture",
        "import",
        "bodies.jsonl",
        "--hash-key",
        "k",
        "-o",
        "log.jsonl",
    ];
    place.run(&args).exits(0);
    for name in ["log.jsonl", "k"] {
        let mode = fs::metadata(place.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn text_in_markers_is_redacted() {
    let place = Place::new();
    let secret = &secrets()[0].1;
    let marked = |url: &str, mark: Value| {
        let mut block = json!({"type": "text", "text": "Be brief."});
        for (name, value) in mark.as_object().unwrap() {
            block[name] = value.clone();
        }
        let message = json!({"role": "user", "content": [block]});
        json!({"url": url, "request": {"model": "m", "max_tokens": 9, "messages": [message]}})
    };
    let ttl = json!({"cache_control": {"type": "ephemeral", "ttl": secret}});
    let mode = json!({"prompt_cache_breakpoint": {"mode": secret}});
    let lines = [
        marked("/v1/messages", ttl),
        marked("/v1/chat/completions", mode),
    ];
    place.file(
        "bodies.jsonl",
        lines.map(|line| format!("{line}\n")).concat(),
    );
    place
        .run(&["capture", "import", "bodies.jsonl", "-o", "log.jsonl"])
        .exits(0);
    let log = place.read("log.jsonl");
    assert!(log.contains("\"ttl\":\"[redacted:"), "{log}");
    assert!(log.contains("\"mode\":\"[redacted:"), "{log}");
    assert!(!log.contains(&core("anthropic", secret)), "{log}");
}
