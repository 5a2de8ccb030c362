//! The size of a tier while its layers are dropped, and of the system prompt up to its end, each as if measured as a
//! whole.
//!
//! Characters, bytes and line feeds add up. Tokens add up between seams, so dropping a layer only requires counting the
//! text around it up to the next seams, and not the whole text.

use crate::diagnostic::span::count_newlines;
use crate::manifest::Unit;
use crate::text::measure;
use crate::text::tokens::{first_seam, last_seam};
use std::collections::BTreeMap;
use std::ops::Range;

/// The text of a layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'t> {
    /// The position of the layer in its tier.
    pub(super) at: usize,
    /// The text before it.
    pub(super) join: &'t str,
    pub(super) text: &'t str,
}

impl Piece<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.join.is_empty() && self.text.is_empty()
    }
}

/// A text in pieces, and its size.
#[derive(Debug)]
pub(super) struct SizedText {
    unit: Unit,
    /// By their places; none is empty.
    pieces: BTreeMap<usize, String>,
    /// The units of all pieces together; of lines the line feeds.
    sum: usize,
}

impl SizedText {
    /// An empty text.
    pub(super) fn new(unit: Unit) -> Self {
        Self {
            unit,
            pieces: BTreeMap::new(),
            sum: 0,
        }
    }

    /// Its size.
    pub(super) fn size(&self) -> usize {
        match self.unit {
            Unit::Chars | Unit::Bytes => self.sum,
            Unit::Lines => {
                let last = self.pieces.values().next_back();
                self.sum + usize::from(last.is_some_and(|last| !last.ends_with('\n')))
            }
            Unit::Tokens(tokenizer) => tokenizer.scale(self.sum),
        }
    }

    /// Adds pieces at the end, each at its position after the returned place.
    pub(super) fn append(&mut self, pieces: &[Piece<'_>]) -> usize {
        let start = self.pieces.keys().next_back().map_or(0, |last| last + 1);
        self.set(start..usize::MAX, start, pieces);
        start
    }

    /// Puts pieces at their positions after `start`, all of which are in `places`. An empty one is none.
    fn set(&mut self, places: Range<usize>, start: usize, pieces: &[Piece<'_>]) {
        self.sum -= self.units(places.clone());
        for piece in pieces {
            let place = start + piece.at;
            if piece.is_empty() {
                self.pieces.remove(&place);
            } else {
                let text = [piece.join, piece.text].concat();
                self.pieces.insert(place, text);
            }
        }
        self.sum += self.units(places);
    }

    /// The units of the pieces at these places; in tokens with the text around them up to the next seams.
    fn units(&self, places: Range<usize>) -> usize {
        let own = self.pieces.range(places.clone()).map(|(_, piece)| &**piece);
        let tokenizer = match self.unit {
            Unit::Tokens(tokenizer) => tokenizer,
            Unit::Lines => return own.map(|piece| count_newlines(piece.as_bytes())).sum(),
            unit => return own.map(|piece| measure::size(piece, unit)).sum(),
        };
        let mut parts: Vec<&str> = Vec::new();
        for (_, piece) in self.pieces.range(..places.start).rev() {
            let seam = last_seam(piece, 0);
            parts.push(&piece[seam.unwrap_or(0)..]);
            if seam.is_some() {
                break;
            }
        }
        parts.reverse();
        parts.extend(own);
        for (_, piece) in self.pieces.range(places.end..) {
            let seam = first_seam(piece);
            parts.push(&piece[..seam.unwrap_or(piece.len())]);
            if seam.is_some() {
                break;
            }
        }
        tokenizer.vocabulary.count(&parts.concat())
    }
}

/// The text of a tier, and of the system prompt up to its end.
pub(super) struct Sizes<'t> {
    /// The text before the first layer, and between two.
    joins: [&'t str; 2],
    own: SizedText,
    /// If its size counts.
    system: Option<SizedText>,
    /// The place of the tier's first layer in the system prompt.
    start: usize,
}

impl<'t> Sizes<'t> {
    /// The layers of a tier, after what `system` has.
    pub(super) fn new(
        unit: Unit,
        mut system: Option<SizedText>,
        joins: [&'t str; 2],
        layers: &[Piece<'_>],
    ) -> Self {
        let mut own = SizedText::new(unit);
        own.append(layers);
        Self {
            joins,
            own,
            start: system.as_mut().map_or(0, |system| system.append(layers)),
            system,
        }
    }

    /// The size of the tier, and of the system prompt up to its end.
    pub(super) fn sizes(&self) -> [usize; 2] {
        let own = self.own.size();
        [own, self.system.as_ref().map_or(own, SizedText::size)]
    }

    /// The system prompt up to the end of the tier.
    pub(super) fn into_system(self) -> Option<SizedText> {
        self.system
    }

    /// The layer at a position has another text now, or none. `text_of` is the text at each.
    pub(super) fn replace<'a>(&mut self, at: usize, text_of: impl Fn(usize) -> Option<&'a str>) {
        let text = text_of(at);
        let first = |own: &SizedText| own.pieces.keys().next().copied();
        let [lead, join] = self.joins;
        let is_first = first(&self.own) == Some(at);
        self.set(match text {
            Some(text) if is_first => piece(at, lead, text),
            Some(text) => piece(at, join, text),
            None => piece(at, "", ""),
        });
        if is_first
            && text.is_none()
            && let Some(next) = first(&self.own)
        {
            // It loses its join to the lead.
            self.set(piece(next, lead, text_of(next).unwrap_or_default()));
        }
    }

    fn set(&mut self, piece: Piece<'_>) {
        let at = piece.at;
        self.own.set(at..at + 1, 0, &[piece]);
        if let Some(system) = &mut self.system {
            let place = self.start + at;
            system.set(place..place + 1, self.start, &[piece]);
        }
    }
}

fn piece<'t>(at: usize, join: &'t str, text: &'t str) -> Piece<'t> {
    Piece { at, join, text }
}

#[cfg(test)]
mod tests {
    use super::{SizedText, Sizes, piece};
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
                let mut before = SizedText::new(unit);
                for text in &front {
                    before.append(&[piece(0, "", text)]);
                }
                prop_assert_eq!(before.size(), size(&front.concat(), unit));
                let own = texts.iter().enumerate();
                let mut own: Vec<_> = own
                    .filter_map(|(at, text)| Some(piece(at, &join, text.as_deref()?)))
                    .collect();
                own.iter_mut().take(1).for_each(|first| first.join = &lead);
                let mut sizes = Sizes::new(unit, Some(before), [&lead, &join], &own);
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
                        sizes.replace(*at, |at| texts[at].as_deref());
                        prop_assert_eq!(sizes.sizes(), whole(&texts));
                    }
                }
                texts = kept;
            }
        }
    }
}
