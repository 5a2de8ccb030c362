//! Stage 5: `Loaded` x `Bound` -> `Rendered`. Templates run over finished pieces; then trim, then the layer's budget.
//! Pure: nothing is read.

use super::asked::Asked;
use super::bind::Bound;
use super::bound::{Bounds, Held};
use super::load::{Loaded, LoadedLayer, Piece, Present};
use super::plan::{Layer, Plan};
use super::record::Record;
use crate::diagnostic::{Diagnostics, Reported};
use crate::document::Document;
use crate::expr::{Part, Scope};
use crate::manifest::Limit;
use crate::prompt::{Absent, Reason};
use crate::text::{Text, measure, normalise};
use std::sync::Arc;

/// All layers with their final texts.
#[derive(Debug)]
pub struct Rendered<'p> {
    /// Per tier of the plan, its layers in order.
    pub(super) tiers: Vec<Vec<RenderedLayer<'p>>>,
}

/// A layer after rendering.
#[derive(Debug)]
pub(super) enum RenderedLayer<'p> {
    /// It is not in the prompt.
    Absent(Absent, Record),
    /// It is.
    Present(&'p Layer, Text, Record),
}

/// Runs the layers' templates and applies their budgets.
///
/// # Errors
/// When a template fails, or a required layer comes out blank.
pub fn render<'p>(
    plan: &'p Plan,
    bound: &Bound,
    loaded: Loaded<'p>,
    diags: &mut Diagnostics,
) -> Result<Rendered<'p>, Reported> {
    let Loaded {
        tiers: loaded,
        asked,
    } = loaded;
    let mut tiers = Vec::new();
    for (tier, layers) in plan.tiers.iter().zip(loaded) {
        let mut out = Vec::new();
        for layer in layers {
            match layer {
                LoadedLayer::Absent(absent, record) => {
                    out.push(RenderedLayer::Absent(absent, record))
                }
                // As in loading: the errors of all layers are told in one run.
                LoadedLayer::Present(present) => {
                    if let Ok(layer) = one(plan, bound, &asked, present, &tier.name, diags) {
                        out.push(layer);
                    }
                }
            }
        }
        tiers.push(out);
    }
    diags.check()?;
    Ok(Rendered { tiers })
}

fn one<'p>(
    plan: &'p Plan,
    bound: &Bound,
    asked: &Asked,
    present: Present<'p>,
    tier: &str,
    diags: &mut Diagnostics,
) -> Result<RenderedLayer<'p>, Reported> {
    let Present {
        layer,
        content,
        parts,
        mut record,
    } = present;
    let mut text = match &layer.template {
        None => content.unwrap_or_default().text,
        Some(key) => {
            let scope = scope(bound, asked, content, parts);
            match plan.engine.render(key, &scope, &mut record.ingredients) {
                Ok(rendered) => rendered.text,
                Err(failure) => return Err(diags.push(plan.diagnostic(key, &failure))),
            }
        }
    };
    if layer.trim {
        text = text.slice(normalise::trim_range(text.as_str()));
    }
    if normalise::is_blank(text.as_str()) {
        let detail = "its template printed nothing".to_owned();
        return absent(layer, record, tier, Reason::Empty, detail, diags);
    }
    let text = budgets(plan, bound, asked, layer, text, &mut record, diags)?;
    if text.as_str().is_empty() {
        let detail = "its budget left nothing of it".to_owned();
        return absent(layer, record, tier, Reason::Dropped, detail, diags);
    }
    Ok(RenderedLayer::Present(layer, text, record))
}

fn scope(
    bound: &Bound,
    asked: &Asked,
    content: Option<Piece>,
    parts: Vec<(Arc<str>, Piece)>,
) -> Scope {
    let content = content.unwrap_or_default();
    let mut scope = asked
        .scope(&bound.values)
        .with_text("content", content.text)
        .with_documents("documents", content.documents);
    for (name, Piece { text, documents }) in parts {
        scope = scope.with_part(name.to_string(), Part { text, documents });
    }
    scope
}

fn budgets(
    plan: &Plan,
    bound: &Bound,
    asked: &Asked,
    layer: &Layer,
    text: Text,
    record: &mut Record,
    diags: &mut Diagnostics,
) -> Result<Text, Reported> {
    if layer.budgets.is_empty() {
        return Ok(text);
    }
    let mut bounds = Bounds {
        plan,
        bound,
        asked,
        record,
        diags,
    };
    let mut whole = Document::unfiled(layer.name.clone(), text);
    let mut held: Vec<Held> = Vec::new();
    // What those of content and parts refused is not what leaves nothing of the layer.
    bounds.record.refused.clear();
    for budget in &layer.budgets {
        // The plan has refused budgets over documents here.
        if let Limit::One(max) = &budget.limit
            && let Some(max) = bounds.size(max)?
        {
            for held in &mut held {
                held.size = measure::size(whole.text.as_str(), held.unit);
            }
            bounds.document(&mut whole, budget, max, &held, None)?;
            held.extend(Held::one(budget, max));
        }
    }
    Ok(whole.text)
}

fn absent<'p>(
    layer: &Layer,
    mut record: Record,
    tier: &str,
    reason: Reason,
    detail: String,
    diags: &mut Diagnostics,
) -> Result<RenderedLayer<'p>, Reported> {
    if layer.required {
        let refused: &[_] = match reason {
            Reason::Dropped => &record.refused,
            _ => &[],
        };
        return Err(diags.push(layer.required_absent(&detail, refused)));
    }
    let absent = record.absent(layer, tier, reason, detail);
    Ok(RenderedLayer::Absent(absent, record))
}
