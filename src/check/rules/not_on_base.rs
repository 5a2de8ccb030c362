//! A manifest that does not extend the requested base.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity};
use std::ops::Range;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "not-on-base",
        exit: ExitClass::Success,
        summary: "a manifest does not extend the base that `--base` names",
        detail: "The locks of a base hold only for manifests that extend it. Write `extends` with its path; a manifest may also extend it through other bases. `include` does not count, because it ignores locks.",
    },
    severity: Severity::Error,
    waivable: false,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let Some(base) = context.missing_base else {
        return;
    };
    let manifest = context.manifest();
    let text = &context.files.get(manifest.file).text;
    let message = format!("this manifest does not extend `{base}`, which `--base` names");
    let finding = Finding::new(&RULE, Span::new(manifest.file, first_node(text)), message);
    let mut bases = manifest.sheets.iter().skip(1).filter(|f| !f.included);
    found.push(match bases.next() {
        None => finding.help("write `extends` with its path"),
        Some(other) => finding.help(format!(
            "it extends `{}`: extend the base there, or here",
            other.name
        )),
    });
}

/// The node `promptc`, or the first line if it does not begin one.
fn first_node(text: &str) -> Range<usize> {
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        let here = at..at + line.trim_end().len();
        at += line.len();
        (line, here)
    });
    let node = lines.find(|(line, _)| line.starts_with("promptc"));
    node.map_or(0..0, |(_, here)| here)
}
