//! One document from its text to what it yields: trim, front matter, comments, where and hide, imports, scan, wrap.

use super::listing::Listing;
use super::loader::ContentLoader;
use super::scan::Scanned;
use super::skill::SkillStatus as Status;
use super::skills::line;
use crate::compile::budget::called;
use crate::compile::plan::Node;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::prompt::UnusedReason;
use crate::text::document::Document;
use crate::text::{Text, TextBuf, markdown, normalise};
use std::ops::Range;
use std::sync::Arc;

impl ContentLoader<'_> {
    /// The steps from trim up to the comments, which documents and those that they import share. Gives why the front matter
    /// cannot be read, where that is `tolerated`.
    pub(super) fn readied(
        &mut self,
        node: &Node,
        document: &mut Document,
        tolerated: bool,
    ) -> Result<Option<String>, ErrorReported> {
        document.text = trimmed(node, &document.text);
        let unreadable = self.frontmatter(node, document, tolerated)?;
        if node.steps.comments && !node.kind.is_data() {
            let comments = markdown::comments(document.text.as_str());
            let comments = comments.map_err(|_| self.too_large_to_read(node, document))?;
            if !comments.is_empty() {
                document.text = trimmed(node, &without(&document.text, &comments));
            }
        }
        Ok(unreadable)
    }

    /// A text in which comments or imports cannot be found.
    pub(super) fn too_large_to_read(&mut self, node: &Node, document: &Document) -> ErrorReported {
        let name = called(document);
        let message =
            format!("`{name}` is larger than 4 MiB, too large to look for comments or imports");
        self.report(
            Diagnostic::error(codes::DOCUMENT_TOO_LARGE, message)
                .at(node.span)
                .help("name another file, or read this one without `comments` and `imports`"),
        )
    }

    /// The steps after newlines and byte order mark.
    pub(super) fn finish_document(
        &mut self,
        node: &Node,
        mut document: Document,
        mut listing: Option<&mut Listing<'_>>,
    ) -> Result<Option<Arc<Document>>, ErrorReported> {
        // The other skills are still reported if one is invalid.
        let tolerated = listing.as_deref().is_some_and(|l| l.skills.is_some());
        let unreadable = self.readied(node, &mut document, tolerated)?;
        if let Some(listing) = listing.as_deref_mut() {
            self.entry(node, &mut document, listing);
            listing.found.insert(document.name.clone());
        }
        if let Some(why) = unreadable {
            self.add_skill(
                listing,
                node,
                &Arc::new(document.clone()),
                Status::Unreadable(why),
            );
            return Ok(self.leave_out(&document, UnusedReason::Invalid));
        }
        // A listed file counts by its name.
        let is_listed = listing.is_some();
        if !is_listed && normalise::is_blank(document.text.as_str()) {
            return Ok(self.leave_out(&document, UnusedReason::Blank));
        }
        document.total = document.text.as_str().chars().count();
        self.record.kept(document.ingredient, document.total);
        // Programs share it; once they have run it is ours alone again.
        let mut document = Arc::new(document);
        if !self.passes(node, &document)? {
            self.add_skill(listing.as_deref_mut(), node, &document, Status::RuledOut);
            return Ok(self.leave_out(&document, UnusedReason::Condition));
        }
        if let Some(fate) = self.unlisted(node, &document, listing.as_deref())? {
            let reason = match fate {
                Status::Shadowed => UnusedReason::NotFirst,
                _ => UnusedReason::Hidden,
            };
            self.add_skill(listing.as_deref_mut(), node, &document, fate);
            return Ok(self.leave_out(&document, reason));
        }
        if node.steps.imports.is_some() {
            let text = self.with_imports(node, &document)?;
            if let Some(text) = text.map(|text| trimmed(node, &text))
                && !self.becomes(Arc::make_mut(&mut document), text)
                && !is_listed
            {
                return Ok(self.leave_out(&document, UnusedReason::Blank));
            }
        }
        if self.scanned(node, Arc::make_mut(&mut document))? == Scanned::Dropped {
            self.add_skill(listing.as_deref_mut(), node, &document, Status::Refused);
            return Ok(self.leave_out(&document, UnusedReason::Replaced));
        }
        self.add_skill(listing.as_deref_mut(), node, &document, Status::Listed);
        if let Some(key) = &node.steps.wrap {
            let scope = self.scope().with_document(document.clone());
            let text = self.run(key, &scope)?;
            drop(scope);
            if !self.becomes(Arc::make_mut(&mut document), text) {
                return Ok(self.leave_out(&document, UnusedReason::Blank));
            }
        } else if is_listed {
            let text = line(&document);
            self.becomes(Arc::make_mut(&mut document), text);
        }
        let text = std::mem::take(&mut Arc::make_mut(&mut document).text);
        Arc::make_mut(&mut document).text = text.printed(self.record.document(&document));
        if let Some(listing) = listing {
            let first = listing.listed.entry(document.name.clone());
            first.or_insert(document.root_index);
        }
        Ok(Some(document))
    }

    /// Gives a document its next text and records the text that is left of it and of those that it imports. Returns
    /// whether any is left.
    pub(super) fn becomes(&mut self, document: &mut Document, text: Text) -> bool {
        let blank = normalise::is_blank(text.as_str());
        let kept = if blank { Text::default() } else { text.clone() };
        self.record.kept_of(&document.text, &kept);
        document.total = text.as_str().chars().count();
        document.text = text;
        !blank
    }

    fn leave_out(&mut self, document: &Document, reason: UnusedReason) -> Option<Arc<Document>> {
        self.record.kept(document.ingredient, 0);
        self.record.left_out(reason);
        self.record.unused_document(document, reason);
        None
    }

    fn passes(&mut self, node: &Node, document: &Arc<Document>) -> Result<bool, ErrorReported> {
        if node.filters.is_empty() {
            return Ok(true);
        }
        let scope = self.scope().with_document(document.clone());
        for filter in &node.filters {
            if !self.condition(filter, &scope, self.record.node_at(node.span))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The newlines and BOM steps.
pub(super) fn cleaned(node: &Node, text: String) -> String {
    node.steps.cleaning().clean(text)
}

/// The text without these ranges.
fn without(text: &Text, gone: &[Range<usize>]) -> Text {
    let mut out = TextBuf::default();
    for range in markdown::without(text.as_str(), gone) {
        out.push_part(text, range);
    }
    out.finish()
}

pub(super) fn trimmed(node: &Node, text: &Text) -> Text {
    if node.steps.trim {
        text.slice(normalise::trim_range(text.as_str()))
    } else {
        text.clone()
    }
}
