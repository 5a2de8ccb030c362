//! The steps that a document goes through.

use super::{Scan, TemplateRef};
use crate::diagnostic::span::Span;
use crate::text::frontmatter::Close;
use crate::text::normalise::Marks;

/// Steps that a document goes through; `None` means as the surrounding node says.
#[derive(Debug, Clone, Default)]
pub struct Transforms {
    /// `newlines #false`: CRLF and CR stay.
    pub newlines: Option<bool>,
    /// `bom #false`: a byte order mark stays. `bom all`: several go.
    pub bom: Option<Marks>,
    /// `trim #false`: outer white space stays.
    pub trim: Option<bool>,
    /// `frontmatter strip|parse|read`.
    pub frontmatter: Option<Frontmatter>,
    /// `comments strip`: HTML comments go.
    pub comments: Option<bool>,
    /// `imports at …`.
    pub imports: Option<Imports>,
    /// `scan SET …`, or `scan #false`.
    pub scan: Option<Scan>,
    /// `wrap TEMPLATE`.
    pub wrap: Option<TemplateRef>,
}

impl Transforms {
    /// The templates in them.
    pub fn templates(&self) -> impl Iterator<Item = &TemplateRef> {
        let imported = self.imports.as_ref().and_then(|i| i.wrap.as_ref());
        let scan = self.scan.as_ref().and_then(Scan::used);
        let placeholder = scan.and_then(|s| s.placeholder.as_ref());
        imported.into_iter().chain(placeholder).chain(&self.wrap)
    }
}

/// `frontmatter strip|parse|read [lenient] [yaml="1.1"] [close=line|alone|dashes]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frontmatter {
    /// `parse` and `read`: the document gets `meta`.
    pub parse: bool,
    /// `strip` and `parse`: the text loses it.
    pub cut: bool,
    /// `yaml="1.1"`: as Python's safe loader reads it.
    pub yaml11: bool,
    /// `lenient`: bad YAML is read line by line.
    pub lenient: bool,
    /// `close=`: what ends it.
    pub close: Close,
    /// Its location.
    pub span: Span,
}

impl Frontmatter {
    /// The default of a source that reads front matter by itself.
    #[must_use]
    pub fn parsed(span: Span) -> Self {
        Self {
            parse: true,
            cut: true,
            yaml11: false,
            lenient: false,
            close: Close::default(),
            span,
        }
    }
}

/// `imports at depth=N limit=N missing=keep|drop|error { wrap TEMPLATE }`.
#[derive(Debug, Clone)]
pub struct Imports {
    /// The most steps of imports: 1 is those of the document itself.
    pub depth: usize,
    /// The most files that a document may bring in, with all that these import.
    pub limit: usize,
    /// The handling of a failed import.
    pub missing: MissingImport,
    /// The template for each imported document.
    pub wrap: Option<TemplateRef>,
    /// The node's name.
    pub span: Span,
}

/// The handling of an `@path` that leads to no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingImport {
    /// It stays as it is written.
    Keep,
    /// It goes.
    Drop,
    /// The build fails.
    Error,
}
