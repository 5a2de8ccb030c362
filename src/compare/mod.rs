//! A comparison of two prompts: which layer broke the prefix, why, and which breaks it hides. Pure.

mod order;
mod side;
mod excerpt;
mod model;
mod entries;
mod sources;
pub mod align;
pub mod snapshot;
mod family;
mod replay;
mod followed;
mod advice;

pub(crate) use advice::elsewhere;
pub use family::{Family, Grade, Member, Sample, Through, grade};
pub(crate) use followed::{Move, With, followed};
pub use model::{
    Acceptance, Advice, AdviceKind, Break, Cause, CauseKind, Confidence, Cost, Diff, Size, Together,
};
pub(crate) use replay::MOST_BUILDS;

use crate::diagnostic::span::Lines;
use crate::prompt::{Channel, Deliver, Prompt, Tokens, Value};
use crate::text::prefix;
use crate::text::tokens::Tokenizer;
use order::OrderedLayer;
use side::{Side, Sides};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

/// Compares A, which may be cached, with B, which is sent now. `docs/diff.md` has the rules.
#[must_use]
pub fn diff(a: &Prompt, b: &Prompt) -> Diff {
    diff_within(a, b, None)
}

/// Compares with so many builds at most to find causes, or as many as are usual.
#[must_use]
pub fn diff_within(a: &Prompt, b: &Prompt, most_builds: Option<NonZeroUsize>) -> Diff {
    diff_of_inputs([a, b], Confidence::Owner, tokenizer(a, b), most_builds)
}

/// Compares without tokens, for callers that count many prompts themselves.
#[must_use]
pub fn uncounted(a: &Prompt, b: &Prompt) -> Diff {
    diff_of_inputs([a, b], Confidence::Owner, None, None)
}

/// The layers that differ, each with what differs in it, whatever made it so.
#[must_use]
pub fn layers(a: &Prompt, b: &Prompt) -> Vec<Break> {
    Comparison::of([a, b], Confidence::Owner, true).breaks
}

/// Compares two texts of which at least one was aligned with a prompt that has a map: causes come from the owners
/// of the bytes around a difference there.
#[must_use]
pub fn aligned(a: &align::AlignedText, b: &align::AlignedText) -> Diff {
    let sure = Confidence::Text {
        a: a.share,
        b: b.share,
    };
    counted_diff(&a.prompt, &b.prompt, sure)
}

/// Compares prompts of which one has no text: known to the layer, not to the byte.
#[must_use]
pub fn hashed(a: &Prompt, b: &Prompt) -> Diff {
    counted_diff(a, b, Confidence::Hashes)
}

/// Compares two texts without maps.
#[must_use]
pub fn bare(a: &Prompt, b: &Prompt) -> Diff {
    counted_diff(a, b, Confidence::Nothing)
}

/// The text of a layer without the join before it, in the channel or in another; empty if none has it.
#[must_use]
pub fn own_text<'p>(prompt: &'p Prompt, deliver: Deliver, layer: &str) -> &'p str {
    let channels = prompt.channel(deliver).into_iter().chain(&prompt.channels);
    let mut layers = channels.filter_map(|c| Some((c, c.layers.iter().find(|l| l.name == layer)?)));
    let side = Side {
        present: layers.next(),
        absent: None,
    };
    side.text()
}

/// The first layer whose text is another one, in whatever order the layers are; none if both have the same layers with the same texts.
pub(crate) fn changed_text<'p>(a: &'p Prompt, b: &'p Prompt) -> Option<&'p str> {
    let layers = |prompt: &'p Prompt| {
        let channels = prompt.channels.iter();
        channels.flat_map(|channel| channel.layers.iter().map(move |layer| (channel, layer)))
    };
    let [x, y] = [a, b].map(|prompt| -> BTreeMap<&str, &str> {
        let texts = layers(prompt).map(|(channel, layer)| {
            let side = Side {
                present: Some((channel, layer)),
                absent: None,
            };
            (layer.name.as_str(), side.text())
        });
        texts.collect()
    });
    let mut names = layers(a)
        .chain(layers(b))
        .map(|(_, layer)| layer.name.as_str());
    names.find(|name| {
        let [x, y] = [&x, &y].map(|texts| texts.get(name).copied().unwrap_or_default());
        x != y
    })
}

/// The comparison, with tokens if the prompts were counted.
fn counted_diff(a: &Prompt, b: &Prompt, sure: Confidence) -> Diff {
    diff_of_inputs([a, b], sure, tokenizer(a, b), None)
}

fn tokenizer(a: &Prompt, b: &Prompt) -> Option<Tokenizer> {
    b.tokenizer().or_else(|| a.tokenizer())
}

/// Compares with the causes that builds prove, if both prompts carry their inputs.
fn diff_of_inputs(
    [a, b]: [&Prompt; 2],
    sure: Confidence,
    tokenizer: Option<Tokenizer>,
    most_builds: Option<NonZeroUsize>,
) -> Diff {
    let place = |both: [&Prompt; 2]| {
        let found = Comparison::of(both, Confidence::Owner, false);
        found.breaks.into_iter().next()
    };
    let is_same = Deliver::ALL
        .iter()
        .all(|channel| a.text(*channel) == b.text(*channel));
    let explained = match sure {
        Confidence::Owner if !is_same => replay::explain([a, b], &place, most_builds),
        _ => None,
    };
    // Where nothing differs there is no cause to prove.
    let have_inputs = [a, b].iter().all(|prompt| prompt.inputs.is_some());
    let (sure, stopped) = match &explained {
        None if sure == Confidence::Owner && is_same && have_inputs => (Confidence::Build, None),
        None => (sure, None),
        Some(found) if found.breaks.is_empty() && found.stopped.is_some() => {
            (Confidence::Narrowed, found.stopped)
        }
        Some(found) => (Confidence::Build, found.stopped),
    };
    let (proven, mixes) =
        explained.map_or_else(Default::default, |found| (found.breaks, Some(found.mixes)));
    // Where the search ended before a cause was proven, it is among what differs.
    let Comparison {
        sure,
        breaks,
        displaced,
        ..
    } = Comparison::of([a, b], sure, proven.is_empty());
    let mut breaks = if proven.is_empty() { breaks } else { proven }.into_iter();
    let texts = [a.text(Deliver::System), b.text(Deliver::System)];
    let (kept, lost, of) = sizes(texts, tokenizer);
    let first = breaks.next();
    let mut out = Diff {
        same: first.is_none(),
        first,
        hidden: breaks.collect(),
        displaced,
        kept,
        lost,
        of,
        cost: None,
        advice: Vec::new(),
        stopped,
        sure,
    };
    // A search that ended at its limit is not followed by further builds.
    if let Some(mut mixes) = mixes.filter(|_| stopped.is_none()) {
        out.advice = advice::advice(&out, [a, b], &mut mixes);
    }
    out
}

/// The common prefix, the text after it in B, and the whole of A. Tokens that both begin with are kept: the text
/// after the common text decides where the last of them ends.
fn sizes([a, b]: [&str; 2], tokenizer: Option<Tokenizer>) -> (Size, Size, Size) {
    let size = |text: &str, tokens: Option<usize>| {
        Size::of(text, tokens.zip(tokenizer).map(|(n, t)| Tokens::new(n, t)))
    };
    let common = prefix::common(a, b);
    let kept = tokenizer.map(|t| t.count_common(a, b));
    let whole = |text: &str| tokenizer.map(|t| t.count(text));
    let lost = whole(b).zip(kept).map(|(all, kept)| all - kept);
    (
        size(&a[..common], kept),
        size(&b[common..], lost),
        size(a, whole(a)),
    )
}

struct Comparison<'p> {
    sure: Confidence,
    /// Whether it lists what differs in a layer.
    explains: bool,
    /// The private facts that differ.
    private: BTreeSet<String>,
    a: &'p Prompt,
    b: &'p Prompt,
    sides: [Sides<'p>; 2],
    breaks: Vec<Break>,
    /// The layers that are in another channel now.
    moved: BTreeSet<&'p str>,
    displaced: Vec<String>,
    /// The lines of A's text in the channel at hand.
    lines: Lines,
}

impl<'p> Comparison<'p> {
    /// Compares layer by layer; `explains` is whether it lists what differs in each.
    fn of([a, b]: [&'p Prompt; 2], sure: Confidence, explains: bool) -> Self {
        let mut found = Self {
            sure,
            explains,
            private: sources::private([a, b]),
            a,
            b,
            sides: [a, b].map(Sides::of),
            breaks: Vec::new(),
            moved: BTreeSet::new(),
            displaced: Vec::new(),
            lines: Lines::of(""),
        };
        for deliver in Deliver::ALL {
            if a.text(deliver) != b.text(deliver) {
                found.add_breaks(deliver);
            } else if !found.breaks.is_empty() {
                let layers = a.channel(deliver).map_or(&[][..], |c| &c.layers);
                let names = layers.iter().map(|layer| layer.name.clone());
                found.displaced.extend(names);
            }
        }
        found
    }

    /// Adds the breaks of a channel whose texts differ. The first of the first such channel is where the prefix ends.
    fn add_breaks(&mut self, deliver: Deliver) {
        let before = self.breaks.len();
        let mut explained = false;
        let names = |prompt: &'p Prompt| -> Vec<&'p str> {
            let channel = prompt.channel(deliver);
            channel.map_or_else(Vec::new, |c| {
                c.layers.iter().map(|l| l.name.as_str()).collect()
            })
        };
        let (x, y) = (names(self.a), names(self.b));
        self.lines = Lines::of(self.a.text(deliver));
        for place in order::merged(&x, &y) {
            let Some(name) = place.a.map(|i| x[i]).or(place.b.map(|j| y[j])) else {
                continue;
            };
            let sides = self.sides.each_ref().map(|s| s.get(name, deliver));
            let elsewhere = self.elsewhere(sides, name, deliver);
            if elsewhere.is_some() && !self.moved.insert(name) {
                // It is reported where it is met first.
                explained = true;
                continue;
            }
            let [a, b] = sides;
            let at_join = self.is_join_edited(place, &a, &b, (&x, &y));
            let differs = place.a.is_none() || place.b.is_none() || place.moved;
            if !differs && !at_join && a.text() == b.text() {
                if !self.breaks.is_empty() {
                    self.displaced.push(name.to_owned());
                }
                continue;
            }
            let found = self.layer_break(deliver, (place, at_join), name, (&a, &b), elsewhere);
            self.breaks.push(found);
        }
        if self.breaks.len() == before && !explained {
            let unexplained = self.unexplained_break(deliver);
            self.breaks.push(unexplained);
        }
    }

    /// Both sides of a layer that one of them has in another channel.
    fn elsewhere(
        &self,
        [a, b]: [Side<'p>; 2],
        name: &str,
        deliver: Deliver,
    ) -> Option<[Side<'p>; 2]> {
        let in_other = |side: usize| self.sides[side].elsewhere(name, deliver);
        match [a, b].map(|side| side.present.is_some()) {
            [true, false] => Some([a, in_other(1)?]),
            [false, true] => Some([in_other(0)?, b]),
            _ => None,
        }
    }

    fn layer_break(
        &self,
        deliver: Deliver,
        (place, at_join): (OrderedLayer, bool),
        name: &str,
        (a, b): (&Side<'p>, &Side<'p>),
        elsewhere: Option<[Side<'p>; 2]>,
    ) -> Break {
        let text = self.a.text(deliver);
        let own = self.own_place(deliver, (place, at_join), a, b);
        let offset = match self.breaks.is_empty() {
            true => prefix::common(text, self.b.text(deliver)),
            false if place.moved => own,
            false => own + self.equal_bytes_after(deliver, (own, at_join), a, b),
        };
        let (line, column) = self.lines.line_column(text, offset);
        let mut sources = match (&self.sure, elsewhere) {
            _ if !self.explains => Vec::new(),
            (Confidence::Text { .. } | Confidence::Nothing, None) => align::causes(a, b),
            (_, Some([a, b])) => sources::sources(&a, &b, true, &self.private),
            (_, None) => sources::sources(a, b, place.moved, &self.private),
        };
        if self.explains && self.a.language != self.b.language {
            sources.insert(0, self.language_cause());
        }
        Break {
            offset,
            line,
            column,
            channel: deliver,
            layer: Some(name.to_owned()),
            tier: a.tier().or(b.tier()).map(str::to_owned),
            coincidence: offset.saturating_sub(side::parts(a, b).map_or(own, |at| own.min(at))),
            causes: Vec::new(),
            sources,
            also: Vec::new(),
            together: None,
            layers: Vec::new(),
            undone: None,
            accepted: None,
        }
    }

    /// The position in A of the layer's own first difference.
    fn own_place(
        &self,
        deliver: Deliver,
        (place, at_join): (OrderedLayer, bool),
        a: &Side<'p>,
        b: &Side<'p>,
    ) -> usize {
        let stays = place.a.is_some() && place.b.is_some() && !place.moved;
        if stays {
            return if at_join || a.text() == b.text() {
                a.start() - a.join_len() + prefix::common(a.join(), b.join())
            } else {
                a.start() + prefix::common(a.text(), b.text())
            };
        }
        let layers = self.a.channel(deliver).map_or(&[][..], |c| &c.layers);
        let end = place
            .behind
            .and_then(|i| layers.get(i))
            .map_or(0, |l| l.end);
        // The join belongs to both: the text after it is the first that differs.
        let join = if a.present.is_some() {
            a.join_len()
        } else {
            b.join_len()
        };
        (end + join).min(self.a.text(deliver).len())
    }

    /// The number of equal bytes after `own` if this layer were the only change.
    fn equal_bytes_after(
        &self,
        deliver: Deliver,
        (own, at_join): (usize, bool),
        a: &Side<'p>,
        b: &Side<'p>,
    ) -> usize {
        let text = self.a.text(deliver);
        let rest = text.get(own..).unwrap_or_default();
        match (a.present, b.present) {
            (None, Some(_)) => prefix::common(rest, b.text()),
            (Some((channel, layer)), None) => {
                let next = channel.layers.partition_point(|l| l.start < layer.end);
                let next = channel.layers.get(next).filter(|l| l.start == layer.end);
                let next = next.map(|next| Side {
                    present: Some((channel, next)),
                    absent: None,
                });
                next.map_or(0, |next| prefix::common(rest, next.text()))
            }
            // A with the layer of B in place of its own, followed by the same text as now.
            (Some((channel, layer)), Some(_)) => {
                let join = if at_join { b.join() } else { a.join() };
                let behind = channel.text.get(layer.end..).unwrap_or_default();
                let alone = [join, b.text(), behind].concat();
                let at = own.saturating_sub(a.start().saturating_sub(a.join_len()));
                prefix::common(rest, alone.get(at..).unwrap_or_default())
            }
            (None, None) => 0,
        }
    }

    /// Whether the join that the manifest puts before a layer was edited. A join that differs because another
    /// layer is now before it is a consequence.
    fn is_join_edited(
        &self,
        place: OrderedLayer,
        a: &Side<'p>,
        b: &Side<'p>,
        (x, y): (&[&str], &[&str]),
    ) -> bool {
        let (Some(i), Some(j), false) = (place.a, place.b, place.moved) else {
            return false;
        };
        if a.join() == b.join() {
            return false;
        }
        let before = |names: &[&str], at: usize| at.checked_sub(1).map(|n| names[n].to_owned());
        // Of the tier's own join: a first layer has none of it before it.
        let inner = |side: usize, own: &Side<'p>, names: &[&str], at: usize| {
            let name = before(names, at);
            let other = name.zip(own.present);
            let other = other.map(|(name, (c, _))| self.sides[side].get(&name, c.deliver));
            other.is_some_and(|other| other.tier() == own.tier())
        };
        let joined = inner(0, a, x, i) && inner(1, b, y, j);
        before(x, i) == before(y, j) || (joined && self.joins_differ(a, b))
    }

    /// Whether the tiers around a layer say another join.
    fn joins_differ(&self, a: &Side<'_>, b: &Side<'_>) -> bool {
        let joins = |prompt: &Prompt, side: &Side<'_>| -> Vec<Value> {
            let mut tiers = prompt.channels.iter().flat_map(|c| &c.tiers);
            let tier = tiers.find(|t| Some(t.name.as_str()) == side.tier());
            let nodes = tier.map_or(&[][..], |t| &t.definition.nodes);
            let says = nodes.iter().filter_map(|node| {
                let own = node.property("join");
                own.or_else(|| node.arguments.first().filter(|_| node.is("join")))
            });
            says.cloned().collect()
        };
        joins(self.a, a) != joins(self.b, b)
    }

    fn language_cause(&self) -> Cause {
        Cause {
            old: Some(self.a.language.to_string()),
            new: Some(self.b.language.to_string()),
            ..Cause::new(CauseKind::LanguageChanged)
        }
    }

    /// The texts differ and no layer does: the maps cannot be right.
    fn unexplained_break(&self, deliver: Deliver) -> Break {
        let text = self.a.text(deliver);
        let offset = prefix::common(text, self.b.text(deliver));
        let (line, column) = self.lines.line_column(text, offset);
        let at = |c: &'p Channel| c.layers.iter().find(|l| offset < l.end);
        let layer = self.a.channel(deliver).and_then(at);
        Break {
            offset,
            line,
            column,
            channel: deliver,
            layer: layer.map(|l| l.name.clone()),
            tier: layer.map(|l| l.tier.clone()),
            coincidence: 0,
            causes: Vec::new(),
            sources: Vec::new(),
            also: Vec::new(),
            together: None,
            layers: Vec::new(),
            undone: None,
            accepted: None,
        }
    }
}
