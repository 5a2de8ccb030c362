//! A waiver that nothing needs.

use super::by_name;
use crate::check::waive::Waivers;
use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity, Suggestion};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "unused-waiver",
        exit: ExitClass::Success,
        summary: "a waiver waives nothing",
        detail: "The finding was fixed or has moved. If the waiver stays, it silences the next finding of this rule. Only the innermost waiver around a finding applies.",
    },
    severity: Severity::Warning,
    waivable: false,
    looks: &[RuleInput::Waivers(run)],
};

fn run(context: &Context<'_>, waivers: &Waivers<'_>, found: &mut FindingSet) {
    let manifest = context.manifest();
    let unused = waivers.uses.iter().filter(|w| !w.used);
    for waiver in unused.filter(|w| manifest.is_own(w.written.span.file)) {
        let written = waiver.written;
        let waivable = by_name(&written.code.value).is_some_and(|rule| rule.waivable);
        if !waivable || !waivers.was_asked(waiver) {
            continue;
        }
        let message = format!("`{}` finds nothing here", written.code.value);
        let removal = Suggestion {
            span: written.place,
            text: String::new(),
        };
        let finding =
            Finding::new(&RULE, written.code.span, message).fix("remove the waiver", vec![removal]);
        found.push(match &waiver.site {
            Some(site) => finding.within(site),
            None => finding,
        });
    }
}
