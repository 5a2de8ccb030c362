//! The functions of expressions, and expressions that are compiled once.

use super::bench::Bench;
use crate::diagnostic::{LITERAL_REQUIRED, UNKNOWN_FUNCTION};
use std::collections::BTreeMap;
use std::sync::Arc;

#[test]
fn functions_answer_from_their_tables() {
    let bench = Bench::new();
    let exists = BTreeMap::from([
        (("workspace".to_owned(), "a.md".to_owned()), true),
        (("home".to_owned(), "a.md".to_owned()), false),
    ]);
    let scope = bench
        .scope()
        .with_exists(Arc::new(exists), None)
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
