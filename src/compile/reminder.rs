//! The note that lists the changes of its prompt for a conversation, so that the prompt itself can stay unchanged.

use super::bind;
use super::budget::BudgetTracker;
use super::given::GivenInputs;
use super::layer_facts::LayerFacts;
use super::plan::{Needs, Plan};
use super::record::Record;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported};
use crate::prompt::drift::Change;
use crate::prompt::{Ingredient, Ingredients, Notice, sha256};
use crate::source::builtin;
use crate::template::{Engine, Failure, Scope};
use crate::text::document::Document;
use crate::text::{Text, normalise};
use crate::world::World;

/// Its name in messages and in the marker of a cut.
const LABEL: &str = "reminder";

/// The template of a manifest that names none.
const DEFAULT_TEMPLATE: &str = "session/reminder.md.j2";

/// A finished reminder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reminder {
    /// Its text, without white space around it. Empty if nothing has changed, or the template prints nothing.
    pub text: String,
    /// The text that its budget left out.
    pub notices: Vec<Notice>,
}

/// Lists `changes`, in their order, by the manifest's template.
///
/// Nothing but facts is looked at: the same plan, facts and changes give the same bytes.
///
/// # Errors
/// When a fact has no value or a wrong one, when the template fails, or when nothing of the reminder fits its budget.
pub fn render(
    plan: &Plan,
    given: &GivenInputs,
    world: &dyn World,
    changes: &[Change],
    diags: &mut Diagnostics,
) -> Result<Reminder, ErrorReported> {
    if changes.is_empty() {
        return Ok(Reminder::default());
    }
    let bound = bind::bind(plan, given, world, &Needs::all(), diags)?;
    let mut record = Record::named(LABEL.into());
    let scope = Scope::new(bound.values.clone()).with_changes(changes);
    let text = template(plan, &scope, &mut record.ingredients)
        .map_err(|(key, failure)| diags.push(plan.diagnostic(&key, &failure)))?;
    let text = text.slice(normalise::trim_range(text.as_str()));
    if text.as_str().is_empty() {
        return Ok(Reminder::default());
    }
    let mut note = Document::unfiled(LABEL.into(), text);
    let mut bounds = BudgetTracker {
        plan,
        bound: &bound,
        asked: &LayerFacts::default(),
        record: &mut record,
        diags,
        by: None,
    };
    bounds.text(&mut note, &plan.reminder().budgets, &mut Vec::new(), true)?;
    if note.text.as_str().is_empty() {
        return Err(diags.push(nothing_fits(&record)));
    }
    Ok(Reminder {
        text: note.text.as_str().to_owned(),
        notices: record.notices.into_iter().map(of_no_layer).collect(),
    })
}

/// The output of the manifest's template, or of the built-in one, for the changes.
fn template(
    plan: &Plan,
    scope: &Scope,
    ingredients: &mut Ingredients,
) -> Result<Text, (String, Failure)> {
    let at = |key: &str| {
        let key = key.to_owned();
        move |failure| (key, failure)
    };
    if let Some(key) = &plan.reminder().template {
        let rendered = plan.engine.render(key, scope, ingredients);
        return rendered.map(|r| r.text).map_err(at(key));
    }
    let source = builtin::template(DEFAULT_TEMPLATE).unwrap_or_default();
    let source = source.strip_suffix('\n').unwrap_or(source);
    let ingredient = Ingredient::Template {
        file: DEFAULT_TEMPLATE.to_owned(),
        line: None,
        sha256: sha256(source),
    };
    // Few plans need a reminder, so only these pay for it.
    let mut engine = Engine::new();
    engine
        .add_template(DEFAULT_TEMPLATE, source, ingredient)
        .and_then(|()| engine.render(DEFAULT_TEMPLATE, scope, ingredients))
        .map(|r| r.text)
        .map_err(at(DEFAULT_TEMPLATE))
}

fn of_no_layer(notice: Notice) -> Notice {
    Notice {
        layer: None,
        ..notice
    }
}

fn nothing_fits(record: &Record) -> Diagnostic {
    let why: Vec<&str> = record.refused.iter().map(|(_, why)| why.as_str()).collect();
    let message = format!("nothing of the reminder is left: {}", why.join("; "));
    let found = Diagnostic::error(codes::OVER_BUDGET, message);
    let found = match record.refused.first() {
        Some((span, _)) => found.at(*span),
        None => found,
    };
    found.help("raise the budget or shorten its marker")
}
