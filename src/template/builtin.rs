//! The engine's filters that the language offers: the same functions after a check of their input.

use super::failure::{Planted, is_planted, plant};
use super::objects::{PartObject, unknown_attribute};
use super::print::{bounded, is_document, kind_name, text_of, unprintable, valid};
use super::weigh::{self, weighed};
use crate::diagnostic::{TEMPLATE_FAILED, TEMPLATE_LIMIT, UNDEFINED_VALUE};
use crate::text::document::Document;
use minijinja::value::{Kwargs, Rest, Value, ValueKind, ValueOrKwargs, from_args};
use minijinja::{Environment, Error, ErrorKind, State, filters};

/// The requirement of a filter on its input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Any value that is there.
    Any,
    /// A printable value.
    Text,
    /// A list, which it sorts or compares by code points by default.
    Ordered,
    /// A list and a count, which is bounded.
    Counted,
}

/// The filters that do not walk a list, or make a text that the engine counts.
const LIGHT: &[&str] = &[
    "abs",
    "attr",
    "bool",
    "capitalize",
    "first",
    "float",
    "indent",
    "int",
    "last",
    "length",
    "lower",
    "replace",
    "round",
    "title",
    "trim",
    "upper",
];

/// The largest width, count or indent that a template may ask for.
const MAX_COUNT: i64 = 10_000;

/// The filters that templates may use.
pub const FILTERS: &[&str] = &[
    "abs",
    "attr",
    "batch",
    "bool",
    "bullet",
    "capitalize",
    "chain",
    "count",
    "d",
    "date",
    "default",
    "dictsort",
    "fence",
    "first",
    "float",
    "groupby",
    "indent",
    "int",
    "items",
    "join",
    "json",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "numbered",
    "percent",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "sanitize",
    "select",
    "selectattr",
    "slice",
    "sort",
    "split",
    "string",
    "sum",
    "thousands",
    "title",
    "trim",
    "unique",
    "upper",
    "xml",
    "zip",
    "zone",
];

/// The tests that templates may use.
pub const TESTS: &[&str] = &[
    "boolean",
    "containing_any",
    "defined",
    "divisibleby",
    "endingwith",
    "eq",
    "equalto",
    "even",
    "false",
    "filter",
    "float",
    "ge",
    "greaterthan",
    "gt",
    "in",
    "int",
    "integer",
    "iterable",
    "le",
    "lessthan",
    "lower",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "sameas",
    "sequence",
    "startingwith",
    "string",
    "test",
    "true",
    "undefined",
    "upper",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
];

/// The functions that programs may use.
pub const FUNCTIONS: &[&str] = &["dict", "exists", "loaded", "namespace", "range"];

macro_rules! guarded {
    ($env:ident, $($takes:ident: $($name:ident)*;)*) => {
        $($(
            $env.add_filter(concat!("$", stringify!($name)), filters::$name);
            $env.add_filter(stringify!($name), |state: &mut State, args: Rest<ValueOrKwargs>| {
                run(state, stringify!($name), Takes::$takes, args)
            });
        )*)*
    };
}

/// Replaces the engine's filters by guarded ones and removes what the language does not have. `$name` is the engine's
/// own function; a template cannot write such a name.
pub(super) fn install(env: &mut Environment<'_>) {
    guarded! { env,
        Any: abs attr bool chain first float int items last length list map reject rejectattr reverse round select
            selectattr string sum zip;
        Text: capitalize lines lower replace split title trim upper;
        Ordered: dictsort groupby max min sort unique;
        Counted: batch indent slice;
    }
    env.add_filter("count", |state: &mut State, args: Rest<ValueOrKwargs>| {
        run(state, "length", Takes::Any, args)
    });
    env.add_filter("join", join);
    for name in ["safe", "escape", "e", "pprint", "format"] {
        env.remove_filter(name);
    }
    for name in ["safe", "escaped"] {
        env.remove_test(name);
    }
    env.remove_global("debug");
}

fn run(
    state: &mut State<'_, '_>,
    name: &'static str,
    takes: Takes,
    args: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut args = args.into_values();
    let subject = args.first().cloned().unwrap_or_default();
    if subject.is_undefined() {
        return Err(missing(name).into());
    }
    if name == "string" && subject.kind() == ValueKind::Plain {
        return Err(unprintable(&subject).into());
    }
    let text = matches!(takes, Takes::Text) || name == "indent";
    if text && let Some(first) = args.first_mut() {
        // Keeps numbers in our own form; text stays the same buffer.
        if first.as_str().is_none() {
            *first = Value::from(text_of(&subject)?.as_ref());
        }
    }
    if takes == Takes::Counted && args[1.min(args.len())..].iter().any(is_too_much) {
        let message = format!("`{name}` takes at most {MAX_COUNT}");
        return Err(plant(TEMPLATE_LIMIT, message).into());
    }
    let light = LIGHT.contains(&name) && subject.kind() != ValueKind::Iterable;
    for (at, arg) in args.iter().enumerate() {
        // The engine writes a list as text where a text is expected.
        if !light || (at > 0 && arg.as_object().is_some()) {
            weighed(state, arg)?;
        }
    }
    check_attribute(name, &subject, &args)?;
    bounded(name, made(name, &args))?;
    weigh::bounded(characters(name, &args))?;
    if takes == Takes::Ordered {
        by_code_point(name, &mut args)?;
    }
    let value = state
        .apply_filter(&format!("${name}"), &args)
        .map_err(|error| explain(name, &subject, error))?;
    if light {
        return Ok(value);
    }
    weigh::made(state, value)
}

/// The approximate output size of a filter whose output can be many times its input.
fn made(name: &str, args: &[Value]) -> usize {
    let text = |at: usize| args.get(at).and_then(Value::as_str).unwrap_or_default();
    match name {
        "replace" => {
            let hits = text(0).matches(text(1)).count();
            text(0)
                .len()
                .saturating_add(hits.saturating_mul(text(2).len()))
        }
        "indent" => {
            let lines = text(0).matches('\n').count();
            text(0)
                .len()
                .saturating_add(lines.saturating_mul(width(args)))
        }
        "sum" => {
            let items = args.first().and_then(|list| list.try_iter().ok());
            let lengths = items
                .into_iter()
                .flatten()
                .map(|item| item.as_str().map_or(0, str::len));
            lengths.fold(0, usize::saturating_add)
        }
        _ => 0,
    }
}

/// The items of a filter that lists the characters of a text before the engine counts them.
fn characters(name: &str, args: &[Value]) -> usize {
    let text = |at: usize| args.get(at).and_then(Value::as_str);
    match (name, text(0)) {
        ("groupby", Some(listed)) => listed.chars().count(),
        ("split", Some(listed)) if text(1) == Some("") => listed.chars().count(),
        _ => 0,
    }
}

/// The columns that `indent` gets, by position or by name.
fn width(args: &[Value]) -> usize {
    let named = args.last().and_then(|v| Kwargs::try_from(v.clone()).ok());
    let named = named.and_then(|k| k.peek::<Option<usize>>("width").ok().flatten());
    let placed = args.get(1).and_then(Value::as_usize);
    named.or(placed).unwrap_or(4)
}

/// Whether a count, also one given by name, is larger than any may be.
fn is_too_much(count: &Value) -> bool {
    if count.is_kwargs() {
        let mut names = count.try_iter().into_iter().flatten();
        return names.any(|name| count.get_item(&name).is_ok_and(|n| is_too_much(&n)));
    }
    count.is_integer() && count.as_i64().is_none_or(|n| n > MAX_COUNT)
}

/// The engine's own messages about a filter contain values; only the kind of the input is reported.
fn explain(name: &str, subject: &Value, error: Error) -> Error {
    let message = match error.kind() {
        _ if is_planted(&error) || error.range().is_some() => return error,
        ErrorKind::MissingArgument => format!("`{name}` lacks an argument"),
        ErrorKind::TooManyArguments => {
            format!("`{name}` has an argument too many, or one of an unknown name")
        }
        ErrorKind::InvalidOperation if error.detail() != Some("recursion limit exceeded") => {
            format!("`{name}` cannot do this with {}", kind_name(subject))
        }
        ErrorKind::UndefinedError => return missing(name).into(),
        _ => return error,
    };
    plant(TEMPLATE_FAILED, message).into()
}

fn missing(filter: &str) -> Planted {
    plant(
        UNDEFINED_VALUE,
        format!("`{filter}` is given a missing value"),
    )
    .help("test it first: {% if x %}, `x is defined`, or x | default(\"…\")")
}

/// The attribute argument of a filter, by name or, for some, by position.
fn attribute_of(name: &str, args: &[Value]) -> Option<String> {
    let last = args.last().and_then(|v| Kwargs::try_from(v.clone()).ok());
    let named = last.and_then(|k| k.peek::<Option<String>>("attribute").ok().flatten());
    let placed = match name {
        "groupby" | "selectattr" | "rejectattr" | "attr" | "sum" => args.get(1),
        "join" => args.get(2),
        _ => None,
    };
    named.or_else(|| placed?.as_str().map(str::to_owned))
}

/// Refuses attributes that documents do not have before the engine compares what it finds there.
fn check_attribute(name: &str, subject: &Value, args: &[Value]) -> Result<(), Error> {
    let Some(attribute) = attribute_of(name, args) else {
        return Ok(());
    };
    let holds_documents = match subject.kind() {
        ValueKind::Seq | ValueKind::Iterable => subject.try_iter()?.any(|item| is_document(&item)),
        _ => is_document(subject),
    };
    if !holds_documents {
        return Ok(());
    }
    for key in attribute.split(',') {
        let first = key.split('.').next().unwrap_or_default().trim();
        if !Document::ATTRIBUTES.contains(&first) {
            return Err(unknown_attribute(first));
        }
    }
    Ok(())
}

/// Makes the engine compare text by code points unless the template asks otherwise.
fn by_code_point(name: &str, args: &mut Vec<Value>) -> Result<(), Error> {
    let mut named: Vec<(String, Value)> = Vec::new();
    if args.len() > 1 {
        let (_, kwargs): (&[Value], Kwargs) = from_args(args)?;
        for key in kwargs.args() {
            named.push((key.to_owned(), kwargs.peek::<Value>(key)?));
        }
    }
    if !named.is_empty() {
        args.pop();
    }
    for (key, value) in &mut named {
        // With one key the engine calls missing attributes equal to everything, which is no order. With two it puts
        // them first.
        if name == "sort"
            && key == "attribute"
            && let Some(path) = value.as_str()
        {
            *value = Value::from(format!("{path},{path}"));
        }
    }
    if !named.iter().any(|(key, _)| key == "case_sensitive") {
        named.push(("case_sensitive".to_owned(), Value::from(true)));
    }
    args.push(Value::from(named.into_iter().collect::<Kwargs>()));
    Ok(())
}

/// `join(BETWEEN)` of what prints.
fn join(
    state: &State<'_, '_>,
    value: &Value,
    between: Option<&str>,
    attribute: Option<&str>,
    kwargs: Kwargs,
) -> Result<String, Error> {
    if value.is_undefined() {
        return Err(missing("join").into());
    }
    weighed(state, value)?;
    let between = match between {
        Some(between) => between,
        None => kwargs.get::<Option<&str>>("d")?.unwrap_or_default(),
    };
    let attribute = match attribute {
        Some(attribute) => Some(attribute),
        None => kwargs.get::<Option<&str>>("attribute")?,
    };
    kwargs.assert_all_used()?;
    let list = matches!(
        value.kind(),
        ValueKind::Seq | ValueKind::Iterable | ValueKind::String
    );
    if !list || (value.downcast_object_ref::<PartObject>().is_some() && attribute.is_none()) {
        let message = format!("`join` takes a list, and this is {}", kind_name(value));
        return Err(plant(TEMPLATE_FAILED, message).into());
    }
    let mut out = String::new();
    for (i, item) in value.try_iter()?.enumerate() {
        if i > 0 {
            bounded("join", out.len() + between.len())?;
            out.push_str(between);
        }
        let item = path(item, attribute)?;
        if item.is_undefined() {
            return Err(missing("join").into());
        }
        let item = text_of(&item)?;
        bounded("join", out.len() + item.len())?;
        out.push_str(&item);
    }
    Ok(out)
}

fn path(item: Value, attribute: Option<&str>) -> Result<Value, Error> {
    let mut value = item;
    for part in attribute.into_iter().flat_map(|a| a.split('.')) {
        value = valid(match part.parse::<usize>() {
            Ok(index) => value.get_item_by_index(index)?,
            Err(_) => value.get_attr(part)?,
        })?;
    }
    Ok(value)
}
