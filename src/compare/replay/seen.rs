//! One layer without the causes of a round, and with them.

use crate::compare::side::{Side, Sides};
use crate::prompt::{Deliver, Ingredient, Prompt, Span};
use crate::text::prefix;

/// One layer on both sides of a round: without its causes, and with them.
pub(super) struct Seen<'p> {
    pub(super) a: Side<'p>,
    pub(super) b: Side<'p>,
    /// Where its text differs first, in its channel without and with the causes.
    pub(super) at: [usize; 2],
}

impl<'p> Seen<'p> {
    pub(super) fn of([a, b]: [&'p Prompt; 2], name: &'p str) -> Self {
        let side = |prompt| {
            let sides = Sides::of(prompt);
            let mut all = Deliver::ALL
                .into_iter()
                .map(|channel| sides.get(name, channel));
            let absent = sides.get(name, Deliver::System);
            all.find(|side| side.present.is_some()).unwrap_or(absent)
        };
        let [a, b] = [a, b].map(side);
        let own = prefix::common(a.text(), b.text());
        let at = [a.start() + own, b.start() + own];
        Self { a, b, at }
    }

    fn sides(&self) -> [(&Side<'p>, usize); 2] {
        [(&self.b, self.at[1]), (&self.a, self.at[0])]
    }

    /// The spans at the break, each with the line of its ingredient there: of the byte there, and of what ends there; those with the
    /// causes first.
    pub(super) fn owners(&self) -> Vec<(&Side<'p>, &'p Span, Option<usize>)> {
        let mut out = Vec::new();
        for is_inside in [true, false] {
            for (side, at) in self.sides() {
                let spans = side.spans().iter().filter(|span| {
                    span.start <= at
                        && if is_inside {
                            at < span.end
                        } else {
                            at == span.end
                        }
                });
                out.extend(spans.map(|span| {
                    let text = side.bytes(span).get(..at - span.start).unwrap_or_default();
                    let line = span.line.map(|line| line + text.matches('\n').count());
                    (side, span, line)
                }));
            }
        }
        out
    }
}

/// Whether an ingredient is a document, or a template.
pub(super) fn is_of(ingredient: &Ingredient, root: Option<&str>, name: &str) -> bool {
    match ingredient {
        Ingredient::Document { root: of, path, .. } => root == Some(of.as_str()) && path == name,
        Ingredient::Template {
            file, line: None, ..
        } => root.is_none() && file == name,
        _ => false,
    }
}
