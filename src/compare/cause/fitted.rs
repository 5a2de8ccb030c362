//! Layers that a budget of their tier or of the prompt shrank on one side, and the layers whose growth caused it.

use super::super::change::What;
use super::super::model::{Cause, CauseKind};
use super::super::nodes::{Edit, Nodes};
use super::super::side::{Side, Sides};
use super::super::{Ground, mention, order};
use super::case::{Case, add};
use super::overlays;
use super::sums::{Sum, Sums, Way};
use crate::prompt::{Definition, DefinitionNode, Deliver, Fit, Ingredient, Prompt, Tier, Value};
use crate::text::measure::{self, Unit};

/// The depth limit for layers that shrink because of each other.
const DEEPEST: usize = 32;

/// The most layers before it whose differences are explained in one comparison: each asks all layers before it in
/// turn, so their number could double with every tier.
const MOST_ASKED: usize = 1_000;

/// The budget around the layer that took something of it, and what it counts.
fn by<'p>(side: &Side<'p>) -> Option<(&'p str, Unit)> {
    let mut budgets = side.ingredients().iter();
    budgets.find_map(|i| match i {
        Ingredient::Budget {
            by: Some(by), unit, ..
        } => Some((by.as_str(), Unit::all().find(|u| u.name() == unit)?)),
        _ => None,
    })
}

/// The result of shrinking the layer; none if it is absent for another reason.
fn way(side: &Side<'_>) -> Option<Way> {
    match (side.present.is_some(), by(side).is_some()) {
        (true, false) => Some(Way::Not),
        (true, true) => Some(Way::Cut),
        (false, true) => Some(Way::Gone),
        (false, false) => None,
    }
}

impl<'p> Case<'_, 'p> {
    /// Why the layer gave way on one side and not so far on the other; none if it did not.
    pub(super) fn gave_way(&self) -> Option<Vec<Cause>> {
        let (a, b) = (way(self.a)?, way(self.b)?);
        // Of two sides the one on which it gave way further, and the prompts in the same order.
        let ([pa, pb], [sa, sb]) = (self.ground.prompts, self.ground.sides);
        let (further, prompts, sides) = match a.cmp(&b) {
            std::cmp::Ordering::Equal => return None,
            std::cmp::Ordering::Greater => (self.a, [pb, pa], [sb, sa]),
            std::cmp::Ordering::Less => (self.b, [pa, pb], [sa, sb]),
        };
        let (by, unit) = by(further)?;
        let (own, tier) = (further.name()?, further.tier()?);
        let sums = Sums::of(prompts, tier, unit);
        let ways = [a.min(b), a.max(b)];
        let found = sums.and_then(|sums| sums.deciding(own, ways));
        let around = Around {
            tier,
            whole: by == "prompt",
            lead: found
                .as_ref()
                .is_some_and(|found| found.contains(&Sum::Lead)),
            unit,
            prompts,
            sides,
        };
        // Sums that are not known may all have decided it.
        let decides = |sum: Sum<'_>| found.as_ref().is_none_or(|found| found.contains(&sum));
        let mut grown = self.grown(&around, &decides, false);
        if grown.is_empty() && decides(Sum::Front) {
            // Texts that are cut into tokens together have another size than each for itself.
            grown = self.grown(&around, &decides, true);
        }
        if decides(Sum::Order) {
            add(&mut grown, self.swapped(&around));
        }
        let mut out = match decides(Sum::Max) || decides(Sum::Prompt) {
            true => self.numbers(&around),
            false => Vec::new(),
        };
        if found.is_some() || (out.is_empty() && grown.is_empty()) {
            add(&mut out, self.ways_of_layers(&around, &decides));
        }
        if !grown.is_empty() {
            out.push(self.gave(grown));
        }
        (!out.is_empty()).then_some(out)
    }

    /// The edits of the budgets that bound the layer, and the changed facts that give their numbers.
    fn numbers(&self, around: &Around<'_, 'p>) -> Vec<Cause> {
        let mut out = Vec::new();
        let mut facts: Vec<String> = Vec::new();
        for (index, tier) in around.tiers(1).iter().enumerate() {
            let own = tier.name == around.tier;
            let behind = around.whole && index > around.place(1);
            let bounds = |node: &DefinitionNode| {
                let budget = own && node.is("budget");
                budget || (behind && node.depth == 0 && reserve(node).is_some())
            };
            let nodes = tier.definition.nodes.iter().filter(|n| bounds(n));
            facts.extend(nodes.flat_map(mention::facts));
            let Some(before) = around.tiers(0).iter().find(|t| t.name == tier.name) else {
                continue;
            };
            let [x, y] = self.in_order([&before.definition, &tier.definition], around);
            for Edit {
                a: old,
                b: new,
                cause,
            } in Nodes::of(x, y).edits
            {
                let [old, new] = [node(x, old), node(y, new)];
                let moved = match (old, new) {
                    (Some(old), Some(new)) if behind => reserve(old) != reserve(new),
                    _ => own && [old, new].iter().flatten().any(|n| bounds(n)),
                };
                if moved {
                    add(&mut out, vec![cause]);
                }
            }
        }
        if out.is_empty() && facts.is_empty() {
            out.extend(self.number_elsewhere(around));
        }
        for fact in facts {
            add(&mut out, self.values.changed(&fact).into_iter().collect());
        }
        out
    }

    /// The edits where one side has no text in the channel, and so no tiers: by the sums alone.
    fn number_elsewhere(&self, around: &Around<'_, 'p>) -> Option<Cause> {
        let fit = |side: usize| {
            let mut fits = around.prompts[side].fits.iter();
            fits.find(|f| f.tier == around.tier)
        };
        let (x, y) = (fit(0)?, fit(1)?);
        let edited = |fit: &Fit, other: &Fit| {
            let prompts = fit.prompt.as_ref().zip(other.prompt.as_ref());
            fit.max != other.max || prompts.is_some_and(|(p, q)| p.max != q.max)
        };
        let tiers = [0, 1].map(|side| around.tiers(side));
        if !edited(x, y) || tiers.iter().all(|t| !t.is_empty()) {
            return None;
        }
        let mut tiers = tiers.into_iter().flatten();
        let tier = tiers.find(|t| t.name == around.tier)?;
        let definition = &tier.definition;
        let node = definition.nodes.iter().rfind(|n| n.is("budget"))?;
        let mut facts = mention::facts(node).into_iter();
        let fact = facts.find_map(|fact| self.values.changed(&fact));
        Some(fact.unwrap_or_else(|| Cause {
            path: Some(definition.file_of(node).to_string()),
            line: Some(node.line),
            ..Cause::new(CauseKind::LayerEdited)
        }))
    }

    /// The changes in the layers that the budget counts and that have another size on the other side. With
    /// `texts`, also in those with the same size and another text.
    fn grown(
        &self,
        around: &Around<'_, 'p>,
        decides: &impl Fn(Sum<'_>) -> bool,
        texts: bool,
    ) -> Vec<Cause> {
        let mut out = Vec::new();
        for (deliver, name) in around.layers() {
            let [before, after] = around.sides.map(|s| s.get(name, deliver));
            let [old, new] = [(0, &before), (1, &after)].map(|(at, s)| around.size(at, name, s));
            let came = before.present.is_some() != after.present.is_some();
            let counts = match around.is_own(name) {
                true => decides(Sum::Size(name)),
                false => (around.whole && decides(Sum::Front)) || (around.lead && came),
            };
            let same = new == old && !(texts && before.text() != after.text());
            if (same && !(around.lead && came)) || !counts {
                continue;
            }
            if !around.is_own(name) {
                // Of the layers before it only the text counts, whatever shrank them.
                let [a, b] = self.ground.sides.each_ref().map(|s| s.get(name, deliver));
                let asked = self.ground.asked;
                if before.known() && self.ground.depth < DEEPEST && asked.get() < MOST_ASKED {
                    asked.set(asked.get() + 1);
                    let deeper = Ground {
                        depth: self.ground.depth + 1,
                        ..self.ground
                    };
                    let found = Case::new(&a, &b, deeper).found();
                    for cause in found.causes.into_iter().chain(found.also) {
                        let is_cut = cause.kind == CauseKind::CutMoved;
                        match is_cut && !cause.because.is_empty() {
                            true => add(&mut out, cause.because),
                            false => add(&mut out, vec![cause]),
                        }
                    }
                    continue;
                }
            }
            if before.known() != after.known() {
                let added = std::ptr::eq(around.prompts[1], self.ground.prompts[1]);
                let kind = match added == after.known() {
                    true => CauseKind::LayerAdded,
                    false => CauseKind::LayerRemoved,
                };
                add(&mut out, vec![self.of_layer(kind, name, deliver)]);
                continue;
            }
            let [a, b] = self.ground.sides.each_ref().map(|s| s.get(name, deliver));
            add(&mut out, Case::new(&a, &b, self.ground).changed_inside());
        }
        out
    }

    /// The layers of the tier in another order: of equal ones the later one shrinks first.
    fn swapped(&self, around: &Around<'_, 'p>) -> Vec<Cause> {
        let [less, more] = [0, 1].map(|side| around.order(side));
        let [x, y] = self.in_order([less, more], around);
        let places = order::merged(&x, &y).into_iter();
        let moved = places.filter(|p| p.moved).filter_map(|p| Some(y[p.b?]));
        let cause = |name: &str| self.of_layer(CauseKind::LayerMoved, name, around.deliver());
        moved.map(cause).collect()
    }

    /// The change of a layer as a whole, at its place in the manifest of B, or of A.
    fn of_layer(&self, kind: CauseKind, name: &str, deliver: Deliver) -> Cause {
        let mut sides = self.ground.sides.iter().rev();
        let place = |s: &Sides<'p>| {
            let definition = s.get(name, deliver).definition()?;
            let node = definition.nodes.first()?;
            Some((definition.file_of(node).to_string(), node.line))
        };
        if let Some(cause) = overlays::cause(kind, name, self.ground.prompts) {
            let item = Some(name.to_owned());
            return Cause { item, ..cause };
        }
        let (path, line) = sides.find_map(place).unzip();
        Cause {
            path,
            line,
            item: Some(name.to_owned()),
            ..Cause::new(kind)
        }
    }

    /// The edits of the settings for the order in which layers shrink, and how far.
    fn ways_of_layers(
        &self,
        around: &Around<'_, 'p>,
        decides: &impl Fn(Sum<'_>) -> bool,
    ) -> Vec<Cause> {
        let mut out = Vec::new();
        let layers = around.layers().into_iter();
        for (deliver, name) in layers.filter(|(_, name)| decides(Sum::Says(name))) {
            let [a, b] = self.ground.sides.each_ref().map(|s| s.get(name, deliver));
            let (Some(x), Some(y)) = (a.definition(), b.definition()) else {
                continue;
            };
            if b.tier() != Some(around.tier) {
                continue;
            }
            for Edit {
                a: old,
                b: new,
                cause,
            } in Nodes::of(x, y).edits
            {
                let says = |n: Option<&DefinitionNode>| {
                    let own = ["priority", "min", "required"];
                    let has =
                        |n: &DefinitionNode| own.iter().any(|name| n.property(name).is_some());
                    n.is_some_and(|n| n.depth == 0 && has(n))
                };
                if says(node(x, old)) || says(node(y, new)) {
                    add(&mut out, vec![cause]);
                }
            }
        }
        out
    }

    /// The changes in the inputs of the layer.
    fn changed_inside(&self) -> Vec<Cause> {
        let flips = self.changes.flips.iter().take(1);
        let mut out: Vec<Cause> = flips.map(|f| f.cause.clone()).collect();
        for cause in self.direct(|what| !matches!(what, What::Tier)) {
            let found = out.iter().any(|c| c.because.contains(&cause));
            if !found {
                add(&mut out, vec![cause]);
            }
        }
        out
    }

    /// The values of the prompts that shrank less and more, in the order of A and B.
    fn in_order<T>(&self, [less, more]: [T; 2], around: &Around<'_, 'p>) -> [T; 2] {
        match std::ptr::eq(around.prompts[1], self.ground.prompts[1]) {
            true => [less, more],
            false => [more, less],
        }
    }
}

fn node(definition: &Definition, index: Option<usize>) -> Option<&DefinitionNode> {
    definition.nodes.get(index?)
}

/// `reserve=…` of a tier's own node.
fn reserve(node: &DefinitionNode) -> Option<&Value> {
    node.property("reserve")
}

/// The amounts that the budget which shrank a layer counts.
struct Around<'g, 'p> {
    /// The layer's tier.
    tier: &'p str,
    /// Whether it is the prompt's.
    whole: bool,
    /// Whether it matters that there is text before the tier.
    lead: bool,
    unit: Unit,
    /// The prompt in which the layer gave way less, and the other.
    prompts: [&'p Prompt; 2],
    sides: [&'g Sides<'p>; 2],
}

impl<'p> Around<'_, 'p> {
    /// The tiers of the channel that the tier is part of.
    fn tiers(&self, side: usize) -> &'p [Tier] {
        let named = |t: &Tier| t.name == self.tier;
        let mut channels = self.prompts[side].channels.iter();
        let channel = channels.find(|c| c.tiers.iter().any(named));
        channel.map_or(&[], |c| &c.tiers)
    }

    fn place(&self, side: usize) -> usize {
        let tiers = self.tiers(side);
        tiers.iter().position(|t| t.name == self.tier).unwrap_or(0)
    }

    /// The layers that the budget counts, in order, absent ones too.
    fn layers(&self) -> Vec<(Deliver, &'p str)> {
        let mut out: Vec<(Deliver, &str)> = Vec::new();
        let deliver = self.deliver();
        for (side, prompt) in self.prompts.iter().enumerate() {
            let end = self.place(side);
            let tiers: Vec<&str> = self.tiers(side).iter().map(|t| t.name.as_str()).collect();
            let counted = |tier: &str| {
                let at = tiers.iter().position(|t| *t == tier);
                tier == self.tier || ((self.whole || self.lead) && at.is_some_and(|at| at < end))
            };
            let layers = prompt.channel(deliver).map_or(&[][..], |c| &c.layers);
            let present = layers.iter().filter(|l| counted(&l.tier));
            out.extend(present.map(|l| (deliver, l.name.as_str())));
            let absent = prompt.absent.iter().filter(|a| counted(&a.tier));
            out.extend(absent.map(|a| (deliver, a.layer.as_str())));
        }
        let mut seen = std::collections::BTreeSet::new();
        out.retain(|(_, name)| seen.insert(*name));
        out
    }

    /// The channel of the tier.
    fn deliver(&self) -> Deliver {
        let named = |t: &Tier| t.name == self.tier;
        let mut channels = self.prompts.iter().flat_map(|p| &p.channels);
        let own = channels.find(|c| c.tiers.iter().any(named));
        own.map_or(Deliver::System, |c| c.deliver)
    }

    /// The layers of the tier that had text, in order.
    fn order(&self, side: usize) -> Vec<&'p str> {
        let fits = self.prompts[side]
            .fits
            .iter()
            .filter(|f| f.tier == self.tier);
        fits.flat_map(|f| &f.layers)
            .map(|l| l.layer.as_str())
            .collect()
    }

    /// Whether a layer is one of the tier, on either side.
    fn is_own(&self, name: &str) -> bool {
        [0, 1].iter().any(|side| self.order(*side).contains(&name))
    }

    /// The size of a layer: for one of the tier before anything shrank, for one before the tier as it is.
    fn size(&self, side: usize, name: &str, layer: &Side<'p>) -> usize {
        let known = self.prompts.iter().all(|p| !p.fits.is_empty());
        if known {
            let fits = self.prompts[side].fits.iter();
            let mut layers = fits.flat_map(|f| &f.layers).filter(|l| l.layer == name);
            let own = self.is_own(name);
            return layers
                .next()
                .map_or(0, |l| if own { l.before } else { l.after });
        }
        let mut budgets = layer.ingredients().iter().filter_map(|i| match i {
            Ingredient::Budget {
                by: Some(_),
                before,
                ..
            } => Some(*before),
            _ => None,
        });
        budgets
            .next()
            .unwrap_or_else(|| measure::size(layer.text(), self.unit))
    }
}
