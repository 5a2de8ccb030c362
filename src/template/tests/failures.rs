//! Failures of running or reading, and their reported positions.

use super::bench::{Bench, fails, template_ingredient};
use crate::diagnostic::{
    EXPRESSION_SYNTAX, TEMPLATE_SYNTAX, UNDEFINED_VALUE, UNKNOWN_ATTRIBUTE, UNPRINTABLE_VALUE,
};
use crate::manifest::model::FactType;
use crate::template::Engine;
use serde_json::json;

#[test]
fn missing_values_may_be_tested_and_nothing_else() {
    let mut bench = Bench::new().fact("m", FactType::String, json!(null));
    let run = |bench: &mut Bench, source: &str| {
        bench
            .engine
            .add_template("t", source, template_ingredient("t"))
            .unwrap();
        bench.templates.insert("t".to_owned(), source.to_owned());
        let scope = bench.scope();
        bench
            .render("t", &scope)
            .map(|r| r.text.as_str().to_owned())
    };
    for (source, expected) in [
        ("{% if m %}x{% endif %}", ""),
        ("{{ m | default('d') }}", "d"),
        ("{{ m is defined and m }}{{ '' }}", "!"),
        ("{{ 'a' if not m else 'b' }}", "a"),
        ("{{ 'x' if m }}", ""),
        ("{{ m or 'z' }}", "z"),
    ] {
        if expected != "!" {
            assert_eq!(run(&mut bench, source).unwrap(), expected, "{source}");
        }
    }
    for source in [
        "{{ m }}",
        "{{ m | upper }}",
        "{{ m | join(',') }}",
        "{{ m | length }}",
        "{{ m | json }}",
        "{{ m | xml }}",
        "{{ m | first }}",
        "{{ m ~ 'x' }}",
        "{{ m.x }}",
        "{% for x in m %}{% endfor %}",
        "{{ 1 if m == 'x' }}",
        "{{ m | string }}",
        "{{ m | sort | join }}",
        "{{ m | map('upper') | join }}",
        "{{ 1 if 'a' in m }}",
        "{{ m | date('%Y') }}",
        "{{ m | thousands }}",
        "{{ m | bullet }}",
        "{{ 'x' if m is containing_any(['a']) }}",
    ] {
        let failure = run(&mut bench, source).unwrap_err();
        assert_eq!(failure.code, UNDEFINED_VALUE, "{source}: {failure:?}");
        assert!(failure.range.is_some(), "{source}");
        assert_eq!(failure.template.as_deref(), Some("t"));
    }
    let failure = run(&mut bench, "ab {{ m }} c").unwrap_err();
    assert_eq!(
        (failure.message.as_str(), failure.range.clone()),
        ("`m` is missing", Some(6..7))
    );
}

#[test]
fn unprintable_values_have_a_hint() {
    for (source, part) in [
        ("{{ true }}", "a boolean does not print by itself"),
        ("{{ none }}", "none does not print"),
        ("{{ [1] }}", "a list does not print"),
        ("{{ {'a': 1} }}", "a map does not print"),
        ("{{ range }}", "an object does not print"),
        ("{{ range | string }}", "an object does not print"),
        ("{{ [true] | join }}", "a boolean"),
        ("{{ [1] | upper }}", "a list"),
        ("{{ [[1]] | bullet }}", "a list"),
    ] {
        let failure = fails(source);
        assert_eq!(failure.code, UNPRINTABLE_VALUE, "{source}: {failure:?}");
        assert!(failure.message.contains(part), "{source}: {failure:?}");
        assert!(failure.help.is_some());
    }
    let mut bench = Bench::new().template("t", "{{ documents[0] }}");
    let d = bench.document("a.md", "x");
    let scope = bench.scope().with_documents("documents", vec![d]);
    let failure = bench.render("t", &scope).unwrap_err();
    assert_eq!(failure.code, UNPRINTABLE_VALUE);
    assert!(failure.help.as_ref().unwrap().contains(".text"));
}

#[test]
fn documents_have_their_attributes_only() {
    let mut bench = Bench::new();
    let (a, b) = (bench.document("a.md", "x"), bench.document("b.md", "y"));
    let scope = bench.scope().with_documents("documents", vec![a, b]);
    for source in [
        "documents[0].nmae",
        "documents[0]['nmae']",
        "documents | map(attribute='nmae') | join",
        "documents | sort(attribute='nmae') | length",
        "documents | sort(attribute='name,nmae') | length",
        "documents | groupby('nmae') | length",
        "documents | unique(attribute='nmae') | length",
        "documents | min(attribute='nmae')",
        "documents | selectattr('nmae') | length",
        "documents | rejectattr('nmae', 'eq', 1) | length",
        "documents | join(',', 'nmae')",
        "documents[0] | attr('nmae')",
    ] {
        let failure = bench.engine.evaluate(source, &scope).unwrap_err();
        assert_eq!(failure.code, UNKNOWN_ATTRIBUTE, "{source}: {failure:?}");
        assert_eq!(failure.help.as_deref(), Some("did you mean `name`?"));
    }
    for (source, expected) in [
        ("documents | map(attribute='meta.deep.n') | join", "33"),
        ("documents | selectattr('meta.none') | list | length", "0"),
        (
            "documents | sort(attribute='name', reverse=true) | map(attribute='text') | join",
            "yx",
        ),
        ("documents | unique | list | length", "2"),
        ("(documents | sort | first).name", "a.md"),
        ("'y' if documents[0] == documents[0]", "y"),
        ("'n' if documents[0] == documents[1] else 'y'", "y"),
        ("documents[0].meta.nothing | default('-')", "-"),
    ] {
        let value = bench.engine.evaluate(source, &scope).unwrap().value;
        assert_eq!(value.to_string(), expected, "{source}");
    }
}

#[test]
fn syntax_errors_have_a_place() {
    let engine = &mut Engine::new();
    let failure = engine
        .add_template("a.j2", "ok\n{% if x %}", template_ingredient("a"))
        .unwrap_err();
    assert_eq!(
        (failure.code, failure.template.as_deref()),
        (TEMPLATE_SYNTAX, Some("a.j2"))
    );
    let failure = engine.compile("a ==").unwrap_err();
    assert_eq!(failure.code, EXPRESSION_SYNTAX);
    assert!(failure.range.is_some() && failure.template.is_none());
}

#[test]
fn an_error_in_an_included_template_points_there() {
    let mut bench = Bench::new()
        .template("t", "long enough a text\n{% include 'u' %}")
        .template("u", "a {{ missing.x }}");
    let scope = bench.scope();
    let failure = bench.render("t", &scope).unwrap_err();
    assert_eq!(
        (failure.template.as_deref(), failure.range.clone()),
        (Some("u"), Some(5..14))
    );
}
