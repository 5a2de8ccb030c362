use super::*;
use proptest::prelude::*;
use serde_json::json;

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
    fn a_value_equals_the_text_it_was_read_from(value in values(), other in values()) {
        let text = value.to_string();
        let data = Data::read(text.as_bytes()).unwrap();
        prop_assert_eq!(data.to_string(), text);
        prop_assert_eq!(serde_json::to_value(&data).unwrap(), value.clone());
        prop_assert_eq!(&Data::from(value.clone()), &data);
        prop_assert_eq!(data == Data::from(other.clone()), value == other);
        if let (Some(map), Some(of)) = (data.as_map(), value.as_object()) {
            for name in ["", "a", "b", "ab", "é"] {
                prop_assert_eq!(map.get(name), of.get(name).cloned().map(Data::from));
            }
            prop_assert_eq!(map.len(), of.len());
        }
        if let (Some(list), Some(of)) = (data.as_list(), value.as_array()) {
            for index in 0..=of.len() {
                prop_assert_eq!(list.get(index), of.get(index).cloned().map(Data::from));
            }
        }
    }

    #[test]
    fn it_accepts_what_the_engine_accepts(text in "[\\[\\]{},:\"a1. -]{0,9}") {
        let engine = serde_json::from_str::<Value>(&text);
        match (Data::read(text.as_bytes()), engine) {
            (Ok(data), Ok(value)) => prop_assert_eq!(serde_json::to_value(data).unwrap(), value),
            (Err(Unreadable::Syntax { column, .. }), Err(engine)) => prop_assert_eq!(column, engine.column().max(1)),
            // The rest is not read.
            (Err(Unreadable::Twice), _) => {}
            (own, engine) => prop_assert!(false, "{own:?} and {engine:?}"),
        }
    }
}

#[test]
fn a_key_appears_once() {
    let twice = |text: &str| matches!(Data::read(text.as_bytes()), Err(Unreadable::Twice));
    assert!(twice(r#"[{"b": 1, "a": {"x": 1, "\u0078": 2}}]"#));
    assert!(!twice(r#"{"a": {"x": 1}, "b": {"x": 2}}"#));
    assert!(serde_json::from_str::<Data>(r#"{"a": 1, "a": 1}"#).is_err());
}

#[test]
fn empty_values_take_no_room() {
    let empty = Data::from(json!([[], {}, "", [], {}, ""]));
    assert_eq!((empty.tree.groups.len(), empty.tree.texts.len()), (3, 2));
    assert_eq!(empty.to_string(), r#"[[],{},"",[],{},""]"#);
}
