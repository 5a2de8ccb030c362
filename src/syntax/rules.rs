//! Rules of KDL 2.0.0 of which the official cases that the crate `kdl` has show nothing: what each makes of a text.

use super::oracle::{kdl_shape, own, reason};
use kdl::KdlDocument;

/// Texts, and others that say the same.
type Cases = &'static [(&'static str, &'static str)];

/// A rule that accepts the same as every text that is not KDL.
const REFUSED: &str = "}";

/// The rules, as the specification words them.
const RULES: &[(&str, Cases)] = &[
    (
        "document := bom? version? nodes",
        &[
            ("\u{feff}/- kdl-version 2\na", "a"),
            ("\u{feff}\u{feff}a", REFUSED),
        ],
    ),
    (
        "node := base-node node-terminator",
        &[
            ("/-a b; c", "c"),
            ("a {} b", REFUSED),
            ("a {}b", REFUSED),
            ("a;;b", REFUSED),
            (";a", REFUSED),
        ],
    ),
    (
        "node-terminator := single-line-comment | …",
        &[("a// b\nc", "a\nc"), ("a {}// b\nc", "a\nc")],
    ),
    (
        "node-children := '{' nodes final-node? '}'",
        &[
            ("a{b;c 1}", "a {\nb\nc 1\n}"),
            ("a {/-b}", "a"),
            ("a {", REFUSED),
            ("a }", REFUSED),
            ("{ a }", REFUSED),
        ],
    ),
    (
        "(node-space* node-children)?",
        &[
            ("a {} {}", REFUSED),
            ("a \\\n{ b }", "a { b }"),
            ("a\n{ b }", REFUSED),
        ],
    ),
    (
        "(node-space* (node-space | slashdash) node-prop-or-arg)*",
        &[
            ("a/-1 2", "a 2"),
            ("a/-b=1 2", "a 2"),
            ("a \"b\"/-\"c\"", "a b"),
        ],
    ),
    (
        "(node-space* slashdash node-children)*",
        &[
            ("a/-{b}", "a"),
            ("a /-{b}{c}/-{d}", "a { c }"),
            ("a {b} /-c", REFUSED),
        ],
    ),
    (
        "base-node := slashdash? …",
        &[("/-/-a\nb", REFUSED), ("/-{ a }", REFUSED)],
    ),
    (
        "slashdash := '/-' line-space*",
        &[
            ("/- // c\n\n/* d */ a\nb", "b"),
            ("/- \\\n a\nb", "b"),
            ("a /- // c\n 1 2", "a 2"),
            ("a /-\n{ b }", "a"),
        ],
    ),
    (
        "prop := string node-space* '=' node-space* value",
        &[
            ("a b\\\n=\\\n1", "a b=1"),
            ("a #\"b\"#=1", "a b=1"),
            ("a 1=2", REFUSED),
            ("a #null=2", REFUSED),
            ("a b=", REFUSED),
            ("a =1", REFUSED),
            ("a b=1=2", REFUSED),
            ("a /-(t)b=1", REFUSED),
        ],
    ),
    (
        "type := '(' node-space* string node-space* ')'",
        &[
            ("(\\\nt)a", "(t)a"),
            ("(1)a", REFUSED),
            ("(#true)a", REFUSED),
        ],
    ),
    (
        "value := type? …",
        &[
            ("a (t)(u)1", REFUSED),
            ("a (t)#null b=(u)#inf", "a (\"t\")#null b=(\"u\")#inf"),
        ],
    ),
    (
        "signed-ident := sign ((identifier-char - digit - '.') …)?",
        &[
            ("a + - -- +a", "a \"+\" \"-\" \"--\" \"+a\""),
            ("-1a", REFUSED),
        ],
    ),
    (
        "dotted-ident := sign? '.' ((identifier-char - digit) …)?",
        &[
            (". .. -. .a", "\".\" \"..\" \"-.\" \".a\""),
            ("a .1", REFUSED),
            ("a -.1", REFUSED),
        ],
    ),
    (
        "disallowed-keyword-identifiers := …",
        &[
            ("+inf", "\"+inf\""),
            ("a -inf", REFUSED),
            ("a nan", REFUSED),
            ("a null=1", REFUSED),
            ("(true)a", REFUSED),
        ],
    ),
    ("identifier-char := …", &[("a b\u{7f}", REFUSED)]),
    (
        "keyword := boolean | '#null'",
        &[("a #True", REFUSED), ("a #true1", REFUSED)],
    ),
    (
        "keyword-number := '#inf' | '#-inf' | '#nan'",
        &[("a #+inf", REFUSED)],
    ),
    (
        "hex := sign? '0x' …",
        &[("a +0x1f -0xF", "a 31 -15"), ("a 0X1", REFUSED)],
    ),
    (
        "octal := sign? '0o' …",
        &[("a -0o17", "a -15"), ("a 0o_1", REFUSED)],
    ),
    (
        "binary := sign? '0b' …",
        &[("a +0b11", "a 3"), ("a 0b_1", REFUSED)],
    ),
    (
        "decimal := sign? integer ('.' integer)? exponent?",
        &[
            ("a 1_ +1_.5_e-1_", "a 1 0.15"),
            ("a 1e", REFUSED),
            ("a 1e_1", REFUSED),
            ("a --1", "a \"--1\""),
            ("a +-1", "a \"+-1\""),
        ],
    ),
    (
        "hex-unicode := hex-digit{1, 6} - surrogate - above-max-scalar",
        &[
            ("a \"\\u{0}\\u{10FFFF}\"", "a \"\\u{000000}\\u{10ffff}\""),
            ("a \"\\u{110000}\"", REFUSED),
            ("a \"\\u{d800}\"", REFUSED),
            ("a \"\\u{00DFFF}\"", REFUSED),
            ("a \"\\u{0000041}\"", REFUSED),
            ("a \"\\u{}\"", REFUSED),
            ("a \"\\u41\"", REFUSED),
            ("a \"\\u{+41}\"", REFUSED),
        ],
    ),
    (
        "ws-escape := '\\' (unicode-space | newline)+",
        &[("a \"b\\ \u{2028}\u{a0}c\\  \"", "a bc")],
    ),
    (
        "'\"\"\"' newline (multi-line-string-body newline)? …",
        &[
            ("a \"\"\"\n\"\"\"", "a \"\""),
            ("a \"\"\"\n  b \\\n}c\n\\  \"\"\"", "a \"  b }c\""),
            ("a \"\"\"\n  \"\"\"", "a \"\""),
            ("a \"\"\"\n\n\"\"\"", "a \"\""),
            ("a \"\"\"\n\n\n\"\"\"", "a \"\\n\""),
        ],
    ),
    (
        "multi-line-string-body := (('\"' | '\"\"')? string-character)*",
        &[("a \"\"\"\n b\"\"c\\\"\"\"\n \"\"\"", "a #\"b\"\"c\"\"\"\"#")],
    ),
    (
        "newlines in Multi-Line Strings are normalized to LF",
        &[(
            "a \"\"\"\r\n b\r c\u{85} d\u{2029} e\u{c} f\r\n \"\"\"",
            "a \"b\\nc\\nd\\ne\\nf\"",
        )],
    ),
    (
        "lines of whitespace are empty lines",
        &[("a \"\"\"\n  b\n \t \n  c\n  \"\"\"", "a \"b\\n\\nc\"")],
    ),
    (
        "the prefix is literal white space",
        &[
            ("a \"\"\"\n\tb\n  \"\"\"", REFUSED),
            ("a \"\"\"\n\\tb\n\t\"\"\"", REFUSED),
        ],
    ),
    (
        "'\"\"\"' newline (multi-line-raw-string-body newline)? …",
        &[
            ("a #\"\"\"\n\"\"\"#", "a \"\""),
            ("a ##\"\"\"\n \"\"\"#\n \"\"\"##", "a \"\\\"\\\"\\\"#\""),
        ],
    ),
    (
        "single-line-raw-string-body := …",
        &[
            ("a #\"\"b\"#", "a \"\\\"b\""),
            ("a ##\"b\"#\"##", "a \"b\\\"#\""),
            ("a #\"\"\"b\"\"\"#", REFUSED),
            ("a #\"b\nc\"#", REFUSED),
        ],
    ),
    (
        "node-space := ws* escline ws* | ws+",
        &[
            ("a/**/b", "a b"),
            ("a \\\n\\\n b", "a b"),
            ("\\\na", "a"),
            ("a\"b\"", REFUSED),
            ("a \"b\"c", REFUSED),
            ("a (t)1(u)2", REFUSED),
        ],
    ),
    (
        "escline := '\\' ws* (single-line-comment | newline | eof)",
        &[
            ("a \\ /* b */ // c\n d", "a d"),
            ("a \\ /* b */", "a"),
            ("a \\ b", REFUSED),
        ],
    ),
    (
        "unicode-space := See Table",
        &[
            (
                "a\u{1680}1\u{2000}2\u{200a}3\u{202f}4\u{205f}5\u{3000}6\u{a0}7",
                "a 1 2 3 4 5 6 7",
            ),
            ("a\u{200b}1", "\"a\u{200b}1\""),
        ],
    ),
    (
        "newline := See Table",
        &[(
            "a\rb\u{85}c\u{b}d\u{c}e\u{2028}f\u{2029}g",
            "a\nb\nc\nd\ne\nf\ng",
        )],
    ),
    (
        "multi-line-comment := '/*' commented-block",
        &[
            ("a /* /* */", REFUSED),
            ("a /* // */ b", "a b"),
            ("a */", REFUSED),
        ],
    ),
    (
        "single-line-comment := '//' ^newline* (newline | eof)",
        &[("// /* \na", "a"), ("a // \u{202e}", "a")],
    ),
];

#[test]
fn rules_beyond_the_official_cases() {
    let mut wrong = Vec::new();
    for (rule, cases) in RULES {
        for (text, same) in *cases {
            let (read, wanted) = (own(text), own(same));
            if read != wanted || read.is_none() != (*same == REFUSED) {
                wrong.push(format!("{rule}\n{text:?}\nown {read:?}\n{wanted:?}"));
            }
            let kdl = KdlDocument::parse_v2(text).ok();
            let kdl = kdl.map(|document| kdl_shape(&document));
            if kdl != wanted && reason(text).is_none() {
                wrong.push(format!("{rule}\n{text:?}\nkdl {kdl:?}\n{wanted:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
