//! The tool that a model gets, and the schema of its answers.

use super::Desk;
use serde_json::{Value, json};

const TWO: &str = "root home default=\"home\"\ntier t {\n\
     layer notes { memory \"NOTES.md\" root=home about=\"what the agent learned\" capacity=2200 }\n\
     layer user { memory \"USER.md\" root=home } }\n";

fn definition(desk: &Desk, provider: &str) -> Value {
    let ran = desk.run(&["schema", "--provider", provider]).exits(0);
    serde_json::from_str(ran.stdout()).unwrap()
}

/// The arguments of a call, in the form of any provider.
fn parameters(desk: &Desk, provider: &str) -> Value {
    let tool = definition(desk, provider);
    match provider {
        "anthropic" => tool["input_schema"].clone(),
        "openai" => tool["function"]["parameters"].clone(),
        _ => tool["parameters"].clone(),
    }
}

#[test]
fn each_provider_has_its_form() {
    let desk = Desk::manifest(TWO);
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let anthropic = definition(&desk, "anthropic");
    assert_eq!(keys(&anthropic), ["description", "input_schema", "name"]);
    let openai = definition(&desk, "openai");
    assert_eq!(keys(&openai), ["function", "type"]);
    assert_eq!(
        keys(&openai["function"]),
        ["description", "name", "parameters"]
    );
    let responses = definition(&desk, "openai-responses");
    assert_eq!(
        keys(&responses),
        ["description", "name", "parameters", "strict", "type"]
    );
    for provider in ["openai", "openai-responses"] {
        assert_eq!(parameters(&desk, provider), anthropic["input_schema"]);
    }
    assert_eq!(anthropic["name"], "memory");
    let target = &anthropic["input_schema"]["properties"]["target"];
    assert_eq!(target["enum"], json!(["notes", "user"]));
    let described = target["description"].as_str().unwrap();
    assert!(
        described.contains("notes: what the agent learned; holds 2,200 characters."),
        "{described}"
    );
    assert_eq!(anthropic["input_schema"]["required"], json!(["target"]));
    let one = parameters(&Desk::with(""), "anthropic");
    assert_eq!(
        (&one["properties"]["target"]["enum"], &one["required"]),
        (&json!(["notes"]), &json!([]))
    );
}

/// A call that the definition allows is one: no answer says that it is none.
#[test]
fn every_call_of_the_definition_is_accepted() {
    let desk = Desk::manifest(TWO);
    let schema = jsonschema::validator_for(&parameters(&desk, "anthropic")).unwrap();
    for (call, code) in [
        (
            json!({"target": "notes", "action": "add", "content": "a"}),
            "added",
        ),
        (
            json!({"target": "notes", "action": "replace", "old_text": "a", "content": "b"}),
            "replaced",
        ),
        (
            json!({"target": "notes", "action": "remove", "old_text": "b"}),
            "removed",
        ),
        (
            json!({"target": "user", "operations": [{"action": "add", "content": "a"}, {"action": "remove", "old_text": "a"}]}),
            "applied",
        ),
        (
            json!({"target": "user", "operations": []}),
            "unknown-action",
        ),
        (
            json!({"target": "user", "action": "add"}),
            "missing-content",
        ),
    ] {
        assert!(schema.is_valid(&call), "{call}");
        assert_eq!(desk.call(&call.to_string(), &[])["code"], code, "{call}");
    }
    for call in [
        json!({"action": "add", "content": "a"}),
        json!({"target": "others", "action": "add", "content": "a"}),
        json!({"target": "user", "action": "list"}),
        json!({"target": "user", "operations": [{"content": "a"}]}),
    ] {
        assert!(!schema.is_valid(&call), "{call}");
        assert_eq!(
            desk.call(&call.to_string(), &[])["success"],
            false,
            "{call}"
        );
    }
}

#[test]
fn answers_match_their_schema() {
    let desk = Desk::manifest(TWO);
    let schema = desk.place.run(&["schema", "memory"]).exits(0);
    let schema: Value = serde_json::from_str(schema.stdout()).unwrap();
    let valid = jsonschema::validator_for(&schema).unwrap();
    desk.place.file("home/USER.md", "a\n§\n\n§\nab");
    let mut codes = Vec::new();
    for call in [
        json!({"target": "notes", "action": "add", "content": "a"}),
        json!({"target": "notes", "action": "add", "content": "ab"}),
        json!({"target": "notes", "action": "remove", "old_text": "a"}),
        json!({"target": "notes", "action": "remove", "old_text": "c"}),
        json!({"target": "notes", "operations": [{"action": "add"}]}),
        json!({"target": "user", "action": "remove", "old_text": "a"}),
        json!({"target": "nobody"}),
        json!([]),
    ] {
        let answer = desk.call(&call.to_string(), &[]);
        assert!(valid.is_valid(&answer), "{answer}");
        codes.push(answer["code"].as_str().unwrap().to_owned());
        let mut other = answer.clone();
        other["more"] = json!(1);
        assert!(
            !valid.is_valid(&other),
            "what the schema does not know is not allowed"
        );
    }
    let all = [
        "added",
        "added",
        "ambiguous",
        "no-match",
        "missing-content",
        "drifted",
        "unknown-target",
        "invalid-call",
    ];
    assert_eq!(codes, all);
    let list = desk.run(&["list", "--format", "json"]).exits(0);
    let list: Value = serde_json::from_str(list.stdout()).unwrap();
    assert!(valid.is_valid(&list), "{list}");
    assert_eq!(list["memories"][1]["drifted"], true);
}

/// The page names every code that an answer can have, and no other.
#[test]
fn every_code_is_in_the_documentation() {
    let schema = Desk::with("").place.run(&["schema", "memory"]).exits(0);
    let schema: Value = serde_json::from_str(schema.stdout()).unwrap();
    let codes = schema["$defs"]["Code"]["oneOf"].as_array().unwrap();
    let mut codes: Vec<&str> = codes.iter().map(|c| c["const"].as_str().unwrap()).collect();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/memory.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page
        .lines()
        .filter_map(|l| l.strip_prefix("| `")?.split_once("` | "));
    let mut told: Vec<&str> = rows
        .map(|(code, _)| code)
        .filter(|c| !c.contains(' '))
        .collect();
    codes.sort_unstable();
    told.sort_unstable();
    assert_eq!(told, codes);
}
