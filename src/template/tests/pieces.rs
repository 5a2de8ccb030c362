//! Whatever a template is made of, its runs tile what it renders.

use super::bench::Bench;
use crate::manifest::model::FactType;
use crate::template::Part;
use crate::text::{SpanKind, TextBuf};
use serde_json::json;

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
