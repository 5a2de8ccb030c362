//! A waiver for a rule that does not exist, or that cannot be waived.

use super::{RULES, by_name};
use crate::check::waive::Waivers;
use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity, suggest};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unknown-rule",
        exit: ExitClass::Success,
        summary: "a waiver names no rule that can be waived",
        detail: "Such a waiver silences nothing, but its reader believes that it does.",
    },
    severity: Severity::Error,
    waivable: false,
    looks: &[RuleInput::Waivers(run)],
};

fn run(_: &Context<'_>, waivers: &Waivers<'_>, found: &mut FindingSet) {
    for waiver in &waivers.uses {
        let code = &waiver.written.code;
        let finding = match by_name(&code.value) {
            Some(rule) if rule.waivable => continue,
            Some(_) => {
                let message = format!("`{}` cannot be waived", code.value);
                Finding::new(&RULE, code.span, message).help(format!(
                    "fix the finding instead: `promptc explain --code {}` shows how",
                    code.value
                ))
            }
            None => {
                let message = format!("there is no rule `{}`", code.value);
                let finding = Finding::new(&RULE, code.span, message);
                let waivable = RULES.iter().filter(|r| r.waivable);
                match suggest::nearest(&code.value, waivable.map(|r| r.code.name)) {
                    Some(near) => finding
                        .help(format!("did you mean `{near}`?"))
                        .suggest(code.span, near),
                    None => finding.help("`promptc check --list-rules` shows all"),
                }
            }
        };
        found.push(match &waiver.site {
            Some(site) => finding.within(site),
            None => finding,
        });
    }
}
