//! What expressions and templates depend on.

use super::programs::Programs;
use super::visible::Visible;
use super::why::{Link, What, Why};
use crate::compile::merge;
use crate::diagnostic::span::{Literal, Span};
use crate::manifest::{Fact, Program, TemplateRef};
use crate::template::{Analysis, analyse};
use crate::text::document::Document;
use std::collections::BTreeSet;

impl Programs<'_> {
    /// The dependencies of an expression; it is checked.
    pub(super) fn expression_why(
        &mut self,
        what: What,
        literal: Option<&Literal>,
        site: Visible<'_>,
    ) -> Why {
        let mut why = Why::default();
        if let Some(literal) = literal
            && let Some(analysis) = self.expression(literal, site)
        {
            let program = Program::Inline(literal.clone());
            let link = Link::new(what, literal.text.clone(), literal.span);
            why.through(&link, self.why(&analysis, &program));
        }
        why
    }

    /// The dependencies of a template, with all that it includes; all are checked.
    pub(super) fn template_why(
        &mut self,
        what: What,
        template: Option<&TemplateRef>,
        site: Visible<'_>,
    ) -> Why {
        let mut why = Why::default();
        let Some(template) = template else {
            return why;
        };
        let key = merge::key(template);
        let name = match template {
            TemplateRef::Inline(_) => "",
            TemplateRef::File { name, .. } => &name.value,
        };
        let place = template.span();
        let root = Link::new(what, name, place);
        why.through(&root, self.program_why(template));
        // Names that a template sets are visible in those that it includes, so names are collected on the way down.
        let mut open = vec![(key, BTreeSet::new(), None)];
        let mut seen = BTreeSet::new();
        while let Some((key, inherited, from)) = open.pop() {
            let Some(template) = self.templates.get(&key) else {
                continue;
            };
            if !seen.insert(key.clone()) {
                continue;
            }
            self.keeps_template(&key, from.unwrap_or(place));
            let known = self.known(site, &inherited);
            // Parts are lists of documents too. Merging has refused templates that cannot be read.
            let with_parts = (known
                .document_lists
                .iter()
                .any(|list| !Document::LISTS.contains(&list.as_str())))
            .then(|| analyse::template(template.program.text(), &known.document_lists).ok());
            let analysis = with_parts.flatten();
            let analysis = analysis.as_ref().unwrap_or(&template.analysis);
            self.check(analysis, &template.program, &known);
            let mut uses = self.why(analysis, &template.program);
            if let Some(place) = from {
                let mut included = Why::default();
                included.through(&Link::new(What::Template, key.as_str(), place), uses);
                uses = included;
            }
            why.through(&root, uses);
            let mut inherited = inherited;
            inherited.extend(analysis.sets.iter().cloned());
            for used in &analysis.templates {
                let place = template.program.span_of(used.range.clone());
                open.push((used.name.clone(), inherited.clone(), Some(place)));
            }
        }
        why
    }

    /// Program text itself: a deployment brings it, and an embedded one never changes.
    fn program_why(&self, template: &TemplateRef) -> Why {
        let (changes, place) = match template {
            TemplateRef::File {
                root: Some(root), ..
            } => return self.root_why(&root.value, root.span),
            TemplateRef::Inline(literal) => (self.file_class(literal.span.file), literal.span),
            TemplateRef::File { name, .. } => (self.base_class(), name.span),
        };
        Why::one(changes, Link::new(What::Program, "", place), None)
    }

    /// Everything checked in `analysis`, the analysis of `program`.
    fn why(&self, analysis: &Analysis, program: &Program) -> Why {
        let mut why = Why::default();
        let mut met = BTreeSet::new();
        for used in &analysis.names {
            if met.insert(used.name.as_str()) {
                why.add(self.name_why(&used.name, program.span_of(used.range.clone())));
            }
        }
        for call in &analysis.exists {
            let place = program.span_of(call.range.clone());
            let link = Link::new(What::Exists, call.file.as_str(), place);
            why.through(&link, self.root_why(&call.root, place));
        }
        for call in &analysis.loaded {
            let place = program.span_of(call.range.clone());
            if let Some(layer) = self.layers.get(&call.name) {
                let link = Link::new(What::Loaded, call.name.as_str(), place);
                why.through(&link, layer.strongest());
            }
        }
        why
    }

    /// A fact or let, used at `place`.
    pub(super) fn name_why(&self, name: &str, place: Span) -> Why {
        let mut why = Why::default();
        let declared = |fact: &Fact| fact.changes.as_ref().map(|c| c.span);
        if let Some(fact) = self.fact(name) {
            let class = fact.class();
            return Why::one(class, Link::new(What::Fact, name, place), declared(fact));
        }
        let Some(at) = self.expressions_of.get(name) else {
            return why;
        };
        let link = Link::new(What::Let, name, place);
        for fact in (self.facts_read_by(name).iter()).filter_map(|f| self.fact(f)) {
            let fact_link = Link::new(What::Fact, fact.name.value.as_str(), *at);
            let one = Why::one(fact.class(), fact_link, declared(fact));
            why.through(&link, one);
        }
        why
    }
}
