//! A missing file next to one of a similar name.

use crate::check::{Build, Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::{NearFile, NodeUse};
use crate::diagnostic::{Code, Diagnostic, ExitClass, Severity};
use crate::manifest::FileName;
use crate::syntax::write;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "misspelled-file",
        exit: ExitClass::Success,
        summary: "a source names a missing file, and a file of a similar name is next to it",
        detail: "A source skips missing files unless it says `missing=error`, so a typo in a name leaves text out. Write the name of the file that exists. Waive the finding if the other file is not meant.",
    },
    severity: Severity::Note,
    waivable: true,
    looks: &[RuleInput::Sources(run)],
};

fn run(context: &Context<'_>, build: &Build, found: &mut FindingSet) {
    for near in &build.near {
        let names = |node: &NodeUse<'_>| {
            let reading = node.node.kind.reading();
            let mut names = reading.into_iter().flat_map(|reading| &reading.names);
            names.any(|name| matches!(name, FileName::Written { written, .. } if written.span == near.span))
        };
        let Some(node) = context.analysis.of_prompt().find(|node| names(node)) else {
            continue;
        };
        let mut finding = Finding::new(&RULE, near.span, "").within(&node.site);
        finding.diagnostic = misspelled_file(near);
        finding.scenario.clone_from(&build.scenario);
        found.push(finding);
    }
}

/// The note that a missing file is probably misspelled.
#[must_use]
pub fn misspelled_file(near: &NearFile) -> Diagnostic {
    let message = format!("`{}` does not exist in the root `{}`", near.path, near.root);
    Diagnostic::note(RULE.code, message)
        .at(near.span)
        .help(format!("did you mean `{}`?", near.near))
        .suggest(near.span, write::one_line(&near.near))
}
