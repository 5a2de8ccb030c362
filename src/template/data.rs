//! JSON as the engine sees it. Lists and maps are read in place: values of the engine would take many times their room.

use crate::text::Json;
use minijinja::value::{Enumerator, Object, ObjectExt as _, ObjectRepr, Value};
use std::sync::Arc;

/// A JSON value as the engine sees it; maps are in code point order.
pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(is) => Value::from(*is),
        Json::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Value::from(n),
            (None, Some(n)) => Value::from(n),
            (None, None) => n.as_f64().map_or(Value::from(()), Value::from),
        },
        Json::Text(text) => Value::from(&**text),
        Json::List(_) | Json::Object(_) => Value::from_object(Nested(json.clone())),
    }
}

/// A list or a map.
#[derive(Debug)]
struct Nested(Json);

impl Nested {
    fn is_list(&self) -> bool {
        matches!(self.0, Json::List(_))
    }
}

impl Object for Nested {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        if self.is_list() {
            ObjectRepr::Seq
        } else {
            ObjectRepr::Map
        }
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let found = if self.is_list() {
            self.0.items().get(key.as_usize()?)
        } else {
            self.0.get_sorted(key.as_str()?)
        };
        found.map(value)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        if self.is_list() {
            return Enumerator::Seq(self.0.items().len());
        }
        self.mapped_rev_enumerator(|nested| {
            let names = nested.0.members().iter();
            Box::new(names.map(|(name, _)| Value::from(&**name)))
        })
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.0.items().len() + self.0.members().len())
    }
}
