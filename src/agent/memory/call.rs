//! Calls of the memory tool, as models write them.

use super::refusal::Refusal;
use crate::text::json;
use serde_json::{Map, Value};

/// The most operations of a call.
const MOST: usize = 1000;

/// A call for a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The memory that it names.
    pub target: Option<String>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Whether the steps are in a list: all of them are done or none, and only the final size counts.
    pub batch: bool,
}

/// One operation. Parts of it may be missing, which has an answer of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The action; none if it is missing or unknown.
    pub action: Option<Action>,
    /// The text of the new entry.
    pub content: Option<String>,
    /// A part of the entry that is meant.
    pub old_text: Option<String>,
}

/// The actions on a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Add an entry after the others.
    Add,
    /// Put another one in the place of an entry.
    Replace,
    /// Take an entry away.
    Remove,
}

impl Action {
    /// All of them, by the words in calls.
    pub const ALL: [(&'static str, Self); 3] = [
        ("add", Self::Add),
        ("replace", Self::Replace),
        ("remove", Self::Remove),
    ];
}

impl Step {
    /// A step of a person, who names all that it needs.
    #[must_use]
    pub fn new(action: Action, old_text: Option<&str>, content: Option<&str>) -> Self {
        Self {
            action: Some(action),
            content: content.map(str::to_owned),
            old_text: old_text.map(str::to_owned),
        }
    }
}

impl Call {
    /// A call of one step.
    #[must_use]
    pub fn single(step: Step) -> Self {
        Self {
            target: None,
            steps: vec![step],
            batch: false,
        }
    }

    /// Parses the arguments of a tool call: `{"action", "target", "content", "old_text"}`, or `{"target",
    /// "operations"}` with a list of the former without `target`. A list that is not empty wins; null counts as
    /// left out; other keys are ignored, since models add them. No object has a key twice.
    ///
    /// # Errors
    /// If it is something else. Missing arguments are reported when the call is applied.
    pub fn parse(arguments: &str) -> Result<Self, Refusal> {
        let read: Value = serde_json::from_str(arguments.trim_end()).map_err(|error| {
            let (line, column) = (error.line(), error.column().max(1));
            invalid(format!(
                "it stops being JSON at line {line}, column {column}"
            ))
        })?;
        if matches!(
            json::canonical(arguments),
            Err(json::JsonError::Twice { .. })
        ) {
            let why = "it has a key twice in one object";
            return Err(invalid(why.to_owned()));
        }
        let Value::Object(call) = read else {
            return Err(invalid("it is not a JSON object".to_owned()));
        };
        let target = text(&call, "target")?;
        let steps = match call.get("operations") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(steps)) if steps.len() > MOST => {
                return Err(invalid(format!("it has more than {MOST} operations")));
            }
            Some(Value::Array(steps)) => steps.iter().map(listed).collect::<Result<_, _>>()?,
            Some(_) => return Err(invalid("`operations` is not a list".to_owned())),
        };
        Ok(if !steps.is_empty() {
            Self {
                target,
                steps,
                batch: true,
            }
        } else {
            Self {
                target,
                ..Self::single(step(&call)?)
            }
        })
    }
}

/// A member of `operations`.
fn listed(value: &Value) -> Result<Step, Refusal> {
    match value {
        Value::Object(call) => step(call),
        Value::Null => step(&Map::new()),
        _ => Err(invalid("one of its operations is not an object".to_owned())),
    }
}

fn step(call: &Map<String, Value>) -> Result<Step, Refusal> {
    let action = text(call, "action")?;
    let known = |word: String| Action::ALL.into_iter().find(|(name, _)| *name == word);
    Ok(Step {
        action: action.and_then(known).map(|(_, action)| action),
        content: text(call, "content")?,
        old_text: text(call, "old_text")?,
    })
}

fn text(call: &Map<String, Value>, key: &str) -> Result<Option<String>, Refusal> {
    match call.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(invalid(format!("`{key}` is not a string"))),
    }
}

fn invalid(why: String) -> Refusal {
    Refusal::no_call(why)
}
