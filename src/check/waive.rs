//! `waive CODE because="…"`: what was found, and is meant to be so.

use super::rules;
use super::{Context, Finding};
use crate::compile::Site;
use crate::diagnostic::span::Span;
use crate::manifest::Waive;

/// A finding that a waiver silences.
#[derive(Debug, Clone)]
pub struct Waived {
    /// The finding.
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
    /// The name of the surrounding node; none at the top level.
    pub inside: Option<Span>,
    /// Its site, if that is in a tier of the prompt or on content.
    pub site: Option<Site<'a>>,
    /// Whether a finding was waived by it.
    pub used: bool,
}

/// All waivers of a manifest.
#[derive(Debug)]
pub struct Waivers<'a> {
    /// The waivers, in order.
    pub uses: Vec<Use<'a>>,
    /// Whether rules that read sources were run.
    pub sources: bool,
    /// Whether rules that need sizes were run.
    pub sizes: bool,
    /// Whether rules that need requests were run.
    pub requests: bool,
}

impl<'a> Waivers<'a> {
    pub(super) fn new(context: &Context<'a>, sources: bool) -> Self {
        let uses = collect(context);
        let sizes = context.sizes.is_some();
        Self {
            uses,
            sources,
            sizes,
            requests: context.frequencies.is_some(),
        }
    }

    /// Splits findings into open and waived ones. The innermost waiver around a finding silences it.
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
        let requests = |rule: &super::Rule| self.requests || !rule.needs_requests();
        rule.is_none_or(|rule| sources(rule) && sizes(rule) && requests(rule))
    }
}

fn collect<'a>(context: &Context<'a>) -> Vec<Use<'a>> {
    let mut uses = Vec::new();
    let mut add = |waivers: &'a [Waive], inside: Option<Span>, site: Option<&Site<'a>>| {
        uses.extend(waivers.iter().map(|written| Use {
            written,
            inside,
            site: site.cloned(),
            used: false,
        }));
    };
    let (manifest, analysis) = (context.manifest(), &context.analysis);
    add(&manifest.waivers, None, None);
    for root in &manifest.roots {
        add(&root.waivers, Some(root.span), None);
    }
    for fact in &manifest.facts {
        add(&fact.waivers, Some(fact.span), None);
    }
    if let Some(session) = &manifest.session {
        add(&session.waivers, Some(session.span), None);
    }
    for expect in &manifest.expects {
        add(&expect.waivers, Some(expect.span), None);
    }
    for layer in manifest.directory_rules.iter().flat_map(|h| &h.tier.layers) {
        add(&layer.waivers, Some(layer.span), None);
    }
    for tier in &analysis.tiers {
        let site = Site::of_tier(tier);
        add(&tier.written.waivers, Some(tier.written.span), Some(&site));
    }
    for (layer, site) in analysis.layers() {
        add(&layer.written.waivers, Some(layer.written.span), Some(site));
    }
    for node in &analysis.nodes {
        add(&node.node.waivers, Some(node.node.span), Some(&node.site));
    }
    uses
}
