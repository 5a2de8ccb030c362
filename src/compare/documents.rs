//! The documents of one layer as both prompts have them, and what became of the entries among them.

use super::entries;
use super::excerpt::{self, FirstDifference};
use super::model::CauseKind;
use super::nodes::Nodes;
use super::side::Side;
use crate::prompt::{Finding, Ingredient, Span, UnusedReason};
use std::collections::{BTreeMap, BTreeSet};

/// Root and path.
pub(super) type Key<'p> = (&'p str, &'p str);

/// The documents of a layer on one side, with what they own of its text.
#[derive(Debug)]
pub(super) struct Documents<'p> {
    side: Side<'p>,
    all: BTreeMap<Key<'p>, DocumentReadings<'p>>,
    /// Why those that did not count did not, as the first notice of each says.
    unused: BTreeMap<Key<'p>, UnusedReason>,
}

#[derive(Debug, Default)]
struct DocumentReadings<'p> {
    /// The hash of every reading: folders of one root can have the same path.
    hashes: BTreeSet<&'p str>,
    readings: Vec<&'p Ingredient>,
    item: Option<&'p str>,
    /// The spans that are copied from it.
    spans: Vec<&'p Span>,
    /// The first byte that is from it, copied or made.
    place: Option<usize>,
}

impl<'p> Documents<'p> {
    pub(super) fn of(side: &Side<'p>) -> Self {
        let mut all: BTreeMap<Key<'p>, DocumentReadings<'p>> = BTreeMap::new();
        for ingredient in side.ingredients() {
            if let Ingredient::Document {
                root,
                path,
                sha256,
                item,
                kept,
                ..
            } = ingredient
            {
                let known = all.entry((root, path)).or_default();
                known.hashes.insert(sha256);
                known.readings.push(ingredient);
                if known.item.is_none() || *kept > 0 {
                    known.item = item.as_deref();
                }
            }
        }
        for span in side.spans() {
            if let Some(Ingredient::Document { root, path, .. }) = side.ingredient(span.ingredient)
                && let Some(known) = all.get_mut(&(root.as_str(), path.as_str()))
            {
                known.place = known.place.or(Some(span.start));
                known.spans.extend(span.offset.is_some().then_some(span));
            }
        }
        let mut unused = BTreeMap::new();
        for notice in side.unused() {
            let key = (notice.root.as_str(), notice.path.as_str());
            unused.entry(key).or_insert(notice.reason);
        }
        Self {
            side: *side,
            all,
            unused,
        }
    }

    /// Every reading of a document, in order.
    fn readings<'s>(&'s self, key: Key<'s>) -> &'s [&'p Ingredient] {
        self.all.get(&key).map_or(&[], |known| &known.readings)
    }

    /// The spans that are copied from a document.
    pub(super) fn spans(&self, key: Key<'p>) -> &[&'p Span] {
        self.all.get(&key).map_or(&[], |known| &known.spans)
    }

    /// The size of a document in characters before all budgets, and if `counts_bytes` that of its file in
    /// bytes, of every reading.
    pub(super) fn size(&self, key: Key<'p>, counts_bytes: bool) -> Vec<(usize, usize)> {
        let sizes = self.readings(key).iter().filter_map(|i| match i {
            Ingredient::Document {
                bytes,
                kept,
                dropped,
                ..
            } => Some((kept + dropped, if counts_bytes { *bytes } else { 0 })),
            _ => None,
        });
        sizes.collect()
    }

    /// Whether a budget took something of a document.
    pub(super) fn is_cut(&self, key: Key<'_>) -> bool {
        let cut = |i: &&'p Ingredient| matches!(i, Ingredient::Document { dropped: 1.., .. });
        self.readings(key).iter().any(cut)
    }

    /// Why a document did not count, if it was looked for.
    pub(super) fn why_unused(&self, key: Key<'_>) -> Option<UnusedReason> {
        self.unused.get(&key).copied()
    }

    /// The findings of a scan in a document whose text it then removed.
    pub(super) fn replaced(&self, key: Key<'_>) -> Vec<&'p Finding> {
        let is_gone = |i: &&&Ingredient| {
            matches!(
                i,
                Ingredient::Document {
                    kept: 0,
                    dropped: 0,
                    ..
                }
            )
        };
        let gone = self.readings(key).iter().filter(is_gone);
        let mut found: Vec<&Finding> = gone.flat_map(|i| i.findings()).collect();
        found.sort();
        found.dedup();
        found
    }

    /// The document that imports this one, if no source read it for itself.
    pub(super) fn importer(&self, key: Key<'_>) -> Option<&'p str> {
        let mut by = self.readings(key).iter().map(|i| match i {
            Ingredient::Document { imported_by, .. } => imported_by.as_deref(),
            _ => None,
        });
        let first = by.next()??;
        by.all(|by| by.is_some()).then_some(first)
    }

    /// The nodes that read a document, for each reading that is no import.
    fn nodes(&self, key: Key<'_>) -> Vec<usize> {
        let readings = self.readings(key).iter().filter_map(|i| match i {
            Ingredient::Document {
                node: Some(node),
                imported_by: None,
                item: None,
                ..
            } => Some(*node as usize),
            _ => None,
        });
        readings.collect()
    }

    /// Whether a node brought text of a document, be it cut away.
    pub(super) fn brought(&self, key: Key<'_>, by: usize) -> bool {
        self.readings(key).iter().any(|i| match i {
            Ingredient::Document {
                node: Some(node),
                kept,
                dropped,
                ..
            } => *node as usize == by && (*kept > 0 || *dropped > 0),
            _ => false,
        })
    }

    /// The hash of its first reading.
    pub(super) fn hash(&self, key: Key<'_>) -> Option<&'p str> {
        match self.readings(key).first()? {
            Ingredient::Document { sha256, .. } => Some(sha256),
            _ => None,
        }
    }

    /// Whether `without` does not look for a document because the one that imports it here is another there.
    pub(super) fn unimported(&self, without: &Self, key: Key<'_>) -> bool {
        let Some(by) = self.importer(key) else {
            return false;
        };
        let by = (key.0, by);
        without.why_unused(key).is_none() && self.hash(by) != without.hash(by)
    }

    fn has_same(&self, key: Key<'_>, other: &Self) -> bool {
        match (self.all.get(&key), other.all.get(&key)) {
            (Some(one), Some(two)) => one.hashes == two.hashes,
            (one, two) => one.is_none() && two.is_none(),
        }
    }

    fn item(&self, key: Key<'_>) -> Option<&'p str> {
        self.all.get(&key)?.item
    }
}

/// Both sides.
pub(super) struct Both<'p> {
    pub(super) a: Documents<'p>,
    pub(super) b: Documents<'p>,
    /// The positions in A and in B of the entries that both sides have, ascending.
    steady: [Vec<usize>; 2],
}

impl<'p> Both<'p> {
    pub(super) fn of(a: &Side<'p>, b: &Side<'p>) -> Self {
        let (a, b) = (Documents::of(a), Documents::of(b));
        let same = |key: &&Key<'p>| a.item(**key).is_some() && a.has_same(**key, &b);
        let pairs = a.all.keys().filter(same).filter_map(|key| {
            let place = |documents: &Documents<'p>| documents.all.get(key)?.place;
            Some((place(&a)?, place(&b)?))
        });
        let (mut in_a, mut in_b): (Vec<usize>, Vec<usize>) = pairs.unzip();
        in_a.sort_unstable();
        in_b.sort_unstable();
        Self {
            a,
            b,
            steady: [in_a, in_b],
        }
    }

    /// All documents, those of B first, in the order of their ingredients.
    pub(super) fn keys(&self) -> Vec<Key<'p>> {
        let mut seen = BTreeSet::new();
        let ingredients = self.b.side.ingredients().iter();
        let keys = ingredients
            .chain(self.a.side.ingredients())
            .filter_map(|i| match i {
                Ingredient::Document { root, path, .. } => Some((root.as_str(), path.as_str())),
                _ => None,
            });
        keys.filter(|key| seen.insert(*key)).collect()
    }

    /// Whether the two sides read something else.
    pub(super) fn differs(&self, key: Key<'p>) -> bool {
        !self.a.has_same(key, &self.b)
    }

    /// Whether one side reads a document from more folders of its root than the other, with the same text in each.
    pub(super) fn folders_differ(&self, key: Key<'p>, nodes: &Nodes) -> bool {
        let (of_a, of_b) = (self.a.nodes(key), self.b.nodes(key));
        let counts = |nodes: &[usize], node: usize| nodes.iter().filter(|n| **n == node).count();
        of_a.iter().any(|node| {
            let other = nodes.other(*node, true);
            other.is_some_and(|other| {
                of_b.contains(&other) && counts(&of_a, *node) != counts(&of_b, other)
            })
        })
    }

    /// The name of an entry in a cause, and the kind for entries in place of that for documents.
    pub(super) fn named(&self, key: Key<'p>, kind: CauseKind) -> (Option<String>, CauseKind) {
        let Some(item) = self.b.item(key).or_else(|| self.a.item(key)) else {
            return (None, kind);
        };
        let kind = match kind {
            CauseKind::DocumentAppeared => CauseKind::ItemAdded,
            CauseKind::DocumentVanished => CauseKind::ItemRemoved,
            CauseKind::DocumentChanged if self.says_the_same(key) || self.moved(key) => {
                CauseKind::ItemReordered
            }
            CauseKind::DocumentChanged => CauseKind::ItemChanged,
            kind => kind,
        };
        (Some(item.to_owned()), kind)
    }

    /// Whether an entry of a file only moved inside it.
    fn says_the_same(&self, key: Key<'p>) -> bool {
        let known = self.b.all.get(&key);
        known.is_some_and(|known| known.hashes.iter().any(|hash| entries::is_moved(hash)))
    }

    /// Whether the number of equal entries before an entry differs.
    fn moved(&self, key: Key<'p>) -> bool {
        let [in_a, in_b] = &self.steady;
        let rank = |documents: &Documents<'p>, steady: &[usize]| {
            let place = documents.all.get(&key)?.place?;
            Some(steady.partition_point(|other| *other < place))
        };
        match (rank(&self.a, in_a), rank(&self.b, in_b)) {
            (Some(before), Some(after)) => before != after,
            _ => false,
        }
    }

    /// The first difference of what a document gave to the two texts, as far as that can be said without laying them on each
    /// other: of one that is cut, what it shows says nothing of what it holds.
    pub(super) fn excerpt(&self, key: Key<'p>) -> FirstDifference {
        let spans = |documents: &Documents<'p>| match documents.all.get(&key) {
            Some(known) => known.spans.clone(),
            None => Vec::new(),
        };
        let (mut old, mut new) = (spans(&self.a), spans(&self.b));
        let has_text = |d: &Documents<'p>| d.size(key, false).iter().any(|size| size.0 > 0);
        let read = [&self.a, &self.b].map(has_text);
        let cut = [&self.a, &self.b].iter().any(|d| d.is_cut(key));
        if cut && read == [true, true] {
            return FirstDifference::default();
        }
        // Entries of a file are compared as one document, but two of them together are no text of the file.
        first_reading(&mut old);
        first_reading(&mut new);
        if self.b.item(key).or_else(|| self.a.item(key)).is_none() {
            match (old.is_empty(), new.is_empty()) {
                (false, true) => first_stretch(&mut old),
                (true, false) => first_stretch(&mut new),
                _ => {}
            }
        }
        let x = excerpt::Own::of_spans(&self.a.side, old);
        let y = excerpt::Own::of_spans(&self.b.side, new);
        match self.b.item(key).or_else(|| self.a.item(key)) {
            Some(_) if self.says_the_same(key) => excerpt::moved(&x, &y),
            Some(item) => excerpt::of_entry(&x, &y, item),
            None => excerpt::between(&x, &y),
        }
    }
}

/// Keeps the spans up to the first gap in the document.
fn first_stretch(spans: &mut Vec<&Span>) {
    let end = |s: &Span| Some(s.offset? + (s.end - s.start));
    let gap = spans.windows(2).position(|w| end(w[0]) != w[1].offset);
    spans.truncate(gap.map_or(spans.len(), |at| at + 1));
}

/// Keeps the spans of the ingredient that comes first.
fn first_reading(spans: &mut Vec<&Span>) {
    let first = spans.first().and_then(|span| span.ingredient);
    spans.retain(|span| span.ingredient == first);
}
