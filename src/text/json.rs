//! JSON in canonical form, so that a reordered key or an added blank changes nothing.
//!
//! The canonical form is made of the file's own bytes wherever possible: keys, values and punctuation keep their
//! position.

use crate::diagnostic::span::line_column;
use serde_json::Value;
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
    let Some(value) = reader.whole() else {
        return Err(fault(text));
    };
    let mut writer = Writer {
        text,
        pieces: Vec::new(),
    };
    writer.value(&value)?;
    Ok(writer.pieces)
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

/// A value and the position of its bytes.
enum Node<'t> {
    /// A number or word; its canonical form is how it is written.
    Plain(Range<usize>),
    /// A string, quotes included, with its value if it has escapes.
    Text(Range<usize>, Option<String>),
    /// A list: the brackets, the items and the commas between them.
    List(Range<usize>, Vec<Node<'t>>, Vec<usize>),
    /// An object: the braces, the members, ordered by name, and the commas between them.
    Object(Range<usize>, Vec<Member<'t>>, Vec<usize>),
}

/// A member of an object.
struct Member<'t> {
    name: Cow<'t, str>,
    /// The name in the file, quotes included.
    quoted: Range<usize>,
    colon: usize,
    value: Node<'t>,
}

/// Reads JSON once, keeping places. It gives `None` for what is not JSON and leaves it to [`fault`] to say why.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn whole(&mut self) -> Option<Node<'t>> {
        let value = self.value()?;
        self.peek().is_none().then_some(value)
    }

    /// The next byte that is not white space, which becomes the reader's position.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += rest.iter().take_while(|byte| blank(byte)).count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Moves past that byte, if it is `mark`; returns its position.
    fn mark(&mut self, mark: u8) -> Option<usize> {
        (self.peek()? == mark).then(|| {
            self.at += 1;
            self.at - 1
        })
    }

    fn value(&mut self) -> Option<Node<'t>> {
        match self.peek()? {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::list),
            b'"' => {
                let (range, name) = self.string()?;
                Some(Node::Text(range, name))
            }
            b'-' | b'0'..=b'9' => self.number(),
            _ => {
                let rest = &self.text[self.at..];
                let word = ["null", "true", "false"];
                let word = word.into_iter().find(|word| rest.starts_with(word))?;
                self.at += word.len();
                Some(Node::Plain(self.at - word.len()..self.at))
            }
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Node<'t>>) -> Option<Node<'t>> {
        self.depth += 1;
        let node = (self.depth <= DEEPEST).then(|| read(self)).flatten();
        self.depth -= 1;
        node
    }

    fn list(&mut self) -> Option<Node<'t>> {
        let start = self.mark(b'[')?;
        let (mut items, mut commas) = (Vec::new(), Vec::new());
        if let Some(end) = self.mark(b']') {
            return Some(Node::List(start..end + 1, items, commas));
        }
        loop {
            items.push(self.value()?);
            match self.mark(b',') {
                Some(comma) => commas.push(comma),
                None => break,
            }
        }
        let end = self.mark(b']')?;
        Some(Node::List(start..end + 1, items, commas))
    }

    fn object(&mut self) -> Option<Node<'t>> {
        let start = self.mark(b'{')?;
        let (mut members, mut commas) = (Vec::new(), Vec::new());
        if let Some(end) = self.mark(b'}') {
            return Some(Node::Object(start..end + 1, members, commas));
        }
        loop {
            self.peek()?;
            let (quoted, name) = self.string()?;
            members.push(Member {
                name: match name {
                    Some(name) => Cow::Owned(name),
                    None => Cow::Borrowed(&self.text[quoted.start + 1..quoted.end - 1]),
                },
                quoted,
                colon: self.mark(b':')?,
                value: self.value()?,
            });
            match self.mark(b',') {
                Some(comma) => commas.push(comma),
                None => break,
            }
        }
        let end = self.mark(b'}')?;
        members.sort_by(|a, b| a.name.cmp(&b.name));
        Some(Node::Object(start..end + 1, members, commas))
    }

    /// A string with its quotes, and its value if that is written otherwise.
    fn string(&mut self) -> Option<(Range<usize>, Option<String>)> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        if bytes.get(start) != Some(&b'"') {
            return None;
        }
        let mut escapes = false;
        let mut end = start + 1;
        loop {
            match bytes.get(end)? {
                b'"' => break,
                b'\\' => {
                    escapes = true;
                    end += 2;
                }
                0..0x20 => return None,
                _ => end += 1,
            }
        }
        self.at = end + 1;
        let range = start..self.at;
        let value = match escapes {
            true => Some(serde_json::from_str(&self.text[range.clone()]).ok()?),
            false => None,
        };
        Some((range, value))
    }

    fn number(&mut self) -> Option<Node<'t>> {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        self.at += rest.iter().take_while(|byte| part(byte)).count();
        let range = start..self.at;
        // The engine knows how numbers are written, and which are out of range.
        serde_json::from_str::<serde_json::Number>(&self.text[range.clone()]).ok()?;
        Some(Node::Plain(range))
    }
}

struct Writer<'t> {
    text: &'t str,
    pieces: Vec<CanonicalPart>,
}

impl Writer<'_> {
    fn copy(&mut self, range: Range<usize>) {
        match self.pieces.last_mut() {
            Some(CanonicalPart::Copied(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(CanonicalPart::Copied(range)),
        }
    }

    /// Fails if an object has a key twice.
    fn value(&mut self, node: &Node<'_>) -> Result<(), JsonError> {
        match node {
            // A number means its digits: as a double it could lose some.
            Node::Plain(range) => {
                self.copy(range.clone());
                Ok(())
            }
            Node::Text(range, value) => {
                self.string(range, value.as_deref());
                Ok(())
            }
            Node::List(range, items, commas) => {
                self.copy(range.start..range.start + 1);
                for (index, item) in items.iter().enumerate() {
                    if let Some(comma) = index.checked_sub(1) {
                        self.copy(commas[comma]..commas[comma] + 1);
                    }
                    self.value(item)?;
                }
                self.copy(range.end - 1..range.end);
                Ok(())
            }
            Node::Object(range, members, commas) => self.object(range, members, commas),
        }
    }

    fn object(
        &mut self,
        range: &Range<usize>,
        members: &[Member<'_>],
        commas: &[usize],
    ) -> Result<(), JsonError> {
        // Those of one name are in the order of the file.
        let mut pairs = members.windows(2);
        if let Some([_, again]) = pairs.find(|pair| pair[0].name == pair[1].name) {
            let (line, column) = line_column(self.text, again.quoted.start);
            return Err(JsonError::Twice {
                key: again.name.to_string(),
                line,
                column,
            });
        }
        self.copy(range.start..range.start + 1);
        for (index, member) in members.iter().enumerate() {
            // The n-th comma of the file, at any depth.
            if let Some(comma) = index.checked_sub(1) {
                self.copy(commas[comma]..commas[comma] + 1);
            }
            match &member.name {
                // A name that had to be made takes its colon along.
                Cow::Owned(name) => {
                    let plain = Value::from(name.as_str()).to_string();
                    self.pieces.push(CanonicalPart::Made(format!("{plain}:")));
                }
                Cow::Borrowed(_) => {
                    self.copy(member.quoted.clone());
                    self.copy(member.colon..member.colon + 1);
                }
            }
            self.value(&member.value)?;
        }
        self.copy(range.end - 1..range.end);
        Ok(())
    }

    fn string(&mut self, range: &Range<usize>, value: Option<&str>) {
        let plain = value.map(|value| Value::from(value).to_string());
        match plain {
            Some(plain) if self.text[range.clone()] != plain => {
                self.pieces.push(CanonicalPart::Made(plain))
            }
            _ => self.copy(range.clone()),
        }
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
