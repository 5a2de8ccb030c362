//! One document from its bytes, a literal, a fact or a template: decode, newlines, BOM. `steps` does the rest.

use super::listing::Listing;
use super::loader::ContentLoader;
use super::steps::cleaned;
use crate::compile::budget;
use crate::compile::plan::Node;
use crate::compile::record::OriginalText;
use crate::compile::roots;
use crate::diagnostic::span::Literal;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::manifest::{Invalid, Lit, Missing};
use crate::prompt::{Ingredient, UnusedReason, sha256};
use crate::source::kind::{Data, Makes};
use crate::source::place::{BoundRoot, Raw};
use crate::template::{Failure, Scope};
use crate::text::document::Document;
use crate::text::json::CanonicalPart;
use crate::text::{SpanKind, Text, TextBuf, normalise};
use std::sync::Arc;

impl ContentLoader<'_> {
    /// A file that was read.
    pub(super) fn document(
        &mut self,
        node: &Node,
        root: &BoundRoot,
        raw: Raw,
        listing: Option<&mut Listing<'_>>,
    ) -> Result<Option<Arc<Document>>, ErrorReported> {
        let Some(document) = self.opened(node, root, raw, None)? else {
            return Ok(None);
        };
        let (label, about) = (node.label.as_ref(), node.about.as_ref());
        let document = Document {
            label: self.string(label)?.unwrap_or(document.label),
            own_label: self.written(label)?,
            about: self.written(about)?.unwrap_or_default(),
            ..document
        };
        self.finish_document(node, document, listing)
    }

    /// The text of a file after the newlines and BOM steps; none if it does not count because it is not UTF-8.
    pub(super) fn opened(
        &mut self,
        node: &Node,
        root: &BoundRoot,
        mut raw: Raw,
        imported_by: Option<&str>,
    ) -> Result<Option<Document>, ErrorReported> {
        let (hash, bytes) = (sha256(&raw.bytes), raw.bytes.len());
        let Some(text) = self.decoded(node, &mut raw)? else {
            return Ok(None);
        };
        let chars = text.chars().count();
        let ingredient = self.record.ingredients.add(Ingredient::Document {
            root: raw.root.to_string(),
            base: raw.base(),
            path: raw.path.clone(),
            sha256: hash,
            bytes,
            chars,
            kept: chars,
            dropped: 0,
            imported_by: imported_by.map(str::to_owned),
            item: None,
            findings: Vec::new(),
        });
        let text: Arc<str> = text.into();
        self.record
            .place(ingredient, || OriginalText::Document(text.clone()));
        let text = match node.kind.reading().map(|reading| reading.kind.makes) {
            Some(Makes::Data(data)) => self.data(node, data, &raw.path, &text, ingredient)?,
            _ => {
                // The steps trim again, which then changes nothing and copies nothing.
                let range = if node.steps.trim {
                    normalise::trim_range(&text)
                } else {
                    0..text.len()
                };
                let start = range.start;
                Text::new(&text[range], SpanKind::Document, Some(ingredient), start)
            }
        };
        Ok(Some(Document {
            ingredient: Some(ingredient),
            text,
            // It is counted once the text is final.
            ..filed(root, &raw)
        }))
    }

    /// The text of a file that was read, after the newlines and BOM steps; none if it does not count because it is not
    /// UTF-8. Its bytes are taken.
    pub(super) fn decoded(
        &mut self,
        node: &Node,
        raw: &mut Raw,
    ) -> Result<Option<String>, ErrorReported> {
        let text = match normalise::decode(std::mem::take(&mut raw.bytes)) {
            Ok(text) => text,
            Err(_) if node.invalid == Invalid::Missing => {
                self.record
                    .unused(&raw.root, &raw.path, UnusedReason::Invalid);
                self.record.left_out(UnusedReason::Invalid);
                return Ok(None);
            }
            Err(offset) => {
                let message = format!("`{}` is not UTF-8: byte {offset} is invalid", raw.path);
                return Err(self.report(
                    Diagnostic::error(codes::INVALID_UTF8, message)
                        .at(node.span)
                        .help(
                            "save it as UTF-8, or write invalid=missing to leave such a file out",
                        ),
                ));
            }
        };
        self.shown_by(&raw.root);
        Ok(Some(cleaned(node, text)))
    }

    fn data(
        &mut self,
        node: &Node,
        data: Data,
        path: &str,
        text: &str,
        ingredient: u32,
    ) -> Result<Text, ErrorReported> {
        match (data.form)(text) {
            Ok(pieces) => {
                let mut out = TextBuf::with_capacity(text.len(), pieces.len());
                for piece in pieces {
                    let (bytes, kind, offset) = match &piece {
                        CanonicalPart::Copied(range) => {
                            (&text[range.clone()], SpanKind::Document, range.start)
                        }
                        CanonicalPart::Made(bytes) => (bytes.as_str(), SpanKind::Derived, 0),
                    };
                    out.push_str(bytes, kind, Some(ingredient), offset);
                }
                Ok(out.finish())
            }
            Err(fault) => {
                let found = Diagnostic::error(data.fault, format!("`{path}` {fault}"));
                Err(self.report(found.at(node.span).help(fault.help())))
            }
        }
    }

    /// Writes down what says how the paths of `root` are written.
    fn shown_by(&mut self, root: &str) {
        let declared = roots::declared(&self.context.plan.manifest, root);
        match declared.and_then(|r| r.shown.as_ref()) {
            Some(Lit::Fact(name)) => {
                budget::lit_value(self.context.bound, &mut self.record, &name.value);
            }
            Some(Lit::Value(shown)) => {
                self.record.ingredients.intern(Ingredient::Root {
                    name: root.to_owned(),
                    shown: shown.value.clone(),
                });
            }
            None => {}
        }
    }

    /// `text "…"`.
    pub(super) fn literal(
        &mut self,
        node: &Node,
        literal: &Literal,
    ) -> Result<Option<Arc<Document>>, ErrorReported> {
        let ingredient = self.record.ingredients.intern(Ingredient::Literal {
            file: self.context.plan.name_of(literal.span).to_string(),
            line: self.context.plan.line_of(literal.span),
            sha256: sha256(literal.text.as_bytes()),
        });
        self.record
            .place(ingredient, || OriginalText::Literal(literal.clone()));
        let text = cleaned(node, literal.text.to_string());
        self.search.found = true;
        let text = Text::new(text, SpanKind::Literal, Some(ingredient), 0);
        self.unfiled(node, text, Some(ingredient))
    }

    /// `fact NAME`.
    pub(super) fn fact(
        &mut self,
        node: &Node,
        name: &str,
    ) -> Result<Option<Arc<Document>>, ErrorReported> {
        let values = self.context.bound.values.clone();
        let value = budget::lit_value(self.context.bound, &mut self.record, name);
        let ingredient = Some(self.record.read(&values, name));
        let printed = match &value {
            None => None,
            Some(value) => match value.printed() {
                Some(text) => Some(text),
                // For a fact this is reported before anything is read; the type of a let is known only now.
                None => return Err(self.unusable(name, node.span, "a string, number or date")),
            },
        };
        let kind = if self.context.bound.facts.contains_key(name) {
            SpanKind::Fact
        } else {
            SpanKind::Derived
        };
        let Some(printed) = printed else {
            if node.missing == Some(Missing::Error) {
                return Err(self.report(
                    Diagnostic::error(
                        codes::MISSING_FACT,
                        format!("the fact `{name}` has no value"),
                    )
                    .at(node.span)
                    .help("this source has missing=error"),
                ));
            }
            return Ok(None);
        };
        self.search.found = true;
        let text = Text::new(cleaned(node, printed.to_string()), kind, ingredient, 0);
        self.unfiled(node, text, ingredient)
    }

    /// `template …` as a member of a group.
    pub(super) fn template(
        &mut self,
        node: &Node,
        key: &str,
    ) -> Result<Option<Arc<Document>>, ErrorReported> {
        let scope = self.scope();
        let text = self.run(key, &scope)?;
        self.search.found = true;
        self.unfiled(node, text, None)
    }

    /// A text without a file: named after its label, else after the layer.
    fn unfiled(
        &mut self,
        node: &Node,
        text: Text,
        ingredient: Option<u32>,
    ) -> Result<Option<Arc<Document>>, ErrorReported> {
        let label = self.label_of(node)?;
        let document = Document {
            ingredient,
            own_label: self.written(node.label.as_ref())?,
            about: self.written(node.about.as_ref())?.unwrap_or_default(),
            text,
            ..Document::unfiled(label, Text::default())
        };
        self.finish_document(node, document, None)
    }

    /// A setting that may be printed, with the owner of its bytes.
    pub(super) fn written(
        &mut self,
        lit: Option<&Lit<String>>,
    ) -> Result<Option<Text>, ErrorReported> {
        let (Some(lit), Some(text)) = (lit, self.string(lit)?) else {
            return Ok(None);
        };
        let (kind, ingredient) = match lit {
            Lit::Value(value) => (
                SpanKind::Literal,
                Ingredient::Literal {
                    file: self.context.plan.name_of(value.span).to_string(),
                    line: self.context.plan.line_of(value.span),
                    sha256: sha256(text.as_bytes()),
                },
            ),
            Lit::Fact(name) => {
                let is_fact = self.context.bound.facts.contains_key(&name.value);
                let kind = if is_fact {
                    SpanKind::Fact
                } else {
                    SpanKind::Derived
                };
                (kind, self.context.bound.values.ingredient(&name.value))
            }
        };
        let ingredient = self.record.ingredients.intern(ingredient);
        Ok(Some(Text::new(text, kind, Some(ingredient), 0)))
    }

    /// Runs a template and writes down what it read.
    pub(super) fn run(&mut self, key: &str, scope: &Scope) -> Result<Text, ErrorReported> {
        match self
            .context
            .plan
            .engine
            .render(key, scope, &mut self.record.ingredients)
        {
            Ok(rendered) => Ok(rendered.text),
            Err(failure) => Err(self.failed(key, &failure)),
        }
    }

    fn failed(&mut self, key: &str, failure: &Failure) -> ErrorReported {
        let diagnostic = self.context.plan.diagnostic(key, failure);
        self.report(diagnostic)
    }
}

/// A document that is `raw`, without its text.
pub(super) fn filed(root: &BoundRoot, raw: &Raw) -> Document {
    let path: Arc<str> = raw.path.as_str().into();
    let dir = raw.path.rsplit_once('/').map(|(dir, _)| dir.into());
    Document {
        dir: dir.unwrap_or_default(),
        location: root.location(&path),
        path,
        root: raw.root.clone(),
        root_index: raw.root_index,
        ..Document::unfiled(raw.name().into(), Text::default())
    }
}
