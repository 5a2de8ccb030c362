//! What overlays may not change of a layer: `locked=#true`.

use crate::compile::roots::Found;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::span::{FileId, Span};
use crate::manifest::{Manifest, locked};

/// The lock of a layer.
#[derive(Debug, Clone, Copy)]
pub(in crate::compile) struct Lock {
    /// Where it stands.
    pub(in crate::compile) span: Span,
    /// How many manifests stand above the one that it stands in.
    pub(super) level: usize,
}

impl Lock {
    /// That of a layer or root, if it has one.
    pub(in crate::compile) fn of(locked: Option<Span>, manifest: &Manifest) -> Option<Self> {
        locked.map(|span| Self {
            span,
            level: manifest.level_of(span.file),
        })
    }

    /// Whether a file of the manifest stands above that of the lock.
    pub(in crate::compile) fn refuses(self, file: FileId, manifest: &Manifest) -> bool {
        manifest.level_of(file) < self.level
    }

    /// Whether a folder stands above the manifest of the lock.
    pub(in crate::compile) fn refuses_found(self, found: Found) -> bool {
        found < Found::Beside(self.level)
    }

    /// What is wrong with the file of that name if it wins over the one that a locked layer names at `at`.
    pub(in crate::compile) fn taken(self, layer: &str, name: &str, at: Span) -> Diagnostic {
        let message = format!("`{name}` would stand in the locked layer `{layer}`");
        let help = "give the file another name, or put it elsewhere: here it wins over the one of the base";
        locked(message, at, self.span).help(help)
    }
}
