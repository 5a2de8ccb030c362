//! Programs that would never end, or are too deep to be read.

use super::bench::{fails, print};
use crate::diagnostic::{EXPRESSION_SYNTAX, TEMPLATE_LIMIT, TEMPLATE_SYNTAX};
use crate::template::{Engine, Scope, analyse};
use std::collections::BTreeSet;

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
fn sums_of_empty_lists_are_walked_once() {
    let doubled = "{% set x = x + x %}".repeat(60);
    for walk in ["x == x + x", "x + x in [x + x]", "(x + x) | length == 0"] {
        let source = format!("{{% set x = [] %}}{doubled}{{{{ 'yes' if {walk} }}}}");
        assert_eq!(print(&source).unwrap(), "yes", "{walk}");
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
