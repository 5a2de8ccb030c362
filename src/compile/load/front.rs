//! The front matter of one document: its values, and what of it is not read.

use super::loader::ContentLoader;
use crate::compile::budget::called;
use crate::compile::plan::Node;
use crate::diagnostic::suggest::is_slip;
use crate::diagnostic::{self as codes, Diagnostic, DocumentPlace, ErrorReported};
use crate::manifest::Frontmatter;
use crate::text::document::Document;
use crate::text::frontmatter::{self, Close, FrontMatter, Unread};
use crate::text::{Json, Text, measure, normalise};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// The fix for front matter that a source reads by itself.
const LENIENT: &str = "fix it, or write `frontmatter parse lenient` in the source, which reads each `key: value` line of bad YAML";
/// The fix for front matter that `lenient` reads in part.
const MAKE_YAML: &str = "the front matter is no map in YAML, so only its `key: value` lines are read: quote a value that holds `: ` or begins with a mark, and write each key once";
/// The fix for front matter that does not end.
const CLOSE: &str = "close it with a line `---` that has a line end";
/// The fix for a description that is none.
const AS_TEXT: &str = "write it as one text, in quotes if it begins with `[` or `{` or is a number";

/// The most characters of a line that a message quotes.
const QUOTED: usize = 60;

impl ContentLoader<'_> {
    /// Reads and cuts the front matter. Gives why it cannot be read, where that is `tolerated`.
    pub(super) fn frontmatter(
        &mut self,
        node: &Node,
        document: &mut Document,
        tolerated: bool,
    ) -> Result<Option<String>, ErrorReported> {
        let Some(rule) = node.steps.frontmatter else {
            return Ok(None);
        };
        let Some(front) = frontmatter::split(document.text.as_str(), rule.close) else {
            if rule.parse && node.kind.is_listed() && is_open(document.text.as_str()) {
                let line = self.line_in_file(document, 0);
                let message = "its front matter has no end, so nothing of it is read";
                self.partial(node, document, line, message, CLOSE);
            }
            return Ok(None);
        };
        if rule.parse {
            let unreadable = self.read_values(node, rule, document, front.yaml, tolerated)?;
            if unreadable.is_some() {
                return Ok(unreadable);
            }
        }
        if !rule.cut {
            return Ok(None);
        }
        let mut body = front.body;
        if node.steps.trim && rule.close == Close::Line {
            let inner = normalise::trim_range(&document.text.as_str()[body.clone()]);
            body = body.start + inner.start..body.start + inner.end;
        }
        document.text = document.text.slice(body);
        Ok(None)
    }

    /// Reads the values.
    fn read_values(
        &mut self,
        node: &Node,
        rule: Frontmatter,
        document: &mut Document,
        yaml: Range<usize>,
        tolerated: bool,
    ) -> Result<Option<String>, ErrorReported> {
        let text = &document.text.as_str()[yaml.clone()];
        let first = self.line_in_file(document, yaml.start);
        let (message, line, help) = match frontmatter::parse(text, rule.yaml11, rule.lenient) {
            Ok(FrontMatter { values, unread }) => {
                if let Some(unread) = unread {
                    let (line, message) = (first + unread.line - 1, describe(document, &unread));
                    self.partial(node, document, line, &message, MAKE_YAML);
                }
                let is_key = |line: &str| line.trim_start().starts_with("description");
                let line = first + text.lines().position(is_key).unwrap_or_default();
                let described = values.get("description").and_then(other_than_text);
                if node.kind.is_listed() {
                    self.misspelt_keys(node, document, first, text, &values);
                }
                keep(document, rule, yaml, values);
                let Some((what, holds_others)) = described.filter(|_| node.kind.is_listed()) else {
                    return Ok(None);
                };
                let message = format!("the description is {what} and no text");
                // Python programs print such a description.
                if !holds_others || rule.yaml11 && rule.lenient {
                    let message = format!("{message}, so `description` of the entry is empty");
                    self.partial(node, document, line, &message, AS_TEXT);
                    return Ok(None);
                }
                (message, Some(line), AS_TEXT)
            }
            Err(error) => {
                let line = error.line.map(|line| first + line - 1);
                // It is read for the name and the description, so removing it is no fix.
                let help = if node.kind.is_listed() {
                    LENIENT
                } else {
                    error.help
                };
                (error.message, line, help)
            }
        };
        let line = line.map_or(String::new(), |line| format!(" (line {line})"));
        if tolerated {
            return Ok(Some(format!("{message}{line}")));
        }
        let name = called(document);
        let message = format!("the front matter of `{name}` cannot be read{line}: {message}");
        let diagnostic = Diagnostic::error(codes::FRONTMATTER_SYNTAX, message).at(rule.span);
        Err(self.report(diagnostic.help(help)))
    }

    /// Warns of keys that are probably slips of those that a skill is listed by.
    fn misspelt_keys(
        &mut self,
        node: &Node,
        document: &Document,
        first: usize,
        text: &str,
        values: &BTreeMap<String, Value>,
    ) {
        for wanted in ["name", "description"] {
            if values.contains_key(wanted) {
                continue;
            }
            let Some(key) = values.keys().find(|key| is_slip(key, wanted)) else {
                continue;
            };
            let is_key = |line: &str| line.trim_start().starts_with(key.as_str());
            let line = first + text.lines().position(is_key).unwrap_or_default();
            let message = format!(
                "the key `{}` is not read, and there is no `{wanted}`",
                quote(key)
            );
            let help = format!("did you mean `{wanted}`?");
            self.partial(node, document, line, &message, &help);
        }
    }

    /// Warns of front matter that is not read whole.
    fn partial(
        &mut self,
        node: &Node,
        document: &Document,
        line: usize,
        message: &str,
        help: &str,
    ) {
        let message = format!("`{}`, line {line}: {message}", called(document));
        let warning = Diagnostic::warning(codes::PARTIAL_FRONTMATTER, message)
            .at(node.span)
            .in_document(place(document, line))
            .help(help);
        self.report(warning);
    }

    /// The line of a byte of the document in its file, from 1.
    fn line_in_file(&self, document: &Document, at: usize) -> usize {
        let start = self.place_in_file(&document.text, 0);
        let start = start.map_or(1, |(_, (line, _))| line);
        start + document.text.as_str()[..at].matches('\n').count()
    }
}

/// The place of a line of a document that is a file.
fn place(document: &Document, line: usize) -> Option<DocumentPlace> {
    (!document.path.is_empty()).then(|| DocumentPlace {
        root: document.root.to_string(),
        path: document.path.to_string(),
        line,
    })
}

/// Whether a text begins as front matter does.
fn is_open(text: &str) -> bool {
    let mut lines = text.lines();
    let opens = lines.next().is_some_and(|line| line.trim_end() == "---");
    opens && lines.next().is_some_and(frontmatter::is_entry)
}

/// The lines that are not read. The text of a fact is not shown: it may be private.
fn describe(document: &Document, unread: &Unread) -> String {
    let said = if document.path.is_empty() {
        String::new()
    } else {
        format!(", “{}”", quote(&unread.text))
    };
    let message = match &unread.continues {
        Some(key) if !document.path.is_empty() => {
            format!("`{}` is read without this line{said}", quote(key))
        }
        _ => format!("this line of the front matter is not read{said}"),
    };
    match unread.lines {
        1 => message,
        2 => format!("{message}; 1 more line is not read"),
        lines => {
            let more = measure::thousands(&(lines - 1).to_string());
            format!("{message}; {more} more lines are not read")
        }
    }
}

fn quote(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut shown: String = shown.take(QUOTED + 1).collect();
    if let Some((cut, _)) = shown.char_indices().nth(QUOTED) {
        shown.truncate(shown[..cut].trim_end().len());
        shown.push('…');
    }
    shown
}

/// What a value is if it is neither a text nor nothing, and whether it holds others.
fn other_than_text(value: &Value) -> Option<(&'static str, bool)> {
    match value {
        Value::Array(_) => Some(("a list", true)),
        Value::Object(_) => Some(("a map", true)),
        Value::Number(_) => Some(("a number", false)),
        Value::Bool(_) => Some(("true or false", false)),
        Value::String(_) | Value::Null => None,
    }
}

/// Gives a document its values.
fn keep(
    document: &mut Document,
    rule: Frontmatter,
    yaml: Range<usize>,
    values: BTreeMap<String, Value>,
) {
    let values = values.into_iter();
    let meta = values.map(|(key, value)| (key, value.into())).collect();
    // Text that stays would count twice if its values printed as bytes of it.
    if rule.cut {
        document.meta_texts = in_place(&document.text, yaml, &meta);
    }
    document.meta = meta;
}

/// The strings of front matter that it contains unchanged, on the line of their key.
fn in_place(
    text: &Text,
    yaml: Range<usize>,
    meta: &BTreeMap<String, Json>,
) -> BTreeMap<String, Text> {
    let mut out = BTreeMap::new();
    let mut at = yaml.start;
    for line in text.as_str()[yaml].split_inclusive('\n') {
        if let Some((key, value)) = line.split_once(':')
            && let Some(string) = meta.get(key).and_then(Json::as_text)
            && !string.is_empty()
            && let Some(found) = value.find(string)
        {
            let start = at + key.len() + 1 + found;
            out.insert(key.to_owned(), text.slice(start..start + string.len()));
        }
        at += line.len();
    }
    out
}
