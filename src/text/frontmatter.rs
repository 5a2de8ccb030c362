//! YAML between two `---` lines at the head of a document.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::options::{
    AliasLimits, DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy,
};
use serde_saphyr::{Error, Options};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// Where a document's front matter stands (bytes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Front {
    /// What stands between the two lines.
    pub yaml: Range<usize>,
    /// What follows the second line, as it is.
    pub body: Range<usize>,
}

/// Finds the front matter: from a leading `---` to the next line that starts with it, both lines with their ends.
///
/// There is none if the text starts otherwise or if no second line follows.
#[must_use]
pub fn split(text: &str) -> Option<Front> {
    if !text.starts_with("---") {
        return None;
    }
    let yaml = text.find('\n')? + 1;
    let close = match text[yaml..].starts_with("---") {
        true => yaml,
        false => yaml + text[yaml..].find("\n---")? + 1,
    };
    let body = text[close..]
        .find('\n')
        .map_or(text.len(), |at| close + at + 1);
    Some(Front {
        yaml: yaml..close,
        body: body..text.len(),
    })
}

/// Front matter that is not YAML, or more than is read. It never shows content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontmatterError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1, counted in the YAML; in the document it is one more.
    pub line: Option<usize>,
    /// The way out.
    pub help: &'static str,
}

const COLON: &str = "quote values that hold a colon, or write `frontmatter parse lenient`";
const LENIENT: &str = "`frontmatter parse lenient` reads each `key: value` line of bad YAML";
const PLAIN: &str = "write `key: value` lines, or `frontmatter strip` if nobody reads it";

/// The largest front matter that is read, in bytes.
const LARGEST: usize = 256 * 1024;
/// How deep lists and maps may nest.
const DEEPEST: usize = 32;
const TWICE: &str = "a key stands twice";
const MALFORMED: &str = "it is not well-formed YAML";

/// The values of front matter.
///
/// YAML 1.2 (core schema) unless `yaml11`, which adds what that version had: yes, no, on, off, y and n as booleans,
/// octal numbers with a leading 0, numbers with underscores, and `<<` as a merge. Dates stay strings; so do, in 1.2,
/// numbers with a leading 0 or an underscore, and in both infinities and not-a-number. A key that is no string becomes
/// the text that it is written as, a null key `null`. No value or nothing at all is the empty map.
///
/// With `lenient`, YAML that cannot be read is read line by line instead: each `key: value` line that starts with its key
/// is a string, outer quotes dropped, the last of one key wins, and other lines are ignored.
///
/// # Errors
/// When it is not YAML, repeats a key, is no map, nests deeper than 32 levels, expands aliases beyond measure or is larger
/// than 256 KiB.
pub fn parse(
    yaml: &str,
    yaml11: bool,
    lenient: bool,
) -> Result<BTreeMap<String, Value>, FrontmatterError> {
    if let Some(map) = plain(yaml) {
        return Ok(map);
    }
    match strict(yaml, yaml11) {
        Err(_) if lenient => Ok(by_lines(yaml)),
        result => result,
    }
}

/// Front matter of the usual plain shape, lines `key: words` and `key: [word, word]`, which means the same in every YAML
/// and is read without the machinery for the rest. None for anything else.
fn plain(yaml: &str) -> Option<BTreeMap<String, Value>> {
    let mut out = BTreeMap::new();
    if yaml.len() > LARGEST_PLAIN {
        return None;
    }
    for line in yaml.split_terminator('\n') {
        let (key, value) = line.split_once(": ")?;
        if !is_word(key) || key.len() > 128 {
            return None;
        }
        let value = match value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
            Some(items) => {
                let item = |item: &str| is_word(item).then(|| Value::from(item));
                Value::Array(items.split(", ").map(item).collect::<Option<_>>()?)
            }
            None => (is_words(value) || is_date(value)).then(|| Value::from(value))?,
        };
        if out.insert(key.to_owned(), value).is_some() {
            return None;
        }
    }
    Some(out)
}

/// The largest front matter that is taken for plain, in bytes: far below every limit.
const LARGEST_PLAIN: usize = 4096;

/// One word that stands for itself in every YAML.
fn is_word(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    is_words(text) && text.chars().all(inner)
}

/// Words that stand for themselves in every YAML: no mark that means anything, and no name of another value.
fn is_words(text: &str) -> bool {
    const OTHERS: [&str; 12] = [
        "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity",
    ];
    let inner = |c: char| c.is_alphanumeric() || " .,;_-/()'!?".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(inner)
        && !text.ends_with(' ')
        && !OTHERS.iter().any(|other| text.eq_ignore_ascii_case(other))
}

/// A date, which is a string here.
fn is_date(text: &str) -> bool {
    let shape = |(at, byte): (usize, &u8)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.as_bytes().iter().enumerate().all(shape)
}

fn strict(yaml: &str, yaml11: bool) -> Result<BTreeMap<String, Value>, FrontmatterError> {
    let error = |message: &str| FrontmatterError {
        message: message.to_owned(),
        line: None,
        help: PLAIN,
    };
    if yaml.len() > LARGEST {
        return Err(error("the front matter is larger than 256 KiB"));
    }
    match serde_saphyr::with_deserializer_from_str_with_options(yaml, options(yaml11), |d| {
        Tree.deserialize(d)
    }) {
        Ok(Value::Null) => Ok(BTreeMap::new()),
        Ok(Value::Object(map)) => Ok(map.into_iter().collect()),
        Ok(_) => Err(error("the front matter is not a map of names to values")),
        Err(error) => Err(explain(&error, yaml)),
    }
}

fn options(yaml11: bool) -> Options {
    let mut limits = AliasLimits::default();
    limits.max_total_replayed_events = 10_000;
    limits.max_replay_stack_depth = 16;
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEEPEST,
            flow_nesting_limit: DEEPEST,
            max_events: 50_000,
            max_nodes: 20_000,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_recorded_anchor_events: 50_000,
            max_merge_keys: 100,
            max_documents: 1,
            max_total_scalar_bytes: 4 * LARGEST,
        },
        alias_limits: limits,
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: if yaml11 { MergeKeyPolicy::Merge } else { MergeKeyPolicy::AsOrdinary },
        strict_booleans: !yaml11,
        legacy_octal_numbers: yaml11,
        leading_zero_numbers_as_strings: !yaml11,
        underscored_numbers_as_strings: !yaml11,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    }
}

/// The reader's own messages quote keys and values, so each kind gets a sentence of ours.
fn explain(error: &Error, yaml: &str) -> FrontmatterError {
    let message = match error.without_snippet() {
        Error::DuplicateMappingKey { .. } => TWICE,
        Error::Message { msg, .. } if msg == TWICE => TWICE,
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            "it nests too deeply, or its aliases say too much"
        }
        Error::AliasError { error, .. } => return explain(error, yaml),
        Error::RecursiveReferencesRequireWeakTypes { .. } => "an alias contains itself",
        Error::UnknownAnchor { .. } => "an alias names nothing",
        Error::MultipleDocuments { .. } => "it holds more than one YAML document",
        Error::InvalidScalar { .. } => "a value does not have the form that its tag demands",
        Error::SerdeInvalidType { .. } | Error::Unexpected { .. } => {
            "a list or map stands where a key is expected"
        }
        _ => MALFORMED,
    };
    let line = error
        .location()
        .map(|l| usize::try_from(l.line()).unwrap_or(0))
        .filter(|line| *line > 0);
    let written = line.and_then(|line| yaml.lines().nth(line - 1));
    FrontmatterError {
        help: match message {
            TWICE => "keep one of them; `frontmatter parse lenient` takes the last",
            MALFORMED if written.is_some_and(has_bare_colon) => COLON,
            MALFORMED => LENIENT,
            _ => PLAIN,
        },
        message: message.to_owned(),
        line,
    }
}

/// Whether a line has a value without quotes in which a colon ends a word, as a key does.
fn has_bare_colon(line: &str) -> bool {
    let ends_key = |text: &str| {
        let at = text.match_indices(':').map(|(at, _)| at + 1);
        let ends = |at: usize| text[at..].is_empty() || text[at..].starts_with([' ', '\t']);
        at.into_iter().find(|at| ends(*at))
    };
    let Some(value) = ends_key(line).map(|at| line[at..].trim_start()) else {
        return false;
    };
    !value.starts_with(['"', '\'', '[', '{', '|', '>']) && ends_key(value).is_some()
}

/// Any YAML value as JSON.
struct Tree;

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("not finite"))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Tree)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = map.next_key_seed(Key)? {
            let value = map.next_value_seed(Tree)?;
            if entries.insert(key, value).is_some() {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(Value::Object(entries))
    }
}

/// A key as it is written, whatever its type.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    // As an option, since the reader refuses to give null as a string.
    fn visit_none<E>(self) -> Result<String, E> {
        Ok("null".to_owned())
    }

    fn visit_unit<E>(self) -> Result<String, E> {
        Ok("null".to_owned())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }
}

fn by_lines(yaml: &str) -> BTreeMap<String, Value> {
    yaml.lines()
        .filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            let plain = !key.is_empty()
                && !key.starts_with(['#', '-'])
                && !key.contains(|c: char| c.is_whitespace() || "\"'{}[],&*!|>%@`".contains(c));
            let apart = value.is_empty() || value.starts_with(char::is_whitespace);
            (plain && apart).then(|| (key.to_owned(), unquoted(value.trim()).into()))
        })
        .collect()
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
    use serde_json::json;

    fn parts(text: &str) -> Option<(&str, &str)> {
        split(text).map(|f| (&text[f.yaml], &text[f.body]))
    }

    fn read(yaml: &str) -> Value {
        parse(yaml, false, false).map_or_else(|e| json!(e.message), |map| json!(map))
    }

    #[test]
    fn usual_front_matter_is_plain() {
        let yaml = "name: review\ndescription: It's a note (of Jérôme's), no more.\nreviewed: 2026-09-14\nfor: [a, b]\n";
        assert_eq!(plain(yaml).map(|map| json!(map)), Some(read(yaml)));
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
            assert_eq!(plain(yaml), None, "{yaml}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn plain_means_what_yaml_means(
            lines in proptest::collection::vec(
                ("[abn-]{1,3}|nan|on|é|[0-9]", "(: ?|:)", "\\[?[a-cefinotuy0-9é .,;_/()'!?-]{0,7}\\]?|(true|NO|inf|null|[0-9]{4}-[0-9]{2}-[0-9]{2})[ :]?"),
                0..4,
            ),
            end in "\n?\n?",
            yaml11 in proptest::bool::ANY,
        ) {
            let lines: Vec<String> = lines.iter().map(|(key, colon, value)| format!("{key}{colon}{value}")).collect();
            let yaml = lines.join("\n") + &end;
            if let Some(map) = plain(&yaml) {
                prop_assert_eq!(strict(&yaml, yaml11), Ok(map));
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
            assert_eq!(split(text), None, "{text:?}");
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
            read(
                "large: 18446744073709551615\nm: {a: [{b: c}]}\nt: |\n  x\n  y\nfold: >-\n  x\n  y\n"
            ),
            json!({"large": u64::MAX, "m": {"a": [{"b": "c"}]}, "t": "x\ny\n", "fold": "x y"})
        );
    }

    #[test]
    fn version_1_1() {
        let map = parse(
            "a: yes\nb: Off\nc: 0755\nd: 1_000\nbase: &b {x: 1}\ne: {<<: *b, y: 2}\n",
            true,
            false,
        );
        assert_eq!(
            json!(map.unwrap()),
            json!({"a": true, "b": false, "c": 493, "d": 1000, "base": {"x": 1}, "e": {"x": 1, "y": 2}})
        );
        assert_eq!(
            read("a: &x {k: 1}\nb: {<<: *x}\n"),
            json!({"a": {"k": 1}, "b": {"<<": {"k": 1}}})
        );
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
            ("secret: 1\nsecret: 2\n", "a key stands twice", Some(2)),
            ("1: a\n'1': b\n", "a key stands twice", None),
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
                "a list or map stands where a key is expected",
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
        for yaml in [bomb, deep, steps, keys, large, quotes] {
            assert!(parse(&yaml, false, false).is_err());
            assert!(parse(&yaml, true, true).is_ok());
        }
    }

    #[test]
    fn lenient_reads_lines() {
        let yaml = "name: review\ndescription: Use when: asked\nquoted: \"a: b\"\nhalf: \"a\n  inner: x\n- item: y\n\
                    # note: z\nurl:x\nempty:\ntwo words: w\nname: last\n";
        assert_eq!(
            json!(parse(yaml, false, true).unwrap()),
            json!({"name": "last", "description": "Use when: asked", "quoted": "a: b", "half": "\"a", "empty": ""})
        );
        // Good YAML stays YAML.
        assert_eq!(
            json!(parse("a: 1\n", false, true).unwrap()),
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
}
