//! A layer on its way: what its template needs, and what came of it.

use super::plan::Layer;
use super::record::Record;
use crate::prompt::Absent;
use crate::text::Text;
use crate::text::document::Document;
use std::sync::Arc;

/// The result of loading a layer.
#[derive(Debug, Clone)]
pub(super) enum Content {
    /// It is not in the prompt.
    Absent(Absent, Record),
    /// It has what its template needs.
    Present(Present),
}

/// The inputs of a layer's template; the layer is in the prompt unless the template prints nothing.
#[derive(Debug, Clone)]
pub(super) struct Present {
    pub(super) content: Option<LoadedText>,
    pub(super) parts: Vec<(Arc<str>, LoadedText)>,
    pub(super) record: Record,
}

/// A finished text with the documents in it.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadedText {
    pub(super) text: Text,
    pub(super) documents: Vec<Arc<Document>>,
    /// Where each document ends in the text.
    pub(super) ends: Vec<usize>,
    /// The number of entries that budgets have left out.
    pub(super) left_out: usize,
    /// The capacity of the memories in it together, if any sets one.
    pub(super) capacity: Option<usize>,
}

/// A layer after rendering.
#[derive(Debug)]
pub(super) enum RenderedLayer<'p> {
    /// It is not in the prompt.
    Absent(Absent, Record),
    /// It is.
    Present(&'p Layer, Text, Record),
}
