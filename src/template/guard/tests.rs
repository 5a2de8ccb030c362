//! The positions of checks.

use super::Guarded;
use crate::template::syntax;

#[test]
fn checks_are_around_walked_operands() {
    for (source, guarded) in [
        ("a == 'x' and b", "a == 'x' and b"),
        ("a == b", "a == (b)=w"),
        ("a == (b or c)", "a == ((b or c))=w"),
        ("not ((a) not in (b))", "not (((a))=w not in ((b))=w)"),
        ("x in ['a', 'b']", "(x)=w in ['a', 'b']"),
        ("a[-1][0].b", "((a)=i)[-1][0].b"),
        ("(a ~ b)[99] | f", "(((=j[a] ~ =j[b]))=i)[99] | f"),
        ("x in [a, b]", "(x)=w in ([a, b])=m"),
        ("[a, [b]]", "([a, [b]])=m"),
        ("[f([b])]", "([f(([b])=m)])=m"),
        (
            "a < b <= 3 < c[d]",
            "(a)=w < (b)=w <= 3 < (((c)=i)[(d)=w])=w",
        ),
        ("{'a': b}.a", "(({'a': b})=m).a"),
        ("[a, b][0] + 1", "(([a, b])=m)[0] + 1"),
        ("-[a]", "-(([a])=m)"),
        ("a is t b[1:]", "a is t (((b)=i)[1:])"),
        ("a is not t.u -[b]|f", "a is not t.u (-(([b])=m))|f"),
        ("a is t(b[1:])", "a is t(((b)=i)[1:])"),
        ("loop.changed(a, (b))", "loop.changed((a)=w, ((b))=w)"),
        ("f(a[1:], k=b * 2)", "f((((a)=i)[1:])=m, k=(b * 2)=m)"),
        ("f(*(a * 2))", "f(*((a * 2))=m)"),
        ("a ~ b ~ 'c)' == d", "=j[a] ~ =j[b] ~ 'c)' == (d)=w"),
        ("(a ~ (b or c))", "(=j[a] ~ =j[(b or c)])"),
        ("a + 1 + b", "=s[a + 1 + b]"),
        ("1 + a + 'x'", "1 + a + 'x'"),
        ("(a + (b + c)) + d | f", "=s[(a + (b + c)) + d | f]"),
        ("(a + b) ~ c + d", "=s[=j[(=s[a + b])] ~ =j[c] + d]"),
        ("a + b * f(c + d)", "=s[a + b * f(=s[c + d])]"),
        ("-n + k", "=s[-n + k]"),
        ("--a + b", "=s[--a + b]"),
        ("not a + b", "not =s[a + b]"),
        ("(not a) + b", "=s[(not a) + b]"),
        ("-(a) + b", "=s[-(a) + b]"),
        ("(-a) + b", "=s[(-a) + b]"),
        ("-(-(a + b)) + c", "=s[-(-(=s[a + b])) + c]"),
        ("a * -b + c", "=s[a * -b + c]"),
        ("-a.b[0]|f + c", "=s[-a.b[0]|f + c]"),
        ("a ~ -b + c", "=s[=j[a] ~ -b + c]"),
        ("-a|f ~ b", "=j[-a|f] ~ =j[b]"),
        ("-a|f in b", "(-a|f)=w in (b)=w"),
        ("- a + b == c", "=s[- a + b] == (c)=w"),
        // As for `a == b`, no walk is longer than that over `c`.
        ("a + b == c", "=s[a + b] == (c)=w"),
        ("c == a + b", "c == (=s[a + b])=w"),
        ("a < b + c < d", "(a)=w < (=s[b + c])=w < (d)=w"),
        ("a + b in c + d", "(=s[a + b])=w in (=s[c + d])=w"),
        ("a + b not in c", "(=s[a + b])=w not in (c)=w"),
        ("a[b + c]", "((a)=i)[(=s[b + c])=w]"),
        ("(a + b)[c]", "(((=s[a + b]))=i)[(c)=w]"),
        ("loop.changed(a + b)", "loop.changed((=s[a + b])=w)"),
    ] {
        let tree = syntax::expression(source).unwrap();
        let made = Guarded::expression(source, &tree);
        let short = |text: &str| {
            text.replace("|__weighed", "=w")
                .replace("|__made", "=m")
                .replace("|__indexed", "=i")
                .replace("__summed", "=s")
                .replace("__joined", "=j")
        };
        assert_eq!(short(&made.text), guarded);
        syntax::bounded_expression(&made.text).unwrap();
    }
}

#[test]
fn stored_values_are_checked() {
    for (source, guarded) in [
        ("{% set a = b %}", "{% set a = b %}"),
        ("{% set a.b = c %}", "{% set a.b = (c)=k %}"),
        ("{% set a.b = c ~ d %}", "{% set a.b = =j[c] ~ =j[d] %}"),
        ("{% set a.b = c + d %}", "{% set a.b = (=s[c + d])=k %}"),
        ("{% set a = b[1:] -%}", "{% set a = (((b)=i)[1:])=m -%}"),
        ("{% set a = b, c %}", "{% set a = (b, c)=m %}"),
        (
            "{% set a | d(b) %}c{% endset %}",
            "{% set a | d(b) %}c{% endset %}",
        ),
        (
            "{% set a.b | d([c], true)|e -%}c{% endset %}",
            "{% set a.b | d(([c])=m, true)|e=k -%}c{% endset %}",
        ),
        ("{% set a.b = b, [c] %}", "{% set a.b = (b, ([c])=m)=m %}"),
        (
            "{% with a = b * 2, c = d %}{% endwith %}",
            "{% with a = (b * 2)=m, c = d %}{% endwith %}",
        ),
    ] {
        let tree = syntax::template(source).unwrap();
        let made = Guarded::template(source, &tree);
        let short = |text: &str| {
            text.replace("|__kept", "=k")
                .replace("|__made", "=m")
                .replace("|__indexed", "=i")
                .replace("__summed", "=s")
                .replace("__joined", "=j")
        };
        assert_eq!(short(&made.text), guarded);
        syntax::bounded_template(&made.text).unwrap();
    }
}

#[test]
fn positions_are_those_of_the_source() {
    let source = "[a] == [b]";
    let made = Guarded::expression(source, &syntax::expression(source).unwrap());
    assert_eq!(made.text, "([a])|__made == ([b])|__made");
    let at = |text: &str| made.text.find(text).unwrap();
    assert_eq!(made.range(at("==")..at("==") + 2), 4..6);
    assert_eq!(made.range(at("b")..at("b") + 1), 8..9);
    // A check is where that is which it checks.
    let check = made.text.rfind("__made").unwrap();
    assert_eq!(made.range(check..check + 6), 7..10);
    assert_eq!(made.range(0..made.text.len()), 0..10);
}
