//! What a check found, as each format has it.

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

/// What was checked, as formats write it.
pub(crate) struct Answer<'a> {
    pub(crate) judged: Vec<Judged<'a>>,
    /// What keeps others of several manifests from being checked: a broken one hides no other.
    pub(crate) errors: Vec<(&'a Diagnostic, &'a Files)>,
    /// Whether several were asked for.
    pub(crate) several: bool,
}

impl<'a> Answer<'a> {
    /// What came of checks; `run` has what was found before them.
    pub(crate) fn of(all: &'a [CheckedProject], run: &'a Run, several: bool) -> Self {
        let judged = all.iter().filter_map(|one| {
            let checked = one.checked.as_ref()?;
            let files = &one.run.files;
            Some(Judged { checked, files })
        });
        let broken = all.iter().filter(|one| one.checked.is_none());
        let runs = broken.map(|one| &one.run).chain([run]);
        let errors = runs.flat_map(|run| run.diags.iter().map(|d| (d, &run.files)));
        let errors = errors.filter(|(d, _)| several && d.severity == Severity::Error);
        Self {
            judged: judged.collect(),
            errors: errors.collect(),
            several,
        }
    }
}

/// A manifest that was checked.
pub(crate) struct Judged<'a> {
    pub(crate) checked: &'a Checked,
    /// What its places are in.
    pub(crate) files: &'a Files,
}

impl Judged<'_> {
    /// How messages call it.
    pub(crate) fn name(&self) -> &str {
        &self.files.get(self.checked.manifest.file).name
    }
}

/// The rules as they are documented.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().copied()
}
