//! The scan of one document: its text, its names and its metadata.

use super::loader::ContentLoader;
use crate::compile::budget::called;
use crate::compile::plan::{Excepted, Node, ScanStep};
use crate::compile::record::OriginalText;
use crate::diagnostic::span::line_column;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::manifest::{Lit, OnHit};
use crate::prompt::{Finding, Ingredient};
use crate::text::Json;
use crate::text::document::Document;
use crate::text::scan::{self, Pattern};
use crate::text::{SpanKind, Text, normalise};
use std::sync::Arc;

/// The most findings in a message.
const MOST_TOLD: usize = 5;

/// The result of scanning a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scanned {
    /// It stays, as it was or with a placeholder for its text.
    Kept,
    /// It is left out.
    Dropped,
}

impl ContentLoader<'_> {
    /// Scans a document as its node says, and writes down what was found.
    ///
    /// # Errors
    /// When something was found and must not be there, or a fact that the scan needs is of no use.
    pub(super) fn scanned(
        &mut self,
        node: &Node,
        document: &mut Document,
    ) -> Result<Scanned, ErrorReported> {
        let Some(step) = node.steps.scan.clone() else {
            return Ok(Scanned::Kept);
        };
        let scope = self.scan_scope(&step)?;
        let found = self.found_in(&step, scope, document)?;
        if found.is_empty() {
            return Ok(Scanned::Kept);
        }
        let placed: Vec<Placed> = found.iter().map(|f| self.placed(document, f)).collect();
        let summary = describe(document, &placed);
        let findings: Vec<Finding> = placed.iter().map(|p| p.finding.clone()).collect();
        for Placed { owner, finding } in placed {
            self.write_down(owner.or(document.ingredient), finding);
        }
        match step.on_hit {
            OnHit::Error => Err(self.report(
                Diagnostic::error(codes::SCAN_REFUSED, summary)
                    .at(step.span)
                    .help("change the file, or write on-hit=replace or on-hit=drop"),
            )),
            OnHit::Warn => {
                let message = format!("{summary}; the text stays");
                self.record.notice(codes::SCAN_FINDING.name, message);
                Ok(Scanned::Kept)
            }
            OnHit::Drop => {
                let message = format!("{summary}; it was left out");
                self.record.notice(codes::REPLACED.name, message);
                Ok(Scanned::Dropped)
            }
            OnHit::Replace => {
                let message = format!("{summary}; a placeholder replaces it");
                self.record.notice(codes::REPLACED.name, message);
                self.replaced(&step, document, &found, &findings)
            }
        }
    }

    /// The place of the last scope whose rules apply.
    pub(super) fn scan_scope(&mut self, step: &ScanStep) -> Result<usize, ErrorReported> {
        let last = step.scopes.len().saturating_sub(1);
        let Some(scope) = self.string(step.scope.as_ref())? else {
            return Ok(last);
        };
        let at = step.scopes.iter().position(|s| *s == scope);
        at.ok_or_else(|| {
            let name = match &step.scope {
                Some(Lit::Fact(name)) => name.value.as_str(),
                _ => "",
            };
            let place = step.scope.as_ref().map_or(step.span, Lit::span);
            let message = format!("the value of `{name}` is not a scope of the rule set");
            let scopes: Vec<&str> = step.scopes.iter().map(|s| &**s).collect();
            self.report(
                Diagnostic::error(codes::UNKNOWN_SCOPE, message)
                    .at(place)
                    .help(format!("its scopes: {}", scopes.join(", "))),
            )
        })
    }

    /// Whether a text is not scanned.
    fn excepted(&mut self, step: &ScanStep, text: &str) -> Result<bool, ErrorReported> {
        match &step.except {
            None => Ok(false),
            Some(Excepted::Pattern(pattern)) => Ok(pattern.is_in(text)),
            Some(Excepted::Fact(_)) => {
                let pattern = self.exception(step)?;
                Ok(pattern.is_some_and(|pattern| pattern.is_in(text)))
            }
        }
    }

    /// In which texts nothing is looked for.
    pub(super) fn exception(&mut self, step: &ScanStep) -> Result<Option<Pattern>, ErrorReported> {
        let name = match &step.except {
            None => return Ok(None),
            Some(Excepted::Pattern(pattern)) => return Ok(Some(pattern.clone())),
            Some(Excepted::Fact(name)) => name,
        };
        let Some(written) = self.string(Some(&Lit::Fact(name.clone())))? else {
            return Ok(None);
        };
        let pattern = Pattern::new(&written).map_err(|flaw| {
            let message = format!("`{}` is not a valid pattern: {}", name.value, flaw.message);
            self.report(
                Diagnostic::error(codes::PATTERN_SYNTAX, message)
                    .at(name.span)
                    .help(flaw.help),
            )
        })?;
        Ok(Some(pattern))
    }

    /// The findings in all text of a document that a template can use and that the manifest does not contain itself.
    fn found_in(
        &mut self,
        step: &ScanStep,
        scope: usize,
        document: &Document,
    ) -> Result<Vec<LocatedFinding>, ErrorReported> {
        let mut found = Vec::new();
        let mut look = |within: Option<&str>, key: Option<&str>, text: &str| {
            let hits = step.rules.scan(text, scope).into_iter();
            let before = found.len();
            found.extend(hits.map(|hit| LocatedFinding {
                within: within.map(str::to_owned),
                key: key.map(str::to_owned),
                hit,
            }));
            found.len() > before
        };
        if !self.excepted(step, document.text.as_str())? {
            look(None, None, document.text.as_str());
        }
        look(Some("name"), None, &document.path);
        for (name, text) in [
            ("label", document.own_label.as_ref()),
            ("about", Some(&document.about)),
        ] {
            if let Some(text) = text.filter(|t| is_given(t)) {
                look(Some(name), None, text.as_str());
            }
        }
        for (key, value) in &document.meta {
            // A key in which something was found is named nowhere.
            let within = if look(Some(KEYS), Some(key), key) {
                KEYS.to_owned()
            } else {
                format!("{KEYS} {key}")
            };
            strings(value, &mut |text| {
                look(Some(&within), Some(key), text);
            });
        }
        Ok(found)
    }

    /// Puts a finding where the map looks for it: at the document that owns the place, else at the scanned one.
    fn write_down(&mut self, owner: Option<u32>, finding: Finding) {
        let ingredient = owner.and_then(|index| self.record.ingredients.get_own_mut(index));
        if let Some(findings) = ingredient.and_then(Ingredient::findings_mut) {
            findings.push(finding);
        }
    }

    /// A finding with its place in the file, if its text was copied from one.
    fn placed(&self, document: &Document, found: &LocatedFinding) -> Placed {
        let text = match (&found.within, &found.key) {
            (None, _) => Some(&document.text),
            (Some(_), Some(key)) if !found.names_no_key() => document.meta_texts.get(key),
            _ => None,
        };
        let place = text.and_then(|text| self.place_in_file(text, found.hit.range.start));
        let (line, column) = place.map_or((found.hit.line, found.hit.column), |(_, at)| at);
        Placed {
            owner: place.map(|(owner, _)| owner),
            finding: Finding {
                id: found.hit.id.to_string(),
                rule: found.hit.rule.to_string(),
                line,
                column,
                within: found.within.clone(),
            },
        }
    }

    /// The document that owns a byte of a text, and the line and column in it.
    pub(super) fn place_in_file(
        &self,
        text: &Text,
        offset: usize,
    ) -> Option<(u32, (usize, usize))> {
        let mut at = 0;
        for run in text.runs() {
            if offset < at + run.len {
                let owner = run.ingredient.filter(|_| run.kind == SpanKind::Document)?;
                let Some(OriginalText::Document(file)) = self.record.place_of(owner) else {
                    return None;
                };
                return Some((owner, line_column(file, run.offset + (offset - at))));
            }
            at += run.len;
        }
        None
    }

    /// Puts the placeholder in place of a text, and takes out of names and metadata what was found there.
    fn replaced(
        &mut self,
        step: &ScanStep,
        document: &mut Document,
        found: &[LocatedFinding],
        findings: &[Finding],
    ) -> Result<Scanned, ErrorReported> {
        let mut shown = document.clone();
        shown.replaced = true;
        clear_names(&mut shown, found);
        let scope = self.scope().with_findings(findings);
        let scope = scope.with_document(Arc::new(shown.clone()));
        let text = self.run(&step.placeholder, &scope)?;
        if normalise::is_blank(text.as_str()) {
            return Ok(Scanned::Dropped);
        }
        clear_meta(&mut shown, found, &text);
        *document = shown;
        self.becomes(document, text);
        Ok(Scanned::Kept)
    }
}

/// A finding, and where in the document.
struct LocatedFinding {
    /// None in the text; else `name`, `label`, `about`, `meta KEY`, or [`KEYS`].
    within: Option<String>,
    /// The key of the metadata, at the top of it.
    key: Option<String>,
    hit: scan::Finding,
}

/// Where something is that was found in the metadata, if a key must not be named.
const KEYS: &str = "meta";

impl LocatedFinding {
    /// Whether something was found in the key itself.
    fn names_no_key(&self) -> bool {
        self.within.as_deref() == Some(KEYS)
    }
}

struct Placed {
    owner: Option<u32>,
    finding: Finding,
}

/// Whether a text is no text of the manifest.
fn is_given(text: &Text) -> bool {
    text.runs().iter().any(|run| run.kind != SpanKind::Literal)
}

/// All strings of a value of the metadata, keys included.
fn strings(value: &Json, look: &mut impl FnMut(&str)) {
    match value {
        Json::Text(text) => look(text),
        Json::List(items) => items.iter().for_each(|item| strings(item, look)),
        Json::Object(members) => {
            for (key, value) in &**members {
                look(key);
                strings(value, look);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// Names in which something was found say what, and nothing else.
fn clear_names(document: &mut Document, found: &[LocatedFinding]) {
    let is_in = |found: &&LocatedFinding, name: &str| found.within.as_deref() == Some(name);
    let named = found.iter().filter(|f| is_in(f, "name"));
    let ids: Vec<&str> = named.map(|f| &*f.hit.id).collect();
    let neutral: Arc<str> = format!("[{}]", ids.join(", ")).into();
    if !ids.is_empty() {
        if document.label == document.name {
            document.label = neutral.clone();
        }
        document.name = neutral.clone();
        document.path = neutral.clone();
        document.location = neutral;
        document.dir = Arc::default();
        if let Some(entry) = &mut document.entry {
            let entry = Arc::make_mut(entry);
            entry.folder = document.name.clone();
            entry.category = Arc::default();
        }
    }
    let own = document.entry.is_some();
    if let Some(finding) = found.iter().find(|f| own && is_in(f, "meta name")) {
        let name = format!("[{}]", finding.hit.id);
        let neutral: Arc<str> = name.as_str().into();
        if document.label == document.name {
            document.label = neutral.clone();
        }
        document.name = neutral;
        if let Some(entry) = &mut document.entry {
            let name = Text::new(name, SpanKind::Derived, document.ingredient, 0);
            Arc::make_mut(entry).name = name;
        }
    }
    if found.iter().any(|f| is_in(&f, "label")) {
        document.label = document.name.clone();
        document.own_label = None;
    }
    if found.iter().any(|f| is_in(&f, "about")) {
        document.about = Text::default();
    }
}

/// A placeholder replaces metadata with a finding; an entry whose key has one is removed.
fn clear_meta(document: &mut Document, found: &[LocatedFinding], placeholder: &Text) {
    for finding in found {
        let Some(key) = finding.key.as_deref() else {
            continue;
        };
        document.meta_texts.remove(key);
        if finding.names_no_key() {
            document.meta.remove(key);
            continue;
        }
        if let Some(value) = document.meta.get_mut(key) {
            *value = Json::from(placeholder.as_str());
        }
        if let Some(entry) = &mut document.entry {
            let entry = Arc::make_mut(entry);
            if key == "description" {
                entry.description = placeholder.clone();
            }
        }
    }
}

/// "a scan found `hide-from-user` (line 3, column 1) in `AGENTS.md`". The text itself is not shown.
fn describe(document: &Document, placed: &[Placed]) -> String {
    let each = placed.iter().take(MOST_TOLD);
    let each = each.map(|p| format!("`{}` ({})", p.finding.id, p.finding.place()));
    let mut each: Vec<String> = each.collect();
    if let Some(more @ 1..) = placed.len().checked_sub(MOST_TOLD) {
        each.push(format!("{more} more"));
    }
    format!("a scan found {} in `{}`", each.join(", "), called(document))
}
