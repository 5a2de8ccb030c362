//! `json FILE`: the file's value in canonical form, so that a reordered key or an added blank changes nothing.
//!
//! The canonical form is made of the file's own bytes wherever it can be: keys, values and punctuation keep their place.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;

/// Why there is no canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The text stops being JSON there (from 1), or nests deeper than 127 levels.
    Syntax {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// An object has a key twice, and readers differ in which one they take.
    Twice,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column } => {
                write!(
                    f,
                    "is not JSON, or nests too deeply (line {line}, column {column})"
                )
            }
            Self::Twice => f.write_str("has a key twice in one object"),
        }
    }
}

/// A stretch of the canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// These bytes of the file.
    Copied(Range<usize>),
    /// Other bytes: an escape that JSON does not need, or a number written another way.
    Made(String),
}

/// The canonical form: keys in code point order, no blanks, no escapes that JSON does not need; numbers as they are
/// written.
///
/// # Errors
/// When `text` is not JSON, nests too deeply, or an object has a key twice.
pub fn canonical(text: &str) -> Result<Vec<Piece>, Fault> {
    let place = |e: serde_json::Error| match e.line() {
        // The only error that this file raises itself has no place.
        0 => Fault::Twice,
        line => Fault::Syntax {
            line,
            column: e.column().max(1),
        },
    };
    // Also bounds the depth.
    serde_json::from_str::<Value>(text).map_err(place)?;
    let raw: &RawValue = serde_json::from_str(text).map_err(place)?;
    let mut writer = Writer {
        text,
        pieces: Vec::new(),
    };
    writer.value(raw).map_err(place)?;
    Ok(writer.pieces)
}

struct Writer<'t> {
    text: &'t str,
    pieces: Vec<Piece>,
}

impl<'t> Writer<'t> {
    /// Where a part of the text stands in it.
    fn place(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
        start..start + part.len()
    }

    fn copy(&mut self, range: Range<usize>) {
        match self.pieces.last_mut() {
            Some(Piece::Copied(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(Piece::Copied(range)),
        }
    }

    /// The punctuation mark that comes next behind `at`, white space apart.
    fn mark(&mut self, at: usize, mark: char) {
        match self.text[at..].find(mark) {
            Some(skip) => self.copy(at + skip..at + skip + 1),
            None => self.pieces.push(Piece::Made(mark.to_string())),
        }
    }

    fn value(&mut self, raw: &'t RawValue) -> serde_json::Result<()> {
        let range = self.place(raw.get());
        match raw.get().as_bytes().first() {
            Some(b'{') => self.object(raw, range),
            Some(b'[') => self.list(raw, range),
            // A number means its digits: as a double it could lose some.
            Some(b'-' | b'0'..=b'9') => {
                self.copy(range);
                Ok(())
            }
            _ => {
                let plain = serde_json::from_str::<Value>(raw.get())?.to_string();
                self.copied_or_made(range, plain);
                Ok(())
            }
        }
    }

    fn copied_or_made(&mut self, range: Range<usize>, text: String) {
        if self.text[range.clone()] == text {
            self.copy(range);
        } else {
            self.pieces.push(Piece::Made(text));
        }
    }

    fn list(&mut self, raw: &'t RawValue, range: Range<usize>) -> serde_json::Result<()> {
        let items: Vec<&RawValue> = serde_json::from_str(raw.get())?;
        self.copy(range.start..range.start + 1);
        for (index, item) in items.iter().enumerate() {
            if let Some(before) = index.checked_sub(1) {
                let end = self.place(items[before].get()).end;
                self.mark(end, ',');
            }
            self.value(item)?;
        }
        self.copy(range.end - 1..range.end);
        Ok(())
    }

    fn object(&mut self, raw: &'t RawValue, range: Range<usize>) -> serde_json::Result<()> {
        let Members(members) = serde_json::from_str(raw.get())?;
        // The n-th comma of the file, whatever stood around it.
        let ends: Vec<usize> = members
            .iter()
            .map(|m| self.place(m.value.get()).end)
            .collect();
        let mut sorted: Vec<&Member<'_>> = members.iter().collect();
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        if sorted.windows(2).any(|pair| pair[0].name == pair[1].name) {
            return Err(serde::de::Error::custom("a key stands twice"));
        }
        self.copy(range.start..range.start + 1);
        for (index, member) in sorted.into_iter().enumerate() {
            if let Some(before) = index.checked_sub(1) {
                self.mark(ends[before], ',');
            }
            self.key(member);
            self.value(member.value)?;
        }
        self.copy(range.end - 1..range.end);
        Ok(())
    }

    fn key(&mut self, member: &Member<'t>) {
        let plain = Value::from(member.name.as_str()).to_string();
        let Some(inside) = member.written.map(|w| self.place(w)) else {
            self.pieces.push(Piece::Made(format!("{plain}:")));
            return;
        };
        let quoted = inside.start - 1..inside.end + 1;
        self.copied_or_made(quoted.clone(), plain);
        self.mark(quoted.end, ':');
    }
}

/// A member of an object.
struct Member<'t> {
    name: String,
    /// The name in the file, if it is written without escapes.
    written: Option<&'t str>,
    value: &'t RawValue,
}

struct Members<'t>(Vec<Member<'t>>);

struct Name<'t> {
    name: String,
    written: Option<&'t str>,
}

impl<'t> Deserialize<'t> for Name<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'t> Visitor<'t> for Reader {
            type Value = Name<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, written: &'t str) -> Result<Self::Value, E> {
                Ok(Name {
                    name: written.to_owned(),
                    written: Some(written),
                })
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Name {
                    name: name.to_owned(),
                    written: None,
                })
            }
        }
        deserializer.deserialize_str(Reader)
    }
}

impl<'t> Deserialize<'t> for Members<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'t> Visitor<'t> for Reader {
            type Value = Members<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Name { name, written }, value)) = map.next_entry()? {
                    members.push(Member {
                        name,
                        written,
                        value,
                    });
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
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
                Piece::Copied(range) => out.push_str(&text[range]),
                Piece::Made(bytes) => {
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
    fn what_is_written_otherwise_is_made() {
        assert_eq!(
            form(r#"{"\u0061": "\/", "a\n": 1e2}"#).0,
            r#"{"a":"/","a\n":1e2}"#
        );
        assert_eq!(
            canonical(r#"[{"a": 1, "b": 2, "a": 3}]"#),
            Err(Fault::Twice)
        );
        assert_eq!(form(" [ ] ").0, "[]");
        assert_eq!(form("{}").0, "{}");
    }

    #[test]
    fn errors_have_a_place() {
        let end = Fault::Syntax { line: 2, column: 2 };
        assert_eq!(canonical("[1,\n 2"), Err(end));
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

    proptest! {
        #[test]
        fn the_form_is_that_of_the_value(value in values()) {
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(form(&pretty).0, value.to_string());
        }
    }
}
