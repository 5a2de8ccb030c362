//! Text whose every byte has an owner, and the pure functions over it.

pub mod tokens;
pub mod normalise;
pub mod value;
pub mod entries;
pub mod json;
pub(crate) mod common;
pub(crate) mod index;
pub mod frontmatter;
pub mod markdown;
pub mod import;
pub mod duration;
pub mod time;
pub mod measure;
pub mod cut;
pub(crate) mod prefix;
pub(crate) mod passage;
pub mod scan;
mod inert;
pub(crate) mod difference;
pub mod document;

pub use inert::{TextKind, begins_command, inert, inert_json, is_invisible};
pub use value::{Exact, Json};

use std::ops::Range;
use std::sync::Arc;

/// The origin of a run of bytes.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SpanKind {
    /// Copied from a document: byte for byte the document's text at the offset.
    Document,
    /// A fact's value, byte for byte as it prints.
    Fact,
    /// Literal text of a template, byte for byte the template's source at the offset.
    Template,
    /// A join between two texts.
    Join,
    /// Text written in the manifest.
    Literal,
    /// Made by a filter, macro or `set` block from the ingredient; there is no offset.
    Derived,
}

/// The owner of a run of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Length in bytes; never 0.
    pub len: usize,
    /// Its kind.
    pub kind: SpanKind,
    /// Index into the layer's ingredients.
    pub ingredient: Option<u32>,
    /// Bytes into the ingredient's text; 0 where the kind has none.
    pub offset: usize,
    /// Of bytes that a fact or a template printed: the ingredient of the document that they surround, or whose cut they mark.
    pub of: Option<u32>,
}

impl Run {
    /// Whether `next`, directly after `self`, continues it.
    fn continues(&self, next: &Run) -> bool {
        self.kind == next.kind
            && self.ingredient == next.ingredient
            && self.of == next.of
            && match self.kind {
                SpanKind::Derived => true,
                SpanKind::Join => false,
                _ => self.offset + self.len == next.offset,
            }
    }
}

/// A string tiled by [`Run`]s: their lengths add up to its length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    text: Arc<str>,
    runs: Runs,
}

/// The owners of a text. Most texts have one, and store it without a range of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Runs {
    #[default]
    None,
    One(Run),
    /// Two and more.
    Many(Arc<[Run]>),
}

impl Runs {
    fn as_slice(&self) -> &[Run] {
        match self {
            Self::None => &[],
            Self::One(run) => std::slice::from_ref(run),
            Self::Many(runs) => runs,
        }
    }
}

impl From<Vec<Run>> for Runs {
    fn from(runs: Vec<Run>) -> Self {
        match *runs {
            [] => Self::None,
            [run] => Self::One(run),
            _ => Self::Many(runs.into()),
        }
    }
}

impl Text {
    /// A text with one owner; `offset` is the position of its first byte in the ingredient.
    #[must_use]
    pub fn new(
        text: impl Into<Arc<str>>,
        kind: SpanKind,
        ingredient: Option<u32>,
        offset: usize,
    ) -> Self {
        let text = text.into();
        let runs = if text.is_empty() {
            Runs::None
        } else {
            Runs::One(Run {
                len: text.len(),
                kind,
                ingredient,
                offset,
                of: None,
            })
        };
        Self { text, runs }
    }

    /// The bytes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The bytes, shared.
    #[must_use]
    pub fn shared(&self) -> &Arc<str> {
        &self.text
    }

    /// The owners, in order.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        self.runs.as_slice()
    }

    /// The text between two byte offsets, with its owners.
    ///
    /// # Panics
    /// When the range is out of bounds or splits a code point.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        if range == (0..self.text.len()) {
            return self.clone();
        }
        if let Runs::One(run) = &self.runs {
            let offset = match run.kind {
                SpanKind::Derived | SpanKind::Join => run.offset,
                _ => run.offset + range.start,
            };
            let out = Self::new(&self.text[range], run.kind, run.ingredient, offset);
            return out.printed(run.of);
        }
        let mut out = TextBuf::default();
        out.push_part(self, range);
        out.finish()
    }

    /// The text, with this document for the parts that facts and templates printed for none.
    #[must_use]
    pub fn printed(mut self, of: Option<u32>) -> Self {
        let open = |run: &Run| {
            let made = matches!(
                run.kind,
                SpanKind::Fact | SpanKind::Template | SpanKind::Derived
            );
            made && run.of.is_none()
        };
        if of.is_none() || !self.runs().iter().any(open) {
            return self;
        }
        let runs = self
            .runs()
            .iter()
            .map(|run| if open(run) { Run { of, ..*run } } else { *run });
        self.runs = Runs::from(runs.collect::<Vec<_>>());
        self
    }
}

/// A [`Text`] in the making.
#[derive(Debug, Clone, Default)]
pub struct TextBuf {
    text: String,
    runs: Vec<Run>,
}

impl TextBuf {
    /// An empty one with room for that many bytes and runs.
    #[must_use]
    pub fn with_capacity(bytes: usize, runs: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            runs: Vec::with_capacity(runs),
        }
    }

    /// Bytes so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing was pushed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Appends a string with one owner.
    pub fn push_str(&mut self, text: &str, kind: SpanKind, ingredient: Option<u32>, offset: usize) {
        self.push_run(Run {
            len: text.len(),
            kind,
            ingredient,
            offset,
            of: None,
        });
        self.text.push_str(text);
    }

    /// Appends a text with its owners.
    pub fn push(&mut self, text: &Text) {
        self.push_part(text, 0..text.as_str().len());
    }

    /// Appends the part of `text` in `range` (bytes) with its owners.
    ///
    /// # Panics
    /// When the range is out of bounds or splits a code point.
    pub fn push_part(&mut self, text: &Text, range: Range<usize>) {
        let mut at = 0;
        for run in text.runs() {
            let start = range.start.max(at);
            let end = range.end.min(at + run.len);
            if start < end {
                self.push_run(Run {
                    len: end - start,
                    offset: match run.kind {
                        SpanKind::Derived | SpanKind::Join => run.offset,
                        _ => run.offset + (start - at),
                    },
                    ..*run
                });
            }
            at += run.len;
            if at >= range.end {
                break;
            }
        }
        self.text.push_str(&text.text[range]);
    }

    fn push_run(&mut self, run: Run) {
        if run.len == 0 {
            return;
        }
        match self.runs.last_mut() {
            Some(last) if last.continues(&run) => last.len += run.len,
            _ => self.runs.push(run),
        }
    }

    /// The finished text.
    #[must_use]
    pub fn finish(self) -> Text {
        Text {
            text: self.text.into(),
            runs: self.runs.into(),
        }
    }
}
