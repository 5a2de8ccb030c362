//! JSON in canonical form, so that a reordered key or an added blank changes nothing.
//!
//! The canonical form is made of the file's own bytes wherever possible: keys, values and punctuation keep their
//! position.

use crate::diagnostic::span::line_column;
use serde::Deserialize;
use serde_json::{Deserializer, Value};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Why there is no canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonError {
    /// The text stops being JSON there (from 1), or being what is read of it.
    Syntax {
        /// The error, after the name of the text.
        why: &'static str,
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// An object has a key twice, and readers differ in which one they take.
    Twice {
        /// The key.
        key: String,
        /// The line of the error again, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
    },
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { why, line, column } => {
                write!(f, "{why} (line {line}, column {column})")
            }
            Self::Twice { key, line, column } => {
                let key = key.escape_debug();
                write!(
                    f,
                    "has the key `{key}` twice in one object (line {line}, column {column})"
                )
            }
        }
    }
}

impl JsonError {
    /// The fix.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Twice { .. } => "keep one of the two: readers differ in which one they take",
            Self::Syntax { why: EMPTY, .. } => "write a value, such as {} or null",
            Self::Syntax { why: DEEP, .. } => "write it flatter",
            Self::Syntax { why: RANGE, .. } => "write it in quotes, as text",
            Self::Syntax { .. } => {
                "write one value of JSON, without comments and without a comma after the last part"
            }
        }
    }
}

const EMPTY: &str = "is empty, which is not JSON";
const DEEP: &str = "nests deeper than 127 levels";
const RANGE: &str = "has a number that is too large for JSON's readers";
const NOT_JSON: &str = "is not JSON";

/// A stretch of the canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanonicalPart {
    /// The bytes of a range of the file.
    Copied(Range<usize>),
    /// Other bytes: an escape that JSON does not need, or a number written another way.
    Made(String),
}

/// The canonical form: keys in code point order, no blanks, no escapes that JSON does not need; numbers as they are
/// written.
///
/// # Errors
/// When `text` is not JSON, nests too deeply, or an object has a key twice.
pub fn canonical(text: &str) -> Result<Vec<CanonicalPart>, JsonError> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
    };
    let mut form = Form::default();
    let read = reader.value(&mut form);
    match read.filter(|_| reader.peek().is_none()) {
        Some(unique) => unique.map(|()| form.0),
        None => Err(fault(text)),
    }
}

/// Where a text that [`Reader`] refused stops being JSON: its only errors are those of the engine for JSON, which says
/// where they are.
fn fault(text: &str) -> JsonError {
    // The two agree; if they did not, the beginning would be as good a place as any.
    let error = serde_json::from_str::<Value>(text).err();
    let (line, column, said) = error.map_or((1, 1, String::new()), |error| {
        (error.line(), error.column(), error.to_string())
    });
    let why = match said.as_str() {
        _ if text.trim().is_empty() => EMPTY,
        said if said.starts_with("recursion limit") => DEEP,
        said if said.starts_with("number out of range") => RANGE,
        _ => NOT_JSON,
    };
    JsonError::Syntax {
        why,
        line: line.max(1),
        column: column.max(1),
    }
}

/// The most levels to which lists and objects may nest, as for the engine.
const DEEPEST: usize = 127;

/// The canonical form of what was read.
#[derive(Default)]
struct Form(Vec<CanonicalPart>);

impl Form {
    fn copy(&mut self, range: Range<usize>) {
        match self.0.last_mut() {
            Some(CanonicalPart::Copied(last)) if last.end == range.start => last.end = range.end,
            _ => self.0.push(CanonicalPart::Copied(range)),
        }
    }

    fn append(&mut self, other: Self) {
        for part in other.0 {
            match part {
                CanonicalPart::Copied(range) => self.copy(range),
                made => self.0.push(made),
            }
        }
    }
}

/// Whether each key of a value is unique; else the first that is not, the outermost object first.
type Unique = Result<(), JsonError>;

/// A member of an object.
struct Member<'t> {
    name: Cow<'t, str>,
    /// The name in the file, quotes included.
    quoted: Range<usize>,
    /// The name, the colon and the value.
    form: Form,
    unique: Unique,
}

/// A text, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'t>(#[serde(borrow)] Cow<'t, str>);

/// Reads JSON once, keeping places. It gives `None` for what is not JSON and leaves it to [`fault`] to say why.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    /// The next byte that is not white space, which becomes the reader's position.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += rest.iter().take_while(|byte| blank(byte)).count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Moves past that byte, if it is `mark`; returns its place.
    fn mark(&mut self, mark: u8) -> Option<Range<usize>> {
        (self.peek()? == mark).then(|| {
            self.at += 1;
            self.at - 1..self.at
        })
    }

    fn value(&mut self, form: &mut Form) -> Option<Unique> {
        match self.peek()? {
            b'{' => return self.nested(Self::object, form),
            b'[' => return self.nested(Self::list, form),
            b'"' => {
                let (range, Text(text)) = self.scalar()?;
                let plain = Value::from(text).to_string();
                if self.text[range.clone()] == plain {
                    form.copy(range);
                } else {
                    form.0.push(CanonicalPart::Made(plain));
                }
            }
            // A number means its digits: as a double it could lose some.
            _ => form.copy(self.scalar::<Value>()?.0),
        }
        Some(Ok(()))
    }

    fn nested(
        &mut self,
        read: fn(&mut Self, &mut Form) -> Option<Unique>,
        form: &mut Form,
    ) -> Option<Unique> {
        self.depth += 1;
        let read = (self.depth <= DEEPEST).then(|| read(self, form)).flatten();
        self.depth -= 1;
        read
    }

    fn list(&mut self, form: &mut Form) -> Option<Unique> {
        form.copy(self.mark(b'[')?);
        let mut unique = Ok(());
        if self.peek()? != b']' {
            loop {
                let item = self.value(form)?;
                unique = unique.and(item);
                match self.mark(b',') {
                    Some(comma) => form.copy(comma),
                    None => break,
                }
            }
        }
        form.copy(self.mark(b']')?);
        Some(unique)
    }

    fn object(&mut self, form: &mut Form) -> Option<Unique> {
        form.copy(self.mark(b'{')?);
        let (mut members, mut commas) = (Vec::new(), Vec::new());
        if self.peek()? != b'}' {
            loop {
                members.push(self.member()?);
                match self.mark(b',') {
                    Some(comma) => commas.push(comma),
                    None => break,
                }
            }
        }
        let end = self.mark(b'}')?;
        // Those of one name stay in the order of the file.
        members.sort_by(|a, b| a.name.cmp(&b.name));
        let mut pairs = members.windows(2);
        let twice = pairs.find(|pair| pair[0].name == pair[1].name);
        let mut unique = twice.map_or(Ok(()), |pair| Err(self.twice(&pair[1])));
        // The n-th comma of the file, at any depth.
        let mut commas = commas.into_iter();
        for (index, member) in members.into_iter().enumerate() {
            if index > 0 {
                commas.next().into_iter().for_each(|comma| form.copy(comma));
            }
            form.append(member.form);
            unique = unique.and(member.unique);
        }
        form.copy(end);
        Some(unique)
    }

    fn member(&mut self) -> Option<Member<'t>> {
        self.peek()?;
        let (quoted, Text(name)) = self.scalar()?;
        let colon = self.mark(b':')?;
        let mut form = Form::default();
        match &name {
            // A name that had to be made takes its colon along.
            Cow::Owned(name) => {
                let plain = Value::from(name.as_str());
                form.0.push(CanonicalPart::Made(format!("{plain}:")));
            }
            Cow::Borrowed(_) => {
                form.copy(quoted.clone());
                form.copy(colon);
            }
        }
        let unique = self.value(&mut form)?;
        Some(Member {
            name,
            quoted,
            form,
            unique,
        })
    }

    /// The error of a key that is there again.
    fn twice(&self, again: &Member<'_>) -> JsonError {
        let (line, column) = line_column(self.text, again.quoted.start);
        JsonError::Twice {
            key: again.name.to_string(),
            line,
            column,
        }
    }

    /// A text, number or word, and its place.
    fn scalar<T: Deserialize<'t>>(&mut self) -> Option<(Range<usize>, T)> {
        let start = self.at;
        let mut values = Deserializer::from_str(&self.text[start..]).into_iter();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some((start..self.at, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The form, and how many of its bytes were made.
    fn form(text: &str) -> (String, usize) {
        let mut out = String::new();
        let mut made = 0;
        for piece in canonical(text).unwrap() {
            match piece {
                CanonicalPart::Copied(range) => out.push_str(&text[range]),
                CanonicalPart::Made(bytes) => {
                    made += bytes.len();
                    out.push_str(&bytes);
                }
            }
        }
        (out, made)
    }

    #[test]
    fn keys_are_sorted_and_bytes_copied() {
        let text = "{ \"b\" : [ 1 , 2.50, \"é\" ],\n \"a\": {\"y\":null , \"x\":true} }";
        let sorted = "{\"a\":{\"x\":true,\"y\":null},\"b\":[1,2.50,\"é\"]}";
        assert_eq!(form(text), (sorted.to_owned(), 0));
    }

    #[test]
    fn other_spellings_are_built() {
        assert_eq!(
            form(r#"{"\u0061": "\/", "a\n": 1e2}"#).0,
            r#"{"a":"/","a\n":1e2}"#
        );
        assert_eq!(
            canonical(r#"[{"a": 1, "b": 2, "a": 3}]"#),
            Err(JsonError::Twice {
                key: "a".to_owned(),
                line: 1,
                column: 19,
            })
        );
        assert_eq!(form(" [ ] ").0, "[]");
        assert_eq!(form("{}").0, "{}");
    }

    #[test]
    fn errors_have_a_place() {
        let said = |text: &str| canonical(text).unwrap_err().to_string();
        assert_eq!(said("[1,\n 2"), "is not JSON (line 2, column 2)");
        assert_eq!(
            said(" \n"),
            "is empty, which is not JSON (line 2, column 1)"
        );
        assert!(said("[1e400]").starts_with("has a number that is too large"));
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert!(said(&deep).starts_with("nests deeper than 127 levels"));
        let twice = "{\n \"é\": 1, \"\\u00e9\": 2}";
        assert_eq!(
            said(twice),
            "has the key `é` twice in one object (line 2, column 10)"
        );
        assert!(canonical(&"[".repeat(100_000)).is_err());
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-c\"\\\\/é\n ,:{}]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-c\" ,:]{0,3}", inner, 0..4)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    fn soup() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("{".to_owned()),
            Just("}".to_owned()),
            Just("[".to_owned()),
            Just("]".to_owned()),
            Just(",".to_owned()),
            Just(":".to_owned()),
            Just("\"a\":".to_owned()),
            Just("null".to_owned()),
            "[ \t\n\r\u{b}]",
            "-?[0-9]{1,2}(\\.[0-9]?)?([eE][+-]?[0-9]{0,3})?",
            "\"([a\u{1}é]|\\\\[\"nuqx/]|\\\\u(00e9|d83d|de80|12)){0,3}\"?",
        ];
        proptest::collection::vec(part, 0..9).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn it_accepts_what_the_engine_accepts(soup in soup(), wrap in any::<bool>()) {
            let text = if wrap { format!("[{soup}]") } else { soup };
            let engine = serde_json::from_str::<Value>(&text).map_err(|e| (e.line(), e.column().max(1)));
            let own = match canonical(&text) {
                Err(JsonError::Syntax { line, column, .. }) => Err((line, column)),
                Ok(_) | Err(JsonError::Twice { .. }) => Ok(()),
            };
            prop_assert_eq!(own, engine.map(drop));
        }

        #[test]
        fn the_form_is_that_of_the_value(value in values()) {
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(form(&pretty).0, value.to_string());
        }
    }
}
