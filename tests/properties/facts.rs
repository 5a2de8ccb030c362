//! Any values for facts, as text and as JSON: refused, or the same again from what they are written as.

use super::building::build;
use super::input::Input;
use promptc::text::Json;
use promptc::template::fact::FactValue;
use promptc::manifest::FactType;
use promptc::prompt::Deliver;

const TYPES: [(&str, FactType); 8] = [
    ("string", FactType::String),
    ("int", FactType::Int),
    ("float", FactType::Float),
    ("bool", FactType::Bool),
    ("date", FactType::Date),
    ("datetime", FactType::DateTime),
    ("list", FactType::List),
    ("map", FactType::Map),
];

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let (word, kind) = input.of(&TYPES);
    let text = input.text();
    let json = input.section();
    if let Ok(value) = FactValue::from_text(kind, &text) {
        again(kind, &value);
    }
    if let Ok(data) = Json::read_fact(json)
        && let Ok(Some(value)) = FactValue::from_json(kind, &data)
    {
        again(kind, &value);
    }
    let manifest = format!(
        "promptc 1\nfact v {word} private=#true optional=#true\nfact s string default=\"\"\n\
         tier t {{ layer a when=\"v is defined\" {{ text there }}\nlayer s when=s {{ fact s }} }}\n"
    );
    let tree = [("promptc.kdl", manifest.as_bytes())];
    let _ = build(&tree, Some(json));
    // A text reaches the prompt as it is, but for line ends and white space at its ends.
    let facts = serde_json::json!({ "s": text }).to_string();
    let Ok(prompt) = build(&tree, Some(facts.as_bytes())) else {
        return;
    };
    let shown: String = prompt.text(Deliver::System).split_whitespace().collect();
    let wanted: String = text.split_whitespace().collect();
    let bare = |text: &str| -> String { text.chars().filter(|c| !c.is_control() && *c != '\u{feff}').collect() };
    assert_eq!(bare(&shown), bare(&wanted));
}

fn again(kind: FactType, value: &FactValue) {
    let back = FactValue::from_json(kind, &value.to_json());
    assert_eq!(back.ok().flatten().as_ref(), Some(value));
    if let Some(text) = value.printed() {
        assert!(FactValue::from_text(kind, &text).is_ok(), "{text:?} of {value:?}");
    }
}
