//! From what was asked to ranges of the text.

use crate::diagnostic::span::Lines;
use crate::diagnostic::{self, Diagnostic};
use crate::prompt::Channel;
use crate::report::words::{count, plain, thousands};
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;
use std::str::FromStr;

/// The most places of a text that are listed.
const MOST: usize = 20;

/// `LINE[:COL]`.
#[derive(Debug, Clone, Copy)]
pub struct LineColumn {
    line: usize,
    column: Option<usize>,
}

impl FromStr for LineColumn {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let number = |text: &str| match text.parse() {
            Ok(0) => Err("lines and columns count from 1".to_owned()),
            Ok(number) => Ok(number),
            Err(_) => Err("a line is a number, such as 12, or 12:5 with a column".to_owned()),
        };
        let (line, column) = match written.split_once(':') {
            Some((line, column)) => (line, Some(column)),
            None => (written, None),
        };
        Ok(Self {
            line: number(line)?,
            column: column.map(number).transpose()?,
        })
    }
}

/// The target of a search.
#[derive(Debug, Clone, Copy)]
pub enum PlaceQuery<'a> {
    /// A line, or a character of it.
    Line(LineColumn),
    /// A byte, from 0.
    Offset(usize),
    /// All occurrences of this text, at most 20.
    Text(&'a str),
}

/// A place in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TextPlace {
    /// The line of its first byte, from 1.
    pub line: usize,
    /// The column of its first byte, from 1, in Unicode scalar values.
    pub column: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte, of which there is at least one.
    pub end: usize,
    /// The bytes of that line, without its end.
    #[serde(skip)]
    pub shown: Range<usize>,
}

impl TextPlace {
    /// Its bytes.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The places, and how many more there are.
pub(super) fn places(
    channel: &Channel,
    asked: PlaceQuery<'_>,
) -> Result<(Vec<TextPlace>, usize), Box<Diagnostic>> {
    let text = Text {
        text: &channel.text,
        lines: Lines::of(&channel.text),
        name: format!("the {}", channel.deliver.text_name()),
    };
    match asked {
        PlaceQuery::Line(place) => Ok((vec![text.line(place)?], 0)),
        PlaceQuery::Offset(offset) => Ok((vec![text.offset(offset)?], 0)),
        PlaceQuery::Text(wanted) => text.find(wanted),
    }
}

struct Text<'a> {
    text: &'a str,
    lines: Lines,
    /// Its name in messages.
    name: String,
}

impl Text<'_> {
    fn line(&self, place: LineColumn) -> Result<TextPlace, Box<Diagnostic>> {
        let last = self.lines.line(self.text.len().saturating_sub(1));
        let Some(start) = self.lines.start(place.line).filter(|_| place.line <= last) else {
            let lines = count(last, "line");
            return Err(nothing(
                format!(
                    "{} has {lines}, so no line {}",
                    self.name,
                    thousands(place.line)
                ),
                "lines count from 1",
            ));
        };
        let whole = start..self.line_end(start);
        let Some(column) = place.column else {
            // Of an empty line there is only its end.
            let range = start..whole.end.max(self.behind(start));
            return Ok(self.found(range));
        };
        // The line's end has the column after the last character.
        let with_end = &self.text[start..self.text.len().min(whole.end + 1)];
        match with_end.char_indices().nth(column - 1) {
            Some((at, _)) => Ok(self.found(start + at..self.behind(start + at))),
            None => {
                let chars = count(self.text[whole].chars().count(), "character");
                let (line, column) = (thousands(place.line), thousands(column));
                Err(nothing(
                    format!(
                        "line {line} of {} has {chars}, so no column {column}",
                        self.name
                    ),
                    "columns count from 1, in characters",
                ))
            }
        }
    }

    fn offset(&self, offset: usize) -> Result<TextPlace, Box<Diagnostic>> {
        if offset >= self.text.len() {
            let bytes = count(self.text.len(), "byte");
            let problem = format!(
                "{} has {bytes}, so no byte {}",
                self.name,
                thousands(offset)
            );
            return Err(nothing(problem, "bytes count from 0"));
        }
        // A byte inside a character means that character.
        let start = self.text.floor_char_boundary(offset);
        Ok(self.found(start..self.behind(start)))
    }

    fn find(&self, wanted: &str) -> Result<(Vec<TextPlace>, usize), Box<Diagnostic>> {
        let mut hits = self.text.match_indices(wanted);
        let range = |(start, hit): (usize, &str)| start..start + hit.len();
        let first: Vec<TextPlace> = hits
            .by_ref()
            .take(MOST)
            .map(|hit| self.found(range(hit)))
            .collect();
        if first.is_empty() {
            let problem = format!("{} has no “{}”", self.name, plain(wanted));
            return Err(nothing(problem, "the search is exact, byte for byte"));
        }
        Ok((first, hits.count()))
    }

    fn found(&self, range: Range<usize>) -> TextPlace {
        let line = self.lines.line(range.start);
        let start = self.lines.start(line).unwrap_or_default();
        TextPlace {
            line,
            column: self.text[start..range.start].chars().count() + 1,
            shown: start..self.line_end(start),
            start: range.start,
            end: range.end,
        }
    }

    fn line_end(&self, start: usize) -> usize {
        self.text[start..]
            .find('\n')
            .map_or(self.text.len(), |at| start + at)
    }

    /// The byte after the character at `at`.
    fn behind(&self, at: usize) -> usize {
        at + self.text[at..].chars().next().map_or(0, char::len_utf8)
    }
}

fn nothing(message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(diagnostic::NO_SUCH_PLACE, message).help(help))
}
