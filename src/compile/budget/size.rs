//! Sizes and fractions: literals, or facts in their place.

use super::BudgetTracker;
use crate::compile::bind::ResolvedInputs;
use crate::compile::record::Record;
use crate::compile::unusable::unusable;
use crate::diagnostic::span::Span;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::manifest::{Budget, Lit};
use crate::template::fact::FactValue;
use crate::text::cut::Rule;

/// The value of a `(fact)NAME`, recorded as read; `None` if it is missing.
pub(in crate::compile) fn lit_value(
    bound: &ResolvedInputs,
    record: &mut Record,
    name: &str,
) -> Option<FactValue> {
    record.read(&bound.values, name);
    bound.value(name)
}

impl BudgetTracker<'_> {
    /// A size; `None` if it is a fact that is missing, so that the setting counts as not written.
    pub(in crate::compile) fn size(
        &mut self,
        size: &Lit<u64>,
    ) -> Result<Option<usize>, ErrorReported> {
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
                        format!("`{}` is below 0, which is not allowed here", name.value),
                    )
                    .at(name.span)
                    .help("give it a whole number from 0"),
                )),
                Some(_) => Err(self.unusable(&name.value, name.span, "a whole number")),
            },
        }
    }

    fn fraction(&mut self, fraction: Option<&Lit<f64>>) -> Result<Option<f64>, ErrorReported> {
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
            .at(name.span)
            .help("give it a number from 0 to 1"),
        ))
    }

    fn unusable(&mut self, name: &str, span: Span, wanted: &str) -> ErrorReported {
        self.diags.push(unusable(name, span, wanted))
    }

    pub(super) fn rule(&mut self, budget: &Budget, max: usize) -> Result<Rule, ErrorReported> {
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
    pub(in crate::compile) fn sizes(
        &mut self,
        each: Option<&Lit<u64>>,
        total: Option<&Lit<u64>>,
        floor: Option<&Lit<u64>>,
    ) -> Result<[Option<usize>; 3], ErrorReported> {
        let mut out = [None; 3];
        for (slot, size) in out.iter_mut().zip([each, total, floor]) {
            if let Some(size) = size {
                *slot = self.size(size)?;
            }
        }
        Ok(out)
    }
}
