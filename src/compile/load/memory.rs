//! A file with entries: a document for each of them.

use super::document::filed;
use super::loader::ContentLoader;
use crate::compile::plan::Node;
use crate::compile::record::OriginalText;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::manifest::Reading;
use crate::prompt::{Ingredient, UnusedReason, sha256};
use crate::source::kind::Entries;
use crate::source::place::{BoundRoot, Raw};
use crate::text::document::{Document, Entry};
use crate::text::entries::{EntryStatus, MOST};
use crate::text::{SpanKind, Text, normalise};
use std::ops::Range;
use std::sync::Arc;

/// A file of entries.
struct File {
    /// The attributes of its entries.
    document: Document,
    /// Its text, after the newlines and BOM steps.
    text: Arc<str>,
}

impl ContentLoader<'_> {
    /// The entries of a file that was read. The memory's capacity is added to that of the others in `held`.
    pub(super) fn entries(
        &mut self,
        node: &Node,
        (reading, entries): (&Reading, Entries),
        root: &BoundRoot,
        mut raw: Raw,
        held: &mut Option<usize>,
    ) -> Result<Vec<Arc<Document>>, ErrorReported> {
        let (hash, bytes) = (sha256(&raw.bytes), raw.bytes.len());
        let Some(text) = self.decoded(node, &mut raw)? else {
            return Ok(Vec::new());
        };
        let (label, about) = (node.label.as_ref(), node.about.as_ref());
        let document = filed(root, &raw);
        let file = File {
            document: Document {
                label: self.string(label)?.unwrap_or(document.label),
                own_label: self.written(label)?,
                about: self.written(about)?.unwrap_or_default(),
                entry: Some(Arc::new(Entry::default())),
                ..document
            },
            text: text.into(),
        };
        if normalise::is_blank(&file.text) {
            self.without_entries(&file, hash, bytes);
            return Ok(Vec::new());
        }
        let out = self.those_of(node, (reading, entries), &file)?;
        if let Some(capacity) = reading.capacity.as_ref().filter(|_| !out.is_empty())
            && let Some(more) = self.bounds().size(capacity)?
        {
            *held = Some(held.unwrap_or(0).saturating_add(more));
        }
        Ok(out)
    }

    /// The entries that count, each with the steps of a document.
    fn those_of(
        &mut self,
        node: &Node,
        (reading, entries): (&Reading, Entries),
        file: &File,
    ) -> Result<Vec<Arc<Document>>, ErrorReported> {
        let (delimiter, trim) = (reading.delimiter(), node.steps.trim);
        let Some(split) = (entries.split)(&file.text, &delimiter, trim, MOST) else {
            let message = format!("`{}` has more than 10,000 entries", file.document.path);
            return Err(self.report(
                Diagnostic::error(codes::TOO_MANY_DOCUMENTS, message)
                    .at(node.span)
                    .help("take some out, or write a delimiter that occurs only between entries"),
            ));
        };
        let mut out = Vec::new();
        for (index, entry) in split.into_iter().enumerate() {
            let item = (index + 1).to_string();
            let reason = match entry.fate {
                EntryStatus::Counts => {
                    let document = self.entry_of(file, item, entry.range);
                    out.extend(self.finish_document(node, document, None)?);
                    continue;
                }
                EntryStatus::Blank => UnusedReason::Blank,
                EntryStatus::Duplicate(_) => UnusedReason::Duplicate,
            };
            let Document { root, path, .. } = &file.document;
            self.record.unused_item(root, path, Some(item), reason);
            self.record.left_out(reason);
        }
        Ok(out)
    }

    /// An entry as a document of its own. Its bytes lead into the text of the file.
    fn entry_of(&mut self, file: &File, item: String, range: Range<usize>) -> Document {
        let text = &file.text[range.clone()];
        let chars = text.chars().count();
        let ingredient = self.ingredient(
            file,
            Some(item),
            sha256(text.as_bytes()),
            [text.len(), chars],
        );
        let text = Text::new(text, SpanKind::Document, Some(ingredient), range.start);
        Document {
            ingredient: Some(ingredient),
            text,
            ..file.document.clone()
        }
    }

    /// A file without text is one document without text, as of any source.
    fn without_entries(&mut self, file: &File, hash: String, bytes: usize) {
        let chars = file.text.chars().count();
        let ingredient = self.ingredient(file, None, hash, [bytes, chars]);
        self.record.kept(Some(ingredient), 0);
        self.record.left_out(UnusedReason::Blank);
        let Document { root, path, .. } = &file.document;
        self.record.unused(root, path, UnusedReason::Blank);
    }

    fn ingredient(
        &mut self,
        file: &File,
        item: Option<String>,
        sha256: String,
        [bytes, chars]: [usize; 2],
    ) -> u32 {
        let ingredient = self.record.ingredients.add(Ingredient::Document {
            root: file.document.root.to_string(),
            base: file.document.base(),
            path: file.document.path.to_string(),
            sha256,
            bytes,
            chars,
            kept: chars,
            dropped: 0,
            imported_by: None,
            item,
            findings: Vec::new(),
        });
        self.record
            .place(ingredient, || OriginalText::Document(file.text.clone()));
        ingredient
    }
}
