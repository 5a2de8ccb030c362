//! Templates of the shapes that real manifests use.

use super::bench::{Bench, codes, lists};
use crate::manifest::model::FactType;
use crate::template::NamesInScope;
use serde_json::json;

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
    let known = NamesInScope {
        names: lists(&["entries", "quiet"]).into(),
        document_lists: lists(&["entries"]),
        ..NamesInScope::default()
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
    let known = NamesInScope {
        names: lists(&["meta", "system"]).into(),
        ..NamesInScope::default()
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
