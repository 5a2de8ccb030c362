use super::*;
use crate::diagnostic::*;
use crate::document::Document;
use crate::fact::FactValue;
use crate::manifest::model::{FactType, Program};
use crate::prompt::{Ingredient, Ingredients, sha256};
use crate::span::Files;
use crate::text::{SpanKind, Text, TextBuf};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const SECRET: &str = "hunter2-Zürich-密码-do-not-show";

fn template_ingredient(name: &str) -> Ingredient {
    Ingredient::Template {
        file: name.to_owned(),
        line: None,
        sha256: sha256(name),
    }
}

/// A run: templates, facts, documents, and the source text of each document ingredient.
struct Bench {
    engine: Engine,
    values: Values,
    ingredients: Ingredients,
    sources: BTreeMap<u32, String>,
    templates: BTreeMap<String, String>,
}

impl Bench {
    fn new() -> Self {
        Self {
            engine: Engine::new(),
            values: Values::default(),
            ingredients: Ingredients::default(),
            sources: BTreeMap::new(),
            templates: BTreeMap::new(),
        }
    }

    fn template(mut self, name: &str, source: &str) -> Self {
        let ingredient = template_ingredient(name);
        self.engine.add_template(name, source, ingredient).unwrap();
        self.templates.insert(name.to_owned(), source.to_owned());
        self
    }

    fn fact(mut self, name: &str, kind: FactType, json: serde_json::Value) -> Self {
        let value = FactValue::from_json(kind, &json).unwrap();
        self.values.insert_fact(name, value.as_ref(), false);
        self
    }

    fn string(self, name: &str, text: &str) -> Self {
        self.fact(name, FactType::String, json!(text))
    }

    fn scope(&self) -> Scope {
        Scope::new(Arc::new(self.values.clone()))
    }

    /// A document whose text is its file without two bytes at the front, so that offsets are not all 0.
    fn document(&mut self, path: &str, text: &str) -> Arc<Document> {
        let file = format!("# {text}");
        let index = self.ingredients.add(Ingredient::Document {
            root: "workspace".to_owned(),
            path: path.to_owned(),
            name: path.to_owned(),
            sha256: sha256(&file),
            bytes: file.len(),
            chars: file.chars().count(),
            kept: 0,
            dropped: 0,
            imported_by: None,
            item: None,
            findings: Vec::new(),
        });
        self.sources.insert(index, file);
        let shared = |s: &str| -> Arc<str> { s.into() };
        Arc::new(Document {
            name: shared(path),
            path: shared(path),
            dir: shared(""),
            location: shared(path),
            root: shared("workspace"),
            root_index: 0,
            label: shared(path),
            own_label: None,
            about: Text::new("what it is about", SpanKind::Derived, Some(index), 0),
            text: Text::new(text, SpanKind::Document, Some(index), 2),
            meta: BTreeMap::from([
                ("kind".to_owned(), json!("rule")),
                ("deep".to_owned(), json!({"n": 3})),
            ]),
            meta_texts: BTreeMap::new(),
            total: text.chars().count(),
            truncated: false,
            replaced: false,
            entry: None,
            ingredient: Some(index),
        })
    }

    fn render(&mut self, name: &str, scope: &Scope) -> Result<Rendered, Failure> {
        let rendered = self.engine.render(name, scope, &mut self.ingredients)?;
        self.verify(&rendered.text);
        Ok(rendered)
    }

    /// Every run's bytes are those of its ingredient at its offset, and the runs tile the text.
    fn verify(&self, text: &Text) {
        let mut at = 0;
        for run in text.runs() {
            assert!(run.len > 0);
            let bytes = &text.as_str()[at..at + run.len];
            at += run.len;
            let source = match (run.kind, run.ingredient) {
                (SpanKind::Document, Some(i)) => self.sources[&i].clone(),
                (SpanKind::Fact, Some(i)) => match &self.ingredients.as_slice()[i as usize] {
                    Ingredient::Fact { name, .. } => self
                        .values
                        .get(name)
                        .unwrap()
                        .printed()
                        .unwrap()
                        .to_string(),
                    other => panic!("{other:?} is no fact"),
                },
                (SpanKind::Template, Some(i)) => match &self.ingredients.as_slice()[i as usize] {
                    Ingredient::Template { file, .. } => self.templates[file].clone(),
                    other => panic!("{other:?} is no template"),
                },
                (SpanKind::Join, _) => continue,
                (SpanKind::Derived, i) => {
                    assert!((i.unwrap() as usize) < self.ingredients.as_slice().len());
                    continue;
                }
                other => panic!("{other:?} without an ingredient"),
            };
            assert_eq!(&source[run.offset..run.offset + run.len], bytes);
        }
        assert_eq!(at, text.as_str().len());
    }

    /// The runs as `kind name text`.
    fn map(&self, text: &Text) -> Vec<String> {
        let mut at = 0;
        let mut out = Vec::new();
        for run in text.runs() {
            let bytes = &text.as_str()[at..at + run.len];
            at += run.len;
            let of = run
                .ingredient
                .map(|i| &self.ingredients.as_slice()[i as usize]);
            let of = match of {
                Some(Ingredient::Document { path, .. }) => path.as_str(),
                Some(Ingredient::Fact { name, .. } | Ingredient::Let { name, .. }) => name.as_str(),
                Some(Ingredient::Template { file, .. }) => file.as_str(),
                _ => "-",
            };
            let kind = serde_json::to_string(&run.kind).unwrap();
            out.push(format!("{} {of} {bytes:?}", kind.trim_matches('"')));
        }
        out
    }
}

fn shows(bench: &mut Bench, template: &str, scope: &Scope, expected: &[&str]) {
    let rendered = bench.render(template, scope).unwrap();
    assert_eq!(
        bench.map(&rendered.text),
        expected,
        "{:?}",
        rendered.text.as_str()
    );
}

/// Renders a template that stands alone.
fn print(source: &str) -> Result<String, Failure> {
    let mut bench = Bench::new().template("t", source);
    let scope = bench.scope();
    Ok(bench.render("t", &scope)?.text.as_str().to_owned())
}

fn fails(source: &str) -> Failure {
    print(source).unwrap_err()
}

// The map

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
fn what_the_engine_makes_is_derived() {
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
    assert!(
        bench
            .ingredients
            .as_slice()
            .contains(&template_ingredient("lib"))
    );
    assert!(
        bench
            .ingredients
            .as_slice()
            .contains(&template_ingredient("t"))
    );
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
    assert_eq!(read, ["s", "loud", "fixed"]);
    let behind = bench.values.read_with("loud");
    assert_eq!(behind, [Arc::from("s"), Arc::from("loud")]);
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
        fact("a", Some(json!(false))),
        fact("b", None),
        fact("c", None),
    ] {
        assert!(
            bench.ingredients.as_slice().contains(&expected),
            "{expected:?}"
        );
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

/// Pieces of templates, put together at random: whatever they make, the runs tile it and hold their owners' bytes.
const PIECES: &[&str] = &[
    "plain ",
    "文字\n",
    "{{ s }}",
    "{{ n }}",
    "{{ long }}",
    "{{ day }}",
    "{{ content }}",
    "{{ p }}",
    "{{ a_let }}",
    "{{ s | upper }}",
    "{{ content | trim }}",
    "{{ n + 1 }}",
    "{{ s ~ n }}",
    "{% if n %}yes{% endif %}",
    "{% for d in documents %}{{ d.name }}: {{ d.text }}\n{% endfor %}",
    "{% set v = s %}{{ v }}",
    "{% set w %}{{ content }}{% endset %}{{ w }}",
    "{% include 'inc' %}",
    "{{ documents[0].text }}",
    "{% for c in s %}{{ c }}{% endfor %}",
    "{{ p[0].about }}",
    "{{ long[2:9] }}",
    "{{ documents | length }}",
    "{{ documents | map(attribute='text') | join('+') }}",
    "{{ 'const' }}",
    "{% raw %}{{ raw }}{% endraw %}",
    "{% with t = documents | last %}{{ t.text }}{{ t.root }}{% endwith %}",
    "{{ missing | default(s) }}",
    "{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(long) }}",
    "{{- s -}}",
    "  {%- if true -%} x {%- endif %}",
    "{% call(z) k() %}{{ z }}{% endcall %}",
    "{{ documents[1].chars }}",
    "{{ f }}",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]
    #[test]
    fn runs_tile_and_match_whatever_the_template(picks in proptest::collection::vec(0..PIECES.len(), 0..12)) {
        let source = picks.iter().fold("{% macro k() %}{{ caller('c') }}{% endmacro %}".to_owned(), |t, i| t + PIECES[*i]);
        let mut bench = Bench::new()
            .template("inc", "[included {{ s }}]")
            .template("t", &source)
            .string("s", "kurz")
            .string("long", "a fact of more than twenty-two bytes, é")
            .fact("n", FactType::Int, json!(5))
            .fact("f", FactType::Float, json!(2.5))
            .fact("day", FactType::Date, json!("2026-03-30"))
            .fact("missing", FactType::String, json!(null));
        let value = bench.engine.evaluate("s ~ '-' ~ s", &bench.scope()).unwrap();
        bench.values.insert_let("a_let", "x", value.value, value.facts);
        let (a, b) = (bench.document("a.md", " erstes 文 "), bench.document("b.md", "5"));
        let mut content = TextBuf::default();
        content.push(&a.text);
        content.push_str("\n", SpanKind::Join, None, 0);
        content.push(&b.text);
        let part = Part { text: b.text.clone(), documents: vec![b.clone(), a.clone()] };
        let scope = bench.scope().with_text("content", content.finish()).with_documents("documents", vec![a, b]).with_part("p", part);
        let first = bench.render("t", &scope).unwrap();
        let second = bench.render("t", &scope).unwrap();
        assert_eq!(first.text, second.text);
        assert_eq!(first.facts, second.facts);
    }
}

// Filters

fn expr(source: &str) -> String {
    print(&format!("{{{{ {source} }}}}")).unwrap()
}

#[test]
fn date_is_strftime_in_english() {
    assert_eq!(
        expr("'2026-03-30' | date('%A, %B %d, %Y')"),
        "Monday, March 30, 2026"
    );
    assert_eq!(
        expr("'2026-11-21T10:00:00+00:00' | date('%Y-%m-%d %H:%M')"),
        "2026-11-21 10:00"
    );
    assert_eq!(
        expr("'2026-11-21T10:00:00-05:30' | date('%z %:z %e %j %-d %%')"),
        "-0530 -05:30 21 325 21 %"
    );
    assert_eq!(
        expr("'2026-11-21T10:00:00' | date('%c|%x|%X|%p')"),
        "Sat Nov 21 10:00:00 2026|11/21/26|10:00:00|AM"
    );
    for bad in [
        "'2026-03-30' | date('%H')",
        "'x' | date('%Y')",
        "'2026-11-21T10:00:00' | date('%z')",
        "true | date('%Y')",
    ] {
        assert!(
            matches!(
                fails(&format!("{{{{ {bad} }}}}")).code,
                TEMPLATE_FAILED | UNPRINTABLE_VALUE
            ),
            "{bad}"
        );
    }
    assert_eq!(
        fails("{{ '2026-03-30' | date('%Q') }}").code,
        TEMPLATE_FAILED
    );
}

#[test]
fn numbers_in_words_of_people() {
    for (source, expected) in [
        ("1234 | thousands", "1,234"),
        ("999 | thousands", "999"),
        ("-1234567 | thousands", "-1,234,567"),
        ("1234.5 | thousands", "1,234.5"),
        ("0 | thousands", "0"),
        ("1 | percent(3)", "33"),
        ("5 | percent(3)", "100"),
        ("5 | percent(0)", "0"),
        ("5 | percent(-1)", "0"),
        ("0 | percent(10)", "0"),
        ("-5 | percent(10)", "-50"),
        ("7 / 2", "3.5"),
        ("6 / 2", "3.0"),
        ("7 // 2", "3"),
        ("1e21", "1000000000000000000000.0"),
        ("0.1 + 0.2", "0.30000000000000004"),
        (
            "170141183460469231731687303715884105727",
            "170141183460469231731687303715884105727",
        ),
    ] {
        assert_eq!(expr(source), expected, "{source}");
    }
    assert_eq!(
        fails("{{ 'x' | thousands }}").message,
        "`thousands` takes a number, and this is text"
    );
    assert_eq!(fails("{{ 1 / 0 }}").code, TEMPLATE_FAILED);
}

#[test]
fn texts_for_machines() {
    assert_eq!(
        expr(r#""<a href='x'>&\"" | xml"#),
        "&lt;a href=&#x27;x&#x27;&gt;&amp;&quot;"
    );
    assert_eq!(expr("'x' | fence"), "```\nx\n```");
    assert_eq!(expr("'x\n' | fence('rust')"), "```rust\nx\n```");
    assert_eq!(
        expr("'a ```` b' | fence(lang='md')"),
        "`````md\na ```` b\n`````"
    );
    assert_eq!(expr("'' | fence"), "```\n```");
    assert_eq!(fails("{{ 'x' | fence('`') }}").code, TEMPLATE_FAILED);
    assert_eq!(
        expr("'a\u{200b}\u{202e}b\tc\nd\u{2028}\u{2029}\u{feff}é\u{ad}' | sanitize"),
        "abcdé"
    );
    assert_eq!(
        expr(r#"{'b': [1, 1.0, none, true], 'a': '</é"\u0001>'} | json"#),
        r#"{"a":"</é\"\u0001>","b":[1,1.0,null,true]}"#
    );
    assert_eq!(expr("'' | json"), "\"\"");
    assert_eq!(expr("'a\nb' | numbered"), "1: a\n2: b");
    assert_eq!(
        expr("'1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n' | numbered"),
        " 1: 1\n 2: 2\n 3: 3\n 4: 4\n 5: 5\n 6: 6\n 7: 7\n 8: 8\n 9: 9\n10: 10\n"
    );
    assert_eq!(expr("'' | numbered"), "");
    assert_eq!(expr("['a', 'b\nc', 3] | bullet"), "- a\n- b\n  c\n- 3");
    assert_eq!(expr("[] | bullet"), "");
    assert_eq!(expr("'x' | bullet"), "- x");
}

#[test]
fn order_is_that_of_code_points() {
    for (source, expected) in [
        ("['b', 'A', 'a', 'B'] | sort | join", "ABab"),
        ("['b', 'A', 'a'] | sort(reverse=true) | join", "baA"),
        ("['b', 'A', 'a'] | sort(case_sensitive=false) | join", "Aab"),
        ("['a', 'A', 'a'] | unique | join", "aA"),
        ("['a', 'A', 'a'] | unique(case_sensitive=false) | join", "a"),
        ("['b', 'A'] | min", "A"),
        ("['a', 'B'] | max", "a"),
        ("{'b': 1, 'B': 2} | dictsort | map('first') | join", "Bb"),
        (
            "{'b': 1, 'B': 2} | dictsort(by='value') | map('first') | join",
            "bB",
        ),
        (
            "[{'k': 'a'}, {'k': 'A'}] | groupby('k') | map('first') | join",
            "Aa",
        ),
        (
            "[{'k': 2}, {'x': 1}, {'k': 1}] | sort(attribute='k') | map(attribute='k', default='-') | join",
            "-12",
        ),
        (
            "[{'k': 'b', 'n': 1}, {'k': 'a', 'n': 2}] | sort(attribute='k,n') | map(attribute='n') | join",
            "21",
        ),
    ] {
        assert_eq!(expr(source), expected, "{source}");
    }
}

#[test]
fn our_tests() {
    for (source, expected) in [
        ("'gemini-3' is containing_any(['gemma', 'gemini'])", true),
        ("'x' is containing_any([])", false),
        ("['a', 'b'] is containing_any(['b'])", true),
        ("['ab'] is containing_any(['b'])", false),
        ("true is number", false),
        ("1.5 is number", true),
        ("'1' is number", false),
    ] {
        let value = Engine::new().evaluate(source, &Scope::default()).unwrap();
        assert_eq!(value.is_true(), expected, "{source}");
    }
    assert_eq!(
        fails("{{ 1 if 'x' is containing_any('x') }}").code,
        TEMPLATE_FAILED
    );
}

#[test]
fn functions_answer_from_their_tables() {
    let bench = Bench::new();
    let exists = BTreeMap::from([
        (("workspace".to_owned(), "a.md".to_owned()), true),
        (("home".to_owned(), "a.md".to_owned()), false),
    ]);
    let scope = bench
        .scope()
        .with_exists(Arc::new(exists))
        .with_loaded(Arc::new(BTreeMap::from([("rules".to_owned(), true)])));
    let ask = |e: &str| bench.engine.evaluate(e, &scope).map(|v| v.is_true());
    assert_eq!(ask("exists('a.md')"), Ok(true));
    assert_eq!(ask("exists('a.md', root='home')"), Ok(false));
    assert_eq!(ask("exists('a.md', 'home')"), Ok(false));
    assert_eq!(
        ask("loaded('rules') and range(3) | list | length == 3"),
        Ok(true)
    );
    assert_eq!(ask("exists('b.md')").unwrap_err().code, LITERAL_REQUIRED);
    assert_eq!(ask("loaded('x')").unwrap_err().code, LITERAL_REQUIRED);
    assert_eq!(ask("debug()").unwrap_err().code, UNKNOWN_FUNCTION);
}

#[test]
fn an_expression_compiled_once_serves_many_documents() {
    let mut bench = Bench::new().string("wanted", "b.md");
    let documents: Vec<_> = (0..50)
        .map(|i| bench.document(if i % 2 == 0 { "a.md" } else { "b.md" }, "t"))
        .collect();
    let compiled = bench
        .engine
        .compile("name == wanted and meta.kind == 'rule' and chars < 5")
        .unwrap();
    let kept = documents.iter().filter(|d| {
        compiled
            .evaluate(&bench.scope().with_document((*d).clone()))
            .unwrap()
            .is_true()
    });
    assert_eq!(kept.count(), 25);
}

// Errors

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
fn what_does_not_print_says_what_to_write() {
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
fn everything_ends() {
    for source in [
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% include 't' %}",
        "{% for a in range(100000) %}{% for b in range(100000) %}{{ a }}{% endfor %}{% endfor %}",
        "{% for a in range(1000000000) %}{% endfor %}",
        "{{ 'x' * 1000000000 }}",
        "{% set b = 'x' * 90000000 %}{{ b }}",
        "{% set b = 'x' * 9000000 %}{% set c %}{% for i in range(99) %}{{ b }}{% endfor %}{% endset %}",
        "{% set ns = namespace(x=1) %}{% for i in range(100000) recursive %}{{ loop([1]) }}{% endfor %}",
        "{{ 'x' | indent(100000000) }}",
        "{{ [1] | batch(100000000, 2) | length }}",
        "{% extends 't' %}",
    ] {
        let failure = fails(source);
        assert_eq!(failure.code, TEMPLATE_LIMIT, "{source}: {failure:?}");
    }
}

#[test]
fn deep_programs_are_refused_before_they_are_read() {
    let deep = [
        "not ".repeat(200_000) + "x",
        "-".repeat(200_000) + "1",
        "(".repeat(200_000) + "1",
        "1".to_owned() + &" + 1".repeat(200_000),
        "x".to_owned() + &".a".repeat(200_000),
        "x".to_owned() + &"|upper".repeat(100_000),
        "x".to_owned() + &"[0]".repeat(100_000),
        "1 if 1 else ".repeat(80_000) + "1",
        "x".to_owned() + &" is true".repeat(80_000),
    ];
    for source in &deep {
        let failure = Engine::new().compile(source).unwrap_err();
        assert_eq!(failure.code, EXPRESSION_SYNTAX);
        assert_eq!(
            analyse::expression(source, &BTreeSet::new())
                .unwrap_err()
                .code,
            EXPRESSION_SYNTAX
        );
        assert_eq!(
            analyse::template(&format!("{{{{ {source} }}}}"), &BTreeSet::new())
                .unwrap_err()
                .code,
            TEMPLATE_SYNTAX
        );
    }
    let branches = "{% if a %}".to_owned() + &"{% elif a %}".repeat(80_000) + "{% endif %}";
    assert_eq!(
        analyse::template(&branches, &BTreeSet::new())
            .unwrap_err()
            .code,
        TEMPLATE_SYNTAX
    );
    let nested = "{% if a %}".repeat(100_000);
    assert_eq!(
        analyse::template(&nested, &BTreeSet::new())
            .unwrap_err()
            .code,
        TEMPLATE_SYNTAX
    );
    let most = "1".to_owned() + &" + 1".repeat(499);
    assert_eq!(
        Engine::new()
            .evaluate(&most, &Scope::default())
            .unwrap()
            .value
            .to_string(),
        "500"
    );
    let many = "x".to_owned() + &"{{ 1 }}".repeat(100_000);
    assert!(print(&many).is_ok());
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

#[test]
fn no_message_holds_a_value() {
    let mut bench = Bench::new()
        .string("secret", SECRET)
        .fact("list", FactType::List, json!([SECRET, 1, {SECRET: SECRET}]))
        .fact("map", FactType::Map, json!({SECRET: SECRET}));
    bench
        .values
        .insert_fact("private", Some(&FactValue::String(SECRET.into())), true);
    let document = bench.document(SECRET, SECRET);
    let part = Part {
        text: document.text.clone(),
        documents: vec![document.clone()],
    };
    let scope = bench
        .scope()
        .with_documents("documents", vec![document.clone()])
        .with_part("p", part)
        .with_text("content", document.text.clone());
    let programs = [
        "list",
        "map",
        "p.name",
        "documents[0]",
        "documents",
        "secret.x.y",
        "secret | nofilter",
        "secret is notest",
        "secret()",
        "nothing(secret)",
        "secret.upper()",
        "secret + 1",
        "secret - 1",
        "secret * secret",
        "-secret",
        "secret | int",
        "secret | float",
        "secret | round",
        "secret | abs",
        "secret | thousands",
        "secret | date('%Y')",
        "'2026-03-30' | date(secret)",
        "secret | percent(2)",
        "1 | percent(secret)",
        "secret | sum",
        "list | sum",
        "secret | dictsort",
        "secret | items",
        "secret | batch(secret)",
        "list | join",
        "list | bullet",
        "map | upper",
        "secret | replace(secret)",
        "secret | sort(nope=secret)",
        "secret | default(1, 2, 3)",
        "secret | attr(secret)",
        "list | map(secret) | list",
        "list | select(secret) | list",
        "documents | map(attribute=secret) | join",
        "documents | sort(attribute=secret) | list",
        "documents[0][secret]",
        "documents[secret].x.y",
        "exists(secret)",
        "loaded(secret)",
        "range(secret)",
        "dict(secret)",
        "namespace(secret)",
        "secret | fence(secret ~ '`')",
        "secret in 5",
        "5 in 6",
        "list[secret].x",
        "map[secret].x.y",
        "secret | json(secret)",
        "documents | json",
        "secret | indent(secret)",
        "secret | split(1, 2, 3, 4)",
        "secret is containing_any(secret)",
        "list | min(x=1)",
        "secret | slice(0)",
        "secret is divisibleby(secret) is x",
        "private | thousands",
        "private.x.y",
        "content.x.y",
        "content | thousands",
        "p | thousands",
        "(secret * 100000000)",
        "list | zip(5)",
        "secret is in(5)",
        "1 / 0",
        "list | first | date('%Y')",
        "secret == nothing",
        "nothing ~ secret",
        "secret[nothing].x",
    ];
    for source in programs {
        for template in [
            format!("{{{{ {source} }}}}"),
            format!("{{% for a, b in [{source}] %}}{{% endfor %}}"),
            format!("{{% include {source} %}}"),
        ] {
            bench
                .engine
                .add_template("t", template.as_str(), template_ingredient("t"))
                .unwrap();
            if let Err(failure) = bench
                .engine
                .render("t", &scope, &mut Ingredients::default())
            {
                assert!(
                    !format!("{failure:?}").contains(SECRET),
                    "{template}: {failure:?}"
                );
                assert!(
                    !format!("{failure:?}").contains("hunter2"),
                    "{template}: {failure:?}"
                );
                assert!(
                    failure.range.is_some() || failure.code == TEMPLATE_LIMIT,
                    "{template}: {failure:?}"
                );
            }
        }
        if let Err(failure) = bench.engine.evaluate(source, &scope) {
            assert!(
                !format!("{failure:?}").contains("hunter2"),
                "{source}: {failure:?}"
            );
        }
    }
}

// Analysis

fn lists(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

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

fn codes(source: &str, known: &Known) -> Vec<String> {
    let mut files = Files::default();
    let file = files.add("t.j2", source);
    let program = Program::File {
        file,
        text: source.into(),
    };
    let mut diagnostics = Diagnostics::default();
    analyse::template(source, &known.document_lists)
        .unwrap()
        .check(known, &program, &mut diagnostics);
    diagnostics
        .iter()
        .map(|d| {
            let fix = d.suggestion.as_ref().map_or(String::new(), |s| {
                let mut fixed = source.to_owned();
                fixed.replace_range(s.span.range(), &s.text);
                format!(" -> {fixed}")
            });
            format!("{} {}{fix}", d.code.name, &source[d.span.unwrap().range()])
        })
        .collect()
}

#[test]
fn checks_point_and_suggest() {
    let known = Known {
        names: lists(&["user_name", "documents", "tools"]).into(),
        document_lists: lists(&["documents"]),
        exists: true,
        loaded: false,
        ..Known::default()
    };
    for (source, expected) in [
        (
            "{{ user_nmae | uper }}",
            vec![
                "unknown-name user_nmae -> {{ user_name | uper }}",
                "unknown-filter uper -> {{ user_nmae | upper }}",
            ],
        ),
        (
            "{{ 1 if tools is squence }}",
            vec!["unknown-test squence -> {{ 1 if tools is sequence }}"],
        ),
        (
            "{{ documents | map(attribute='naem') | join }}",
            vec!["unknown-attribute naem -> {{ documents | map(attribute='name') | join }}"],
        ),
        (
            "{{ exits('x') }}",
            vec!["unknown-function exits -> {{ exists('x') }}"],
        ),
        ("{{ loaded('x') }}", vec!["function-not-here loaded"]),
        (
            "{% include user_name %}",
            vec!["literal-required user_name"],
        ),
        (
            "{{ tools | tojson }}",
            vec!["unknown-filter tojson -> {{ tools | json }}"],
        ),
        (
            "{{ tools | map('uper') | select('oddd') | list }}",
            vec![
                "unknown-filter uper -> {{ tools | map('upper') | select('oddd') | list }}",
                "unknown-test oddd -> {{ tools | map('uper') | select('odd') | list }}",
            ],
        ),
        ("{% if tools %}{% set v = 1 %}{% endif %}{{ v }}", vec![]),
    ] {
        assert_eq!(codes(source, &known), expected, "{source}");
    }
}

/// Templates of the shapes that real manifests use.
#[test]
fn larger_templates_work_as_a_whole() {
    let index = "{% macro tidy(s) %}{{ s | string | trim | trim(\"'\") }}{% endmacro %}
{% set ns = namespace(hidden=false) %}
{% for dir, group in entries | groupby('dir') %}
{% if dir in quiet %}
{% set ns.hidden = true %}
  {{ dir }} [{{ group | map(attribute='name') | unique | sort | join(', ') }}]
{% else %}
{% set first = group | first %}
  {{ dir or 'top' }}:{% if first.meta.kind | default('') %} {{ tidy(first.meta.kind) }}{% endif %}

{% for e in group | sort(attribute='name') | unique(attribute='name') %}
    - {{ e.name }}{% set k = tidy(e.meta.kind) %}: {{ k if k | length <= 3 else k[:2] ~ '...' }}
{% endfor %}
{% endif %}
{% endfor %}
{%- if ns.hidden %}some are quiet{% endif %}
";
    let mut bench =
        Bench::new()
            .template("t", index)
            .fact("quiet", FactType::List, json!(["never"]));
    let (b, a) = (bench.document("b.md", "B"), bench.document("a.md", "A"));
    let scope = bench.scope().with_documents("entries", vec![b, a]);
    let rendered = bench.render("t", &scope).unwrap();
    assert_eq!(
        rendered.text.as_str(),
        "  top: rule\n    - a.md: ru...\n    - b.md: ru...\n"
    );
    let known = Known {
        names: lists(&["entries", "quiet"]).into(),
        document_lists: lists(&["entries"]),
        ..Known::default()
    };
    assert_eq!(codes(index, &known), Vec::<String>::new());

    let hidden = "{% set ns = namespace(ok=false) %}{% set listed = meta.platforms | default([]) %}{% set all = listed if listed is sequence else [listed] if listed else [] %}{% for p in all %}{% set key = p | string | lower | trim %}{% if system is startingwith({'macos': 'darwin'}[key] | default(key)) %}{% set ns.ok = true %}{% endif %}{% endfor %}{% if not ns.ok %}platform {% endif %}";
    let mut bench = Bench::new()
        .template("t", hidden)
        .string("system", "darwin");
    let d = bench.document("a.md", "x");
    let scope = bench.scope().with_document(d);
    assert_eq!(
        bench.render("t", &scope).unwrap().text.as_str(),
        "platform "
    );
    let known = Known {
        names: lists(&["meta", "system"]).into(),
        ..Known::default()
    };
    assert_eq!(codes(hidden, &known), Vec::<String>::new());

    let header = "{% set n = content | length %}\n══\n{{ heading }} [{{ n | percent(limit) }}% — {{ n | thousands }}/{{ limit | thousands }} chars]\n══\n{{ content }}\n";
    let mut bench = Bench::new()
        .template("t", header)
        .string("heading", "NOTES")
        .fact("limit", FactType::Int, json!(2200));
    let d = bench.document("a.md", "你好 notes");
    let scope = bench.scope().with_text("content", d.text.clone());
    let rendered = bench.render("t", &scope).unwrap();
    assert_eq!(
        rendered.text.as_str(),
        "══\nNOTES [0% — 8/2,200 chars]\n══\n你好 notes\n"
    );
}
