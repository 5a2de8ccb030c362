//! The parts of a layer that overlays may not change: `locked=#true`.

use crate::compile::roots::LookupRank;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::span::{FileId, Span};
use crate::manifest::{Manifest, locked};

/// The lock of a layer.
#[derive(Debug, Clone, Copy)]
pub(in crate::compile) struct Lock {
    /// Its location.
    pub(in crate::compile) span: Span,
    /// The number of manifests above its own.
    pub(super) level: usize,
}

impl Lock {
    /// The lock of a layer or root, if it has one.
    pub(in crate::compile) fn of(locked: Option<Span>, manifest: &Manifest) -> Option<Self> {
        locked.map(|span| Self {
            span,
            level: manifest.level_of(span.file),
        })
    }

    /// Whether a file of the manifest is above that of the lock.
    pub(in crate::compile) fn refuses(self, file: FileId, manifest: &Manifest) -> bool {
        manifest.level_of(file) < self.level
    }

    /// Whether a folder is above the manifest of the lock.
    pub(in crate::compile) fn refuses_found(self, found: LookupRank) -> bool {
        found < LookupRank::Beside(self.level)
    }

    /// The error of the file of that name if it takes precedence over the one that a locked layer names at `at`.
    pub(in crate::compile) fn taken(self, layer: &str, name: &str, at: Span) -> Diagnostic {
        let message = format!("`{name}` would be placed in the locked layer `{layer}`");
        let help = "give the file another name, or put it elsewhere: here it takes precedence over the base's file";
        locked(message, at, self.span).help(help)
    }
}
