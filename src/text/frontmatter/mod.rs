//! YAML between two `---` lines at the head of a document.

mod events;
mod lines;
mod time;
mod scalar;
mod core;
mod plain;
mod split;
mod compose;

pub use lines::Unread;
pub use split::{Close, Front, split};

use serde_json::Value;
use std::collections::BTreeMap;

/// Front matter that is not YAML, or more than is read. It never shows content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontmatterError {
    /// The error.
    pub message: String,
    /// The line, from 1, counted in the YAML.
    pub line: Option<usize>,
    /// The fix.
    pub help: &'static str,
}

/// Front matter that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrontMatter {
    /// The values, ordered by key.
    pub values: BTreeMap<String, Value>,
    /// What `lenient` left out; none if it was read whole.
    pub unread: Option<Unread>,
}

impl From<BTreeMap<String, Value>> for FrontMatter {
    fn from(values: BTreeMap<String, Value>) -> Self {
        Self {
            values,
            unread: None,
        }
    }
}

const COLON: &str = "quote values that hold a colon, or write `frontmatter parse lenient`";
const LENIENT: &str = "`frontmatter parse lenient` reads each `key: value` line of bad YAML";
const PLAIN: &str = "write `key: value` lines, or `frontmatter strip` if it is not needed";

/// The largest front matter that is read, in bytes.
const LARGEST: usize = 256 * 1024;
/// The most text of its values once every alias is expanded, in bytes.
const MOST_TEXT: usize = 4 * LARGEST;
/// The most levels to which lists and maps may nest.
const DEEPEST: usize = 32;
/// The most values, aliases counted as what they name.
const MOST_NODES: usize = 20_000;

const TWICE: &str = "a key appears twice";
const MALFORMED: &str = "it is not well-formed YAML";
const TOO_MUCH: &str = "it nests too deeply, or its aliases expand too far";
const IN_ITSELF: &str = "an alias contains itself";
const UNKNOWN_ALIAS: &str = "an alias names nothing";
const SECOND_DOCUMENT: &str = "it holds more than one YAML document";
const NO_TAG: &str = "a value has a tag that is not read";
const MISFIT: &str = "a value does not have the form that its tag demands";
const NO_KEY: &str = "a list or map is where a key is expected";

/// Reads front matter.
///
/// YAML 1.2 (core schema), where a key may appear once; dates, infinities, not-a-number and numbers with a leading 0 or
/// an underscore stay strings, and a tag that is not known says nothing. Or, with `yaml11`, YAML 1.1 as Python's safe loader reads it: yes, no, on and off are
/// booleans, `0x1F`, `017`, `1_000` and `1:30` numbers, `1e3` is text, `<<` merges, the last of one key wins. Values
/// that JSON lacks are the text that Python prints: dates (`2026-01-02 03:04:05`), infinities, integers beyond 64 bits.
/// A date must exist; tags other than null, bool, int, float, str, timestamp, seq and map are an error.
///
/// A key that is no string becomes the text that it is written as, a null key `null`. No value or nothing at all is the empty
/// map.
///
/// With `lenient`, YAML that cannot be read is read line by line instead, and a value that is no map is the empty map. Each
/// `key: value` line that starts with its key is a string, outer quotes dropped; with `yaml11`, each line that holds a colon,
/// split at the first, both sides trimmed. The last of one key wins, and other lines are ignored: they are `unread`.
///
/// # Errors
/// When it is not YAML, is no map, nests deeper than 32 levels, expands aliases beyond measure or is larger than 256 KiB.
pub fn parse(yaml: &str, yaml11: bool, lenient: bool) -> Result<FrontMatter, FrontmatterError> {
    if let Some(map) = plain::plain(yaml, yaml11) {
        return Ok(map.into());
    }
    match value(yaml, yaml11) {
        Ok(Value::Object(map)) => Ok(map.into_iter().collect::<BTreeMap<_, _>>().into()),
        Ok(Value::Null) => Ok(FrontMatter::default()),
        Ok(_) if lenient => Ok(lines::read(yaml, |_| None)),
        Ok(_) => Err(whole("the front matter is not a map of names to values")),
        Err(_) if lenient && yaml11 => Ok(lines::read(yaml, lines::by_colon)),
        Err(_) if lenient => Ok(lines::read(yaml, lines::by_key)),
        Err(error) => Err(error),
    }
}

/// Whether a line is `key: value`, as nearly all front matter begins.
#[must_use]
pub fn is_entry(line: &str) -> bool {
    lines::by_key(line).is_some()
}

fn value(yaml: &str, yaml11: bool) -> Result<Value, FrontmatterError> {
    if yaml.len() > LARGEST {
        let help = "keep what is read there, and put the rest below the line that closes it";
        return Err(FrontmatterError {
            help,
            ..whole("the front matter is larger than 256 KiB")
        });
    }
    compose::compose(yaml, yaml11)
}

/// The error of the front matter as a whole.
fn whole(message: &str) -> FrontmatterError {
    FrontmatterError {
        message: message.to_owned(),
        line: None,
        help: PLAIN,
    }
}

/// The error of a line.
fn explain(message: &str, line: Option<usize>, yaml: &str) -> FrontmatterError {
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

#[cfg(test)]
mod tests;
