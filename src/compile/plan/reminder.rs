//! The reminder that lists changes for a conversation: its template and budgets, checked.

use super::lower::{budget_why, counted};
use super::programs::Programs;
use super::visible::Visible;
use super::why::What;
use crate::compile::merge;
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics};
use crate::manifest::{Boundary, Budget, Limit, Lit, Manifest, Reminder, TemplateRef, Unit};
use crate::prompt::drift::Change;

/// The most characters of a reminder where the manifest sets no budget.
const DEFAULT_BUDGET: u64 = 8000;

/// The plan of a reminder.
#[derive(Debug)]
pub struct ReminderPlan {
    /// Key of its template; none for the built-in one.
    pub(in crate::compile) template: Option<String>,
    /// Its budgets, in order; at least one.
    pub(in crate::compile) budgets: Vec<Budget>,
}

/// The settings of `reminder`, with defaults.
pub(super) fn reminder(manifest: &Manifest, programs: &mut Programs<'_>) -> ReminderPlan {
    let written = manifest.session.as_ref().and_then(|s| s.reminder.as_ref());
    let template = written.and_then(|r| r.template.as_ref());
    if let Some(template) = template {
        names(manifest, template, programs.diags);
        // How often a reminder changes does not matter: it comes after everything.
        programs.template_why(What::Template, Some(template), Visible::Reminder);
    }
    let mut budgets = written.map_or_else(Vec::new, |r| own_budgets(r, programs));
    if budgets.is_empty() {
        let start = Span::new(manifest.file, 0..0);
        budgets.push(default_budget(written.map_or(start, |r| r.span)));
    }
    ReminderPlan {
        template: template.map(merge::key),
        budgets,
    }
}

fn own_budgets(reminder: &Reminder, programs: &mut Programs<'_>) -> Vec<Budget> {
    for budget in &reminder.budgets {
        budget_why(budget, Visible::ReminderMarker, programs);
        let message = match budget.limit {
            Limit::One(_) => continue,
            Limit::Documents { .. } => {
                "`each` and `total` bound documents, and a reminder is one text"
            }
            Limit::Leading(_) | Limit::Entries(_) => {
                "a budget of entries leaves documents out, and a reminder has none"
            }
        };
        programs.diags.push(
            Diagnostic::error(codes::CONFLICTING_SETTINGS, message)
                .at(budget.span)
                .help("bound its text: `budget N`"),
        );
    }
    counted(&reminder.budgets, programs)
}

fn default_budget(span: Span) -> Budget {
    Budget {
        limit: Limit::One(Lit::Value(Spanned::new(DEFAULT_BUDGET, span))),
        unit: Unit::Chars,
        implied: false,
        head: None,
        tail: None,
        marker: None,
        marker_outside: false,
        at: Boundary::Grapheme,
        step: None,
        span,
    }
}

/// The template of a reminder has a name of its own, which facts and lets may otherwise take.
fn names(manifest: &Manifest, template: &TemplateRef, diags: &mut Diagnostics) {
    let facts = manifest.facts.iter().map(|f| &f.name);
    let lets = manifest.lets.iter().map(|l| &l.name);
    for name in facts.chain(lets).filter(|n| n.value == Change::LIST) {
        let message = format!(
            "`{}` is what the template of a reminder calls the layers that differ",
            name.value
        );
        diags.push(
            Diagnostic::error(codes::RESERVED_NAME, message)
                .at(name.span)
                .related(template.span(), "the template")
                .help(format!("choose another name, such as `{}_`", name.value)),
        );
    }
}
