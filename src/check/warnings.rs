//! The warnings of a build, for the rules that report them.

use super::{Build, Context, Finding, FindingSet, Rule};
use crate::manifest::FileName;

/// Reports the warnings of the code of a rule, each within the source or layer that gave it.
pub(super) fn report(
    context: &Context<'_>,
    build: &Build,
    rule: &'static Rule,
    found: &mut FindingSet,
) {
    for warning in (build.warnings.iter()).filter(|w| w.code.name == rule.code.name) {
        let Some(span) = warning.span else {
            continue;
        };
        let mut nodes = context.analysis.of_prompt();
        let node = nodes.find(|node| {
            let reading = node.node.kind.reading();
            let mut names = reading.into_iter().flat_map(|reading| &reading.names);
            let is_name = |name: &FileName| matches!(name, FileName::Written { written, .. } if written.span == span);
            node.node.span == span || names.any(is_name)
        });
        let layer = || {
            let mut layers = context.analysis.layers();
            layers.find(|(layer, _)| layer.written.name.span == span)
        };
        let site = node
            .map(|n| &n.site)
            .or_else(|| layer().map(|(_, site)| site));
        let mut finding = Finding::new(rule, span, "");
        if let Some(site) = site {
            finding = finding.within(site);
        }
        finding.diagnostic.clone_from(warning);
        finding.document.clone_from(&warning.document);
        finding.scenario.clone_from(&build.scenario);
        found.push(finding);
    }
}
