//! The errors that a check reports about a program, and its suggestions.

use super::bench::{codes, lists};
use crate::template::NamesInScope;

#[test]
fn checks_point_and_suggest() {
    let known = NamesInScope {
        names: lists(&["user_name", "documents", "tools"]).into(),
        document_lists: lists(&["documents"]),
        exists: true,
        loaded: false,
        ..NamesInScope::default()
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
