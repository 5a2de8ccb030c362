//! The sum of a tier's or prompt's budget that decided that a layer shrank: the sums of one side replace those of
//! the other, one by one.

use super::super::order;
use crate::prompt::{Fit, FitLayer, Prompt};
use crate::text::measure::{self, Unit};
use std::cmp::Reverse;

/// The result of shrinking a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    Not,
    Cut,
    Gone,
}

/// An input that decides which layers of a tier shrink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sum<'p> {
    /// The maximum of the tier.
    Max,
    /// The maximum of the prompt, and the reserves of later tiers.
    Prompt,
    /// The text before the tier.
    Front,
    /// Whether there is text before it, and so a join.
    Lead,
    /// The order of the layers.
    Order,
    /// The size of a layer, 0 if it has no text.
    Size(&'p str),
    /// The settings of a layer about its shrinking.
    Says(&'p str),
}

/// The sums of one tier in two prompts.
pub(super) struct Sums<'p> {
    fits: [&'p Fit; 2],
    joins: [[usize; 2]; 2],
}

/// A layer that shrinks.
struct Giving {
    own: bool,
    size: usize,
    cut: bool,
    priority: usize,
    required: bool,
    min: Option<usize>,
}

impl<'p> Sums<'p> {
    /// The sums of a tier, if both prompts have them.
    pub(super) fn of(prompts: [&'p Prompt; 2], tier: &str, unit: Unit) -> Option<Self> {
        let fit = |side: usize| prompts[side].fits.iter().find(|f| f.tier == tier);
        let fits = [fit(0)?, fit(1)?];
        let joins = [0, 1].map(|side| joins(prompts[side], fits[side], unit));
        let known = |side: usize| joins[side].or(joins[1 - side]).unwrap_or_default();
        Some(Self {
            fits,
            joins: [known(0), known(1)],
        })
    }

    /// The sums that decided how far the layer `own` gave way: those that alone make it another way on the first side, or without
    /// which it is another on the second; if none does, all that differ. None if the sums do not come to what the prompts say.
    pub(super) fn deciding(&self, own: &str, ways: [Way; 2]) -> Option<Vec<Sum<'p>>> {
        let all = |side: usize| self.way(own, |_| side);
        if [all(0), all(1)] != ways.map(Some) {
            return None;
        }
        let mut differing = self.differing();
        let decides = |sum: &Sum<'p>| {
            let put = |into: usize| self.way(own, |s| if s == *sum { 1 - into } else { into });
            put(0) != all(0) || put(1) != all(1)
        };
        let found: Vec<Sum<'p>> = differing.iter().copied().filter(decides).collect();
        if !found.is_empty() {
            differing = found;
        }
        Some(differing)
    }

    /// The sums that differ.
    fn differing(&self) -> Vec<Sum<'p>> {
        let [x, y] = self.fits;
        let mut out = Vec::new();
        let bounds = |fit: &Fit| fit.prompt.as_ref().map(|p| (p.max, p.reserved));
        let front = |fit: &Fit| fit.prompt.as_ref().map(|p| p.front);
        out.extend((x.max != y.max).then_some(Sum::Max));
        out.extend((bounds(x) != bounds(y)).then_some(Sum::Prompt));
        out.extend((front(x) != front(y)).then_some(Sum::Front));
        out.extend((self.joins[0][0] != self.joins[1][0]).then_some(Sum::Lead));
        let [a, b] = [x, y].map(names);
        let moved = order::merged(&a, &b).iter().any(|place| place.moved);
        out.extend(moved.then_some(Sum::Order));
        for name in self.names(1) {
            let [old, new] = [x, y].map(|fit| layer(fit, name));
            let size = |l: Option<&FitLayer>| l.map_or(0, |l| l.before);
            out.extend((size(old) != size(new)).then_some(Sum::Size(name)));
            let says = |l: &FitLayer| (l.priority, l.required, l.min);
            let edited = old.zip(new).is_some_and(|(x, y)| says(x) != says(y));
            out.extend(edited.then_some(Sum::Says(name)));
        }
        out
    }

    /// The layers of both, in the order of one side.
    fn names(&self, side: usize) -> Vec<&'p str> {
        let mut out = names(self.fits[side]);
        for (at, name) in names(self.fits[1 - side]).into_iter().enumerate() {
            if !out.contains(&name) {
                out.insert(at.min(out.len()), name);
            }
        }
        out
    }

    /// How far a layer shrinks with each sum from the side that `pick` selects.
    fn way(&self, own: &str, pick: impl Fn(Sum<'p>) -> usize) -> Option<Way> {
        let fit = |sum: Sum<'p>| self.fits[pick(sum)];
        let names = self.names(pick(Sum::Order));
        let mut layers: Vec<Giving> = Vec::new();
        for name in names {
            let sized = layer(fit(Sum::Size(name)), name);
            let says = layer(fit(Sum::Says(name)), name).or(sized);
            let (Some(sized), Some(says)) = (sized, says) else {
                continue;
            };
            layers.push(Giving {
                own: name == own,
                size: sized.before,
                cut: false,
                priority: says.priority,
                required: says.required,
                min: says.min,
            });
        }
        let (lead, inner) = (
            self.joins[pick(Sum::Lead)][0],
            self.joins[pick(Sum::Order)][1],
        );
        let max = fit(Sum::Max).max.unwrap_or(usize::MAX);
        let prompt = fit(Sum::Prompt).prompt.as_ref();
        let front = fit(Sum::Front).prompt.as_ref().map_or(0, |p| p.front);
        let over = |layers: &[Giving]| {
            let there = layers.iter().filter(|l| l.size > 0).count();
            let joins = lead.saturating_mul(there.min(1));
            let joins = joins.saturating_add(inner.saturating_mul(there.saturating_sub(1)));
            let size = layers
                .iter()
                .fold(joins, |sum, l| sum.saturating_add(l.size));
            let with = |reserved: usize| size.saturating_add(front).saturating_add(reserved);
            size > max || (size > 0 && prompt.is_some_and(|p| with(p.reserved) > p.max))
        };
        let mut order: Vec<usize> = (0..layers.len()).collect();
        order.sort_by_key(|at| (layers[*at].priority, Reverse(*at)));
        for at in order {
            if over(&layers)
                && let Some(min) = layers[at].min.filter(|min| *min < layers[at].size)
            {
                (layers[at].size, layers[at].cut) = (min, true);
            }
            if over(&layers) && !layers[at].required {
                layers[at].size = 0;
            }
        }
        let own = layers.iter().find(|l| l.own);
        Some(match own? {
            Giving { size: 0, .. } => Way::Gone,
            Giving { cut: true, .. } => Way::Cut,
            Giving { .. } => Way::Not,
        })
    }
}

fn names(fit: &Fit) -> Vec<&str> {
    fit.layers.iter().map(|l| l.layer.as_str()).collect()
}

fn layer<'f>(fit: &'f Fit, name: &str) -> Option<&'f FitLayer> {
    fit.layers.iter().find(|l| l.layer == name)
}

/// The sizes of the join before the first layer of a tier and of those between its layers, if any of it is present.
fn joins(prompt: &Prompt, fit: &Fit, unit: Unit) -> Option<[usize; 2]> {
    let channel = prompt.channel(fit.deliver)?;
    let own = channel.layers.iter().filter(|l| l.tier == fit.tier);
    let mut own = own.map(|layer| {
        let join = layer
            .spans
            .first()
            .filter(|s| s.kind == crate::text::SpanKind::Join);
        let text = join.and_then(|s| channel.text.get(s.start..s.end));
        match layer.start {
            0 => 0,
            _ => text.map_or(0, |text| measure::size(text, unit)),
        }
    });
    let lead = own.next();
    let sum = fit
        .layers
        .iter()
        .fold(0, |sum: usize, l| sum.saturating_add(l.before));
    let rest = fit.before.saturating_sub(sum);
    let count = fit.layers.len();
    let lead = match lead {
        Some(lead) => lead,
        // The tier is absent: all joins are alike, or the first has none.
        None if count > 0 && rest % count == 0 => rest / count,
        None => 0,
    };
    let inner = match count {
        0 | 1 => own.next().unwrap_or(lead),
        _ => rest.saturating_sub(lead) / (count - 1),
    };
    Some([lead, inner])
}
