//! Sources that name something and find nothing, unless the manifest says `missing=` at the source, at a group around it or
//! at its root.

use crate::diagnostic::span::Span;
use crate::manifest::{FileName, Reading};
use crate::source::SourceKind;
use crate::source::place::{Read, Wanted};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// A source that found nothing; or, where each of its names counts, one of its names that found nothing.
#[derive(Debug, Clone)]
pub(super) struct MissingSource {
    pub(super) kind: &'static SourceKind,
    /// By what the root is known among those that are bound.
    pub(super) root: Arc<str>,
    pub(super) names: Vec<MissingName>,
    pub(super) node: Span,
}

/// What was taken in the place of a source or name that found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    /// Another member of a `first`.
    Member,
    /// A later name of the same source.
    Name,
}

impl Replacement {
    /// It, in a message.
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::Member => "another member of `first`",
            Self::Name => "another name",
        }
    }
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
        let mut arguments = reading.names.iter();
        let is_aligned = !arguments
            .clone()
            .any(|name| matches!(name, FileName::Fact(_)));
        let argument = arguments.nth(at).filter(|_| is_aligned);
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
    /// Those that found something.
    met: BTreeSet<Key>,
    /// The names of sources before one that was found.
    passed: BTreeMap<Span, MissingSource>,
    /// The nodes in whose place another member of a `first` was taken.
    replaced: BTreeSet<Span>,
    /// Files that are skipped because only the case of their names is another, with the nodes of their sources.
    pub(super) skipped: BTreeSet<(Span, String)>,
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
                if !read.passed.is_empty() {
                    let source = MissingSource::new(node, root, reading, names, &read.passed);
                    self.passed.insert(node, source);
                }
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

    /// Another member of a `first` was taken in place of the source at `node`, which may well be missing, here and in the
    /// other folders that the `first` is looked for in.
    pub(super) fn replace(&mut self, node: Span) {
        self.replaced.insert(node);
    }

    /// Notes a file that is skipped because only the case of its name is another.
    pub(super) fn skip(&mut self, node: Span, path: &str) {
        self.skipped.insert((node, path.to_owned()));
    }

    /// The sources that found nothing anywhere, in the order of the manifest, and what was taken in their place; then names
    /// before one that was found.
    pub(super) fn unmet(&self) -> impl Iterator<Item = (&MissingSource, Option<Replacement>)> {
        let missed = self
            .missed
            .iter()
            .filter(|(key, _)| !self.met.contains(key));
        // One for all folders.
        let each: BTreeMap<Key, &MissingSource> =
            missed.map(|(key, source)| (*key, source)).collect();
        let sources = each.into_values();
        let replaced = |source: &MissingSource| {
            let is_replaced = self.replaced.contains(&source.node);
            is_replaced.then_some(Replacement::Member)
        };
        let sources = sources.map(move |source| (source, replaced(source)));
        let passed = self.passed.values();
        sources.chain(passed.map(|source| (source, Some(Replacement::Name))))
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

/// The paths that were found for missing ones in one snapshot of the world, by the root and the missing path.
#[derive(Debug, Default)]
pub(super) struct NearMemo(Mutex<NearPaths>);

/// The paths that were found in the snapshot of this number; none if none is near.
#[derive(Debug, Default)]
struct NearPaths {
    snapshot: u64,
    by_missing: BTreeMap<(Arc<str>, String), Option<String>>,
}

impl NearMemo {
    /// As `find` finds it, once for each snapshot: a batch builds thousands of prompts in one.
    pub(super) fn get(
        &self,
        snapshot: u64,
        key: (Arc<str>, String),
        find: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.snapshot != snapshot {
            *known = NearPaths {
                snapshot,
                ..NearPaths::default()
            };
        }
        known.by_missing.entry(key).or_insert_with(find).clone()
    }
}
