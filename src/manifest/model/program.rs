//! Templates and expressions: what names them, and their source.

use crate::diagnostic::span::{FileId, Literal, Span, Spanned};
use std::sync::Arc;

/// A template, inline or in a file.
#[derive(Debug, Clone)]
pub enum TemplateRef {
    /// Written in the manifest.
    Inline(Literal),
    /// `file="…"`, optionally `root=NAME`.
    File {
        /// The name to look up.
        name: Spanned<String>,
        /// `root=`: read there instead of next to the manifest.
        root: Option<Spanned<String>>,
    },
}

impl TemplateRef {
    /// Its location.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Inline(l) => l.span,
            Self::File { name, .. } => name.span,
        }
    }
}

/// The source of a template or expression and the way back to where it was written.
#[derive(Debug, Clone)]
pub enum Program {
    /// Inline: offsets lead through the literal.
    Inline(Literal),
    /// A file of its own.
    File {
        /// Its id.
        file: FileId,
        /// Its text.
        text: Arc<str>,
    },
}

impl Program {
    /// The source.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        match self {
            Self::Inline(l) => &l.text,
            Self::File { text, .. } => text,
        }
    }

    /// The place of a byte range of the source.
    #[must_use]
    pub fn span_of(&self, range: std::ops::Range<usize>) -> Span {
        match self {
            Self::Inline(l) => l.span_of(range),
            Self::File { file, .. } => Span::new(*file, range),
        }
    }
}
