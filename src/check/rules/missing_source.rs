//! A source that names something, and finds nothing.

use crate::check::{Build, Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::NodeUse;
use crate::diagnostic::{self, Severity};
use crate::manifest::FileName;

pub(super) static RULE: Rule = Rule {
    code: diagnostic::MISSING_SOURCE,
    severity: Severity::Warning,
    waivable: false,
    looks: &[RuleInput::Sources(run)],
};

fn run(context: &Context<'_>, build: &Build, found: &mut FindingSet) {
    for missing in &build.missing {
        let Some(span) = missing.span else {
            continue;
        };
        let is_there = |node: &&NodeUse<'_>| {
            let reading = node.node.kind.reading();
            let mut names = reading.into_iter().flat_map(|reading| &reading.names);
            let is_name = |name: &FileName| matches!(name, FileName::Written { written, .. } if written.span == span);
            node.node.span == span || names.any(is_name)
        };
        let mut finding = Finding::new(&RULE, span, "");
        if let Some(node) = context.analysis.of_prompt().find(is_there) {
            finding = finding.within(&node.site);
        }
        finding.diagnostic = missing.clone();
        finding.scenario.clone_from(&build.scenario);
        found.push(finding);
    }
}
