//! One document from its bytes to its text: decode, newlines, BOM, trim, front matter, comments, where and hide, imports,
//! wrap.

use super::gather::Gatherer;
use crate::compile::bound;
use crate::compile::plan::{Kind, Node};
use crate::compile::record::Place;
use crate::compile::roots;
use crate::diagnostic::{self as codes, Diagnostic, Reported};
use crate::document::Document;
use crate::expr::{Failure, Scope};
use crate::manifest::{Invalid, Lit, Missing};
use crate::prompt::{Ingredient, UnusedReason, sha256};
use crate::source::json::{self, Piece};
use crate::source::place::{BoundRoot, Raw};
use crate::span::Literal;
use crate::text::{SpanKind, Text, TextBuf, frontmatter, markdown, normalise};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

impl Gatherer<'_> {
    /// A file that was read.
    pub(super) fn document(
        &mut self,
        node: &Node,
        root: &BoundRoot,
        raw: Raw,
    ) -> Result<Option<Arc<Document>>, Reported> {
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
        self.finish_document(node, document)
    }

    /// The text of a file after the newlines and BOM steps; none if it does not count because it is not UTF-8.
    pub(super) fn opened(
        &mut self,
        node: &Node,
        root: &BoundRoot,
        raw: Raw,
        imported_by: Option<&str>,
    ) -> Result<Option<Document>, Reported> {
        let (hash, bytes) = (sha256(&raw.bytes), raw.bytes.len());
        let text = match normalise::decode(raw.bytes) {
            Ok(text) => text,
            Err(_) if node.invalid == Invalid::Missing => {
                self.record
                    .unused(&raw.root, &raw.path, UnusedReason::Invalid);
                self.record.left_out(UnusedReason::Invalid);
                return Ok(None);
            }
            Err(offset) => {
                let message = format!(
                    "`{}` is not UTF-8: byte {offset} begins no character",
                    raw.path
                );
                return Err(self.report(
                    Diagnostic::error(codes::INVALID_UTF8, message)
                        .at(node.span)
                        .help(
                            "save it as UTF-8, or write invalid=missing to leave such a file out",
                        ),
                ));
            }
        };
        let text = cleaned(node, text);
        self.shown_by(&raw.root);
        let name: Arc<str> = raw.path.rsplit('/').next().unwrap_or_default().into();
        let chars = text.chars().count();
        let ingredient = self.record.ingredients.add(Ingredient::Document {
            root: raw.root.to_string(),
            path: raw.path.clone(),
            name: name.to_string(),
            sha256: hash,
            bytes,
            chars,
            kept: chars,
            dropped: 0,
            imported_by: imported_by.map(str::to_owned),
        });
        let text: Arc<str> = text.into();
        self.record
            .place(ingredient, || Place::Document(text.clone()));
        let text = if matches!(node.kind, Kind::Json(_)) {
            self.json(node, &raw.path, &text, ingredient)?
        } else {
            // The steps trim again, which then changes nothing and copies nothing.
            let range = match node.steps.trim {
                true => normalise::trim_range(&text),
                false => 0..text.len(),
            };
            let start = range.start;
            Text::new(&text[range], SpanKind::Document, Some(ingredient), start)
        };
        let dir = raw.path.rsplit_once('/').map(|(dir, _)| dir.into());
        let path: Arc<str> = raw.path.into();
        Ok(Some(Document {
            dir: dir.unwrap_or_default(),
            location: root.location(&path),
            path,
            root: raw.root,
            root_index: raw.root_index,
            ingredient: Some(ingredient),
            text,
            // It is counted once the text is final.
            ..Document::unfiled(name, Text::default())
        }))
    }

    fn json(
        &mut self,
        node: &Node,
        path: &str,
        text: &str,
        ingredient: u32,
    ) -> Result<Text, Reported> {
        match json::canonical(text) {
            Ok(pieces) => {
                let mut out = TextBuf::with_capacity(text.len(), pieces.len());
                for piece in pieces {
                    let (bytes, kind, offset) = match &piece {
                        Piece::Copied(range) => {
                            (&text[range.clone()], SpanKind::Document, range.start)
                        }
                        Piece::Made(bytes) => (bytes.as_str(), SpanKind::Derived, 0),
                    };
                    out.push_str(bytes, kind, Some(ingredient), offset);
                }
                Ok(out.finish())
            }
            Err(fault) => Err(self.report(
                Diagnostic::error(codes::JSON_SYNTAX, format!("`{path}` {fault}")).at(node.span),
            )),
        }
    }

    /// Writes down what says how the paths of `root` are written.
    fn shown_by(&mut self, root: &str) {
        let declared = roots::declared(&self.plan.manifest, root);
        match declared.and_then(|r| r.shown.as_ref()) {
            Some(Lit::Fact(name)) => {
                bound::lit_value(self.bound, &mut self.record, &name.value);
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
    ) -> Result<Option<Arc<Document>>, Reported> {
        let ingredient = self.record.ingredients.intern(Ingredient::Literal {
            file: self.plan.name_of(literal.span).to_string(),
            line: self.plan.line_of(literal.span),
            sha256: sha256(literal.text.as_bytes()),
        });
        self.record
            .place(ingredient, || Place::Literal(literal.clone()));
        let text = cleaned(node, literal.text.to_string());
        self.found = true;
        let text = Text::new(text, SpanKind::Literal, Some(ingredient), 0);
        self.unfiled(node, text, Some(ingredient))
    }

    /// `fact NAME`.
    pub(super) fn fact(
        &mut self,
        node: &Node,
        name: &str,
    ) -> Result<Option<Arc<Document>>, Reported> {
        let values = self.bound.values.clone();
        let value = bound::lit_value(self.bound, &mut self.record, name);
        let ingredient = Some(self.record.ingredients.intern(values.ingredient(name)));
        let printed = match &value {
            None => None,
            Some(value) => match value.printed() {
                Some(text) => Some(text),
                // Of a fact this is told before anything is read; the kind of a let is known only now.
                None => return Err(self.unusable(name, node.span, "a string, number or date")),
            },
        };
        let kind = match self.bound.facts.contains_key(name) {
            true => SpanKind::Fact,
            false => SpanKind::Derived,
        };
        let Some(printed) = printed else {
            if node.missing == Missing::Error {
                return Err(self.report(
                    Diagnostic::error(
                        codes::MISSING_FACT,
                        format!("the fact `{name}` has no value"),
                    )
                    .at(node.span)
                    .help("this source says missing=error"),
                ));
            }
            return Ok(None);
        };
        self.found = true;
        let text = Text::new(cleaned(node, printed.to_string()), kind, ingredient, 0);
        self.unfiled(node, text, ingredient)
    }

    /// `template …` as a member of a group.
    pub(super) fn template(
        &mut self,
        node: &Node,
        key: &str,
    ) -> Result<Option<Arc<Document>>, Reported> {
        let scope = self.scope();
        let text = self.run(key, &scope)?;
        self.found = true;
        self.unfiled(node, text, None)
    }

    /// A text without a file: named after its label, else after the layer.
    fn unfiled(
        &mut self,
        node: &Node,
        text: Text,
        ingredient: Option<u32>,
    ) -> Result<Option<Arc<Document>>, Reported> {
        let label = self.label(node)?.unwrap_or_else(|| self.layer.name.clone());
        let document = Document {
            ingredient,
            own_label: self.written(node.label.as_ref())?,
            about: self.written(node.about.as_ref())?.unwrap_or_default(),
            text,
            ..Document::unfiled(label, Text::default())
        };
        self.finish_document(node, document)
    }

    /// A setting that may be printed, with the owner of its bytes.
    pub(super) fn written(&mut self, lit: Option<&Lit<String>>) -> Result<Option<Text>, Reported> {
        let (Some(lit), Some(text)) = (lit, self.string(lit)?) else {
            return Ok(None);
        };
        let (kind, ingredient) = match lit {
            Lit::Value(value) => (
                SpanKind::Literal,
                Ingredient::Literal {
                    file: self.plan.name_of(value.span).to_string(),
                    line: self.plan.line_of(value.span),
                    sha256: sha256(text.as_bytes()),
                },
            ),
            Lit::Fact(name) => {
                let is_fact = self.bound.facts.contains_key(&name.value);
                let kind = match is_fact {
                    true => SpanKind::Fact,
                    false => SpanKind::Derived,
                };
                (kind, self.bound.values.ingredient(&name.value))
            }
        };
        let ingredient = self.record.ingredients.intern(ingredient);
        Ok(Some(Text::new(text, kind, Some(ingredient), 0)))
    }

    /// The steps from trim up to the comments, which documents and those that they import share.
    pub(super) fn readied(&mut self, node: &Node, document: &mut Document) -> Result<(), Reported> {
        document.text = trimmed(node, &document.text);
        self.frontmatter(node, document)?;
        // What JSON says is data.
        if node.steps.comments && !matches!(node.kind, Kind::Json(_)) {
            let comments = markdown::comments(document.text.as_str());
            let comments = comments.map_err(|_| self.too_large_to_read(node, document))?;
            if !comments.is_empty() {
                document.text = trimmed(node, &without(&document.text, &comments));
            }
        }
        Ok(())
    }

    /// A text in which comments or imports cannot be found.
    pub(super) fn too_large_to_read(&mut self, node: &Node, document: &Document) -> Reported {
        let name = match &*document.path {
            "" => &document.label,
            path => path,
        };
        let message =
            format!("`{name}` is larger than 4 MiB, too large to look for comments or imports");
        self.report(
            Diagnostic::error(codes::DOCUMENT_TOO_LARGE, message)
                .at(node.span)
                .help("name another file, or read this one without `comments` and `imports`"),
        )
    }

    /// The steps behind the newlines and BOM steps.
    fn finish_document(
        &mut self,
        node: &Node,
        mut document: Document,
    ) -> Result<Option<Arc<Document>>, Reported> {
        self.readied(node, &mut document)?;
        if normalise::is_blank(document.text.as_str()) {
            return Ok(self.leave_out(&document, UnusedReason::Blank));
        }
        document.total = document.text.as_str().chars().count();
        self.record.kept(document.ingredient, document.total);
        // Programs share it; once they have run it is ours alone again.
        let mut document = Arc::new(document);
        if !self.passes(node, &document)? {
            return Ok(self.leave_out(&document, UnusedReason::Condition));
        }
        if let Kind::Glob {
            hide: Some(key), ..
        } = &node.kind
        {
            let scope = self.scope().with_document(document.clone());
            let reason = self.run(key, &scope)?;
            if !normalise::is_blank(reason.as_str()) {
                return Ok(self.leave_out(&document, UnusedReason::Hidden));
            }
        }
        if node.steps.imports.is_some() {
            let text = self.with_imports(node, &document)?;
            if let Some(text) = text.map(|text| trimmed(node, &text))
                && !self.becomes(Arc::make_mut(&mut document), text)
            {
                return Ok(self.leave_out(&document, UnusedReason::Blank));
            }
        }
        if let Some(key) = &node.steps.wrap {
            let scope = self.scope().with_document(document.clone());
            let text = self.run(key, &scope)?;
            drop(scope);
            if !self.becomes(Arc::make_mut(&mut document), text) {
                return Ok(self.leave_out(&document, UnusedReason::Blank));
            }
        }
        Ok(Some(document))
    }

    /// Gives a document its next text and writes down what is kept of it, and of those that it imports. Says whether that
    /// is anything.
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
        if !document.root.is_empty() {
            self.record.unused(&document.root, &document.path, reason);
        }
        None
    }

    fn passes(&mut self, node: &Node, document: &Arc<Document>) -> Result<bool, Reported> {
        if node.filters.is_empty() {
            return Ok(true);
        }
        let scope = self.scope().with_document(document.clone());
        for filter in &node.filters {
            if !self.condition(filter, &scope)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn frontmatter(&mut self, node: &Node, document: &mut Document) -> Result<(), Reported> {
        let Some(rule) = node.steps.frontmatter else {
            return Ok(());
        };
        let Some(front) = frontmatter::split(document.text.as_str()) else {
            return Ok(());
        };
        if rule.parse {
            let yaml = &document.text.as_str()[front.yaml.clone()];
            match frontmatter::parse(yaml, rule.yaml11, rule.lenient) {
                Ok(meta) => {
                    document.meta_texts = in_place(&document.text, front.yaml.clone(), &meta);
                    document.meta = meta;
                }
                Err(error) => {
                    let line = error
                        .line
                        .map_or(String::new(), |l| format!(" (line {})", l + 1));
                    let name = if document.path.is_empty() {
                        &document.label
                    } else {
                        &document.path
                    };
                    let diagnostic = Diagnostic::error(
                        codes::FRONTMATTER_SYNTAX,
                        format!(
                            "the front matter of `{name}` cannot be read{line}: {}",
                            error.message
                        ),
                    )
                    .at(rule.span)
                    .help(error.help);
                    return Err(self.report(diagnostic));
                }
            }
        }
        let mut body = front.body;
        if node.steps.trim {
            let inner = normalise::trim_range(&document.text.as_str()[body.clone()]);
            body = body.start + inner.start..body.start + inner.end;
        }
        document.text = document.text.slice(body);
        Ok(())
    }

    /// Runs a template and writes down what it read.
    pub(super) fn run(&mut self, key: &str, scope: &Scope) -> Result<Text, Reported> {
        match self
            .plan
            .engine
            .render(key, scope, &mut self.record.ingredients)
        {
            Ok(rendered) => Ok(rendered.text),
            Err(failure) => Err(self.failed(key, &failure)),
        }
    }

    fn failed(&mut self, key: &str, failure: &Failure) -> Reported {
        let diagnostic = self.plan.diagnostic(key, failure);
        self.report(diagnostic)
    }
}

/// The newlines and BOM steps.
fn cleaned(node: &Node, text: String) -> String {
    let mut text = text;
    if node.steps.newlines
        && let Cow::Owned(changed) = normalise::newlines(&text)
    {
        text = changed;
    }
    if node.steps.bom && normalise::bom(&text).len() < text.len() {
        text = normalise::bom(&text).to_owned();
    }
    text
}

/// What is left of a text without these stretches.
pub(super) fn without(text: &Text, gone: &[Range<usize>]) -> Text {
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

/// The strings of front matter that stand in it unchanged, on the line of their key.
fn in_place(
    text: &Text,
    yaml: Range<usize>,
    meta: &BTreeMap<String, serde_json::Value>,
) -> BTreeMap<String, Text> {
    let mut out = BTreeMap::new();
    let mut at = yaml.start;
    for line in text.as_str()[yaml].split_inclusive('\n') {
        if let Some((key, value)) = line.split_once(':')
            && let Some(serde_json::Value::String(string)) = meta.get(key)
            && !string.is_empty()
            && let Some(found) = value.find(string.as_str())
        {
            let start = at + key.len() + 1 + found;
            out.insert(key.to_owned(), text.slice(start..start + string.len()));
        }
        at += line.len();
    }
    out
}
