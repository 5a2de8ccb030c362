//! The claims about an environment, compared with the engine: over all values that a name may have, no claim may be
//! wrong.

mod programs;

use super::{AbstractEnv, AbstractValue, Code, Common, Let, Loaded};
use crate::prompt::{Ingredient, Ingredients};
use crate::template::fact::FactValue;
use crate::template::{Engine, Scope, Value, Values};
use programs::{BRANCHES, CALLS, EXPRESSIONS, INCLUDED, LETS, TEMPLATES};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A limit: a value that only one of two branches leaves missing.
const MISSED: &[&str] = &[
    "{% set z = x %}{% if b %}{% set z = 'e' %}{% endif %}{{ z }}",
    "{% if ((x if b else y) == 'a') %}{% endif %}",
];

type Case = BTreeMap<&'static str, Option<FactValue>>;

fn text(t: &str) -> Option<FactValue> {
    Some(FactValue::String(t.into()))
}

/// All values that are tried of each name.
fn domain(name: &str) -> Vec<Option<FactValue>> {
    let list = |items: &[&str]| Some(FactValue::List(serde_json::json!(items).into()));
    match name {
        "x" => vec![None, text(""), text("a"), text("zz")],
        "y" => vec![text(""), text("a"), text("b"), text("Q")],
        "n" => vec![None, Some(FactValue::Int(0)), Some(FactValue::Int(4))],
        "l" => vec![None, list(&[]), list(&["a"]), list(&["b", "c"])],
        _ => vec![Some(FactValue::Bool(true)), Some(FactValue::Bool(false))],
    }
}

fn cases(source: &str) -> Vec<Case> {
    let lets = LETS
        .iter()
        .filter(|(name, _)| source.contains(name))
        .map(|(_, e)| *e);
    let all = std::iter::once(source)
        .chain(lets)
        .chain(INCLUDED.iter().map(|(_, t)| *t));
    let all: String = all.collect::<Vec<_>>().join(" ");
    let mut cases = vec![Case::new()];
    for name in ["x", "y", "n", "l", "b"] {
        let is_met = all
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == name);
        let values = if is_met {
            domain(name)
        } else {
            vec![domain(name).pop().unwrap()]
        };
        cases = (cases.iter())
            .flat_map(|case| {
                values.iter().map(|value| {
                    let mut case = case.clone();
                    case.insert(name, value.clone());
                    case
                })
            })
            .collect();
    }
    cases
}

/// The possible knowledge about each name of a case: from nothing to all, and whether it is true in that case.
fn known(name: &str, value: Option<&FactValue>) -> Vec<AbstractValue> {
    let other = Arc::new(BTreeSet::from(["a".to_owned(), "b".to_owned()]));
    let exact = match value {
        None => AbstractValue::missing(),
        Some(FactValue::String(t)) => AbstractValue::text(t),
        Some(FactValue::Int(n)) => AbstractValue::Value(Value::from(*n)),
        Some(FactValue::Bool(b)) => AbstractValue::boolean(*b),
        Some(FactValue::List(items)) => AbstractValue::Value(
            (items.as_list().unwrap().strings().unwrap().into_iter())
                .map(Value::from)
                .collect(),
        ),
        Some(_) => AbstractValue::Present,
    };
    let mut out = vec![AbstractValue::Anything, exact];
    if let Some(value) = value {
        out.push(AbstractValue::Present);
        if let FactValue::String(t) = value
            && !other.contains(&**t)
            && name == "y"
        {
            out.push(AbstractValue::Other(other));
        }
    }
    out
}

fn scope(engine: &Engine, case: &Case) -> Scope {
    let mut values = Values::default();
    for (name, value) in case {
        values.insert_fact(*name, value.as_ref(), false);
    }
    for (name, expression) in LETS {
        let before = Scope::new(Arc::new(values.clone()));
        let evaluated = engine.evaluate(expression, &before).unwrap();
        values.insert_let(*name, *expression, evaluated.value, evaluated.facts);
    }
    Scope::new(Arc::new(values))
}

struct NoLayers;

impl Loaded for NoLayers {
    fn loaded(&self, _: &str, _: &AbstractEnv<'_>) -> AbstractValue {
        AbstractValue::Anything
    }
}

struct Read {
    facts: BTreeMap<&'static str, AbstractValue>,
    lets: BTreeMap<&'static str, Let<'static>>,
    templates: BTreeMap<&'static str, Code<'static>>,
}

impl Read {
    fn setting<'p>(&'p self, facts: BTreeMap<&'p str, AbstractValue>) -> AbstractEnv<'p> {
        let common = Common {
            facts: &self.facts,
            lets: &self.lets,
            templates: &self.templates,
            loaded: &NoLayers,
        };
        AbstractEnv::new(common, facts)
    }
}

fn read() -> Read {
    read_with(LETS)
}

fn read_with(lets: &[(&'static str, &'static str)]) -> Read {
    Read {
        facts: BTreeMap::new(),
        lets: lets
            .iter()
            .map(|(n, e)| {
                let code = Code::expression(e).unwrap().into();
                (*n, Let { code, reads: &[] })
            })
            .collect(),
        templates: INCLUDED
            .iter()
            .map(|(n, t)| (*n, Code::template(t).unwrap()))
            .collect(),
    }
}

/// Every setting that is true of a case.
fn settings<'p>(read: &'p Read, case: &Case) -> Vec<AbstractEnv<'p>> {
    let mut all: Vec<BTreeMap<&str, AbstractValue>> = vec![BTreeMap::new()];
    for (name, value) in case {
        let known = known(name, value.as_ref());
        all = (all.iter())
            .flat_map(|facts| {
                known.iter().map(|known| {
                    let mut facts = facts.clone();
                    facts.insert(*name, known.clone());
                    facts
                })
            })
            .collect();
    }
    all.into_iter().map(|facts| read.setting(facts)).collect()
}

#[test]
fn no_claim_about_an_expression_is_wrong() {
    let (engine, read) = (Engine::new(), read());
    let mut claims = 0;
    for source in EXPRESSIONS {
        let code = Code::expression(source).unwrap();
        for case in cases(source) {
            let real = engine.evaluate(source, &scope(&engine, &case));
            for setting in settings(&read, &case) {
                let reported = setting.value(&code);
                match (&reported, &real) {
                    (None, Ok(_)) => panic!("`{source}` does not fail: {setting:?}"),
                    (Some(known), Ok(real)) => {
                        let truth = known.truth();
                        claims += usize::from(truth.is_some());
                        assert!(
                            truth.is_none_or(|t| t == real.is_true()),
                            "`{source}` is {:?}, not {known:?}: {setting:?}",
                            real.value
                        );
                        let there = known.is_there();
                        assert!(
                            there.is_none_or(|t| t != real.value.is_undefined()),
                            "`{source}` is {:?}, not {known:?}: {setting:?}",
                            real.value
                        );
                    }
                    (_, Err(_)) => {}
                }
            }
        }
    }
    assert!(
        claims > 1000,
        "only {claims} claims: the test shows nothing"
    );
}

fn render(source: &str, case: &Case) -> Option<String> {
    let mut engine = Engine::new();
    let ingredient = |name: &str| Ingredient::Template {
        file: name.to_owned(),
        line: None,
        sha256: String::new(),
    };
    for (name, text) in INCLUDED.iter().chain(&[("t", source)]) {
        engine.add_template(name, *text, ingredient(name)).unwrap();
    }
    let scope = scope(&engine, case);
    let rendered = engine.render("t", &scope, &mut Ingredients::default());
    rendered.ok().map(|r| r.text.as_str().to_owned())
}

/// With a fact missing and nothing else known, a reported failure happens for some values of the others, and without a
/// report nothing fails.
#[test]
fn failures_for_a_missing_fact_equal_those_of_the_engine() {
    let read = read();
    let templates = TEMPLATES.iter().map(|t| (*t).to_owned());
    let conditions = EXPRESSIONS
        .iter()
        .map(|e| format!("{{% if ({e}) %}}{{% endif %}}"));
    let (mut told_of, mut missed) = (0, Vec::<String>::new());
    for source in templates.chain(conditions) {
        let code = Code::template(&source).unwrap();
        for missing in ["x", "n", "l"] {
            let facts = ["x", "y", "n", "l", "b"].map(|name| {
                let known = match name {
                    "y" | "b" => AbstractValue::Present,
                    name if name == missing => AbstractValue::missing(),
                    _ => AbstractValue::Anything,
                };
                (name, known)
            });
            let setting = read.setting(facts.into());
            let reported = !setting.run(&code).failures.is_empty();
            let all = cases(&source);
            let with = |case: &&Case| case[missing].is_none();
            let fails = all
                .iter()
                .filter(with)
                .any(|case| render(&source, case).is_none());
            // A failure that does not depend on this fact is not reported for it.
            let anyway = all
                .iter()
                .filter(|c| !with(c))
                .any(|case| render(&source, case).is_none());
            if reported {
                told_of += 1;
                assert!(fails, "{source}: nothing fails without `{missing}`");
            } else if fails && !anyway && !MISSED.contains(&source.as_str()) {
                missed.push(format!("{source} without `{missing}`"));
            }
        }
    }
    assert!(missed.is_empty(), "not told: {missed:#?}");
    assert!(told_of > 20, "only {told_of}: the test shows nothing");
}

fn with_macro(calls: &str) -> String {
    let test = "{% if a %}{% set n.s = n.s ~ 'T' %}{% else %}{% set n.s = n.s ~ 'F' %}{% endif %}";
    format!(
        "{{% set n = namespace(s='') %}}{{% macro m(a, n) %}}{test}{{% endmacro %}}{calls}{{{{ n.s }}}}"
    )
}

#[test]
fn no_taken_branch_is_reported_as_dead() {
    let read = read();
    let mut settled = 0;
    let branches = BRANCHES.iter().map(|source| (*source).to_owned());
    for source in branches.chain(CALLS.iter().map(|calls| with_macro(calls))) {
        let code = Code::template(&source).unwrap();
        for case in cases(&source) {
            let Some(text) = render(&source, &case) else {
                continue;
            };
            for setting in settings(&read, &case) {
                let shown = setting.run(&code);
                let last = shown
                    .tests
                    .iter()
                    .max_by_key(|(place, _)| place.start)
                    .unwrap();
                for (way, mark) in [(true, 'T'), (false, 'F')] {
                    let reported = &last.1.reached;
                    let possible = reported.contains(&None) || reported.contains(&Some(way));
                    settled += usize::from(!possible);
                    assert!(
                        possible || !text.contains(mark),
                        "{source}: {text}: {setting:?}"
                    );
                }
            }
        }
    }
    assert!(settled > 500, "only {settled}: the test shows nothing");
}

#[test]
fn tests_have_the_reported_outcomes() {
    let read = read();
    let outcome = |source: &str| {
        let facts = BTreeMap::from([
            ("b", AbstractValue::boolean(true)),
            ("y", AbstractValue::Present),
        ]);
        let setting = read.setting(facts);
        let shown = setting.run(&Code::template(source).unwrap());
        let way = |(place, outcome): (&super::TestPlace, &super::Outcome)| {
            format!("{}: {:?}", &source[place.range()], outcome.reached)
        };
        shown.tests.iter().map(way).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        outcome("{% if b %}{% if y %}{% if not y %}x{% endif %}{% endif %}{% endif %}"),
        "b: {Some(true)}; y: {None}; not y: {Some(false)}"
    );
    assert_eq!(
        outcome("{% if y == 'a' %}{% elif y == 'a' %}{% elif y %}{% endif %}"),
        "y == 'a': {None}; y == 'a': {Some(false)}; y: {None}"
    );
    assert_eq!(
        outcome("{% for b in [1, 0] %}{% if b %}x{% endif %}{% endfor %}"),
        "b: {None}"
    );
    assert_eq!(
        outcome(
            "{% set y = 'z' %}{% block c %}{% if y %}{% endif %}{% set y = 'a' %}{% if y %}{% endif %}{% endblock %}"
        ),
        "y: {None}; y: {Some(true)}"
    );
}

#[test]
fn conditions_that_exclude_each_other() {
    let read = read_with(&[
        ("at", "x | lower"),
        ("here", "at == 'a'"),
        ("there", "at == 'b'"),
        ("able", "'a' in tools"),
        ("both", "able and n > 5"),
    ]);
    let exclude = |a: &str, b: &str| {
        let mut setting = read.setting(BTreeMap::new());
        setting.assume(&Code::expression(a).unwrap(), true);
        setting.holds(&Code::expression(b).unwrap()) == Some(false)
    };
    for (a, b) in [
        ("x", "not x"),
        ("not (x)", "x"),
        ("'a' in tools and x", "not x"),
        ("'a' in tools", "not 'a' in tools"),
        ("'a' in tools", "'a' not in tools"),
        ("platform == 'cli'", "platform == \"chat\""),
        ("platform == 'cli'", "'chat' == platform"),
        ("platform == 'cli'", "platform != 'cli'"),
        ("git.branch == 'main'", "git.branch == 'dev'"),
        ("count == 1", "2 == count"),
        ("x is defined", "x is not defined"),
        ("loaded('a')", "not loaded('a')"),
        ("(x and y)", "z and not y"),
        ("here", "there"),
        ("here", "at == 'b'"),
        ("both", "not able"),
        ("both", "not 'a' in tools"),
        ("able", "'a' not in tools"),
    ] {
        assert!(exclude(a, b) && exclude(b, a), "{a} / {b}");
    }
    for (a, b) in [
        ("x", "y"),
        ("x", "x"),
        ("x or y", "not x"),
        ("not x or y", "x"),
        ("not x and y", "y"),
        ("platform == 'cli'", "platform == 'cli'"),
        ("a == b", "a == c"),
        ("'a and not x' in names", "x"),
        ("a == 'x' or b", "a == 'y'"),
        ("notes", "es"),
        ("f(a == 'x')", "f(a == 'y')"),
        ("count == 1", "count == 1.0"),
        ("able", "not both"),
        ("here", "'a' not in tools"),
    ] {
        assert!(!exclude(a, b) && !exclude(b, a), "{a} / {b}");
    }
}

#[test]
fn a_run_ends() {
    let read = read();
    let source = "{% include 'i' %}{% include 'i' %}{% include 'i' %}";
    let itself = Read {
        templates: BTreeMap::from([("i", Code::template(source).unwrap())]),
        ..self::read()
    };
    let setting = itself.setting(BTreeMap::new());
    assert!(setting.run(&itself.templates["i"]).cut_short);
    let setting = read.setting(BTreeMap::new());
    assert!(!setting.run(&read.templates["i"]).cut_short);
    // An argument is evaluated once, however deeply it is nested.
    let calls = format!("{}x{}", "m(".repeat(60), ")".repeat(60));
    let deep = format!("{{% macro m(a) %}}{{% endmacro %}}{{{{ {calls} }}}}");
    assert!(!setting.run(&Code::template(&deep).unwrap()).cut_short);
}
