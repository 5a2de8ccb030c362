//! A private fact that the text shows.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "private-in-prompt",
        exit: ExitClass::Success,
        summary: "a private fact is printed",
        detail: "`private=#true` keeps a value out of snapshots, artifacts and messages. A printed value still appears in the text: in the prompt, in snapshots and at the provider. Test whether it is set instead of printing it, or declare it not private.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let prints = context.analysis.prints.iter();
    for print in prints.filter(|p| p.fact.is_private() && !p.is_measured()) {
        let name = &print.fact.name;
        let message = format!("the private fact `{}` is printed here", name.value);
        found.push(
            Finding::new(&RULE, print.span, message)
                .within(&print.site)
                .around(print.fact.span)
                .related(name.span, "declared private")
                .help(format!(
                    "say whether there is one instead: {{% if {} %}}…{{% endif %}}; or waive it, if the model must know",
                    name.value
                )),
        );
    }
}
