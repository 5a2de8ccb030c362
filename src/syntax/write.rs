//! Texts and names as KDL that reads back as exactly what they were.

use super::lex::{is_forbidden, is_word, newline};
use super::word::{Word, word};
use std::fmt::Write as _;

/// A quoted string: over several lines where the text has several, with `indent` before each.
pub(crate) fn string(text: &str, indent: &str) -> String {
    let several = text.contains('\n') && text.lines().count() > 1;
    if !several {
        return one_line(text);
    }
    let mut out = String::from("\"\"\"\n");
    for line in text.split('\n') {
        if !line.is_empty() {
            out.push_str(indent);
            // White space alone would be taken for an empty line.
            if line.trim().is_empty() {
                line.chars().for_each(|c| {
                    let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
                })
            } else {
                out.push_str(&escaped(line, false))
            }
        }
        out.push('\n');
    }
    let _ = write!(out, "{indent}\"\"\"");
    out
}

/// A quoted string on one line.
pub(crate) fn one_line(text: &str) -> String {
    let is_raw = text.contains(['"', '\\'])
        && !text.starts_with('"')
        && !text.contains("\"#")
        && !text.contains(must_be_escaped);
    if is_raw {
        format!("#\"{text}\"#")
    } else {
        format!("\"{}\"", escaped(text, true))
    }
}

/// A name: bare where it is one without quotes, else in quotes.
pub(crate) fn name(name: &str) -> String {
    let is_bare = !name.is_empty()
        && name.chars().all(|c| is_word(c) && !is_forbidden(c))
        && word(name) == Word::Identifier;
    if is_bare {
        name.to_owned()
    } else {
        one_line(name)
    }
}

/// With escapes for one line, or for a line of several.
fn escaped(text: &str, alone: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' if !alone && !text.contains("\"\"\"") => out.push(c),
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if must_be_escaped(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Control characters, line ends, and what must not be written as it is.
fn must_be_escaped(c: char) -> bool {
    c.is_control() || is_forbidden(c) || newline(c.encode_utf8(&mut [0; 4])) > 0
}

#[cfg(test)]
mod tests {
    use super::{name, string};
    use kdl::{KdlDocument, KdlValue};
    use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

    fn read(written: &str) -> String {
        let document: KdlDocument = format!("node {{\n    set {written}\n}}\n").parse().unwrap();
        let node = &document.nodes()[0].children().unwrap().nodes()[0];
        match node.entries()[0].value() {
            KdlValue::String(text) => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn strings_are_written_plainly() {
        assert_eq!(string("a \"b\" \\", ""), r##"#"a "b" \"#"##);
        assert_eq!(string("a \"b\"\t", ""), r#""a \"b\"\t""#);
        assert_eq!(string("\"a\"\nb", ""), "\"\"\"\n\"a\"\nb\n\"\"\"");
        assert_eq!(
            string("a\n  b\n\n", "    "),
            "\"\"\"\n    a\n      b\n\n\n    \"\"\""
        );
        assert_eq!(string("\n", ""), r#""\n""#);
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        for bare in ["a", "a-b", "-", "é", ".b", "r", "a.1"] {
            assert_eq!(name(bare), bare);
        }
        for quoted in [
            "", "1", "-1", ".5", "true", "-inf", "a b", "a=b", "a/b", "#true", "\u{85}",
        ] {
            assert_ne!(name(quoted), quoted);
            assert_eq!(read(&name(quoted)), quoted);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn strings_read_back(text in "[a \"\\\\\n\r\t#{}\u{0}\u{7f}\u{85}\u{a0}\u{2028}\u{200e}\u{feff}é]{0,12}") {
            prop_assert_eq!(read(&string(&text, "    ")), text.as_str());
            prop_assert_eq!(read(&name(&text)), text);
        }
    }
}
