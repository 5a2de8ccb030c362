//! Any messages and wishes, in every shape: refused, or a body that holds the prompt byte for byte.

use super::building::build;
use super::input::Input;
use promptc::diagnostic::Diagnostics;
use promptc::request::emit::{Call, Layout, SHAPES, EmitOptions, emit};
use promptc::text::Json;
use promptc::prompt::Deliver;
use promptc::request::provider::Catalog;
use promptc::text::tokens::Tokenizer;

const MANIFEST: &[u8] = b"promptc 1\nroot workspace default=\".\"\n\
    tier tools deliver=tools { layer t { json \"t.json\" } }\n\
    tier one changes=session { layer a { file \"a.md\" } }\n\
    tier two changes=day { layer b { file \"b.md\" } }\n\
    tier now changes=turn deliver=user { layer c { file \"c.md\" } }\n";

const MODELS: [&str; 6] = [
    "claude-sonnet-4-5",
    "gpt-5",
    "gemini-2.5-pro",
    "anthropic/claude-opus-4.1",
    "deepseek-chat",
    "nothing-known",
];

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let shape = input.of(SHAPES);
    let model = input.of(&MODELS);
    let wish = wish(&mut input);
    let messages = input.section();
    let [tools, a, b, c] = [(); 4].map(|()| input.section());
    let prefill = input.text();
    let tree: [(&str, &[u8]); 5] = [
        ("promptc.kdl", MANIFEST),
        ("t.json", tools),
        ("a.md", a),
        ("b.md", b),
        ("c.md", c),
    ];
    let Ok(prompt) = build(&tree, None) else {
        return;
    };
    let messages = str::from_utf8(messages).ok().and_then(Json::read).unwrap_or_default();
    let messages = messages.items();
    let found = Catalog::new(Vec::new()).find(model, jiff::civil::date(2026, 11, 22));
    let call = Call {
        prompt: &prompt,
        model,
        found: found.as_ref(),
        tokenizer: Tokenizer::O200K,
        messages,
        prefill: Some(&*prefill).filter(|p| !p.is_empty()),
        wish: &wish,
    };
    let mut diags = Diagnostics::default();
    let body = emit(shape, &call, &mut diags);
    assert_eq!(body.clone().ok(), emit(shape, &call, &mut Diagnostics::default()).ok());
    let Ok(body) = body else {
        assert!(!diags.is_empty(), "no body, and no error");
        return;
    };
    let json = serde_json::to_string(&body).unwrap();
    assert_eq!(Json::read(&json).as_ref(), Some(&body));
    if wish.cached.is_none() {
        let mut texts = String::new();
        gather(&body, false, &mut texts);
        let system = prompt.text(Deliver::System);
        assert!(texts.contains(system), "{} lost text: {json}", shape.name);
    }
    let marks = json.matches("\"cache_control\":{").count() + json.matches("\"cachePoint\":{").count();
    // What the messages hold of other things that look like it is not ours.
    let own = serde_json::to_string(messages).unwrap();
    if !own.contains("cache") && !texts_say(&prompt, "cache") && shape.name != "chat" {
        assert!(marks <= 4, "{marks} marks: {json}");
    }
}

fn texts_say(prompt: &promptc::prompt::Prompt, word: &str) -> bool {
    prompt.channels.iter().any(|c| c.text.contains(word))
}

fn wish(input: &mut Input<'_>) -> EmitOptions {
    let bits = input.byte();
    let on = |bit: u8| bits >> bit & 1 == 1;
    let ttl = input.of(&["5m", "1h", "24h", "x"]);
    let tier = input.of(&[None, Some("one"), Some("two")]);
    EmitOptions {
        automatic: on(0),
        ttls: on(1)
            .then(|| (tier.map(str::to_owned), ttl.to_owned()))
            .into_iter()
            .collect(),
        last: on(2).then(|| usize::from(input.byte() % 6)),
        key: on(3).then(|| "key".to_owned()),
        cached: (on(4) && on(5)).then(|| "stored".to_owned()),
        create: on(6) && on(5),
        max_tokens: on(7).then(|| u64::from(input.byte())),
        layout: input.of(&[None, Some(Layout::Envelope), Some(Layout::Native)]),
    }
}

/// All that stands where a request has text, in order.
fn gather(json: &Json, is_text: bool, out: &mut String) {
    match json {
        Json::Text(text) if is_text => out.push_str(text),
        Json::List(items) => items.iter().for_each(|item| gather(item, is_text, out)),
        Json::Object(members) => {
            for (key, value) in &**members {
                let text = matches!(&**key, "text" | "content" | "system" | "instructions");
                gather(value, text, out);
            }
        }
        _ => {}
    }
}
