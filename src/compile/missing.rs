//! Sources that name something and find nothing, unless the manifest says `missing=` at the source, at a group around it or
//! at its root.

use crate::diagnostic::span::Span;
use crate::manifest::{FileName, Reading};
use crate::source::SourceKind;
use crate::source::place::{Read, Wanted};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A source that found nothing; or, where each of its names counts, one of its names that found nothing.
#[derive(Debug, Clone)]
pub(super) struct MissingSource {
    pub(super) kind: &'static SourceKind,
    /// By what the root is known among those that are bound.
    pub(super) root: Arc<str>,
    pub(super) names: Vec<MissingName>,
    pub(super) node: Span,
}

/// A name that found nothing.
#[derive(Debug, Clone)]
pub(super) struct MissingName {
    /// The path or pattern inside the root.
    pub(super) path: String,
    /// The place in the manifest of a name without facts.
    pub(super) written: Option<Span>,
}

impl MissingName {
    fn of(reading: &Reading, names: &[Wanted], at: usize) -> Option<Self> {
        let path = names.get(at)?.file()?.to_owned();
        // A fact can be a list, so that positions do not tell which of several arguments a name comes from.
        let arguments = &reading.names;
        let aligned = arguments.len() == names.len();
        let argument = arguments.get(at).filter(|_| aligned);
        let written = argument.and_then(|argument| match argument {
            FileName::Written { written, .. } if argument.is_plain() => Some(written.span),
            FileName::Written { .. } | FileName::Fact(_) => None,
        });
        Some(Self { path, written })
    }
}

/// The node of a source, and the position of the name, if each counts.
type Key = (Span, usize);

/// The sources of one layer that found nothing so far, and those that found something.
#[derive(Debug, Clone, Default)]
pub(super) struct MissingSources {
    missed: Vec<(Key, MissingSource)>,
    /// Those that found something, or in whose place something else was taken.
    met: BTreeSet<Key>,
}

impl MissingSources {
    /// Notes what a source found in a folder. It may look in several, of which one is enough.
    pub(super) fn note(
        &mut self,
        (node, root): (Span, &Arc<str>),
        reading: &Reading,
        names: &[Wanted],
        read: &Read,
    ) {
        if !reading.kind.names.all_count() {
            if read.missing.is_empty() {
                self.met.insert((node, 0));
            } else {
                let source = MissingSource::new(node, root, reading, names, &read.missing);
                self.missed.push(((node, 0), source));
            }
            return;
        }
        for at in 0..names.len() {
            // Ascending, as the names were looked for.
            if read.missing.binary_search(&at).is_ok() {
                let source = MissingSource::new(node, root, reading, names, &[at]);
                self.missed.push(((node, at), source));
            } else {
                self.met.insert((node, at));
            }
        }
    }

    /// How many searches were in vain.
    pub(super) fn len(&self) -> usize {
        self.missed.len()
    }

    /// Something was taken in place of the sources that were noted after the first `before`: they need not be there.
    pub(super) fn replace(&mut self, before: usize) {
        let replaced = self.missed.drain(before..);
        self.met.extend(replaced.map(|(key, _)| key));
    }

    /// The sources that found nothing anywhere, in the order of the manifest.
    pub(super) fn unmet(&self) -> impl Iterator<Item = &MissingSource> {
        let missed = self
            .missed
            .iter()
            .filter(|(key, _)| !self.met.contains(key));
        let each: BTreeMap<Key, &MissingSource> =
            missed.map(|(key, source)| (*key, source)).collect();
        each.into_values()
    }

    /// Forgets what is no longer asked for.
    pub(super) fn shrink(&mut self) {
        let met = std::mem::take(&mut self.met);
        self.missed.retain(|(key, _)| !met.contains(key));
    }
}

impl MissingSource {
    fn new(
        node: Span,
        root: &Arc<str>,
        reading: &Reading,
        names: &[Wanted],
        missing: &[usize],
    ) -> Self {
        let name = |at: &usize| MissingName::of(reading, names, *at);
        Self {
            kind: reading.kind,
            root: root.clone(),
            names: missing.iter().filter_map(name).collect(),
            node,
        }
    }
}
