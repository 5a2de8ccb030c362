//! The snapshots that there should be: one for each scenario of each manifest.

use crate::compare::snapshot::DEFAULT;
use crate::diagnostic::Diagnostics;
use crate::manifest::Manifest;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The meant snapshots, and what their builds take as now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// Only snapshots with this in the manifest's path or the scenario's name.
    pub(crate) filter: Option<&'a str>,
    /// The current time for facts with a clock in manifests without scenarios, RFC 3339.
    pub(crate) now: Option<&'a str>,
}

impl Wanted<'_> {
    /// All snapshots, without a time.
    pub(crate) const ALL: Self = Self {
        filter: None,
        now: None,
    };
}

/// A manifest that was found.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    /// The path as reports have it.
    pub(crate) shown: String,
    pub(crate) manifest: Arc<Manifest>,
    /// The findings about it. With an error it can be read, and not built.
    pub(crate) found: Diagnostics,
    /// Whether another one extends it.
    pub(crate) extended: bool,
}

impl Opened {
    /// Whether it is built by itself: a base without scenarios of its own is there to be extended, and built with what extends it.
    pub(crate) fn is_alone(&self) -> bool {
        let mut scenarios = self.manifest.scenarios.iter();
        !self.extended || scenarios.any(|s| self.manifest.is_own(s.span.file))
    }
}

/// One snapshot that there should be.
pub(crate) struct Unit<'a> {
    pub(crate) path: &'a Path,
    pub(crate) shown: &'a str,
    pub(crate) manifest: &'a Arc<Manifest>,
    pub(crate) found: &'a Diagnostics,
    pub(crate) scenario: String,
    /// Whether the manifest declares the scenario; else it declares none at all.
    pub(crate) declared: bool,
    /// Whether its plan is that of the manifest's other scenarios: it writes neither roots nor variables, which may lead to
    /// other templates.
    pub(crate) shares_plan: bool,
    /// Whether the snapshot stores the texts.
    pub(crate) snapshot: bool,
    pub(crate) now: Option<String>,
    /// Whether the filter takes it.
    pub(crate) selected: bool,
}

/// A path as reports have it, the same on every system.
pub(crate) fn shown(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .map(|c| c.as_os_str().to_string_lossy())
        .collect();
    parts.join("/").replacen("//", "/", 1)
}

/// Every snapshot that there should be, in the order of the manifests.
pub(crate) fn units<'a>(opened: &'a [Opened], wanted: Wanted<'_>) -> Vec<Unit<'a>> {
    let mut out = Vec::new();
    for one in opened.iter().filter(|opened| opened.is_alone()) {
        let Opened {
            path,
            shown,
            manifest,
            found,
            ..
        } = one;
        let unit = |scenario: &str, declared, shares_plan, snapshot| Unit {
            path,
            shown,
            manifest,
            found,
            scenario: scenario.to_owned(),
            declared,
            shares_plan,
            snapshot,
            now: wanted.now.map(str::to_owned),
            selected: selects(wanted, shown, scenario),
        };
        if manifest.tried().next().is_none() {
            out.push(unit(DEFAULT, false, false, true));
        }
        let scenarios = manifest.tried();
        out.extend(scenarios.map(|s| {
            let shares = s.roots.is_empty() && s.env.is_empty();
            unit(&s.name.value, true, shares, s.snapshot)
        }));
    }
    out
}

pub(crate) fn selected<'a>(units: &'a [Unit<'a>]) -> Vec<&'a Unit<'a>> {
    units.iter().filter(|unit| unit.selected).collect()
}

pub(crate) fn selects(wanted: Wanted<'_>, shown: &str, scenario: &str) -> bool {
    let filter = wanted.filter.unwrap_or_default();
    shown.contains(filter) || scenario.contains(filter)
}
