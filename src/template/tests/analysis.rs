//! The uses of a program, without running it.

use super::bench::lists;
use crate::diagnostic::LITERAL_REQUIRED;
use crate::template::analyse::{Step, StepKind};
use crate::template::{Analysis, analyse};

fn analysed(source: &str) -> Analysis {
    analyse::template(source, &lists(&["documents", "entries", "part"])).unwrap()
}

fn names(a: &Analysis) -> Vec<&str> {
    a.names.iter().map(|n| n.name.as_str()).collect()
}

#[test]
fn free_names() {
    for (source, expected) in [
        ("{{ a }}{% set b = c %}{{ b }}", vec!["a", "c"]),
        (
            "{% for x in xs %}{{ x }}{{ loop.index }}{% else %}{{ x }}{% endfor %}{{ x }}",
            vec!["xs", "x", "x"],
        ),
        (
            "{% with y = z %}{{ y }}{% endwith %}{{ y }}",
            vec!["z", "y"],
        ),
        (
            "{% macro m(p, q=r) %}{{ p }}{{ q }}{{ s }}{{ caller() }}{% endmacro %}{{ m(1) }}",
            vec!["r", "s"],
        ),
        (
            "{% import 'l' as l %}{% from 'k' import f as g %}{{ l.x }}{{ g() }}",
            vec!["f"],
        ),
        (
            "{% set ns = namespace(a=b) %}{% set ns.a = c %}{{ ns.a }}",
            vec!["b", "c"],
        ),
        (
            "{% if q %}{% set v = 1 %}{% else %}{% set v = 2 %}{% endif %}{{ v }}",
            vec!["q"],
        ),
        (
            "{% if q %}{% set v = 1 %}{% elif w %}{% set v = 3 %}{% else %}{% set v = 2 %}{% endif %}{{ v }}",
            vec!["q", "w"],
        ),
        ("{% set t %}{{ u }}{% endset %}{{ t }}", vec!["u"]),
        ("{% set a, b = c %}{{ a }}{{ b }}", vec!["c"]),
        (
            "{{ [x, (y, z)] }}{{ {a: b} }}{{ xs[i:j] }}",
            vec!["x", "y", "z", "a", "b", "xs", "i", "j"],
        ),
        (
            "{{ self.body() }}{% block body %}{{ super() }}{% endblock %}",
            vec![],
        ),
        (
            "{% set v = 1 %}{% for x in xs %}{% block b %}{% set y = 1 %}{{ v }}{{ x }}{{ y }}{% endblock %}{{ x }}{% endfor %}",
            vec!["xs", "v", "x"],
        ),
        (
            "{{ a if b else c }}{{ not d }}{{ 1 < e < f }}",
            vec!["b", "a", "c", "d", "e", "f"],
        ),
    ] {
        assert_eq!(names(&analysed(source)), expected, "{source}");
    }
    let one = analysed("{% if q %}{% set v = 1 %}{% endif %}{{ v }}");
    assert!(one.names[1].maybe_set && one.names[1].name == "v");
    let late = analysed("{% macro m() %}{{ v }}{{ w }}{% endmacro %}{% set v = 1 %}");
    assert_eq!(
        late.names.iter().map(|n| n.maybe_set).collect::<Vec<_>>(),
        [true, false]
    );
    let recursive =
        analysed("{% macro m() %}{{ n() }}{% endmacro %}{% macro n() %}{% endmacro %}{{ m() }}");
    assert!(recursive.functions.is_empty() && recursive.names.iter().all(|n| n.maybe_set));
}

#[test]
fn attributes_of_documents() {
    for (source, expected) in [
        (
            "{% for d in documents %}{{ d.nmae }}{{ d.meta.x }}{% endfor %}",
            vec!["nmae", "meta"],
        ),
        (
            "{{ documents[0].a }}{{ documents | first | attr('x') }}{{ (documents | last).b }}",
            vec!["a", "b"],
        ),
        (
            "{% for c, l in entries | groupby('k') %}{% for e in l | sort(attribute='s, t.u') %}{{ e['q'] }}{% endfor %}{% endfor %}",
            vec!["k", "s", "t", "q"],
        ),
        (
            "{% set x = part | selectattr('m.n') | list %}{{ x | map(attribute='z') | join }}{{ (x | last if y else x | first).w }}",
            vec!["m", "z", "w"],
        ),
        (
            "{% for g in part | groupby('k') %}{{ g.grouper }}{% for d in g.list %}{{ d.v }}{% endfor %}{% endfor %}",
            vec!["k", "v"],
        ),
        (
            "{% for d in facts %}{{ d.anything }}{% endfor %}{% for documents in xs %}{{ documents[0].free }}{% endfor %}",
            vec![],
        ),
    ] {
        let analysis = analysed(source);
        let found: Vec<_> = analysis
            .attributes
            .iter()
            .map(|u| u.name.as_str())
            .collect();
        assert_eq!(found, expected, "{source}");
        for used in &analysis.attributes {
            assert_eq!(&source[used.range.clone()], used.name);
        }
    }
}

#[test]
fn functions_templates_and_literals() {
    let analysis = analysed(
        "{% extends 'base.j2' %}{% include ['a', \"b\"] %}{% include 'c' ignore missing %}{% if exists('x.md', root='home') or exists('y') and loaded('rules') %}{% endif %}{{ nope() }}",
    );
    let used: Vec<_> = analysis
        .templates
        .iter()
        .map(|t| (t.name.as_str(), t.may_be_missing))
        .collect();
    assert_eq!(
        used,
        [("base.j2", false), ("a", true), ("b", true), ("c", true)]
    );
    let asked: Vec<_> = analysis
        .exists
        .iter()
        .map(|e| (e.root.as_str(), e.file.as_str()))
        .collect();
    assert_eq!(asked, [("home", "x.md"), ("workspace", "y")]);
    assert_eq!(analysis.loaded[0].name, "rules");
    assert_eq!(analysis.functions.len(), 4);
    assert!(analysis.problems.is_empty() && analysis.names.is_empty());
    let analysis = analysed(
        "{% include x %}{{ exists(f) }}{{ loaded('a' ~ b) }}{{ exists('a', nope='b') }}{{ loaded() }}",
    );
    assert_eq!(analysis.problems.len(), 5);
    assert!(
        analysis
            .problems
            .iter()
            .all(|p| p.code == LITERAL_REQUIRED && p.range.is_some())
    );
}

fn ways(source: &str) -> Vec<String> {
    let step = |step: &Step| match &step.kind {
        StepKind::Filter { name, .. } => format!("|{name}"),
        StepKind::Item(name) => format!(".{}", name.as_deref().unwrap_or("?")),
        StepKind::Slice { .. } => "[:]".to_owned(),
        StepKind::Each => "*".to_owned(),
        StepKind::Into => "→".to_owned(),
    };
    let analysis = analysed(source);
    let flows = analysis.printed.iter();
    flows
        .map(|flow| flow.name.clone() + &flow.steps.iter().map(step).collect::<String>())
        .collect()
}

#[test]
fn ways_to_the_output() {
    for (source, expected) in [
        (
            "{{ a | upper }}{{ a.b['c'][1:] }}",
            vec!["a|upper", "a.b.c[:]"],
        ),
        (
            "{{ a if b else c }}{{ d and e or f }}",
            vec!["a", "c", "e", "f"],
        ),
        ("{{ a == b }}{{ not c }}{{ d is defined }}", vec![]),
        (
            "{{ a | default(b) | replace('x', c) }}",
            vec!["a|replace", "b|replace", "c→"],
        ),
        ("{% for i in xs %}{{ i }}{% endfor %}", vec!["xs*"]),
        ("{% filter trim %}{{ a }}{% endfilter %}", vec!["a|trim"]),
        (
            "{% set t | upper %}{{ a }}{% endset %}{{ t }}",
            vec!["a|upper"],
        ),
        (
            "{% set b = a %}{% if q %}{% set b = c %}{% endif %}{{ b }}",
            vec!["c", "a"],
        ),
        (
            "{% if q %}{% set b = c %}{% endif %}{{ b }}",
            vec!["c", "b"],
        ),
        (
            "{% set b = a %}{% for i in xs %}{% else %}{% set b = c %}{% endfor %}{{ b }}",
            vec!["c", "a"],
        ),
        (
            "{% set x = a %}{% block k %}{{ x }}{% endblock %}",
            vec!["a", "x"],
        ),
        (
            "{% macro m(p) %}{{ p }}{{ q }}{% endmacro %}{{ m(a) }}",
            vec!["q", "a→"],
        ),
        ("{% from 'k' import f as g %}{{ g }}", vec!["f"]),
        // Every branch is taken, also after an obvious one.
        (
            "{% if false %}{{ a }}{% elif [1] %}{{ b }}{% else %}{{ c }}{% endif %}",
            vec!["a", "b", "c"],
        ),
        (
            "{{ d if 1 == 1 else e }}{{ true or f }}{{ not 1 and g }}",
            vec!["d", "e", "f", "g"],
        ),
        (
            "{% set x = a %}{% for i in [] %}{{ b }}{% set x = i %}{% endfor %}{{ x }}",
            vec!["b", "a"],
        ),
    ] {
        assert_eq!(ways(source), expected, "{source}");
    }
}

#[test]
fn names_that_are_only_tested_and_names_that_are_compared() {
    let source = "{% if a and not b or c is defined %}{{ d if e else f }}{% endif %}{{ g == 'x' and h in ['y', 'z'] }}";
    let analysis = analysed(source);
    let asked = analysis.asked.iter().map(|at| &source[*at..=*at]);
    assert_eq!(asked.collect::<Vec<_>>(), ["a", "b", "c", "e"]);
    let compared = format!("{:?}", analysis.compared);
    assert_eq!(compared, r#"{"g": {"x"}, "h": {"y", "z"}}"#);
}
