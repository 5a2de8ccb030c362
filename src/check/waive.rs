//! `waive CODE because="…"`: what was found, and is meant to be so.

use super::rules;
use super::{Context, Finding};
use crate::diagnostic::span::Span;
use crate::manifest::{Manifest, Node, NodeKind, Waive};

/// A finding that a waiver silences.
#[derive(Debug, Clone)]
pub struct Waived {
    /// What was found.
    pub finding: Finding,
    /// The reason that the manifest gives.
    pub because: String,
    /// The waiver.
    pub place: Span,
}

/// A waiver, and whether it silenced anything.
#[derive(Debug)]
pub struct Use<'a> {
    /// As written.
    pub written: &'a Waive,
    /// The name of the node that it stands in; none at the top level.
    pub inside: Option<Span>,
    /// Whether a finding was waived by it.
    pub used: bool,
}

/// All waivers of a manifest.
#[derive(Debug)]
pub struct Waivers<'a> {
    /// They, in order.
    pub uses: Vec<Use<'a>>,
    /// Whether rules that read sources were run.
    pub sources: bool,
    /// Whether rules that need sizes were run.
    pub sizes: bool,
}

impl<'a> Waivers<'a> {
    pub(super) fn new(context: &Context<'a>, sources: bool) -> Self {
        let uses = collect(context.manifest());
        let sizes = context.sizes.is_some();
        Self {
            uses,
            sources,
            sizes,
        }
    }

    /// What is open, and what is waived. The innermost waiver around a finding silences it.
    pub(super) fn split(&mut self, findings: Vec<Finding>) -> (Vec<Finding>, Vec<Waived>) {
        let (mut open, mut waived) = (Vec::new(), Vec::new());
        for finding in findings {
            match self.silencer(&finding) {
                Some(index) => {
                    let by = &mut self.uses[index];
                    by.used = true;
                    waived.push(Waived {
                        because: by.written.because.value.clone(),
                        place: by.written.place,
                        finding,
                    });
                }
                None => open.push(finding),
            }
        }
        (open, waived)
    }

    fn silencer(&self, finding: &Finding) -> Option<usize> {
        if !finding.rule.waivable {
            return None;
        }
        let inside = |span: Option<Span>| {
            let code = finding.rule.code.name;
            self.uses
                .iter()
                .position(|u| u.inside == span && u.written.code.value == code)
        };
        let around = finding.around.iter().map(|span| Some(*span));
        around.chain([None]).find_map(inside)
    }

    /// Whether the rule that a waiver names was run.
    #[must_use]
    pub fn was_asked(&self, waiver: &Use<'_>) -> bool {
        let rule = rules::by_name(&waiver.written.code.value);
        let sources = |rule: &super::Rule| self.sources || !rule.reads_sources();
        let sizes = |rule: &super::Rule| self.sizes || !rule.needs_sizes();
        rule.is_none_or(|rule| sources(rule) && sizes(rule))
    }
}

fn collect(manifest: &Manifest) -> Vec<Use<'_>> {
    let mut uses = Vec::new();
    add(&mut uses, &manifest.waivers, None);
    for root in &manifest.roots {
        add(&mut uses, &root.waivers, Some(root.span));
    }
    for fact in &manifest.facts {
        add(&mut uses, &fact.waivers, Some(fact.span));
    }
    if let Some(session) = &manifest.session {
        add(&mut uses, &session.waivers, Some(session.span));
    }
    let of_hint = manifest.hint.iter().map(|h| &h.tier);
    for tier in manifest.tiers.iter().chain(of_hint) {
        add(&mut uses, &tier.waivers, Some(tier.span));
        for layer in &tier.layers {
            add(&mut uses, &layer.waivers, Some(layer.span));
            let parts = layer.parts.iter().map(|p| &p.content);
            for content in layer.content.iter().chain(parts) {
                node(&mut uses, content);
            }
        }
    }
    uses
}

fn node<'a>(uses: &mut Vec<Use<'a>>, of: &'a Node) {
    add(uses, &of.waivers, Some(of.span));
    if let NodeKind::First(members) | NodeKind::All { members, .. } = &of.kind {
        for member in members {
            node(uses, member);
        }
    }
}

fn add<'a>(uses: &mut Vec<Use<'a>>, waivers: &'a [Waive], inside: Option<Span>) {
    uses.extend(waivers.iter().map(|written| Use {
        written,
        inside,
        used: false,
    }));
}
