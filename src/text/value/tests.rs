use super::*;
use proptest::prelude::*;

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-9i64..9).prop_map(|n| Value::from(n - (1 << 28))),
        (-9i64..9).prop_map(|n| Value::from(n + (1 << 28))),
        "[a-cé\"\\\\]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map("[a-cé]{0,2}", inner, 0..5)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn a_fact_equals_the_text_it_was_read_from(value in values(), other in values()) {
        let text = value.to_string();
        let fact = Json::read_fact(text.as_bytes()).unwrap();
        prop_assert_eq!(fact.to_string(), text);
        prop_assert_eq!(serde_json::to_value(&fact).unwrap(), value.clone());
        prop_assert_eq!(&Json::from(value.clone()), &fact);
        prop_assert_eq!(&fact.clone().sorted(), &fact);
        prop_assert_eq!(fact == Json::from(other.clone()), value == other);
        if let Some(of) = value.as_object() {
            for name in ["", "a", "b", "ab", "é"] {
                let wanted = of.get(name).cloned().map(Json::from);
                prop_assert_eq!(fact.get_sorted(name), wanted.as_ref());
                prop_assert_eq!(fact.get(name), wanted.as_ref());
            }
        }
    }

    #[test]
    fn it_accepts_what_the_engine_accepts(text in "[\\[\\]{},:\"a1. -]{0,9}") {
        let engine = serde_json::from_str::<Value>(&text);
        prop_assert_eq!(Json::read(&text).is_some(), engine.is_ok());
        match (Json::read_fact(text.as_bytes()), engine) {
            (Ok(fact), Ok(value)) => prop_assert_eq!(serde_json::to_value(fact).unwrap(), value),
            (Err(Unreadable::Syntax { column, .. }), Err(engine)) => prop_assert_eq!(column, engine.column().max(1)),
            // The rest is not read.
            (Err(Unreadable::Twice), _) => {}
            (own, engine) => prop_assert!(false, "{own:?} and {engine:?}"),
        }
    }
}

#[test]
fn a_key_appears_once() {
    let twice = |text: &str| matches!(Json::read_fact(text.as_bytes()), Err(Unreadable::Twice));
    assert!(twice(r#"[{"b": 1, "a": {"x": 1, "\u0078": 2}}]"#));
    assert!(!twice(r#"{"a": {"x": 1}, "b": {"x": 2}}"#));
    assert!(serde_json::from_str::<Json>(r#"{"a": 1, "a": 1}"#).is_err());
    assert!(serde_json::from_str::<Exact>(r#"{"a": 1, "a": 1}"#).is_err());
    // A model sees both.
    let both = Json::read(r#"{"a": 1, "a": 2}"#).unwrap();
    assert_eq!(both.get("a"), Some(&2.into()));
    assert_eq!(both.canonical(), r#"{"a":1,"a":2}"#);
}

#[test]
fn each_reading_has_its_order_and_its_numbers() {
    let text = r#"{"b":1.0,"a":[-0.0,2.50]}"#;
    let sent = Json::read(text).unwrap();
    assert_eq!(sent.canonical(), r#"{"b":1,"a":[0,2.5]}"#);
    let Exact(exact) = serde_json::from_str(text).unwrap();
    assert_eq!(exact.canonical(), r#"{"b":1.0,"a":[-0.0,2.5]}"#);
    let fact = Json::read_fact(text.as_bytes()).unwrap();
    assert_eq!(fact.canonical(), r#"{"a":[-0.0,2.5],"b":1.0}"#);
    assert_eq!(exact.sorted(), fact);
    // More digits than are kept.
    let long = "18446744073709551616";
    assert!(serde_json::from_str::<Exact>(long).is_err());
    assert_eq!(
        Json::read(long).map(Ok),
        Some(Json::read_fact(long.as_bytes()))
    );
}

#[test]
fn a_clone_shares_what_it_holds_until_it_is_changed() {
    let value = Json::read(r#"{"a":["b"]}"#).unwrap();
    let mut other = value.clone();
    let [old, new] = [&value, &other].map(|of| of.members().as_ptr());
    assert_eq!(old, new);
    other.set("a", Json::Null);
    assert_eq!(value.canonical(), r#"{"a":["b"]}"#);
    assert_eq!(other.canonical(), r#"{"a":null}"#);
}

#[test]
fn a_value_takes_24_bytes() {
    assert_eq!(size_of::<Json>(), 24);
}
