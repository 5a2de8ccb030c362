use super::plain::plain;
use super::*;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use serde_json::json;

fn parts(text: &str) -> Option<(&str, &str)> {
    split(text, Close::Line).map(|f| (&text[f.yaml], &text[f.body]))
}

fn read(yaml: &str) -> Value {
    parse(yaml, false, false).map_or_else(|e| json!(e.message), |read| json!(read.values))
}

#[test]
fn usual_front_matter_is_plain() {
    let yaml = "name: review\ndescription: It's a note (of Jérôme's), no more.\nreviewed: 2026-09-14\nfor: [a, b]\n";
    assert_eq!(plain(yaml, false).map(|map| json!(map)), Some(read(yaml)));
    for yaml in [
        "a: no\n",
        "a: 1\n",
        "a: b: c\n",
        "a: b #c\n",
        "a: x\na: y\n",
        "a:\n",
        " a: b",
        "n: b",
    ] {
        assert_eq!(plain(yaml, false), None, "{yaml}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_front_matter_reads_as_yaml(
        lines in proptest::collection::vec(
            ("[abn-]{1,3}|nan|on|é|[0-9]", "(: ?|:)", "\\[?[a-cefinotuy0-9é .,;_/()'!?-]{0,7}\\]?|(true|NO|inf|null|[0-9]{4}-[0-9]{2}-[0-9]{2})[ :]?"),
            0..4,
        ),
        end in "\n?\n?",
        yaml11 in proptest::bool::ANY,
    ) {
        let lines: Vec<String> = lines.iter().map(|(key, colon, value)| format!("{key}{colon}{value}")).collect();
        let yaml = lines.join("\n") + &end;
        if let Some(map) = plain(&yaml, yaml11) {
            // Nothing at all is null.
            let read = value(&yaml, yaml11).map(|v| if v.is_null() { json!({}) } else { v });
            prop_assert_eq!(read, Ok(json!(map)));
        }
    }
}

#[test]
fn split_takes_both_lines() {
    assert_eq!(parts("---\na: 1\n---\nbody\n"), Some(("a: 1\n", "body\n")));
    assert_eq!(parts("---\n---"), Some(("", "")));
    assert_eq!(parts("--- x\na: 1\n---- y\n\nb"), Some(("a: 1\n", "\nb")));
    assert_eq!(
        parts("---\na: |\n  ---\n---\n---\n"),
        Some(("a: |\n  ---\n", "---\n"))
    );
}

fn closed(text: &str, close: Close) -> Option<(&str, &str)> {
    split(text, close).map(|f| (&text[f.yaml], &text[f.body]))
}

#[test]
fn dashes_can_be_required_to_be_alone() {
    let alone = |text| closed(text, Close::Alone);
    assert_eq!(alone("---\na: 1\n---\nb\n"), Some(("\na: 1", "b\n")));
    assert_eq!(
        alone("---\na: 1\n--- \u{3000}\n\n\t\n  b"),
        Some(("\na: 1", "  b"))
    );
    assert_eq!(
        alone("---a: 1\n---x\n----\n---\n"),
        Some(("a: 1\n---x\n----", ""))
    );
    assert_eq!(alone("---\n---\nb"), Some(("", "b")));
    for text in ["---\na: 1\n---", "---\na: 1\n--- b\n", "---", "a\n---\n"] {
        assert_eq!(alone(text), None, "{text:?}");
    }
}

#[test]
fn only_the_dashes_can_be_removed() {
    let dashes = |text| closed(text, Close::Dashes);
    assert_eq!(dashes("---\na: 1\n---\n\n  b\n"), Some(("\na: 1", "  b\n")));
    assert_eq!(dashes("---a: 1\n----x\nb"), Some(("a: 1", "-x\nb")));
    assert_eq!(dashes("----\n--- \nb"), Some(("-", " \nb")));
    assert_eq!(dashes("---\na: 1\n---"), Some(("\na: 1", "")));
    assert_eq!(dashes("--- a ---"), None);
}

#[test]
fn split_needs_two_lines_at_the_head() {
    for text in [
        "",
        "---",
        "---\n",
        "---\na: 1\n",
        "--\na\n---\n",
        "\n---\na\n---\n",
        " ---\n---\n",
    ] {
        assert_eq!(split(text, Close::Line), None, "{text:?}");
    }
}

#[test]
fn core_schema() {
    assert_eq!(
        read(
            "s: text\nyes: no\non: off\nb: [true, False, y]\nn: ~\ne:\ni: -3\nh: 0x1F\no: 0o17\nf: 1.5e3\nt: '1'\n"
        ),
        json!({"s": "text", "yes": "no", "on": "off", "b": [true, false, "y"], "n": null, "e": null,
               "i": -3, "h": 31, "o": 15, "f": 1500.0, "t": "1"})
    );
    assert_eq!(
        read(
            "d: 2026-03-30\nt: 2026-03-30T09:00:00Z\nz: 0755\nu: 1_000\ninf: -.inf\nnan: .NaN\nbig: 1e999\nv: 1.2.3\n"
        ),
        json!({"d": "2026-03-30", "t": "2026-03-30T09:00:00Z", "z": "0755", "u": "1_000", "inf": "-.inf",
               "nan": ".nan", "big": ".inf", "v": "1.2.3"})
    );
    assert_eq!(
        read("large: 18446744073709551615\nm: {a: [{b: c}]}\nt: |\n  x\n  y\nfold: >-\n  x\n  y\n"),
        json!({"large": u64::MAX, "m": {"a": [{"b": "c"}]}, "t": "x\ny\n", "fold": "x y"})
    );
}

#[test]
fn core_schema_numbers_and_tags() {
    assert_eq!(
        read(
            "a: +1\nb: -0x1F\nc: 0b101\nd: .5\ne: 5.\nf: 00.5\ng: -1e999\nh: 0x\ni: 1__0\nj: infinity\n\
             k: 18446744073709551616\nl: -9223372036854775808\nm: \"1\"\n"
        ),
        json!({"a": 1, "b": -31, "c": 5, "d": 0.5, "e": 5.0, "f": 0.5, "g": "-.inf", "h": "0x", "i": "1__0", "j": "infinity",
               "k": 18446744073709551616.0, "l": i64::MIN, "m": "1"})
    );
    assert_eq!(
        read(
            "a: !!str 5\nb: !!int ' 7 '\nc: !!float 3\nd: !own 5\ne: ! 5\nf: !!binary aGk=\ng: !!null x\nh: !bool 'true'\n\
             i: !!int 1_000\nj: !own [x]\nk: &x 1\nl: &x 2\nm: *x\n"
        ),
        json!({"a": "5", "b": 7, "c": 3.0, "d": 5, "e": "5", "f": "hi", "g": null, "h": true, "i": 1000, "j": ["x"], "k": 1, "l": 2,
               "m": 2})
    );
}

/// One value as YAML 1.1.
fn old(written: &str) -> Value {
    let read = parse(&format!("v: {written}\n"), true, false);
    read.map_or_else(|e| json!(e.message), |read| read.values["v"].clone())
}

/// The results of Python's safe loader for these, observed there; values that are not strings there as it prints them.
#[test]
fn version_1_1_reads_as_python() {
    for (written, value) in [
        ("yes", json!(true)),
        ("Off", json!(false)),
        ("y", json!("y")),
        ("tRue", json!("tRue")),
        ("~", json!(null)),
        ("0x1F", json!(31)),
        ("0X1F", json!("0X1F")),
        ("-0b101", json!(-5)),
        ("0755", json!(493)),
        ("08", json!("08")),
        ("0o17", json!("0o17")),
        ("1_000", json!(1000)),
        ("_1", json!("_1")),
        ("1:30", json!(90)),
        ("01:30", json!("01:30")),
        ("1:99", json!("1:99")),
        ("190:20:30", json!(685_230)),
        ("1:30.5", json!(90.5)),
        (".5", json!(0.5)),
        ("-.5", json!("-.5")),
        ("5.", json!(5.0)),
        ("1e3", json!("1e3")),
        ("1.5e3", json!("1.5e3")),
        ("1.5e+3", json!(1500.0)),
        ("-.inf", json!("-inf")),
        (".NaN", json!("nan")),
        ("1.0e+999", json!("inf")),
        ("18446744073709551615", json!(u64::MAX)),
        ("-9223372036854775809", json!("-9223372036854775809")),
        ("0xFFFFFFFFFFFFFFFFFF", json!("4722366482869645213695")),
        (
            "123456789012345678901234567890123456789012",
            json!("123456789012345678901234567890123456789012"),
        ),
        ("2026-01-02", json!("2026-01-02")),
        ("2026-1-2", json!("2026-1-2")),
        ("2026-01-02T03:04:05Z", json!("2026-01-02 03:04:05+00:00")),
        (
            "2026-1-2 3:04:05.1234567 -07:30",
            json!("2026-01-02 03:04:05.123456-07:30"),
        ),
        ("!!str 5", json!("5")),
        ("! \"5\"", json!(5)),
        ("!!int \"7\"", json!(7)),
        ("!!float 3", json!(3.0)),
        ("!!bool 'Yes'", json!(true)),
        ("!!null x", json!(null)),
        ("'yes'", json!("yes")),
        ("{a: b, a: c}", json!({"a": "c"})),
        ("{<<: {a: 1, b: 1}, b: 2}", json!({"a": 1, "b": 2})),
        ("{<<: [{a: 1}, {a: 2, b: 2}]}", json!({"a": 1, "b": 2})),
        ("{\"<<\": 1, =: 2}", json!({"<<": 1, "=": 2})),
        ("|\n  t", json!("t\n")),
    ] {
        assert_eq!(old(written), value, "{written}");
    }
    assert_eq!(
        json!(parse("v: |\n  t", true, false).unwrap().values),
        json!({"v": "t"})
    );
    assert_eq!(
        json!(
            parse("a: 1\na: &x {k: 1}\nb: *x\n", true, false)
                .unwrap()
                .values
        ),
        json!({"a": {"k": 1}, "b": {"k": 1}})
    );
    assert_eq!(
        read("a: &x {k: 1}\nb: {<<: *x}\n"),
        json!({"a": {"k": 1}, "b": {"<<": {"k": 1}}})
    );
}

#[test]
fn version_1_1_refuses_the_same_as_python() {
    for (written, message) in [
        ("2026-02-30", "a value is a date that does not exist"),
        (
            "2026-01-02 24:00:00",
            "a value is a date that does not exist",
        ),
        ("0x_", "a value looks like a number and is not one"),
        ("=", "a value is a mark that only keys may be"),
        ("<<", "a value is a mark that only keys may be"),
        (
            "!!int x",
            "a value does not have the form that its tag demands",
        ),
        (
            "!!seq {}",
            "a value does not have the form that its tag demands",
        ),
        ("!!set {a}", "a value has a tag that is not read"),
        ("!own x", "a value has a tag that is not read"),
        ("*x", "an alias names nothing"),
        ("&x [*x]", "an alias contains itself"),
        ("&x 1\nb: &x 2", "two anchors have one name"),
        ("{<<: 1}", "the value merged by `<<` is not a map"),
        ("{[a]: 1}", "a list or map is where a key is expected"),
        ("a: b", "it is not well-formed YAML"),
        ("a\n\tb: c", "it is not well-formed YAML"),
        ("\u{7}", "it is not well-formed YAML"),
        ("a\n: b", "it is not well-formed YAML"),
        ("a\n---\nv: b", "it holds more than one YAML document"),
    ] {
        assert_eq!(old(written), json!(message), "{written}");
    }
}

#[test]
fn keys_become_text() {
    assert_eq!(
        read("1: a\ntrue: b\n1.50: c\n2026-03-30: d\nnull: e\n0x1F: f\n"),
        json!({"1": "a", "true": "b", "1.50": "c", "2026-03-30": "d", "null": "e", "0x1F": "f"})
    );
}

#[test]
fn nothing_is_the_empty_map() {
    for yaml in ["", "\n\n", "# note\n", "~\n", "null\n", "{}\n"] {
        assert_eq!(read(yaml), json!({}), "{yaml:?}");
    }
}

#[test]
fn errors_show_no_content() {
    for (yaml, message, line) in [
        (
            "a: 1\nsecret: x: y\n",
            "it is not well-formed YAML",
            Some(2),
        ),
        ("secret: 1\nsecret: 2\n", "a key appears twice", Some(2)),
        ("1: a\n'1': b\n", "a key appears twice", Some(2)),
        ("1: a\nb: 2\n0x1: c\n", "a key appears twice", Some(3)),
        (
            "? [a]\n: 1\n",
            "a list or map is where a key is expected",
            Some(1),
        ),
        (
            "a: &x\n  - !!seq {}\n",
            "a value does not have the form that its tag demands",
            Some(2),
        ),
        (
            "a: !!timestamp 1\n",
            "a value has a tag that is not read",
            Some(1),
        ),
        (
            "a: 1\n...\nb: 2\n",
            "it holds more than one YAML document",
            Some(3),
        ),
        (
            "- secret\n",
            "the front matter is not a map of names to values",
            None,
        ),
        (
            "secret\n",
            "the front matter is not a map of names to values",
            None,
        ),
        ("a: *secret\n", "an alias names nothing", Some(1)),
        (
            "a: !!int secret\n",
            "a value does not have the form that its tag demands",
            Some(1),
        ),
        ("a: [\n", "it is not well-formed YAML", Some(1)),
        ("a: \"secret\n", "it is not well-formed YAML", Some(2)),
        (
            "[secret]: 1\n",
            "a list or map is where a key is expected",
            Some(1),
        ),
    ] {
        let error = parse(yaml, false, false).unwrap_err();
        assert_eq!(
            (error.message.as_str(), error.line),
            (message, line),
            "{yaml:?}"
        );
    }
}

#[test]
fn bombs_are_refused_quickly() {
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for i in 1..30 {
        let list = format!("*a{},", i - 1).repeat(9);
        bomb.push_str(&format!("a{i}: &a{i} [{list}]\n"));
    }
    let deep = format!("a: {}", "[".repeat(100_000));
    let steps: String = (0..300).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
    let keys = "? ".repeat(50_000);
    let large = "a: b\n".repeat(100_000);
    let quotes = format!("a: '{}", "x\n".repeat(100_000));
    let levels = format!("a: {}{}", "[".repeat(5_000), "]".repeat(5_000));
    let mut chain = "a0: &a0 [x]\n".to_owned();
    for i in 1..40 {
        chain.push_str(&format!("a{i}: &a{i} [*a{}]\n", i - 1));
    }
    let copies = format!("a: &a {}\nb: [{}]\n", "x".repeat(10_000), "*a,".repeat(200));
    let scalar = format!("a: {}\n", "x".repeat(1 << 20));
    for yaml in [
        bomb, deep, steps, keys, large, quotes, levels, chain, copies, scalar,
    ] {
        assert!(parse(&yaml, false, false).is_err());
        assert!(parse(&yaml, true, false).is_err());
        assert!(parse(&yaml, true, true).is_ok());
        assert!(parse(&yaml, false, true).is_ok());
    }
}

#[test]
fn lenient_reads_lines_as_python_falls_back() {
    let yaml = "name: \"a\"\nbad: x: y\n  inner : z\n- item: y\n# note: n\nurl:x\nno colon\n:\nname: b\u{1C}\n";
    assert_eq!(
        json!(parse(yaml, true, true).unwrap().values),
        json!({"name": "b", "bad": "x: y", "inner": "z", "- item": "y", "# note": "n", "url": "x", "": ""})
    );
    assert_eq!(
        json!(parse("- a\n- b: c\n", true, true).unwrap().values),
        json!({})
    );
}

#[test]
fn lenient_reads_lines() {
    let yaml = "name: review\ndescription: Use when: asked\nquoted: \"a: b\"\nhalf: \"a\n  inner: x\n- item: y\n\
                # note: z\nurl:x\nempty:\ntwo words: w\nname: last\n";
    assert_eq!(
        json!(parse(yaml, false, true).unwrap().values),
        json!({"name": "last", "description": "Use when: asked", "quoted": "a: b", "half": "\"a", "empty": ""})
    );
    // Good YAML stays YAML.
    assert_eq!(
        json!(parse("a: 1\n", false, true).unwrap().values),
        json!({"a": 1})
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_panics(yaml in "[a-c:\\-\\[\\]{}&*!|>'\"#%@ \n\t?~<,1.é]{0,40}") {
        let first = parse(&yaml, false, false);
        prop_assert!(first == parse(&yaml, false, false));
        prop_assert!(parse(&yaml, true, true).is_ok());
    }
}

#[test]
fn a_large_block_is_not_reported_as_invalid() {
    let error = parse(&"key: value\n".repeat(30_000), false, false).unwrap_err();
    assert!(error.message.contains("256 KiB"), "{}", error.message);
    assert!(!error.help.contains("lenient"), "{}", error.help);
}

/// What `lenient` leaves out: the first line, the key that it continues, and the number of lines.
fn unread(yaml: &str, yaml11: bool) -> Option<(usize, Option<String>, usize)> {
    let unread = parse(yaml, yaml11, true).unwrap().unread?;
    Some((unread.line, unread.continues, unread.lines))
}

/// Front matter as it is written for skills and rules, all of which is read.
#[test]
fn what_is_read_whole_is_not_unread() {
    for yaml in [
        "name: a\ndescription: Use when asked.\n",
        "name: a\ndescription: Use when: asked\n",
        "# Written by hand: keep.\nname: a\n\n\ndescription: a: b\n# end\n",
        "description: \"Use when: asked\"\n",
        "description: >-\n  Reads a page: then\n  says.\n",
        "description: |\n  One.\n\n  # no comment\n  Two: 2\n",
        "description: Reads a page\n  and says more.\n",
        "description: \"Reads:\n  more\"\n",
        "name: a\nallowed-tools:\n  - Read\n  - Bash(git *)\n",
        "name: a\nallowed-tools:\n- Read\n- Write\n",
        "metadata:\n  hermes: {tags: [a, b]}\n",
        "globs: *.ts\nalwaysApply: false\ndescription:\n",
        "globs: **/*.rs,**/*.toml\ndescription: Rust: style\n",
        "description: @docs/style.md\n",
        "description: `code`: x\n",
        "name: a\r\ndescription: a: b\r\n\r\n",
        "version: 1.0\nlicense: 'MIT'\ndescription: Say \"no\": always\n",
        "name: a\nname: a\n",
        "description: {{ todo }}: x\n",
        "",
        "\n# only: a comment\n",
        "~\n",
    ] {
        for yaml11 in [false, true] {
            assert_eq!(unread(yaml, yaml11), None, "{yaml11} {yaml:?}");
        }
    }
}

#[test]
fn what_lenient_leaves_out_is_unread() {
    let key = |key: &str| Some(key.to_owned());
    for (yaml, line, continues, lines) in [
        (
            "name: a\ndescription: Reads a page: then\n  says more.\n",
            3,
            key("description"),
            1,
        ),
        ("d: a: b\n\tmore\n", 2, key("d"), 1),
        ("tools: a: b\nd: |\n  One.\n\n  Two: 2\n", 3, key("d"), 2),
        ("tools: a: b\nd: >-\n  One.\nname: x\n", 3, key("d"), 1),
        ("d: \"Reads: a\n  page\" x\n", 2, key("d"), 1),
        ("d: a: b\ntags:\n- x\n- y\n", 3, key("tags"), 2),
        ("d: a: b\ntags:\n  - x: 1\n", 3, key("tags"), 1),
        (
            "d: a: b\nmetadata:\n  hermes:\n    tags: [a]\n",
            3,
            key("metadata"),
            2,
        ),
        ("name: a\nname: b\nd: a: b\n", 1, None, 1),
        ("d: a: b\nplain words\n", 2, None, 1),
        ("plain words\nd: a: b\n", 1, None, 1),
        ("d: [a,\n  b\nname: x\n", 2, key("d"), 1),
        ("- a\n- b\n", 1, None, 2),
        ("Some text between two lines.\n", 1, None, 1),
        ("d: a: b\r\n  more\r\n", 2, key("d"), 1),
        (
            "d: a: b\n  # no comment, but text\n  more\n",
            3,
            key("d"),
            1,
        ),
    ] {
        for yaml11 in [false, true] {
            let told = unread(yaml, yaml11);
            let expected = Some((line, continues.clone(), lines));
            assert_eq!(told, expected, "{yaml11} {yaml:?}");
        }
    }
    // Keys that 1.1 takes and 1.2 does not.
    for (yaml, line) in [
        ("d: a: b\nurl:x\n", 2),
        ("d: a: b\ntwo words: w\n", 2),
        ("\"quoted\": a: b\n", 1),
    ] {
        assert_eq!(unread(yaml, false), Some((line, None, 1)), "{yaml:?}");
        assert_eq!(unread(yaml, true), None, "{yaml:?}");
    }
    // Python programs trim keys, so a block that is indented as a whole is read.
    let indented = "\n\n  d: a: b\n    more\n";
    assert_eq!(unread(indented, true), Some((4, key("d"), 1)));
    assert_eq!(unread(indented, false), Some((3, None, 2)));
}

/// Each word of bad YAML is in a value, or its line is unread.
#[test]
fn nothing_of_large_front_matter_is_lost() {
    let yaml = format!("d: a: b\n{}", "  more and more\n".repeat(70_000));
    for yaml11 in [false, true] {
        assert_eq!(
            unread(&yaml, yaml11),
            Some((2, Some("d".to_owned()), 70_000))
        );
    }
}
