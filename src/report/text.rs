//! Lines for people, in parts.

use super::change::{self, Signs, UNICODE};
use crate::prompt::Changes;

/// A line in parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub(super) Vec<Part>);

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Words, with names between backquotes.
    Words(String),
    /// Words in a style.
    Styled(Style, String),
    /// A link to another place on the page, by its id.
    Link(String, String),
    /// A volatility of change.
    Class(Changes),
    /// An old and a new value; these are shortened first where a line is too long.
    Change([Option<String>; 2]),
    /// One of two lines that took each other's place, by its number; it is shortened first too.
    Side(usize, [Option<String>; 2]),
    /// An arrow between blanks.
    To,
    /// The end of a line.
    Break,
}

/// The style of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A name that heads something.
    Name,
    /// Less important text.
    Faint,
    /// Bad news.
    Error,
    /// A warning.
    Warning,
    /// Something to be typed.
    Code,
    /// As what changes so often.
    Class(Changes),
}

impl Text {
    /// No words yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// This text with a capital letter at its start, unless it begins with a name.
    #[must_use]
    pub(super) fn capital(mut self) -> Self {
        if let Some(Part::Words(words)) = self.0.first_mut()
            && let Some(first) = words.get_mut(..1)
        {
            first.make_ascii_uppercase();
        }
        self
    }

    /// Adds words.
    #[must_use]
    pub fn words(mut self, words: impl Into<String>) -> Self {
        self.0.push(Part::Words(words.into()));
        self
    }

    /// Adds words in a style.
    #[must_use]
    pub fn styled(mut self, style: Style, words: impl Into<String>) -> Self {
        self.0.push(Part::Styled(style, words.into()));
        self
    }

    /// Adds a name.
    #[must_use]
    pub fn name(self, words: impl Into<String>) -> Self {
        self.styled(Style::Name, words)
    }

    /// Adds text to be typed.
    #[must_use]
    pub fn code(self, words: impl Into<String>) -> Self {
        self.styled(Style::Code, words)
    }

    /// Adds a volatility of change.
    #[must_use]
    pub fn class(mut self, changes: Changes) -> Self {
        self.0.push(Part::Class(changes));
        self
    }

    /// Adds a link to an id, on a page with links.
    #[must_use]
    pub fn link(mut self, id: impl Into<String>, words: impl Into<String>) -> Self {
        self.0.push(Part::Link(id.into(), words.into()));
        self
    }

    /// Adds an arrow.
    #[must_use]
    pub fn to(mut self) -> Self {
        self.0.push(Part::To);
        self
    }

    /// Adds a new line.
    #[must_use]
    pub fn line_end(mut self) -> Self {
        self.0.push(Part::Break);
        self
    }

    /// Words whose line ends stay.
    #[must_use]
    pub fn lines(words: &str) -> Self {
        let mut out = Self::new();
        for (at, line) in words.split('\n').enumerate() {
            if at > 0 {
                out = out.line_end();
            }
            out = out.words(line);
        }
        out
    }

    /// Its lines.
    pub(super) fn each_line(&self) -> impl Iterator<Item = &[Part]> {
        self.0.split(|part| *part == Part::Break)
    }

    /// Adds an old and a new value.
    #[must_use]
    pub fn change(mut self, old: Option<String>, new: Option<String>) -> Self {
        self.0.push(Part::Change([old, new]));
        self
    }

    /// Adds one of two lines that took each other's place, by its number.
    #[must_use]
    pub(super) fn side(mut self, side: usize, both: [Option<String>; 2]) -> Self {
        self.0.push(Part::Side(side, both));
        self
    }

    /// Adds another text.
    #[must_use]
    pub fn text(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Several with something between each two.
    pub fn joined(texts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut out = Self::new();
        for (at, text) in texts.into_iter().enumerate() {
            if at > 0 {
                out = out.words(between);
            }
            out = out.text(text);
        }
        out
    }

    /// The styled parts, each in one string, and the text between them.
    pub(super) fn spans(&self) -> Vec<String> {
        let is_styled = |part: &Part| matches!(part, Part::Styled(..) | Part::Link(..));
        let spans = self.0.chunk_by(|a, b| !is_styled(a) && !is_styled(b));
        let span = |parts: &[Part]| parts.iter().map(|part| part.flat(&UNICODE, None)).collect();
        spans.map(span).collect()
    }

    /// All of it in one string, nothing of it escaped.
    #[must_use]
    pub fn flat(&self) -> String {
        self.0
            .iter()
            .map(|part| part.flat(&UNICODE, None))
            .collect()
    }
}

impl<S: Into<String>> From<S> for Text {
    fn from(words: S) -> Self {
        Self::new().words(words)
    }
}

impl Part {
    /// The part in one string; values in at most `room` columns each.
    pub(super) fn flat(&self, signs: &Signs, room: Option<usize>) -> String {
        match self {
            Self::Words(words) | Self::Styled(_, words) | Self::Link(_, words) => words.clone(),
            Self::Class(changes) => changes.name().to_owned(),
            Self::To => format!(" {} ", signs.to),
            Self::Break => "\n".to_owned(),
            Self::Change([old, new]) => change::drawn(old.as_deref(), new.as_deref(), signs, room),
            Self::Side(side, both) => change::side(*side, both, signs, room),
        }
    }

    /// The values in it.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        let values = match self {
            Self::Change(values) => &values[..],
            Self::Side(side, values) => &values[*side..=*side],
            _ => &[],
        };
        values.iter().flatten().map(String::as_str)
    }
}
