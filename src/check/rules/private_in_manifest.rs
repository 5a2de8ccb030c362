//! A private fact whose value is written in the manifest.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::manifest::{Fact, Scenario, Written};
use serde_json::Value;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "private-in-manifest",
        exit: ExitClass::Input,
        summary: "the value of a private fact is written in the manifest",
        detail: "`private=#true` keeps a given value out of snapshots, artifacts, messages and the session store. A value in the manifest itself is in the excerpts of messages, and stored with the manifest: in version control, in each session that is built from it and in its export, and in each artifact that carries its inputs. `build --format json` therefore fails. Let the caller give it, with --facts or `env=`, or build with --no-inputs. A value of a scenario that is made up stays, with `waive private-in-manifest because=\"a made-up value\"` on the fact.",
    },
    severity: Severity::Error,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let manifest = context.manifest();
    for fact in manifest.facts.iter().filter(|f| f.is_private()) {
        if let Some(default) = fact.default.as_ref().filter(|d| is_revealing(d)) {
            let help = "let the caller give it, with --facts or `env=VARIABLE`, and write `optional=#true` in place of the default";
            found.push(finding(fact, default.span, "as its default").help(help));
        }
        for scenario in &manifest.scenarios {
            let place = format!("in the scenario `{}`", scenario.name.value);
            for span in given(fact, scenario) {
                let help = "write a value that is no secret, and waive the rule on the fact";
                found.push(finding(fact, span, &place).help(help));
            }
        }
    }
}

fn finding(fact: &Fact, span: Span, place: &str) -> Finding {
    let name = &fact.name;
    let message = format!(
        "the value of the private fact `{}` is written in the manifest, {place}",
        name.value
    );
    Finding::new(&RULE, span, message)
        .around(fact.span)
        .related(name.span, "declared private")
}

/// Where a scenario gives a fact a value, by its name or its variable.
fn given<'a>(fact: &'a Fact, scenario: &'a Scenario) -> impl Iterator<Item = Span> + 'a {
    let sets = scenario.sets.iter();
    let set = sets.filter(|(name, value)| name.value == fact.name.value && is_revealing(value));
    let variables = scenario.env.iter().filter(|(name, value)| {
        let env = fact.env.as_ref();
        env.is_some_and(|env| env.value == name.value) && !value.value.is_empty()
    });
    set.map(|(_, value)| value.span)
        .chain(variables.map(|(_, value)| value.span))
}

/// Whether a written value reveals anything: an empty value and a bool are no secrets.
fn is_revealing(written: &Written) -> bool {
    let value = |value: &Value| match value {
        Value::Null | Value::Bool(_) => false,
        Value::String(text) => !text.is_empty(),
        Value::Number(_) => true,
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
    };
    let mut entries = written.entries.iter().flatten();
    written.args.iter().any(|arg| value(&arg.value))
        || entries.any(|(_, inner)| is_revealing(inner))
}
