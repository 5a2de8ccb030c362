//! The result of a check, in all formats.

mod places;
pub(crate) mod order;
pub(crate) mod json;
pub(crate) mod sarif;
pub(crate) mod github;

use crate::check::{RULES, Rule};
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostic, Severity};
use crate::project::Run;
use crate::project::check::Checked;
use crate::project::check_each::CheckedProject;

/// The answer of a check.
pub(crate) struct Answer<'a> {
    pub(crate) manifests: Vec<CheckedManifest<'a>>,
    /// The errors that keep others of several manifests from being checked: a broken one hides no other.
    pub(crate) errors: Vec<(&'a Diagnostic, &'a Files)>,
    /// Whether several were asked for.
    pub(crate) several: bool,
}

impl<'a> Answer<'a> {
    /// The results of checks; `run` has the earlier diagnostics.
    pub(crate) fn of(all: &'a [CheckedProject], run: &'a Run, several: bool) -> Self {
        let manifests = all.iter().filter_map(|one| {
            let checked = one.checked.as_ref()?;
            let files = &one.run.files;
            Some(CheckedManifest { checked, files })
        });
        let broken = all.iter().filter(|one| one.checked.is_none());
        let runs = broken.map(|one| &one.run).chain([run]);
        let errors = runs.flat_map(|run| run.diags.iter().map(|d| (d, &run.files)));
        let errors = errors.filter(|(d, _)| several && d.severity == Severity::Error);
        Self {
            manifests: manifests.collect(),
            errors: errors.collect(),
            several,
        }
    }
}

/// A manifest that was checked.
pub(crate) struct CheckedManifest<'a> {
    pub(crate) checked: &'a Checked,
    /// The files of its locations.
    pub(crate) files: &'a Files,
}

impl CheckedManifest<'_> {
    /// Its name in messages.
    pub(crate) fn name(&self) -> &str {
        &self.files.get(self.checked.manifest.file).name
    }
}

/// The rules as they are documented.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().copied()
}
