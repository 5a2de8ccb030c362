//! The part of a value that is known without running a program, and the results of operations on it.

use crate::template::engine::dialect;
use crate::template::syntax::{compares, sign};
use minijinja::machinery::ast::BinOpKind;
use minijinja::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The part of a value that is known.
#[derive(Debug, Clone, Default)]
pub enum AbstractValue {
    /// Nothing; it may be missing.
    #[default]
    Anything,
    /// It is there.
    Present,
    /// Whether it is true.
    Truth(bool),
    /// Exactly this; undefined is a missing value.
    Value(Value),
    /// A text that is none of these.
    Other(Arc<BTreeSet<String>>),
}

/// An operation that fails because of a missing value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fails;

impl AbstractValue {
    /// A missing value.
    #[must_use]
    pub fn missing() -> Self {
        Self::Value(Value::UNDEFINED)
    }

    /// A text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Value(Value::from(text))
    }

    /// True or false.
    #[must_use]
    pub fn boolean(value: bool) -> Self {
        Self::Value(Value::from(value))
    }

    /// Whether it counts as true, if that is known.
    #[must_use]
    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Truth(truth) => Some(*truth),
            Self::Value(value) => Some(value.is_true()),
            Self::Anything | Self::Present | Self::Other(_) => None,
        }
    }

    /// Whether it is there, if that is known.
    #[must_use]
    pub fn is_there(&self) -> Option<bool> {
        match self {
            Self::Anything | Self::Truth(false) => None,
            Self::Present | Self::Truth(true) | Self::Other(_) => Some(true),
            Self::Value(value) => Some(!value.is_undefined()),
        }
    }

    /// Whether it is surely missing.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.is_there() == Some(false)
    }

    /// The part of a value that is known if it is either of the two.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Value(a), Self::Value(b)) if a == b && a.kind() == b.kind() => Self::Value(a),
            (a, b) => match (a.truth(), b.truth(), a.is_there(), b.is_there()) {
                (Some(a), Some(b), ..) if a == b => Self::Truth(a),
                (.., Some(true), Some(true)) => Self::Present,
                _ => Self::Anything,
            },
        }
    }
}

/// The engine's value. If the engine leaves it undefined, nothing is known of it.
fn given(value: Option<Value>) -> AbstractValue {
    match value {
        Some(value) if !value.is_undefined() => AbstractValue::Value(value),
        _ => AbstractValue::Anything,
    }
}

/// `left OP right`, of operators that look at both.
pub(super) fn binary(
    op: BinOpKind,
    left: &AbstractValue,
    right: &AbstractValue,
) -> Result<AbstractValue, Fails> {
    if left.is_missing() || right.is_missing() {
        return Err(Fails);
    }
    Ok(match (op, left, right) {
        (BinOpKind::Eq, ..) => {
            equal(left, right).map_or(AbstractValue::Present, AbstractValue::boolean)
        }
        (BinOpKind::Ne, ..) => {
            equal(left, right).map_or(AbstractValue::Present, |e| AbstractValue::boolean(!e))
        }
        (BinOpKind::In, ..) => {
            inside(left, right).map_or(AbstractValue::Present, AbstractValue::boolean)
        }
        (_, AbstractValue::Value(left), AbstractValue::Value(right)) => {
            given(operate(op, left, right))
        }
        _ => AbstractValue::Present,
    })
}

fn equal(left: &AbstractValue, right: &AbstractValue) -> Option<bool> {
    match (left, right) {
        (AbstractValue::Value(a), AbstractValue::Value(b)) => Some(a == b),
        (AbstractValue::Other(not), AbstractValue::Value(b))
        | (AbstractValue::Value(b), AbstractValue::Other(not)) => match b.as_str() {
            Some(text) => not.contains(text).then_some(false),
            None => Some(false),
        },
        _ => None,
    }
}

fn inside(item: &AbstractValue, list: &AbstractValue) -> Option<bool> {
    match (item, list) {
        (AbstractValue::Value(a), AbstractValue::Value(b)) => {
            operate(BinOpKind::In, a, b).map(|value| value.is_true())
        }
        (AbstractValue::Other(_), AbstractValue::Value(b)) if b.as_str().is_none() => {
            let mut items = b.try_iter().ok()?;
            let none = items.all(|i| equal(item, &AbstractValue::Value(i)) == Some(false));
            none.then_some(false)
        }
        _ => None,
    }
}

fn operate(op: BinOpKind, left: &Value, right: &Value) -> Option<Value> {
    let is_sum = matches!(op, BinOpKind::Concat | BinOpKind::Add | BinOpKind::Sub);
    if !is_sum && !compares(op) {
        return None;
    }
    let source = format!("a {} b", sign(op));
    let scope = BTreeMap::from([("a", left.clone()), ("b", right.clone())]);
    let compiled = dialect().compile_expression(&source).ok()?;
    compiled.eval(Value::from(scope)).ok()
}

/// `-value`.
pub(super) fn negative(value: &AbstractValue) -> Result<AbstractValue, Fails> {
    match value {
        value if value.is_missing() => Err(Fails),
        _ => Ok(AbstractValue::Present),
    }
}

/// `subject | name(args)`; `args` are none if not all are known to be plain.
pub(super) fn filter(
    name: &str,
    subject: &AbstractValue,
    args: Option<&[AbstractValue]>,
) -> Result<AbstractValue, Fails> {
    let falls_back = matches!(name, "default" | "d");
    if falls_back {
        return Ok(fall_back(subject, args));
    }
    let missing = args.into_iter().flatten().any(AbstractValue::is_missing);
    if subject.is_missing() || (missing && name == "replace") {
        return Err(Fails);
    }
    let AbstractValue::Value(subject) = subject else {
        return Ok(AbstractValue::Anything);
    };
    let Some(values) = args.and_then(values) else {
        return Ok(AbstractValue::Anything);
    };
    let all: Vec<Value> = std::iter::once(subject.clone()).chain(values).collect();
    Ok(given(dialect().empty_state().apply_filter(name, &all).ok()))
}

fn fall_back(subject: &AbstractValue, args: Option<&[AbstractValue]>) -> AbstractValue {
    let other = match args {
        Some([]) => AbstractValue::text(""),
        Some([other, ..]) => other.clone(),
        None => AbstractValue::Anything,
    };
    let blank_too = !matches!(args, Some([] | [_]));
    match (subject.is_there(), subject.truth()) {
        (Some(false), _) => other,
        (_, Some(true)) => subject.clone(),
        (Some(true), _) if !blank_too => subject.clone(),
        (_, Some(false)) if blank_too && args.is_some() => other,
        _ => subject.clone().or(other),
    }
}

/// The values themselves, if all are known and there.
fn values(all: &[AbstractValue]) -> Option<Vec<Value>> {
    let value = |known: &AbstractValue| match known {
        AbstractValue::Value(value) if !value.is_undefined() => Some(value.clone()),
        _ => None,
    };
    all.iter().map(value).collect()
}

/// `subject is name(args)`; `args` as for [`filter`].
pub(super) fn test(
    name: &str,
    subject: &AbstractValue,
    args: Option<&[AbstractValue]>,
) -> Result<AbstractValue, Fails> {
    let there = subject.is_there();
    match (name, args.unwrap_or_default()) {
        ("defined", _) => return Ok(there.map_or(AbstractValue::Present, AbstractValue::boolean)),
        ("undefined", _) => {
            return Ok(there.map_or(AbstractValue::Present, |t| AbstractValue::boolean(!t)));
        }
        ("in", [list]) if list.is_missing() => return Err(Fails),
        ("eq" | "equalto" | "==", [other]) if there == Some(true) => {
            return Ok(equal(subject, other).map_or(AbstractValue::Present, AbstractValue::boolean));
        }
        ("in", [list]) if there == Some(true) => {
            return Ok(inside(subject, list).map_or(AbstractValue::Present, AbstractValue::boolean));
        }
        _ => {}
    }
    let takes_text = matches!(name, "startingwith" | "endingwith" | "containing_any");
    if subject.is_missing() && takes_text {
        return Err(Fails);
    }
    let (AbstractValue::Value(subject), Some(values)) = (subject, args.and_then(values)) else {
        return Ok(AbstractValue::Present);
    };
    let all: Vec<Value> = std::iter::once(subject.clone()).chain(values).collect();
    let truth = dialect().empty_state().perform_test(name, &all);
    Ok(truth.map_or(AbstractValue::Present, AbstractValue::boolean))
}

/// `of.name` or `of[name]`.
pub(super) fn item(of: &AbstractValue, name: Option<&Value>) -> Result<AbstractValue, Fails> {
    match (of, name) {
        (of, _) if of.is_missing() => Err(Fails),
        (AbstractValue::Value(of), Some(name)) => Ok(given(of.get_item(name).ok())),
        _ => Ok(AbstractValue::Anything),
    }
}
