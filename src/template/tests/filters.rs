//! Filters and tests of our own, and those of the engine that print or sort as we say.

use super::bench::{fails, print};
use crate::diagnostic::{TEMPLATE_FAILED, UNPRINTABLE_VALUE};
use crate::template::{Engine, Scope};

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
