//! One layer as one prompt has it: present, absent, or not there at all.

use crate::prompt::{
    Absent, Channel, Definition, Deliver, Ingredient, Layer, Prompt, Span, Unused,
};
use crate::text::SpanKind;
use std::collections::BTreeMap;

/// A layer on one side of the comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'p> {
    pub(super) present: Option<(&'p Channel, &'p Layer)>,
    pub(super) absent: Option<&'p Absent>,
}

/// The layers of a prompt by channel and name.
pub(super) struct Sides<'p> {
    present: BTreeMap<(Deliver, &'p str), (&'p Channel, &'p Layer)>,
    absent: BTreeMap<&'p str, &'p Absent>,
}

impl<'p> Sides<'p> {
    /// The layers of `prompt`; of several of one name the first.
    pub(super) fn of(prompt: &'p Prompt) -> Self {
        // A map keeps the last inserted one.
        let channels = prompt.channels.iter().rev();
        let layers = channels.flat_map(|c| c.layers.iter().rev().map(move |l| (c, l)));
        let absent = prompt.absent.iter().rev();
        Self {
            present: layers
                .map(|(c, l)| ((c.deliver, l.name.as_str()), (c, l)))
                .collect(),
            absent: absent.map(|a| (a.layer.as_str(), a)).collect(),
        }
    }

    /// The layer called `name`; as present only if it is in the channel `deliver`.
    pub(super) fn get(&self, name: &str, deliver: Deliver) -> Side<'p> {
        Side {
            present: self.present.get(&(deliver, name)).copied(),
            absent: self.absent.get(name).copied(),
        }
    }
}

impl<'p> Sides<'p> {
    /// The layer called `name`, if it is in another channel than `deliver` and not in that one.
    pub(super) fn elsewhere(&self, name: &str, deliver: Deliver) -> Option<Side<'p>> {
        if self.get(name, deliver).present.is_some() {
            return None;
        }
        let mut all = Deliver::ALL.into_iter().map(|other| self.get(name, other));
        all.find(|side| side.present.is_some())
    }
}

impl<'p> Side<'p> {
    /// Whether the manifest has it.
    pub(super) fn known(&self) -> bool {
        self.present.is_some() || self.absent.is_some()
    }

    pub(super) fn tier(&self) -> Option<&'p str> {
        let present = self.present.map(|(_, l)| l.tier.as_str());
        present.or(self.absent.map(|a| a.tier.as_str()))
    }

    pub(super) fn ingredients(&self) -> &'p [Ingredient] {
        let present = self.present.map(|(_, l)| &*l.ingredients);
        present
            .or(self.absent.map(|a| &*a.ingredients))
            .unwrap_or_default()
    }

    pub(super) fn ingredient(&self, index: Option<u32>) -> Option<&'p Ingredient> {
        self.ingredients().get(index? as usize)
    }

    pub(super) fn unused(&self) -> &'p [Unused] {
        let present = self.present.map(|(_, l)| l.unused.as_slice());
        present
            .or(self.absent.map(|a| a.unused.as_slice()))
            .unwrap_or_default()
    }

    pub(super) fn definition(&self) -> Option<&'p Definition> {
        let present = self.present.map(|(_, l)| &l.definition);
        present.or(self.absent.map(|a| &a.definition))
    }

    /// Bytes of the join before it.
    pub(super) fn join_len(&self) -> usize {
        self.join().len()
    }

    /// The join before it.
    pub(super) fn join(&self) -> &'p str {
        let Some((channel, layer)) = self.present else {
            return "";
        };
        match layer.spans.first() {
            Some(first) if first.kind == SpanKind::Join && layer.start > 0 => {
                channel.text.get(first.start..first.end).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// Where its own text begins in the channel, after the join.
    pub(super) fn start(&self) -> usize {
        self.present
            .map_or(0, |(_, layer)| layer.start + self.join_len())
    }

    /// Its text without the join before it.
    pub(super) fn text(&self) -> &'p str {
        self.present.map_or("", |(channel, layer)| {
            channel
                .text
                .get(self.start()..layer.end)
                .unwrap_or_default()
        })
    }

    /// The owners of its own text, in order; offsets are the channel's.
    pub(super) fn spans(&self) -> &'p [Span] {
        let Some((_, layer)) = self.present else {
            return &[];
        };
        match self.join_len() {
            0 => &layer.spans,
            _ => layer.spans.get(1..).unwrap_or_default(),
        }
    }

    /// The bytes of a span.
    pub(super) fn bytes(&self, span: &Span) -> &'p str {
        self.present.map_or("", |(channel, _)| {
            channel.text.get(span.start..span.end).unwrap_or_default()
        })
    }
}

/// Where in A's channel the sources of a layer that both have part: from there on its text is of another one, even if it begins alike.
pub(super) fn parts(a: &Side<'_>, b: &Side<'_>) -> Option<usize> {
    let owner = |side: &Side<'_>, span: &Span| match side.ingredient(span.ingredient)? {
        Ingredient::Document { root, path, .. } => Some(format!("{root}/{path}")),
        Ingredient::Fact { name, .. } => Some(format!("fact {name}")),
        Ingredient::Template {
            file, line: None, ..
        } => Some(file.clone()),
        _ => None,
    };
    let (mut x, mut y) = (a.spans().iter(), b.spans().iter());
    loop {
        let (old, new) = (x.next()?, y.next()?);
        let (of_old, of_new) = (owner(a, old), owner(b, new));
        if of_old != of_new && of_old.is_some() && of_new.is_some() {
            return Some(old.start);
        }
        let [before, after] = [a.bytes(old), b.bytes(new)];
        if of_old != of_new || before != after {
            return None;
        }
    }
}
