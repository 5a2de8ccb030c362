//! JSON whose keys are in the order of its writer.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput, names};
use crate::compile::{NodeUse, Print};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::{FactType, FileName};
use crate::prompt::{Changes, Deliver};
use crate::source::kind::Makes;
use crate::template::analyse::StepKind;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "json-key-order",
        exit: ExitClass::Success,
        summary: "JSON is printed with its keys in the order of its writer",
        detail: "Programs write the keys of a map in any order, and some in another one each time, so that the same data gives different bytes. The source `json` and the filter `json` sort keys.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for node in context.analysis.of_prompt() {
        if let Some(place) = json_file(node)
            && may_be_rewritten(context, node)
        {
            let message = "this JSON has its keys in the order of its writer";
            let help = if node.node.kind.reading().is_some_and(|r| r.kind.many) {
                "name the files, and read each with `json`: it writes the keys in one order"
            } else {
                "write `json` in place of `file`: it writes the keys in one order"
            };
            let finding = Finding::new(&RULE, place, message).within(&node.site);
            found.push(finding.help(help));
        }
    }
    let facts = |p: &&Print<'_>| p.fact.kind.value == FactType::String && p.is_stable();
    for print in context.analysis.prints.iter().filter(facts) {
        let name = &print.fact.name;
        let settled = Context::stated(print.fact).is_some_and(|c| c <= Changes::Deploy);
        if !settled && print.fact.one_of.is_empty() && prints_json(print) {
            let message = format!(
                "`{}` is JSON as text, with its keys as they are given",
                name.value
            );
            found.push(print.finding(&RULE, message).help(format!(
                "declare it as a `map` or `list` and print {{{{ {} | json }}}}",
                name.value
            )));
        }
    }
}

/// The place of the name that JSON is read by as it is.
fn json_file(node: &NodeUse<'_>) -> Option<Span> {
    let reading = node.node.kind.reading()?;
    let Makes::Document = reading.kind.makes else {
        return None;
    };
    reading.names.iter().find_map(|name| match name {
        FileName::Written { written, .. } => {
            let is_json = written.value.to_ascii_lowercase().ends_with(".json");
            is_json.then_some(written.span)
        }
        FileName::Fact(_) => None,
    })
}

/// Whether another program may write the file again: not if it comes with the manifest, unless it defines tools.
fn may_be_rewritten(context: &Context<'_>, node: &NodeUse<'_>) -> bool {
    let deliver = node
        .site
        .tier
        .and_then(|t| t.deliver.as_ref())
        .map(|d| d.value);
    let own = node.way().rev().find_map(|n| n.settings.changes.as_ref());
    let root = context
        .manifest()
        .roots
        .iter()
        .find(|r| r.name.value == node.root());
    let declared = own
        .or(root.and_then(|r| r.changes.as_ref()))
        .map(|c| c.value);
    let changes = match node.root() {
        "manifest" | "text" => declared.unwrap_or(Changes::Deploy),
        _ => declared.unwrap_or(Changes::Session),
    };
    match deliver {
        Some(Deliver::Tools) => true,
        Some(Deliver::User) => false,
        _ => changes > Changes::Deploy && node.site.changes < Changes::Turn,
    }
}

/// Whether the name of a fact, or the fence around it, says that it is JSON, and nothing but its text is printed.
fn prints_json(print: &Print<'_>) -> bool {
    let mut fenced = false;
    for step in &print.steps {
        match &step.kind {
            StepKind::Filter { name, argument } => match name.as_str() {
                "fence" => fenced |= argument.as_deref() == Some("json"),
                "trim" | "sanitize" | "indent" | "xml" | "string" => {}
                _ => return false,
            },
            _ => return false,
        }
    }
    fenced || names::is_json(&print.fact.name.value)
}
