//! The weight of a value if everything that it shares were copied, and the filters that charge for it.

use super::failure::{Planted, plant};
use super::guard::{INDEXED, KEPT, MADE, WEIGHED};
use super::limit::FUEL;
use super::objects::{DocumentObject, PartObject};
use super::syntax::{JOINED, SUMMED};
use crate::diagnostic::TEMPLATE_LIMIT;
use minijinja::value::{
    Enumerator, Object, ObjectRepr, Rest, Tuple, Value, ValueKind, ValueOrKwargs,
};
use minijinja::{Environment, Error, ErrorKind, State, filters, functions, tests};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most values of a list or map, counted as often as they occur in it.
const MAX_VALUES: u64 = 1_000_000;

/// The deepest nesting of lists and maps.
const MAX_DEPTH: usize = 256;

macro_rules! guarded_tests {
    ($env:ident, $($test:ident: $($name:literal)*;)*) => {
        $($env.add_test(concat!("$", stringify!($test)), tests::$test);
        $($env.add_test($name, |state: &mut State, args: Rest<Value>| {
            for arg in args.iter() {
                weighed(state, arg)?;
            }
            state.perform_test(concat!("$", stringify!($test)), &args)
        });)*)*
    };
}

/// Adds the filters that a guarded program uses, and the engine's tests and functions that walk what they are given.
pub(super) fn install(env: &mut Environment<'_>) {
    env.add_filter(WEIGHED, |state: &State, value: Value| {
        weighed(state, &value)?;
        Ok::<_, Error>(value)
    });
    env.add_filter(MADE, |state: &State, value: Value| made(state, value));
    env.add_filter(KEPT, |value: Value| {
        if is_alive(&value) {
            Err(Error::from(alive()))
        } else {
            Ok(value)
        }
    });
    env.add_filter(INDEXED, |state: &State, value: Value| {
        state.consume_fuel(value.as_str().map_or(0, str::len) as u64 / 64)?;
        Ok::<_, Error>(value)
    });
    env.add_global(SUMMED, Value::from_object(Gate(summed)));
    env.add_global(JOINED, Value::from_object(Gate(joined)));
    env.add_filter("$trim", filters::trim);
    env.add_filter("trim", |state: &mut State, args: Rest<Value>| {
        // Each character that goes is looked for among those that may go.
        if let [text, those, ..] = &**args
            && let (Some(text), Some(those)) = (text.as_str(), those.as_str())
        {
            let steps = (text.len() as u64).saturating_mul(those.len() as u64) / 64;
            state.consume_fuel(steps)?;
        }
        for arg in args.iter().filter(|arg| arg.as_object().is_some()) {
            weighed(state, arg)?;
        }
        state.apply_filter("$trim", &args)
    });
    for (name, engine) in [("dict", "$dict"), ("namespace", "$namespace")] {
        env.add_function(name, move |state: &mut State, args: Rest<ValueOrKwargs>| {
            let args = args.into_values();
            for arg in &args {
                checked_apart(state, arg)?;
            }
            let function = state.lookup(engine).unwrap_or_default();
            let value = function.call(state, &args)?;
            if is_alive(&value) {
                return Ok(value);
            }
            made(state, value)
        });
    }
    env.add_function("$dict", functions::dict);
    env.add_function("$namespace", functions::namespace);
    guarded_tests! { env,
        is_eq: "eq" "equalto" "==";
        is_ne: "ne" "!=";
        is_lt: "lt" "lessthan" "<";
        is_le: "le" "<=";
        is_gt: "gt" "greaterthan" ">";
        is_ge: "ge" ">=";
        is_in: "in";
        is_lower: "lower";
        is_upper: "upper";
        is_startingwith: "startingwith";
        is_endingwith: "endingwith";
    }
}

/// A map from each value to one that equals it, or to an error. A look-up costs the same for a text of any length.
#[derive(Debug)]
struct Gate(fn(&Value) -> Result<Value, Error>);

impl Object for Gate {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        Some((self.0)(key).unwrap_or_else(Value::from))
    }
}

/// Refuses a list, which `+` made, of more than [`MAX_VALUES`] items. What the items hold is weighed when the list is
/// walked: to count it here would take as long for one more item as for all. A sum of empty lists is one empty list: the
/// engine would walk over each of them, and none counts as an item.
fn summed(value: &Value) -> Result<Value, Error> {
    if !matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable) {
        return Ok(value.clone());
    }
    let len = match value.len() {
        Some(len) => len,
        None => value.try_iter()?.take(MAX_VALUES as usize + 1).count(),
    };
    bounded(len)?;
    if len == 0 && value.kind() == ValueKind::Iterable {
        return Ok(Value::from_object(Settled(Vec::new())));
    }
    Ok(value.clone())
}

/// Refuses a list of more than [`MAX_VALUES`] items.
pub(super) fn bounded(items: usize) -> Result<(), Error> {
    if items as u64 > MAX_VALUES {
        return Err(too_many(MAX_VALUES).into());
    }
    Ok(())
}

/// Refuses a list or map whose text takes more steps than there are. The engine charges for the text when it is made.
fn joined(value: &Value) -> Result<Value, Error> {
    if value.as_object().is_none() {
        return Ok(value.clone());
    }
    let mut scale = Scale {
        bytes: WRITTEN,
        ..Scale::new(FUEL, u64::MAX)
    };
    scale.walk(value, 0)?;
    Ok(value.clone())
}

/// Charges for a walk over `value`.
pub(super) fn weighed(state: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    if is_small(value) {
        return Ok(());
    }
    let mut scale = Scale::of(state, u64::MAX);
    let found = scale.walk(value, 0);
    state.consume_fuel(scale.steps)?;
    found.map(drop)
}

/// Charges for a value that was just made, and gives it without views of other lists in it.
pub(super) fn made(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    if is_small(&value) {
        return Ok(value);
    }
    let mut scale = Scale::of(state, MAX_VALUES);
    let settled = scale.walk(&value, 0)?;
    state.consume_fuel(scale.steps)?;
    Ok(settled.unwrap_or(value))
}

/// The value of a whole expression, without views of other lists in it.
pub(super) fn given(value: Value) -> Result<Value, Error> {
    // All else was weighed when it was made, or is a fact.
    if value.kind() != ValueKind::Iterable {
        return Ok(value);
    }
    let settled = Scale::new(FUEL, MAX_VALUES).walk(&value, 0)?;
    Ok(settled.unwrap_or(value))
}

/// The items of a map or namespace: no namespace, and no value that is too large.
fn checked_apart(state: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    if is_alive(value) {
        return Err(alive().into());
    }
    weighed(state, value)
}

/// Whether a walk over it is no more than a step.
fn is_small(value: &Value) -> bool {
    match value.as_str() {
        Some(text) => text.len() < 64,
        None => value.as_object().is_none(),
    }
}

/// Namespaces and loops can come to hold themselves.
fn is_alive(value: &Value) -> bool {
    let name = value.as_object().map_or("", |o| o.type_name());
    name.ends_with("::Namespace") || name.ends_with("::Loop")
}

fn alive() -> Planted {
    let message = "a namespace or a loop is put into a list, a map or a namespace";
    plant(TEMPLATE_LIMIT, message).help("keep it in a variable of its own, and put values in")
}

fn too_many(most: u64) -> Planted {
    let message = format!("a list or map would hold more than {most} values");
    plant(TEMPLATE_LIMIT, message).help("each counts as often as it occurs in it")
}

/// Bytes that are read in a step.
const READ: usize = 64;

/// Bytes of a list's text that are written in a step.
const WRITTEN: usize = 4;

/// The values that a walk has met.
struct Scale {
    values: u64,
    most: u64,
    /// Steps: one for each value, and for each so many `bytes` of text.
    steps: u64,
    bytes: usize,
    left: u64,
}

impl Scale {
    /// As much as the steps that are left can pay.
    fn of(state: &State<'_, '_>, most: u64) -> Self {
        let left = state.fuel_levels().map_or(FUEL, |(_, left)| left);
        Self::new(left, most)
    }

    fn new(left: u64, most: u64) -> Self {
        let (values, steps) = (0, 0);
        Self {
            values,
            most,
            steps,
            bytes: READ,
            left,
        }
    }

    fn add(&mut self, text: usize) -> Result<(), Error> {
        self.values += 1;
        self.steps += 1 + (text / self.bytes) as u64;
        if self.values > self.most {
            return Err(too_many(self.most).into());
        }
        if self.steps > self.left {
            return Err(Error::from(ErrorKind::OutOfFuel));
        }
        Ok(())
    }

    /// Adds what `value` weighs. Gives another value for it if something in it is a view of another list.
    fn walk(&mut self, value: &Value, depth: usize) -> Result<Option<Value>, Error> {
        self.add(value.as_str().map_or(0, str::len))?;
        let Some(object) = value.as_object() else {
            return Ok(None);
        };
        if depth > MAX_DEPTH {
            let message = format!("lists and maps nest more than {MAX_DEPTH} deep");
            return Err(plant(TEMPLATE_LIMIT, message).into());
        }
        if let Some(part) = object.downcast_ref::<PartObject>() {
            self.add(part.len())?;
            return Ok(None);
        }
        if let Some(document) = object.downcast_ref::<DocumentObject>() {
            // Within a list, two documents differ in their paths before their texts are looked at.
            self.add(if depth == 0 { document.len() } else { 0 })?;
            return Ok(None);
        }
        if depth > 0 && is_alive(value) {
            return Err(alive().into());
        }
        match object.repr() {
            ObjectRepr::Seq | ObjectRepr::Iterable => self.walk_list(value, depth),
            ObjectRepr::Map => self.walk_map(value, depth),
            _ => Ok(None),
        }
    }

    fn walk_list(&mut self, value: &Value, depth: usize) -> Result<Option<Value>, Error> {
        let is_tuple = value.downcast_object_ref::<Tuple>().is_some();
        let own = is_tuple
            || value.downcast_object_ref::<Vec<Value>>().is_some()
            || value.downcast_object_ref::<Settled>().is_some();
        // A group of `groupby` has names for its two items, unlike a list. Its content was weighed with the list.
        let named = value.as_object().map_or("", |o| o.type_name());
        if named.ends_with("::GroupTuple") {
            for item in value.try_iter()? {
                self.walk(&item, depth + 1)?;
            }
            return Ok(None);
        }
        let mut items: Option<Vec<Value>> = (!own).then(Vec::new);
        for (i, item) in value.try_iter()?.enumerate() {
            let settled = self.walk(&item, depth + 1)?;
            if settled.is_some() && items.is_none() {
                items = Some(value.try_iter()?.take(i).collect());
            }
            if let Some(items) = &mut items {
                items.push(settled.unwrap_or(item));
            }
        }
        let is_list = value.kind() == ValueKind::Seq;
        Ok(items.map(|items| match (is_tuple, is_list) {
            (true, _) => Value::from(Tuple::from(items)),
            (_, true) => Value::from(items),
            _ => Value::from_object(Settled(items)),
        }))
    }

    fn walk_map(&mut self, value: &Value, depth: usize) -> Result<Option<Value>, Error> {
        let Some(pairs) = value.as_object().and_then(|o| o.try_iter_pairs()) else {
            return Ok(None);
        };
        let name = value.as_object().map_or("", |o| o.type_name());
        let (mut changed, mut map) = (name.ends_with("::MergeDict"), BTreeMap::new());
        for (key, item) in pairs {
            self.walk(&key, depth + 1)?;
            let settled = self.walk(&item, depth + 1)?;
            changed |= settled.is_some();
            map.insert(key, settled.unwrap_or(item));
        }
        Ok(changed.then(|| Value::from_object(map)))
    }
}

/// The items of what was a view of other lists.
#[derive(Debug)]
struct Settled(Vec<Value>);

impl Object for Settled {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(key.as_usize()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.0.len())
    }
}
