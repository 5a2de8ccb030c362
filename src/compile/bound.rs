//! Budgets at work: sizes are looked up, texts cut, and what went is written down. Used by the stages load and render.

use super::asked::Asked;
use super::bind::Bound;
use super::plan::{Plan, default_marker};
use super::record::Record;
use super::unusable::unusable;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, Reported};
use crate::document::Document;
use crate::fact::FactValue;
use crate::manifest::{Budget, Lit, Unit};
use crate::prompt::{Ingredient, UnusedReason};
use crate::span::Span;
use crate::text::cut::{self, Allowance, Cut, Rule, Sizes, Spread};
use crate::text::{Text, measure};
use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

/// What budgets need to know.
pub(super) struct Bounds<'a> {
    pub(super) plan: &'a Plan,
    pub(super) bound: &'a Bound,
    pub(super) asked: &'a Asked,
    pub(super) record: &'a mut Record,
    pub(super) diags: &'a mut Diagnostics,
    /// To which budget around the layer it gives way, if that is why a text is cut.
    pub(super) by: Option<By<'a>>,
}

/// A budget around layers, to which they give way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By<'a> {
    /// The tier of this name.
    Tier(&'a str),
    /// All of the system text.
    Prompt,
}

impl By<'_> {
    /// The word in the map.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tier(_) => "tier",
            Self::Prompt => "prompt",
        }
    }
}

impl fmt::Display for By<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tier(name) => write!(f, "the tier `{name}`"),
            Self::Prompt => f.write_str("the prompt"),
        }
    }
}

/// An earlier budget of the same node, which later cuts must keep: their markers could break it again.
#[derive(Debug, Clone)]
pub(super) struct Held {
    /// Its unit.
    pub(super) unit: Unit,
    /// What each document may have.
    pub(super) each: Option<usize>,
    /// What all may have together.
    pub(super) all: Option<usize>,
    /// What all have.
    pub(super) size: usize,
    /// Whether it bounds the one text, joins and all.
    pub(super) whole: bool,
}

impl Held {
    /// `budget N`, once it was applied; none if it bounds less than the finished text.
    pub(super) fn one(budget: &Budget, max: usize) -> Option<Self> {
        (!budget.marker_outside).then(|| Self::text(budget.unit, max))
    }

    /// A maximum of the one text.
    pub(super) fn text(unit: Unit, max: usize) -> Self {
        Self {
            unit,
            each: None,
            all: Some(max),
            size: 0,
            whole: true,
        }
    }

    /// `budget each=M total=N`, once it was applied.
    pub(super) fn documents(budget: &Budget, [each, total, _]: [Option<usize>; 3]) -> Option<Self> {
        (!budget.marker_outside).then_some(Self {
            unit: budget.unit,
            each,
            all: total,
            size: 0,
            whole: false,
        })
    }

    /// How large this document may be after a cut.
    fn room(&self, document: &Document) -> usize {
        let before = measure::size(document.text.as_str(), self.unit);
        let all = self.all.map(|max| (before + max).saturating_sub(self.size));
        self.each
            .unwrap_or(usize::MAX)
            .min(all.unwrap_or(usize::MAX))
    }
}

/// What a document may take of a budget over documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    /// `each` or `total`.
    spread: &'static str,
    /// What is left of the total.
    left: Option<usize>,
    /// The floor, if too little is left.
    floor: Option<usize>,
}

/// What a cut text is put together from.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    head: Option<usize>,
    marker: Option<usize>,
    tail: Option<usize>,
    /// How many entries stayed and how many went, where they do as a whole.
    entries: Option<[usize; 2]>,
}

impl Sums {
    /// Of whole entries: how many stayed and how many went.
    pub(super) fn of_entries(entries: Option<[usize; 2]>) -> Self {
        Self {
            entries,
            ..Self::default()
        }
    }

    /// The parts of a cut that came to `counted`. Without a marker outside they always add up to it: lines that meet
    /// count once, and that is taken off the marker.
    fn of(sizes: &Sizes, counted: usize, marker: usize, outside: bool) -> Self {
        let head = sizes.kept_head.min(counted);
        let tail = sizes.kept_tail.min(counted - head);
        Self {
            head: Some(head),
            marker: Some(if outside {
                marker
            } else {
                counted - head - tail
            }),
            tail: Some(tail),
            entries: None,
        }
    }
}

/// The value that a `(fact)NAME` stands for, written down as read; `None` if it is missing.
pub(super) fn lit_value(bound: &Bound, record: &mut Record, name: &str) -> Option<FactValue> {
    record.facts(&bound.values, &bound.values.read_with(name));
    bound.value(name)
}

impl Bounds<'_> {
    /// A size; `None` if it is a fact that is missing, so that the setting counts as not written.
    pub(super) fn size(&mut self, size: &Lit<u64>) -> Result<Option<usize>, Reported> {
        match size {
            Lit::Value(v) => Ok(Some(usize::try_from(v.value).unwrap_or(usize::MAX))),
            Lit::Fact(name) => match lit_value(self.bound, self.record, &name.value) {
                None => Ok(None),
                Some(FactValue::Int(n)) if n >= 0 => {
                    Ok(Some(usize::try_from(n).unwrap_or(usize::MAX)))
                }
                Some(FactValue::Int(_)) => Err(self.diags.push(
                    Diagnostic::error(
                        codes::OUT_OF_RANGE,
                        format!("`{}` is a size here and is below 0", name.value),
                    )
                    .at(name.span),
                )),
                Some(_) => Err(self.unusable(&name.value, name.span, "a whole number")),
            },
        }
    }

    fn fraction(&mut self, fraction: Option<&Lit<f64>>) -> Result<Option<f64>, Reported> {
        let (value, name) = match fraction {
            None => return Ok(None),
            Some(Lit::Value(v)) => return Ok(Some(v.value)),
            Some(Lit::Fact(name)) => (lit_value(self.bound, self.record, &name.value), name),
        };
        #[expect(clippy::cast_precision_loss, reason = "only 0 and 1 are in range")]
        let value = match value {
            None => return Ok(None),
            Some(FactValue::Float(f)) => f,
            Some(FactValue::Int(n)) => n as f64,
            Some(_) => return Err(self.unusable(&name.value, name.span, "a number")),
        };
        if (0.0..=1.0).contains(&value) {
            return Ok(Some(value));
        }
        Err(self.diags.push(
            Diagnostic::error(
                codes::OUT_OF_RANGE,
                format!(
                    "`{}` is a fraction here and is not between 0 and 1",
                    name.value
                ),
            )
            .at(name.span),
        ))
    }

    fn unusable(&mut self, name: &str, span: Span, wanted: &str) -> Reported {
        self.diags.push(unusable(name, span, wanted))
    }

    fn rule(&mut self, budget: &Budget, max: usize) -> Result<Rule, Reported> {
        Ok(Rule {
            max,
            unit: budget.unit,
            head: self.fraction(budget.head.as_ref())?,
            tail: self.fraction(budget.tail.as_ref())?,
            at: budget.at,
            step: match &budget.step {
                Some(step) => self.size(step)?.unwrap_or(0),
                None => 0,
            },
            marker_outside: budget.marker_outside,
        })
    }

    /// The three sizes of a budget over documents.
    pub(super) fn sizes(
        &mut self,
        each: Option<&Lit<u64>>,
        total: Option<&Lit<u64>>,
        floor: Option<&Lit<u64>>,
    ) -> Result<[Option<usize>; 3], Reported> {
        let mut out = [None; 3];
        for (slot, size) in out.iter_mut().zip([each, total, floor]) {
            if let Some(size) = size {
                *slot = self.size(size)?;
            }
        }
        Ok(out)
    }

    /// Cuts a document to `max` and writes down what that did. Gives the size that counts: a marker outside does not.
    pub(super) fn document(
        &mut self,
        document: &mut Document,
        budget: &Budget,
        max: usize,
        held: &[Held],
        spread: Option<Share>,
    ) -> Result<usize, Reported> {
        let before = measure::size(document.text.as_str(), budget.unit);
        let rule = self.rule(budget, max)?;
        let key = budget
            .marker
            .as_ref()
            .map_or_else(|| default_marker(budget.unit), super::merge::key);
        // Most documents fit, and then no marker asks.
        let (asked, values, whole) = (self.asked, &self.bound.values, &*document);
        let scope = OnceCell::new();
        let scope = || {
            let shared = || asked.scope(values).with_document(Arc::new(whole.clone()));
            scope.get_or_init(shared).clone()
        };
        let engine = &self.plan.engine;
        let ingredients = &mut self.record.ingredients;
        let mut last_marker = 0;
        let mut marker = |sizes: Sizes| {
            let scope = scope()
                .with_number("kept_head", sizes.kept_head)
                .with_number("kept_tail", sizes.kept_tail)
                .with_number("total", sizes.total)
                .with_number("omitted", sizes.omitted);
            let rendered = engine.render(&key, &scope, ingredients)?;
            last_marker = measure::size(rendered.text.as_str(), budget.unit);
            Ok(rendered.text)
        };
        let also: Vec<_> = held.iter().map(|h| (h.unit, h.room(document))).collect();
        let outcome = match cut::cut(&document.text, &rule, &also, &mut marker) {
            Ok(outcome) => outcome,
            Err(failure) => return Err(self.diags.push(self.plan.diagnostic(&key, &failure))),
        };
        let label = called(document);
        let mut sums = Sums::default();
        let counted = match outcome {
            Cut::Whole => before,
            Cut::Cut { text, sizes, kept } => {
                self.record.lost(&document.text, &kept);
                document.text = text;
                document.truncated = true;
                self.tell_cut(&label, sizes, budget.unit, max);
                let counted = if budget.marker_outside {
                    sizes.kept_head + sizes.kept_tail
                } else {
                    measure::size(document.text.as_str(), budget.unit)
                };
                sums = Sums::of(&sizes, counted, last_marker, budget.marker_outside);
                counted
            }
            Cut::Nothing => {
                self.drop_document(document, budget, before, max);
                sums.marker = Some(last_marker);
                self.record.refused(
                    budget.span,
                    no_cut(budget, &label, before, max, last_marker),
                );
                0
            }
        };
        self.write(
            budget.unit.name(),
            [max, before, counted],
            label,
            spread,
            sums,
        );
        Ok(counted)
    }

    fn tell_cut(&mut self, label: &str, sizes: Sizes, unit: Unit, max: usize) {
        let (omitted, total, unit) = (shown(sizes.omitted), shown(sizes.total), unit.name());
        let message = format!(
            "`{label}`: {omitted} of {total} {unit} left out ({})",
            self.why(max, "")
        );
        self.record.notice("cut", message);
    }

    /// Which bound a text is cut to; `unit` stands behind the number.
    pub(super) fn why(&self, max: usize, unit: &str) -> String {
        let space = if unit.is_empty() { "" } else { " " };
        let max = format!("{}{space}{unit}", shown(max));
        match self.by {
            None => format!("budget {max}"),
            Some(by) => format!("to its `min` of {max}, since {by} is too large"),
        }
    }

    pub(super) fn write(
        &mut self,
        unit: &str,
        [max, before, after]: [usize; 3],
        of: String,
        share: Option<Share>,
        Sums {
            head,
            marker,
            tail,
            entries,
        }: Sums,
    ) {
        self.record.ingredients.add(Ingredient::Budget {
            unit: unit.to_owned(),
            max,
            before,
            after,
            of,
            spread: share.map(|share| share.spread.to_owned()),
            head,
            marker,
            tail,
            left: share.and_then(|share| share.left),
            floor: share.and_then(|share| share.floor),
            entries: entries.map(|[kept, _]| kept),
            dropped: entries.map(|[_, dropped]| dropped),
            by: self.by.map(|by| by.name().to_owned()),
        });
    }

    fn drop_document(
        &mut self,
        document: &mut Document,
        budget: &Budget,
        before: usize,
        left: usize,
    ) {
        self.record.lost(&document.text, &[]);
        if !document.root.is_empty() {
            self.record
                .unused(&document.root, &document.path, UnusedReason::Budget);
        }
        self.record.notice(
            "dropped",
            format!(
                "`{}`: all {} {} left out (budget {})",
                called(document),
                shown(before),
                budget.unit.name(),
                shown(left)
            ),
        );
        document.text = Text::default();
        document.truncated = true;
    }

    /// Drops a document that has no room.
    fn no_room(
        &mut self,
        document: &mut Document,
        budget: &Budget,
        [before, room]: [usize; 2],
        share: Share,
    ) {
        let label = called(document);
        let why = no_room(budget, &label, before, room, share.floor);
        self.record.refused(budget.span, why);
        self.drop_document(document, budget, before, room);
        let sizes = [room, before, 0];
        let unit = budget.unit.name();
        self.write(unit, sizes, label, Some(share), Sums::default());
    }

    /// `each`, `total` and `floor` over documents, in order; if they are `whole`, none is cut.
    pub(super) fn documents(
        &mut self,
        documents: Vec<&mut Document>,
        budget: &Budget,
        [each, total, floor]: [Option<usize>; 3],
        held: &mut [Held],
        (label, whole): (&str, bool),
    ) -> Result<(), Reported> {
        let mut spread = Spread::new(each, total, floor);
        let (mut all_before, mut all_after) = (0, 0);
        for document in documents {
            let before = measure::size(document.text.as_str(), budget.unit);
            all_before += before;
            let befores: Vec<usize> = held
                .iter()
                .map(|h| measure::size(document.text.as_str(), h.unit))
                .collect();
            let left = spread.left();
            let allowance = match spread.next(before) {
                Allowance::CutTo(_) if whole => Allowance::Drop { floor: None },
                allowance => allowance,
            };
            let mut share = Share {
                spread: "each",
                left,
                floor: None,
            };
            let counted = match allowance {
                Allowance::Whole => {
                    if let Some(max) = each.or(left) {
                        let sizes = [max, before, before];
                        self.write(
                            budget.unit.name(),
                            sizes,
                            called(document),
                            Some(share),
                            Sums::default(),
                        );
                    }
                    before
                }
                Allowance::CutTo(max) => self.document(document, budget, max, held, Some(share))?,
                Allowance::Drop { floor } => {
                    share.floor = floor;
                    let room = match (whole, each) {
                        (true, Some(each)) => each.min(left.unwrap_or(usize::MAX)),
                        _ => left.unwrap_or_default(),
                    };
                    self.no_room(document, budget, [before, room], share);
                    0
                }
            };
            for (held, before) in held.iter_mut().zip(befores) {
                let after = measure::size(document.text.as_str(), held.unit);
                held.size = (held.size + after).saturating_sub(before);
            }
            spread.spent(counted);
            all_after += counted;
        }
        if let Some(total) = total {
            let share = Share {
                spread: "total",
                left: None,
                floor: None,
            };
            let sizes = [total, all_before, all_after];
            self.write(
                budget.unit.name(),
                sizes,
                label.to_owned(),
                Some(share),
                Sums::default(),
            );
        }
        Ok(())
    }
}

/// Why a cut left nothing.
fn no_cut(budget: &Budget, label: &str, size: usize, max: usize, marker: usize) -> String {
    let (unit, size, bound) = (budget.unit.name(), shown(size), shown(max));
    if marker > max && !budget.marker_outside {
        let marker = shown(marker);
        format!(
            "`{label}` has {size} {unit}, its marker alone takes {marker}, and the budget is {bound}"
        )
    } else {
        format!("`{label}` has {size} {unit}, and no cut of it fits a budget of {bound}")
    }
}

/// Why a document got nothing of a total.
fn no_room(budget: &Budget, label: &str, size: usize, left: usize, floor: Option<usize>) -> String {
    let (unit, size, left) = (budget.unit.name(), shown(size), shown(left));
    match floor {
        Some(floor) => {
            let floor = shown(floor);
            format!(
                "`{label}` has {size} {unit}, {left} are left of the total, and the floor is {floor}"
            )
        }
        None => format!("`{label}` has {size} {unit}, and {left} are left of the budget"),
    }
}

/// A size as people read it.
pub(super) fn shown(size: usize) -> String {
    measure::thousands(&size.to_string())
}

/// How messages name a document: by its path, or, if it has none, by its label.
pub(super) fn called(document: &Document) -> String {
    let name = if document.path.is_empty() {
        &document.label
    } else {
        &document.path
    };
    name.to_string()
}
