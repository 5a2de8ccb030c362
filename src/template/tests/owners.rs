//! Every byte of a render has the owner that it came from.

use super::bench::{Bench, print, shows, template_ingredient};
use crate::manifest::model::FactType;
use crate::prompt::Ingredient;
use crate::template::Part;
use crate::template::fact::FactValue;
use crate::text::{SpanKind, Text, TextBuf};
use serde_json::json;
use std::sync::Arc;

#[test]
fn literals_facts_and_documents_are_exact() {
    let source = "Hello {{ user }},\n{% for d in documents %}## {{ d.name }}\n{{ d.text }}\n{% endfor %}bye {{ content }}";
    let mut bench = Bench::new().template("t", source).string("user", "Zoë");
    let (a, b) = (
        bench.document("a.md", "kurz"),
        bench.document("b.md", "ein langer Text, weit über zweiundzwanzig Bytes"),
    );
    let mut content = TextBuf::default();
    content.push(&a.text);
    content.push_str("\n\n", SpanKind::Join, None, 0);
    content.push(&b.text.slice(4..20));
    let scope = bench
        .scope()
        .with_text("content", content.finish())
        .with_documents("documents", vec![a, b]);
    shows(
        &mut bench,
        "t",
        &scope,
        &[
            "template t \"Hello \"",
            "fact user \"Zoë\"",
            "template t \",\\n\"",
            "template t \"## \"",
            "derived a.md \"a.md\"",
            "template t \"\\n\"",
            "document a.md \"kurz\"",
            "template t \"\\n\"",
            "template t \"## \"",
            "derived b.md \"b.md\"",
            "template t \"\\n\"",
            "document b.md \"ein langer Text, weit über zweiundzwanzig Bytes\"",
            "template t \"\\n\"",
            "template t \"bye \"",
            "document a.md \"kurz\"",
            "join - \"\\n\\n\"",
            "document b.md \"langer Text, wei\"",
        ],
    );
}

#[test]
fn templates_that_extend_and_include_keep_their_own_offsets() {
    let mut bench = Bench::new()
        .template(
            "base",
            "始め [{% block body %}默认{% endblock %}]\n{% include 'inc' %}",
        )
        .template("inc", "included {{ x }}!")
        .template(
            "child",
            "{% extends 'base' %}{% block body %}<{{ super() }}|{{ x }}>{% endblock %}",
        )
        .string("x", "值");
    let scope = bench.scope();
    shows(
        &mut bench,
        "child",
        &scope,
        &[
            "template base \"始め [\"",
            "template child \"<\"",
            "template base \"默认\"",
            "template child \"|\"",
            "fact x \"值\"",
            "template child \">\"",
            "template base \"]\\n\"",
            "template inc \"included \"",
            "fact x \"值\"",
            "template inc \"!\"",
        ],
    );
}

#[test]
fn computed_text_is_derived() {
    let source = "{{ user | upper }}-{% set s %}in {{ user }}{% endset %}{{ s }}-{% macro m(v) %}m {{ v }}{% endmacro %}{{ m(doc) }}-{{ 1 + 1 }}-{{ doc | length }}";
    let mut bench = Bench::new().template("t", source).string("user", "bob");
    let d = bench.document("a.md", "text");
    let scope = bench.scope().with_text("doc", d.text.clone());
    shows(
        &mut bench,
        "t",
        &scope,
        &[
            "derived user \"BOB\"",
            "template t \"-\"",
            "derived user \"in bob\"",
            "template t \"-\"",
            "derived a.md \"m text\"",
            "template t \"-\"",
            "derived t \"2\"",
            "template t \"-\"",
            "derived a.md \"4\"",
        ],
    );
}

#[test]
fn imported_macros_are_derived_and_their_file_is_an_ingredient() {
    let mut bench = Bench::new()
        .template("lib", "{% macro shout(v) %}{{ v | upper }}!{% endmacro %}")
        .template("t", "{% import 'lib' as l %}{{ l.shout(user) }}")
        .string("user", "ann");
    let scope = bench.scope();
    shows(&mut bench, "t", &scope, &["derived user \"ANN!\""]);
    assert!(bench.ingredients.contains(&template_ingredient("lib")));
    assert!(bench.ingredients.contains(&template_ingredient("t")));
}

#[test]
fn numbers_and_dates_are_the_facts_bytes() {
    let mut bench = Bench::new()
        .template("t", "{{ n }} {{ f }} {{ day }} {{ n + 0 }}{{ same }}")
        .fact("n", FactType::Int, json!(42))
        .fact("f", FactType::Float, json!(1.0))
        .fact("day", FactType::Date, json!("2026-03-30"))
        .string("s", "short");
    let value = bench.engine.evaluate("s", &bench.scope()).unwrap();
    bench
        .values
        .insert_let("same", "s", value.value, value.facts);
    let scope = bench.scope();
    let rendered = bench.render("t", &scope).unwrap();
    assert_eq!(rendered.text.as_str(), "42 1.0 2026-03-30 42short");
    let map = bench.map(&rendered.text);
    assert_eq!(map[0], "fact n \"42\"");
    assert_eq!(map[2], "fact f \"1.0\"");
    assert_eq!(map[4], "fact day \"2026-03-30\"");
    assert_eq!(map.last().unwrap(), "fact s \"short\"");
}

#[test]
fn a_let_is_derived_from_its_facts() {
    let mut bench = Bench::new()
        .template("t", "{{ loud }}{{ fixed }}")
        .string("s", "a");
    let loud = bench
        .engine
        .evaluate("s | upper ~ '!'", &bench.scope())
        .unwrap();
    assert_eq!(loud.facts, [Arc::from("s")]);
    bench
        .values
        .insert_let("loud", "s | upper", loud.value, loud.facts);
    let fixed = bench.engine.evaluate("'x' * 3", &bench.scope()).unwrap();
    bench
        .values
        .insert_let("fixed", "'x' * 3", fixed.value, fixed.facts);
    let scope = bench.scope();
    shows(
        &mut bench,
        "t",
        &scope,
        &["derived loud \"A!\"", "derived fixed \"xxx\""],
    );
    let rendered = bench.render("t", &scope).unwrap();
    let read: Vec<&str> = rendered.facts.iter().map(|f| &**f).collect();
    assert_eq!(read, ["loud", "fixed"]);
    let listed = bench.ingredients.iter().take(2);
    let listed: Vec<&Ingredient> = listed.collect();
    let both = ["s", "loud"].map(|name| bench.values.ingredient(name));
    assert_eq!(listed, [&both[0], &both[1]]);
}

#[test]
fn facts_that_only_decide_are_ingredients() {
    let mut bench = Bench::new()
        .template(
            "t",
            "{% if a %}{% endif %}{% if b is defined %}{% endif %}{{ c | default('-') }}",
        )
        .fact("a", FactType::Bool, json!(false))
        .fact("b", FactType::String, json!(null))
        .fact("c", FactType::String, json!(null));
    bench
        .values
        .insert_fact("p", Some(&FactValue::Int(1)), true);
    let scope = bench.scope();
    let rendered = bench.render("t", &scope).unwrap();
    assert_eq!(
        rendered.facts.iter().map(|f| &**f).collect::<Vec<_>>(),
        ["a", "b", "c"]
    );
    let fact = |name: &str, value| Ingredient::Fact {
        name: name.to_owned(),
        value,
        private: false,
    };
    for expected in [
        fact("a", Some(json!(false).into())),
        fact("b", None),
        fact("c", None),
    ] {
        assert!(bench.ingredients.contains(&expected), "{expected:?}");
    }
    let private = Ingredient::Fact {
        name: "p".to_owned(),
        value: None,
        private: true,
    };
    assert_eq!(bench.values.ingredient("p"), private);
}

#[test]
fn parts_print_their_text_and_iterate_their_documents() {
    let source = "{% if p %}{{ p }}{% endif %}|{{ p | length }}|{% for d in p %}{{ d.text }}{% endfor %}|{{ p | trim }}|{% if e %}no{% endif %}|{{ p[0].path }}|{{ p | map(attribute='name') | join(',') }}|{{ p ~ '' }}|{{ p | json }}";
    let mut bench = Bench::new().template("t", source);
    let d = bench.document("a.md", " body ");
    let part = Part {
        text: d.text.clone(),
        documents: vec![d],
    };
    let scope = bench
        .scope()
        .with_part("p", part)
        .with_part("e", Part::default());
    let rendered = bench.render("t", &scope).unwrap();
    assert_eq!(
        rendered.text.as_str(),
        " body |1| body |body||a.md|a.md| body |\" body \""
    );
    let map = bench.map(&rendered.text);
    assert_eq!(map[0], "document a.md \" body \"");
    assert!(map.contains(&"derived a.md \"body\"".to_owned()));
}

#[test]
fn a_document_and_a_fact_with_one_buffer_keep_apart() {
    let shared: Arc<str> = "shared text".into();
    let mut bench = Bench::new().template("t", "{{ f }}|{{ content }}|{{ f }}");
    bench
        .values
        .insert_fact("f", Some(&FactValue::String(shared.clone())), false);
    let index = bench.ingredients.intern(bench.values.ingredient("f"));
    let scope = bench
        .scope()
        .with_text("content", Text::new(shared, SpanKind::Fact, Some(index), 0));
    let rendered = bench.render("t", &scope).unwrap();
    assert_eq!(
        rendered.text.as_str(),
        "shared text|shared text|shared text"
    );
}

#[test]
fn locals_hide_attributes_hide_facts() {
    let mut bench = Bench::new()
        .template(
            "t",
            "{{ name }} {{ total }} {{ text }} {{ other }} {{ label }}",
        )
        .string("other", "fact")
        .string("name", "hidden");
    let d = bench.document("a.md", "text");
    let scope = bench
        .scope()
        .with_document(d)
        .with_number("total", 7)
        .with_string("label", "own");
    let rendered = bench.render("t", &scope).unwrap();
    assert_eq!(rendered.text.as_str(), "a.md 7 text fact own");
    assert_eq!(bench.map(&rendered.text)[4], "document a.md \"text\"");
}

#[test]
fn rendering_twice_gives_the_same() {
    let source = "{% for k, v in m | dictsort %}{{ k }}={{ v }};{% endfor %}{{ m | json }}";
    let mut bench = Bench::new().template("t", source).fact(
        "m",
        FactType::Map,
        json!({"b": 1, "B": 2, "a": "x", "é": 0.5}),
    );
    let scope = bench.scope();
    let first = bench.render("t", &scope).unwrap();
    assert_eq!(
        first.text.as_str(),
        "B=2;a=x;b=1;é=0.5;{\"B\":2,\"a\":\"x\",\"b\":1,\"é\":0.5}"
    );
    for _ in 0..20 {
        assert_eq!(bench.render("t", &scope).unwrap().text, first.text);
    }
}

#[test]
fn layout_of_tags() {
    assert_eq!(
        print("a\n  {% if true %}\n  b\n  {% endif %}\nc\n").unwrap(),
        "a\n  b\nc\n"
    );
    assert_eq!(print("x\n").unwrap(), "x\n");
    assert_eq!(print("{{ '<&>' }}").unwrap(), "<&>");
}
