//! Stage 5: `Loaded` x `Bound` -> `Rendered`. Templates run over finished pieces; then trim, then the layer's budget.
//! Pure: nothing is read.

use super::bind::ResolvedInputs;
use super::budget::{AppliedLimit, BudgetTracker, By};
use super::entries::{FEW, Leading};
use super::kept::Warm;
use super::layer::{Content, LoadedText, Present, RenderedLayer};
use super::layer_facts::LayerFacts;
use super::load::{Loaded, LoadedLayer};
use super::plan::{Layer, Plan};
use super::record::Record;
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::{Boundary, Budget, Limit, Unit};
use crate::prompt::Reason;
use crate::template::{Part, Scope};
use crate::text::document::Document;
use crate::text::{Text, measure, normalise};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All layers with their final texts.
#[derive(Debug)]
pub struct Rendered<'p> {
    /// Per tier of the plan, its layers in order.
    pub(super) tiers: Vec<Vec<RenderedLayer<'p>>>,
    /// By name: the layers that may be cut to their `min`, as they were before they were rendered.
    pub(super) drafts: BTreeMap<Arc<str>, Present>,
    /// The answers to `exists()` and `loaded()`.
    pub(super) asked: LayerFacts,
}

/// Runs the layers' templates and applies their budgets.
///
/// # Errors
/// When a template fails, or a required layer comes out blank.
pub fn render<'p>(
    plan: &'p Plan,
    bound: &ResolvedInputs,
    loaded: Loaded<'p>,
    diags: &mut Diagnostics,
) -> Result<Rendered<'p>, ErrorReported> {
    render_in(plan, bound, loaded, None, diags)
}

/// [`render`] that caches rendered layers in `warm`.
///
/// # Errors
/// As [`render`].
pub(super) fn render_in<'p>(
    plan: &'p Plan,
    bound: &ResolvedInputs,
    loaded: Loaded<'p>,
    warm: Option<&Warm<'_>>,
    diags: &mut Diagnostics,
) -> Result<Rendered<'p>, ErrorReported> {
    let Loaded {
        tiers: loaded,
        asked,
    } = loaded;
    let mut tiers = Vec::new();
    let mut drafts = BTreeMap::new();
    for (tier, layers) in plan.tiers.iter().zip(loaded) {
        let mut out = Vec::new();
        for loaded in layers {
            let (layer, content, kept) = match loaded {
                LoadedLayer::New(layer, content) => (layer, *content, None),
                LoadedLayer::Kept(layer, kept) => {
                    let found = warm.map(|warm| warm.rendered((layer, &kept), bound, &asked));
                    if let (Some(_), Content::Present(draft)) = (&layer.min, &kept.content) {
                        drafts.insert(layer.name.clone(), draft.clone());
                    }
                    match found {
                        Some(Ok(rendered)) => {
                            out.push(rendered);
                            continue;
                        }
                        found => {
                            let depends = found.and_then(Result::err).flatten();
                            (layer, kept.content.clone(), depends.map(|d| (kept, d)))
                        }
                    }
                }
            };
            let reported = diags.iter().len();
            let mut renderer = Renderer {
                plan,
                bound,
                asked: &asked.of(layer),
                diags,
            };
            let rendered = match content {
                Content::Absent(absent, record) => RenderedLayer::Absent(absent, record),
                Content::Present(present) => {
                    if layer.min.is_some() {
                        drafts.insert(layer.name.clone(), present.clone());
                    }
                    // As in loading, the errors of all layers are reported in one run.
                    let Ok(rendered) = renderer.one(layer, present, &tier.name) else {
                        continue;
                    };
                    rendered
                }
            };
            match kept {
                Some((kept, depends)) if diags.iter().len() == reported => {
                    kept.keep_rendered(*depends, &rendered);
                }
                Some(_) => warm.into_iter().for_each(Warm::lost),
                None => {}
            }
            out.push(rendered);
        }
        tiers.push(out);
    }
    diags.check()?;
    Ok(Rendered {
        tiers,
        drafts,
        asked,
    })
}

/// The context for rendering layers.
pub(super) struct Renderer<'r> {
    pub(super) plan: &'r Plan,
    pub(super) bound: &'r ResolvedInputs,
    pub(super) asked: &'r LayerFacts,
    pub(super) diags: &'r mut Diagnostics,
}

/// The limit for a layer that is cut for an outer budget, instead of its own budgets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shrink<'s> {
    pub(super) unit: Unit,
    pub(super) min: usize,
    /// The location of `min=`.
    pub(super) span: Span,
    pub(super) by: By<'s>,
}

/// The result of a layer.
pub(super) enum Finished {
    Text(Text, Record),
    /// Why there is none.
    Nothing(Reason, &'static str, Record),
}

impl Renderer<'_> {
    fn one<'p>(
        &mut self,
        layer: &'p Layer,
        present: Present,
        tier: &str,
    ) -> Result<RenderedLayer<'p>, ErrorReported> {
        match self.finish(layer, present, None)? {
            Finished::Text(text, record) => Ok(RenderedLayer::Present(layer, text, record)),
            Finished::Nothing(reason, detail, record) => {
                self.absent(layer, record, tier, reason, detail)
            }
        }
    }

    /// Runs the layer's template and applies its budgets, or the limit for an outer budget.
    pub(super) fn finish(
        &mut self,
        layer: &Layer,
        present: Present,
        shrink: Option<Shrink<'_>>,
    ) -> Result<Finished, ErrorReported> {
        let Present {
            content,
            parts,
            mut record,
        } = present;
        let mut held = Vec::new();
        let mut rest = shrink;
        let text = match content {
            Some(content) if layer.leaves_out_entries() => {
                let leading = self.leading(layer, &mut record, &mut rest)?;
                held.extend(leading.iter().filter_map(Leading::held));
                let by = shrink.filter(|_| rest.is_none()).map(|s| s.by);
                let mut entries = Entries {
                    layer,
                    content: &content,
                    parts: &parts,
                    leading: &leading,
                    by,
                };
                match self.longest(&mut entries, &mut record)? {
                    Some(text) => text,
                    None => return Ok(nothing(record)),
                }
            }
            content => self.text(layer, content, parts, &mut record)?,
        };
        if normalise::is_blank(text.as_str()) {
            let detail = "its template printed nothing";
            return Ok(Finished::Nothing(Reason::Empty, detail, record));
        }
        let text = self.budgets(layer, text, &mut record, held, rest)?;
        Ok(if text.as_str().is_empty() {
            nothing(record)
        } else {
            Finished::Text(text, record)
        })
    }

    /// The output of the layer's template for its content, trimmed.
    fn text(
        &mut self,
        layer: &Layer,
        content: Option<LoadedText>,
        parts: Vec<(Arc<str>, LoadedText)>,
        record: &mut Record,
    ) -> Result<Text, ErrorReported> {
        let text = match &layer.template {
            None => content.unwrap_or_default().text,
            Some(key) => {
                let scope = self.scope(content, parts);
                let rendered = self
                    .plan
                    .engine
                    .render(key, &scope, &mut record.ingredients);
                match rendered {
                    Ok(rendered) => rendered.text,
                    Err(failure) => {
                        return Err(self.diags.push(self.plan.diagnostic(key, &failure)));
                    }
                }
            }
        };
        Ok(if layer.trim {
            text.slice(normalise::trim_range(text.as_str()))
        } else {
            text
        })
    }

    fn scope(&self, content: Option<LoadedText>, parts: Vec<(Arc<str>, LoadedText)>) -> Scope {
        let dropped = content.as_ref().map_or(0, |c| c.left_out);
        let capacity = content.as_ref().and_then(|c| c.capacity);
        let content = content.unwrap_or_default();
        let is_entry = |d: &&Arc<Document>| d.entry.is_some();
        let entries = content.documents.iter().filter(is_entry).cloned().collect();
        let mut scope = self
            .asked
            .scope(&self.bound.values)
            .with_text("content", content.text)
            .with_documents("documents", content.documents)
            .with_documents("entries", entries)
            .with_number("dropped", dropped);
        if let Some(capacity) = capacity {
            scope = scope.with_number("capacity", capacity);
        }
        for (name, piece) in parts {
            let LoadedText {
                text, documents, ..
            } = piece;
            scope = scope.with_part(name.to_string(), Part { text, documents });
        }
        scope
    }

    fn bounds<'b>(&'b mut self, record: &'b mut Record, by: Option<By<'b>>) -> BudgetTracker<'b> {
        BudgetTracker {
            plan: self.plan,
            bound: self.bound,
            asked: self.asked,
            record,
            diags: self.diags,
            by,
        }
    }

    /// The layer's budgets that leave out whole entries. If its first budget is one, then `rest`, the limit for an
    /// outer budget, is treated as another.
    fn leading(
        &mut self,
        layer: &Layer,
        record: &mut Record,
        rest: &mut Option<Shrink<'_>>,
    ) -> Result<Vec<Leading>, ErrorReported> {
        let mut bounds = self.bounds(record, None);
        let mut out = Vec::new();
        for budget in &layer.budgets {
            out.extend(bounds.leading(budget)?);
        }
        let first = layer.budgets.first();
        let whole = |b: &&Budget| matches!(b.limit, Limit::Leading(_) | Limit::Entries(_));
        if first.filter(whole).is_some()
            && let Some(shrink) = rest.take()
        {
            out.push(Leading {
                unit: Some(shrink.unit),
                max: shrink.min,
                step: 0,
                span: shrink.span,
            });
        }
        Ok(out)
    }

    /// The layer with the most of its leading entries that all of `leading` allow; none if these do not allow one.
    fn longest(
        &mut self,
        entries: &mut Entries<'_>,
        record: &mut Record,
    ) -> Result<Option<Text>, ErrorReported> {
        let all = entries.content.documents.len();
        let numbers = entries.numbers();
        let mut before: Option<Text> = None;
        let mut fewest = (0, Text::default());
        let mut best: Option<(usize, Text)> = None;
        // The candidates are below `end`: from the top, one by one, or for many by halves.
        let (mut start, mut end) = (0, numbers.len());
        while start < end {
            let at = if end == numbers.len() || numbers.len() <= FEW {
                end - 1
            } else {
                usize::midpoint(start, end - 1)
            };
            let kept = numbers[at];
            let (content, parts) = (entries.first(kept), entries.parts.to_vec());
            let text = self.text(entries.layer, Some(content), parts, record)?;
            before.get_or_insert_with(|| text.clone());
            if entries.leading.iter().all(|l| l.allows(text.as_str())) {
                start = at + 1;
                best = Some((kept, text));
            } else {
                end = at;
                fewest = (kept, text);
            }
        }
        if let Some((kept, text)) = best {
            let before = before.as_ref().unwrap_or(&text);
            let texts = [before.as_str(), text.as_str()];
            self.write(entries, record, [all, kept], texts);
            return Ok(Some(text));
        }
        let (least, text) = (fewest.0, fewest.1.as_str());
        let refuses = |l: &&Leading| match least {
            0 => !(1..=all).any(|kept| l.may_keep(kept, all)),
            _ => !l.allows(text),
        };
        for leading in entries.leading.iter().filter(refuses) {
            let mut bounds = self.bounds(record, None);
            bounds.no_entry(leading, &entries.layer.name, (least, text));
        }
        let before = before.unwrap_or_else(|| entries.content.text.clone());
        self.write(entries, record, [all, 0], [before.as_str(), ""]);
        Ok(None)
    }

    /// Writes down what became of a layer's entries.
    fn write(
        &mut self,
        entries: &Entries<'_>,
        record: &mut Record,
        [all, kept]: [usize; 2],
        texts: [&str; 2],
    ) {
        for (at, leading) in entries.leading.iter().enumerate() {
            // The limit for an outer budget is last.
            let by = entries.by.filter(|_| at + 1 == entries.leading.len());
            let mut bounds = self.bounds(record, by);
            bounds.kept_entries(leading, &entries.layer.name, [all, kept], texts);
        }
        let content = entries.content;
        let end = kept.checked_sub(1).map_or(0, |last| content.ends[last]);
        record.lost(&content.text, std::slice::from_ref(&(0..end)));
        for document in &content.documents[kept..] {
            self.bounds(record, None).left_out(document);
        }
    }

    fn budgets(
        &mut self,
        layer: &Layer,
        text: Text,
        record: &mut Record,
        mut held: Vec<AppliedLimit>,
        shrink: Option<Shrink<'_>>,
    ) -> Result<Text, ErrorReported> {
        if layer.budgets.is_empty() && shrink.is_none() {
            return Ok(text);
        }
        let shrink = shrink.filter(|s| measure::size(text.as_str(), s.unit) > s.min);
        let mut bounds = self.bounds(record, shrink.as_ref().map(|s| s.by));
        let mut whole = Document::unfiled(layer.name.clone(), text);
        // The budgets of content and parts that refused are not the reason why nothing of the layer is left.
        bounds.record.refused.clear();
        bounds.text(&mut whole, &layer.budgets, &mut held, shrink.is_none())?;
        if let Some(shrink) = shrink {
            AppliedLimit::measure(&mut held, &whole);
            let budget = smallest(layer, shrink);
            bounds.document(&mut whole, &budget, shrink.min, &held, None)?;
        }
        Ok(whole.text)
    }

    fn absent<'p>(
        &mut self,
        layer: &Layer,
        mut record: Record,
        tier: &str,
        reason: Reason,
        detail: &str,
    ) -> Result<RenderedLayer<'p>, ErrorReported> {
        if layer.required {
            let refused: &[_] = match reason {
                Reason::Dropped => &record.refused,
                _ => &[],
            };
            return Err(self.diags.push(layer.required_absent(detail, refused)));
        }
        let absent = record.absent(layer, tier, reason, detail.to_owned());
        Ok(RenderedLayer::Absent(absent, record))
    }
}

/// A layer with too many entries.
struct Entries<'e> {
    layer: &'e Layer,
    content: &'e LoadedText,
    parts: &'e [(Arc<str>, LoadedText)],
    leading: &'e [Leading],
    /// The limit for an outer budget, if it is the last of `leading`.
    by: Option<By<'e>>,
}

impl Entries<'_> {
    /// The numbers of them that may stay, ascending.
    fn numbers(&self) -> Vec<usize> {
        let all = self.content.documents.len();
        let may_keep = |kept: &usize| self.leading.iter().all(|l| l.may_keep(*kept, all));
        (1..=all).filter(may_keep).collect()
    }

    /// The content with its first `kept` documents.
    fn first(&self, kept: usize) -> LoadedText {
        let all = self.content;
        if kept == all.documents.len() {
            return all.clone();
        }
        let end = kept.checked_sub(1).map_or(0, |last| all.ends[last]);
        LoadedText {
            text: all.text.slice(0..end),
            documents: all.documents[..kept].to_vec(),
            ends: Vec::new(),
            left_out: all.left_out + all.documents.len() - kept,
            capacity: all.capacity,
        }
    }
}

fn nothing(record: Record) -> Finished {
    Finished::Nothing(Reason::Dropped, "its budget left nothing of it", record)
}

/// The budget that cuts a layer to its `min`: as its own first one would, but that the marker counts.
fn smallest(layer: &Layer, shrink: Shrink<'_>) -> Budget {
    let limit = Limit::One(crate::manifest::Lit::Value(Spanned::new(
        u64::try_from(shrink.min).unwrap_or(u64::MAX),
        shrink.span,
    )));
    match layer.budgets.first() {
        Some(own) => Budget {
            limit,
            unit: shrink.unit,
            marker_outside: false,
            step: own.step.clone().filter(|_| own.unit == shrink.unit),
            span: shrink.span,
            ..own.clone()
        },
        None => Budget {
            implied: false,
            limit,
            unit: shrink.unit,
            head: None,
            tail: None,
            marker: None,
            marker_outside: false,
            at: Boundary::Grapheme,
            step: None,
            span: shrink.span,
        },
    }
}
