//! JSON as the engine sees it. Lists and maps are read in place: values of the engine would take many times their room.

use crate::text::Data;
use crate::text::data::View;
use minijinja::value::{Enumerator, Object, ObjectExt as _, ObjectRepr, Value};
use std::sync::Arc;

/// A JSON value as the engine sees it; maps are in code point order.
pub(super) fn value(data: &Data) -> Value {
    match data.view() {
        View::Null => Value::from(()),
        View::Bool(is) => Value::from(is),
        View::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Value::from(n),
            (None, Some(n)) => Value::from(n),
            (None, None) => n.as_f64().map_or(Value::from(()), Value::from),
        },
        View::Text(text) => Value::from(text),
        View::List(_) | View::Map(_) => Value::from_object(Nested(data.clone())),
    }
}

/// A list or a map.
#[derive(Debug)]
struct Nested(Data);

impl Object for Nested {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        match self.0.as_list() {
            Some(_) => ObjectRepr::Seq,
            None => ObjectRepr::Map,
        }
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let found = match self.0.as_list() {
            Some(list) => list.get(key.as_usize()?),
            None => self.0.as_map()?.get(key.as_str()?),
        };
        found.as_ref().map(value)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        match self.0.as_list() {
            Some(list) => Enumerator::Seq(list.len()),
            None => self.mapped_rev_enumerator(|nested| {
                let names = nested.0.as_map().into_iter().flat_map(|map| map.names());
                Box::new(names.map(Value::from))
            }),
        }
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        let list = self.0.as_list().map(|list| list.len());
        list.or_else(|| self.0.as_map().map(|map| map.len()))
    }
}
