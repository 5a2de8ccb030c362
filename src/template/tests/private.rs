//! A message never holds a value.

use super::bench::{Bench, template_ingredient};
use crate::diagnostic::TEMPLATE_LIMIT;
use crate::manifest::model::FactType;
use crate::prompt::Ingredients;
use crate::template::Part;
use crate::template::fact::FactValue;
use serde_json::json;

const SECRET: &str = "hunter2-Zürich-密码-do-not-show";

/// Expressions that fail over a value.
const PROGRAMS: &[&str] = &[
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
    for source in PROGRAMS {
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
