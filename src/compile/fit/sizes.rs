//! The size of a tier while its layers are dropped, and of the system prompt up to its end, each as if measured as a
//! whole.
//!
//! Characters, bytes and line feeds add up. Tokens add up between seams, so dropping a layer only requires counting the
//! text around it up to the next seams, and not the whole text.

use crate::manifest::Unit;
use crate::text::measure;
use crate::text::tokens::{Tokenizer, first_seam, last_seam};
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

/// The text before a tier.
#[derive(Debug, Clone, Default)]
pub(super) struct Front {
    /// Its size: all of it in characters, bytes or line feeds, or the tokens before its last seam.
    counted: usize,
    /// The text after its last seam, if tokens are counted.
    tail: String,
    /// Whether its last line has no end.
    open: bool,
}

impl Front {
    /// Appends a text.
    pub(super) fn push(&mut self, text: &str, unit: Unit) {
        if text.is_empty() {
            return;
        }
        self.open = !text.ends_with('\n');
        let Unit::Tokens(tokenizer) = unit else {
            self.counted += plain(text, unit);
            return;
        };
        // There is no seam before the last character of the old text.
        let from = self.tail.char_indices().next_back().map_or(0, |(at, _)| at);
        self.tail.push_str(text);
        if let Some(seam) = last_seam(&self.tail, from) {
            self.counted += tokenizer.vocabulary.count(&self.tail[..seam]);
            self.tail.drain(..seam);
        }
    }

    /// Its size.
    pub(super) fn size(&self, unit: Unit) -> usize {
        match unit {
            Unit::Tokens(tokenizer) => {
                tokenizer.scale(self.counted + tokenizer.vocabulary.count(&self.tail))
            }
            Unit::Lines => self.counted + usize::from(self.open),
            Unit::Chars | Unit::Bytes => self.counted,
        }
    }
}

/// The units that add up: those of the text, or its line feeds.
fn plain(text: &str, unit: Unit) -> usize {
    match unit {
        Unit::Lines => measure::size(text, unit) - usize::from(!text.ends_with('\n')),
        _ => measure::size(text, unit),
    }
}

/// A layer's text with the join before it.
#[derive(Debug, Default)]
struct LayerSize {
    /// If tokens are counted.
    text: String,
    /// Its units, if they add up.
    plain: usize,
    open: bool,
    /// Its first and last seam.
    seams: Option<(usize, usize)>,
    /// The tokens from its first seam up to the first one of a later layer, or to the end.
    after: usize,
}

/// The layers of a tier.
pub(super) struct Sizes<'t> {
    unit: Unit,
    front: Front,
    /// The text before the first layer, and between two.
    joins: [&'t str; 2],
    layers: Vec<LayerSize>,
    /// The layers that are there.
    there: BTreeSet<usize>,
    /// The layers with a seam.
    seamed: BTreeSet<usize>,
    /// The units of all layers that are there; tokens from the first seam on.
    sum: usize,
}

impl<'t> Sizes<'t> {
    /// The texts of a tier by their positions, after `front`. The first one comes after `lead`, the others after
    /// `join`.
    pub(super) fn new<'a>(
        unit: Unit,
        front: Front,
        [lead, join]: [&'t str; 2],
        texts: impl ExactSizeIterator<Item = Option<&'a str>>,
    ) -> Self {
        let mut sizes = Self {
            unit,
            front,
            joins: [lead, join],
            layers: Vec::with_capacity(texts.len()),
            there: BTreeSet::new(),
            seamed: BTreeSet::new(),
            sum: 0,
        };
        for (at, text) in texts.enumerate() {
            sizes.layers.push(LayerSize::default());
            if let Some(text) = text {
                sizes.put(at, text);
            }
        }
        for at in sizes.seamed.clone() {
            sizes.recount_after(at);
        }
        sizes
    }

    /// The size of the tier, and of the system prompt up to its end.
    pub(super) fn sizes(&self) -> [usize; 2] {
        match self.unit {
            Unit::Tokens(tokenizer) => self.tokens(tokenizer),
            unit => {
                let last = self.there.iter().rev().map(|at| &self.layers[*at]);
                let last = last.map(|layer| layer.open).next();
                let lines = usize::from(unit == Unit::Lines);
                let own = self.sum + lines * usize::from(last.unwrap_or(false));
                let all = last.unwrap_or(self.front.open);
                [
                    own,
                    self.front.counted + self.sum + lines * usize::from(all),
                ]
            }
        }
    }

    fn tokens(&self, tokenizer: Tokenizer) -> [usize; 2] {
        let head = self.text_between(None, self.seamed.first().copied());
        let own = self.sum + tokenizer.vocabulary.count(&head);
        let seam = format!("{}{head}", self.front.tail);
        let all = self.front.counted + self.sum + tokenizer.vocabulary.count(&seam);
        [own, all].map(|tokens| tokenizer.scale(tokens))
    }

    /// Puts another text at a place; with none it goes. `text_at` is the text at another one.
    pub(super) fn replace<'a>(
        &mut self,
        at: usize,
        text: Option<&str>,
        text_at: impl FnOnce(usize) -> Option<&'a str>,
    ) {
        let was_first = self.there.first() == Some(&at);
        self.take(at);
        if let Some(text) = text {
            self.put(at, text);
        } else if was_first && let Some(next) = self.there.first().copied() {
            // It loses its join to the lead.
            self.take(next);
            if let Some(text) = text_at(next) {
                self.put(next, text);
            }
            self.recount_after(next);
        }
        self.recount_after(at);
        if let Some(before) = self.seamed.range(..at).next_back().copied() {
            self.recount_after(before);
        }
    }

    /// Removes a layer from the sums. The text before it has to be counted again.
    fn take(&mut self, at: usize) {
        if self.there.remove(&at) {
            let layer = std::mem::take(&mut self.layers[at]);
            self.seamed.remove(&at);
            self.sum -= layer.plain + layer.after;
        }
    }

    /// Puts a layer in. Tokens are counted by [`Self::count_behind`].
    fn put(&mut self, at: usize, text: &str) {
        let first = self.there.range(..at).next().is_none();
        let text = [self.joins[usize::from(!first)], text].concat();
        if text.is_empty() {
            return;
        }
        self.there.insert(at);
        let layer = &mut self.layers[at];
        layer.open = !text.ends_with('\n');
        if matches!(self.unit, Unit::Tokens(_)) {
            let first = first_seam(&text);
            layer.seams = first.and_then(|first| Some((first, last_seam(&text, 0)?)));
            layer.text = text;
            if layer.seams.is_some() {
                self.seamed.insert(at);
            }
        } else {
            layer.plain = plain(&text, self.unit);
            self.sum += layer.plain;
        }
    }

    /// Counts the tokens after the first seam of a layer again.
    fn recount_after(&mut self, at: usize) {
        let (Unit::Tokens(tokenizer), Some((first, last))) = (self.unit, self.layers[at].seams)
        else {
            return;
        };
        let next = self.seamed.range((Excluded(at), Unbounded)).next().copied();
        let inner = tokenizer
            .vocabulary
            .count(&self.layers[at].text[first..last]);
        let outer = tokenizer
            .vocabulary
            .count(&self.text_between(Some(at), next));
        self.sum -= self.layers[at].after;
        self.layers[at].after = inner + outer;
        self.sum += inner + outer;
    }

    /// The text from the last seam of a layer, or the start, to the first seam of another, or the end.
    fn text_between(&self, from: Option<usize>, to: Option<usize>) -> String {
        let mut out = String::new();
        for at in self.there.range(from.unwrap_or(0)..) {
            let LayerSize { text, seams, .. } = &self.layers[*at];
            let (first, last) = seams.unwrap_or((text.len(), 0));
            let start = if from == Some(*at) { last } else { 0 };
            let end = if to == Some(*at) { first } else { text.len() };
            out.push_str(&text[start..end]);
            if to == Some(*at) {
                break;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{Front, Sizes};
    use crate::text::measure::{Unit, size};
    use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

    const TEXT: &str = "[aB1 \n/!'é中\u{301}]{1,5}";

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn sizes_equal_those_of_the_whole_text(
            front in proptest::collection::vec(TEXT, 0..4),
            mut texts in proptest::collection::vec(proptest::option::of(TEXT), 0..6),
            lead in "[ \n/a]{0,2}",
            join in "[ \n/a]{0,2}",
            changes in proptest::collection::vec((0..6_usize, proptest::option::of(TEXT)), 0..8),
        ) {
            for unit in Unit::all() {
                let mut before = Front::default();
                front.iter().for_each(|text| before.push(text, unit));
                prop_assert_eq!(before.size(unit), size(&front.concat(), unit));
                let own = texts.iter().map(Option::as_deref);
                let mut sizes = Sizes::new(unit, before, [&lead, &join], own);
                let whole = |texts: &[Option<String>]| {
                    let there: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
                    let lead = if there.is_empty() { "" } else { &lead };
                    let own = format!("{lead}{}", there.join(&join));
                    [size(&own, unit), size(&(front.concat() + &own), unit)]
                };
                prop_assert_eq!(sizes.sizes(), whole(&texts));
                let kept = texts.clone();
                for (at, text) in &changes {
                    // A layer that went does not come back.
                    if texts.get(*at).is_some_and(Option::is_some) {
                        texts[*at].clone_from(text);
                        sizes.replace(*at, text.as_deref(), |at| texts[at].as_deref());
                        prop_assert_eq!(sizes.sizes(), whole(&texts));
                    }
                }
                texts = kept;
            }
        }
    }
}
