//! How often things may change when their declaration does not say.

use super::names::MOST_DERIVED;
use super::programs::Programs;
use super::why::{Link, What, Why};
use crate::compile::roots::{self, MANIFEST, TEXT};
use crate::diagnostic::span::{FileId, Span};
use crate::manifest::Origin;
use crate::prompt::Changes;

impl Programs<'_> {
    /// The volatility of text in the manifest's folders, or in those of a base; built-in files cannot change.
    pub(super) fn base_class(&self) -> Changes {
        let disk = roots::homes(self.manifest).next().is_some();
        if disk {
            Changes::Deploy
        } else {
            Changes::Never
        }
    }

    /// The volatility of text in one of the manifest's files.
    pub(super) fn file_class(&self, file: FileId) -> Changes {
        match self.manifest.origin_of(file) {
            Origin::Disk { .. } => Changes::Deploy,
            Origin::BuiltIn { .. } => Changes::Never,
        }
    }

    /// The manifest's text at `place`.
    pub(super) fn manifest_why(&self, place: Span) -> Why {
        Why::one(self.base_class(), Link::new(What::Program, "", place), None)
    }

    /// A root, read at `place`: as declared; else the manifest's own folders change with it, and the others with the
    /// conversation. A derived root changes at least as often as the one that it is derived from.
    pub(super) fn root_why(&self, name: &str, place: Span) -> Why {
        let mut why = Why::default();
        let mut name = name;
        let mut way: Vec<Link> = Vec::new();
        // More steps are too many, or a circle, which is reported elsewhere.
        for _ in 0..=MOST_DERIVED {
            let root = self.roots.declared(name);
            let declared = root.and_then(|r| r.changes.as_ref());
            let changes = match declared {
                Some(changes) => changes.value,
                None if name == MANIFEST => Changes::Deploy,
                None if name == TEXT => self.base_class(),
                None => Changes::Session,
            };
            let at = way.last().map_or(Some(place), |_| root.map(|r| r.span));
            let link = Link::new(What::Root, name, at);
            let one = Why::one(changes, link, declared.map(|c| c.span));
            why.add(one.via(&way));
            way.push(Link::new(What::Root, name, at));
            match root.and_then(|r| r.above.as_ref().or(r.within.as_ref())) {
                Some(base) => name = &base.value,
                None => break,
            }
        }
        why
    }
}
